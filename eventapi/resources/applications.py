"""Applications: requests to take part in one or more events."""

from eventapi import times
from eventapi.calls import batches
from eventapi.domain.access.api_keys import CREATE_APPLICATIONS, NARROW_SCOPES
from eventapi.domain.events import categories, events
from eventapi.domain.people import applications, decisions
from eventapi.domain.people.applications import TRANSITIONS, represent
from eventapi.domain.records import custom_fields, field_definitions, references
from eventapi.domain.records.references import CATEGORY, EVENT
from eventapi.domain.shows import apply_form
from eventapi.plugins.access import require_scope
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web.includes import allowed_actions, attach_list, ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, base_url, created, found, mail_base_url, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("applications", "application", scope="applications", states=(TRANSITIONS,))
sql = statements("applications")


@routes.list("/applications", query="application.query")
def list_applications(db, query):
    query = custom_fields.filters(db, "application", references.filters(db, query, EVENT, CATEGORY))
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    return page(db, sql.list, query, represent, INCLUDES)


@routes.list(
    "/applications/events", singular="event", query="event.open", narrow_scopes=NARROW_SCOPES
)
def list_events_open_for_applications(db, query):
    """List the visible events that are open for applications: their public data, for an application
    form.

    An event is open until its application deadline, or until it ends if it has no deadline. A key
    of a web page with the scope `applications:create` or `public` may read this list. `categories`
    of an event are those that applicants can choose, with `price` and `tax_rate` if `show_prices`
    of its pages is set, and `custom_fields` in meta are the fields of applications that they fill
    in. `form` of an event is what its form asks (`apply_form` of its pages), with the sizes of booths
    that it offers.
    """
    address = base_url()
    parts = {
        "opening_hours": events.add_opening_hours,
        "categories": include_selectable_categories,
        "form": apply_form.add_forms,
    }
    query = {**query, "open": 1, "now": times.now(), "include": list(parts)}
    response = page(
        db,
        statements("events").list,
        query,
        lambda row: events.represent_public(row, address),
        parts,
    )
    response.meta["custom_fields"] = field_definitions.editable(db)
    return response


@routes.post("/applications", schema="application", narrow_scopes=(CREATE_APPLICATIONS,))
def create_application(db, who, body):
    """Create an application.

    Everybody can read the key of a form (`applications:create`). Such a key may not send `late` as
    true, and `notes`, `rating`, custom fields that are not `editable` and categories that are not
    `selectable` are unknown to it.
    """
    if body["late"]:
        require_scope(who, "applications", writes=True)
    return created(
        applications.create(db, body, by_form=who.scopes.issubset(NARROW_SCOPES)), "/applications"
    )


