"""Service orders as they are read: rows turned into answers."""
import json

from eventapi import money
from eventapi.storage.statements import statements

sql = statements("service_orders")

AMOUNTS = ("subtotal", "tax_total", "total")


def row(db, id):
    """The stored order with its items, or None."""
    found = db.one(sql.get, id=id)
    return found and {**found, "items": json.loads(found["items"])}


def represent(row):
    """A row as it is answered; the row stays as it is."""
    currency = row["currency"]
    order = {**row, **{name: money.major(row[name], currency) for name in AMOUNTS}}
    if "items" in row:
        order["items"] = [represent_item(item, currency) for item in row["items"]]
    return order


def represent_item(item, currency):
    return {**item, "unit_price": money.major(item["unit_price"], currency), "net": money.major(item["net"], currency),
            "tax_rate": money.unscaled(item["tax_rate"], 2)}
