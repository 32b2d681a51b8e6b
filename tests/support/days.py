"""Days as the service counts them: in its zone (the default of conf/eventapi.conf), whatever day it is on this machine."""
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


def today():
    return datetime.now(ZoneInfo("Europe/Berlin")).date()


def day(days):
    """The day that comes in so many days, as text."""
    return (today() + timedelta(days=days)).isoformat()
