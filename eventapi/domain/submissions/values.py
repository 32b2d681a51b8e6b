"""Check a submitted value against its type: one line, a URL, a checkbox, or a file.

A file is checked by its extension, the content that this extension promises, and its size.
"""
from pathlib import PurePath

from eventapi.domain.attachments import content_types
from eventapi.errors import listed
from eventapi.storage import files
from eventapi.storage.statements import statements
from eventapi.validation.formats import URL

sql = statements("submissions")

LONGEST_LINE = 255
LONGEST_URL = 2000
MEGABYTE = 1024 * 1024
FIELDS = {"file": "document_id"}                # input -> the field for it, where that is not `value`


def check(db, kind, participant, body, faults):
    """Add what is wrong with the value or the document of a body to `faults`. Missing ones are not checked here."""
    wanted = FIELDS.get(kind["input"], "value")
    for member in {"value", "document_id"} - {wanted}:
        if body[member] is not None:
            faults.add(f"/{member}", "not_for_input",
                       f"must not be sent: the input of this submission type is {kind['input']}. Send `{wanted}`")
    if body[wanted] is not None:
        if wanted == "value":
            _check_value(kind["input"], body["value"], faults)
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
    """Return `(code, detail)` for a value that does not fit the input, or None."""
    if kind == "checkbox":
        return None if value is True else ("checkbox", "must be true for a checkbox")
    if not isinstance(value, str):
        return "type", "must be a string"
    if kind == "text" and (len(value) > LONGEST_LINE or len(value.splitlines()) > 1):
        return "one_line", f"must be one line of at most {LONGEST_LINE} characters"
    if kind == "url" and (len(value) > LONGEST_URL or not URL.fullmatch(value)):
        return "format", f"must be a URL that begins with http:// or https://, of at most {LONGEST_URL} characters"
    return None


def _check_document(db, kind, participant, document_id, faults):
    document = db.one(sql.document, id=document_id)
    owners = ("event_participant", participant["id"]), ("contact", participant["contact_id"])
    if document is None or (document["entity_type"], document["entity_id"]) not in owners:
        faults.add("/document_id", "unknown",
                   f"is unknown: neither the participant nor its contact has the document {document_id}")
    elif document["sha256"] is None:
        faults.add("/document_id", "empty",
                   f"has no content yet. Upload it with PUT /documents/{document_id}/content first")
    else:
        _check_file(db.config, kind, document, faults)


def _check_file(config, kind, document, faults):
    allowed, extension = kind["allowed_extensions"], PurePath(document["filename"] or "").suffix[1:].lower()
    if allowed and extension not in allowed:
        faults.add("/document_id", "extension",
                   f"must be a file with the extension {listed(allowed, 'or')}, but is {document['filename']}")
    elif allowed:
        head = files.head(config, document["sha256"])
        if not content_types.fits(extension, head):
            faults.add("/document_id", "content_type",
                       f"must be a file whose content fits its extension, but the content of {document['filename']} is "
                       f"{content_types.detect(head)}")
    if kind["max_size_mb"] and document["size"] > kind["max_size_mb"] * MEGABYTE:
        faults.add("/document_id", "too_large",
                   f"must have at most {kind['max_size_mb']} MB, but has {document['size']} bytes")
