"""Submissions: what participants submit for an event, from draft to approval, with every revision."""

from contextlib import contextmanager

from eventapi import times
from eventapi.calls import batches
from eventapi.domain.attachments import content_types
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import EVENT, PARTICIPANT
from eventapi.domain.submissions import submissions, submitted_files
from eventapi.domain.submissions import types as submission_types
from eventapi.domain.submissions.submissions import TRANSITIONS
from eventapi.errors import Problem, invalid
from eventapi.plugins.access import require_scope
from eventapi.storage.statements import statements
from eventapi.web import downloads, uploads
from eventapi.web.includes import allowed_actions, attach_one, ids_of, include_one
from eventapi.web.lists import one, page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("submissions", "submission", scope="submissions", states=(TRANSITIONS,))
sql = statements("submissions")

BYTES = ("application/octet-stream",)


@routes.list("/submissions", query="submission.query")
def list_submissions(db, query):
    now = times.now()
    query = custom_fields.filters(
        db, "submission", {**references.filters(db, query, EVENT, PARTICIPANT), "now": now}
    )
    return page(db, sql.list, query, lambda row: submissions.represent(row, now), INCLUDES)


@routes.post("/submissions", schema="submission")
def create_submission(db, who, body):
    """Create a submission.

    Submits it at once unless `draft` is true. A submission after the due date is accepted and
    marked as late. `document_id` also needs the scope `documents:read`, because the content of the
    document can then be read here.
    """
    allow_document(who, body)
    return created(submissions.create(db, body), "/submissions")


