"""The organiser: the settings that the office changes."""
