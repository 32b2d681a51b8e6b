"""The people at a booth: an exhibitor names them, and each gets a badge. How many is limited.

A badge that was downloaded or scanned counts for ever, also once its person is removed, and gets
another name once. Every function that writes is called inside a write transaction and journals the
change.
"""

from eventapi import journal
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("portal")


def quotas(db, ids):
    """Return participant id -> {free, ordered, used}: badges for the people at the booth of each."""
    return {
        row.pop("participant_id"): row
        for row in db.all(sql.quotas, participant_id=as_json(list(ids)))
    }


def quota(db, participant):
    """Return {free, ordered, used, left} of a participant."""
    found = quotas(db, [participant["id"]])[participant["id"]]
    return {**found, "left": max(found["free"] + found["ordered"] - found["used"], 0)}


def people(db, participant):
    """Return the people at the booth as rows, with `is_issued` and `can_rename`.

    Removed ones stay if they count.
    """
    rows = [
        {**row, "is_issued": bool(row["badge_issued_at"] or row["was_scanned"])}
        for row in db.all(sql.staff, participant_id=participant["id"])
    ]
    return [
        {**row, "can_rename": not (row["is_issued"] and row["badge_renamed_at"])}
        for row in rows
        if row["status"] != "cancelled" or row["is_issued"]
    ]


def person(db, participant, id):
    """Return one of the people at the booth who was not removed, or None."""
    return next(
        (
            row
            for row in people(db, participant)
            if row["id"] == id and row["status"] != "cancelled"
        ),
        None,
    )


def add(db, participant, first_name, last_name):
    """Add a person and return the participant with the role staff.

    Raise 422 for a missing name, 409 `badges_used_up`, `participant_cancelled` or `anonymized`.
    """
    names = _names(first_name, last_name)
    anonymity.refuse_gone(participant)
    found = quota(db, participant)
    if not found["left"]:
        raise Problem(
            "badges_used_up",
            f"All {found['free'] + found['ordered']} badges are used. Order more, or "
            "remove a person whose badge was not downloaded yet.",
            **found,
        )
    contact = contacts.add(db, {**names, "company_name": participant["company_name"]})
    return participants.add(
        db,
        event_id=participant["event_id"],
        contact_id=contact["id"],
        role="staff",
        host_participant_id=participant["id"],
        confirmed=participant["status"] == "confirmed",
    )


def rename(db, participant, row, first_name, last_name):
    """Give a person another name.

    A badge that was issued is replaced: the old one is refused at the door.

    `row` is one of `people`. Raise 422 for a missing name, 409 `badge_fixed` for the second change
    of an issued badge.
    """
    names = _names(first_name, last_name)
    anonymity.refuse_gone(participant)
    old = contacts.get(db, row["contact_id"])
    if all(old[name] == value for name, value in names.items()):
        return
    if not row["can_rename"]:
        raise Problem(
            "badge_fixed",
            "The badge was issued and has got another name already, so it cannot change "
            "again. Ask the organiser.",
        )
    contacts.change(db, old, names)
    if row["is_issued"]:
        participants.replace_badge(db, participants.get(db, row["id"]))
        db.run(sql.mark_renamed, participant_id=participant["id"], id=row["id"], now=db.now)


def remove(db, participant, row):
    """Cancel the badge of a person. `row` is one of `people`."""
    anonymity.refuse_gone(participant)
    participants.move(db, participants.get(db, row["id"]), "cancel")


def issue(db, participant, row):
    """Record that the badge of a person is downloaded. `row` is one of `people`."""
    if db.run(sql.issue_badge, participant_id=participant["id"], id=row["id"], now=db.now):
        journal.administered(
            db,
            entities.EVENT_PARTICIPANT,
            "badge_issued",
            row["id"],
            old={"badge_issued_at": None},
            new={"badge_issued_at": db.now},
        )


def _names(first_name, last_name):
    """Return the names as fields of a contact. Raise 422 unless there are both."""
    faults = Faults()
    names = {"first_name": (first_name or "").strip(), "last_name": (last_name or "").strip()}
    for name, value in names.items():
        if not value:
            faults.add(f"/{name}", "required", "is required: it is printed on the badge")
    faults.raise_any()
    return names
