"""Submissions: participants submit values in revisions, and organisers review them.

Every function that writes is called inside a write transaction and journals the change.
"""
import json

from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.records import anonymity, custom_fields, entities, references
from eventapi.domain.records.references import PARTICIPANT
from eventapi.domain.submissions import types, values
from eventapi.errors import Faults, Problem, quoted
from eventapi.states import Transitions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("submissions")
sql_of_types = statements("submission_types")

TRANSITIONS = Transitions("submission", {
    "submit": (("pending", "revision_requested", "rejected"), "submitted"),
    "approve": (("submitted",), "approved"),
    "reject": (("submitted",), "rejected"),
    "request-revision": (("submitted",), "revision_requested"),
})
# status -> what to do so that another value counts
REMEDIES = {
    "pending": "Change its value or document, then submit it.",
    **dict.fromkeys(("revision_requested", "rejected"), "Change its value or document, then submit it again."),
    "submitted": "Request a revision first.",
    "approved": "To submit again, delete this submission and create another one.",
}
OPEN = TRANSITIONS.table["submit"][0]         # value and document can change in these statuses
# Merging contacts may result in two submissions of one type. The one with the status further right here stays.
RANK = ("rejected", "pending", "revision_requested", "submitted", "approved")


# Reading

def get(db, id):
    """Return the submission, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row, db.now or times.now())


def represent(row, now):
    """Turn a row into the API object at the time `now` (UTC text), in place, and return it.

    Until it is submitted for the first time, it is late as soon as it is past due.
    """
    for member in {"value", "custom_fields"} & row.keys():
        row[member] = row[member] and json.loads(row[member])
    is_overdue = row["due_at"] is not None and row["due_at"] < now
    row["is_late"] = is_overdue if row["is_late"] is None else bool(row["is_late"])
    return row


# Submitting

def create(db, body):
    """Create a submission and return it, submitted at once unless `draft` is true. `body` is a complete validated body.

    Raise 422 for everything that is wrong with it; 409 `duplicate`, `anonymized` or `participant_cancelled`.
    """
    participant, kind = _participant_and_type(db, body)
    faults = Faults()
    values.check(db, kind, participant, body, faults)
    if not body["draft"]:
        values.require(kind, body, faults)
    fields = custom_fields.checked(db, "submission", body, {}, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    _refuse_second(db, participant, kind)
    id = db.insert(sql.add, event_id=participant["event_id"], event_participant_id=participant["id"],
                   type_id=kind["id"],
                   value=columns(body)["value"], document_id=body["document_id"], due_at=kind["due_at"], now=db.now)
    custom_fields.store(db, "submission", id, {}, fields)
    new = get(db, id)
    journal.created(db, entities.SUBMISSION, new)
    return new if body["draft"] else submit(db, new)


def update(db, old, body):
    """Change value, document or custom fields of a submission and return it; `draft` false submits it at once.

    No state locks custom fields.

    Raise 422 for everything that is wrong with the body; 409 `locked`, `anonymized` or `participant_cancelled`.
    """
    _refuse_other(db, old, body)
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
        old = journal_update(db, old, "updated")
    return submit(db, old) if body.get("draft") is False else old


def submit(db, old):
    """Store the current value as a new revision and return the submission.

    A type that needs no approval approves it at once.

    Raise 422 if the value is missing or wrong; 409 `invalid_transition`, `anonymized` or `participant_cancelled`.
    """
    kind = types.get(db, old["type_id"])
    target = "submitted" if kind["needs_approval"] else "approved"
    if old["status"] == target or TRANSITIONS.move("submit", old["status"]) is None:
        return old
    participant, faults = db.one(sql.participant, id=old["event_participant_id"]), Faults()
    values.check(db, kind, participant, old, faults)
    values.require(kind, old, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    db.run(sql.submit, id=old["id"], status=target, now=db.now)
    db.run(sql.keep_revision, id=old["id"], now=db.now)
    new = journal_update(db, old, "submitted")
    if target == "approved":
        journal.announced(db, entities.SUBMISSION, "approved", new)
    return new


def _refuse_second(db, participant, kind):
    """Raise 409 `duplicate` if the participant has a submission of this type already."""
    known = db.one(sql.find, event_participant_id=participant["id"], type_id=kind["id"])
    if known:
        raise Problem("duplicate",
                      f"The participant has the submission {known['id']} of this type already. It is "
                      f"{known['status']}. {REMEDIES[known['status']]}", submission_id=known["id"])


def _participant_and_type(db, body):
    """Return the participant and the type that a new submission names.

    Raise 422 unless both are of one event and the type fits the role.
    """
    faults = Faults()
    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    participant = participant_id and db.one(sql.participant, id=participant_id)
    kind = _type_of(db, participant, body, faults) if participant else None
    if kind and not kind["is_active"]:
        faults.add(_pointer_to_type(body), "inactive",
                   "is not active, so no new submission is possible. Set `is_active` of the type to true first")
    elif kind and participant["role"] not in kind["roles"]:
        faults.add(_pointer_to_type(body), "other_role",
                   f"is a type for the roles {', '.join(kind['roles'])}, but this participant has the role "
                   f"{participant['role']}")
    faults.raise_any()
    return participant, kind


def _type_of(db, participant, body, faults):
    """Return the type named by id, or by its key, which is unique within the participant's event, or None."""
    by_id = body["type_id"] and types.get(db, body["type_id"])
    if body["type_id"] and by_id is None:
        faults.add("/type_id", "unknown", references.unknown("type_id", body["type_id"]))
    elif by_id and by_id["event_id"] != participant["event_id"]:
        faults.add("/type_id", "other_event",
                   f"is a type of the event {by_id['event_key']}, but the participant takes part in "
                   f"{participant['event_key']}")
    if not body["type_key"]:
        return by_id
    key_id = db.value(sql_of_types.key_taken, event_id=participant["event_id"], key=body["type_key"])
    if key_id is None:
        faults.add("/type_key", "unknown",
                   f"is unknown: no type of the event {participant['event_key']} has the key {body['type_key']}")
    elif by_id and by_id["id"] != key_id:
        faults.add("/type_key", "disagrees", references.disagrees("type_id"))
    return by_id or (key_id and types.get(db, key_id))


