"""The exhibitor's own page: its rules."""
