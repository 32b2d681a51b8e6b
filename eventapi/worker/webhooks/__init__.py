"""Deliver webhooks: the job, delivery attempts and the HTTP POST."""
