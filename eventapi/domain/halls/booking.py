"""Booking: reserving, confirming, moving and cancelling booths, and offering free booths to their
waiting lists.

Each square metre is sold once: a booth that overlaps a reserved or sold booth cannot be reserved. A
reservation with the status `pending` holds its booth until `expires_at`. A request that finds an
expired hold stores its end and offers the booth to the waiting list; otherwise the worker does so.

Every function that writes is called inside a write transaction, journals the change, and takes and
returns rows of reservations (see `reservation_rows`). A Problem with `keeps=True` commits what was
written before it.
"""

from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.access import links
from eventapi.domain.halls import booth_rows, pricing
from eventapi.domain.halls.reservation_rows import (
    HELD_AS,
    TRANSITIONS,
    as_stored,
    blockers,
    has_expired,
    overlapping,
    reach,
    refuse_taken,
    row,
    store,
    unavailable,
)
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults, Problem
from eventapi.storage.database import Duplicate
from eventapi.storage.statements import statements

sql = statements("booth_reservations")
participants = statements("participants")

HOLD_PERIOD = timedelta(days=7)  # of a reservation without `expires_at`
OFFER_PERIOD = timedelta(days=3)  # of a booth that was offered to its waiting list
MAX_HOLD_PERIOD = timedelta(days=366)


# Reserving


def reserve(db, wanted, booth, participant):
    """Reserve a booth, or join its waiting list if it is taken and `waitlist` is set.

    Return the new row.

    `wanted` holds the fields of the request with `final_price` in minor units or None; `booth` and
    `participant` are rows. Raise 422 if no price can be computed; 409 `booth_unavailable`,
    `duplicate`, `anonymized` or `participant_cancelled`.
    """
    anonymity.refuse(db, "contact", participant["contact_id"])
    if participant["status"] == "cancelled":
        raise anonymity.cancelled(participant["id"])
    price = pricing.priced(db, booth, participant, wanted["final_price"])
    expire_and_offer(db, booth)
    if wanted["waitlist"] and (booth["status"] == "blocked" or blockers(db, booth)):
        price = price if price["is_negotiated"] else pricing.UNPRICED
        return join_waiting_list(db, booth, participant, {**price, "notes": wanted["notes"]})
    refuse_taken(db, booth)
    confirmed = wanted["status"] == "confirmed"
    new = add(
        db,
        booth,
        participant,
        {
            **price,
            "status": wanted["status"],
            "notes": wanted["notes"],
            "reserved_at": db.now,
            "expires_at": None if confirmed else (wanted["expires_at"] or _after(db, HOLD_PERIOD)),
            "confirmed_at": db.now if confirmed else None,
        },
    )
    set_booth_status(db, new)
    if confirmed:
        journal.announced(db, entities.BOOTH_RESERVATION, "confirmed", as_stored(db, new))
        announce_assigned(db, "assigned", new)
    return new


def join_waiting_list(db, booth, participant, fields):
    """Add the participant to the waiting list of a booth and return the new row.

    `fields` holds the columns of the price and the notes. The price is computed when the booth is
    offered, unless it was negotiated. Raise 409 `duplicate` if the participant holds the booth or
    is on its waiting list.
    """
    refuse_second(db, booth, participant)
    return add(
        db,
        booth,
        participant,
        {
            **fields,
            "status": "waitlisted",
            "reserved_at": None,
            "expires_at": None,
            "confirmed_at": None,
        },
    )


def refuse_second(db, booth, participant):
    """Raise 409 `duplicate` if the participant holds the booth or is on its waiting list."""
    holds = [
        live["id"]
        for live in db.all(sql.live, booth_id=booth["id"])
        if live["event_participant_id"] == participant["id"]
    ]
    waits = db.value(
        sql.on_waiting_list, booth_id=booth["id"], event_participant_id=participant["id"]
    )
    if holds or waits:
        known = holds[0] if holds else waits
        fact = "already holds" if holds else "is already on the waiting list of"
        raise Problem(
            "duplicate",
            f"The participant {fact} booth {booth['booth_number']}. Use booth reservation "
            f"{known} instead.",
            booth_reservation_id=known,
            keeps=True,
        )


def add(db, booth, participant, values):
    """Store and journal a new reservation, and return its row.

    Raise 409 `booth_unavailable` if the unique index finds that the booth is held.
    """
    try:
        id = db.insert(
            sql.add,
            **values,
            booth_id=booth["id"],
            event_id=booth["event_id"],
            event_participant_id=participant["id"],
            created_by=db.actor.admin_id,
            now=db.now,
        )
    except Duplicate:
        raise unavailable(booth, db.one(sql.live, booth_id=booth["id"])) from None
    new = row(db, id)
    journal.created(db, entities.BOOTH_RESERVATION, as_stored(db, new))
    return new


# Actions


