"""Applications: someone asks to take part in one or more events."""
from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.people import applications, approval, contacts, participants
from eventapi.domain.people.applications import represent
from eventapi.domain.records import anonymity, custom_fields, references
from eventapi.domain.records.references import CATEGORY, CONTACT, EVENT
from eventapi.errors import Faults, Problem
from eventapi.states import Transitions
from eventapi.storage import search
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("applications", "application", scope="applications")
sql = statements("applications")

OPEN = ("new", "in_review", "waitlisted", "info_requested")
TRANSITIONS = Transitions("application", {
    "review": (("new", "info_requested"), "in_review"),
    "approve": (("in_review", "waitlisted"), "approved"),
    "reject": (("in_review", "waitlisted"), "rejected"),
    "waitlist": (("in_review",), "waitlisted"),
    "request-info": (("in_review",), "info_requested"),
    "withdraw": (OPEN, "withdrawn"),
})
PAST = {"review": "reviewed", "approve": "approved", "reject": "rejected", "waitlist": "waitlisted",
        "request-info": "info_requested", "withdraw": "withdrawn"}
NAMES = ("company_name", "first_name", "last_name", "email")        # an applicant has one of them at least


@routes.list("/applications", query="application.query")
def list_applications(db, query):
    query = custom_fields.filters(db, "application", references.filters(db, query, EVENT, CATEGORY))
    if "search" in query:
        query["search"] = search.expression(query["search"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/applications", schema="application")
def create_application(db, body):
    event_ids, category_ids, fields = check(db, body, {**body, "custom_fields": {}})
    refuse_late(db, body, event_ids)
    refuse_second(db, body, event_ids)
    id = db.insert(sql.add, **columns(body), now=db.now)
    assign(db, id, event_ids, category_ids)
    custom_fields.store(db, "application", id, {}, fields)
    application = get(db, id)
    journal.created(db, "application", application, title=contacts.title(application), scope="applications")
    return created(application, f"/applications/{id}")


@routes.get("/applications/<id>", query="application.one")
def get_application(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/applications/<id>", schema="application")
def update_application(db, id, body):
    old = unchanged(get(db, id))
    merged = {**old, **body, "custom_fields": old["custom_fields"]}
    event_ids, category_ids, fields = check(db, body, merged)
    known = db.values(sql.event_ids, id=id)
    refuse_late(db, merged, set(event_ids or ()).difference(known))
    if old["status"] in OPEN:
        refuse_second(db, merged, event_ids or known)
    if merged != old or fields != old["custom_fields"]:
        anonymity.refuse(db, "application", id)
    db.run(sql.change, **columns(merged))
    assign(db, id, event_ids, category_ids)
    custom_fields.store(db, "application", id, old["custom_fields"], fields)
    if get(db, id) != old:
        db.run(sql.touch, id=id, now=db.now)
    new = get(db, id)
    journal.updated(db, "application", old, new, title=contacts.title(new), scope="applications")
    return new


@routes.delete("/applications/<id>")
def delete_application(db, id):
    application = unchanged(get(db, id))
    participants.forget_application(db, id)
    cascade.delete_with(db, "application", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "application", application, title=contacts.title(application), scope="applications")
    return deleted()


# Decisions

@routes.post("/applications/<id>/review")
def review_application(db, id):
    return move(db, get(db, id), "review")


@routes.post("/applications/<id>/approve", schema="application.approve")
def approve_application(db, who, id, body):
    """Links or makes the contact, and adds a participant to each event, or to those named."""
    application, faults = get(db, id), Faults()
    contact_id = references.resolve(db, body, CONTACT, faults)
    event_keys = body["event_keys"] or application["event_keys"]
    for place, key in enumerate(event_keys):
        if key not in application["event_keys"]:
            faults.add(f"/event_keys/{place}", "unknown", "is none of the events applied for")
    faults.raise_any()
    if TRANSITIONS.move("approve", application["status"]) is None:
        return application
    event_ids = references.event_ids(db, {"event_keys": event_keys}, faults)
    contact_id = approval.admit(db, application, event_ids, contact_id)
    return move(db, application, "approve", contact_id=contact_id, **decided(db, who))


@routes.post("/applications/<id>/reject", schema="application.reject")
def reject_application(db, who, id, body):
    return move(db, get(db, id), "reject", decision_reason=body["reason"], **decided(db, who))


@routes.post("/applications/<id>/waitlist")
def waitlist_application(db, id):
    return move(db, get(db, id), "waitlist")


@routes.post("/applications/<id>/request-info", schema="application.request_info")
def request_information(db, id, body):
    """Asks the applicant a question; review takes the application up again."""
    return move(db, get(db, id), "request-info", question=body["question"])


@routes.post("/applications/<id>/withdraw")
def withdraw_application(db, id):
    return move(db, get(db, id), "withdraw")


def move(db, old, action, **values):
    """The application after the action; `values` are what the action writes down besides the status."""
    status = TRANSITIONS.move(action, old["status"])
    if status is None:
        return old
    if values:
        anonymity.refuse(db, "application", old["id"])
    db.run(sql.move, **{**old, **values, "status": status}, now=db.now)
    new = get(db, old["id"])
    journal.updated(db, "application", old, new, action=PAST[action], title=contacts.title(new), scope="applications")
    return new


def decided(db, who):
    return {"decided_at": db.now, "decided_by": who.admin_id}


# The record

def get(db, id):
    return found(applications.get(db, id), "application", id)


def columns(application):
    """The application as columns: the area in thousandths of a square metre (by its text, which is exact for a float too)."""
    area = application["requested_area"]
    return {**application, "requested_area": area if area is None else money.scaled(str(area), 3)}


def check(db, body, application):
    """What the schema cannot say, the ids of the events and categories that the body names (None for what it does not), and the
    custom fields after it."""
    faults = Faults()
    if not any(application[name] for name in NAMES):
        faults.add("", "any_of", "must have at least one of: " + ", ".join(NAMES))
    if columns(application)["requested_area"] is None and application["requested_area"] is not None:
        faults.add("/requested_area", "decimals", "must have at most 3 decimals")
    ids = references.event_ids(db, body, faults), references.category_ids(db, body, faults)
    fields = custom_fields.checked(db, "application", body, application["custom_fields"], faults)
    faults.raise_any()
    return *ids, fields


def refuse_late(db, application, event_ids):
    closed = [] if application["late"] else db.values(sql.closed_events, event_ids=as_json([*event_ids]), now=db.now)
    if closed:
        raise Problem("deadline_passed", f"The application deadline of {', '.join(closed)} has passed; late: true lets it in.",
                      event_keys=closed)


def refuse_second(db, application, event_ids):
    other = application["email"] and db.value(sql.second, email=application["email"], event_ids=as_json(event_ids),
                                              id=application.get("id", 0))
    if other:
        raise Problem("duplicate", f"The open application {other} has the same e-mail and event.", member="email",
                      application_id=other)


def assign(db, id, event_ids, category_ids):
    """Replaces the events and the categories of an application; None leaves them as they are."""
    if event_ids is not None:
        db.run(sql.clear_events, id=id)
        db.run(sql.add_events, id=id, event_ids=as_json(event_ids))
    if category_ids is not None:
        db.run(sql.clear_categories, id=id)
        db.run(sql.add_categories, id=id, category_ids=as_json(category_ids))


def include_events(db, applications):
    attach(db, sql.events_of, applications, "events", "event_key")


def include_categories(db, applications):
    attach(db, sql.categories_of, applications, "categories", "category_key")


def include_allowed_actions(_, applications):
    for application in applications:
        application["allowed_actions"] = TRANSITIONS.actions(application["status"])


def attach(db, statement, applications, member, key):
    """Adds the records that each application names, and their keys."""
    parts = {application["id"]: [] for application in applications}
    for row in db.all(statement, ids=as_json(list(parts))):
        parts[row.pop("application_id")].append(row)
    for application in applications:
        application[member] = parts[application["id"]]
        application[f"{key}s"] = [part[key] for part in application[member]]


INCLUDES = {"events": include_events, "categories": include_categories, "allowed_actions": include_allowed_actions,
            "custom_fields": custom_fields.include("application")}