def _pointer_to_type(body):
    return "/type_id" if body["type_id"] else "/type_key"


def _refuse_other(db, old, body):
    """Raise 422 for another participant or type: neither changes."""
    faults = Faults()
    if references.resolve(db, body, PARTICIPANT, faults) not in (None, old["event_participant_id"]):
        faults.add("/event_participant_id", "fixed",
                   "cannot change. Create a submission of the other participant instead")
    for member in ("type_id", "type_key"):
        if body.get(member, old[member]) != old[member]:
            faults.add(f"/{member}", "fixed", "cannot change. Create a submission of the other type instead")
    faults.raise_any()


def columns(submission):
    """Return the submission as columns, with its value as JSON text."""
    return {**submission, "value": None if submission["value"] is None else as_json(submission["value"])}


def refuse_locked(old, names):
    """Raise 409 `locked` for these fields unless the status of the submission is in OPEN."""
    if old["status"] not in OPEN:
        raise Problem("locked",
                      f"{quoted(names)} cannot change, because the submission is {old['status']}. "
                      f"{REMEDIES[old['status']]}",
                      state=old["status"], allowed_from=list(OPEN), members=list(names))


# Reviewing

def review(db, old, action, feedback=None):
    """Apply `approve`, `reject` or `request-revision` and return the submission. The revision stores the feedback, too.

    Raise 409 `invalid_transition` or `anonymized`.
    """
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    anonymity.refuse(db, "submission", old["id"])
    result = {"id": old["id"], "status": status, "feedback": feedback, "admin_id": db.actor.admin_id}
    db.run(sql.review, **result, now=db.now)
    db.run(sql.review_revision, **result, revision=old["revision"], now=db.now)
    return journal_update(db, old, TRANSITIONS.past(action))


def journal_update(db, old, action):
    """Journal what differs between `old` and the stored submission, and return the stored one."""
    new = get(db, old["id"])
    journal.updated(db, entities.SUBMISSION, old, new, action=action)
    return new


def delete(db, submission):
    """Delete a submission with its revisions, documents, notes and tasks."""
    cascade.delete_with(db, "submission", submission["id"])
    db.run(sql.remove, id=submission["id"])
    journal.deleted(db, entities.SUBMISSION, submission)


def absorb(db, stays, goes):
    """Put the revisions of the submission `goes` before those of `stays`, and delete `goes`.

    Nothing that was submitted is lost when contacts are merged. `stays` also takes over the custom fields that it does
    not have, and `is_late` if it was never submitted.
    """
    fields = {**goes["custom_fields"], **stays["custom_fields"]}
    custom_fields.store(db, "submission", stays["id"], stays["custom_fields"], fields)
    values = {"id": stays["id"], "other_id": goes["id"], "count": goes["revision"], "now": db.now}
    for statement in (sql.move_revisions_up, sql.settle_revisions, sql.take_revisions, sql.count_taken):
        db.run(statement, **values)
    delete(db, goes)


def more_advanced(one, other):
    """Return the one of two submissions that comes later in RANK, or else was changed last."""
    return max(one, other,
               key=lambda submission: (RANK.index(submission["status"]), submission["updated_at"], submission["id"]))
