"""Services: what an organiser sells besides space, and at which events."""
from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.orders import offers
from eventapi.domain.orders import services as catalogue
from eventapi.domain.orders.services import represent
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.amounts import whole
from eventapi.domain.records.references import EVENT, SERVICE_CATEGORY
from eventapi.errors import Faults, Problem
from eventapi.storage import search
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("services", "service", scope="services", flag="services")
sql = statements("services")

AT_EVENT = ("price", "ordered", "available", "order_deadline")      # what a service shows besides when an event is asked for
NOT_OFFERED = {"price": None, "ordered": 0, "available": 0, "last_day": None}


@routes.list("/services", query="service.query")
def list_services(db, query):
    if "search" in query:
        query["search"] = search.expression(query["search"])
    query = references.filters(db, query, EVENT, SERVICE_CATEGORY)
    return page(db, sql.list, with_terms(query), lambda row: represent(db, row), includes(query))


@routes.post("/services", schema="service")
def create_service(db, body):
    values, rows = checked(db, body, body)
    values["service_key"] = body["service_key"] or free_key(db, body["service_name"])
    claim_key(db, values["service_key"])
    id = db.insert(sql.add, **values, now=db.now)
    offers.replace(db, id, rows)
    service = get(db, id)
    journal.created(db, entities.SERVICE, service)
    return created(service, f"/services/{id}")


@routes.get("/services/<id>", query="service.one")
def get_service(db, id, query):
    service = get(db, id)
    query = references.filters(db, query, EVENT)
    return one(db, service, with_terms(query), includes(query))


@routes.update("/services/<id>", schema="service")
def update_service(db, id, body):
    old = unchanged(get(db, id))
    values, rows = checked(db, {**old, **body}, body)
    claim_key(db, values["service_key"], but=id)
    if rows is not None:
        offers.replace(db, id, rows)
    if values != columns(db, old, Faults()) or get(db, id) != old:
        db.run(sql.change, **values, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.SERVICE, old, new)
    return new


@routes.delete("/services/<id>")
def delete_service(db, id):
    """Deletes a service that was never ordered."""
    service = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", "The service has been ordered; it cannot be deleted, but made inactive.", used_by=users)
    cascade.delete_with(db, "service", id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.SERVICE, service)
    return deleted()


def get(db, id):
    return found(catalogue.get(db, id), "service", id)


def checked(db, service, body):
    """The service as columns and the offers that the body names as rows, None when it names none; 422 for all that is wrong."""
    faults = Faults()
    if any(member in body for member, _ in SERVICE_CATEGORY[1]):
        service = {**service, "category_id": references.resolve(db, body, SERVICE_CATEGORY, faults)}
    rows = None if body.get("events") is None else offers.read(db, body["events"], faults)
    values = columns(db, service, faults)
    faults.raise_any()
    return values, rows


def columns(db, service, faults):
    """Money and percent as whole numbers; its offers have a table of their own."""
    if service["max_quantity"] is not None and service["max_quantity"] < service["min_quantity"]:
        faults.add("/max_quantity", "below_minimum", "must not be less than min_quantity")
    return {**{name: value for name, value in service.items() if name != "events"}, "tax_rate": whole(service, "tax_rate", 2, faults),
            "base_price": whole(service, "base_price", money.decimals(db.config.currency), faults)}


def claim_key(db, service_key, but=None):
    if db.value(sql.key_taken, service_key=service_key) not in (None, but):
        raise Problem("duplicate", f"There is a service with the key {service_key}.", member="service_key")


def free_key(db, service_name):
    return slugs.free(slugs.slug(service_name), lambda key: db.value(sql.key_taken, service_key=key))


def with_terms(query):
    """The query of who asks for an event: its terms come beside what is included."""
    return {**query, "include": [*query.get("include", ()), *AT_EVENT]} if "event_id" in query else query


def includes(query):
    """What may be included, and the terms at the event that the query names; the first of their members brings all four."""
    def include_terms(db, services):
        known = offers.at_event(db, query["event_id"], [service["id"] for service in services])
        for service in services:
            offer = known.get(service["id"], NOT_OFFERED)
            service.update(price=money.major(offer["price"], db.config.currency), ordered=offer["ordered"],
                           available=offer["available"], order_deadline=offer["last_day"])
    return {**INCLUDES, **dict.fromkeys(AT_EVENT, lambda db, services: None), AT_EVENT[0]: include_terms}


def include_category(db, services):
    rows = db.all(sql.categories_of, ids=ids_of(services))
    categories = {row.pop("service_id"): row for row in rows}
    for service in services:
        service["category"] = categories.get(service["id"])


def include_events(db, services):
    known = offers.of_services(db, ids_of(services))
    for service in services:
        service["events"] = known.get(service["id"], [])


def ids_of(records):
    return as_json([record["id"] for record in records])


INCLUDES = {"category": include_category, "events": include_events}
