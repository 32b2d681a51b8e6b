"""Checks of a submitted value against its type: one line, a URL, a confirmation, or a file of the right kind and
size.
"""
from pathlib import PurePath

from eventapi.storage.statements import statements
from eventapi.validation.formats import URL

sql = statements("submissions")

LONGEST_LINE = 255
LONGEST_URL = 2000
MEGABYTE = 1024 * 1024
MEMBERS = {"file": "document_id"}               # input -> the member that answers it, where it is not value


def check(db, kind, participant, body, faults):
    """Add what is wrong with value or document of a body to `faults`."""
    wanted = MEMBERS.get(kind["input"], "value")
    for member in {"value", "document_id"} - {wanted}:
        if body[member] is not None:
            faults.add(f"/{member}", "not_for_input",
                       f"is not asked for: the input of this type is {kind['input']}, give {wanted}")
    if body[wanted] is not None:
        if wanted == "value":
            _check_value(kind["input"], body["value"], faults)
        else:
            _check_document(db, kind, participant, body["document_id"], faults)


def demand(kind, body, faults):
    """Add a fault if the value or document that the type asks for is missing."""
    wanted = MEMBERS.get(kind["input"], "value")
    if body[wanted] is None:
        faults.add(f"/{wanted}", "required", "is required to submit; draft true keeps it pending without")


def _check_value(kind, value, faults):
    wrong = _wrong_value(kind, value)
    if wrong:
        faults.add("/value", *wrong)


def _wrong_value(kind, value):
    """Return `(code, detail)` for a value that does not fit the input, or None."""
    if kind == "checkbox":
        return None if value is True else ("checkbox", "must be true: a checkbox confirms")
    if not isinstance(value, str):
        return "type", "must be a string"
    if kind == "text" and (len(value) > LONGEST_LINE or len(value.splitlines()) > 1):
        return "one_line", f"must be one line of at most {LONGEST_LINE} characters"
    if kind == "url" and (len(value) > LONGEST_URL or not URL.fullmatch(value)):
        return "format", f"must be an address that begins with http:// or https://, of at most {LONGEST_URL} characters"
    return None


def _check_document(db, kind, participant, document_id, faults):
    document = db.one(sql.document, id=document_id)
    owners = ("event_participant", participant["id"]), ("contact", participant["contact_id"])
    if document is None or (document["entity_type"], document["entity_id"]) not in owners:
        faults.add("/document_id", "unknown", "names no document of this participant or its contact")
    elif document["sha256"] is None:
        faults.add("/document_id", "empty", "has no content yet: upload it with PUT /documents/{id}/content first")
    else:
        _check_file(kind, document, faults)


def _check_file(kind, document, faults):
    allowed, extension = kind["allowed_extensions"], PurePath(document["filename"] or "").suffix[1:].lower()
    if allowed and extension not in allowed:
        faults.add("/document_id", "extension",
                   f"must be a file with the extension {' or '.join(allowed)}, and is {document['filename']}")
    if kind["max_size_mb"] and document["size"] > kind["max_size_mb"] * MEGABYTE:
        faults.add("/document_id", "too_large", f"must have at most {kind['max_size_mb']} MB")
