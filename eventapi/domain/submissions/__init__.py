"""Submissions: what participants have to deliver, and its review."""
