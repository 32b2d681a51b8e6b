"""Offers: on what terms a service is sold at an event. That no more is ordered than there is, is decided by the database."""
from eventapi import money, times
from eventapi.domain.records import references
from eventapi.domain.records.amounts import whole
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("offers")

PRICES = ("base_price", "early_bird_price")
PLAIN = ("early_bird_until", "order_deadline", "stock")         # members that are columns as they are


# Written with their service

def read(db, entries, faults):
    """The offers of a body as rows; what is wrong with them goes to `faults`."""
    rows = [_row(db, entry, f"/events/{place}", faults) for place, entry in enumerate(entries)]
    events = [row["event_id"] for row in rows]
    for place, event_id in enumerate(events):
        if event_id is not None and event_id in events[:place]:
            faults.add(f"/events/{place}", "duplicate", "names the event of an entry before it")
    return rows


def _row(db, entry, at, faults):
    wrong, places = Faults(), money.decimals(db.config.currency)
    row = {"event_id": references.resolve(db, entry, references.EVENT, wrong, required=True),
           **{name: whole(entry, name, places, wrong) for name in PRICES}, **{name: entry.get(name) for name in PLAIN},
           "is_active": int(entry.get("is_active", True))}
    for name, other in (("early_bird_price", "early_bird_until"), ("early_bird_until", "early_bird_price")):
        if entry.get(name) is None and entry.get(other) is not None:
            wrong.add(f"/{name}", "required", f"is required beside {other}")
    faults.below(at, wrong)
    return row


def replace(db, service_id, rows):
    """Puts these offers in the place of those that are there; 409 where orders stand against it."""
    known = {row["event_id"]: row for row in db.all(sql.of_services, ids=as_json([service_id]))}
    kept = {row["event_id"]: row for row in rows}
    for event_id, offer in known.items():
        if event_id in kept:
            _refuse_less_than_ordered(offer, kept[event_id]["stock"])
        elif offer["ordered"]:
            raise Problem("in_use", f"At {offer['event_key']} {offer['ordered']} are ordered: the offer can be made inactive, "
                          "not taken away.", event_key=offer["event_key"], ordered=offer["ordered"])
        else:
            db.run(sql.remove, service_id=service_id, event_id=event_id)
    db.run_many(sql.put, [{**row, "service_id": service_id} for row in rows])


def _refuse_less_than_ordered(offer, stock):
    if stock is not None and stock < offer["ordered"]:
        raise Problem("out_of_stock", f"At {offer['event_key']} {offer['ordered']} are ordered: the stock cannot be {stock}.",
                      event_key=offer["event_key"], ordered=offer["ordered"], available=_left(offer))


# Read

def of_services(db, ids):
    """service_id -> its offers as they are answered; `ids` as JSON."""
    known = {}
    for row in db.all(sql.of_services, ids=ids):
        known.setdefault(row.pop("service_id"), []).append(represent(row, db.config.currency))
    return known


def represent(row, currency):
    return {**row, **{name: money.major(row[name], currency) for name in PRICES}, "available": _left(row),
            "is_active": bool(row["is_active"])}


def at_event(db, event_id, ids):
    """service_id -> its offer at the event with price, available and last_day as they are at this moment."""
    rows = db.all(sql.at_event, event_id=event_id, ids=as_json(ids))
    return {row["service_id"]: _with_terms(row, db.now or times.now()) for row in rows}


def _with_terms(row, now):
    today = times.local_date(now, row["timezone"])
    early = row["early_bird_until"] is not None and today <= row["early_bird_until"]
    last_day = _last_day(row)
    return {**row, "price": row["early_bird_price"] if early else row["base_price"], "available": _left(row),
            "last_day": last_day, "is_over": last_day is not None and today > last_day}


def _last_day(row):
    """The last day to order: the deadline, or as many days before the event as the service needs, whichever is earlier."""
    begins = times.local_date(row["date_from"], row["timezone"])
    in_time = times.add_days(begins, -row["lead_time_days"]) if begins and row["lead_time_days"] else None
    return min((day for day in (row["order_deadline"], in_time) if day), default=None)


def _left(row):
    return None if row["stock"] is None else row["stock"] - row["ordered"]


# Stock

def refuse_short(offer, quantity):
    """409 when fewer are left than are wanted."""
    if offer["available"] is not None and quantity > offer["available"]:
        raise Problem("out_of_stock", f"Of {offer['service_name']} {offer['available']} are left at {offer['event_key']}, "
                      f"{quantity} were asked for.", service_id=offer["service_id"], service_key=offer["service_key"],
                      available=offer["available"])


def take(db, event_id, quantities):
    """Takes these quantities (service_id -> number) from the stock of the event; 409 when one of them is not there."""
    for service_id, quantity in quantities.items():
        if not db.run(sql.take, service_id=service_id, event_id=event_id, quantity=quantity):
            refuse_short(at_event(db, event_id, [service_id])[service_id], quantity)


def give_back(db, event_id, quantities):
    for service_id, quantity in quantities.items():
        db.run(sql.give_back, service_id=service_id, event_id=event_id, quantity=quantity)
