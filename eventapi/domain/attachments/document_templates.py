"""Document templates: the HTML templates that documents are made from.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal, markup
from eventapi.domain.attachments import placeholders
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.references import DOCUMENT_CATEGORY
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("document_templates")


# Reading


def get(db, id):
    """Return the document template, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    row["is_contract"] = bool(row["is_contract"])
    return row


# Writing


def create(db, fields):
    """Create a document template and return it. `fields` is a complete validated body.

    A missing `key` is made from the name. Raise 422 for an unknown category, and for elements,
    attributes or placeholders of `body` that a template cannot have; 409 `duplicate` for a taken
    key.
    """
    values = _checked(db, fields, fields)
    values["key"] = slugs.new_key(
        db, sql.key_taken, "document template", "key", values["key"], values["name"]
    )
    template = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.DOCUMENT_TEMPLATE, template)
    return template


def update(db, old, fields):
    """Change a document template and return it. `fields` holds the changed fields.

    Raise 422 and 409 as `create` does.
    """
    id, merged = old["id"], _checked(db, {**old, **fields}, fields)
    slugs.claim_key(db, sql.key_taken, "document template", "key", merged["key"], but=id)
    if any(merged[name] != old[name] for name in old):
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.DOCUMENT_TEMPLATE, old, new)
    return new


def delete(db, template):
    """Delete a document template. Raise 409 `in_use` while other records refer to it."""
    id = template["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The template cannot be deleted because of {}. Delete each document, and change the "
        "`default_template_id` of each category, first. The template of a signed contract stays.",
    )
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.DOCUMENT_TEMPLATE, template)


def _checked(db, template, fields):
    """Return the template with the category that `fields` names by id or key.

    Raise 422 for faults in `fields`.
    """
    faults = Faults()
    values = {**template, **references.named(db, fields, faults, DOCUMENT_CATEGORY)}
    if "body" in fields:
        markup.parse(fields["body"], faults, "/body", placeholders.is_known)
    faults.raise_any()
    return values
