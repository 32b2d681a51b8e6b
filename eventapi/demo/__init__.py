"""The demo data: a believable trade show in progress, created through the API itself."""
