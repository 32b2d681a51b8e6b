"""Service categories: creating, changing and deleting the headings of the services sold.

Every function that writes is called inside a write transaction and journals the change.
"""

from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.records import entities, references, slugs
from eventapi.storage.statements import statements

sql = statements("service_categories")


def get(db, id):
    """Return the service category, or None."""
    return db.one(sql.get, id=id)


def create(db, fields):
    """Create a service category and return it. `fields` is a complete validated body.

    A missing `category_key` is made from the name. Raise 409 `duplicate` for a taken key.
    """
    key = slugs.new_key(
        db,
        sql.key_taken,
        "service category",
        "category_key",
        fields["category_key"],
        fields["category_name"],
    )
    category = get(db, db.insert(sql.add, **{**fields, "category_key": key}, now=db.now))
    journal.created(db, entities.SERVICE_CATEGORY, category)
    return category


def update(db, old, fields):
    """Change a service category and return it. `fields` holds the changed fields.

    Raise 409 `duplicate` for a taken key.
    """
    id, merged = old["id"], {**old, **fields}
    slugs.claim_key(
        db, sql.key_taken, "service category", "category_key", merged["category_key"], but=id
    )
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.SERVICE_CATEGORY, old, new)
    return new


def delete(db, category):
    """Delete a service category with its documents and tasks.

    Raise 409 `in_use` while other records refer to it.
    """
    id = category["id"]
    references.refuse_in_use(
        db,
        sql.users,
        id,
        "The category cannot be deleted because it has {}. Move them to another category first.",
    )
    cascade.delete_with(db, "service_category", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.SERVICE_CATEGORY, category)
