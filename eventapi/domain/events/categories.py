"""Categories as they are answered: what their resource and the copy of an event show and journal."""
import json

from eventapi import money
from eventapi.storage.statements import statements

sql = statements("categories")


def get(db, id):
    """The category, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(db, row)


def represent(db, row):
    row["is_visible"] = bool(row["is_visible"])
    row["account_access_enabled"] = bool(row["account_access_enabled"])
    row["base_price"] = money.major(row["base_price"], db.config.currency)
    row["tax_rate"] = money.unscaled(row["tax_rate"], 2)
    if "event_keys" in row:
        row["event_keys"] = json.loads(row["event_keys"])
    return row
