"""Submissions: what participants hand in for an event, from the draft to the approval, with every revision."""
from eventapi import times
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import EVENT, PARTICIPANT
from eventapi.domain.submissions import submissions
from eventapi.domain.submissions import types as submission_types
from eventapi.domain.submissions.submissions import TRANSITIONS
from eventapi.errors import Faults
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("submissions", "submission", scope="submissions", states=(TRANSITIONS,))
sql = statements("submissions")
sql_of_types = statements("submission_types")


@routes.list("/submissions", query="submission.query")
def list_submissions(db, query):
    now = times.now()
    query = custom_fields.filters(db, "submission", {**references.filters(db, query, EVENT, PARTICIPANT), "now": now})
    return page(db, sql.list, query, lambda row: submissions.represent(row, now), INCLUDES)


@routes.post("/submissions", schema="submission")
def create_submission(db, body):
    """Submits at once, or with `draft` keeps it pending. What comes after the due date is taken, and marked as late."""
    participant, kind = named(db, body)
    submission = submissions.add(db, participant, kind, body)
    return created(submission, f"/submissions/{submission['id']}")


@routes.get("/submissions/<id>", query="submission.one")
def get_submission(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/submissions/<id>", schema="submission")
def update_submission(db, id, body):
    """Changes value or document while it is pending or a revision is asked for; `draft` false submits it at once."""
    old = unchanged(get(db, id))
    refuse_other(db, old, body)
    return submissions.change(db, old, body)


@routes.delete("/submissions/<id>")
def delete_submission(db, id):
    submissions.remove(db, unchanged(get(db, id)))
    return deleted()


@routes.post("/submissions/<id>/submit")
def submit_submission(db, id):
    """Hands in what is there, as one more revision; a type without approval approves it at once."""
    return submissions.submit(db, unchanged(get(db, id)))


@routes.post("/submissions/<id>/approve")
def approve_submission(db, id):
    """Approves what was submitted. With If-Match it is the very revision that was read."""
    return submissions.review(db, unchanged(get(db, id)), "approve")


@routes.post("/submissions/<id>/reject", schema="submission.feedback")
def reject_submission(db, id, body):
    """Rejects what was submitted, for good."""
    return submissions.review(db, unchanged(get(db, id)), "reject", body["feedback"])


@routes.post("/submissions/<id>/request-revision", schema="submission.feedback")
def request_submission_revision(db, id, body):
    """Asks for another revision: value and document may change again until it is submitted."""
    return submissions.review(db, unchanged(get(db, id)), "request-revision", body["feedback"])


@routes.list("/submissions/<id>/revisions", query="submission_revision.query", singular="submission_revision")
def list_submission_revisions(db, id, query):
    """What was submitted each time, as it was then, and what was said to it."""
    get(db, id)
    return page(db, sql.revisions, {**query, "submission_id": id}, submissions.represent_revision)


def get(db, id):
    return found(submissions.get(db, id), "submission", id)


def named(db, body):
    """The participant and the type that a new submission names; both must be of one event, and the type ask this role."""
    faults = Faults()
    participant_id = references.resolve(db, body, PARTICIPANT, faults)
    participant = participant_id and db.one(sql.participant, id=participant_id)
    kind = type_of(db, participant, body, faults) if participant else None
    if kind and not kind["is_active"]:
        faults.add(member_of(body), "inactive", "takes nothing new: the type is not active")
    elif kind and participant["role"] not in kind["roles"]:
        faults.add(member_of(body), "other_role", f"is asked of {', '.join(kind['roles'])}; this participant is {participant['role']}")
    faults.raise_any()
    return participant, kind


def type_of(db, participant, body, faults):
    """The type named by id, or by its key, which is unique within the participant's event."""
    by_id = body["type_id"] and submission_types.get(db, body["type_id"])
    if body["type_id"] and by_id is None:
        faults.add("/type_id", "unknown", "names no record")
    elif by_id and by_id["event_id"] != participant["event_id"]:
        faults.add("/type_id", "other_event", f"is a type of {by_id['event_key']}; the participant takes part in {participant['event_key']}")
    if not body["type_key"]:
        return by_id
    key_id = db.value(sql_of_types.key_taken, event_id=participant["event_id"], type_key=body["type_key"])
    if key_id is None:
        faults.add("/type_key", "unknown", f"names no type of {participant['event_key']}")
    elif by_id and by_id["id"] != key_id:
        faults.add("/type_key", "disagrees", "names another record than type_id")
    return by_id or key_id and submission_types.get(db, key_id)


def member_of(body):
    return "/type_id" if body["type_id"] else "/type_key"


def refuse_other(db, old, body):
    """Participant and type may be sent back, and do not change."""
    faults = Faults()
    if references.resolve(db, body, PARTICIPANT, faults) not in (None, old["event_participant_id"]):
        faults.add("/event_participant_id", "fixed", "cannot change; make a submission of the other participant")
    for member in ("type_id", "type_key"):
        if body.get(member, old[member]) != old[member]:
            faults.add(f"/{member}", "fixed", "cannot change; make a submission of the other type")
    faults.raise_any()


def include_participant(db, records):
    attach(records, "participant", db.all(sql.participants_of, ids=ids_of(records)))


def include_type(db, records):
    rows = db.all(sql.types_of, ids=ids_of(records))
    attach(records, "type", [{**row, **{name: bool(row[name]) for name in submission_types.SWITCHES}} for row in rows])


def include_allowed_actions(_, records):
    for record in records:
        record["allowed_actions"] = TRANSITIONS.actions(record["status"])


def ids_of(records):
    return as_json([record["id"] for record in records])


def attach(records, member, rows):
    parts = {row.pop("submission_id"): row for row in rows}
    for record in records:
        record[member] = parts[record["id"]]


INCLUDES = {"participant": include_participant, "type": include_type, "allowed_actions": include_allowed_actions,
            "custom_fields": custom_fields.include("submission")}
