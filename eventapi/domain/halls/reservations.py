"""Booth reservations: checks of the fields of a request.

`booking` then reserves, confirms, moves and cancels. Every function is called inside a write
transaction, journals the change, takes validated fields, and returns the row of the reservation;
see `reservation_rows`.
"""

from eventapi import money
from eventapi.domain.halls import booking, booth_rows, reservation_rows
from eventapi.domain.halls.reservation_rows import TRANSITIONS
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import BOOTH, PARTICIPANT
from eventapi.errors import Faults, listed
from eventapi.storage.statements import statements

participants = statements("participants")

INITIAL = ("pending", "confirmed")


def create(db, fields):
    """Reserve a booth, or join its waiting list if it is taken and `waitlist` is set.

    `fields` is a complete body.

    Raise 422 for unknown or contradicting fields, or if no price can be computed; 409
    `booth_unavailable`, `duplicate`, `anonymized` or `participant_cancelled`.
    """
    faults = Faults()
    booth, participant = _booth_and_participant(db, fields, faults)
    price = whole(fields, "final_price", money.decimals(db.config.currency), faults)
    _check_new(db, fields, faults)
    faults.raise_any()
    return booking.reserve(db, {**fields, "final_price": price}, booth, participant)


def update(db, row, fields):
    """Change a booth reservation. `fields` holds the changed fields.

    A new `status` runs the action that leads there, a new `booth_id` runs move, a new `expires_at`
    runs extend. Raise 422 for contradicting fields; 409 `anonymized`, `booth_unavailable` or
    `invalid_transition`.
    """
    shown = reservation_rows.represent(db, row)
    wanted, booth = _checked(db, row, shown, fields)
    anonymity.refuse_text(db, entities.BOOTH_RESERVATION, row, fields)
    if wanted["status"] != shown["status"]:
        # before any write, because its error commits the transaction
        booking.refuse_expired(db, row)
    if booth:
        # before other changes, because other reservations may prevent it
        row = booking.move(db, row, booth)
    changes = {"notes": wanted["notes"]}
    if "final_price" in fields and wanted["final_price"] != row["final_price"]:
        changes.update(booking.changed_price(db, row, wanted["final_price"]))
    if wanted["expires_at"] != shown["expires_at"]:
        row = booking.extend(db, row, wanted["expires_at"])
    reason = wanted["cancellation_reason"]
    if wanted["status"] == shown["status"]:
        return reservation_rows.store(db, row, "updated", **changes, cancellation_reason=reason)
    action = TRANSITIONS.action_to(row["status"], wanted["status"])
    row = reservation_rows.store(db, row, "updated", **changes)
    if action == "confirm":
        return booking.confirm(db, row)
    return booking.cancel(db, row, reason)


def cancel(db, row, reason):
    """Cancel a booth reservation; `reason` may be None.

    Raise 409 `invalid_transition`, or `anonymized` for a reason.
    """
    if reason:
        anonymity.refuse(db, "booth_reservation", row["id"])
    return booking.cancel(db, row, reason)


def move(db, row, booth_id, keep_price=False):
    """Move a booth reservation to another booth of its event. See `booking.move`.

    Raise 422 for another booth, and 409 as `update` does.
    """
    faults = Faults()
    booth = _target(db, row, booth_id, faults)
    faults.raise_any()
    return booking.move(db, row, booth, keep_price)


def swap(db, one, other_id, keep_price=False):
    """Exchange the booths of two reservations of an event. See `booking.swap`.

    Raise 422 for another reservation that does not exist, or belongs to another event.
    """
    faults = Faults()
    other = reservation_rows.row(db, other_id)
    if other is None:
        faults.add("/with", "unknown", f"is unknown: no booth reservation has the id {other_id}")
    elif other["event_id"] != one["event_id"]:
        faults.add(
            "/with",
            "other_event",
            f"must be a booth reservation of {one['event_key']}, the event of the reservation",
        )
    faults.raise_any()
    return booking.swap(db, one, other, keep_price)


def _booth_and_participant(db, fields, faults):
    """Return the rows of the booth and the participant, or None.

    Add faults unless both exist and share an event.
    """
    booth_id = references.resolve(db, fields, BOOTH, faults)
    participant_id = references.resolve(db, fields, PARTICIPANT, faults)
    booth = booth_id and booth_rows.row(db, booth_id)
    participant = participant_id and db.one(participants.get, id=participant_id)
    if booth and participant and booth["event_id"] != participant["event_id"]:
        faults.add(
            "/event_participant_id",
            "other_event",
            f"takes part in {participant['event_key']}, but booth {booth['booth_number']} belongs to another "
            "event",
        )
    return booth, participant


def _target(db, row, booth_id, faults):
    """Return the row of the booth to move to.

    Add a fault unless it belongs to the event of the reservation.
    """
    booth = booth_rows.row(db, booth_id)
    if booth is None:
        faults.add("/booth_id", "unknown", f"is unknown: no booth has the id {booth_id}")
    elif booth["event_id"] != row["event_id"]:
        faults.add(
            "/booth_id",
            "other_event",
            f"must be a booth of {row['event_key']}, the event of the reservation",
        )
    return booth


def _check_new(db, fields, faults):
    """Add the faults of a new reservation that the schema cannot express."""
    if fields["status"] not in INITIAL:
        faults.add(
            "/status",
            "enum",
            f"must be {listed(INITIAL, 'or')} at first, but is {fields['status']}",
        )
    elif fields["waitlist"] and fields["status"] != "pending":
        faults.add(
            "/waitlist",
            "disagrees",
            "must be false if `status` is confirmed: a participant on the waiting list cannot be confirmed",
        )
    if fields["cancellation_reason"] is not None:
        faults.add("/cancellation_reason", "disagrees", "must be null unless `status` is cancelled")
    if fields["expires_at"] is not None and fields["status"] == "confirmed":
        faults.add(
            "/expires_at",
            "disagrees",
            "must be null if `status` is confirmed: the reservation does not expire",
        )
    elif fields["expires_at"] is not None:
        booking.check_expiry(db, fields["expires_at"], faults)


def _checked(db, row, shown, fields):
    """Return the row with the changed fields, and the row of the booth to move to or None.

    `shown` is the API object. Raise 422 with every fault found.
    """
    faults = Faults()
    wanted = {**row, "status": shown["status"], **fields}
    participant_id = references.resolve(db, fields, PARTICIPANT, faults)
    if participant_id not in (None, row["event_participant_id"]):
        faults.add(
            "/event_participant_id",
            "fixed",
            "cannot change. Cancel this reservation and create another",
        )
    booth = (
        _target(db, row, wanted["booth_id"], faults)
        if wanted["booth_id"] != row["booth_id"]
        else None
    )
    if "final_price" in fields:
        wanted["final_price"] = whole(
            fields, "final_price", money.decimals(db.config.currency), faults
        )
    if wanted["expires_at"] is None and row["expires_at"] is not None:
        faults.add(
            "/expires_at", "required", "must be a timestamp: a pending reservation has an end"
        )
    if (
        wanted["cancellation_reason"] != row["cancellation_reason"]
        and wanted["status"] != "cancelled"
    ):
        faults.add("/cancellation_reason", "disagrees", "must be null unless `status` is cancelled")
    if fields.get("waitlist") and row["status"] != "waitlisted":
        faults.add(
            "/waitlist",
            "disagrees",
            "can be set only when a reservation is created. Create another reservation",
        )
    faults.raise_any()
    return wanted, booth
