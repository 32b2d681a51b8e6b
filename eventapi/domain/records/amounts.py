"""Amounts of a body, prices and percents alike, as whole units of their last decimal."""
from decimal import Decimal

from eventapi import money


def whole(record, member, places, faults, at=""):
    """What a member says as whole units, None where it says nothing; too many decimals go to `faults`, as of the part `at`."""
    if record.get(member) is None:
        return None
    units = money.scaled(Decimal(str(record[member])), places)
    if units is None:
        faults.add(f"{at}/{member}", "decimals", f"must have at most {places} decimals")
    return units
