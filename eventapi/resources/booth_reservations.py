"""Booth reservations: who takes which booth, for what price, and who waits for it."""
from functools import partial

from eventapi import money, times
from eventapi.domain.halls import booking, booth_rows, reservations
from eventapi.domain.halls.reservations import TRANSITIONS, represent
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import BOOTH, EVENT, PARTICIPANT
from eventapi.errors import Faults
from eventapi.storage.statements import statements
from eventapi.web.includes import allowed_actions, attach_one, ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import created, deleted, found, unchanged
from eventapi.web.routes import Routes

routes = Routes("booth-reservations", "booth_reservation", scope="booths", flag="booths", states=(TRANSITIONS,))
sql = statements("booth_reservations")
participants = statements("participants")

BEGINNINGS = ("pending", "confirmed")
COMPUTED = ("pending", "expired")           # states that the clock changes, each a filter of its own


@routes.list("/booth-reservations", query="booth_reservation.query")
def list_booth_reservations(db, query):
    query = {**references.filters(db, query, EVENT, BOOTH, PARTICIPANT), "now": times.now()}
    if query.get("status") in COMPUTED:
        query[query.pop("status")] = True
    return page(db, sql.list, query, partial(represent, db), INCLUDES)


@routes.post("/booth-reservations", schema="booth_reservation")
def create_booth_reservation(db, body):
    """Reserves a booth.

    Of all that ask for a booth at once exactly one gets it. The others are told by booth_unavailable what stands in the way and until
    when; with `waitlist` they stand in line for it, and the first in line is offered it as soon as it is free.
    """
    faults = Faults()
    booth, participant = named(db, body, faults)
    body["final_price"] = whole(body, "final_price", money.decimals(db.config.currency), faults)
    check_new(db, body, faults)
    faults.raise_any()
    reservation = represent(db, booking.reserve(db, body, booth, participant))
    return created(reservation, f"/booth-reservations/{reservation['id']}")


@routes.get("/booth-reservations/<id>", query="booth_reservation.one")
def get_booth_reservation(db, id, query):
    return one(db, represent(db, get(db, id)), query, INCLUDES)


@routes.update("/booth-reservations/<id>", schema="booth_reservation")
def update_booth_reservation(db, id, body):
    """Changes a booth reservation.

    Another `status` asks for the action that leads there, another `booth_id` for move, another `expires_at` for extend. `final_price`
    changes while it is pending or waitlisted; null has it computed.
    """
    row = get(db, id)
    shown = unchanged(represent(db, row))
    return represent(db, change(db, row, shown, body))


@routes.delete("/booth-reservations/<id>")
def delete_booth_reservation(db, id):
    """Cancels a booth reservation, which stays to be read as cancelled."""
    row = get(db, id)
    unchanged(represent(db, row))
    booking.cancel(db, row)
    return deleted()


@routes.post("/booth-reservations/<id>/confirm")
def confirm_booth_reservation(db, id):
    """Sells the booth: booth.assigned is told."""
    return represent(db, booking.confirm(db, get(db, id)))


@routes.post("/booth-reservations/<id>/cancel", schema="booth_reservation.cancel")
def cancel_booth_reservation(db, id, body):
    """Gives the booth up: it is offered to the first in line."""
    if body["reason"]:
        anonymity.refuse(db, "booth_reservation", id)
    return represent(db, booking.cancel(db, get(db, id), body["reason"]))


@routes.post("/booth-reservations/<id>/extend", schema="booth_reservation.extend")
def extend_booth_reservation(db, id, body):
    """Holds the booth until another moment."""
    return represent(db, booking.extend(db, get(db, id), body["expires_at"]))


@routes.post("/booth-reservations/<id>/move", schema="booth_reservation.move")
def move_booth_reservation(db, id, body):
    """Takes another booth instead, in one step.

    The booth that becomes free is offered to its line. A negotiated price stays, else it is computed for the new booth.
    """
    row, faults = get(db, id), Faults()
    booth = booth_for(db, row, body["booth_id"], faults)
    faults.raise_any()
    return represent(db, booking.move(db, row, booth))


def get(db, id):
    return found(reservations.row(db, id), "booth_reservation", id)


