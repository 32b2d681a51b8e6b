"""Applications at the desk: the list by state, one application with its decision, and decisions on many."""
from eventapi.pages.desk import actions, api, frame
from eventapi.storage.statements import statements
from eventapi.web.html import shell
from eventapi.web.routes import Routes

routes = Routes("desk-applications", root="/desk", public=True, page=True, session="admin", flag="desk",
                forms=("text/html",))
sql = statements("desk")

STATES = ("new", "in_review", "info_requested", "waitlisted", "approved", "rejected", "withdrawn")
WAITING = STATES[:4]                    # the one that waits longest comes first
# Fields of an application, in the order of its page.
SHOWN = ("company_name", "first_name", "last_name", "email", "phone", "mobile", "address", "postal_code", "city",
         "country", "website", "tax_id", "requested_area", "message", "notes")


@routes.get("/applications")
def get_desk_applications(db, visit):
    """Return the applications for the event in hand by state, with boxes to decide on many."""
    event, asked = frame.current(db), shell.asked("q", "status", "page", "event")
    status = asked.get("status") if asked.get("status") in STATES else None
    rows, total = api.rows("list_applications", include=("categories",), event_key=event and event["event_key"],
                           status=status, search=asked.get("q"), page=frame.page_of(asked), sort="created_at",
                           order="ASC" if status in WAITING else "DESC")
    return frame.shown(db, visit, "applications", menu="applications", current=event, rows=rows, total=total,
                       asked=asked, states=STATES, state=status, paging=frame.paging(asked, total),
                       batches=[word for word in ("approve", "review", "waitlist") if api.may_call(visit,
                                "approve_application")])


@routes.get("/applications/<id>")
def get_desk_application(db, visit, id):
    """Return one application: what was sent, what the office knows, and the decision."""
    row = api.record("get_application", id, include=("events", "categories", "custom_fields", "allowed_actions"))
    same = db.all(sql.same_address, email=row["email"]) if row["email"] and api.may(visit, "contacts") and \
        "approve" in row["allowed_actions"] else []
    known = db.one(sql.participation_of, application_id=id) if row["status"] == "approved" else None
    custom = fields_of(visit) if row["custom_fields"] else {}
    return frame.shown(
        db, visit, "application", menu="applications", title=frame.named(row), row=row, shown_fields=SHOWN, same=same,
        known=known, custom=custom, buttons=actions.of(visit, "applications", row, without=("approve_application",)),
        approve="approve" in row["allowed_actions"] and api.may_call(visit, "approve_application") and
        actions.action(visit, "approve_application", id=id),
        form=actions.form_of(visit, "approve_application"), given={"confirm": ["1"], **frame.told(db, "application")},
        notes=notes(visit, "application", id), entity=("application", id))


def notes(visit, kind, id):
    """Return the notes about a record, or None if the person may not read them."""
    scope = {"application": "applications", "event_participant": "participants", "contact": "contacts",
             "invoice": "invoices", "event": "events"}[kind]
    if not api.may(visit, scope):
        return None
    rows, _ = api.rows("list_notes", entity_type=kind, entity_id=id, per_page=20)
    for row in rows:
        row["buttons"] = actions.one(visit, "delete_note", id=row["id"]) if api.may(visit, scope, writes=True) else []
    return rows


def fields_of(visit):
    """Return key -> label of the custom fields of applications."""
    if not api.may(visit, "custom_fields"):
        return {}
    return {row["field_key"]: row["field_label"]
            for row in api.everything("list_custom_fields", entity_type="application")}
