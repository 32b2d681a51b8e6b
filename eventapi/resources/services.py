"""Services: what an organiser sells besides space, and at which events."""

from eventapi import money
from eventapi.domain.orders import offers, services
from eventapi.domain.orders.services import represent
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT, SERVICE_CATEGORY
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.includes import include_found, include_one
from eventapi.web.lists import one, page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("services", "service", scope="services", flag="services")
sql = statements("services")

# fields that depend on the event in the query
AT_EVENT = (
    "price",
    "ordered",
    "available",
    "order_deadline",
)
NOT_OFFERED = {"price": None, "ordered": 0, "available": 0, "last_day": None}


@routes.list("/services", query="service.query")
def list_services(db, query):
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    query = references.filters(db, query, EVENT, SERVICE_CATEGORY)
    return page(db, sql.list, with_terms(query), lambda row: represent(db, row), includes(query))


@routes.post("/services", schema="service")
def create_service(db, body):
    return created(services.create(db, body), "/services")


@routes.get("/services/<id>", query="service.one")
def get_service(db, id, query):
    service = get(db, id)
    query = references.filters(db, query, EVENT)
    return one(db, service, with_terms(query), includes(query))


@routes.update("/services/<id>", schema="service")
def update_service(db, id, body):
    return services.update(db, require_match(get(db, id)), body)


@routes.delete("/services/<id>")
def delete_service(db, id):
    """Delete a service that was never ordered."""
    services.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(services.get(db, id), "service", id)


def with_terms(query):
    """Return the query.

    If it contains an event, also include the terms of the service at this event.
    """
    if "event_id" not in query:
        return query
    return {**query, "include": [*query.get("include", ()), *AT_EVENT]}


def includes(query):
    """Return {name: function} of the fields to include.

    The function of the first field in AT_EVENT sets all four.
    """

    def include_terms(db, records):
        known = offers.at_event(db, query["event_id"], [service["id"] for service in records])
        for service in records:
            offer = known.get(service["id"], NOT_OFFERED)
            service.update(
                price=money.major(offer["price"], db.config.currency),
                ordered=offer["ordered"],
                available=offer["available"],
                order_deadline=offer["last_day"],
            )

    return {
        **INCLUDES,
        **dict.fromkeys(AT_EVENT, lambda db, records: None),
        AT_EVENT[0]: include_terms,
    }


INCLUDES = {
    "category": include_one("category", sql.categories_of, "service_id"),
    "events": include_found("events", offers.of_services),
}
