"""Service categories: creating, changing and deleting the headings of the services sold.

Every function that writes is called inside a write transaction and journals the change.
"""
from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.records import entities, slugs
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("service_categories")


def get(db, id):
    """Return the service category, or None."""
    return db.one(sql.get, id=id)


def create(db, fields):
    """Create a service category and return it. `fields` is a complete validated body.

    A missing `category_key` is made from the name. Raise 409 `duplicate` for a taken key.
    """
    key = fields["category_key"] or _free_key(db, fields["category_name"])
    _claim_key(db, key)
    category = get(db, db.insert(sql.add, **{**fields, "category_key": key}, now=db.now))
    journal.created(db, entities.SERVICE_CATEGORY, category)
    return category


def update(db, old, fields):
    """Change a service category and return it. `fields` holds the changed fields.

    Raise 409 `duplicate` for a taken key.
    """
    id, merged = old["id"], {**old, **fields}
    _claim_key(db, merged["category_key"], but=id)
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.SERVICE_CATEGORY, old, new)
    return new


def delete(db, category):
    """Delete a service category with its documents and tasks. Raise 409 `in_use` while other records refer to it."""
    id = category["id"]
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The category has {' and '.join(users)}; it cannot be deleted.", used_by=users)
    cascade.delete_with(db, "service_category", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.SERVICE_CATEGORY, category)


def _claim_key(db, category_key, but=None):
    if db.value(sql.key_taken, category_key=category_key) not in (None, but):
        raise Problem("duplicate", f"There is a service category with the key {category_key}.", member="category_key")


def _free_key(db, category_name):
    return slugs.free(slugs.slug(category_name), lambda key: db.value(sql.key_taken, category_key=key))
