"""Claims: what a participant owes for fees, booths and services. Each is invoiced once, and credited if cancelled.

The database views `claims` and `billings` hold what is owed and what is billed. Prices are net, in minor units of the
tenant's currency.
"""
from decimal import Decimal

from eventapi import money
from eventapi.languages import formats, names
from eventapi.pictures.words import WORDS
from eventapi.storage.statements import statements

sql = statements("billing")

MAX_DESCRIPTION = 1000      # characters
REFERENCES = ("booth_reservation_id", "service_order_id", "service_order_item_id", "fee_of_participant_id")


def claims(db, participant_id):
    """Return the rows of what the participant owes in the tenant's currency.

    The organiser invoices orders in another currency by hand.
    """
    rows = db.all(sql.claims, id=participant_id)
    return [claim for claim in rows if claim["currency"] in (None, db.config.currency)]


def item(db, claim, language):
    """Return a claim as an item of an invoice, as a request contains it: in major units and percent."""
    rate = db.config.tax_rate if claim["tax_rate"] is None else claim["tax_rate"]
    unit = names.unit_of_service(claim["unit"], claim["unit_label"], language, db.config.language)
    return {"description": description(claim, language)[:MAX_DESCRIPTION],
            "quantity": claim["quantity"], "unit": unit, "tax_rate": Decimal(rate).scaleb(-2),
            "unit_price": Decimal(claim["unit_price"]).scaleb(-money.decimals(db.config.currency)),
            **{name: claim[name] for name in REFERENCES}}


def description(claim, language):
    """Return the description of an item. It names the event."""
    return f"{what(claim, language)}, {claim['event_title']}"


def what(claim, language):
    """Return what the item is: a fee, a booth or a service."""
    words = WORDS[language]
    if claim["booth_reservation_id"]:
        width, depth = (formats.number(Decimal(claim[name]).scaleb(-3), language) for name in ("width", "depth"))
        parts = words["booth"].format(number=claim["booth_number"]), claim["booth_type_name"], f"{width} × {depth} m"
        return ", ".join(filter(None, parts))
    if claim["service_order_id"]:
        return f"{claim['service_name']} ({claim['order_number']})"
    return words["fee"].format(category=claim["title"])
