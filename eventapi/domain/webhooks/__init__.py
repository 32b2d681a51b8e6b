"""Webhooks: subscriptions, event types, signatures, and the feed of the same events."""
