"""Document categories, each with the template that its documents are made from by default.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.references import DEFAULT_TEMPLATE
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("document_categories")


def get(db, id):
    """Return the document category, or None."""
    return db.one(sql.get, id=id)


def create(db, fields):
    """Create a document category and return it. `fields` is a complete validated body.

    A missing `key` is made from the name. Raise 422 for an unknown template; 409 `duplicate` for a
    taken key.
    """
    values = _with_template(db, fields, fields)
    values["key"] = slugs.new_key(
        db, sql.key_taken, "document category", "key", values["key"], values["name"]
    )
    category = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.DOCUMENT_CATEGORY, category)
    return category


def update(db, old, fields):
    """Change a document category and return it. `fields` holds the changed fields.

    Raise 422 and 409 as `create` does.
    """
    id, merged = old["id"], _with_template(db, {**old, **fields}, fields)
    slugs.claim_key(db, sql.key_taken, "document category", "key", merged["key"], but=id)
    if any(merged[name] != old[name] for name in old):
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.DOCUMENT_CATEGORY, old, new)
    return new


def delete(db, category):
    """Delete a document category. Raise 409 `in_use` while other records refer to it."""
    id = category["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The category is used by {}, so it cannot be deleted. "
        "Assign another category to each of them first.",
    )
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.DOCUMENT_CATEGORY, category)


def _with_template(db, category, fields):
    """Return the category with the default template that `fields` names by id or key.

    Raise 422 for an unknown one.
    """
    faults = Faults()
    values = {**category, **references.named(db, fields, faults, DEFAULT_TEMPLATE)}
    faults.raise_any()
    return values
