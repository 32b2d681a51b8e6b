"""Categories: the tree that contacts, applications and participants carry."""
from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.events import categories
from eventapi.domain.events.categories import represent
from eventapi.domain.records import references, slugs
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("categories", "category", scope="categories")
sql = statements("categories")

DEEPEST = 100               # levels below the root; a nested answer must end somewhere
PARENT = ("parent_category_id", (("parent_category_id", references.sql.category_by_id),
                                 ("parent_category_key", references.sql.category_by_key)))


@routes.list("/categories", query="category.query")
def list_categories(db, query):
    """Lists categories. With hierarchical=1 a page holds roots, each with its children, and total counts the roots."""
    query = references.filters(db, query, EVENT, PARENT)
    query["include"] = ["event_keys"]
    if query.pop("hierarchical", 0):
        if "parent_category_id" not in query:
            query["roots"] = 1
        query["include"] = ["children"]
    return page(db, sql.list, query, lambda row: represent(db, row), {"event_keys": include_event_keys, "children": nest})


@routes.post("/categories", schema="category")
def create_category(db, body):
    parent_id, event_ids = named(db, body)
    body["category_key"] = body["category_key"] or free_key(db, body["title"])
    values = columns(db, {**body, "parent_category_id": parent_id})
    claim_key(db, body["category_key"])
    id = db.insert(sql.add, **values, now=db.now)
    db.run(sql.add_events, category_id=id, event_ids=as_json(event_ids))
    category = get(db, id)
    journal.created(db, "category", category, title=category["title"], scope="categories")
    return created(category, f"/categories/{id}")


@routes.get("/categories/<id>")
def get_category(db, id):
    return get(db, id)


@routes.update("/categories/<id>", schema="category")
def update_category(db, id, body):
    old = unchanged(get(db, id))
    parent_id, event_ids = named(db, body, id, old["parent_category_id"])
    merged = {**old, **body, "parent_category_id": parent_id}
    values = columns(db, merged)
    claim_key(db, merged["category_key"], but=id)
    if values != columns(db, old) or set(body.get("event_keys", old["event_keys"])) != {*old["event_keys"]}:
        db.run(sql.change, **values, now=db.now)
    if event_ids is not None:
        db.run(sql.clear_events, category_id=id)
        db.run(sql.add_events, category_id=id, event_ids=as_json(event_ids))
    new = get(db, id)
    journal.updated(db, "category", old, new, title=new["title"], scope="categories")
    return new


@routes.delete("/categories/<id>")
def delete_category(db, id):
    """Deletes a category; its children move up one level."""
    category = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The category is carried by {' and '.join(users)}; it cannot be deleted.", used_by=users)
    for child in [get(db, child) for child in db.values(sql.children, id=id)]:
        db.run(sql.move_up, id=child["id"], parent_category_id=category["parent_category_id"], now=db.now)
        journal.updated(db, "category", child, get(db, child["id"]), title=child["title"], scope="categories")
    cascade.delete_with(db, "category", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "category", category, title=category["title"], scope="categories")
    return deleted()


def get(db, id):
    return found(categories.get(db, id), "category", id)


def columns(db, category):
    """The category as columns: money and percent as whole numbers."""
    faults, places = Faults(), money.decimals(db.config.currency)
    values = {**category, "base_price": whole(category, "base_price", places, faults),
              "tax_rate": whole(category, "tax_rate", 2, faults)}
    faults.raise_any()
    return values


def named(db, body, id=None, parent_id=None):
    """The ids of the parent, which stays `parent_id` when none is sent, and of the events, None when these are not sent."""
    faults = Faults()
    event_ids = references.event_ids(db, body, faults)
    if any(member in body for member, _ in PARENT[1]):
        parent_id = references.resolve(db, body, PARENT, faults)
        if parent_id is not None:
            check_place(db, id, parent_id, "parent_category_id" if body.get("parent_category_id") else "parent_category_key", faults)
    faults.raise_any()
    return parent_id, event_ids


def check_place(db, id, parent_id, member, faults):
    """A category may stand below any other but itself and what is below it."""
    above = db.values(sql.ancestors, id=parent_id)
    if id in above:
        faults.add(f"/{member}", "cycle", "must not be the category itself or one below it")
    elif len(above) + (db.value(sql.height, id=id) if id else 0) > DEEPEST:
        faults.add(f"/{member}", "too_deep", f"would lead deeper than {DEEPEST} levels")


def claim_key(db, category_key, but=None):
    if db.value(sql.key_taken, category_key=category_key) not in (None, but):
        raise Problem("duplicate", f"There is a category with the key {category_key}.", member="category_key")


def free_key(db, title):
    return slugs.free(slugs.slug(title), lambda key: db.value(sql.key_taken, category_key=key))


def nest(db, roots):
    """Gives each root its children, and these theirs; and all of them their events."""
    below = [represent(db, row) for row in db.all(sql.descendants_of, ids=ids_of(roots))]
    by_id = {category["id"]: category for category in (*roots, *below)}
    include_event_keys(db, list(by_id.values()))
    for category in by_id.values():
        category["children"] = []
    for category in below:
        parent = by_id[category["parent_category_id"]]
        category["level"] = parent["level"] + 1
        parent["children"].append(category)


def include_event_keys(db, records):
    by_id = {category["id"]: category.setdefault("event_keys", []) for category in records}
    for row in db.all(sql.event_keys_of, ids=ids_of(records)):
        by_id[row["category_id"]].append(row["event_key"])


def ids_of(records):
    return as_json([record["id"] for record in records])
