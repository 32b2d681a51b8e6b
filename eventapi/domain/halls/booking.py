"""Booking: a booth is reserved, held for a while, confirmed, moved or given up, and then goes to the first in line.

Each square metre is sold once: what overlaps a reserved or sold booth cannot be reserved either. Whoever meets a hold
that has run out ends it. Every function here that writes is called inside a write.
"""
from datetime import datetime, timedelta

from eventapi import journal, money, times
from eventapi.domain.halls import booth_rows, pricing
from eventapi.domain.halls.reservation_rows import (
    HELD_AS,
    TRANSITIONS,
    as_stored,
    blockers,
    has_run_out,
    overlapping,
    reach,
    refuse_taken,
    row,
    store,
    unavailable,
)
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults, Problem, invalid_at
from eventapi.storage.database import Duplicate, as_json
from eventapi.storage.statements import statements

sql = statements("booth_reservations")
participants = statements("participants")

HOLD = timedelta(days=7)                                    # unless expires_at says otherwise
OFFER = timedelta(days=3)
LONGEST = timedelta(days=366)
UNPRICED = {"final_price": None, "is_negotiated": 0, "tax_rate": None, "price_breakdown": None}


# Reserving

def reserve(db, wanted, booth, participant):
    """A new reservation, of a booth that is taken only in line for it (`waitlist`); gives its row. 409 names what stands in the way."""
    anonymity.refuse(db, "contact", participant["contact_id"])
    if participant["status"] == "cancelled":
        raise Problem("participant_cancelled", "The participant has cancelled; reinstate the participation first.")
    price = priced(db, booth, participant, wanted["final_price"])
    settle(db, booth)
    if wanted["waitlist"] and (booth["status"] == "blocked" or blockers(db, booth)):
        return stand_in_line(db, booth, participant, {**(price if price["is_negotiated"] else UNPRICED), "notes": wanted["notes"]})
    refuse_taken(db, booth)
    confirmed = wanted["status"] == "confirmed"
    new = add(db, booth, participant, {
        **price, "status": wanted["status"], "notes": wanted["notes"], "reserved_at": db.now,
        "expires_at": None if confirmed else wanted["expires_at"] or after(db, HOLD), "confirmed_at": db.now if confirmed else None})
    occupy(db, new)
    if confirmed:
        journal.announced(db, entities.BOOTH_RESERVATION, "confirmed", as_stored(db, new))
        announce_assigned(db, "assigned", new)
    return new


def stand_in_line(db, booth, participant, values):
    """A place in line: the price is found when the booth is offered, unless it was negotiated before."""
    named = {"booth_id": booth["id"], "event_participant_id": participant["id"]}
    holds = [live["id"] for live in db.all(sql.live, booth_id=booth["id"]) if live["event_participant_id"] == participant["id"]]
    known = next(iter(holds), None) or db.value(sql.in_line, **named)
    if known:
        raise Problem("duplicate", f"The participant {'holds' if holds else 'is in line for'} booth {booth['booth_number']} already.",
                      booth_reservation_id=known, keeps=True)
    return add(db, booth, participant, {**values, "status": "waitlisted", "reserved_at": None, "expires_at": None, "confirmed_at": None})


def add(db, booth, participant, values):
    """Stores and journals a new reservation; of two at once for a booth the unique index lets one in."""
    try:
        id = db.insert(sql.add, **values, booth_id=booth["id"], event_id=booth["event_id"], event_participant_id=participant["id"],
                       created_by=db.actor.admin_id, now=db.now)
    except Duplicate:
        raise unavailable(booth, db.one(sql.live, booth_id=booth["id"])) from None
    new = row(db, id)
    journal.created(db, entities.BOOTH_RESERVATION, as_stored(db, new))
    return new


def priced(db, booth, participant, negotiated=None):
    """The columns of the price, frozen from now on: the one agreed on (minor units), else the computed one; 422 where there is none."""
    if negotiated is None:
        price = computed(pricing.quote(db, booth, participant))
        refuse_unpriced(price, booth["booth_number"])
        return price
    breakdown = {"model": "negotiated", "total": money.major(negotiated, db.config.currency)}
    return {"final_price": negotiated, "is_negotiated": 1, "tax_rate": booth_rows.tax_rate(db, booth),
            "price_breakdown": as_json(breakdown)}


def computed(quote):
    return {"final_price": quote["price"], "is_negotiated": 0, "tax_rate": quote["tax_rate"],
            "price_breakdown": as_json(quote["breakdown"])}


def refuse_unpriced(price, booth_number):
    if price["final_price"] is None:
        raise invalid_at("/final_price", "required",
                         f"is required: no price can be computed for booth {booth_number}")


# What may be done with one

def confirm(db, old):
    """The booth is sold."""
    if TRANSITIONS.move("confirm", standing(db, old)["status"]) is None:
        return old
    refuse_unpriced(old, old["booth_number"])
    new = store(db, old, "confirmed", status="confirmed", confirmed_at=db.now, expires_at=None)
    occupy(db, new)
    announce_assigned(db, "assigned", new)
    return new


def cancel(db, old, reason=None):
    """The booth goes to the first in line."""
    if TRANSITIONS.move("cancel", standing(db, old)["status"]) is None:
        return old
    new = store(db, old, "cancelled", status="cancelled", cancelled_at=db.now, cancellation_reason=reason, expires_at=None)
    if old["status"] in HELD_AS:
        vacate(db, old)
    return new


