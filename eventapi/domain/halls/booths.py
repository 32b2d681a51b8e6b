"""Booths: creating, changing and deleting the parts of a hall that are sold.

Every function that writes is called inside a write transaction and journals the change.
`booth_rows` reads booths and describes the units of their rows.
"""

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.halls import booking, booth_rows, pricing, reservation_rows
from eventapi.domain.halls.reservation_rows import has_expired
from eventapi.domain.records import custom_fields, entities, references
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import BOOTH_TYPE, FORMULA, PLAN
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements

sql = statements("booths")

LENGTHS = ("width", "depth", "pos_x", "pos_y")
SET_BY_RESERVATIONS = ("reserved", "sold")
PLACEMENT = ("plan_id", "width", "depth", "pos_x", "pos_y", "rotation")
MAY_FREE = ("status", *PLACEMENT)  # a change of these may free the booth or one that it overlapped


def create(db, fields):
    """Create a booth, compute its price, and return it. `fields` is a complete validated body.

    A missing `booth_number` is the next one of the plan's area. A booth without coordinates is
    unplaced; if one of the two is given, the other is 0. Raise 422 for unknown records, too many
    decimals, a status that only reservations set, or a formula that fails; 409 `duplicate` for a
    taken number.
    """
    faults, fields = Faults(), _placed(fields, {})
    booth = {**fields, **_references(db, fields, faults), **_columns(db, fields, faults)}
    values = custom_fields.checked(db, "booth", fields, {}, faults)
    _status("available", "available", fields, faults)
    faults.raise_any()
    booth["booth_number"] = booth["booth_number"] or _free_number(db, booth)
    _claim_number(db, booth)
    id = db.insert(sql.add, **booth, now=db.now)
    custom_fields.store(db, "booth", id, {}, values)
    _store_price(db, id)
    new = booth_rows.get(db, id)
    journal.created(db, entities.BOOTH, new)
    return new


def update(db, booth, fields):
    """Change a booth, recompute its price, and return it. `fields` holds the changed fields.

    A booth that becomes free is offered to its waiting list. Raise 422 and 409 as `create` does,
    409 `booth_unavailable` if reservations prevent another status or place, and 409 `in_use` for
    another event once it was reserved or ordered for.
    """
    id = booth["id"]
    if "status" in fields:
        booking.expire_and_offer(db, booth_rows.row(db, id))
    old = booth_rows.row(db, id)
    merged = _merged(db, old, fields)
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
        custom_fields.store(db, "booth", id, old["custom_fields"], merged["custom_fields"])
        _store_price(db, id)
        booth_rows.journal_update(db, old)
    if any(merged[name] != old[name] for name in MAY_FREE):
        booking.offer_around(db, old)
    return booth_rows.get(db, id)


def delete(db, booth):
    """Delete a booth with its documents and tasks.

    Raise 409 `in_use` if it was ever reserved or ordered for.
    """
    references.refuse_in_use(
        db,
        sql.users,
        booth["id"],
        "The booth cannot be deleted because it has {}. To sell it no longer, cancel its active "
        "reservation and set its `status` to blocked.",
    )
    cascade.delete_with(db, "booth", booth["id"])
    db.run(sql.remove, id=booth["id"])
    journal.deleted(db, entities.BOOTH, booth)


def _merged(db, old, fields):
    """Return the row `old` with the changed fields. Raise 422 and 409 as `update` does."""
    faults, fields = Faults(), _placed(fields, old)
    sent = {
        **fields,
        **_references(db, fields, faults),
        **_columns(db, fields, faults),
        "custom_fields": custom_fields.checked(db, "booth", fields, old["custom_fields"], faults),
    }
    if sent.get("tax_rate") == booth_rows.tax_rate(db, old):
        del sent["tax_rate"]  # unchanged: it may be the rate of the type or of the tenant
    _check_position({**old, **fields}, faults)
    status = _status(booth_rows.represent(db, old)["status"], old["status"], sent, faults)
    faults.raise_any()
    merged = {
        **old,
        **{name: value for name, value in sent.items() if name in old},
        "status": status,
    }
    if status != "blocked" and old["status"] == "blocked":
        merged["blocked_reason"] = None
    if status != old["status"]:
        _refuse_reserved(db, old)
    if merged["event_id"] != old["event_id"]:
        references.refuse_in_use(
            db,
            sql.users,
            old["id"],
            "The booth cannot move to another event because it has {}. Create another booth in "
            "the plan of that event instead.",
        )
    if any(merged[name] != old[name] for name in PLACEMENT):
        _refuse_overlap(db, merged)
    if (merged["event_id"], merged["booth_number"]) != (old["event_id"], old["booth_number"]):
        _claim_number(db, merged, but=old["id"])
    return merged


