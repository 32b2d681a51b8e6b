"""Claims: what a participant owes for fees, booths and services. Each is invoiced once, and credited if cancelled.

The database views `claims` and `billings` hold what is owed and what is billed. Prices are net, in minor units of the
tenant's currency.
"""
from decimal import Decimal

from eventapi import money
from eventapi.pictures.words import WORDS, number
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


def item(db, claim, language=None):
    """Return a claim as an item of an invoice, as a request contains it: in major units and percent."""
    rate = db.config.tax_rate if claim["tax_rate"] is None else claim["tax_rate"]
    words = WORDS.get((language or "")[:2].lower(), WORDS["en"])
    return {"description": description(claim, words)[:MAX_DESCRIPTION],
            "quantity": claim["quantity"], "unit": claim["unit"], "tax_rate": Decimal(rate).scaleb(-2),
            "unit_price": Decimal(claim["unit_price"]).scaleb(-money.decimals(db.config.currency)),
            **{name: claim[name] for name in REFERENCES}}


def description(claim, words):
    """Return the description of an item. It names the event. `words` is one language of `pictures.words.WORDS`."""
    return f"{what(claim, words)}, {claim['event_title']}"


def what(claim, words):
    """Return what the item is: a fee, a booth or a service, in one language of `pictures.words.WORDS`."""
    if claim["booth_reservation_id"]:
        width, depth = (number(Decimal(claim[name]).scaleb(-3), 0, words) for name in ("width", "depth"))
        parts = words["booth"].format(number=claim["booth_number"]), claim["booth_type_name"], f"{width} × {depth} m"
        return ", ".join(filter(None, parts))
    if claim["service_order_id"]:
        return f"{claim['service_name']} ({claim['order_number']})"
    return words["fee"].format(category=claim["title"])
