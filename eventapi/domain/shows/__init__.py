"""The public pages of an event: their settings, the entries of exhibitors, and what the pages show."""
