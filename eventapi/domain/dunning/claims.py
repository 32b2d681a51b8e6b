"""What is claimed with a dunning letter: the open amount, costs and interest.

All amounts in minor units.
"""

import json
from functools import partial

from eventapi import money, times
from eventapi.domain.dunning import interest

PENDING_DAYS = 14  # after its announced day, a pending payment holds letters back
LUMP_SUM = 4000  # 40 EUR, § 288 (5) BGB; only in EUR, and only from companies
AMOUNTS = (
    "open_amount",
    "fee",
    "lump_sum",
    "costs",
    "interest",
    "claims_paid",
    "total_claim",
    "claimed",
)
SHOWN = (*AMOUNTS, "credit", "pending_amount")  # of what is due
# columns of the statement `list` that the API object lacks
HIDDEN = (
    "level_id",
    "level_fee",
    "has_lump_sum",
    "level_interest",
    "interest_rate",
    "title_de",
    "title_en",
    "text_de",
    "text_en",
    "is_business",
    "earlier_fees",
    "earlier_lump_sum",
    "first_letter",
    "interest_notice",
    "movements",
    "deadline_days",
    "claims_total",
    "invoice_claims_paid",
    "calculation",
    "pending",
)


def parameters(config, today):
    """Return the values that the statement `list` needs.

    pending_from: the time from which on a pending payment holds letters back. minimum: the option
    `dunning_minimum` in minor units. factors: what the minor units of a currency with other
    decimals than the tenant's are multiplied by, as JSON.
    """
    own = money.decimals(config.currency)
    factors = {
        name: 10 ** (own - money.decimals(name))
        for name in money.DECIMALS
        if money.decimals(name) != own
    }
    return {
        "today": today,
        "pending_from": times.start(times.add_days(today, -PENDING_DAYS), config.timezone),
        "first_rate": config.base_rates[0][0] if config.base_rates else "9999-12-31",
        "minimum": money.minor(config.dunning_minimum, config.currency),
        "factors": json.dumps(factors),
    }


def of(config, row, today):
    """Return what is claimed with the next letter, in minor units.

    `row` is a row of the statement `list`.

    The fee is that of the tenant's currency, and 0 on an invoice in another one. The lump sum is a
    minimum for the costs, because it covers the damage that the fees are (§ 288 (5) sentence 3
    BGB). `claimed` is what the letter adds to costs and interest of the letters before it.
    `calculation`: see `_calculation`.
    """
    fee = row["level_fee"] if row["currency"] == config.currency else 0
    lump_sum = row["earlier_lump_sum"]
    if row["has_lump_sum"] and row["is_business"] and row["currency"] == "EUR":
        lump_sum = LUMP_SUM
    costs = max(row["earlier_fees"] + fee, lump_sum)
    calculation = _calculation(config, row, today)
    accrued = interest.accrued(calculation["interest_periods"])
    paid = max(0, min(row["invoice_claims_paid"], costs + accrued))
    return {
        "days_overdue": times.days_between(row["overdue_from"], today) + 1,
        "open_amount": row["open_amount"],
        "fee": fee,
        "lump_sum": lump_sum,
        "costs": costs,
        "interest": accrued,
        "claims_paid": paid,
        "total_claim": row["open_amount"] + costs + accrued - paid,
        "claimed": max(0, costs + accrued - row["claims_total"]),
        "deadline": times.add_days(today, row["deadline_days"]),
        "calculation": calculation,
    }


def _calculation(config, row, today):
    """Return what the open amount and the interest consist of: total, credited, written_off,
    payments, interest_periods (see `interest.periods`).

    A credited amount was never owed, so it bears no interest from the beginning. payments: dicts of
    date and amount; refunds are negative.
    """
    local = partial(times.local_date, zone_name=config.timezone)
    movements = sorted(
        (local(day), change, kind) for day, change, kind in json.loads(row["movements"])
    )
    periods = []
    if row["held_back"] != "no_base_rate":
        first = interest.begins(
            config.interest_begins,
            row["overdue_from"],
            row["first_letter"] or today,
            row["is_business"],
            row["interest_notice"],
            config.public_holidays,
        )
        rates = interest.rates(
            row["level_interest"], row["is_business"], row["interest_rate"], config.base_rates
        )
        changes = [(day, change) for day, change, _ in movements]
        periods = interest.periods(row["total"] - row["credited"], changes, first, today, rates)
    return {
        "total": row["total"],
        "credited": row["credited"],
        "written_off": -sum(change for _, change, kind in movements if kind == "write_off"),
        "payments": [
            {"date": day, "amount": -change}
            for day, change, kind in movements
            if kind != "write_off"
        ],
        "interest_periods": periods,
    }


def represent(config, today, row):
    """Return the API object of a row of the statement `list`: an invoice that is due, and what is
    claimed.
    """
    claim = of(config, row, today)
    pending_amount, pending_date = json.loads(row["pending"] or "[null, null]")
    pending = {"pending_amount": pending_amount, "pending_date": pending_date}
    whole = {**row, **claim, **pending}
    shown = {name: value for name, value in whole.items() if name not in HIDDEN}
    return {
        **money.in_major_units(shown, SHOWN),
        **calculation(claim["calculation"], row["currency"]),
    }


def calculation(found, currency):
    """Return the calculation of a claim in major units, with rates in percent.

    `found` is None for older letters.
    """
    if found is None:
        return {
            "total": None,
            "credited": None,
            "written_off": None,
            "payments": [],
            "interest_periods": [],
        }
    major = partial(money.major, currency=currency)
    return {
        **{name: major(found[name]) for name in ("total", "credited", "written_off")},
        "payments": [
            {**payment, "amount": major(payment["amount"])} for payment in found["payments"]
        ],
        "interest_periods": [
            {
                **period,
                "amount": major(period["amount"]),
                "interest": major(period["interest"]),
                "rate": money.unscaled(period["rate"], 2),
                "base_rate": money.unscaled(period["base_rate"], 2),
            }
            for period in found["interest_periods"]
        ],
    }