def confirm(db, old):
    """Confirm a reservation: its booth is sold. Return the row.

    Raise 422 if it has no price; 409 `invalid_transition`.
    """
    if TRANSITIONS.move("confirm", refuse_expired(db, old)["status"]) is None:
        return old
    pricing.refuse_unpriced(old, old["booth_number"], "Set `final_price` of the reservation first")
    new = store(db, old, "confirmed", status="confirmed", confirmed_at=db.now, expires_at=None)
    set_booth_status(db, new)
    announce_assigned(db, "assigned", new)
    return new


def cancel(db, old, reason=None):
    """Cancel a reservation, offer its booth to the waiting list, and return the row.

    Raise 409 `invalid_transition`.
    """
    if TRANSITIONS.move("cancel", refuse_expired(db, old)["status"]) is None:
        return old
    new = store(
        db,
        old,
        "cancelled",
        status="cancelled",
        cancelled_at=db.now,
        cancellation_reason=reason,
        expires_at=None,
    )
    if old["status"] in HELD_AS:
        free_booth(db, old)
    return new


def hand_over(db, kept_id, other_id):
    """Move the reservations of the participant `other_id` to `kept_id`, with which it is merged.

    Cancel a place on a waiting list if `kept_id` holds or awaits the same booth.
    """
    for found in db.all(sql.to_hand_over, id=other_id, participant_id=kept_id):
        old = row(db, found["id"])
        if found["is_second_place"]:
            old = cancel(db, old, "The contacts were merged.")
        db.run(sql.hand_over, id=old["id"], participant_id=kept_id, now=db.now)
        new = row(db, old["id"])
        journal.updated(db, entities.BOOTH_RESERVATION, as_stored(db, old), as_stored(db, new))


def extend(db, old, expires_at):
    """Set the end of a hold and return the row. `expires_at` is UTC text.

    Raise 422 for a timestamp in the past or too far in the future; 409 `invalid_transition`.
    """
    TRANSITIONS.move("extend", refuse_expired(db, old)["status"])
    faults = Faults()
    check_expiry(db, expires_at, faults)
    faults.raise_any()
    new = store(db, old, "extended", expires_at=expires_at)
    if new["expires_at"] != old["expires_at"]:
        set_booth_status(db, new)
    return new


def move(db, old, booth, keep_price=False):
    """Move a reservation to another booth, offer the old booth to its waiting list, and return the
    row.

    A negotiated price stays, with the tax rate of the new booth, and so does any price with
    `keep_price`, which counts as negotiated from then on. Otherwise compute the price of the
    new booth. Raise 422 if it has none; 409 `booth_unavailable` or `invalid_transition`.
    """
    TRANSITIONS.move("move", refuse_expired(db, old)["status"])
    if booth["id"] == old["booth_id"]:
        return old
    stays = old["is_negotiated"] or keep_price
    negotiated = old["final_price"] if stays else None
    price = pricing.priced(
        db, booth, db.one(participants.get, id=old["event_participant_id"]), negotiated
    )
    expire_and_offer(db, booth)
    refuse_taken(db, booth, but=old["id"])
    if old["status"] == "confirmed":  # it may be billed: see the view billings
        db.run(sql.remember_booth, id=old["id"])
    new = store(db, old, "moved", booth_id=booth["id"], **price)
    free_booth(db, old)
    set_booth_status(db, new)
    if new["status"] == "confirmed":
        announce_assigned(db, "assigned", new)
    return new


def swap(db, one, other, keep_price=False):
    """Exchange the booths of two confirmed reservations, and return both rows.

    Their prices follow as in `move`. Raise 422 if one has none; 409 `invalid_transition`.
    """
    for each in (one, other):
        TRANSITIONS.move("swap", refuse_expired(db, each)["status"])
    if one["id"] == other["id"]:
        return one, other
    changes = []
    for old, booth_id in ((one, other["booth_id"]), (other, one["booth_id"])):
        stays = old["is_negotiated"] or keep_price
        participant = db.one(participants.get, id=old["event_participant_id"])
        price = pricing.priced(
            db, booth_rows.row(db, booth_id), participant, old["final_price"] if stays else None
        )
        changes.append({"booth_id": booth_id, **price})
        db.run(sql.remember_booth, id=old["id"])
    db.run(sql.park, id=one["id"])
    new_other = store(db, other, "moved", **changes[1])
    new_one = store(db, one, "moved", **changes[0])
    for old in (one, other):
        announce_assigned(db, "unassigned", old)
    for new in (new_one, new_other):
        announce_assigned(db, "assigned", new)
    return new_one, new_other


