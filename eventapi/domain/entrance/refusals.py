"""Refusals: the problem of each scan that is refused.

Its text tells the staff at the entrance what to do.
"""

from eventapi.domain.entrance import badges, check_ins
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("admission")


def code(event, participant, replaced_at, scan):
    """Return the code for which a scan is refused whatever the other scans are, or None.

    `participant` is a row, or None for an unknown badge. `replaced_at` is the time at which the
    number of the scan was replaced, or None. `scan` has `action` and `scanned_at`: a scan counts if
    it was made before the replacement or cancellation.
    """
    if participant is None:
        return "unknown_badge"
    if participant["event_id"] != event["id"]:
        return "wrong_event"
    if replaced_at and scan["scanned_at"] >= replaced_at:
        return "badge_replaced"
    # A participant who is inside may leave, even after a cancellation.
    cancelled_at = participant["cancelled_at"]
    if cancelled_at and scan["scanned_at"] >= cancelled_at and scan["action"] == "check_in":
        return "participant_cancelled"
    return None


def problem(db, scan):
    """Return the Problem of a refused scan.

    It does not roll back the transaction, so that the scan stays stored.
    """
    return PROBLEMS[scan["code"]](db, scan)


def _unknown_badge(db, scan):
    number = scan["badge_number"]
    is_mistyped = not badges.is_valid(number)
    cause = (
        "Its check character is wrong, so it was mistyped or misread. Scan or type it again."
        if is_mistyped
        else "The participant may have been deleted. Search for the participant by name."
    )
    return Problem(
        "unknown_badge",
        f"No participant has the badge number {number}. {cause}",
        keeps=True,
        is_mistyped=is_mistyped,
    )


def _wrong_event(db, scan):
    number = scan["badge_number"]
    event_key = (db.one(sql.participant, id=scan["event_participant_id"]) or {}).get("event_key")
    scanned = f"badge {number}" if number else "participant"
    return Problem(
        "wrong_event",
        f"The {scanned} belongs to the event {event_key}, and the scan names another event. Send the "
        "`event_key` of the event at which the badge is scanned, or send the person to the other event.",
        keeps=True,
        event_key=event_key,
    )


def _badge_replaced(db, scan):
    number, id = scan["badge_number"], scan["event_participant_id"]
    replaced_at = (badges.holder(db, number) or {}).get("replaced_at")
    return Problem(
        "badge_replaced",
        f"Badge {number} is no longer valid: it was replaced at {replaced_at}. Scan the new badge of the "
        f"participant, or send `event_participant_id` {id} once you know that it is the right person.",
        keeps=True,
        event_participant_id=id,
        replaced_at=replaced_at,
    )


def _participant_cancelled(db, scan):
    id = scan["event_participant_id"]
    return Problem(
        "participant_cancelled",
        "The participant has cancelled. To admit the person, reinstate the participation with POST "
        f"/participants/{id}/reinstate.",
        keeps=True,
    )


def _already_checked_in(db, scan):
    check_in = check_ins.get(db, scan["check_in_id"])
    return Problem(
        "already_checked_in",
        f"The participant has been checked in since {check_in['checked_in_at']}. Send `force` as true "
        "to close that visit and to open a new one.",
        keeps=True,
        check_in=check_in,
    )


def _not_checked_in(db, scan):
    return Problem(
        "not_checked_in",
        f"The participant was not checked in at {scan['scanned_at']}, so no visit can be closed. Send "
        "`action` as check_in to open one.",
        keeps=True,
    )


PROBLEMS = {
    "unknown_badge": _unknown_badge,
    "wrong_event": _wrong_event,
    "badge_replaced": _badge_replaced,
    "participant_cancelled": _participant_cancelled,
    "already_checked_in": _already_checked_in,
    "not_checked_in": _not_checked_in,
}