def named(db, body, faults):
    """The rows of booth and participant that a new reservation names; both must be of one event."""
    booth_id = references.resolve(db, body, BOOTH, faults)
    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    booth = booth_id and booth_rows.row(db, booth_id)
    participant = participant_id and db.one(participants.get, id=participant_id)
    if booth and participant and booth["event_id"] != participant["event_id"]:
        faults.add("/event_participant_id", "other_event", f"takes part in {participant['event_key']}, where booth {booth['booth_number']} is not")
    return booth, participant


def booth_for(db, row, booth_id, faults):
    """The booth that a reservation is to be moved to: one of the same event."""
    booth = booth_rows.row(db, booth_id)
    if booth is None:
        faults.add("/booth_id", "unknown", "names no record")
    elif booth["event_id"] != row["event_id"]:
        faults.add("/booth_id", "other_event", f"is not a booth of {row['event_key']}")
    return booth


def check_new(db, body, faults):
    """What the schema cannot say of a new reservation."""
    if body["status"] not in BEGINNINGS:
        faults.add("/status", "enum", "must be one of: " + ", ".join(BEGINNINGS))
    elif body["waitlist"] and body["status"] != "pending":
        faults.add("/waitlist", "disagrees", "who may have to wait cannot be confirmed at once")
    if body["cancellation_reason"] is not None:
        faults.add("/cancellation_reason", "disagrees", "goes with the status cancelled")
    if body["expires_at"] is not None and body["status"] == "confirmed":
        faults.add("/expires_at", "disagrees", "a confirmed reservation does not expire")
    elif body["expires_at"] is not None:
        booking.check_expiry(db, body["expires_at"], faults)


def change(db, row, shown, body):
    """The reservation with what the body says. Moving comes first, since it alone may be refused for the sake of others."""
    wanted, booth = checked(db, row, shown, body)
    anonymity.refuse_text(db, entities.BOOTH_RESERVATION, row, body)
    if wanted["status"] != shown["status"]:
        booking.standing(db, row)               # before anything is written, since what that refuses keeps what was
    if booth:
        row = booking.move(db, row, booth)
    changes = {"notes": wanted["notes"]}
    if "final_price" in body and wanted["final_price"] != row["final_price"]:
        changes.update(booking.another_price(db, row, wanted["final_price"]))
    if wanted["expires_at"] != shown["expires_at"]:
        row = booking.extend(db, row, wanted["expires_at"])
    if wanted["status"] == shown["status"]:
        return reservations.store(db, row, "updated", **changes, cancellation_reason=wanted["cancellation_reason"])
    action = TRANSITIONS.action_to(row["status"], wanted["status"])
    row = reservations.store(db, row, "updated", **changes)
    return booking.confirm(db, row) if action == "confirm" else booking.cancel(db, row, wanted["cancellation_reason"])


def checked(db, row, shown, body):
    """What is wanted, and the booth to move to, if it is another one; 422 for what the records say against it."""
    faults = Faults()
    wanted = {**row, "status": shown["status"], **body}
    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    if participant_id not in (None, row["event_participant_id"]):
        faults.add("/event_participant_id", "fixed", "cannot change; cancel this reservation and make another")
    booth = booth_for(db, row, wanted["booth_id"], faults) if wanted["booth_id"] != row["booth_id"] else None
    if "final_price" in body:
        wanted["final_price"] = whole(body, "final_price", money.decimals(db.config.currency), faults)
    if wanted["expires_at"] is None and row["expires_at"] is not None:
        faults.add("/expires_at", "required", "must be a moment")
    if wanted["cancellation_reason"] != row["cancellation_reason"] and wanted["status"] != "cancelled":
        faults.add("/cancellation_reason", "disagrees", "goes with the status cancelled")
    if body.get("waitlist") and row["status"] != "waitlisted":
        faults.add("/waitlist", "disagrees", "is asked when a reservation is made; make another")
    faults.raise_any()
    return wanted, booth


def include_booth(db, records):
    scaled = {"width": 3, "depth": 3, "area": 6}
    booths = [{**row, **{name: money.unscaled(row[name], places) for name, places in scaled.items()}}
              for row in db.all(sql.booths_of, ids=ids_of(records))]
    attach_one(records, "booth", booths, "reservation_id")


def include_participant(db, records):
    attach_one(records, "participant", db.all(sql.participants_of, ids=ids_of(records)), "reservation_id")


INCLUDES = {"booth": include_booth, "participant": include_participant,
            "allowed_actions": allowed_actions(TRANSITIONS.of)}
