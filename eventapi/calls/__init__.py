"""Calls of the routes of the API from inside: pages of the desk, and batches."""
