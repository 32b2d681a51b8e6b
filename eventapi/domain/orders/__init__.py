"""Services and their orders."""
