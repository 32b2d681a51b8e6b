"""Rows of documents: read, store and journal them.

`documents` and `contracts` check the rules first.

Every function that writes is called inside a write transaction and journals the change.
"""

import hashlib
import json

from eventapi import journal, times
from eventapi.domain.attachments import content_types
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("documents")

BLANK = dict.fromkeys(
    (
        "document_number",
        "title",
        "category_id",
        "template_id",
        "language",
        "metadata",
        "content",
        "filename",
        "sha256",
        "content_type",
        "size",
        "width",
        "height",
        "contract_status",
    )
)


# Reading


def row(db, id):
    """Return the row of the document, or None. Its metadata and `e_invoice` are decoded."""
    found = db.one(sql.get, id=id)
    return found and {
        **found,
        "metadata": found["metadata"] and json.loads(found["metadata"]),
        "e_invoice": found["e_invoice"] and json.loads(found["e_invoice"]),
    }


def get(db, id):
    """Return the API object of the document, or None."""
    found = row(db, id)
    return found and represent(found)


def represent(row):
    """Return the API object of a row. The row is not changed."""
    document = {
        **row,
        "metadata": decoded(row["metadata"]),
        "e_invoice": decoded(row["e_invoice"]),
        "missing": json.loads(row["missing"]),
        "content": row["content"] or "",
        "is_contract": bool(row["is_contract"]),
    }
    del document["width"], document["height"]
    return document


def decoded(value):
    """Return the object of a JSON column, which may be decoded already, or None."""
    return json.loads(value) if isinstance(value, str) else value


def journalled(row):
    """Return the document as the journal keeps it: with the SHA-256 of its content instead of the
    content.
    """
    document = represent(row)
    content = document.pop("content")
    return {
        **document,
        "content_sha256": hashlib.sha256(content.encode()).hexdigest() if content else None,
    }


# Writing


def add(db, document):
    """Add a document and return its row. A contract starts as a draft."""
    document = {
        **BLANK,
        "missing": [],
        **document,
        "contract_status": "draft" if document["is_contract"] else None,
    }
    id = db.insert(sql.add, **columns(document), now=db.now)
    new = row(db, id)
    journal.created(db, entities.DOCUMENT, journalled(new))
    return new


def columns(document):
    """Return the document with its metadata and missing placeholders as JSON."""
    return {
        **document,
        "metadata": None if document["metadata"] is None else as_json(document["metadata"]),
        "missing": as_json(document["missing"])
        if isinstance(document["missing"], list)
        else document["missing"],
    }


def change(db, old, merged):
    """Store the changed row `merged` and return it as it is then."""
    if merged == old:
        return old
    db.run(sql.change, **columns(merged), now=db.now)
    return journal_update(db, old)


def store_content(db, old, upload, e_invoice=None, **size):
    """Store an upload as the content and return the row. The same bytes again change nothing.

    `e_invoice` is what the file says as an e-invoice. `size` may hold `width` and `height` of a
    picture in pixels.
    """
    sha256, kind = files.keep(db.config, upload), content_types.detect(upload.head)
    if e_invoice and not e_invoice["is_hybrid"]:
        kind = content_types.XML  # without a declaration, the first bytes do not tell
    if sha256 == old["sha256"] and e_invoice == old["e_invoice"]:
        return old
    values = {
        "id": old["id"],
        "sha256": sha256,
        "content_type": kind,
        "size": upload.size,
        "width": None,
        "height": None,
        "e_invoice": e_invoice and as_json(e_invoice),
    }
    db.run(sql.hold, **{**values, **size}, now=db.now)
    return journal_update(db, old)


def journal_update(db, old, action="updated"):
    """Journal the changes since the document was read as the row `old`, and return its row."""
    new = row(db, old["id"])
    journal.updated(db, entities.DOCUMENT, journalled(old), journalled(new), action=action)
    return new


def remove(db, row):
    """Delete a document, but not what is attached to it.

    Housekeeping deletes its file when no record refers to it.
    """
    db.run(sql.remove, id=row["id"])
    journal.deleted(db, entities.DOCUMENT, journalled(row))


def refuse_signed(row):
    """Raise 409 `in_use` for a contract that was sent to be signed."""
    if row["is_contract"] and row["contract_status"] != "draft":
        title, status = entities.DOCUMENT.title(row), row["contract_status"].replace("_", " ")
        is_pending = row["contract_status"] == "pending_signature"
        remedy = (
            f"Use POST /documents/{row['id']}/void first"
            if is_pending
            else ("Keep both: a signed contract is evidence")
        )
        raise Problem(
            "in_use",
            f"The contract {title} is {status}, so neither it nor the record that it is about can be "
            f"deleted. {remedy}.",
            used_by=["contracts"],
            document_id=row["id"],
        )


def kept_until(db, row):
    """Return the last day on which a received e-invoice must be kept (§ 14b UStG), or None for
    another document.

    One that could not be read has no number, and need not be kept: the supplier sends it again.
    """
    found = decoded(row["e_invoice"])
    if not found or found["number"] is None:
        return None
    year = int(times.local_date(row["created_at"], db.config.timezone)[:4])
    last = f"{year + db.config.retention_years:04}-12-31"
    return last if times.today(db.config.timezone, db.now) <= last else None


def refuse_kept(db, row):
    """Raise 409 `in_use` for a received e-invoice that must be kept."""
    last = kept_until(db, row)
    if last:
        raise Problem(
            "in_use",
            f"Document {row['id']} is an e-invoice that must be kept until {last}, so neither it "
            "nor the record that it is about can be deleted. Keep both until then.",
            used_by=["e_invoices"],
            document_id=row["id"],
        )


def delete_with(db, entity_type, entity_id):
    """Delete the documents of a record that is about to be deleted, and return their ids.

    Raise 409 `in_use` if one of them is a contract that was sent to be signed, or an e-invoice that
    must be kept.
    """
    found = [
        row(db, id) for id in db.values(sql.of_entity, entity_type=entity_type, entity_id=entity_id)
    ]
    for document in found:
        refuse_signed(document)
        refuse_kept(db, document)
    for document in found:
        remove(db, document)
    return [document["id"] for document in found]


def move_to(db, entity_type, old_id, new_id):
    """Move the documents of a record to another, into which it is merged."""
    for id in db.values(sql.of_entity, entity_type=entity_type, entity_id=old_id):
        old = row(db, id)
        db.run(sql.hand_over, id=id, entity_id=new_id, now=db.now)
        journal_update(db, old)
