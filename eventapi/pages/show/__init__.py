"""The public show: /e/{event_key} and below, without session and cookie."""
