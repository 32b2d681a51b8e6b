"""Service categories: the headings under which services stand in the catalogue."""
from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.records import entities, slugs
from eventapi.errors import Problem
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("service_categories", "service_category", scope="services", flag="services")
sql = statements("service_categories")


@routes.list("/services/categories", query="service_category.query")
def list_service_categories(db, query):
    return page(db, sql.list, query)


@routes.post("/services/categories", schema="service_category")
def create_service_category(db, body):
    body["category_key"] = body["category_key"] or free_key(db, body["category_name"])
    claim_key(db, body["category_key"])
    category = get(db, db.insert(sql.add, **body, now=db.now))
    journal.created(db, entities.SERVICE_CATEGORY, category)
    return created(category, f"/services/categories/{category['id']}")


@routes.get("/services/categories/<id>")
def get_service_category(db, id):
    return get(db, id)


@routes.update("/services/categories/<id>", schema="service_category")
def update_service_category(db, id, body):
    old = unchanged(get(db, id))
    merged = {**old, **body}
    claim_key(db, merged["category_key"], but=id)
    if merged != old:
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.SERVICE_CATEGORY, old, new)
    return new


@routes.delete("/services/categories/<id>")
def delete_service_category(db, id):
    category = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The category has {' and '.join(users)}; it cannot be deleted.", used_by=users)
    cascade.delete_with(db, "service_category", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.SERVICE_CATEGORY, category)
    return deleted()


def get(db, id):
    return found(db.one(sql.get, id=id), "service_category", id)


def claim_key(db, category_key, but=None):
    if db.value(sql.key_taken, category_key=category_key) not in (None, but):
        raise Problem("duplicate", f"There is a service category with the key {category_key}.", member="category_key")


def free_key(db, category_name):
    return slugs.free(slugs.slug(category_name), lambda key: db.value(sql.key_taken, category_key=key))
