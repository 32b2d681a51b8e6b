"""Applications at the desk: the list by state, one application with its decision, and decisions on
many.
"""

from eventapi.domain.mail import queue as mails
from eventapi.pages.desk import actions, api, events, labels, links, lists
from eventapi.pages.desk.page import render_page
from eventapi.storage.statements import statements
from eventapi.web.html import page_requests, shell
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


@routes.get("/applications")
def get_desk_applications(db, request):
    """Return the applications for the event in hand by state, with boxes to decide on many."""
    event, asked = events.current(db), shell.asked("q", "status", "lacks", "page", "event")
    status = asked.get("status") if asked.get("status") in STATES else None
    lacks = asked.get("lacks") if asked.get("lacks") in LACKS else None
    rows, total = api.rows(
        "list_applications",
        include=("categories",),
        event_key=event and event["event_key"],
        status=status,
        lacks=lacks,
        search=asked.get("q"),
        page=lists.page_of(asked),
        sort="created_at",
        order="ASC" if status in WAITING else "DESC",
    )
    return render_page(
        db,
        request,
        "applications",
        menu="applications",
        current=event,
        rows=rows,
        total=total,
        asked=asked,
        states=STATES,
        state=status,
        paging=lists.paging(asked, total),
        batches=[
            word
            for word in ("approve", "review", "waitlist")
            if api.may_call(request, "approve_application")
        ],
    )


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
