"""Submissions: participants submit values in revisions, and organisers review them.

A value is checked against its type: one line, a URL, a checkbox, or a file. A file is checked by
its extension, the content that this extension promises, and its size. Every function that writes is
called inside a write transaction and journals the change.
"""

import json
from pathlib import PurePath

from eventapi import journal, times
from eventapi.domain.attachments import cascade, content_types
from eventapi.domain.attachments import hand_over as attached
from eventapi.domain.records import anonymity, custom_fields, entities, references
from eventapi.domain.records.references import PARTICIPANT
from eventapi.domain.submissions import types
from eventapi.errors import Faults, Problem, listed, quoted
from eventapi.states import Transitions
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.formats import URL

sql = statements("submissions")

LONGEST_LINE = 255
LONGEST_URL = 2000
MEGABYTE = 1024 * 1024
FIELDS = {"file": "document_id"}  # input -> the field for it, where that is not `value`


def _check_input(db, kind, participant, body, faults):
    """Add what is wrong with the value or the document of a body to `faults`.

    Missing ones are not checked here.
    """
    wanted = FIELDS.get(kind["input"], "value")
    for member in {"value", "document_id"} - {wanted}:
        if body[member] is not None:
            faults.add(
                f"/{member}",
                "not_for_input",
                f"must not be sent: the input of this submission type is {kind['input']}. Send `{wanted}`",
            )
    if body[wanted] is not None:
        if wanted == "value":
            _check_value(kind, body["value"], faults)
        else:
            _check_document(db, kind, participant, body["document_id"], faults)


def require(kind, body, faults):
    """Add a fault if the value or document that the type requires is missing."""
    wanted = FIELDS.get(kind["input"], "value")
    if body[wanted] is None:
        faults.add(f"/{wanted}", "required", "is required. Only a draft may lack it")


def _check_value(kind, value, faults):
    wrong = _wrong_value(kind, value)
    if wrong:
        faults.add("/value", *wrong)


def _wrong_value(kind, value):
    """Return `(code, detail)` for a value that does not fit the type, or None."""
    name = kind["input"]
    if name == "checkbox":
        return None if value is True else ("checkbox", "must be true for a checkbox")
    if not isinstance(value, str):
        return "type", "must be a string"
    if name == "text" and (len(value) > LONGEST_LINE or len(value.splitlines()) > 1):
        return "one_line", f"must be one line of at most {LONGEST_LINE} characters"
    if kind["max_length"] and len(value) > kind["max_length"]:
        return (
            "max_length",
            f"must have at most {kind['max_length']} characters, but has {len(value)}",
        )
    if name == "url" and (len(value) > LONGEST_URL or not URL.fullmatch(value)):
        return (
            "format",
            f"must be a URL that begins with http:// or https://, of at most {LONGEST_URL} characters",
        )
    return None


def _check_document(db, kind, participant, document_id, faults):
    document = db.one(sql.document, id=document_id)
    owners = ("event_participant", participant["id"]), ("contact", participant["contact_id"])
    if document is None or (document["entity_type"], document["entity_id"]) not in owners:
        faults.add(
            "/document_id",
            "unknown",
            f"is unknown: neither the participant nor its contact has the document {document_id}",
        )
    elif document["sha256"] is None:
        faults.add(
            "/document_id",
            "empty",
            f"has no content yet. Upload it with PUT /documents/{document_id}/content first",
        )
    else:
        head = files.head(db.config, document["sha256"])
        check_file(kind, document["filename"] or "", head, document["size"], faults)


def check_file(kind, filename, head, size, faults):
    """Add to `faults` why a type does not accept a file.

    `head` are the first bytes of the file, `size` is in bytes.
    """
    allowed = kind["allowed_extensions"]
    extension = PurePath(filename).suffix[1:].lower()
    if allowed and extension not in allowed:
        faults.add(
            "/document_id",
            "extension",
            f"must be a file with the extension {listed(allowed, 'or')}, but is {filename}",
        )
    elif allowed and not content_types.fits(extension, head):
        faults.add(
            "/document_id",
            "content_type",
            f"must be a file whose content fits its extension, but the content of {filename} is "
            f"{content_types.detect(head)}",
        )
    if kind["max_size_mb"] and size > kind["max_size_mb"] * MEGABYTE:
        faults.add(
            "/document_id",
            "too_large",
            f"must have at most {kind['max_size_mb']} MB, but has {size} bytes",
        )


sql_of_types = statements("submission_types")

