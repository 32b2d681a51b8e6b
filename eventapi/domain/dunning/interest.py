"""Interest on arrears (§ 288 BGB), exact: whole minor units, per day, actual days of a year of 365.

A rate is in hundredths of a percent per year. Interest runs from the day after the due date. A payment or credit note
reduces the amount from the day after it on, so the day of the payment still bears interest.
"""
from datetime import date

from eventapi import money, times

OVER_BASE = {"consumer": 500, "business": 900}      # percentage points above the base rate, § 288 (1) and (2) BGB
OF_A_YEAR = 365 * 100 * 100                         # days, percent, hundredths of a percent


def of(kind, is_business, rate, base_rates):
    """Return the rates as a tuple of (date, rate), each valid until the next, or () without interest.

    kind: `interest` of a level. `business` is the higher rate for companies; a consumer never owes more than 5 points.
    rate: rate of `fixed`. base_rates: the option, a tuple of (date, rate).
    """
    if kind == "none":
        return ()
    if kind == "fixed":
        return (("0001-01-01", rate),)
    points = OVER_BASE[kind if is_business else "consumer"]
    return tuple((day, base + points) for day, base in base_rates)


def accrued(total, movements, due_date, until, rates):
    """Return the interest in minor units, rounded once, half up.

    total: amount of the invoice. movements: (date, change of the amount that is owed); a payment is negative.
    due_date: interest runs from the day after it. until: last day that bears interest. rates: as `of` returns them.
    """
    if not rates or until <= due_date:
        return 0
    first = times.add_days(due_date, 1)
    starts = {first, *(times.add_days(day, 1) for day, _ in movements), *(day for day, _ in rates)}
    starts = sorted(day for day in starts if first <= day <= until)
    ends = [*starts[1:], times.add_days(until, 1)]
    units = 0
    for start, end in zip(starts, ends, strict=True):
        owed = total + sum(change for day, change in movements if day < start)
        rate = next((rate for day, rate in reversed(rates) if day <= start), 0)
        units += max(owed, 0) * rate * _days(start, end)
    return max(0, money.divided(units, OF_A_YEAR))


def _days(first, last):
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
