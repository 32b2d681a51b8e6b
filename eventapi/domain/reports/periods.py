"""The periods of a report: months, quarters or years, or any days, as the zone of the report has them."""
from datetime import date

from eventapi import times
from eventapi.storage.database import as_json

MONTHS = {"month": 1, "quarter": 3, "year": 12}
NEVER, ALWAYS = "0001-01-01", "9999-12-31"


def named(day, period):
    """2026-05, 2026-Q2 or 2026: the period that a day lies in."""
    year, month = day[:4], int(day[5:7])
    return {"month": day[:7], "quarter": f"{year}-Q{(month + 2) // 3}", "year": year}[period]


def first_day(day, period):
    months = MONTHS[period]
    return f"{day[:4]}-{(int(day[5:7]) - 1) // months * months + 1:02}-01"


def next_first_day(day, period):
    """The first day after the period that a day lies in."""
    first = date.fromisoformat(first_day(day, period))
    months = first.month - 1 + MONTHS[period]
    return f"{first.year + months // 12:04}-{months % 12 + 1:02}-01"


def spans(db, statement, asked, *, of_days=False):
    """[name, beginning, end) of each period that holds something, as JSON; `statement` finds the first value at or after :after.

    The values are UTC moments, or days where `of_days`. Periods without any are not walked through: one wrong year costs nothing.
    """
    zone = db.config.timezone
    edge = (lambda day: day) if of_days else (lambda day: times.start(day, zone))
    local = (lambda value: value) if of_days else (lambda value: times.local_day(value, zone))
    end, found, after = asked["last"] and times.add_days(asked["last"], 1), [], asked["first"] or NEVER
    while True:
        value = db.value(statement, after=after if of_days or after == NEVER else edge(after))
        if value is None or end and local(value) >= end or local(value) >= ALWAYS[:4]:
            return as_json(found)
        day = local(value)
        following = next_first_day(day, asked["period"])
        begins, ends = max(first_day(day, asked["period"]), asked["first"] or NEVER), min(following, end or following)
        found.append([named(day, asked["period"]), edge(begins), edge(ends)])
        after = following


def moments(asked, zone):
    """The days asked for as UTC: `begins`, and `ends`, which is no part of it; None where nothing is asked."""
    return {"begins": asked["first"] and times.start(asked["first"], zone),
            "ends": asked["last"] and times.start(times.add_days(asked["last"], 1), zone)}
