"""Plans: the halls of an event, with pillars, doors and other objects."""

from eventapi import times
from eventapi.domain.halls import booth_rows, layout_checks, plan_pictures, plans
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT
from eventapi.storage.statements import statements
from eventapi.web.includes import ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, found, location, picture, require_match
from eventapi.web.routes import Routes

routes = Routes("plans", "plan", scope="plans", flag="plans")
sql = statements("plans")


@routes.list("/plans", query="plan.query")
def list_plans(db, query):
    query = references.filters(db, query, EVENT)
    return page(db, sql.list, query, lambda row: addressed(plans.represent(row)), INCLUDES)


@routes.post("/plans", schema="plan")
def create_plan(db, body):
    return created(addressed(plans.create(db, body)), "/plans")


@routes.get("/plans/<id>", query="plan.one")
def get_plan(db, id, query):
    return one(db, addressed(get(db, id)), query, INCLUDES)


@routes.update("/plans/<id>", schema="plan")
def update_plan(db, id, body):
    plan = require_match(get(db, id), addressed)
    return addressed(plans.update(db, plan, body))


@routes.delete("/plans/<id>")
def delete_plan(db, id):
    """Delete a plan with its booths, unless one of them was ever reserved or ordered for."""
    plans.delete(db, require_match(get(db, id), addressed))


@routes.get("/plans/<id>/checks", query="plan.checks", response="plan.checked")
def list_plan_warnings(db, id, query):
    """Check the layout of a plan. A plan with warnings can be used."""
    with db.snapshot():
        plan, outlines = found(db.one(sql.get, id=id), "plan", id), db.all(sql.outlines, id=id)
    warnings, is_complete = layout_checks.warnings(plan, outlines, round(1000 * query["min_aisle"]))
    checks = {
        "plan_id": id,
        "min_aisle": float(query["min_aisle"]),
        "warnings": warnings,
        "is_complete": is_complete,
        "checked_at": times.now(),
    }
    return Response(checks, has_etag=False)


@routes.get("/plans/<id>/svg", query="plan.picture", forms=plan_pictures.FORMS)
def get_plan_svg(db, id, query, form):
    """Draw a plan as SVG or PDF, for the screen and for A3 paper."""
    hall = found(plan_pictures.read(db, id, query["view"], query.get("language")), "plan", id)
    return picture(hall, form, lambda: plan_pictures.draw(db.config, hall, form))


def get(db, id):
    return found(plans.get(db, id), "plan", id)


def addressed(plan):
    """Return the plan with the address of its picture, which depends on the request."""
    return {**plan, "floor_plan_svg": location(f"/plans/{plan['id']}/svg")}


def include_booth_count(db, records):
    counts = {
        row["id"]: row["booth_count"] for row in db.all(sql.booth_counts_of, ids=ids_of(records))
    }
    for plan in records:
        plan["booth_count"] = counts.get(plan["id"], 0)


def include_booths(db, records):
    by_id = {plan["id"]: plan.setdefault("booths", []) for plan in records}
    for row in plans.booths_of(db, list(by_id)):
        by_id[row["plan_id"]].append(booth_rows.represent(db, row))


def include_objects(db, records):
    by_id = {row["id"]: row["objects"] for row in db.all(sql.objects_of, ids=ids_of(records))}
    for plan in records:
        plan["objects"] = plans.objects(by_id[plan["id"]])


INCLUDES = {
    "booth_count": include_booth_count,
    "booths": include_booths,
    "objects": include_objects,
}
