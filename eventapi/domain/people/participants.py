"""Participation: a contact takes part in an event, in one role, and has a badge number for it."""
import json

from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.entrance import badges
from eventapi.domain.events import schedules
from eventapi.domain.halls import booking
from eventapi.domain.people import contacts
from eventapi.domain.records import anonymity, custom_fields, entities
from eventapi.errors import Problem
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("participants")

TRANSITIONS = Transitions("participant", {
    "confirm": (("registered",), "confirmed"),
    "unconfirm": (("confirmed",), "registered"),
    "reinstate": (("cancelled",), "registered"),
    "cancel": (("registered", "confirmed"), "cancelled"),
}, {"unconfirm": "unconfirmed", "reinstate": "reinstated"})
PERSONAL = ("badge_name", "custom_fields")          # what anonymising takes away, and nobody brings back


def get(db, id):
    """The participant, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    row["is_confirmed"] = bool(row["is_confirmed"])
    if "custom_fields" in row:
        row["custom_fields"] = json.loads(row["custom_fields"])
    row["is_checked_in"] = bool(row["is_checked_in"])
    return row


def add(db, *, event_id, contact_id, role="exhibitor", category_id=None, application_id=None, badge_name=None, confirmed=False,
        fields=None):
    """A new participant, `fields` its custom fields; 409 when the contact takes part in this role already, or was anonymised."""
    anonymity.refuse(db, "contact", contact_id)
    claim(db, event_id, contact_id, role)
    id = db.insert(sql.add, event_id=event_id, contact_id=contact_id, role=role, category_id=category_id,
                   application_id=application_id, badge_name=badge_name, badge_number=free_badge_number(db),
                   status="confirmed" if confirmed else "registered", now=db.now)
    custom_fields.store(db, "event_participant", id, {}, fields or {})
    new = get(db, id)
    journal.created(db, entities.EVENT_PARTICIPANT, new)
    if confirmed:
        journal.announced(db, entities.EVENT_PARTICIPANT, "confirmed", new)
    return new


def ensure(db, *, event_id, contact_id, category_id=None, application_id=None):
    """The exhibitor that the contact is at the event: the one that is there, reinstated when it was cancelled, or a new one."""
    id = db.value(sql.find, event_id=event_id, contact_id=contact_id, role="exhibitor")
    if id is None:
        return add(db, event_id=event_id, contact_id=contact_id, category_id=category_id, application_id=application_id)
    known = get(db, id)
    known = change(db, known, {**known, "category_id": known["category_id"] or category_id,
                               "application_id": known["application_id"] or application_id})
    return move(db, known, "reinstate") if known["status"] == "cancelled" else known


def take_part(db, contact_id, event_ids):
    """Makes these the events of the contact: it joins those that are new and leaves the others. None leaves all as it is."""
    if event_ids is None:
        return
    participants = db.all(contacts.sql.participants_of, contact_id=contact_id)
    for participant in participants:
        if participant["event_id"] not in event_ids:
            remove(db, participant["id"])
    known = {participant["event_id"] for participant in participants}
    for event_id in event_ids:
        if event_id not in known:
            add(db, event_id=event_id, contact_id=contact_id)


def change(db, old, merged):
    """The participant with other members; its status has its own door, `move`."""
    if merged == old:
        return old
    if any(merged[name] and merged[name] != old[name] for name in PERSONAL):
        anonymity.refuse(db, "contact", old["contact_id"])
    if (merged["event_id"], merged["contact_id"]) != (old["event_id"], old["contact_id"]):
        refuse_in_use(db, old["id"], "its event and contact cannot change")
    identity = merged["event_id"], merged["contact_id"], merged["role"]
    if identity != (old["event_id"], old["contact_id"], old["role"]):
        claim(db, *identity)
    db.run(sql.change, **merged, now=db.now)
    custom_fields.store(db, "event_participant", old["id"], old["custom_fields"], merged["custom_fields"])
    new = get(db, old["id"])
    journal.updated(db, entities.EVENT_PARTICIPANT, old, new)
    return new


def move(db, old, action):
    """The participant after `confirm`, `unconfirm`, `reinstate` or `cancel`."""
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    db.run(sql.move, id=old["id"], status=status, now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.EVENT_PARTICIPANT, old, new, action=TRANSITIONS.past(action))
    if action == "cancel":
        booking.release(db, old["id"], "The participation was cancelled.")
        schedules.release(db, old["id"])
    return new


def remove(db, participant_id):
    """Takes a participation away, with its notes; 409 when more than notes hangs on it."""
    old = get(db, participant_id)
    refuse_in_use(db, participant_id, "it cannot be deleted; cancel it")
    cascade.delete_with(db, "event_participant", participant_id)
    db.run(sql.remove, id=participant_id)
    journal.deleted(db, entities.EVENT_PARTICIPANT, old)


def forget_application(db, application_id):
    """Before an application is deleted: those it brought stay, without it."""
    for id in db.values(sql.of_application, application_id=application_id):
        old = get(db, id)
        change(db, old, {**old, "application_id": None})


def refuse_in_use(db, participant_id, consequence):
    users = db.values(sql.users, id=participant_id)
    if users:
        raise Problem("in_use", f"The participant has {' and '.join(users)}: {consequence}.", used_by=users)


def claim(db, event_id, contact_id, role):
    """409 when the contact takes part in the event in this role already."""
    taken = db.value(sql.find, event_id=event_id, contact_id=contact_id, role=role)
    if taken:
        raise Problem("duplicate", f"The contact takes part in this event as {role} already.", participant_id=taken)


def free_badge_number(db):
    number = badges.draw()
    while db.value(sql.badge_taken, badge_number=number):
        number = badges.draw()
    return number
