"""Interest on arrears (§§ 286 to 288 BGB): from when on, at which rates, and how much.

Amounts are in minor units.

The computation is exact: whole minor units, per day, actual days of a year of 365. A rate is in
hundredths of a percent per year. Functions take dates as text and use no database.
"""

from datetime import date

from eventapi import money, times, working_days

BEGINS = ("due_date", "first_letter", "thirty_days")
# percentage points above the base rate, § 288 (1) and (2) BGB
OVER_BASE = {
    "consumer": 500,
    "business": 900,
}
OF_A_YEAR = 365 * 100 * 100  # days, percent, hundredths of a percent


def begins(option, overdue_from, first_letter, is_business, has_notice, holidays):
    """Return the first day that bears interest.

    option: `interest_begins`. overdue_from: see `working_days`. first_letter: date of the first letter that was not
    withdrawn. has_notice: whether the sentence of § 286 (3) BGB is on the invoice. holidays: of
    `working_days`.

    due_date: a date on the calendar was agreed, § 286 (2) no. 1. first_letter: the day after it, § 286 (1).
    thirty_days: 30 days after the due date, § 286 (3). A consumer is in default with the first letter, and with the
    sentence on the invoice after 30 days at the latest; never before the day of the option.
    """
    after_letter = times.add_days(first_letter, 1)
    after_thirty_days = working_days.overdue_from(times.add_days(overdue_from, 29), holidays)
    first = {
        "due_date": overdue_from,
        "first_letter": after_letter,
        "thirty_days": after_thirty_days,
    }[option]
    if is_business:
        return max(first, overdue_from)
    in_default = min(after_letter, after_thirty_days) if has_notice else after_letter
    return max(first, in_default, overdue_from)


def rates(kind, is_business, rate, base_rates):
    """Return the rates as a tuple of (date, rate, base rate), each valid until the next, or ()
    without interest.

    kind: `interest` of a level. `business` is the higher rate for companies; a consumer never owes more than 5 points.
    rate: rate of `fixed`, which has no base rate (None). base_rates: the option, a tuple of (date, rate).
    """
    if kind == "none":
        return ()
    if kind == "fixed":
        return (("0001-01-01", rate, None),)
    points = OVER_BASE[kind if is_business else "consumer"]
    return tuple((day, base + points, base) for day, base in base_rates)


def periods(total, movements, first, until, known):
    """Return the periods of one amount and one rate, in their order, as dicts:

    date_from, date_to, days, amount, rate, base_rate, interest.

    total: amount of the invoice without what was credited. movements: (date, change of the amount that is owed); a
    payment is negative, and reduces the amount from the next day on. first, until: first and last
    day that bear interest. known: see `rates`. The sum of `interest` is rounded once, half up; its
    parts add up to it.
    """
    if not known or until < first:
        return []
    starts = {
        first,
        *(times.add_days(day, 1) for day, _ in movements),
        *(day for day, _, _ in known),
    }
    starts = sorted(day for day in starts if first <= day <= until)
    found = []
    for start, end in zip(starts, [*starts[1:], times.add_days(until, 1)], strict=True):
        owed = total + sum(change for day, change in movements if day < start)
        rate, base = next(
            ((rate, base) for day, rate, base in reversed(known) if day <= start), (0, None)
        )
        if owed <= 0 or rate <= 0:
            continue
        period = {
            "date_from": start,
            "date_to": times.add_days(end, -1),
            "days": _days(start, end),
            "amount": owed,
            "rate": rate,
            "base_rate": base,
        }
        if found and _continues(found[-1], period):
            period = {
                **period,
                "date_from": found[-1]["date_from"],
                "days": found.pop()["days"] + period["days"],
            }
        found.append(period)
    return _with_interest(found)


def _continues(last, period):
    """Return whether a period begins the day after another one with the same amount and rate."""
    return times.add_days(last["date_to"], 1) == period["date_from"] and all(
        last[name] == period[name] for name in ("amount", "rate", "base_rate")
    )


def _with_interest(found):
    """Return the periods with their interest: what each adds to the rounded sum."""
    units, before, result = 0, 0, []
    for period in found:
        units += period["amount"] * period["rate"] * period["days"]
        so_far = money.divided(units, OF_A_YEAR)
        result.append({**period, "interest": so_far - before})
        before = so_far
    return result


def accrued(found):
    """Return the interest of periods in minor units."""
    return sum(period["interest"] for period in found)


def _days(first, last):
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