def extend(db, old, expires_at):
    """The hold lasts until another moment."""
    TRANSITIONS.move("extend", standing(db, old)["status"])
    faults = Faults()
    check_expiry(db, expires_at, faults)
    faults.raise_any()
    new = store(db, old, "extended", expires_at=expires_at)
    if new["expires_at"] != old["expires_at"]:
        occupy(db, new)
    return new


def move(db, old, booth):
    """The reservation is for another booth: what it left goes to its line.

    A price that was agreed on stays, else it is a new one.
    """
    TRANSITIONS.move("move", standing(db, old)["status"])
    if booth["id"] == old["booth_id"]:
        return old
    price = {} if old["is_negotiated"] else priced(db, booth, db.one(participants.get, id=old["event_participant_id"]))
    settle(db, booth)
    refuse_taken(db, booth, but=old["id"])
    new = store(db, old, "moved", booth_id=booth["id"], **price)
    vacate(db, old)
    occupy(db, new)
    if new["status"] == "confirmed":
        announce_assigned(db, "assigned", new)
    return new


def another_price(db, old, negotiated):
    """The columns of another price while the booth is not sold: one agreed on, or with None the computed one."""
    if standing(db, old)["status"] not in ("pending", "waitlisted"):
        raise Problem("invalid_transition", f"The price is fixed once the booth reservation is {old['status']}; cancel it and reserve anew.",
                      state=old["status"], allowed_from=["pending", "waitlisted"], allowed_actions=TRANSITIONS.actions(old["status"]))
    if negotiated is None and old["status"] == "waitlisted":
        return UNPRICED
    participant = db.one(participants.get, id=old["event_participant_id"])
    return priced(db, booth_rows.row(db, old["booth_id"]), participant, negotiated)


def standing(db, old):
    """The row, unless its hold has run out: then it ends here, and what was asked of it is refused."""
    if has_run_out(db, old):
        expire(db, old)
        raise Problem("invalid_transition", f"The booth reservation ran out at {old['expires_at']}.", state="expired", allowed_from=[],
                      allowed_actions=[], keeps=True)
    return old


def check_expiry(db, expires_at, faults):
    if not db.now < expires_at <= after(db, LONGEST):
        faults.add("/expires_at", "out_of_range", "must be in the future, and at most a year from now")


def release(db, participant_id, reason):
    """Gives up every booth and every place in line of a participant; the places first, so that none is offered to him."""
    for id in db.values(sql.of_participant, event_participant_id=participant_id):
        found = row(db, id)
        if has_run_out(db, found):
            expire(db, found)
        elif found["status"] in TRANSITIONS.table["cancel"][0]:
            cancel(db, found, reason)


# Time, and the line

def expire_due(db, limit):
    """For the worker: ends the holds that have run out, at most `limit` of them; gives how many."""
    if not db.values(sql.due, now=times.now(), limit=1):
        return 0
    with db.write():
        due = db.values(sql.due, now=db.now, limit=limit)
        for id in due:
            expire(db, row(db, id))
    return len(due)


def settle(db, booth):
    """Brings a booth up to now: what has run out on it or over it ends, and the first in line has it before anybody else."""
    for live in blockers(db, booth):
        if has_run_out(db, live):
            expire(db, row(db, live["id"]))
    offer(db, booth["id"])


def expire(db, old):
    store(db, old, "expired", status="expired")
    vacate(db, old)


def vacate(db, old):
    """A booth without its reservation `old`: free, then offered to its line, then to the lines of those that it stood in the way of."""
    booth_rows.set_status(db, old["booth_id"], "available")
    if old["status"] == "confirmed":
        announce_assigned(db, "unassigned", old)
    offer_around(db, booth_rows.row(db, old["booth_id"]))


def offer_around(db, booth):
    """A booth stands free: it, and those that it overlaps, go to the first in line."""
    offer(db, booth["id"])
    for other in overlapping(booth, db.all(sql.waiting_nearby, **reach(booth))):
        offer(db, other["id"])


def offer(db, booth_id):
    """Lets the first in line hold a booth, if somebody is and nothing stands in the way.

    Where no price can be computed, one has to be agreed on before it is confirmed.
    """
    first = db.value(sql.first_in_line, booth_id=booth_id)
    booth = first and booth_rows.row(db, booth_id)
    if first is None or booth["status"] == "blocked" or blockers(db, booth):
        return
    old = row(db, first)
    price = {} if old["is_negotiated"] else price_of_offer(db, booth, old)
    occupy(db, store(db, old, "offered", status="pending", reserved_at=db.now, expires_at=after(db, OFFER), **price))


def price_of_offer(db, booth, old):
    """The computed price, which may be none: a formula that fails for who is first in line must not keep the hold before it from ending."""
    try:
        return computed(pricing.quote(db, booth, db.one(participants.get, id=old["event_participant_id"])))
    except Problem as impossible:
        return {**UNPRICED, "price_breakdown": as_json({"model": "none", "note": impossible.errors[0]["detail"]})}


def occupy(db, new):
    """The booth follows its reservation."""
    booth_rows.set_status(db, new["booth_id"], HELD_AS[new["status"]], new["expires_at"])


def announce_assigned(db, action, reservation):
    """Write the outgoing event booth.assigned or booth.unassigned: the booth, its participant and its reservation."""
    booth = {**booth_rows.get(db, reservation["booth_id"]), "event_participant_id": reservation["event_participant_id"],
             "booth_reservation_id": reservation["id"]}
    journal.announced(db, entities.BOOTH, action, booth)


def after(db, span):
    return times.text(datetime.fromisoformat(db.now) + span)
