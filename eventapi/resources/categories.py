"""Categories: a tree of labels for contacts, applications and participants."""

from eventapi.domain.events import categories
from eventapi.domain.events.categories import represent
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT
from eventapi.storage.statements import statements
from eventapi.web.includes import ids_of
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("categories", "category", scope="categories")
sql = statements("categories")


@routes.list("/categories", query="category.query")
def list_categories(db, query):
    """List categories.

    With `hierarchical=1` a page holds root categories, each with its children, and `total` counts
    the roots.
    """
    query = references.filters(db, query, EVENT, references.PARENT_CATEGORY)
    query["include"] = ["event_keys"]
    if query.pop("hierarchical", 0):
        if "parent_category_id" not in query:
            query["roots"] = 1
        query["include"] = ["children"]
    return page(
        db,
        sql.list,
        query,
        lambda row: represent(db, row),
        {"event_keys": include_event_keys, "children": nest},
    )


@routes.post("/categories", schema="category")
def create_category(db, body):
    return created(categories.create(db, body), "/categories")


@routes.get("/categories/<id>")
def get_category(db, id):
    return get(db, id)


@routes.update("/categories/<id>", schema="category")
def update_category(db, id, body):
    return categories.update(db, require_match(get(db, id)), body)


@routes.delete("/categories/<id>")
def delete_category(db, id):
    """Delete a category. Its children move up one level."""
    categories.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(categories.get(db, id), "category", id)


def nest(db, roots):
    """Add the whole tree below each root as `children`, and the event keys of every category."""
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
