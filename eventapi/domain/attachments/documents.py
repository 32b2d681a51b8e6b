"""Documents as they are stored, read and journalled: pages made from templates, and files."""
import hashlib
import json

from eventapi import journal, markup, times
from eventapi.domain.attachments import content_types, placeholders
from eventapi.domain.records import entities, numbering
from eventapi.errors import Faults, Problem, invalid_at
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("documents")

BLANK = dict.fromkeys(("document_number", "title", "category_id", "template_id", "metadata", "content", "filename", "sha256", "content_type",
                       "size", "width", "height", "contract_status"))


def row(db, id):
    """The stored document, or None."""
    found = db.one(sql.get, id=id)
    return found and {**found, "metadata": found["metadata"] and json.loads(found["metadata"])}


def get(db, id):
    """The document as it is answered, or None."""
    found = row(db, id)
    return found and represent(found)


def represent(row):
    """A row as it is answered; the row stays as it is."""
    metadata = row["metadata"]
    document = {**row, "metadata": json.loads(metadata) if isinstance(metadata, str) else metadata, "missing": json.loads(row["missing"]),
                "content": row["content"] or "", "is_contract": bool(row["is_contract"])}
    del document["width"], document["height"]
    return document


def add(db, document):
    """Adds and journals a document; gives its row."""
    document = {**BLANK, "missing": [], **document, "contract_status": "draft" if document["is_contract"] else None}
    id = db.insert(sql.add, **columns(document), now=db.now)
    new = row(db, id)
    journal.created(db, entities.DOCUMENT, journalled(new))
    return new


def columns(document):
    return {**document, "metadata": None if document["metadata"] is None else as_json(document["metadata"]),
            "missing": as_json(document["missing"]) if isinstance(document["missing"], list) else document["missing"]}


def next_number(db):
    year = times.local_day(db.now, db.config.timezone)[:4]
    return f"DOC-{year}-{numbering.take(db, f'document-{year}'):05}"


def generate(db, document, template):
    """Adds the document that the template makes of the record it is about."""
    document = {**document, "document_number": next_number(db), "title": document["title"] or template["name"],
                "category_id": document["category_id"] or template["category_id"], "template_id": template["id"],
                "is_contract": template["is_contract"]}
    values, _ = placeholders.values(db, document)
    missing = {}

    def value_of(name):
        return values[name] if name in values else missing.setdefault(name, placeholders.GAP)
    tree = markup.parse(template["body"], Faults(), "/body")
    document["content"] = checked_length(markup.write(markup.fill(tree, value_of)))
    return add(db, {**document, "missing": list(missing)})


def checked_length(content):
    if len(content) > markup.LONGEST:
        raise invalid_at("/template_id", "too_long", f"makes a document of more than {markup.LONGEST} characters")
    return content


def written(content, faults):
    """Content that was written by hand, as it is stored."""
    return markup.write(markup.parse(content, faults, "/content"))


def change(db, old, merged):
    """Stores and journals other members; gives the row."""
    if merged == old:
        return old
    db.run(sql.change, **columns(merged), now=db.now)
    return told(db, old)


def hold(db, old, upload, **size):
    """Keeps what was uploaded as the content; gives the row. The same bytes again change nothing."""
    sha256, kind = files.keep(db.config, upload), content_types.judge(upload.head)
    if sha256 == old["sha256"]:
        return old
    db.run(sql.hold, **{"id": old["id"], "sha256": sha256, "content_type": kind, "size": upload.size, "width": None, "height": None, **size},
           now=db.now)
    return told(db, old)


def told(db, old, action="updated"):
    """Journals what became of a row; gives it as it is now."""
    new = row(db, old["id"])
    journal.updated(db, entities.DOCUMENT, journalled(old), journalled(new), action=action)
    return new


def journalled(row):
    """The document as the journal tells it: of long content only its hash."""
    document = represent(row)
    content = document.pop("content")
    return {**document, "content_sha256": hashlib.sha256(content.encode()).hexdigest() if content else None}


def remove(db, row):
    """Deletes and journals a document; its bytes go with the sweep unless another record names them."""
    db.run(sql.remove, id=row["id"])
    journal.deleted(db, entities.DOCUMENT, journalled(row))


def refuse_signed(row):
    """409 for a contract that was sent out: it stays, and so does what it is about."""
    if row["is_contract"] and row["contract_status"] != "draft":
        title, status = entities.DOCUMENT.title(row), row["contract_status"].replace("_", " ")
        raise Problem("in_use", f"The contract {title} is {status}. It cannot be deleted, nor can the record that it is about.",
                      used_by=["contracts"], document_id=row["id"])


def delete_with(db, entity_type, entity_id):
    """Deletes the documents of a record that is about to be deleted, and gives their ids; 409 when a contract among them is more than a draft."""
    found = [row(db, id) for id in db.values(sql.of_entity, entity_type=entity_type, entity_id=entity_id)]
    for document in found:
        refuse_signed(document)
    for document in found:
        remove(db, document)
    return [document["id"] for document in found]


def move_to(db, entity_type, old_id, new_id):
    """The documents of a record become those of another, into which it is merged."""
    for id in db.values(sql.of_entity, entity_type=entity_type, entity_id=old_id):
        old = row(db, id)
        db.run(sql.hand_over, id=id, entity_id=new_id, now=db.now)
        told(db, old)
