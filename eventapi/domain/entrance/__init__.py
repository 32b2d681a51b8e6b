"""The entrance: badge numbers, scans, visits, and the roster for offline devices."""
