"""Participants: contacts that take part in an event, in one role, with a badge number for it.

Every function that writes is called inside a write transaction and journals the change.
"""

import json

from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.entrance import badges
from eventapi.domain.events import schedules
from eventapi.domain.halls import booking
from eventapi.domain.orders import ordering
from eventapi.domain.records import anonymity, custom_fields, entities, references
from eventapi.domain.records.references import CATEGORY, CONTACT, EVENT, HOST
from eventapi.errors import Faults, Problem, listed
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("participants")

TRANSITIONS = Transitions(
    "participant",
    {
        "confirm": (("registered",), "confirmed"),
        "unconfirm": (("confirmed",), "registered"),
        "reinstate": (("cancelled",), "registered"),
        "cancel": (("registered", "confirmed"), "cancelled"),
    },
    {"unconfirm": "unconfirmed", "reinstate": "reinstated"},
)
HOSTS = ("exhibitor", "sponsor")  # roles that may be a host
HOSTED = ("co_exhibitor", "staff")  # roles that may have a host
# anonymising erases these permanently
PERSONAL = (
    *entities.EVENT_PARTICIPANT.personal,
    "custom_fields",
)


# Reading


def get(db, id):
    """Return the participant, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["is_confirmed"] = bool(row["is_confirmed"])
    if "custom_fields" in row:
        row["custom_fields"] = json.loads(row["custom_fields"])
    row["is_checked_in"] = bool(row["is_checked_in"])
    return row


def check(db):
    """Return a sentence for each event whose counters of participants are wrong."""
    return [
        f"participants of {event_key}: the counters by role, status and category differ from the participants"
        for event_key in db.values(sql.wrong_counts)
    ]


# Writing


def create(db, fields):
    """Create a participant and return it. `fields` is a complete validated body.

    Raise 422 for an unknown event, contact or category, a host that cannot be one, and for faults
    in custom fields; 409 `anonymized`, or `duplicate` if the contact takes part in the event in
    this role already.
    """
    ids, values = _named(db, fields, {"custom_fields": {}})
    return add(
        db,
        **ids,
        fields=values,
        role=fields["role"],
        badge_name=fields["badge_name"],
        confirmed=fields["is_confirmed"],
    )


def update(db, old, fields):
    """Change a participant and return it. `fields` holds the changed fields.

    A changed `is_confirmed` requests the action confirm or unconfirm. Raise 422 and 409 as `create`
    does, 409 `in_use` for another event or contact while records refer to the participant, and 409
    `invalid_transition`.
    """
    ids, values = _named(db, fields, old)
    was_confirmed = old["is_confirmed"]
    new = change(
        db, old, {**old, **fields, **ids, "custom_fields": values, "is_confirmed": was_confirmed}
    )
    if fields.get("is_confirmed", was_confirmed) == was_confirmed:
        return new
    return move(db, new, "unconfirm" if was_confirmed else "confirm")


def add(
    db,
    *,
    event_id,
    contact_id,
    role="exhibitor",
    category_id=None,
    application_id=None,
    made_by=None,
    badge_name=None,
    host_participant_id=None,
    confirmed=False,
    fields=None,
):
    """Add a participant and return it.

    `fields` are its checked custom fields; for the host see `check_host`.

    `made_by` is the id of the application whose applicant may reach the page and the badge of the
    participant.

    Raise 409 `anonymized`, or `duplicate` if the contact takes part in the event in this role
    already.
    """
    anonymity.refuse(db, "contact", contact_id)
    _refuse_duplicate(db, event_id, contact_id, role)
    id = db.insert(
        sql.add,
        event_id=event_id,
        contact_id=contact_id,
        role=role,
        category_id=category_id,
        application_id=application_id,
        made_by=made_by,
        badge_name=badge_name,
        badge_number=badges.free(db),
        host_participant_id=host_participant_id,
        now=db.now,
        status="confirmed" if confirmed else "registered",
    )
    custom_fields.store(db, "event_participant", id, {}, fields or {})
    new = get(db, id)
    journal.created(db, entities.EVENT_PARTICIPANT, new)
    if confirmed:
        journal.announced(db, entities.EVENT_PARTICIPANT, "confirmed", new)
    return new


def find(db, event_id, contact_id, role):
    """Return the id of the participant that the contact is at the event in this role, or None."""
    return db.value(sql.find, event_id=event_id, contact_id=contact_id, role=role)


def ensure(
    db,
    *,
    event_id,
    contact_id,
    role="exhibitor",
    category_id=None,
    application_id=None,
    made_by=None,
    badge_name=None,
    values=None,
):
    """Return `(participant, skipped)`: the participant that the contact is at the event in this
    role.

    Reinstate a cancelled one, and add a missing one, with `made_by`, and with `badge_name` on its
    badge. It takes over custom fields from `values`; for `skipped` see
    `custom_fields.carried_over`.
    """
    id = find(db, event_id, contact_id, role)
    known = id and get(db, id)
    fields, skipped = custom_fields.carried_over(
        db, "event_participant", values or {}, known["custom_fields"] if known else {}
    )
    if known is None:
        return add(
            db,
            event_id=event_id,
            contact_id=contact_id,
            role=role,
            category_id=category_id,
            application_id=application_id,
            made_by=made_by,
            badge_name=badge_name,
            fields=fields,
        ), skipped
    known = change(
        db,
        known,
        {
            **known,
            "category_id": known["category_id"] or category_id,
            "application_id": known["application_id"] or application_id,
            "custom_fields": fields,
        },
    )
    return (move(db, known, "reinstate") if known["status"] == "cancelled" else known), skipped


def set_events(db, contact_id, event_ids):
    """Replace the events of the contact: add and delete participants.

    Change nothing if `event_ids` is None.

    Raise 409 as `add` and `delete` do.
    """
    if event_ids is None:
        return
    participants = db.all(sql.of_contact, contact_id=contact_id)
    for participant in participants:
        if participant["event_id"] not in event_ids:
            delete(db, participant["id"])
    known = {participant["event_id"] for participant in participants}
    for event_id in event_ids:
        if event_id not in known:
            add(db, event_id=event_id, contact_id=contact_id)


def change(db, old, merged):
    """Change a participant, but not its status, and return it.

    Raise 409 `anonymized`, `in_use` for another event or contact while records refer to it or for a
    role that is no host's while it is one, or `duplicate`.
    """
    if merged == old:
        return old
    if merged["role"] not in HOSTS and old["role"] in HOSTS:
        references.refuse_in_use(
            db,
            sql.host_of,
            old["id"],
            f"The participant is the host of {{}}, so its role cannot become {merged['role']}. "
            "Change their `host_participant_id` first.",
        )
    if any(merged[name] and merged[name] != old[name] for name in PERSONAL):
        anonymity.refuse(db, "contact", old["contact_id"])
    if (merged["event_id"], merged["contact_id"]) != (old["event_id"], old["contact_id"]):
        references.refuse_in_use(
            db,
            sql.users,
            old["id"],
            "The participant has {}, so its event and contact cannot change. Create another "
            "participant instead.",
        )
    identity = merged["event_id"], merged["contact_id"], merged["role"]
    if identity != (old["event_id"], old["contact_id"], old["role"]):
        _refuse_duplicate(db, *identity)
    db.run(sql.change, **merged, now=db.now)
    custom_fields.store(
        db, "event_participant", old["id"], old["custom_fields"], merged["custom_fields"]
    )
    new = get(db, old["id"])
    journal.updated(db, entities.EVENT_PARTICIPANT, old, new)
    return new


def move(db, old, action, reason=None):
    """Confirm, unconfirm, reinstate or cancel a participant and return it.

    `cancel` releases its booths and sessions, and cancels its draft and submitted orders; `reason`
    is kept with these. A
    participant that is in the target state already stays as it is. Raise 409 `invalid_transition`.
    """
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    db.run(sql.move, id=old["id"], status=status, now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.EVENT_PARTICIPANT, old, new, action=TRANSITIONS.past(action))
    if action == "cancel":
        reason = reason or "The participation was cancelled."
        booking.release(db, old["id"], reason)
        ordering.release(db, old["id"], reason)
        schedules.release(db, old["id"])
    return new


def replace_badge(db, old):
    """Give a participant a new badge number, refuse its old ones from now on, and return the
    participant.

    Raise 409 `participant_cancelled`.
    """
    if old["status"] == "cancelled":
        raise anonymity.cancelled(old["id"])
    badges.replace(db, old["id"])
    new = get(db, old["id"])
    journal.updated(db, entities.EVENT_PARTICIPANT, old, new, action="badge_replaced")
    return new


def delete(db, participant_id):
    """Delete a participant with its documents, notes and tasks.

    Raise 409 `in_use` while other records refer to it.
    """
    old = get(db, participant_id)
    references.refuse_in_use(
        db,
        sql.users,
        participant_id,
        "The participant has {}, so it cannot be deleted. Cancel the participant instead.",
    )
    cascade.delete_with(db, "event_participant", participant_id)
    db.run(sql.remove, id=participant_id)
    journal.deleted(db, entities.EVENT_PARTICIPANT, old)


def hand_over_hosted(db, kept_id, other_id):
    """Move the people at the booth of the participant `other_id` to `kept_id`, with which it is
    merged.
    """
    for id in db.values(sql.hosted_to_hand_over, id=other_id):
        old = get(db, id)
        db.run(sql.hand_over_hosted, id=id, participant_id=kept_id, now=db.now)
        journal.updated(db, entities.EVENT_PARTICIPANT, old, get(db, id))


def _refuse_duplicate(db, event_id, contact_id, role):
    """Raise 409 `duplicate` if the contact takes part in the event in this role already."""
    taken = find(db, event_id, contact_id, role)
    if taken:
        if get(db, taken)["status"] == "cancelled":
            detail = (
                f"The contact took part in this event as {role}, as participant {taken}, and has cancelled. "
                f"Reinstate the participation with POST /participants/{taken}/reinstate."
            )
        else:
            detail = (
                f"The contact takes part in this event as {role} already, as participant {taken}. "
                "Change that participant instead."
            )
        raise Problem("duplicate", detail, participant_id=taken)


def _named(db, fields, stored):
    """Return the ids of the records that `fields` names, by id or by key, and the custom fields.

    `stored` is the present participant. Raise 422 with every fault found.
    """
    faults = Faults()
    ids = references.named(db, fields, faults, EVENT, CONTACT, CATEGORY, HOST)
    check_host(db, {**stored, **fields, **ids}, faults)
    values = custom_fields.checked(db, "event_participant", fields, stored["custom_fields"], faults)
    faults.raise_any()
    return ids, values


def check_host(db, participant, faults):
    """Add a fault if the participant may not have its `host_participant_id`, whose fault was added
    if it is unknown.
    """
    host = db.one(sql.host, id=participant["host_participant_id"])
    if host is None:
        return
    if participant["role"] not in HOSTED:
        faults.add(
            "/host_participant_id",
            "role",
            f"is only for the roles {listed(HOSTED)}, but the role is {participant['role']}. Send null",
        )
    elif host["event_id"] != participant["event_id"]:
        faults.add(
            "/host_participant_id",
            "other_event",
            f"must take part in the same event, but participant {host['id']} takes part in another one",
        )
    elif host["role"] not in HOSTS:
        faults.add(
            "/host_participant_id",
            "not_a_host",
            f"must be an exhibitor or a sponsor, but participant {host['id']} is {host['role']}",
        )
