"""Dates and timestamps as text.

A date is a text such as 2026-05-01, in the time zone of the event or of the organiser. A timestamp
is a text such as 2026-05-01T09:00:00Z (RFC 3339), in UTC in the database and in responses. Clients
may send other offsets, also written as +0200 and +02 (ISO 8601), or none.
"""

import re
import time as clock
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
TIMESTAMP = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?"
    r"([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?",
    re.ASCII,
)
NOTHING = timedelta(0)
CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


def now():
    """Return the current timestamp."""
    return _timestamp(int(clock.time()))


@lru_cache(maxsize=1)
def _timestamp(seconds):
    return "%04d-%02d-%02dT%02d:%02d:%02dZ" % clock.gmtime(seconds)[:6]


def text(value):
    """Return an aware datetime as a timestamp."""
    value = value.astimezone(timezone.utc)
    return (
        f"{value.year:04}-{value.month:02}-{value.day:02}"
        f"T{value.hour:02}:{value.minute:02}:{value.second:02}Z"
    )


def after(timestamp, period):
    """Return the timestamp that is a timedelta after another one, or before it if the timedelta is
    negative.
    """
    return text(datetime.fromisoformat(timestamp) + period)


def unix(timestamp):
    """Return a timestamp as Unix time in seconds."""
    return int(datetime.fromisoformat(timestamp).timestamp())


@lru_cache(maxsize=64)
def zone(name):
    """Return the ZoneInfo of a time zone."""
    return ZoneInfo(name)


def is_zone(name):
    """Return whether `name` is an IANA time zone.

    Their names begin with a capital letter. Other files in the same folder, such as localtime,
    depend on the machine.
    """
    try:
        return name[:1].isupper() and bool(zone(name))
    except (KeyError, ValueError, OSError):
        return False


def is_date(value):
    """Return whether the text is a date."""
    if not DATE.fullmatch(value):
        return False
    try:
        return bool(date.fromisoformat(value))
    except ValueError:
        return False


def is_timestamp(value):
    """Return whether the text is a timestamp, with any offset or without one.

    fromisoformat accepts more: 20260501T0900, and offsets such as +02:60.
    """
    if not TIMESTAMP.fullmatch(value):
        return False
    try:
        moment = datetime.fromisoformat(value.upper())
        # The years 1 and 9999 are excluded, because the conversion to a zone could lead out of the
        # calendar. So are, in any time but UTC, the years beside them: their instant in UTC must be
        # a timestamp as well.
        margin = 1 if moment.utcoffset() == NOTHING else 2
        return margin < moment.year < 10000 - margin
    except ValueError:
        return False


def is_date_or_timestamp(value):
    """Return whether the text is a date or a timestamp."""
    return (is_date(value) and "0002" <= value < "9999") or is_timestamp(value)


def utc(value, zone_name):
    """Return a timestamp with any offset in UTC. Without an offset, it is a time in the zone."""
    if len(value) == 20 and value[10] == "T" and value[19] == "Z":  # as `text` writes it
        return value
    parsed = datetime.fromisoformat(value.upper())
    return text(parsed if parsed.tzinfo else parsed.replace(tzinfo=zone(zone_name)))


def is_same(value, other):
    """Return whether two texts are timestamps of the same second, with any offset. Without an
    offset, a time is in UTC.
    """
    return is_timestamp(value) and is_timestamp(other) and utc(value, "UTC") == utc(other, "UTC")


def at(day, time_of_day, zone_name):
    """Return the timestamp of a time such as 09:30 on a date in the zone, or None if the clocks
    skip that time.
    """
    local = datetime.fromisoformat(f"{day}T{time_of_day}")
    found = local.replace(tzinfo=zone(zone_name)).astimezone(timezone.utc)
    return text(found) if found.astimezone(zone(zone_name)).replace(tzinfo=None) == local else None


def day_around(timestamp, ends_at, zone_name):
    """Return `(begin, end)` of the day around a timestamp, where days end at the local time
    `ends_at` such as 06:00.

    begin <= timestamp < end. If the clocks skip that time, the day ends as much later; if they show
    it twice, the day ends at the first.
    """
    local = datetime.fromisoformat(timestamp).astimezone(zone(zone_name)).date()
    ends = [
        text(
            datetime.combine(
                local + timedelta(days=days), time.fromisoformat(ends_at), zone(zone_name)
            )
        )
        for days in (-2, -1, 0, 1)
    ]
    return max(end for end in ends if end <= timestamp), min(end for end in ends if end > timestamp)


def start(value, zone_name):
    """Return the timestamp at which a date begins in the zone.

    A timestamp is converted to UTC, None stays None.
    """
    if value is None or not is_date(value):
        return value and utc(value, zone_name)
    return text(datetime.combine(date.fromisoformat(value), time.min, zone(zone_name)))


def end(value, zone_name):
    """Return the last timestamp of a date in the zone.

    A timestamp is converted to UTC, None stays None.
    """
    if value is None or not is_date(value):
        return value and utc(value, zone_name)
    next_day = datetime.combine(
        date.fromisoformat(value) + timedelta(days=1), time.min, zone(zone_name)
    )
    return text(next_day - timedelta(seconds=1))


@lru_cache(maxsize=1000)  # a write asks for the same timestamps several times
def local_date(value, zone_name):
    """Return the date of a timestamp in the zone. A date and None stay the same."""
    if value is None or is_date(value):
        return value
    return (
        datetime.fromisoformat(utc(value, zone_name)).astimezone(zone(zone_name)).date().isoformat()
    )


def local_time(value, zone_name):
    """Return the time of day of a timestamp in the zone: `14:30`."""
    local = datetime.fromisoformat(utc(value, zone_name)).astimezone(zone(zone_name))
    return f"{local:%H:%M}"


def today(zone_name, timestamp=None):
    """Return the date in the zone at `timestamp`.

    Default: now. In a write transaction, pass `db.now`.
    """
    return local_date(timestamp or now(), zone_name)


def add_days(day, days):
    """Return the date `days` days after a date."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def days_between(first, last):
    """Return the number of days from one date to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def shifted(value, days, zone_name):
    """Return a date or timestamp moved by a number of days. None stays None.

    A timestamp keeps its local time in the zone, also over a change of the clocks. Raise
    OverflowError if the result is outside the dates that are allowed.
    """
    if value is None:
        return None
    if is_date(value):
        moved = add_days(value, days)
    else:
        local = datetime.fromisoformat(utc(value, zone_name)).astimezone(zone(zone_name))
        moved = (local + timedelta(days=days)).isoformat()
    if not is_date_or_timestamp(moved):
        raise OverflowError(moved)
    return moved
