"""Orders: the services of the show, the basket, the check page before it is submitted, and the own
orders.
"""

from eventapi.domain.portal import basket, evidence, reading
from eventapi.errors import Problem, invalid
from eventapi.pages.my import page
from eventapi.web.html import forms, page_requests
from eventapi.web.routes import Routes

routes = Routes("my-orders", root="/my/<ref>", **page.PAGE)
RIGHT = "orders"


@routes.get("/orders")
def get_my_orders(db, request):
    """Return the services with their prices, the basket and the own orders."""
    exhibitor = page.open_page(db, request, RIGHT)
    rows = reading.orders_of(db, exhibitor.participant)
    draft = next((row for row in rows if row["status"] == "draft"), None)
    return page.render_page(
        db,
        request,
        exhibitor,
        "orders",
        tag=page.tag_of(basket_of(draft)),
        services=reading.catalogue(db, exhibitor.participant),
        items={item["service_id"]: item for item in draft["items"]} if draft else {},
        draft=draft,
        orders=[row for row in rows if row["status"] != "draft"],
    )


def typed_order(db, link, language, fields):
    """Return (label, text) of the quantities and specifications in a form, with the names of the
    services.
    """
    texts = page_requests.words(page.PACKAGE, language)
    participant = reading.participant(db, link["participant_id"])
    services = {str(row["service_id"]): row for row in reading.catalogue(db, participant)}
    found = []
    for name, (text, *_) in fields.items():
        kind, _, id = name.partition(".")
        service = services.get(id)
        if service and text.strip() not in ("", "0"):
            label = (
                texts["quantity"]
                if kind == "q"
                else service["specification_label"] or texts["specification"]
            )
            found.append((f"{service['service_name']}: {label}", text))
    return found


@routes.post("/orders", shows=get_my_orders, typed=typed_order)
def fill_my_basket(db, request):
    """Store the quantities as the basket, and lead to the check page."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    page.refuse_changed(
        basket_of(basket.find(db, exhibitor.participant)), request.fields.get("etag", [None])[0]
    )
    items = items_of(request, reading.catalogue(db, exhibitor.participant))
    try:
        row = basket.fill(db, exhibitor.participant, items)
    except Problem as problem:
        if problem.errors is None:
            raise
        raise invalid(
            [{**fault, "pointer": field_of(fault["pointer"], items)} for fault in problem.errors]
        ) from None
    return page_requests.see_other(
        request, "orders/check" if row else "orders", done=None if row else "emptied"
    )


@routes.get("/orders/check")
def get_my_basket(db, request):
    """Return the page with all amounts, before the order is submitted bindingly."""
    exhibitor = page.open_page(db, request, RIGHT)
    row = basket.find(db, exhibitor.participant)
    if row is None:
        return (
            get_my_orders(db, request)
            if request.problem
            else page_requests.see_other(request, "orders")
        )
    try:
        checked, shown = basket.checked(db, row), basket.facts(db, row)
    except Problem as problem:
        if problem.status >= 500:
            raise
        request.problem = request.problem or problem
        return get_my_orders(db, request)
    return page.render_page(
        db, request, exhibitor, "check", draft=row, checked=checked, hash=evidence.digest(shown)
    )


@routes.post("/orders/check", schema="portal_forms.order", shows=get_my_basket)
def submit_my_basket(db, request, body):
    """Submit the order bindingly."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    basket.submit(db, exhibitor.participant, page.step(request, body["shown"]))
    return page_requests.see_other(request, "orders", done="ordered")


@routes.post("/orders/cancel", shows=get_my_orders)
def cancel_my_basket(db, request):
    """Empty the basket."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    basket.fill(db, exhibitor.participant, [])
    return page_requests.see_other(request, "orders", done="emptied")


def basket_of(draft):
    """Return what a colleague may change meanwhile: the items of a draft, or None without one."""
    names = ("service_id", "quantity", "specification")
    return {"basket": draft and [[item[name] for name in names] for item in draft["items"]]}


def items_of(request, services):
    """Return the items that the form means: services with a quantity.

    Raise 422 for a quantity that is no number.
    """
    items, faults = [], []
    for service in services:
        id = service["service_id"]
        text, more = (request.fields.get(f"{name}.{id}", [""])[0].strip() for name in ("q", "s"))
        quantity = forms.number(text, request.language) if text else 0
        if not isinstance(quantity, int) or not 0 <= quantity <= 1_000_000:
            faults.append(
                {"pointer": f"/q.{id}", "code": "type", "detail": "must be a whole number"}
            )
        elif quantity:
            items.append(
                {"service_id": id, "quantity": quantity, "specification": more[:2000] or None}
            )
    if faults:
        raise invalid(faults)
    return items


def field_of(pointer, items):
    """Return the field of the form for a place in the items, such as /items/0/quantity."""
    _, _, place, name = (*pointer.split("/"), "", "")[:4]
    if not place.isdecimal():
        return pointer
    return f"/{'s' if name == 'specification' else 'q'}.{items[int(place)]['service_id']}"
