"""iCalendar (RFC 5545): a calendar as text.

Times are UTC, and the calendar has no VTIMEZONE for them. Nothing recurs, so a zone would add
nothing, and all calendar programs read UTC alike, while some read a TZID as a zone of their own or
guess an unknown one. Whole days are VALUE=DATE, without a zone: the first of May is the first of
May everywhere.
"""

import re

from eventapi import times

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")
ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})
OCTETS = 75  # maximal length of a line without its end (3.1)
DEADLINE = "Application deadline: "  # how the database begins the title of each deadline
DEADLINES = {"en": DEADLINE, "de": "Anmeldeschluss: "}
SPEAKERS = {"en": ("Speaker", "Speakers"), "de": ("Es spricht", "Es sprechen")}
REFRESH = "PT1H"  # how often calendar programs should read the feed
# A calendar must have a component (3.6). An empty calendar has this one.
EMPTY = (
    "BEGIN:VTIMEZONE",
    "TZID:UTC",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000",
    "END:STANDARD",
    "END:VTIMEZONE",
)


def calendar(name, entries, identity, zone, language):
    """Return a calendar as bytes.

    `identity` is part of each UID. `zone` is the time zone of entries that have none. `language` is
    that of the words beside the titles of records.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//eventapi//Calendar feed//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"NAME:{text(name)}",
        f"X-WR-CALNAME:{text(name)}",
        f"REFRESH-INTERVAL;VALUE=DURATION:{REFRESH}",
        f"X-PUBLISHED-TTL:{REFRESH}",
    ]
    for entry in entries:
        lines += component(entry, identity, zone, language)
    lines += [*(() if entries else EMPTY), "END:VCALENDAR", ""]
    return b"\r\n".join(map(folded, lines))


def component(entry, identity, zone, language):
    """Yield the lines of an entry, which is a row of sql/calendar_feed.sql.

    Every entry is TRANSPARENT: it does not make its reader busy.
    """
    yield "BEGIN:VEVENT"
    yield f"UID:{entry['kind']}-{entry['record_id']}@{identity}.eventapi"
    yield f"DTSTAMP:{date_time(entry['updated_at'])}"
    yield f"CREATED:{date_time(entry['created_at'])}"
    yield f"LAST-MODIFIED:{date_time(entry['updated_at'])}"
    yield f"SEQUENCE:{entry['sequence']}"
    yield f"STATUS:{'CANCELLED' if entry['is_cancelled'] else 'CONFIRMED'}"
    yield f"SUMMARY:{text(summary(entry, language))}"
    yield from span(entry, entry["timezone"] or zone)
    if entry["location"]:
        yield f"LOCATION:{text(entry['location'])}"
    described = "\n\n".join(filter(None, (speakers(entry, language), entry["description"])))
    if described:
        yield f"DESCRIPTION:{text(described)}"
    yield f"CATEGORIES:{entry['kind'].upper()}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def summary(entry, language):
    """Return the title of an entry.

    A deadline has the title of its event, after a word in the language.
    """
    if entry["kind"] == "deadline":
        return DEADLINES[language] + entry["title"].removeprefix(DEADLINE)
    return entry["title"]


def speakers(entry, language):
    """Return a line with the names of the speakers of a slot, or an empty text."""
    names = entry["speakers"]
    return f"{SPEAKERS[language][len(names) > 1]}: {', '.join(names)}" if names else ""


def span(entry, zone):
    """Yield the lines with the time of an entry: whole days, a period, or one time, such as that of
    a due date.
    """
    first, last = entry["first_at"], entry["last_at"]
    days = None if entry["kind"] == "slot" else whole_days(first, last, zone)
    if days:
        yield f"DTSTART;VALUE=DATE:{days[0].replace('-', '')}"
        yield f"DTEND;VALUE=DATE:{times.add_days(days[1], 1).replace('-', '')}"  # the day after
        return
    yield f"DTSTART:{date_time(first)}"
    if last > first:
        yield f"DTEND:{date_time(last)}"


def whole_days(first, last, zone):
    """Return the first and the last date, in the zone, of a period of whole days, else None.

    A due date at the end of a day counts as that day.
    """
    first_day, last_day = times.local_date(first, zone), times.local_date(last, zone)
    if last == times.end(last_day, zone) and (
        first == last or first == times.start(first_day, zone)
    ):
        return first_day, last_day
    return None


def date_time(timestamp):
    """Return a UTC timestamp as a DATE-TIME value (3.3.5)."""
    return timestamp.replace("-", "").replace(":", "")


def text(value):
    """Return a text as a TEXT value (3.3.11): escaped, without control characters."""
    return CONTROLS.sub("", value.replace("\r\n", "\n").replace("\r", "\n")).translate(ESCAPES)


def folded(line):
    """Return a line as bytes, folded after at most 75 octets and never inside a character (3.1)."""
    data = line.encode()
    if len(data) <= OCTETS:
        return data
    pieces, start, room = [], 0, OCTETS
    while start < len(data):
        end = start + room
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(data[start:end])
        start, room = end, OCTETS - 1
    return b"\r\n ".join(pieces)
