"""Service orders: what a participant orders besides space, from the draft to the last completed
item.
"""

from eventapi.calls import batches
from eventapi.domain.orders import ordering, orders
from eventapi.domain.orders.ordering import OF_ITEMS, TRANSITIONS
from eventapi.domain.orders.orders import represent
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT, PARTICIPANT
from eventapi.plugins.access import may_read
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.includes import allowed_actions, attach_list, ids_of, include_one
from eventapi.web.lists import one, page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes(
    "service-orders",
    "service_order",
    scope="service_orders",
    flag="service_orders",
    states=(TRANSITIONS, OF_ITEMS),
)
sql = statements("service_orders")

NAMES = "{company_name_folded first_name_folded last_name_folded customer_number_folded}"  # that `search` reads


@routes.list("/service-orders", query="service_order.query")
def list_service_orders(db, who, query):
    """List service orders.

    `search` also finds the participant, with a key that may read participants.
    """
    if "search" in query:
        query["search"] = words = folding.expression(query["search"])
        if may_read(who, "participants"):
            query |= {"search": None, "words": words, "names": f"{NAMES}: ({words})"}
    query = references.filters(db, query, EVENT, PARTICIPANT)
    return page(db, sql.list, query, represent, INCLUDES, totals=lambda rows: {})


@routes.post("/service-orders", schema="service_order")
def create_service_order(db, body):
    return created(represent(ordering.create(db, body)), "/service-orders")


@routes.get("/service-orders/<id>", query="service_order.one")
def get_service_order(db, id, query):
    return one(db, represent(get(db, id)), query, INCLUDES)


@routes.update("/service-orders/<id>", schema="service_order")
def update_service_order(db, id, body):
    return represent(ordering.update(db, require_match(get(db, id), represent), body))


@routes.delete("/service-orders/<id>")
def delete_service_order(db, id):
    """Delete a draft."""
    ordering.delete(db, require_match(get(db, id), represent))


@routes.post("/service-orders/<id>/submit", desk=Desk())
def submit_service_order(db, id):
    """Submit a draft: check it again, take its items from stock, assign its number and freeze its
    prices.
    """
    return represent(ordering.submit(db, get(db, id)))


@routes.post("/service-orders/<id>/confirm", desk=Desk(batch=()))
def confirm_service_order(db, id):
    return represent(ordering.confirm(db, get(db, id)))


@routes.post(
    "/service-orders/<id>/cancel",
    schema="service_order.cancel",
    desk=Desk(is_final=True, batch=("reason",)),
)
def cancel_service_order(db, id, body):
    """Cancel an order with all its items. They return to stock."""
    return represent(ordering.cancel(db, get(db, id), body["reason"]))


@routes.post("/service-orders/<id>/items/<item_id>/start")
def start_service_order_item(db, id, item_id):
    return move_item(db, id, item_id, "start")


@routes.post("/service-orders/<id>/items/<item_id>/complete")
def complete_service_order_item(db, id, item_id):
    """Complete an item. The order is completed with its last item."""
    return move_item(db, id, item_id, "complete")


@routes.post("/service-orders/<id>/items/<item_id>/cancel", desk=Desk(is_final=True))
def cancel_service_order_item(db, id, item_id):
    """Cancel one item. It returns to stock."""
    return move_item(db, id, item_id, "cancel")


@routes.batch()
def batch_service_orders(who, body):
    """Submit, confirm or cancel many service orders.

    Each entry succeeds or is refused by itself.
    """
    return batches.run(routes, who, body)


def get(db, id):
    return found(orders.row(db, id), "service_order", id)


def move_item(db, id, item_id, action):
    row = get(db, id)
    item = next((item for item in row["items"] if item["id"] == item_id), None)
    return represent(ordering.move_item(db, row, found(item, "item", item_id), action))


def include_items(db, records):
    attach_list(records, "items", db.all(sql.items_of, ids=ids_of(records)), "service_order_id")
    for record in records:
        record["items"] = [
            orders.represent_item(item, record["currency"]) for item in record["items"]
        ]


INCLUDES = {
    "items": include_items,
    "participant": include_one("participant", sql.participants_of, "service_order_id"),
    "allowed_actions": allowed_actions(TRANSITIONS.of),
}
