"""The desk of the office."""
