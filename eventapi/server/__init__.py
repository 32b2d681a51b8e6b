"""Receive requests: a gunicorn worker class of our own, and the queue in which writes wait for their commit."""
