"""Booths: the parts of a hall that are sold."""

from eventapi import money, times
from eventapi.calls import batches
from eventapi.domain.halls import booth_rows, booths, layouts
from eventapi.domain.halls.booth_rows import represent
from eventapi.domain.records import custom_fields, references
from eventapi.domain.records.references import BOOTH_TYPE, EVENT
from eventapi.names import display_name
from eventapi.plugins.access import require_scope
from eventapi.storage.statements import statements
from eventapi.web.includes import ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("booths", "booth", scope="booths", flag="booths")
sql = statements("booths")

AREA_PLACES = 6  # areas are stored in square millimetres
# status -> filter of the list: whether a booth has one of these depends on the current time
STATUS_FILTERS = {"available": "free", "reserved": "held"}


@routes.list("/booths", query="booth.query")
def list_booths(db, who, query):
    """List booths.

    The include `exhibitor` needs the scope `participants:read` as well.
    """
    require_exhibitors(who, query)
    query = custom_fields.filters(db, "booth", references.filters(db, query, EVENT, BOOTH_TYPE))
    if "min_area" in query:
        query["min_area"] = money.at_least(query["min_area"], AREA_PLACES)
    if "max_area" in query:
        query["max_area"] = money.at_most(query["max_area"], AREA_PLACES)
    if "max_price" in query:
        places = money.decimals(db.config.currency)
        query["max_price"] = money.at_most(query["max_price"], places)
    if query.get("status") in STATUS_FILTERS:
        query[STATUS_FILTERS[query.pop("status")]] = 1

    def totals(rows):
        [row] = rows(sql.totals)
        return {"area": money.unscaled(row["area"], AREA_PLACES)}

    query["now"] = times.now()
    return page(db, sql.list, query, lambda row: represent(db, row), INCLUDES, totals)


@routes.post("/booths", schema="booth")
def create_booth(db, body):
    return created(booths.create(db, body), "/booths")


@routes.get("/booths/<id>", query="booth.one")
def get_booth(db, who, id, query):
    """Get a booth. The include `exhibitor` needs the scope `participants:read` as well."""
    require_exhibitors(who, query)
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/booths/<id>", schema="booth")
def update_booth(db, id, body):
    """Change a booth and recompute its price. Existing reservations keep their price."""
    return booths.update(db, require_match(get(db, id)), body)


@routes.delete("/booths/<id>", desk=Desk(batch=(), is_button=False))
def delete_booth(db, id):
    booths.delete(db, require_match(get(db, id)))


@routes.batch()
def batch_booths(who, body):
    """Create many booths, one by one or in rows, or delete many.

    With `create` and `delete`, each entry succeeds or is refused by itself. `layout` creates rows
    of booths, all or nothing: a number that is taken, or twice in the rows, is 409 `duplicate` for
    the whole request. Booths that overlap are warnings of the plan.
    """
    return batches.run(routes, who, body, whole={"layout": layouts.create})


def get(db, id):
    return found(booth_rows.get(db, id), "booth", id)


def require_exhibitors(who, query):
    """Raise 403 `insufficient_scope` if a query includes exhibitors that the key may not read."""
    if "exhibitor" in query.get("include", ()):
        require_scope(who, "participants", writes=False)


def include_exhibitor(db, records):
    """Add the exhibitor that has each booth, and how long it is held, or None."""
    known = {}
    for row in db.all(sql.exhibitors_of, ids=ids_of(records)):
        known[row["booth_id"]] = {
            "participant_id": row["participant_id"],
            "name": display_name(row),
            "status": row["status"],
            "expires_at": row["expires_at"],
        }
    for record in records:
        is_taken = record["event_participant_id"] is not None
        record["exhibitor"] = known.get(record["id"]) if is_taken else None


INCLUDES = {
    "exhibitor": include_exhibitor,
    "custom_fields": custom_fields.include("booth"),
}
