"""People: contacts, participants, applications, newsletter, privacy requests."""
