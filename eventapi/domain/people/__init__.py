"""People: contacts, participants, applications, badges, and what a participation still lacks."""
