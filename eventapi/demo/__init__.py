"""The demo show: a believable trade show, created through the API itself."""
