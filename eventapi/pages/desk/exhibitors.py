"""Exhibitors at the desk: who is ready, and what waits for a review."""

from functools import partial
from html import escape
from textwrap import shorten

from eventapi.errors import not_found
from eventapi.languages import formats
from eventapi.pages.desk import api, events, excel, labels, links, list_pages, lists
from eventapi.pages.desk.page import render_page
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
EXHIBITORS_ROLES = "exhibitor,co_exhibitor,sponsor"
SETTLED = ("done", "not_required")  # states of a part of the checklist that leave nothing to do


def exhibitor(row, w, write):
    """Return the Cell with the name of an exhibitor, its town, category and role."""
    contact = row["contact"]
    parts = [contact["city"]]
    if row["category"]:
        parts.append(row["category"]["title"])
    if row["role"] != "exhibitor":
        parts.append(w("=" + row["role"]))
    if row["status"] != "confirmed":
        parts.append(w("participant=" + row["status"]))
    small = " · ".join(filter(None, parts))
    return lists.Cell(labels.named(row), address=f"exhibitors/{row['id']}", small=small)


def stands(row, w, write):
    """Return the Cell with the booths: held ones look otherwise than confirmed ones."""
    found = []
    for booth in row["booths"]:
        css = "stand" if booth["status"] == "confirmed" else "stand held"
        found.append(f'<span class="{css}">{escape(booth["booth_number"])}</span>')
    numbers = ", ".join(booth["booth_number"] for booth in row["booths"])
    return lists.Cell(markup=" ".join(found), value=numbers)


def wished(row, w, write):
    """Return the Cell with the size that the application wishes."""
    return lists.Cell(labels.size(w.texts, write, row["wish"]))


def sum_of(name, row, w, write):
    """Return the Cell with a sum of the invoices, with those in other currencies below."""
    balance = row["balance"]
    others = []
    for each in balance["others"]:
        others.append(write.money(each[name], each["currency"]))
    text = write.money(balance[name], balance["currency"])
    value = formats.exact(balance[name], balance["currency"])
    if others:
        value = ", ".join((text, *others))
    return lists.Cell(text, small=", ".join(others), value=value)


def steps(row, w, write):
    """Return the Cell with the checklist: a bar for each part that this exhibitor needs, and their number."""
    bars = []
    done = 0
    for item in row["readiness"]["items"]:
        if item["status"] == "not_required":
            continue
        done += item["status"] == "done"
        css = {"done": "done", "blocked": "blocked", "open": "wait"}.get(item["status"], "")
        bars.append(f'<i class="{css}"></i>')
    said = w("steps_of", done=write.number(done), all=write.number(len(bars)))
    return lists.Cell(
        markup=f'<span class="ticks" role="img" aria-label="{escape(said)}">{"".join(bars)}</span>'
        f'<span class="small quiet" aria-hidden="true">{done}/{len(bars)}</span>',
        value=said,
    )


def next_step(row, w, write):
    """Return the Cell with the first part of the checklist that is not settled, and why."""
    for item in row["readiness"]["items"]:
        if item["status"] not in SETTLED:
            tone = "bad" if item["status"] == "blocked" else "wait"
            reason = labels.reason(w.texts, item)
            return lists.Cell(marks=(lists.Mark(tone, f"{w('item_' + item['item'])} · {reason}"),))
    return lists.Cell(marks=(lists.Mark("good", w("steps_all")),))


def state(row, w, write):
    """Return the Cell with the status of the participation."""
    mark = lists.Mark(labels.tone(row["status"]), w("participant=" + row["status"]))
    return lists.Cell(marks=(mark,))