@routes.get("/submissions/<id>", query="submission.one")
def get_submission(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/submissions/<id>", schema="submission")
def update_submission(db, who, id, body):
    """Change the value or document of a submission that is pending, rejected or needs a revision.

    Send `draft` as false to submit it at once. Another `document_id` also needs the scope
    `documents:read`.
    """
    old = require_match(get(db, id))
    allow_document(who, body, old)
    return submissions.update(db, old, body)


@contextmanager
def receive(environ, config, _=None):
    """Yield the file of a request as `uploads.received` does. A repeated request is one with the same
    file.
    """
    with uploads.received(environ, config) as upload:
        environ["eventapi.raw_body"] = upload.sha256.encode()
        yield upload


@routes.post(
    "/submissions/files",
    query="submission.new_file",
    raw_body=BYTES,
    receive=receive,
    further_scopes=("documents",),
    response="submission",
    status=201,
)
def create_submission_file(db, query, upload):
    """Create a submission with its file in one request.

    Send the bytes of the file as the body. The file becomes a document of the participant. What POST
    /submissions refuses is refused here, too, and then no document is made. The file must be one
    that the type accepts, by its extension, its content and its size.
    """
    with naming_parts():
        return created(submitted_files.create(db, query, upload), "/submissions")


@routes.put(
    "/submissions/<id>/file",
    query="submission.file",
    raw_body=BYTES,
    receive=receive,
    further_scopes=("documents",),
    response="submission",
)
def set_submission_file(db, id, query, upload):
    """Replace the file of a submission that is pending, rejected or needs a revision, and submit it.

    Send the bytes of the file as the body. They become another document of the participant; that of
    an earlier revision stays.
    """
    old = require_match(get(db, id))
    with naming_parts():
        return submitted_files.replace(db, old, query, upload)


@contextmanager
def naming_parts():
    """Raise faults of a body with those parts of the request that have the same meaning: parameters,
    and the file in place of `document_id`.
    """
    try:
        yield
    except Problem as problem:
        if not problem.errors:
            raise
        raise invalid([named_part(error) for error in problem.errors]) from None


def named_part(error):
    """Return a fault with the parameter or the body that it is about in place of its field."""
    name = error.get("pointer", "")[1:]
    if not name:
        return error
    kept = {key: value for key, value in error.items() if key != "pointer"}
    if name == "document_id":
        return {**kept, "pointer": ""}
    return {**kept, "parameter": name}


@routes.delete("/submissions/<id>")
def delete_submission(db, id):
    submissions.delete(db, require_match(get(db, id)))


@routes.post("/submissions/<id>/submit", desk=Desk(unless=("revision_requested", "rejected")))
def submit_submission(db, id):
    """Submit the current value as a new revision.

    A type that needs no approval approves it at once.
    """
    return submissions.submit(db, require_match(get(db, id)))


@routes.post("/submissions/<id>/approve", desk=Desk(batch=()))
def approve_submission(db, id):
    """Approve a submission. Send If-Match to approve exactly the revision that you read."""
    return submissions.review(db, require_match(get(db, id)), "approve")


@routes.post("/submissions/<id>/reject", schema="submission.reject", desk=Desk(batch=("feedback",)))
def reject_submission(db, id, body):
    """Reject a submission.

    Value and document can change, and it can be submitted again as a new revision.
    """
    return submissions.review(db, require_match(get(db, id)), "reject", body["feedback"])


@routes.post(
    "/submissions/<id>/request-revision",
    schema="submission.request_revision",
    desk=Desk(batch=("feedback",)),
)
def request_submission_revision(db, id, body):
    """Request another revision of a submission.

    Value and document can change until it is submitted.

    Nothing is mailed to the participant: pass `feedback` on yourself, or have your program do so at
    the event `submission.revision_requested`.
    """
    return submissions.review(db, require_match(get(db, id)), "request-revision", body["feedback"])


@routes.batch()
def batch_submissions(who, body):
    """Approve or reject many submissions, or request another revision of them.

    Each entry succeeds or is refused by itself. The revision that is reviewed is the last one, even
    if it was submitted after you read the list.
    """
    return batches.run(routes, who, body)


@routes.list(
    "/submissions/<id>/revisions", query="submission_revision.query", singular="submission_revision"
)
def list_submission_revisions(db, id, query):
    """List the revisions of a submission, each with its value at that time and the feedback."""
    get(db, id)
    return page(db, sql.revisions, {**query, "submission_id": id}, submissions.represent_revision)


@routes.get("/submissions/<id>/revisions/<item_id>", singular="submission_revision")
def get_submission_revision(db, id, item_id):
    """Get a revision of a submission by its number, counted from 1.

    Every submit keeps a revision. A rejected submission that is submitted again has a new one.
    """
    return revision_of(db, id, item_id)


@routes.get(
    "/submissions/<id>/revisions/<item_id>/content", forms=content_types.STORED, ranges=True
)
def get_submission_revision_content(db, id, item_id):
    """Get the file that was submitted with a revision, even if its document has been changed or
    deleted since.

    The header Range may contain one range. Browsers display only PDF and pictures, and download all
    other files.
    """
    revision = revision_of(db, id, item_id)
    if revision["sha256"] is None:
        raise Problem("not_found", f"The revision {item_id} of the submission {id} has no file.")
    return downloads.stored_file(
        db.config, revision["sha256"], *submissions.file_of(db.config, revision)
    )


def allow_document(who, body, old=None):
    """Raise 403 `insufficient_scope` unless the API key may read the document that a body attaches."""
    if body.get("document_id") and (old is None or body["document_id"] != old["document_id"]):
        require_scope(who, "documents", writes=False)


def revision_of(db, id, number):
    get(db, id)
    return found(submissions.revision(db, id, number), "submission_revision", number)


def get(db, id):
    return found(submissions.get(db, id), "submission", id)


def include_type(db, records):
    rows = db.all(sql.types_of, ids=ids_of(records))
    types = [
        {**row, **{name: bool(row[name]) for name in submission_types.SWITCHES}} for row in rows
    ]
    attach_one(records, "type", types, "submission_id")


INCLUDES = {
    "participant": include_one("participant", sql.participants_of, "submission_id"),
    "type": include_type,
    "allowed_actions": allowed_actions(TRANSITIONS.of),
    "custom_fields": custom_fields.include("submission"),
}
