"""Orders: the services of the show, the basket, the check page before it is submitted, and the own
orders.
"""

from eventapi.domain.portal import basket, evidence, reading
from eventapi.errors import Problem, fault, invalid
from eventapi.pages.my import page
from eventapi.web.html import page_requests
from eventapi.web.html.forms import Field, Form
from eventapi.web.routes import Routes

routes = Routes("my-orders", root="/my/<ref>", **page.PAGE)
RIGHT = "orders"
QUANTITY = {"type": "integer", "minimum": 0, "maximum": 1_000_000}


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
    participant = reading.participant(db, link["participant_id"])
    form = form_of(reading.catalogue(db, participant), fields, language)
    texts = [(each.label, each.text(fields)) for each in form.fields]
    return [(label, text) for label, text in texts if text.strip() not in ("", "0")]


@routes.post("/orders", shows=get_my_orders, typed=typed_order)
def fill_my_basket(db, request):
    """Store the quantities as the basket, and lead to the check page."""
    exhibitor = page.open_for_change(db, request, RIGHT)
    page.refuse_changed(
        basket_of(basket.find(db, exhibitor.participant)), request.fields.get("etag", [None])[0]
    )
    services = reading.catalogue(db, exhibitor.participant)
    request.form = form_of(services, request.fields, request.language)
    items, faults = items_of(request, services)
    try:
        row = basket.fill(db, exhibitor.participant, items)
    except Problem as problem:
        if problem.errors is None:
            raise
        faults += problem.errors
    if faults:
        raise invalid(faults)
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


def form_of(services, given, language):
    """Return the form of the basket: `q.ID` is the quantity of a service, `s.ID` its specification.

    Their pointers are those of the items that the form orders, in their order, so that what the
    order refuses is said beside them.
    """
    texts = page_requests.words(page.PACKAGE, language)
    fields = []
    place = 0
    for service in services:
        id = service["service_id"]
        name = service["service_name"]
        more = service["specification_label"] or texts["specification"]
        quantity = Field(
            f"q.{id}", f"/items/{place}", f"{name}: {texts['quantity']}", "integer", schema=QUANTITY
        )
        specification = Field(f"s.{id}", f"/items/{place}/specification", f"{name}: {more}")
        fields += [quantity, specification]
        if quantity.value(given, language):
            place += 1
    return Form(fields, language)


def items_of(request, services):
    """Return (items, faults): services with a quantity, and a fault for each quantity that is no
    whole number. The item of such a one has the quantity 1, so that the order checks the others.
    """
    by_name = {each.name: each for each in request.form.fields}
    items, faults = [], []
    for service in services:
        id = service["service_id"]
        field = by_name[f"q.{id}"]
        quantity = field.value(request.fields, request.language) or 0
        more = by_name[f"s.{id}"].text(request.fields).strip()
        if not isinstance(quantity, int) or not 0 <= quantity <= QUANTITY["maximum"]:
            faults.append(fault("type", "must be a whole number", pointer=field.pointer))
            quantity = 1
        if quantity:
            items.append(
                {"service_id": id, "quantity": quantity, "specification": more[:2000] or None}
            )
    return items, faults
