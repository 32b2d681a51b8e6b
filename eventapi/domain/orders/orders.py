"""Service orders: reading rows and turning them into API objects.

Rows hold amounts in minor units and tax rates in hundredths of a percent. API objects hold major
units and percent.
"""

import json

from eventapi import money
from eventapi.storage.statements import statements

sql = statements("service_orders")

AMOUNTS = ("subtotal", "tax_total", "total")


def row(db, id):
    """Return the row of the order with its items, or None."""
    found = db.one(sql.get, id=id)
    return found and {**found, "items": json.loads(found["items"])}


def represent(row):
    """Return the API object of a row. The row is not changed."""
    currency = row["currency"]
    order = {**row, **{name: money.major(row[name], currency) for name in AMOUNTS}}
    if "items" in row:
        order["items"] = [represent_item(item, currency) for item in row["items"]]
    return order


def represent_item(item, currency):
    """Return the API object of an item. `item` is not changed."""
    return {
        **item,
        "unit_price": money.major(item["unit_price"], currency),
        "net": money.major(item["net"], currency),
        "tax_rate": money.unscaled(item["tax_rate"], 2),
    }