@routes.get("/applications/<id>", query="application.one")
def get_application(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/applications/<id>", schema="application")
def update_application(db, id, body):
    """Change an application.

    Another `email` ends the links of the application to the old address, which is told so.
    `warnings` in meta says if the applicant reaches the exhibitor's page or the badge by a link of
    the office only (`applicant_without_page`, `applicant_without_badge`).
    """
    old = require_match(get(db, id))
    application = applications.update(db, old, body)
    warnings = []
    if application["email"] != old["email"]:
        decisions.readdress(db, application)
        warnings = decisions.missing(db, application)
    return Response(application, meta={"warnings": warnings} if warnings else {})


@routes.delete("/applications/<id>")
def delete_application(db, id):
    """Delete an application. An approved one cannot be deleted."""
    applications.delete(db, require_match(get(db, id)))


# Decisions


@routes.post("/applications/<id>/review", desk=Desk(batch=()))
def review_application(db, id):
    return applications.move(db, get(db, id), "review")


@routes.post(
    "/applications/<id>/approve",
    schema="application.approve",
    desk=Desk(fields=("confirm", "mail"), fixed=("contact_id",), batch=("confirm", "mail")),
)
def approve_application(db, who, id, body):
    """Approve an application.

    Links or creates the contact, and adds a participant to each event, or to those in `event_keys`.
    Contact and participants take over the custom fields of the same key that they lack. `skipped`
    in meta lists the values that are not valid there, each as `{target, id, field_key, code}` with
    the target `contact` or `event_participant`. `warnings` in meta names each participant without a
    category at an event whose categories have prices (`no_category`), because no fee is billed
    then, and what the applicant does not reach by the application: the page of an exhibitor
    (`applicant_without_page`) or a badge (`applicant_without_badge`) that existed before, or whose
    contact has another address. The office sends a link then. If `mail` is set, the applicant is
    told by mail; visitors, press and staff get their badge.
    """
    before = get(db, id)
    decisions.check(db, body["mail"])
    application, meta = applications.approve(db, before, body, who.admin_id)
    meta["warnings"] += decisions.missing(db, application)
    return told(db, before, application, body, meta)


@routes.post(
    "/applications/<id>/reject",
    schema="application.reject",
    desk=Desk(is_final=True, batch=("reason", "mail")),
)
def reject_application(db, who, id, body):
    """Reject an application. If `mail` is set, the applicant is told by mail, with the reason."""
    before = get(db, id)
    decisions.check(db, body["mail"])
    return told(db, before, applications.reject(db, before, body["reason"], who.admin_id), body)


@routes.post(
    "/applications/<id>/waitlist", schema="application.waitlist", desk=Desk(batch=("mail",))
)
def waitlist_application(db, id, body):
    """Put an application on the waiting list. If `mail` is set, the applicant is told by mail."""
    before = get(db, id)
    decisions.check(db, body["mail"])
    return told(db, before, applications.move(db, before, "waitlist"), body)


@routes.post("/applications/<id>/request-info", schema="application.request_info", desk=Desk())
def request_application_information(db, id, body):
    """Record a question to the applicant. If `mail` is set, the applicant gets it by mail.

    The status becomes `info_requested`. `answer` stores the answer and resumes the application, and
    so does `review` without one. An answer to an earlier question goes.
    """
    before = get(db, id)
    decisions.check(db, body["mail"])
    return told(db, before, applications.ask(db, before, body["question"]), body)


@routes.post("/applications/<id>/answer", schema="application.answer")
def answer_application_question(db, id, body):
    """Store the applicant's answer to the question. The status becomes `in_review` again."""
    return applications.answer(db, get(db, id), body["answer"])


@routes.post("/applications/<id>/withdraw", desk=Desk(is_final=True))
def withdraw_application(db, id):
    return applications.move(db, get(db, id), "withdraw")


@routes.batch()
def batch_applications(who, body):
    """Review, approve, reject or waitlist many applications.

    Each entry succeeds or is refused by itself.
    """
    return batches.run(routes, who, body)


def told(db, before, application, body, meta=None):
    """Return the response to a decision, whose `mail` in meta is the outcome of the mail if one was
    wanted.
    """
    mail = decisions.tell(db, before, application, body["mail"], mail_base_url())
    meta = dict(meta or {})
    if mail:
        meta["mail"] = mail
        closed = decisions.closed(db, application) if mail["status"] == "queued" else []
        if closed:
            meta["warnings"] = [*meta.get("warnings", []), *closed]
    return Response(application, meta=meta)


def get(db, id):
    return found(applications.get(db, id), "application", id)


def include_events(db, records):
    attach_list(records, "events", db.all(sql.events_of, ids=ids_of(records)), "application_id")
    for application in records:
        application["event_keys"] = [part["event_key"] for part in application["events"]]


def include_categories(db, records):
    attach_list(
        records, "categories", db.all(sql.categories_of, ids=ids_of(records)), "application_id"
    )
    for application in records:
        application["category_keys"] = [part["category_key"] for part in application["categories"]]


def include_selectable_categories(db, records):
    rows = db.all(sql.selectable_categories, ids=ids_of(records))
    attach_list(
        records, "categories", [categories.for_applicants(db, row) for row in rows], "event_id"
    )


INCLUDES = {
    "events": include_events,
    "categories": include_categories,
    "allowed_actions": allowed_actions(TRANSITIONS.of),
    "custom_fields": custom_fields.include("application"),
}
