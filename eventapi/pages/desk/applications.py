"""Applications at the desk: the list by state, one application with its decision, and decisions on
many.
"""

from functools import partial

from eventapi.domain.mail import queue as mails
from eventapi.pages.desk import actions, api, events, excel, labels, links, list_pages, lists
from eventapi.pages.desk.page import render_page
from eventapi.storage.statements import statements
from eventapi.web.html import page_requests
from eventapi.web.routes import Routes

routes = Routes(
    "desk-applications",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
sql = statements("desk")

LACKS = ("page", "badge")  # what an approval may not have given
STATES = ("new", "in_review", "info_requested", "waitlisted", "approved", "rejected", "withdrawn")
WAITING = STATES[:4]  # the one that waits longest comes first
# Fields of an application, in the order of its page.
SHOWN = (
    "company_name",
    "first_name",
    "last_name",
    "email",
    "phone",
    "mobile",
    "address",
    "postal_code",
    "city",
    "country",
    "website",
    "tax_id",
    "requested_area",
    "message",
    "notes",
)


def applicant(row, w, write):
    """Return the Cell with the name of an applicant."""
    small = " · ".join(filter(None, (row["city"], row["email"])))
    return lists.Cell(labels.named(row), address=f"applications/{row['id']}", small=small)


def categories(row, w, write):
    """Return the Cell with the categories that were asked for."""
    return lists.Cell(", ".join(each["title"] for each in row["categories"]))


def area(row, w, write):
    """Return the Cell with the area that was asked for."""
    if row["requested_area"] is None:
        return lists.Cell()
    text = f"{write.number(row['requested_area'])} m²"
    return lists.Cell(text, value=row["requested_area"])


def rating(row, w, write):
    """Return the Cell with the rating of the office."""
    return lists.Cell(write.number(row["rating"]), value=row["rating"])


APPLICATIONS = lists.listing(
    name="applications",
    address="applications",
    menu="applications",
    handler="list_applications",
    row_name=labels.named,
    columns=(
        lists.Column("applicant", applicant, "c-main", sort="company_name"),
        lists.Column("state", lists.state),
        lists.Column("categories", categories, include=("categories",)),
        lists.Column("booth_size", partial(lists.text, "booth_type_name")),
        lists.Column("area", area, "r", is_said=True),
        lists.Column(
            "received", partial(lists.day, "created_at"), "num", sort="created_at", is_down=True
        ),
        lists.Column(
            "rating", rating, "r", sort="rating", is_down=True, is_default=False, is_said=True
        ),
        lists.Column("city", partial(lists.text, "city"), sort="city", is_default=False),
        lists.Column("email", partial(lists.text, "email"), sort="email", is_default=False),
        lists.Column("phone", partial(lists.text, "phone"), "num", is_default=False),
    ),
    views=(
        lists.View(None, "all", {}),
        *(
            lists.View(
                status,
                f"={status}",
                {"status": status},
                sort="created_at" if status in WAITING else None,
            )
            for status in STATES
        ),
    ),
    view_by="status",
    sort="-created_at",
    sheet=excel.Sheet(
        tuple(name for name in (*excel.PERSON, "message") if name != "customer_number"),
        always=("state", "booth_size", "received"),
        entity="application",
    ),
    filters=(("lacks", LACKS),),
    actions=(
        lists.Action(
            "batch/applications/approve", "batch_applications_approve", "approve_application"
        ),
        lists.Action(
            "batch/applications/review", "batch_applications_review", "review_application"
        ),
        lists.Action(
            "batch/applications/waitlist", "batch_applications_waitlist", "waitlist_application"
        ),
        lists.Action(
            "batch/applications/reject",
            "batch_applications_reject",
            "reject_application",
            is_final=True,
        ),
    ),
)


@routes.get("/applications")
def get_desk_applications(db, request):
    """Return the applications for the event in hand by state, with boxes to decide on many."""
    links = []
    if api.may(request, "applications", writes=True):
        new = labels.words(request)["new_applications"]
        links.append(("edit/applications", new, True))
    return list_pages.render_list(db, request, APPLICATIONS, events.current(db), links=links)


@routes.get("/applications/<id>")
def get_desk_application(db, request, id):
    """Return one application: what was sent, what the office knows, and the decision."""
    row = api.record(
        "get_application", id, include=("events", "categories", "custom_fields", "allowed_actions")
    )
    same = (
        db.all(sql.same_address, email=row["email"])
        if row["email"] and api.may(request, "contacts") and "approve" in row["allowed_actions"]
        else []
    )
    may_know = row["status"] == "approved" and api.may(request, "participants")
    known = db.one(sql.participation_of, application_id=id) if may_know else None
    custom = fields_of(request) if row["custom_fields"] else {}
    return render_page(
        db,
        request,
        "application",
        menu="applications",
        title=labels.named(row),
        row=row,
        shown_fields=SHOWN,
        same=same,
        known=known,
        custom=custom,
        buttons=actions.of(request, "applications", row, without=("approve_application",)),
        approve="approve" in row["allowed_actions"]
        and api.may_call(request, "approve_application")
        and actions.action(request, "approve_application", id=id),
        form=actions.form_of(request, "approve_application"),
        given={"confirm": ["1"], **actions.ticks(db, "application")},
        notes=notes(request, "application", id),
        entity=("application", id),
        access=access(db, request, id),
    )


def access(db, request, id):
    """Return what an approved application does not lead to as a template shows it, or None.

    {lacks, email, is_other_address, contact_name, contact_email, can_send}: `is_other_address` says
    that the exhibitor or visitor has another address than the application. With the scope
    `participants` or `contacts`, `contact_name` and `contact_email` say which. `can_send` is
    whether the person may send the link.
    """
    may_read = api.may(request, "participants") or api.may(request, "contacts")
    gaps = db.all(sql.gaps_of, frozenset({"participants"} if may_read else ()), application_id=id)
    if not gaps:
        return None
    gap = gaps[0]
    kind, given = ("participant", ()) if gap["lacks"] == "page" else ("application", ("badges",))
    may_send = mails.is_configured(db.config) and api.may_call(request, "create_link")
    found = {
        name: gap.get(name)
        for name in ("lacks", "email", "is_other_address", "contact_name", "contact_email")
    }
    # The link of an application belongs to one event.
    found["can_send"] = (
        may_send
        and links.may_reach(request, kind, given)
        and (kind == "participant" or len(gaps) == 1)
    )
    return found


@routes.post("/applications/<id>/access", batch=True, shows=get_desk_application)
def send_desk_access(request, connections, id):
    """Make the links that an approval did not give, or let the one that exists show the badge, and
    mail them.
    """
    api.require_call(request, "create_link")
    done = page_requests.see_other(request, actions.with_message(f"applications/{id}", "mail_link"))
    for gap in connections.reader().all(sql.gaps_of, application_id=id):
        if gap["lacks"] == "page":
            body = {
                "kind": "participant",
                "participant_id": gap["participant_id"],
                "email": gap["email"],
            }
            link = actions.run(request, "create_link", {}, body).data
        elif gap["link_id"]:
            link = actions.run(
                request, "update_link", {"id": gap["link_id"]}, {"rights": ["badges"]}
            ).data
        else:
            body = {"kind": "application", "application_id": id, "rights": ["badges"]}
            link = actions.run(request, "create_link", {}, body).data
        actions.run(request, "mail_link", {"id": link["id"]}, None)
    return done  # a button that is pressed twice finds no gap any more


def notes(request, kind, id):
    """Return the notes about a record, or None if the person may not read them."""
    scope = {
        "application": "applications",
        "event_participant": "participants",
        "contact": "contacts",
        "invoice": "invoices",
        "event": "events",
    }[kind]
    if not api.may(request, scope):
        return None
    rows, _ = api.rows("list_notes", entity_type=kind, entity_id=id, per_page=20)
    for row in rows:
        row["buttons"] = (
            actions.one(request, "delete_note", id=row["id"])
            if api.may(request, scope, writes=True)
            else []
        )
    return rows


def fields_of(request):
    """Return key -> label of the custom fields of applications."""
    if not api.may(request, "custom_fields"):
        return {}
    return {
        row["field_key"]: row["field_label"]
        for row in api.everything("list_custom_fields", entity_type="application")
    }
