"""The entrance: scans, visits, the roster of badges."""