EXHIBITORS = lists.listing(
    name="exhibitors",
    address="exhibitors",
    menu="exhibitors",
    handler="list_participants",
    row_name=labels.named,
    include=("contact", "category"),
    columns=(
        lists.Column("exhibitor", exhibitor, "c-main", sort="name"),
        lists.Column("booth", stands, "num", include=("booths",), sort="booth_number"),
        lists.Column(
            "wish",
            wished,
            include=("wish",),
            scope="applications",
            sort="wish",
            is_default=False,
            is_said=True,
        ),
        lists.Column(
            "invoiced",
            partial(sum_of, "invoiced"),
            "r num c-extra",
            include=("balance",),
            scope="invoices",
            is_said=True,
            total=partial(lists.total_of, "invoiced"),
        ),
        lists.Column(
            "open",
            partial(sum_of, "open"),
            "r num c-sum",
            include=("balance",),
            scope="invoices",
            is_said=True,
            total=partial(lists.total_of, "open"),
        ),
        lists.Column("steps", steps, "nowrap", include=("readiness",)),
        lists.Column("next", next_step, "c-line", include=("readiness",)),
        lists.Column("state", state, is_default=False),
        lists.Column("category", lists.category, is_default=False),
        lists.Column("email", partial(lists.of_contact, "email"), is_default=False),
        lists.Column("phone", partial(lists.of_contact, "phone"), "num", is_default=False),
        lists.Column(
            "registered",
            partial(lists.day, "created_at"),
            "num",
            sort="created_at",
            is_down=True,
            is_default=False,
        ),
    ),
    query=(("role", EXHIBITORS_ROLES), ("status", "registered,confirmed")),
    views=(
        lists.View(None, "all", {}),
        lists.View("unready", "show_unready", {"ready": 0}),
        lists.View("booth", "show_booth", {"lacks": "booth"}),
        lists.View("open", "show_open", {"balance": "open"}, scope="invoices"),
        lists.View("submissions", "show_submissions", {"lacks": "submissions"}),
        lists.View("link", "show_link", {"lacks": "link"}, scope="links"),
        lists.View("nameless", "show_nameless", {"is_named": 0}),
        lists.View("waitlisted", "show_waitlisted", {"is_waitlisted": 1}, scope="booths"),
        lists.View("cancelled", "show_cancelled", {"status": "cancelled"}),
    ),
    sort="name",
    has_totals=True,
    leads_on=True,
    sheet=excel.Sheet(
        excel.PERSON,
        has_contacts=True,
        always=("booth", "category", "state"),
        entity="event_participant",
    ),
    actions=(
        lists.Action(
            "batch/participants/confirm", "batch_participants_confirm", "confirm_participant"
        ),
        lists.Action(
            "batch/participants/invoice", "batch_participants_invoice", "create_participant_invoice"
        ),
        lists.Action(
            "batch/participants/link", "batch_participants_link", "create_participant_link"
        ),
        lists.Action(
            "batch/participants/contract",
            "batch_participants_contract",
            "create_participant_contract",
        ),
        lists.Action("badges", "badges_ticked", "get_participant_badge_sheets"),
    ),
)


@routes.get("/exhibitors")
def get_desk_exhibitors(db, request):
    """Return the exhibitors of the event in hand by name, with what each still has to do."""
    texts = labels.words(request)
    buttons = []
    for scope, word, address in (
        ("submissions", "tab_submissions", "exhibitors/submissions"),
        ("service_orders", "tab_orders", "exhibitors/orders"),
        ("links", "tab_remind", "exhibitors/remind"),
    ):
        if api.may(request, scope):
            buttons.append((address, texts[word], False))
    if api.may(request, "participants", writes=True):
        buttons.append(("exhibitors/new", texts["new_exhibitor"], True))
    return list_pages.render_list(db, request, EXHIBITORS, events.required(db), links=buttons)


def submitting(row, w, write):
    """Return the Cell with the exhibitor who submitted, and for which type."""
    address = f"exhibitors/{row['event_participant_id']}"
    return lists.Cell(labels.named(row["participant"]), address=address)


def submission_type(row, w, write):
    """Return the Cell with the title of the type of a submission."""
    return lists.Cell(row["title"])


def submitted(row, w, write):
    """Return the Cell with what was submitted: a file to download, or the beginning of a text."""
    if row["document_id"]:
        return lists.Cell(w("download"), address=f"submissions/{row['id']}/file")
    if row["value"] is True:
        return lists.Cell(w("agreed"))
    return lists.Cell(shorten(row["value"] or "", 160, placeholder=" …"))


