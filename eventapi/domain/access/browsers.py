"""The browser of a person, in words: what the header User-Agent says, without any text of it."""

# The first one whose mark the header has. Others name Safari and Chrome as well.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def named(agent):
    """Return a browser as `Firefox, Windows`, one of both, or None if neither is known."""
    found = [_first(table, agent or "") for table in (BROWSERS, SYSTEMS)]
    return ", ".join(filter(None, found)) or None


def _first(table, agent):
    return next((name for mark, name in table if mark in agent), None)
