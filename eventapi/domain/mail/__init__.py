"""Outgoing mail: the queue and the texts. The worker sends them."""
