"""Submissions: what participants hand in, submitted in revisions, reviewed by admins."""
import json

from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.records import anonymity, custom_fields, entities
from eventapi.domain.submissions import types, values
from eventapi.errors import Faults, Problem
from eventapi.states import Transitions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("submissions")

TRANSITIONS = Transitions("submission", {
    "submit": (("pending", "revision_requested"), "submitted"),
    "approve": (("submitted",), "approved"),
    "reject": (("submitted",), "rejected"),
    "request-revision": (("submitted",), "revision_requested"),
})
OPEN = ("pending", "revision_requested")
# Of two submissions of one type that a merge brings together, the one that got farther stays.
RANK = ("rejected", "pending", "revision_requested", "submitted", "approved")


# Reading

def get(db, id):
    """The submission, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row, db.now or times.now())


def represent(row, now):
    """As answered; an open one is late as soon as its time is over."""
    for member in {"value", "custom_fields"} & row.keys():
        row[member] = row[member] and json.loads(row[member])
    handed_in_at = now if row["status"] in OPEN else row["submitted_at"]
    row["is_late"] = row["due_at"] is not None and row["due_at"] < handed_in_at
    return row


def represent_revision(row):
    row["value"] = row["value"] and json.loads(row["value"])
    row["is_late"] = row["due_at"] is not None and row["due_at"] < row["submitted_at"]
    return row


def revisions(db, id):
    """All of them, as answered."""
    return [represent_revision(row) for row in db.all(sql.all_revisions, submission_id=id)]


# Handing in

def add(db, participant, kind, body):
    """A new submission, submitted at once unless it is a draft; 422 and 409 for all that is wrong with it."""
    faults = Faults()
    values.check(db, kind, participant, body, faults)
    if not body["draft"]:
        values.demand(kind, body, faults)
    fields = custom_fields.checked(db, "submission", body, {}, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    known = db.value(sql.find, event_participant_id=participant["id"], type_id=kind["id"])
    if known:
        raise Problem("duplicate", f"The participant has a submission of this type: {known}. Change it, and submit it again.",
                      submission_id=known)
    id = db.insert(sql.add, event_id=participant["event_id"], event_participant_id=participant["id"], type_id=kind["id"],
                   value=columns(body)["value"], document_id=body["document_id"], due_at=kind["due_at"], now=db.now)
    custom_fields.store(db, "submission", id, {}, fields)
    new = get(db, id)
    journal.created(db, entities.SUBMISSION, new)
    return new if body["draft"] else submit(db, new)


def change(db, old, body):
    """The submission with another value or document, or other custom fields, which no state locks; with `draft` false it is submitted at once."""
    given = {name: body[name] for name in ("value", "document_id") if name in body and body[name] != old[name]}
    faults, participant = Faults(), db.one(sql.participant, id=old["event_participant_id"])
    fields = custom_fields.checked(db, "submission", body, old["custom_fields"], faults)
    if given:
        refuse_locked(old, given)
        values.check(db, types.get(db, old["type_id"]), participant, {**old, **given}, faults)
    faults.raise_any()
    if given or fields != old["custom_fields"]:
        anonymity.refuse_gone(participant)
        db.run(sql.change, **columns({**old, **given}), now=db.now)
        custom_fields.store(db, "submission", old["id"], old["custom_fields"], fields)
        old = changed(db, old, "updated")
    return submit(db, old) if body.get("draft") is False else old


def submit(db, old):
    """What was handed in is one more revision, to be reviewed; approved at once where the type needs no approval."""
    kind = types.get(db, old["type_id"])
    target = "submitted" if kind["needs_approval"] else "approved"
    if old["status"] == target or TRANSITIONS.move("submit", old["status"]) is None:
        return old
    participant, faults = db.one(sql.participant, id=old["event_participant_id"]), Faults()
    values.check(db, kind, participant, old, faults)
    values.demand(kind, old, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    db.run(sql.submit, id=old["id"], status=target, now=db.now)
    db.run(sql.keep_revision, id=old["id"], now=db.now)
    new = changed(db, old, "submitted")
    if target == "approved":
        journal.announced(db, entities.SUBMISSION, "approved", new)
    return new


def columns(submission):
    return {**submission, "value": None if submission["value"] is None else as_json(submission["value"])}


def refuse_locked(old, names):
    if old["status"] not in OPEN:
        raise Problem("locked", f"The submission is {old['status']}: {' and '.join(names)} cannot change; ask for a revision first.",
                      state=old["status"], allowed_from=list(OPEN), members=list(names))


# Reviewing

def review(db, old, action, feedback=None):
    """The submission after `approve`, `reject` or `request-revision`; what was said stands at the revision too."""
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    anonymity.refuse(db, "submission", old["id"])
    said = {"id": old["id"], "status": status, "feedback": feedback, "admin_id": db.actor.admin_id}
    db.run(sql.review, **said, now=db.now)
    db.run(sql.review_revision, **said, revision=old["revision"], now=db.now)
    return changed(db, old, TRANSITIONS.past(action))


def changed(db, old, action):
    """Journals what was done to a submission; gives it as it is now."""
    new = get(db, old["id"])
    journal.updated(db, entities.SUBMISSION, old, new, action=action)
    return new


def remove(db, submission):
    """Deletes a submission with its revisions."""
    cascade.delete_with(db, "submission", submission["id"])
    db.run(sql.remove, id=submission["id"])
    journal.deleted(db, entities.SUBMISSION, submission)


def farther(one, other):
    """Which of two submissions got farther: by state, then by the time of its last change."""
    return max(one, other, key=lambda submission: (RANK.index(submission["status"]), submission["updated_at"], submission["id"]))
