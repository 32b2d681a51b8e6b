"""Dates in the default time zone of the service (see conf/eventapi.conf), whatever the time zone of the machine."""
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


def today():
    return datetime.now(ZoneInfo("Europe/Berlin")).date()


def in_days(days):
    """Return the date in so many days from today, as text; a negative number means days ago."""
    return (today() + timedelta(days=days)).isoformat()