def submission_state(row, w, write):
    """Return the Cell with the state of a submission, whether it is late, and the feedback."""
    status = row["status"]
    word = "=draft" if status == "pending" else f"={status}"
    marks = [lists.Mark(labels.tone(status), w(word))]
    if row["is_late"]:
        marks.append(lists.Mark("bad", w("late")))
    return lists.Cell(marks=tuple(marks), small=row["feedback"] or "")


SUBMISSIONS = lists.listing(
    name="submissions",
    address="exhibitors/submissions",
    menu="exhibitors",
    handler="list_submissions",
    row_name=lambda row: f"{labels.named(row['participant'])}: {row['title']}",
    include=("participant",),
    columns=(
        lists.Column("exhibitor", submitting, "c-main"),
        lists.Column("submission", submission_type, "c-next"),
        lists.Column("submitted", submitted, "small c-line"),
        lists.Column("state", submission_state, sort="status"),
        lists.Column(
            "received",
            partial(lists.day, "submitted_at"),
            "num nowrap",
            sort="submitted_at",
            is_down=True,
            is_said=True,
        ),
        lists.Column(
            "due", partial(lists.day, "due_at"), "num nowrap", sort="due_at", is_said=True
        ),
    ),
    views=(
        lists.View(
            "submitted",
            "submissions_submitted",
            {"status": "submitted"},
            sort="submitted_at",
            none="no_review",
        ),
        lists.View("revision", "=revision_requested", {"status": "revision_requested"}),
        lists.View("approved", "=approved", {"status": "approved"}),
        lists.View("rejected", "=rejected", {"status": "rejected"}),
        lists.View("draft", "=draft", {"status": "pending"}),
        lists.View("all", "all", {}),
    ),
    sort="-submitted_at",
    is_searched=False,
    actions=(
        lists.Action(
            "batch/submissions/approve",
            "batch_submissions_approve",
            "approve_submission",
            views=("submitted",),
        ),
        lists.Action(
            "batch/submissions/request-revision",
            "batch_submissions_request-revision",
            "request_submission_revision",
            views=("submitted",),
        ),
        lists.Action(
            "batch/submissions/reject",
            "batch_submissions_reject",
            "reject_submission",
            is_final=True,
            views=("submitted",),
        ),
    ),
)


@routes.get("/exhibitors/submissions")
def get_desk_submissions(db, request):
    """Return what exhibitors have submitted, first what waits for a review, to review many at once."""
    buttons = []
    if api.may(request, "participants"):
        missing = labels.words(request)["show_submissions"]
        buttons.append(("exhibitors?show=submissions", missing, False))
    event = events.required(db)
    return list_pages.render_list(db, request, SUBMISSIONS, event, links=buttons)


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
        lists.Column(
            "total", partial(lists.amount, "total"), "r num c-sum", sort="total", is_down=True
        ),
        lists.Column("currency", lists.currency, is_default=False),
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
    sheet=excel.Sheet(always=("order", "currency")),
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
    return list_pages.render_list(db, request, ORDERS, events.required(db))


@routes.get("/exhibitors/remind")
def get_desk_reminders(db, request):
    """Return the links of exhibitors, to mail those what is late or open on their pages.

    Those who have cancelled have nothing to do, and are left out. The trial shows the mails.
    """
    event, asked = events.required(db), shell.asked("page", "event")
    rows, total = api.rows(
        "list_links",
        event_id=event["id"],
        kind="participant",
        is_revoked=0,
        page=lists.page_of(asked),
    )
    exhibitors = links.exhibitors_of(request, rows)
    shown = []
    for row in rows:
        exhibitor = exhibitors.get(row["participant_id"])
        is_cancelled = exhibitor is not None and exhibitor["status"] == "cancelled"
        if row["status"] == "active" and row["email"] and not is_cancelled:
            shown.append({**row, "exhibitor": exhibitor})
    return render_page(
        db,
        request,
        "remind",
        menu="exhibitors",
        current=event,
        total=total,
        asked=asked,
        rows=shown,
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
