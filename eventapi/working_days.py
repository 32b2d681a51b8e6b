"""Working days: on which day money must be paid at the latest, and from which day on it is overdue
(§ 193 BGB).
"""

import re
from datetime import date, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
MOST = 31  # days by which a date can move, whatever the option lists
SATURDAY = 5
# Public holidays of the whole country. Those of single states are left to the option.
OF_COUNTRIES = {
    "DE": "01-01 easter-2 easter+1 05-01 easter+39 easter+50 10-03 12-25 12-26",
    "AT": "01-01 01-06 easter+1 05-01 easter+39 easter+50 easter+60 08-15 10-26 11-01 12-08 12-25 12-26",
}


class Holidays(NamedTuple):
    """Public holidays: `fixed` are texts such as 12-25, `movable` are days after Easter Sunday,
    before it negative.
    """

    fixed: frozenset
    movable: frozenset


def holidays(text):
    """Return Holidays of a text such as `12-25, easter+1`.

    Commas may be missing. Raise ValueError for another text.
    """
    fixed, movable = set(), set()
    for word in re.split(r"[\s,]+", text.strip(" ,").lower()):
        match = re.fullmatch(r"easter([+-]\d{1,3})|(\d\d-\d\d)|", word, re.ASCII)
        if not match:
            raise ValueError(word)
        if match[1]:
            movable.add(int(match[1]))
        elif match[2]:
            date.fromisoformat(f"2000-{match[2]}")  # a leap year, so 02-29 is a day
            fixed.add(match[2])
    return Holidays(frozenset(fixed), frozenset(movable))


def of_country(code):
    """Return the Holidays of the whole country.

    They are empty if the country is not in OF_COUNTRIES.
    """
    return holidays(OF_COUNTRIES.get(code, ""))


def easter_sunday(year):
    """Return the date of Easter Sunday in the Gregorian calendar (Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (
        19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15
    ) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    month, day = divmod(
        epact + weekday - 7 * ((golden + 11 * epact + 22 * weekday) // 451) + 114, 31
    )
    return date(year, month, day + 1)


def is_working_day(day, known):
    """Return whether a date object is neither Saturday, Sunday nor one of the Holidays `known`."""
    if day.weekday() >= SATURDAY or day.isoformat()[5:] in known.fixed:
        return False
    return (day - easter_sunday(day.year)).days not in known.movable


def overdue_from(due_date, known):
    """Return the first day on which an amount is overdue, as text.

    `due_date` is text, `known` are Holidays.

    The debtor may pay on the whole due date. If it is no working day, the next working day takes
    its place (§ 193 BGB; § 903 ABGB). Interest begins with the day that is returned, because the
    last day for payment does not count (§ 187 (1) BGB).
    """
    last = date.fromisoformat(due_date)
    try:
        for _ in range(MOST):
            if is_working_day(last, known):
                break
            last += DAY
        return (last + DAY).isoformat()
    except OverflowError:  # the last days of the year 9999
        return date.max.isoformat()
