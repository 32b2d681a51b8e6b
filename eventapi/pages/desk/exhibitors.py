"""Exhibitors at the desk: who is ready, one exhibitor with everything about it, and what waits for
a review.
"""

from eventapi.errors import not_found
from eventapi.pages.desk import actions, api, events, labels, links, lists, taxes
from eventapi.pages.desk.applications import notes
from eventapi.pages.desk.page import render_page
from eventapi.storage import folding
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.html import shell
from eventapi.web.routes import Routes

routes = Routes(
    "desk-exhibitors",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
sql = statements("desk")

ITEMS = ("contract", "submissions", "booth", "services", "invoice", "payment", "badge", "category")
SHOWS = ("unready", "nameless", "confirmed", "registered", "cancelled")
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
AT_ONCE = 100  # participants whose readiness is computed at a time


@routes.get("/exhibitors")
def get_desk_exhibitors(db, request):
    """Return the exhibitors of the event in hand by name, with what each still has to do."""
    event, asked = events.required(db), shell.asked("q", "show", "page", "event")
    show = asked.get("show") if asked.get("show") in SHOWS else None
    api.require(request, "participants")
    scope = "booths" if api.may_call(request, "list_booth_reservations") else "participants"
    rows, total = exhibitors(db, event, show, asked.get("q"), lists.page_of(asked), scope)
    return render_page(
        db,
        request,
        "exhibitors",
        menu="exhibitors",
        current=event,
        rows=rows,
        total=total,
        asked=asked,
        show=show,
        shows=SHOWS,
        items=ITEMS,
        paging=lists.paging(asked, total, api.PER_PAGE),
        is_counted=show != "unready",
    )


def exhibitors(db, event, show, search, page, scope):
    """Return a page of exhibitors by name, each with contact, category, readiness and booths; and
    how many there are.

    `scope` is `booths` if the person may read reservations. With `participants`, booths that are
    only held are missing.

    Of those that are not ready, the number is that of the pages up to this one, and one more if
    there is a next page: the readiness of thousands takes too long to compute.
    """
    values = {
        "event_id": event["id"],
        "status": show if show in SHOWS[2:] else None,
        "search": folding.expression(search) if search else None,
    }
    given = frozenset(
        filter(
            None,
            (
                "status" if values["status"] else "live",
                "nameless" if show == "nameless" else None,
                "search" if values["search"] else None,
            ),
        )
    )
    start = (page - 1) * api.PER_PAGE
    with db.snapshot():
        ids = db.values(sql.exhibitors, given, **values)
        if show == "unready":
            ids = unready(db, ids, start + api.PER_PAGE + 1)
        total, ids = len(ids), ids[start : start + api.PER_PAGE]
        booths = db.all(sql.booths_of, frozenset({scope}), ids=as_json(ids))
    if not ids:
        return [], total
    rows = {
        row["id"]: row
        for row in api.rows(
            "list_participants",
            include=("contact", "category", "readiness"),
            ids=",".join(map(str, ids)),
            per_page=len(ids),
        )[0]
    }
    for row in rows.values():
        row["states"] = {item["item"]: item for item in row["readiness"]["items"]}
        row["booths"] = [booth for booth in booths if booth["id"] == row["id"]]
    return [rows[id] for id in ids if id in rows], total


def unready(db, ids, most):
    """Return those of the participants that are not ready, in their order, and no more of them than
    needed.
    """
    found = []
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        left = set(db.values(sql.unready, ids=as_json(some)))
        found += [id for id in some if id in left]
        if len(found) >= most:
            break
    return found[:most]


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


@routes.get("/exhibitors/submissions")
def get_desk_submissions(db, request):
    """Return what exhibitors have submitted and nobody has reviewed yet."""
    event, asked = events.required(db), shell.asked("page", "event")
    rows, total = api.rows(
        "list_submissions",
        include=("participant", "type"),
        event_id=event["id"],
        status="submitted",
        sort="submitted_at",
        order="ASC",
        page=lists.page_of(asked),
        per_page=20,
    )
    return render_page(
        db,
        request,
        "submissions",
        menu="exhibitors",
        current=event,
        total=total,
        asked=asked,
        rows=[with_buttons(request, "submissions", row) for row in rows],
        paging=lists.paging(asked, total, 20),
    )


@routes.get("/exhibitors/orders")
def get_desk_orders(db, request):
    """Return the submitted orders, to confirm many at once."""
    event, asked = events.required(db), shell.asked("page", "event")
    rows, total = api.rows(
        "list_service_orders",
        include=("participant", "items"),
        event_id=event["id"],
        status="submitted",
        sort="submitted_at",
        order="ASC",
        page=lists.page_of(asked),
    )
    return render_page(
        db,
        request,
        "orders",
        menu="exhibitors",
        current=event,
        rows=rows,
        total=total,
        asked=asked,
        paging=lists.paging(asked, total),
    )


@routes.get("/exhibitors/remind")
def get_desk_reminders(db, request):
    """Return the links of exhibitors, to mail those what is late or open on their pages.

    The trial shows the mails.
    """
    event, asked = events.required(db), shell.asked("page", "event")
    rows, total = api.rows(
        "list_links", event_id=event["id"], kind="participant", page=lists.page_of(asked)
    )
    return render_page(
        db,
        request,
        "remind",
        menu="exhibitors",
        current=event,
        total=total,
        asked=asked,
        rows=[row for row in rows if row["status"] == "active" and row["email"]],
        paging=lists.paging(asked, total),
        may_send=api.may_call(request, "remind_link"),
    )


@routes.get("/submissions/<id>/file")
def get_desk_submission_file(request, id):
    """Return the file of a submission for download."""
    found = api.read("get_submission", id=id).data
    if found["document_id"] is None:
        raise not_found("file", id)
    response = api.read("get_document_content", id=found["document_id"], form="*/*")
    response.headers["Cache-Control"] = "no-store"
    return response