def changed_price(db, old, negotiated):
    """Return the columns of another price for a reservation.

    Compute it if `negotiated` (minor units) is None.

    Raise 422 if no price can be computed; 409 `invalid_transition` once the booth is sold or the
    reservation has ended.
    """
    if refuse_expired(db, old)["status"] not in ("pending", "waitlisted"):
        remedy = "Cancel it, then reserve" if old["status"] == "confirmed" else "Reserve"
        raise Problem(
            "invalid_transition",
            f"`final_price` cannot change because the booth reservation is "
            f"{old['status']}. {remedy} the booth again.",
            state=old["status"],
            allowed_from=["pending", "waitlisted"],
            allowed_actions=TRANSITIONS.actions(old["status"]),
        )
    if negotiated is None and old["status"] == "waitlisted":
        return pricing.UNPRICED
    participant = db.one(participants.get, id=old["event_participant_id"])
    return pricing.priced(db, booth_rows.row(db, old["booth_id"]), participant, negotiated)


def refuse_expired(db, old):
    """Return the row.

    If its hold has expired, store that first, and raise 409 `invalid_transition`.
    """
    if has_expired(db, old):
        expire(db, old)
        raise Problem(
            "invalid_transition",
            f"The booth reservation expired at {old['expires_at']}. Reserve the booth "
            "again if it is still available.",
            state="expired",
            allowed_from=[],
            allowed_actions=[],
            keeps=True,
        )
    return old


def check_expiry(db, expires_at, faults):
    """Add a fault unless `expires_at` (UTC text) lies in the future and at most 366 days from now."""
    if not db.now < expires_at <= _after(db, MAX_HOLD_PERIOD):
        faults.add(
            "/expires_at",
            "out_of_range",
            f"is {expires_at}, and must be in the future and at most {MAX_HOLD_PERIOD.days} days from now",
        )


def release(db, participant_id, reason):
    """Cancel all reservations of a participant.

    Places on waiting lists come first, so that the participant is not offered a booth that becomes
    free.
    """
    for id in db.values(sql.of_participant, event_participant_id=participant_id):
        found = row(db, id)
        if has_expired(db, found):
            expire(db, found)
        elif found["status"] in TRANSITIONS.table["cancel"][0]:
            cancel(db, found, reason)


# Expiry and waiting lists


def expire_due(db, limit):
    """End at most `limit` expired holds and return their number.

    The worker calls this outside a transaction.
    """
    if not db.values(sql.due, now=times.now(), limit=1):
        return 0
    with db.write():
        due = db.values(sql.due, now=db.now, limit=limit)
        for id in due:
            expire(db, row(db, id))
    return len(due)


def expire_and_offer(db, booth):
    """End the expired holds of a booth and of booths that it overlaps, then offer it to its waiting
    list.

    Call this before a new reservation, so that the waiting list comes first.
    """
    for live in blockers(db, booth):
        if has_expired(db, live):
            expire(db, row(db, live["id"]))
    offer(db, booth["id"])


def expire(db, old):
    """Store that a hold has expired, and offer its booth to the waiting list."""
    store(db, old, "expired", status="expired")
    free_booth(db, old)


def free_booth(db, old):
    """Make the booth of the ended or moved reservation `old` available, and offer it as
    `offer_around` does.
    """
    booth_rows.set_status(db, old["booth_id"], "available")
    if old["status"] == "confirmed":
        announce_assigned(db, "unassigned", old)
    offer_around(db, booth_rows.row(db, old["booth_id"]))


def offer_around(db, booth):
    """Offer a free booth to its waiting list, then the booths that it overlaps to theirs."""
    offer(db, booth["id"])
    for other in overlapping(booth, db.all(sql.waiting_nearby, **reach(booth))):
        offer(db, other["id"])


def offer(db, booth_id):
    """Let the first participant on the waiting list hold a booth, unless the list is empty or the
    booth is taken.

    If no price can be computed, the reservation has none, and needs a negotiated one before it is
    confirmed. Those who have a link to the page of the participant get a mail.
    """
    first = db.value(sql.first_waiting, booth_id=booth_id)
    if first is None:
        return
    booth = booth_rows.row(db, booth_id)
    if booth["status"] == "blocked" or blockers(db, booth):
        return
    old = row(db, first)
    price = {}
    if not old["is_negotiated"]:
        price = pricing.offered(db, booth, db.one(participants.get, id=old["event_participant_id"]))
    new = store(
        db,
        old,
        "offered",
        status="pending",
        reserved_at=db.now,
        expires_at=_after(db, OFFER_PERIOD),
        **price,
    )
    set_booth_status(db, new)
    links.tell_of_offer(db, new["event_participant_id"])


def set_booth_status(db, new):
    """Set the status of the booth to that of its reservation: reserved or sold."""
    booth_rows.set_status(db, new["booth_id"], HELD_AS[new["status"]], new["expires_at"])


def announce_assigned(db, action, reservation):
    """Write the outgoing event booth.assigned or booth.unassigned: the booth, its participant and
    its reservation.
    """
    booth = {
        **booth_rows.get(db, reservation["booth_id"]),
        "event_participant_id": reservation["event_participant_id"],
        "booth_reservation_id": reservation["id"],
    }
    journal.announced(db, entities.BOOTH, action, booth)


def _after(db, period):
    """Return the timestamp (UTC text) that lies `period` after the start of the transaction."""
    return times.after(db.now, period)
