"""The periods of reports: days, weeks, months, quarters and years, in the time zone of the report.

A day is a text such as 2026-05-01.
"""

from datetime import date, timedelta

from eventapi import times
from eventapi.errors import invalid_parameter
from eventapi.storage.database import as_json

DAYS = {"day": 1, "week": 7}
MONTHS = {"month": 1, "quarter": 3, "year": 12}
FIRST_DAY = "0001-01-01"
LAST_YEAR = "9999"  # records of this year are omitted: its last period has no end in the calendar


def named(day, period):
    """Return the name of the period of a day: 2026-05-01, 2026-W18 (ISO 8601), 2026-05, 2026-Q2 or
    2026.
    """
    if period == "week":
        year, week, _ = date.fromisoformat(day).isocalendar()
        return f"{year:04}-W{week:02}"
    if period == "quarter":
        return f"{day[:4]}-Q{(int(day[5:7]) + 2) // 3}"
    return day[: {"day": 10, "month": 7, "year": 4}[period]]


def first_day(day, period):
    """Return the first day of the period of a day. A week begins on Monday."""
    if period in DAYS:
        found = date.fromisoformat(day)
        return (found - timedelta(days=found.weekday() if period == "week" else 0)).isoformat()
    months = MONTHS[period]
    return f"{day[:4]}-{(int(day[5:7]) - 1) // months * months + 1:02}-01"


def first_day_of(name):
    """Return the first day of the period with this name (see `named`)."""
    year, _, rest = name.partition("-")
    if rest.startswith("W"):
        return date.fromisocalendar(int(year), int(rest[1:]), 1).isoformat()
    if rest.startswith("Q"):
        return f"{year}-{int(rest[1]) * 3 - 2:02}-01"
    return f"{name}-01-01"[:10]


def next_first_day(day, period):
    """Return the first day after the period of a day."""
    if period in DAYS:
        return times.add_days(first_day(day, period), DAYS[period])
    first = date.fromisoformat(first_day(day, period))
    months = first.month - 1 + MONTHS[period]
    return f"{first.year + months // 12:04}-{months % 12 + 1:02}-01"


def selected(query, zone):
    """Return the first and the last day of a query; None where it sets none.

    A timestamp stands for its day.

    Raise 422 for days out of order.
    """
    first, last = (times.local_date(query.get(name), zone) for name in ("date_from", "date_to"))
    if first and last and first > last:
        raise invalid_parameter(
            "date_to", "before_start", f"is {last}, and must not be before `date_from`, {first}"
        )
    return first, last


def spans(db, statement, selection, *, of_days=False):
    """Return the periods with at least one record as JSON: [[name, start, end], ...].

    The end is exclusive.

    `statement` returns the first value at or after :after. Values, start and end are UTC
    timestamps, or days if `of_days`. The query skips periods without records, so that a wrong year
    in one record does not cost thousands of steps.
    """
    zone, period, first = db.config.timezone, selection["period"], selection["first"] or FIRST_DAY
    start_of = (lambda day: day) if of_days else (lambda day: times.start(day, zone))
    day_of = (lambda value: value) if of_days else (lambda value: times.local_date(value, zone))
    end = selection["last"] and times.add_days(selection["last"], 1)
    found, after = [], first
    while True:
        value = db.value(statement, after=after if after == FIRST_DAY else start_of(after))
        day = value and day_of(value)
        if day is None or day >= LAST_YEAR or (end and day >= end):
            return as_json(found)
        after = next_first_day(day, period)
        until = min(after, end) if end else after
        found.append(
            [named(day, period), start_of(max(first_day(day, period), first)), start_of(until)]
        )


def timestamps(selection, zone):
    """Return the selected days as UTC timestamps: `begins`, and `ends`, which is exclusive.

    Both can be None.
    """
    return {
        "begins": selection["first"] and times.start(selection["first"], zone),
        "ends": selection["last"] and times.start(times.add_days(selection["last"], 1), zone),
    }
