"""Dates in the default time zone of the service (see conf/eventapi.conf), whatever the time zone of
the machine.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Berlin")


def today():
    return datetime.now(ZONE).date()


def in_days(days):
    """Return the date in so many days from today, as text; a negative number means days ago."""
    return (today() + timedelta(days=days)).isoformat()


def far_from_now():
    """Return a `day_ends_at` that is twelve hours off, so that no day ends while a test runs,
    whatever the time is.
    """
    return f"{datetime.now(ZONE) + timedelta(hours=12):%H:%M}"
