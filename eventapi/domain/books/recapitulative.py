"""The recapitulative statement: goods and services to other countries of the EU by VAT id (§ 18a
UStG).

A closing keeps that of its month. Supplies count on the same days as in the report on taxes.
"""

import json
from itertools import groupby

from eventapi import money, times
from eventapi.domain.books import files, regions
from eventapi.domain.reports.ranges import next_first_day
from eventapi.errors import invalid_parameter, listed
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("recapitulative")

COLUMNS = ("vat_id", "goods", "services")
NAME = "recapitulative"  # of the kept file


def report(db, query):
    """Return the statement of a month, quarter or year as API object.

    `query` has `year`, and `month`, `quarter` or neither; raise 422 for both. Months that were
    closed are those that were kept.
    """
    if "month" in query and "quarter" in query:
        raise invalid_parameter(
            "month", "disagrees", "must not be sent together with `quarter`. Send one of them"
        )
    last_month = query.get("month") or 3 * query.get("quarter", 4)
    first_month = 1
    if "month" in query:
        first_month = last_month
    elif "quarter" in query:
        first_month = last_month - 2
    months = [f"{query['year']:04}-{month:02}" for month in range(first_month, last_month + 1)]
    with db.snapshot():
        currency, sums = _added(db, months)
    shown = [
        {
            "vat_id": vat_id,
            "goods": money.major(entry["K"], currency),
            "services": money.major(entry["AE"], currency),
        }
        for vat_id, entry in _sorted(sums)
    ]
    return {
        "report_type": "recapitulative",
        "filters": dict(query),
        "data": {"rows": shown},
        "generated_at": times.now(),
    }


def _added(db, months):
    """Return (currency, sums) of several months: kept ones as they were kept, others computed.

    Raise 422 if a kept month is in another currency than the rest.
    """
    contents = files.contents(db, NAME, months[0], months[-1])
    kept = {month: json.loads(content) for month, content in contents.items()}
    currencies = {document["currency"] for document in kept.values()}
    if len(kept) < len(months):
        currencies.add(db.config.currency)
    if len(currencies) > 1:
        raise invalid_parameter(
            "month",
            "required",
            f"is required: the months are in {listed(sorted(currencies))}, because the "
            "option `currency` was changed. Request each month by itself",
        )
    found = [_read(document) for document in kept.values()]
    for is_kept, group in groupby(months, key=lambda month: month in kept):
        if not is_kept:
            open_months = list(group)
            found.append(computed(db, open_months[0], open_months[-1]))
    sums = {}
    for part in found:
        for vat_id, amounts in part.items():
            entry = sums.setdefault(vat_id, {"K": 0, "AE": 0})
            for category, amount in amounts.items():
                _add(entry, category, amount)
    return currencies.pop(), sums


def _read(document):
    """Return the sums of a kept statement."""
    return {row["vat_id"]: {"K": row["goods"], "AE": row["services"]} for row in document["rows"]}


def computed(db, first_month, last_month):
    """Return {VAT id: {"K": goods, "AE": services}} of the months, in minor units of the
    organiser's currency.

    An amount is None if an exchange rate is missing. A small business in Germany has no statement
    (§ 18a (4) UStG): what it supplied on its days is left out.
    """
    own = db.config.organiser_country
    sums = {}
    for row in db.all(sql.supplies, **_days(first_month, last_month)):
        if own == "DE" and db.config.is_small_business(row["supplied_on"]):
            continue
        category = row["category"]
        if category == "AE" and regions.region(row["vat_id"], row["country"], own) != regions.EU:
            continue
        vat_id = regions.eu_vat_id(row["vat_id"], own) or row["vat_id"]
        entry = sums.setdefault(vat_id, {"K": 0, "AE": 0})
        _add(entry, category, _in_base(db.config, row))
    return sums


def _days(first_month, last_month):
    """Return the first and the last day of the months as parameters."""
    after = next_first_day(f"{last_month}-01", "month")
    return {"first": f"{first_month}-01", "last": times.add_days(after, -1)}


def _add(entry, category, amount):
    """Add an amount to a sum. Without an exchange rate, the sum is unknown: None."""
    if amount is None or entry[category] is None:
        entry[category] = None
    else:
        entry[category] += amount


def _sorted(sums):
    """Return (VAT id, sums) in the order of the statement, without those that are 0."""
    return [part for part in sorted(sums.items(), key=str) if part[1] != {"K": 0, "AE": 0}]


def _in_base(config, row):
    """Return the net amount of a row in the organiser's currency, or None without an exchange rate."""
    if row["base_net"] is not None:
        return row["base_net"]
    if row["currency"] == config.currency:
        return row["net"]
    rate = row["exchange_rate"] or money.usual_rate(config, row["currency"])
    if rate is None:
        return None
    return money.converted(row["net"], row["currency"], rate, config.currency)


# What a closing keeps


def write(db, month):
    """Return the statement of a month as the bytes of a file: JSON, amounts in minor units."""
    rows = [
        {"vat_id": vat_id, "goods": entry["K"], "services": entry["AE"]}
        for vat_id, entry in _sorted(computed(db, month, month))
    ]
    return as_json({"currency": db.config.currency, "rows": rows}).encode()


def differs(db, month, content):
    """Return whether the statement of a month is computed differently from the kept one.

    It cannot be compared once a buyer was erased at the end of the retention of its invoice.
    """
    if db.value(sql.erased_buyers, **_days(month, month)):
        return False
    return write(db, month) != content