TRANSITIONS = Transitions(
    "submission",
    {
        "submit": (("pending", "revision_requested", "rejected"), "submitted"),
        "approve": (("submitted",), "approved"),
        "reject": (("submitted",), "rejected"),
        "request-revision": (("submitted",), "revision_requested"),
    },
)
# status -> what to do so that another value counts
REMEDIES = {
    "pending": "Change its value or document, then submit it.",
    **dict.fromkeys(
        ("revision_requested", "rejected"), "Change its value or document, then submit it again."
    ),
    "submitted": "Request a revision first.",
    "approved": "To submit again, delete this submission and create another one.",
}
OPEN = TRANSITIONS.table["submit"][0]  # value and document can change in these statuses
# Merging contacts may result in two submissions of one type. The one with the status further right
# here stays.
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
    """Create a submission and return it, submitted at once unless `draft` is true.

    `body` is a complete validated body.

    Raise 422 for everything that is wrong with it; 409 `duplicate`, `anonymized` or
    `participant_cancelled`.
    """
    participant, kind = participant_and_type(db, body)
    faults = Faults()
    _check_input(db, kind, participant, body, faults)
    if not body["draft"]:
        require(kind, body, faults)
    fields = custom_fields.checked(db, "submission", body, {}, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    refuse_second(db, participant, kind)
    id = db.insert(
        sql.add,
        event_id=participant["event_id"],
        event_participant_id=participant["id"],
        type_id=kind["id"],
        value=columns(body)["value"],
        document_id=body["document_id"],
        due_at=kind["due_at"],
        now=db.now,
    )
    custom_fields.store(db, "submission", id, {}, fields)
    new = get(db, id)
    journal.created(db, entities.SUBMISSION, new)
    return new if body["draft"] else submit(db, new)


def update(db, old, body):
    """Change value, document or custom fields of a submission and return it; `draft` false submits
    it at once.

    No state locks custom fields.

    Raise 422 for everything that is wrong with the body; 409 `locked`, `anonymized` or
    `participant_cancelled`.
    """
    _refuse_other(db, old, body)
    given = {
        name: body[name]
        for name in ("value", "document_id")
        if name in body and body[name] != old[name]
    }
    faults, participant = Faults(), participant_of(db, old)
    fields = custom_fields.checked(db, "submission", body, old["custom_fields"], faults)
    if given:
        refuse_locked(old, given)
        _check_input(db, types.get(db, old["type_id"]), participant, {**old, **given}, faults)
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

    Raise 422 if the value is missing or wrong; 409 `invalid_transition`, `anonymized` or
    `participant_cancelled`.
    """
    kind = types.get(db, old["type_id"])
    target = "submitted" if kind["needs_approval"] else "approved"
    if old["status"] == target or TRANSITIONS.move("submit", old["status"]) is None:
        return old
    participant, faults = participant_of(db, old), Faults()
    _check_input(db, kind, participant, old, faults)
    require(kind, old, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    db.run(sql.submit, id=old["id"], status=target, now=db.now)
    db.run(sql.keep_revision, id=old["id"], now=db.now)
    new = journal_update(db, old, "submitted")
    if target == "approved":
        journal.announced(db, entities.SUBMISSION, "approved", new)
    return new


def participant_of(db, submission):
    """Return the participant of a submission: a dict with id, contact_id, role, status and others."""
    return db.one(sql.participant, id=submission["event_participant_id"])


def refuse_second(db, participant, kind):
    """Raise 409 `duplicate` if the participant has a submission of this type already."""
    known = db.one(sql.find, event_participant_id=participant["id"], type_id=kind["id"])
    if known:
        raise Problem(
            "duplicate",
            f"The participant has the submission {known['id']} of this type already. It is "
            f"{known['status']}. {REMEDIES[known['status']]}",
            submission_id=known["id"],
        )


def participant_and_type(db, body):
    """Return the participant and the type that a new submission names.

    Raise 422 unless both are of one event and the type fits the role.
    """
    faults = Faults()
    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    participant = participant_id and db.one(sql.participant, id=participant_id)
    kind = _type_of(db, participant, body, faults) if participant else None
    if kind and not kind["is_active"]:
        faults.add(
            _pointer_to_type(body),
            "inactive",
            "is not active, so no new submission is possible. Set `is_active` of the type to true first",
        )
    elif kind and participant["role"] not in kind["roles"]:
        faults.add(
            _pointer_to_type(body),
            "other_role",
            f"is a type for the roles {', '.join(kind['roles'])}, but this participant has the role "
            f"{participant['role']}",
        )
    faults.raise_any()
    return participant, kind


def _type_of(db, participant, body, faults):
    """Return the type named by id, or by its key, which is unique within the participant's event,
    or None.
    """
    by_id = body["type_id"] and types.get(db, body["type_id"])
    if body["type_id"] and by_id is None:
        faults.add("/type_id", "unknown", references.unknown("type_id", body["type_id"]))
    elif by_id and by_id["event_id"] != participant["event_id"]:
        faults.add(
            "/type_id",
            "other_event",
            f"is a type of the event {by_id['event_key']}, but the participant takes part in "
            f"{participant['event_key']}",
        )
    if not body["type_key"]:
        return by_id
    key_id = db.value(
        sql_of_types.key_taken, event_id=participant["event_id"], key=body["type_key"]
    )
    if key_id is None:
        faults.add(
            "/type_key",
            "unknown",
            f"is unknown: no type of the event {participant['event_key']} has the key {body['type_key']}",
        )
    elif by_id and by_id["id"] != key_id:
        faults.add("/type_key", "disagrees", references.disagrees("type_id"))
    return by_id or (key_id and types.get(db, key_id))


def _pointer_to_type(body):
    return "/type_id" if body["type_id"] else "/type_key"


def _refuse_other(db, old, body):
    """Raise 422 for another participant or type: neither changes."""
    faults = Faults()
    if references.resolve(db, body, PARTICIPANT, faults) not in (None, old["event_participant_id"]):
        faults.add(
            "/event_participant_id",
            "fixed",
            "cannot change. Create a submission of the other participant instead",
        )
    for member in ("type_id", "type_key"):
        if body.get(member, old[member]) != old[member]:
            faults.add(
                f"/{member}",
                "fixed",
                "cannot change. Create a submission of the other type instead",
            )
    faults.raise_any()


def columns(submission):
    """Return the submission as columns, with its value as JSON text."""
    return {
        **submission,
        "value": None if submission["value"] is None else as_json(submission["value"]),
    }


def refuse_locked(old, names):
    """Raise 409 `locked` for these fields unless the status of the submission is in OPEN."""
    if old["status"] not in OPEN:
        raise Problem(
            "locked",
            f"{quoted(names)} cannot change, because the submission is {old['status']}. "
            f"{REMEDIES[old['status']]}",
            state=old["status"],
            allowed_from=list(OPEN),
            members=list(names),
        )


# Reviewing


def review(db, old, action, feedback=None):
    """Apply `approve`, `reject` or `request-revision` and return the submission.

    The revision stores the feedback, too.

    Raise 409 `invalid_transition` or `anonymized`.
    """
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    anonymity.refuse(db, "submission", old["id"])
    result = {
        "id": old["id"],
        "status": status,
        "feedback": feedback,
        "admin_id": db.actor.admin_id,
    }
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


def hand_over(db, kept_id, other_id):
    """Move the submissions of the participant `other_id` to `kept_id`, with which it is merged.

    Of two submissions of one type, keep the one that `more_advanced` returns. It takes over the
    revisions, tasks, documents and notes of the other.
    """
    for found in db.all(sql.to_hand_over, id=other_id, participant_id=kept_id):
        submission = get(db, found["id"])
        stays = submission
        if found["counterpart_id"]:
            counterpart = get(db, found["counterpart_id"])
            stays = more_advanced(submission, counterpart)
            goes = counterpart if stays is submission else submission
            attached.of_record(db, "submission", goes["id"], stays["id"])
            absorb(db, stays, goes)
        if stays is submission:
            db.run(sql.hand_over, id=submission["id"], participant_id=kept_id, now=db.now)
        journal_update(db, stays, "updated")


def absorb(db, stays, goes):
    """Put the revisions of the submission `goes` before those of `stays`, and delete `goes`.

    Nothing that was submitted is lost when contacts are merged. `stays` also takes over the custom
    fields that it does not have, and `is_late` if it was never submitted.
    """
    fields = {**goes["custom_fields"], **stays["custom_fields"]}
    custom_fields.store(db, "submission", stays["id"], stays["custom_fields"], fields)
    values = {"id": stays["id"], "other_id": goes["id"], "count": goes["revision"], "now": db.now}
    for statement in (
        sql.move_revisions_up,
        sql.settle_revisions,
        sql.take_revisions,
        sql.count_taken,
    ):
        db.run(statement, **values)
    delete(db, goes)


def more_advanced(one, other):
    """Return the one of two submissions that comes later in RANK, or else was changed last."""
    return max(
        one,
        other,
        key=lambda submission: (
            RANK.index(submission["status"]),
            submission["updated_at"],
            submission["id"],
        ),
    )


# Revisions: what was submitted at one time, with the review of it and with the file


def represent_revision(row):
    """Turn a row of a revision into the API object, in place, and return it."""
    row["value"] = row["value"] and json.loads(row["value"])
    row["is_late"] = row["due_at"] is not None and row["due_at"] < row["submitted_at"]
    return row


def revision(db, submission_id, number):
    """Return the revision with this number, or None."""
    row = db.one(sql.revision, submission_id=submission_id, revision=number)
    return row and represent_revision(row)


def revisions(db, submission_id):
    """Return all revisions of a submission as API objects."""
    return [
        represent_revision(row) for row in db.all(sql.all_revisions, submission_id=submission_id)
    ]


def file_of(config, revision):
    """Return `(content type, file name)` of the file of a revision that has one.

    The type is read from its bytes.
    """
    kind = content_types.detect(files.head(config, revision["sha256"]))
    name = f"submission-{revision['submission_id']}-{revision['revision']}{content_types.EXTENSIONS.get(kind, '')}"
    return kind, revision["filename"] or name
