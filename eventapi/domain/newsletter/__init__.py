"""The newsletter: its subscribers and their consents."""
