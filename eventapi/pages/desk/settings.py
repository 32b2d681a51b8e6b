"""The pages of an event at the desk: what is public, the forms that are open, and what is missing
for it.
"""

from eventapi.domain.shows import settings
from eventapi.pages.desk import actions, api, choices, events, gaps, labels, links
from eventapi.pages.office.page import render_page
from eventapi.validation.schema_files import document
from eventapi.web.html import page_requests, shell
from eventapi.web.html.schema_forms import Form
from eventapi.web.rest import mail_base_url
from eventapi.web.routes import Routes

routes = Routes(
    "desk-settings",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)

# Form of the page -> the settings that it changes. Those that the product does not know are left
# out.
PARTS = {
    "show": (
        "is_public",
        "show_directory",
        "show_plan",
        "show_programme",
        "show_prices",
        "is_indexed",
        "language",
        "accent_color",
        "contact_email",
        "contact_phone",
        "texts",
        "embed_origins",
    ),
    "forms": (
        "apply_is_open",
        "apply_capacity",
        "apply_terms",
        "apply_file_type",
        "visit_is_open",
        "visit_until",
        "visit_fields",
    ),
    "exhibitors": (
        "my_is_open",
        "my_rights",
        "booth_from",
        "booth_until",
        "booth_types",
        "booth_confirm",
        "hold_days",
        "badges_free",
        "badge_service_id",
    ),
}


@routes.get("/settings/<id>")
def get_desk_settings(db, request, id):
    """Return the settings of the pages of an event, and what is missing before they can be public."""
    pages = api.record("get_event_pages", id)
    event = events.by_key(db, pages["event_key"])
    sent = (request.fields.get("part") or [""])[0]
    lacks = settings.lacks(db, pages, mail_base_url())
    parts = {name: form_of(request, name, pages["event_key"]) for name in PARTS}
    return render_page(
        db,
        request,
        "settings",
        page="website",
        current=event,
        pages=pages,
        id=id,
        form=parts.get(sent),
        parts={name: form for name, form in parts.items() if form.fields},
        sent=sent,
        tag=pages["tag"],
        given={
            name: form.compact(request.fields) if name == sent else form.texts(pages)
            for name, form in parts.items()
        },
        lacks=lacks,
        lacking=gaps.of_names(db, request, [name for name in lacks if name != "base_url"]),
        address=f"{mail_base_url()}/e/{pages['event_key']}",
        show_address=f"{shell.up()}e/{pages['event_key']}",
        is_visible=bool(event["is_visible"]),
        advice=advice(db, pages),
        links=links.of(request, event_id=id, kind="door"),
        links_title="doors",
        may_make=links.may_reach(request, "door"),
        new_link={"kind": "door", "event_id": id, "station": ""},
        may_write=api.may_call(request, "update_event_pages"),
    )


def advice(db, pages):
    """Return what the pages can do without, but should have."""
    return [
        name
        for name, is_there in (
            ("privacy", pages["texts"].get("privacy") or db.config.privacy_url),
            ("intro", pages["texts"].get("intro")),
            ("visit", pages["texts"].get("visit")),
        )
        if not is_there
    ]


def form_of(request, part, event_key=None):
    """Return one of the forms of the page."""
    known = document("event_pages")["properties"]
    names = [name for name in PARTS[part] if name in known and not known[name].get("readOnly")]
    return Form(
        "event_pages",
        "PATCH",
        labels.of(request),
        names=names,
        choices=choices.of(request, names, event_key),
        without=without(part),
        language=request.language,
    )


def without(part):
    """Return the texts that another form has."""
    other = {"show": ("apply_", "my_"), "forms": (), "exhibitors": ()}[part]
    return (
        [
            f"texts/{name}"
            for name in document("event_pages")["$defs"]["texts"]["properties"]
            if name.startswith(other)
        ]
        if other
        else []
    )


@routes.post("/settings/<id>", batch=True, shows=get_desk_settings)
def save_desk_settings(request, connections, id):
    """Change the settings of one form, if they are still as the page has shown them."""
    part = (request.fields.get("part") or ["show"])[0]
    form = form_of(request, part if part in PARTS else "show")
    body = form.body(form.compact(request.fields))
    if "texts" in body:  # texts of the other forms stay
        stored = api.read("get_event_pages", id=id).data["texts"]
        left = {path.partition("/")[2] for path in without("show")}
        body["texts"] = {
            **{name: text for name, text in stored.items() if name in left},
            **body["texts"],
        }
    return actions.once(
        request,
        "update_event_pages",
        {"id": id},
        body,
        lambda response: page_requests.see_other(request, f"settings/{id}?done=saved"),
        tag=(request.fields.get("tag") or [None])[0],
    )
