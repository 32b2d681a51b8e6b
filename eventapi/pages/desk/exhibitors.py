"""Exhibitors at the desk: who is ready, and what waits for a review."""

from functools import partial

from eventapi.errors import not_found
from eventapi.pages.desk import api, events, labels, lists
from eventapi.pages.desk.exhibitor import with_buttons
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


def ordering(row, w, write):
    """Return the Cell with the exhibitor who ordered."""
    small = f"{row['order_number']} · {write.day(row['submitted_at'])}".removesuffix(" · ")
    address = f"exhibitors/{row['event_participant_id']}"
    return lists.Cell(labels.named(row["participant"]), address=address, small=small)


def ordered(row, w, write):
    """Return the Cell with the items of an order."""
    items = []
    for item in row["items"]:
        text = f"{write.number(item['quantity'])} × {item['service_name']}"
        if item["specification"]:
            text += f": {item['specification']}"
        items.append(text)
    return lists.Cell("; ".join(items))


def order_total(row, w, write):
    """Return the Cell with the total of an order."""
    return lists.Cell(write.money(row["total"], row["currency"]))


ORDERS = lists.listing(
    name="orders",
    address="exhibitors/orders",
    menu="exhibitors",
    handler="list_service_orders",
    row_name=lambda row: row["order_number"],
    columns=(
        lists.Column("exhibitor", ordering, "c-main", include=("participant",)),
        lists.Column("ordered", ordered, "small c-line", include=("items",)),
        lists.Column("state", lists.state, sort="status"),
        lists.Column(
            "order",
            partial(lists.text, "order_number"),
            "num",
            sort="order_number",
            is_default=False,
        ),
        lists.Column(
            "received",
            partial(lists.day, "submitted_at"),
            "num",
            sort="submitted_at",
            is_down=True,
            is_default=False,
        ),
        lists.Column("total", order_total, "r num c-sum", sort="total", is_down=True),
    ),
    views=(
        lists.View(
            "submitted",
            "orders_submitted",
            {"status": "submitted"},
            sort="submitted_at",
            none="no_open_orders",
        ),
        lists.View("confirmed", "=confirmed", {"status": "confirmed"}),
        lists.View("completed", "=completed", {"status": "completed"}),
        lists.View("cancelled", "=cancelled", {"status": "cancelled"}),
        lists.View("draft", "=draft", {"status": "draft"}),
        lists.View("all", "all", {}),
    ),
    sort="-submitted_at",
    actions=(
        lists.Action(
            "batch/service-orders/confirm",
            "batch_service-orders_confirm",
            "confirm_service_order",
            views=("submitted",),
        ),
    ),
)


@routes.get("/exhibitors/orders")
def get_desk_orders(db, request):
    """Return the orders of the show, first those that wait, to confirm many at once."""
    return lists.render_list(db, request, ORDERS, events.required(db))


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