def _status(shown, stored, fields, faults):
    """Return the status to store.

    `shown` is the status of the API object: a client may send it back unchanged.

    Add a fault for a status that only reservations set.
    """
    status = fields.get("status", shown)
    if status == shown:
        return stored
    if status in SET_BY_RESERVATIONS:
        faults.add(
            "/status",
            "follows_reservations",
            f"must be available or blocked: only reservations set a booth to {status}",
        )
    return status


def _references(db, fields, faults):
    """Return the ids of the records that `fields` names, by id or by key, and the id of the event
    of its plan.
    """
    ids = references.named(db, fields, faults, PLAN, BOOTH_TYPE, FORMULA)
    plan = db.one(sql.plan, id=ids.get("plan_id"))
    return {**ids, "event_id": plan["event_id"]} if plan else ids


def _columns(db, fields, faults):
    """Return the numbers of `fields` in millimetres, minor units and hundredths of a percent."""
    places = {
        **dict.fromkeys(LENGTHS, 3),
        "fixed_price": money.decimals(db.config.currency),
        "tax_rate": 2,
    }
    return {
        name: whole(fields, name, decimals, faults)
        for name, decimals in places.items()
        if name in fields
    }


def _placed(fields, old):
    """Return the fields.

    If they set one coordinate, and the row `old` has no other one, the other is 0.
    """
    for name, other in (("pos_x", "pos_y"), ("pos_y", "pos_x")):
        if fields.get(name) is not None and fields.get(other, old.get(other)) is None:
            return {**fields, other: 0}
    return fields


def _check_position(booth, faults):
    """Add a fault if one coordinate is removed without the other."""
    for name in ("pos_x", "pos_y"):
        if booth[name] is None and (booth["pos_x"], booth["pos_y"]) != (None, None):
            faults.add(
                f"/{name}",
                "incomplete",
                "cannot be null while the other coordinate is set. Send null for both to remove the position",
            )


def _store_price(db, id):
    """Compute and store the price of a booth that was just written. Raise 422 if its formula fails."""
    faults, booth = Faults(), booth_rows.row(db, id)
    field = next(
        (name for name in ("fixed_price", "formula_id") if booth[name] is not None), "booth_type_id"
    )
    pricing.store_price(db, booth, f"/{field}", faults)
    faults.raise_any()


def _refuse_reserved(db, booth):
    """Raise 409 `booth_unavailable` while a reservation determines the status of the booth."""
    for live in reservation_rows.blockers(db, booth):
        if live["booth_id"] == booth["id"]:
            raise reservation_rows.unavailable(
                booth, live, f"Cancel booth reservation {live['id']} first."
            )


def _refuse_overlap(db, booth):
    """Raise 409 `booth_unavailable` if a reserved or sold booth would overlap another one."""
    reservations = [
        live for live in reservation_rows.blockers(db, booth) if not has_expired(db, live)
    ]
    others = [live for live in reservations if live["booth_id"] != booth["id"]]
    if others and others != reservations:  # the booth itself is reserved as well
        raise reservation_rows.unavailable(booth, others[0], "Choose another position or size.")


def _claim_number(db, booth, but=None):
    """Raise 409 `duplicate` if another booth of the event has the number."""
    taken = db.value(
        sql.number_taken, event_id=booth["event_id"], booth_number=booth["booth_number"]
    )
    if taken not in (None, but):
        raise Problem(
            "duplicate",
            f"Booth {taken} of the event already has the number {booth['booth_number']}. "
            "Send another `booth_number`.",
            member="booth_number",
            booth_id=taken,
        )


def _free_number(db, booth):
    """Return the number after the highest of the plan's area, or of the event if the area has no
    letter.
    """
    event_id = booth["event_id"]
    area = _area_letter(db.one(sql.plan, id=booth["plan_id"])["area_name"])
    number = (db.value(sql.last_number, event_id=event_id, area=area) or 0) + 1
    while db.value(sql.number_taken, event_id=event_id, booth_number=f"{area}{number}"):
        number += 1  # taken by a number that last_number does not count
    return f"{area}{number}"


def _area_letter(area_name):
    """Return A for `Hall A` and `A`, and "" for a name that does not end in a single letter."""
    last = (area_name or "").split()[-1:]
    return (
        last[0].upper()
        if last and len(last[0]) == 1 and last[0].isalpha() and last[0].isascii()
        else ""
    )
