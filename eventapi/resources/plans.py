"""Plans: the halls of an event, with what stands in them besides booths."""
from bottle import request

from eventapi import journal, times
from eventapi.domain.halls import booths, layout_checks, plan_pictures, plans
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import Response, created, deleted, found, location, one, page, picture, unchanged
from eventapi.web.routes import Routes

routes = Routes("plans", "plan", scope="plans", flag="plans")
sql = statements("plans")


@routes.list("/plans", query="plan.query")
def list_plans(db, query):
    return page(db, sql.list, references.filters(db, query, EVENT), lambda row: addressed(plans.represent(row)), INCLUDES)


@routes.post("/plans", schema="plan")
def create_plan(db, body):
    values = columns(db, body)
    values["plan_key"] = values["plan_key"] or free_key(db, values)
    claim_key(db, values)
    new = plans.get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.PLAN, new)
    return created(addressed(new), f"/plans/{new['id']}")


@routes.get("/plans/<id>", query="plan.one")
def get_plan(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/plans/<id>", schema="plan")
def update_plan(db, id, body):
    old = unchanged(get(db, id))
    values = columns(db, body, old)
    check_event(db, old, values)
    claim_key(db, values, but=id)
    if values != columns(db, {}, old):
        db.run(sql.change, **values, now=db.now)
    new = plans.get(db, id)
    journal.updated(db, entities.PLAN, old, new)
    return addressed(new)


@routes.delete("/plans/<id>")
def delete_plan(db, id):
    """Deletes a plan with its booths, unless one of these was ever reserved or ordered for."""
    unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The booths of the plan have {' and '.join(users)}; it cannot be deleted.", used_by=users)
    plans.remove(db, plans.get(db, id))
    return deleted()


@routes.get("/plans/<id>/checks", query="plan.checks", response="plan.checked")
def check_plan(db, id, query):
    """What may be wrong with the hall, as coded warnings: nothing of it is refused."""
    with db.snapshot():
        plan, outlines = found(db.one(sql.get, id=id), "plan", id), db.all(sql.outlines, id=id)
    warnings, is_complete = layout_checks.warnings(plan, outlines, round(1000 * query["min_aisle"]))
    return Response({"plan_id": id, "min_aisle": float(query["min_aisle"]), "warnings": warnings, "is_complete": is_complete,
                   "checked_at": times.now()}, has_etag=False)


@routes.get("/plans/<id>/svg", query="plan.picture", forms=plan_pictures.FORMS)
def get_plan_svg(db, id, query):
    """The hall as a picture to look at and to print on A3, as SVG or PDF."""
    form, hall = request.environ["eventapi.form"], found(plan_pictures.read(db, id, query["view"]), "plan", id)
    return picture([query, hall], form, lambda: plan_pictures.draw(hall, form, query["language"]))


def get(db, id):
    return addressed(found(plans.get(db, id), "plan", id))


def addressed(plan):
    return {**plan, "floor_plan_svg": location(f"/plans/{plan['id']}/svg")}


def columns(db, body, old=None):
    """The plan as columns, once body and records are in order."""
    faults = Faults()
    event_id = references.resolve(db, body, EVENT, faults)
    values = plans.columns({**(old or {}), **body}, faults)
    faults.raise_any()
    return {**values, "event_id": event_id or old["event_id"]}


def check_event(db, old, values):
    if values["event_id"] != old["event_id"] and db.value(sql.has_booths, id=old["id"]):
        raise Problem("in_use", "The plan has booths; it stays with its event.", used_by=["booths"])


def claim_key(db, plan, but=None):
    if db.value(sql.key_taken, event_id=plan["event_id"], plan_key=plan["plan_key"]) not in (None, but):
        raise Problem("duplicate", f"The event has a plan with the key {plan['plan_key']}.", member="plan_key")


def free_key(db, plan):
    return slugs.free(slugs.slug(plan["plan_name"]),
                     lambda key: db.value(sql.key_taken, event_id=plan["event_id"], plan_key=key))


def include_booth_count(db, records):
    counts = {row["id"]: row["booth_count"] for row in db.all(sql.booth_counts_of, ids=ids_of(records))}
    for plan in records:
        plan["booth_count"] = counts.get(plan["id"], 0)


def include_booths(db, records):
    by_id = {plan["id"]: plan.setdefault("booths", []) for plan in records}
    for row in plans.booths_of(db, list(by_id)):
        by_id[row["plan_id"]].append(booths.represent(db, row))


def include_objects(db, records):
    by_id = {row["id"]: row["objects"] for row in db.all(sql.objects_of, ids=ids_of(records))}
    for plan in records:
        plan["objects"] = plans.objects(by_id[plan["id"]])


def ids_of(records):
    return as_json([record["id"] for record in records])


INCLUDES = {"booth_count": include_booth_count, "booths": include_booths, "objects": include_objects}
