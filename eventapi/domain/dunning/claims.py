"""What is claimed with a dunning letter: the open amount, costs and interest. All amounts in minor units.

Interest on arrears (§ 288 BGB) is exact: whole minor units, per day, actual days of a year of 365. A rate is in
hundredths of a percent per year. Interest runs from the day after the due date. A payment or credit note reduces the
amount from the day after it on, so the day of the payment still bears interest.
"""
import json
from datetime import date
from functools import partial

from eventapi import money, times

LUMP_SUM = 4000                             # 40 EUR, § 288 (5) BGB; only in EUR, and only from companies
AMOUNTS = ("open_amount", "fee", "lump_sum", "costs", "interest", "total_claim")
# columns of the statement `list` that the API object lacks
HIDDEN = ("level_id", "level_fee", "has_lump_sum", "level_interest", "interest_rate", "title_de", "title_en", "text_de",
          "text_en", "is_business", "earlier_fees", "earlier_lump_sum", "movements", "deadline_days")


def parameters(config, today):
    """Return the values that the statement `list` needs."""
    first = config.base_rates[0][0] if config.base_rates else "9999-12-31"
    return {"today": today, "before_first_rate": times.add_days(first, -1)}


def of(config, row, today):
    """Return what is claimed with the next letter, in minor units. `row` is a row of the statement `list`.

    The fee is that of the tenant's currency, and 0 on an invoice in another one. The lump sum is a minimum for the
    costs, because it covers the damage that the fees are (§ 288 (5) sentence 3 BGB).
    """
    fee = row["level_fee"] if row["currency"] == config.currency else 0
    lump_sum = row["earlier_lump_sum"]
    if row["has_lump_sum"] and row["is_business"] and row["currency"] == "EUR":
        lump_sum = LUMP_SUM
    costs = max(row["earlier_fees"] + fee, lump_sum)
    accrued = _interest(config, row, today)
    return {"days_overdue": times.days_between(row["due_date"], today), "open_amount": row["open_amount"], "fee": fee,
            "lump_sum": lump_sum, "costs": costs, "interest": accrued,
            "total_claim": row["open_amount"] + costs + accrued,
            "deadline": times.add_days(today, row["deadline_days"])}


def _interest(config, row, today):
    if row["held_back"] == "no_base_rate":
        return 0
    rates = interest_rates(row["level_interest"], row["is_business"], row["interest_rate"], config.base_rates)
    local = partial(times.local_date, zone_name=config.timezone)
    movements = [(local(day), change) for day, change in json.loads(row["movements"])]
    return accrued(row["total"], movements, row["due_date"], today, rates)


def represent(config, today, row):
    """Return the API object of a row of the statement `list`: an invoice that is due, and what is claimed."""
    shown = {name: value for name, value in row.items() if name not in HIDDEN}
    shown.update(of(config, row, today))
    return money.in_major_units(shown, (*AMOUNTS, "total"))


OVER_BASE = {"consumer": 500, "business": 900}      # percentage points above the base rate, § 288 (1) and (2) BGB
OF_A_YEAR = 365 * 100 * 100                         # days, percent, hundredths of a percent


def interest_rates(kind, is_business, rate, base_rates):
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
    due_date: interest runs from the day after it. until: last day that bears interest. rates: see `interest_rates`.
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
