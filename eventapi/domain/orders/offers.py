"""Offers: the terms on which a service is sold at an event, and its stock.

Rows hold prices in minor units. The statement that takes from the stock changes a row only if
enough is left, so that simultaneous orders never exceed the stock.
"""

from eventapi import money, times
from eventapi.domain.records import references
from eventapi.domain.records.amounts import whole
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("offers")

PRICES = ("base_price", "early_bird_price")
PLAIN = ("early_bird_until", "order_deadline", "stock")  # fields that are stored as they are


# Writing, together with the service


def read(db, entries, faults):
    """Return the offers of a body (its `events`) as rows. Add what is wrong with them to `faults`."""
    rows = [_row(db, entry, f"/events/{place}", faults) for place, entry in enumerate(entries)]
    events = [row["event_id"] for row in rows]
    for place, event_id in enumerate(events):
        if event_id is not None and event_id in events[:place]:
            faults.add(
                f"/events/{place}",
                "duplicate",
                "repeats the event of another offer: send one offer per event",
            )
    return rows


def _row(db, entry, at, faults):
    """Return one offer as a row. `at` is its JSON pointer in the body."""
    wrong, places = Faults(), money.decimals(db.config.currency)
    row = {
        "event_id": references.resolve(db, entry, references.EVENT, wrong, required=True),
        **{name: whole(entry, name, places, wrong) for name in PRICES},
        **{name: entry.get(name) for name in PLAIN},
        "is_active": int(entry.get("is_active", True)),
    }
    for name, other in (
        ("early_bird_price", "early_bird_until"),
        ("early_bird_until", "early_bird_price"),
    ):
        if entry.get(name) is None and entry.get(other) is not None:
            wrong.add(f"/{name}", "required", f"is required together with `{other}`")
    faults.below(at, wrong)
    return row


def replace(db, service_id, rows):
    """Replace the offers of a service by these rows.

    Call this inside a write transaction. Raise 409 `in_use` if orders depend on a removed offer,
    `out_of_stock` if a stock is less than the ordered quantity.
    """
    known = {row["event_id"]: row for row in db.all(sql.of_services, ids=as_json([service_id]))}
    kept = {row["event_id"]: row for row in rows}
    for event_id, offer in known.items():
        if event_id in kept:
            _refuse_less_than_ordered(offer, kept[event_id]["stock"])
        elif offer["ordered"]:
            raise Problem(
                "in_use",
                f"The offer at {offer['event_key']} cannot be removed because of its orders "
                f"(quantity {offer['ordered']}). Set its `is_active` to false instead.",
                event_key=offer["event_key"],
                ordered=offer["ordered"],
            )
        else:
            db.run(sql.remove, service_id=service_id, event_id=event_id)
    db.run_many(sql.put, [{**row, "service_id": service_id} for row in rows])


def _refuse_less_than_ordered(offer, stock):
    """Raise 409 `out_of_stock` if the new stock is less than the quantity that is ordered already."""
    if stock is not None and stock < offer["ordered"]:
        raise Problem(
            "out_of_stock",
            f"`stock` cannot be {stock} because the quantity {offer['ordered']} is ordered "
            f"at {offer['event_key']}. Send at least {offer['ordered']}.",
            event_key=offer["event_key"],
            ordered=offer["ordered"],
            available=_left(offer),
        )


# Reading


def of_services(db, ids):
    """Return {service id: [API object of an offer, …]} for these ids of services."""
    known = {}
    for row in db.all(sql.of_services, ids=as_json(ids)):
        known.setdefault(row.pop("service_id"), []).append(represent(row, db.config.currency))
    return known


def represent(row, currency):
    """Return the API object of a row, with prices in major units."""
    return {
        **row,
        **{name: money.major(row[name], currency) for name in PRICES},
        "available": _left(row),
        "is_active": bool(row["is_active"]),
    }


def at_event(db, event_id, ids):
    """Return {service id: offer} for several services at an event.

    An offer is the row with its current `price`, what is `available` (None: unlimited), the
    `last_day` to order and whether it `is_over`.
    """
    rows = db.all(sql.at_event, event_id=event_id, ids=as_json(ids))
    return {row["service_id"]: _with_terms(row, db.now or times.now()) for row in rows}


def _with_terms(row, now):
    """Return the row with its terms at the timestamp `now`, as `at_event` describes them."""
    today = times.local_date(now, row["timezone"])
    early = row["early_bird_until"] is not None and today <= row["early_bird_until"]
    ends = last_day(row)
    return {
        **row,
        "price": row["early_bird_price"] if early else row["base_price"],
        "available": _left(row),
        "last_day": ends,
        "is_over": ends is not None and today > ends,
    }


def last_day(row):
    """Return the last day to order, or None: the deadline or the end of the lead time, whichever is
    earlier.
    """
    begins = times.local_date(row["date_from"], row["timezone"])
    before_lead_time = (
        times.add_days(begins, -row["lead_time_days"]) if begins and row["lead_time_days"] else None
    )
    return min((day for day in (row["order_deadline"], before_lead_time) if day), default=None)


def _left(row):
    """Return the quantity that is left, or None if the stock is unlimited."""
    return None if row["stock"] is None else row["stock"] - row["ordered"]


# Stock


def refuse_short(offer, quantity):
    """Raise 409 `out_of_stock` if less than the quantity is available.

    `offer` is one of `at_event`.
    """
    if offer["available"] is not None and quantity > offer["available"]:
        raise _short(offer, quantity)


def _short(offer, quantity):
    """Return the Problem 409 `out_of_stock` of a quantity that the stock does not have."""
    remedy = (
        f"Order at most {offer['available']}"
        if offer["available"] > 0
        else "Remove it from the order"
    )
    return Problem(
        "out_of_stock",
        f"{quantity} of {offer['service_name']} cannot be ordered because "
        f"{max(offer['available'], 0)} of it are left at {offer['event_key']}. {remedy}.",
        service_id=offer["service_id"],
        service_key=offer["service_key"],
        available=offer["available"],
    )


def take(db, event_id, quantities):
    """Take these quantities ({service id: quantity}) from the stock of the event.

    Call this inside a write transaction. Raise 409 `out_of_stock` if one of them was not taken.
    """
    for service_id, quantity in quantities.items():
        if not db.run(sql.take, service_id=service_id, event_id=event_id, quantity=quantity):
            raise _short(at_event(db, event_id, [service_id])[service_id], quantity)


def return_to_stock(db, event_id, quantities):
    """Return these quantities ({service id: quantity}) to the stock.

    Call this inside a write transaction.
    """
    for service_id, quantity in quantities.items():
        db.run(sql.return_to_stock, service_id=service_id, event_id=event_id, quantity=quantity)
