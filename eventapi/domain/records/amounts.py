"""Amounts: prices and percentages of a body, converted to whole units of their last decimal."""

from decimal import Decimal

from eventapi import money


def whole(record, member, places, faults, at=""):
    """Return the field `member` of a record in whole units of 10^-`places`, or None if it is
    missing or null.

    Add a fault below the pointer `at` if the number has more than `places` decimals.
    """
    if record.get(member) is None:
        return None
    units = money.scaled(Decimal(str(record[member])), places)
    if units is None:
        faults.add(
            f"{at}/{member}",
            "decimals",
            f"must have at most {places} decimals, but is {record[member]}",
        )
    return units


def check_exemption(record, sent, faults):
    """Add a fault `tax_category` if a record with an `exemption_reason` has a tax rate above 0.

    `record` is as it will be stored, in percent, `sent` are the fields of the request: the fault is
    at `tax_rate` if that was sent with a value, else at `exemption_reason`.
    """
    rate = record["tax_rate"]
    if not record["exemption_reason"] or not rate:
        return
    if sent.get("tax_rate"):
        faults.add(
            "/tax_rate",
            "tax_category",
            f"must be 0 or null, because the price is exempt (`exemption_reason`), but is {rate:g}. To charge tax, "
            "set `exemption_reason` to null",
        )
    else:
        faults.add(
            "/exemption_reason",
            "tax_category",
            f"must be null, because `tax_rate` is {rate:g}. To make the price exempt, set `tax_rate` to null",
        )


def of_currency(amount, currency, faults, at="/amount"):
    """Return an amount in minor units of its currency, or None with a fault at `at` if it has too
    many decimals.
    """
    units, places = money.minor(Decimal(str(amount)), currency), money.decimals(currency)
    if units is None:
        faults.add(
            at, "decimals", f"must have at most {places} decimals in {currency}, but is {amount}"
        )
    return units
