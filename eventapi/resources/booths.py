"""Booths: the pieces of a hall that are sold."""
from eventapi import journal, money, times
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import availability, booking, booths, pricing
from eventapi.domain.halls.booths import represent
from eventapi.domain.halls.reservations import has_run_out
from eventapi.domain.records import custom_fields, entities, references
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import BOOTH_TYPE, EVENT, FORMULA, PLAN
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, deleted, found, unchanged
from eventapi.web.routes import Routes

routes = Routes("booths", "booth", scope="booths", flag="booths")
sql = statements("booths")

METRES = ("width", "depth", "pos_x", "pos_y")
BY_RESERVATION = ("reserved", "sold")
GROUND = ("plan_id", "width", "depth", "pos_x", "pos_y", "rotation")
FREEING = ("status", *GROUND)                       # what may free a booth, or those that it overlapped
STATUS_FILTERS = {"available": "free", "reserved": "held"}      # those that the time decides


@routes.list("/booths", query="booth.query")
def list_booths(db, query):
    query = custom_fields.filters(db, "booth", references.filters(db, query, EVENT, BOOTH_TYPE))
    for name, places in (("min_area", 6), ("max_area", 6), ("max_price", money.decimals(db.config.currency))):
        if name in query:
            query[name] = int(query[name] * 10 ** places)
    if query.get("status") in STATUS_FILTERS:
        query[STATUS_FILTERS[query.pop("status")]] = 1
    return page(db, sql.list, {**query, "now": times.now()}, lambda row: represent(db, row), INCLUDES)


@routes.post("/booths", schema="booth")
def create_booth(db, body):
    faults = Faults()
    booth = {**body, **named(db, body, faults), **columns(db, body, faults)}
    check(body, faults)
    fields = custom_fields.checked(db, "booth", body, {}, faults)
    asked_status("available", {"status": "available"}, body, faults)
    faults.raise_any()
    booth["booth_number"] = booth["booth_number"] or free_number(db, booth)
    claim_number(db, booth)
    id = db.insert(sql.add, **booth, now=db.now)
    custom_fields.store(db, "booth", id, {}, fields)
    price(db, id)
    new = get(db, id)
    journal.created(db, entities.BOOTH, new)
    return created(new, f"/booths/{id}")


@routes.get("/booths/<id>")
def get_booth(db, id):
    return get(db, id)


@routes.update("/booths/<id>", schema="booth")
def update_booth(db, id, body):
    """Changes a booth. Its price follows at once; what is reserved or sold keeps the price it was reserved for."""
    unchanged(get(db, id))
    if "status" in body:
        booking.settle(db, booths.row(db, id))
    old = booths.row(db, id)
    merged = changed(db, old, body)
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
        custom_fields.store(db, "booth", id, old["custom_fields"], merged["custom_fields"])
        price(db, id)
        booths.tell(db, old)
    if any(merged[name] != old[name] for name in FREEING):
        booking.offer_around(db, old)
    return get(db, id)


@routes.delete("/booths/<id>")
def delete_booth(db, id):
    booth = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The booth has {' and '.join(users)}; it cannot be deleted. It can be blocked.", used_by=users)
    cascade.delete_with(db, "booth", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.BOOTH, booth)
    return deleted()


def get(db, id):
    return found(booths.get(db, id), "booth", id)


def changed(db, old, body):
    """The stored booth with what the body changes; 422, then 409 where it must not."""
    faults = Faults()
    asked = {**body, **named(db, body, faults), **columns(db, body, faults),
             "custom_fields": custom_fields.checked(db, "booth", body, old["custom_fields"], faults)}
    if asked.get("tax_rate") == booths.tax_rate(db, old):
        del asked["tax_rate"]                       # sent back as it was read: still that of the type, or the tenant's
    check({**old, **body}, faults)
    status = asked_status(represent(db, old)["status"], old, asked, faults)
    faults.raise_any()
    merged = {**old, **{name: value for name, value in asked.items() if name in old}, "status": status}
    if status != "blocked" and old["status"] == "blocked":
        merged["blocked_reason"] = None
    if status != old["status"]:
        refuse_taken(db, old)
    if merged["event_id"] != old["event_id"]:
        refuse_in_use(db, old)
    if any(merged[name] != old[name] for name in GROUND):
        refuse_ground_sold(db, merged)
    if (merged["event_id"], merged["booth_number"]) != (old["event_id"], old["booth_number"]):
        claim_number(db, merged, but=old["id"])
    return merged


