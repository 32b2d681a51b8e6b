"""The address book, visitors, the page of a contact, the open tasks, and what is printed for a show."""

import json
from functools import partial

from eventapi.domain.access.api_keys import NOT_OF_CONTACTS, SCOPES
from eventapi.pages.desk import (
    actions,
    api,
    batches,
    events,
    excel,
    labels,
    list_pages,
    lists,
    taxes,
)
from eventapi.pages.desk.applications import notes
from eventapi.pages.desk.exhibitor import CONTACT, history, with_buttons
from eventapi.pages.desk.money import downloaded
from eventapi.pages.desk.page import render_page
from eventapi.storage.statements import statements
from eventapi.web.html import shell
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes(
    "desk-people",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
sql = statements("desk")

ON_PAPER = 5000  # rows of a printed list
NAMES = 1000  # of a part of the list for the doors: twenty sheets of paper
PDF = "application/pdf"
EXPORTED = [scope for scope in SCOPES if scope not in NOT_OF_CONTACTS]  # of the data of a contact
GUESTS = ("visitor", "press", "speaker", "staff")  # roles of those who are no exhibitors


@routes.get("/people")
def get_desk_people():
    """Redirect to the search, which had this address before."""
    return shell.moved(f"{shell.up()}desk/search")


def name_of_contact(row, w, write):
    """Return the Cell with the name of a contact."""
    small = " · ".join(filter(None, (row["customer_number"], row["city"])))
    return lists.Cell(labels.named(row), address=f"contacts/{row['id']}", small=small)


def person(row, w, write):
    """Return the Cell with the person of a company."""
    if not row["company_name"]:
        return lists.Cell()
    return lists.Cell(" ".join(filter(None, (row["first_name"], row["last_name"]))))


def country(row, w, write):
    """Return the Cell with the name of the country."""
    return lists.Cell(write.country(row["country"]))


def groups(row, w, write):
    """Return the Cell with the categories of a contact."""
    return lists.Cell(", ".join(each["title"] for each in row["categories"]))


CONTACTS = lists.listing(
    name="contacts",
    address="contacts",
    menu="contacts",
    handler="list_contacts",
    row_name=labels.named,
    columns=(
        lists.Column("contact", name_of_contact, "c-main", sort="company_name"),
        lists.Column("person", person, sort="last_name"),
        lists.Column("email", partial(lists.text, "email"), sort="email"),
        lists.Column("phone", partial(lists.text, "phone"), "num"),
        lists.Column("city", partial(lists.text, "city"), sort="city", is_default=False),
        lists.Column("country", country, is_default=False),
        lists.Column("categories", groups, include=("categories",), is_default=False),
        lists.Column(
            "number",
            partial(lists.text, "customer_number"),
            "num",
            sort="customer_number",
            is_default=False,
        ),
        lists.Column(
            "since",
            partial(lists.day, "created_at"),
            "num",
            sort="created_at",
            is_down=True,
            is_default=False,
            is_said=True,
        ),
    ),
    sort="company_name",
    of_show=False,
    sheet=excel.Sheet(excel.PERSON, entity="contact"),
)


@routes.get("/contacts")
def get_desk_contacts(db, request):
    """Return the address book: all contacts by name."""
    texts = labels.words(request)
    links = [("contacts/duplicates", texts["tab_duplicates"], False)]
    if api.may(request, "contacts", writes=True):
        links.append(("edit/contacts", texts["new_contacts"], True))
    return list_pages.render_list(db, request, CONTACTS, events.current(db), links=links)


def visitor(row, w, write):
    """Return the Cell with the name of a visitor, and the company."""
    contact = row["contact"]
    name = " ".join(filter(None, (contact["first_name"], contact["last_name"])))
    company = contact["company_name"]
    shown = row["badge_name"] or name or labels.named(row)
    small = company if company and company != shown else ""
    return lists.Cell(shown, address=f"exhibitors/{row['id']}", small=small)


def role(row, w, write):
    """Return the Cell with the role of a participant."""
    return lists.Cell(w("=" + row["role"]))


def taking_part(row, w, write):
    """Return the Cell with the status of a participant, and whether it is inside now."""
    marks = [lists.Mark(labels.tone(row["status"]), w("participant=" + row["status"]))]
    if row["is_checked_in"]:
        marks.append(lists.Mark("good", w("inside_now")))
    return lists.Cell(marks=tuple(marks))


VISITORS = lists.listing(
    name="visitors",
    address="visitors",
    menu="visitors",
    handler="list_participants",
    row_name=labels.named,
    include=("contact",),
    columns=(
        lists.Column("visitor", visitor, "c-main", sort="name"),
        lists.Column("role", role),
        lists.Column("badge", partial(lists.text, "badge_number"), "num"),
        lists.Column("state", taking_part),
        lists.Column(
            "registered", partial(lists.day, "created_at"), "num", sort="created_at", is_down=True
        ),
        lists.Column("category", lists.category, include=("category",), is_default=False),
        lists.Column("email", partial(lists.of_contact, "email"), is_default=False),
        lists.Column("city", partial(lists.of_contact, "city"), is_default=False),
    ),
    query=(("role", ",".join(GUESTS)), ("status", "registered,confirmed")),
    views=(
        lists.View(None, "all", {}),
        *(lists.View(each, f"={each}", {"role": each}) for each in GUESTS),
        lists.View("registered", "participant=registered", {"status": "registered"}),
        lists.View("cancelled", "participant=cancelled", {"status": "cancelled"}),
    ),
    sort="-created_at",
    leads_on=True,
    sheet=excel.Sheet(
        excel.PERSON, has_contacts=True, always=("category",), entity="event_participant"
    ),
    actions=(
        lists.Action(
            "batch/participants/confirm",
            "batch_participants_confirm",
            "confirm_participant",
            views=(None, *GUESTS, "registered"),
        ),
        lists.Action(
            "badges",
            "badges_ticked",
            "get_participant_badge_sheets",
            views=(None, *GUESTS, "registered"),
        ),
    ),
)


@routes.get("/visitors")
def get_desk_visitors(db, request):
    """Return everybody who takes part in the show in hand and is no exhibitor."""
    texts = labels.words(request)
    links = [("print", texts["tab_print"], False)]
    if api.may(request, "participants", writes=True):
        links.append(("visitors/new", texts["new_visitor"], True))
    return list_pages.render_list(db, request, VISITORS, events.required(db), links=links)


@routes.get("/contacts/<id>")
def get_desk_contact(db, request, id):
    """Return one contact with its participations, applications and invoices."""
    contact = api.record("get_contact", id, include=("categories",))

    def of(scope, name, include=()):
        return (
            api.rows(name, include=include, contact_id=id, per_page=20)[0]
            if api.may(request, scope)
            else None
        )

    event = events.current(db)
    takes_part = False
    if event and api.may(request, "participants"):
        query = {"contact_id": id, "event_id": event["id"], "per_page": 1}
        takes_part = bool(api.rows("list_participants", **query)[0])

    return render_page(
        db,
        request,
        "contact",
        menu="search",
        current=event,
        takes_part=takes_part,
        title=labels.named(contact),
        contact=contact,
        contact_fields=CONTACT,
        vat=taxes.vat_id_of(request, db.config.organiser_country, contact),
        participations=of("participants", "list_participants", ("event", "category")),
        invoices=of("invoices", "list_invoices"),
        notes=notes(request, "contact", id),
        entity=("contact", id),
        history=history(request, "contact", id),
        erase=actions.one(request, "anonymize_contact", id=id)
        if contact["anonymized_at"] is None
        else [],
        may_export=all(api.may(request, scope) for scope in EXPORTED),
    )


@routes.get("/contacts/<id>/export")
def get_desk_contact_export(request, id):
    """Return all data about a contact as a file for download (GDPR Art. 15)."""
    data = api.read("export_contact", id=id).data
    name = f"contact-{id}.json"
    return Response(
        body=json.dumps(data, ensure_ascii=False, indent=2).encode(),
        headers={
            "Content-Type": "application/json",
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
        },
    )


@routes.get("/tasks")
def get_desk_tasks(db, request):
    """Return the open tasks of the event in hand, the most urgent first."""
    event, asked = events.current(db), shell.asked("page", "event", "show")
    status = "completed" if asked.get("show") == "completed" else None
    rows, total = [], 0
    for each in (status,) if status else ("in_progress", "pending"):
        found, count = api.rows(
            "list_tasks",
            include=("entity", "allowed_actions"),
            event_id=event and event["id"],
            status=each,
            sort="due_date",
            order="ASC",
            per_page=50,
        )
        rows, total = rows + found, total + count
    return render_page(
        db,
        request,
        "tasks",
        menu="today",
        current=event,
        total=total,
        asked=asked,
        rows=[with_buttons(request, "tasks", row) for row in rows[:50]],
        add=api.may_call(request, "create_task")
        and event
        and actions.action(request, "create_task"),
    )


# Print


@routes.get("/badges/<id>")
def get_desk_badge(request, id):
    """Return the badge of a participant as PDF."""
    return downloaded(api.read("get_participant_badge", id=id, form=PDF))


@routes.get("/badges")
def get_desk_badges(db):
    """Return a page of sheets of badges of the event in hand as PDF."""
    event, asked = events.required(db), shell.asked("role", "page", "ids")
    return downloaded(
        api.read(
            "get_participant_badge_sheets",
            form=PDF,
            query={
                "event_id": event["id"],
                **{name: asked.get(name) for name in ("role", "page", "ids")},
            },
        )
    )


@routes.post("/badges", batch=True, shows=get_desk_badges, signs_in=False)
def print_desk_badges(request, connections):
    """Return sheets with the badges of the ticked participants as PDF."""
    ids, event = batches.ids_of(request), events.required(connections.reader())
    if not ids:
        return batches.page_without(connections.reader(), request, "participants", "confirm")
    return downloaded(
        api.read(
            "get_participant_badge_sheets",
            form=PDF,
            query={"event_id": event["id"], "ids": ",".join(map(str, ids))},
        )
    )


@routes.get("/print")
def get_desk_prints(db, request):
    """Return what can be printed for the event in hand."""
    event = events.required(db)
    return render_page(db, request, "print", menu="visitors", current=event, roles=ROLES, asked={})


ROLES = ("exhibitor", "co_exhibitor", "sponsor", "speaker", "visitor", "press", "staff")


@routes.get("/print/door")
def get_desk_door_list(db, request):
    """Return everybody with a badge by name, a part of them, for the doors when nothing else works."""
    event, asked = events.required(db), shell.asked("role", "event", "page")
    api.require(request, "participants")
    role = asked.get("role") if asked.get("role") in ROLES else None
    start = (lists.page_of(asked) - 1) * NAMES
    rows = db.all(
        sql.door_list,
        frozenset({"role"} if role else ()),
        event_id=event["id"],
        role=role,
        size=NAMES + 1,
        start=start,
    )
    return render_page(
        db,
        request,
        "door_list",
        menu="visitors",
        current=event,
        rows=rows[:NAMES],
        role=role,
        first=start + 1,
        last=start + len(rows[:NAMES]),
        asked=asked,
        total=start + len(rows),
        is_counted=False,
        paging=lists.paging(asked, start + len(rows), NAMES),
    )


@routes.get("/print/halls")
def get_desk_hall_list(db, request):
    """Return the exhibitors by hall and booth.

    Mobile numbers need the scope `contacts`, as in the API.
    """
    event = events.required(db)
    api.require(request, "booths")
    api.require(request, "participants")
    has_mobile = api.may(request, "contacts")
    rows = db.all(
        sql.by_hall,
        frozenset({"contacts"} if has_mobile else ()),
        event_id=event["id"],
        size=ON_PAPER,
    )
    halls = {}
    for row in rows:
        halls.setdefault(row["plan_name"], []).append(row)
    return render_page(
        db,
        request,
        "hall_list",
        menu="visitors",
        current=event,
        halls=halls,
        is_cut=len(rows) == ON_PAPER,
        most=ON_PAPER,
        has_mobile=has_mobile,
        asked={},
    )
