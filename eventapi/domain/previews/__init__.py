"""Previews of mails: what would be sent, made by the functions that send it."""
