"""Files that are submitted: each is a document of the participant, made in the same transaction.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi.domain.attachments import content_types, documents
from eventapi.domain.records import anonymity
from eventapi.domain.submissions import submissions, types
from eventapi.errors import Faults, invalid_at, invalid_parameter

# A document that is a file, as POST /documents has it.
FILE = dict.fromkeys(
    (
        "category_id",
        "category_key",
        "template_id",
        "template_key",
        "language",
        "metadata",
        "content",
        "esign_status",
        "is_contract",
    )
)


def add(db, participant, kind, upload, filename):
    """Store a file as a document of a participant for a type, and return the id of the document.

    Raise 422 if the type does not accept the file, before its bytes are kept; 409 `anonymized` or
    `participant_cancelled`.
    """
    _refuse_other_input(kind)
    faults = Faults()
    submissions.check_file(kind, filename, upload.head, upload.size, faults)
    faults.raise_any()
    anonymity.refuse_gone(participant)
    fields = {
        **FILE,
        "entity_type": "event_participant",
        "entity_id": participant["id"],
        "filename": filename,
        "title": kind["title"],
    }
    row = documents.create(db, fields)
    return documents.set_content(db, row, upload, None, is_certain=True)["id"]


def create(db, query, upload):
    """Create a submission with a file and return it, submitted at once unless `draft` is 1.

    `query` has the fields that name participant and type, `filename` and `draft`. Raise as
    `submissions.create` does.
    """
    filename = _safe_name(query)
    body = {name: query.get(name) for name in ("event_participant_id", "type_id", "type_key")}
    participant, kind = submissions.participant_and_type(db, body)
    submissions.refuse_second(db, participant, kind)
    return submissions.create(
        db,
        {
            **body,
            "value": None,
            "document_id": add(db, participant, kind, upload, filename),
            "draft": bool(query["draft"]),
        },
    )


def replace(db, old, query, upload):
    """Replace the file of a submission and return it, submitted unless `draft` is 1.

    Raise as `submissions.update` does.
    """
    filename = _safe_name(query)
    submissions.refuse_locked(old, ["document_id"])
    participant = submissions.participant_of(db, old)
    kind = types.get(db, old["type_id"])
    document_id = add(db, participant, kind, upload, filename)
    return submissions.update(db, old, {"document_id": document_id, "draft": bool(query["draft"])})


def _refuse_other_input(kind):
    """Raise 422 unless a type is one of files."""
    if kind["input"] != "file":
        raise invalid_at(
            "",
            "not_for_input",
            f"must not be a file: the input of this submission type is {kind['input']}. Send `value` "
            "with POST /submissions",
        )


def _safe_name(query):
    """Return the parameter `filename` without folders. Raise 422 if nothing is left of it."""
    name = content_types.safe_name(query["filename"])
    if not name:
        raise invalid_parameter(
            "filename", "required", "must contain a name, such as `logo.pdf`, after the last `/`"
        )
    return name
