"""The demo data: a realistic trade show, created through the API itself."""
