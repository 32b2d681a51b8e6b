"""Document categories: the drawers of the cabinet, each with the template that its documents are made from."""
from eventapi import journal
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.references import DEFAULT_TEMPLATE
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("document_categories", "document_category", scope="documents", flag="documents")
sql = statements("document_categories")


@routes.list("/documents/categories", query="document_category.query")
def list_document_categories(db, query):
    return page(db, sql.list, references.filters(db, query, DEFAULT_TEMPLATE))


@routes.post("/documents/categories", schema="document_category")
def create_document_category(db, body):
    values = columns(db, body)
    values["key"] = values["key"] or free_key(db, values["name"])
    claim_key(db, values["key"])
    category = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.DOCUMENT_CATEGORY, category)
    return created(category, f"/documents/categories/{category['id']}")


@routes.get("/documents/categories/<id>")
def get_document_category(db, id):
    return get(db, id)


@routes.update("/documents/categories/<id>", schema="document_category")
def update_document_category(db, id, body):
    old = unchanged(get(db, id))
    merged = columns(db, body, old)
    claim_key(db, merged["key"], but=id)
    if any(merged[name] != old[name] for name in old):
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.DOCUMENT_CATEGORY, old, new)
    return new


@routes.delete("/documents/categories/<id>")
def delete_document_category(db, id):
    category = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The category has {' and '.join(users)}; it cannot be deleted.", used_by=users)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.DOCUMENT_CATEGORY, category)
    return deleted()


def get(db, id):
    return found(db.one(sql.get, id=id), "document_category", id)


def columns(db, body, old=None):
    """The category as columns, once the body is in order."""
    faults, merged = Faults(), {**(old or {}), **body}
    if any(member in body for member, _ in DEFAULT_TEMPLATE[1]):
        merged[DEFAULT_TEMPLATE[0]] = references.resolve(db, body, DEFAULT_TEMPLATE, faults)
    faults.raise_any()
    return merged


def claim_key(db, key, but=None):
    if db.value(sql.key_taken, key=key) not in (None, but):
        raise Problem("duplicate", f"There is a document category with the key {key}.", member="key")


def free_key(db, name):
    return slugs.free(slugs.slug(name), lambda key: db.value(sql.key_taken, key=key))
