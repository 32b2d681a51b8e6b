"""Time: RFC 3339 in UTC on the wire and in the database, days in the zone of the event or of the tenant."""
import re
import time as clock
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})?", re.ASCII)
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


def now():
    """This moment, as text."""
    return "%04d-%02d-%02dT%02d:%02d:%02dZ" % clock.gmtime()[:6]


def text(moment):
    """An aware datetime as RFC 3339 in UTC with seconds."""
    moment = moment.astimezone(timezone.utc)
    return (f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
            f"T{moment.hour:02}:{moment.minute:02}:{moment.second:02}Z")


def unix(moment):
    """The text of a moment as Unix seconds."""
    return int(datetime.fromisoformat(moment).timestamp())


@lru_cache(maxsize=64)
def zone(name):
    return ZoneInfo(name)


def is_zone(name):
    """IANA names begin with a capital; other files beside them, as localtime, mean another zone on each machine."""
    try:
        return name[:1].isupper() and bool(zone(name))
    except (KeyError, ValueError, OSError):
        return False


def is_day(value):
    if not DAY.fullmatch(value):
        return False
    try:
        return bool(date.fromisoformat(value))
    except ValueError:
        return False


def is_moment(value):
    """A date-time; one without offset is taken in the tenant's zone later."""
    if not MOMENT.fullmatch(value):
        return False
    try:
        moment = datetime.fromisoformat(value.upper())
        return 1 < moment.year < 9999                       # an offset must not lead out of the calendar
    except ValueError:
        return False


def is_day_or_moment(value):
    return is_day(value) and "0002" <= value < "9999" or is_moment(value)


def utc(value, zone_name):
    """The text of a moment in UTC; without an offset it is meant in the zone."""
    moment = datetime.fromisoformat(value.upper())
    return text(moment if moment.tzinfo else moment.replace(tzinfo=zone(zone_name)))


def at(day, time_of_day, zone_name):
    """The UTC instant of a time such as 09:30 on a day in the zone; None where the clocks go forward over it."""
    local = datetime.fromisoformat(f"{day}T{time_of_day}")
    moment = local.replace(tzinfo=zone(zone_name)).astimezone(timezone.utc)
    return text(moment) if moment.astimezone(zone(zone_name)).replace(tzinfo=None) == local else None


def start(value, zone_name):
    """The UTC instant at which a day or moment begins; None stays None."""
    if value is None or not is_day(value):
        return value and utc(value, zone_name)
    return text(datetime.combine(date.fromisoformat(value), time.min, zone(zone_name)))


def end(value, zone_name):
    """The last UTC instant of a day, or the moment itself; None stays None."""
    if value is None or not is_day(value):
        return value and utc(value, zone_name)
    return text(datetime.combine(date.fromisoformat(value) + timedelta(days=1), time.min, zone(zone_name)) - timedelta(seconds=1))


def local_day(value, zone_name):
    """The day in the zone on which a day or moment lies."""
    if value is None or is_day(value):
        return value
    return datetime.fromisoformat(utc(value, zone_name)).astimezone(zone(zone_name)).date().isoformat()


def today(zone_name, moment=None):
    """Return the date in the zone at `moment`, a text in UTC. Default: now. In a write transaction, pass `db.now`."""
    return local_day(moment or now(), zone_name)


def add_days(day, days):
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def days_between(first, last):
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def shifted(value, days, zone_name):
    """A day or moment so many days later; a moment keeps its hour in the zone, over a change of the clocks as well.

    OverflowError where it would lie outside of what may be given.
    """
    if value is None:
        return None
    moved = add_days(value, days) if is_day(value) else (
        datetime.fromisoformat(utc(value, zone_name)).astimezone(zone(zone_name)) + timedelta(days=days)).isoformat()
    if not is_day_or_moment(moved):
        raise OverflowError(moved)
    return moved
