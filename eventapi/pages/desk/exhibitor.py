"""One exhibitor at the desk, with everything about it."""

from eventapi.pages.desk import actions, api, events, labels, links, taxes
from eventapi.pages.desk.applications import notes
from eventapi.pages.desk.page import render_page
from eventapi.web.routes import Routes

routes = Routes(
    "desk-exhibitor",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

CONTACT = (
    "customer_number",
    "email",
    "invoice_email",
    "phone",
    "mobile",
    "address",
    "postal_code",
    "city",
    "country",
    "website",
    "tax_id",
    "language",
)
FEW = 20  # records of one kind on the page of an exhibitor


@routes.get("/exhibitors/<id>")
def get_desk_exhibitor(db, request, id):
    """Return one participant: contact, booth, orders, documents, submissions, invoices, notes and
    tasks.
    """
    row = api.record(
        "get_participant",
        id,
        include=("contact", "event", "category", "readiness", "allowed_actions"),
    )
    contact = (
        api.read("get_contact", id=row["contact_id"]).data
        if api.may(request, "contacts")
        else row["contact"]
    )
    event = events.by_key(db, row["event_key"])

    def of(scope, name, resource, *, include=(), **query):
        """Return records of the participant with their buttons, or None without the scope."""
        if not (api.may(request, scope) and api.may_call(request, name)):
            return None
        found, _ = api.rows(name, include=include, per_page=FEW, **query)
        return [with_buttons(request, resource, each) for each in found]

    mine = {"event_participant_id": id}
    orders = of(
        "service_orders", "list_service_orders", "service-orders", include=("items",), **mine
    )
    for order in orders or ():
        for item in order["items"]:
            is_open = order["status"] in ("submitted", "confirmed") and item["status"] in (
                "pending",
                "in_progress",
            )
            item["buttons"] = (
                actions.one(
                    request, "cancel_service_order_item", id=order["id"], item_id=item["id"]
                )
                if is_open
                else []
            )
    reservations = of(
        "booths", "list_booth_reservations", "booth-reservations", include=("booth",), **mine
    )
    bill = actions.one(request, "create_participant_invoice", id=id)
    return render_page(
        db,
        request,
        "exhibitor",
        menu="exhibitors",
        current=event,
        title=labels.named(contact),
        row=row,
        contact=contact,
        contact_fields=CONTACT,
        buttons=actions.of(request, "participants", row),
        reservations=reservations,
        free=free_booths(request, row, reservations),
        orders=orders,
        submissions=of("submissions", "list_submissions", "submissions", include=("type",), **mine),
        invoices=of("invoices", "list_invoices", None, **mine),
        documents=of(
            "documents",
            "list_documents",
            "documents",
            entity_type="event_participant",
            entity_id=id,
        ),
        tasks=of("tasks", "list_tasks", "tasks", entity_type="event_participant", entity_id=id),
        links=links.of(request, participant_id=id),
        links_title="links",
        may_make=True,
        new_link={"kind": "participant", "participant_id": id, "email": contact["email"]},
        notes=notes(request, "event_participant", id),
        entity=("event_participant", id),
        profile=api.read("get_participant_profile", id=id).data
        if api.may(request, "participants")
        else None,
        history=history(request, "event_participant", id),
        bill=bill,
        is_undecided=bool(bill) and taxes.is_undecided(db, request, [id]),
        replace=actions.one(request, "replace_participant_badge", id=id),
    )


def free_booths(request, row, reservations):
    """Return the free booths that can be held for a participant without one, or None."""
    has_one = reservations is None or any(
        each["status"] in ("pending", "confirmed") for each in reservations
    )
    if (
        has_one
        or row["status"] == "cancelled"
        or not api.may_call(request, "create_booth_reservation")
    ):
        return None
    return actions.free_booths(row["event_id"])


ONE = {
    "booth-reservations": "get_booth_reservation",
    "service-orders": "get_service_order",
    "submissions": "get_submission",
    "documents": "get_document",
    "tasks": "get_task",
    "invoices": "get_invoice",
    "payments": "get_payment",
}


def with_buttons(request, resource, record):
    """Return a record of a list with the actions that it allows as `buttons`."""
    if resource is None:
        return record
    full = api.read(ONE[resource], id=record["id"], include=("allowed_actions",)).data
    record["buttons"] = actions.of(request, resource, full)
    return record


def history(request, kind, id):
    """Return the last entries of the audit log about a record, or None if the person may not read
    it.
    """
    if not api.may(request, "audit"):
        return None
    return api.rows("list_audit_entries", entity_type=kind, entity_id=id, per_page=10)[0]
