"""eventapi: an event-management REST API for trade shows and exhibitions."""

__version__ = "1.1.0"