def asked_status(read, old, asked, faults):
    """The status to store: what was read may be sent back, by hand a booth is blocked or available."""
    status = asked.get("status", read)
    if status == read:
        return old["status"]
    if status in BY_RESERVATION:
        faults.add("/status", "follows_reservations", "follows the reservations; by hand it is blocked or available")
    return status


def named(db, body, faults):
    """The ids of the records that a body names, and the event of its plan."""
    ids = {reference[0]: references.resolve(db, body, reference, faults) for reference in (PLAN, BOOTH_TYPE, FORMULA)
           if any(member in body for member, _ in reference[1])}
    plan = db.one(sql.plan, id=ids.get("plan_id"))
    return {**ids, "event_id": plan["event_id"]} if plan else ids


def columns(db, body, faults):
    """The numbers of a body as columns: millimetres, minor units, hundredths of a percent."""
    places = {**dict.fromkeys(METRES, 3), "fixed_price": money.decimals(db.config.currency), "tax_rate": 2}
    return {name: whole(body, name, decimals, faults) for name, decimals in places.items() if name in body}


def check(booth, faults):
    if (booth["pos_x"] is None) != (booth["pos_y"] is None):
        missing = "pos_x" if booth["pos_x"] is None else "pos_y"
        faults.add(f"/{missing}", "incomplete", "goes with the other coordinate: both, or neither for a booth that is not placed")


def price(db, id):
    """Stores the price of a booth that was just written; 422 where there can be none."""
    faults, booth = Faults(), booths.row(db, id)
    member = next((name for name in ("fixed_price", "formula_id") if booth[name] is not None), "booth_type_id")
    pricing.settle(db, booth, f"/{member}", faults)
    faults.raise_any()


def refuse_taken(db, booth):
    """409 while a reservation says what the status of the booth is; it has to be cancelled first."""
    for live in availability.blockers(db, booth):
        if live["booth_id"] == booth["id"]:
            raise availability.unavailable(booth, live)


def refuse_ground_sold(db, booth):
    """409 when a reserved or sold booth would lie over another one: each square metre is sold once."""
    standing = [live for live in availability.blockers(db, booth) if not has_run_out(db, live)]
    others = [live for live in standing if live["booth_id"] != booth["id"]]
    if others and others != standing:
        raise availability.unavailable(booth, others[0])


def refuse_in_use(db, booth):
    users = db.values(sql.users, id=booth["id"])
    if users:
        raise Problem("in_use", f"The booth has {' and '.join(users)}; it stays at its event.", used_by=users)


def claim_number(db, booth, but=None):
    """409 when another booth of the event has the number."""
    taken = db.value(sql.number_taken, event_id=booth["event_id"], booth_number=booth["booth_number"])
    if taken not in (None, but):
        raise Problem("duplicate", f"The event has a booth {booth['booth_number']}.", member="booth_number", booth_id=taken)


def free_number(db, booth):
    """The number after the highest of the plan's area, or of the event where the area has no letter."""
    event_id, area = booth["event_id"], area_letter(db.one(sql.plan, id=booth["plan_id"])["area_name"])
    number = (db.value(sql.last_number, event_id=event_id, area=area) or 0) + 1
    while db.value(sql.number_taken, event_id=event_id, booth_number=f"{area}{number}"):
        number += 1                                 # beyond what counts as a number that runs on
    return f"{area}{number}"


def area_letter(area_name):
    """`Hall A`, `A`: A. Nothing where the name does not end in a single letter."""
    last = (area_name or "").split()[-1:]
    return last[0].upper() if last and len(last[0]) == 1 and last[0].isalpha() and last[0].isascii() else ""


INCLUDES = {"custom_fields": custom_fields.include("booth")}
