"""What is claimed with a dunning letter: the open amount, costs and interest. All amounts in minor units."""
import json
from functools import partial

from eventapi import money, times
from eventapi.domain.dunning import interest

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
    rates = interest.of(row["level_interest"], row["is_business"], row["interest_rate"], config.base_rates)
    local = partial(times.local_date, zone_name=config.timezone)
    movements = [(local(day), change) for day, change in json.loads(row["movements"])]
    return interest.accrued(row["total"], movements, row["due_date"], today, rates)


def represent(config, today, row):
    """Return the API object of a row of the statement `list`: an invoice that is due, and what is claimed."""
    shown = {name: value for name, value in row.items() if name not in HIDDEN}
    shown.update(of(config, row, today))
    return money.in_major_units(shown, (*AMOUNTS, "total"))
