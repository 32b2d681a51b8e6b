"""Services as they are answered: what their resource and the copy of an event show and journal."""
import json

from eventapi import money
from eventapi.services import offers
from eventapi.statements import statements

sql = statements("services")


def get(db, id):
    """The service with its offers, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    currency = db.config.currency
    row["base_price"] = money.major(row["base_price"], currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    row["requires_specification"] = bool(row["requires_specification"])
    row["is_active"] = bool(row["is_active"])
    if "events" in row:
        row["events"] = [offers.represent(offer, currency) for offer in json.loads(row["events"])]
    return row
