"""Links at the desk: those of exhibitors, and those of the doors with their QR code."""

from eventapi.domain.access import rights
from eventapi.errors import not_found
from eventapi.pages.desk import actions, api
from eventapi.pages.desk.page import render_page
from eventapi.pictures import qr
from eventapi.storage.statements import statements
from eventapi.web.html import page_requests, shell
from eventapi.web.html.forms import id_or_text
from eventapi.web.routes import Routes

routes = Routes(
    "desk-links",
    root="/desk",
    public=True,
    page=True,
    session="admin",
    flag="desk",
    forms=("text/html",),
)
sql = statements("desk")

SHOWING = {"show": "show_link", "rotate": "rotate_link"}
FEW = 20
QUIET = 4  # modules around a QR code (ISO/IEC 18004)


def of(request, **subject):
    """Return the links of a participant or of an event's doors with their buttons, or None without
    the scope.
    """
    if not (api.may(request, "links") and api.may_call(request, "list_links")):
        return None
    rows, _ = api.rows("list_links", per_page=FEW, **subject)
    for row in rows:
        live = row["status"] == "active"
        reaches = live and may_reach(request, row["kind"], row["rights"])
        names = [
            *(["mail_link"] if row["email"] and reaches else []),
            *(["revoke_link"] if live else []),
        ]
        row["buttons"] = [
            button for name in names for button in actions.one(request, name, id=row["id"])
        ]
        row["can_show"] = reaches and api.may_call(request, "show_link")
        row["opened"] = (
            api.read("get_link_devices", id=row["id"]).data["devices"]
            if row["kind"] == "door"
            else []
        )
        for device in row["opened"]:
            device["buttons"] = actions.one(
                request, "delete_link_device", id=row["id"], item_id=device["id"]
            )
    return rows


def exhibitors_of(request, rows):
    """Return id -> participant, with its contact, of those that links are for.

    It is empty without the scope of participants.
    """
    ids = {str(row["participant_id"]) for row in rows if row["participant_id"]}
    if not ids or not api.may_call(request, "list_participants"):
        return {}
    include = ("contact",) if api.may(request, "contacts") else ()
    query = {"ids": ",".join(sorted(ids)), "per_page": len(ids)}
    found, _ = api.rows("list_participants", include=include, **query)
    return {each["id"]: each for each in found}


def may_reach(request, kind, given=()):
    """Return whether the person has the scopes of what a link opens: only then the API makes, shows
    and mails it.
    """
    return all(api.may(request, scope, writes=True) for scope in rights.scopes(kind, given))


@routes.get("/links/<id>/<what>")
def get_desk_link(db, request, id, what):
    """Return the page of a link that was asked to show its address and was refused."""
    if what not in SHOWING:
        raise not_found("page", shell.address())
    return render_page(
        db, request, "link", link=api.read("get_link", id=id).data, url=None, code=None
    )


@routes.post("/links/<id>/<what>", batch=True, shows=get_desk_link)
def show_desk_link(request, connections, id, what):
    """Return the address of a link, once. For a door, with the QR code that its device reads."""
    if what not in SHOWING:
        raise not_found("page", shell.address())
    link = actions.run(request, SHOWING[what], {"id": id}, None).data
    code = drawn(link["url"]) if link["kind"] == "door" else None
    return render_page(connections.reader(), request, "link", link=link, url=link["url"], code=code)


def drawn(text):
    """Return a QR code as an SVG element."""
    rows = qr.modules.__wrapped__(text, "M")  # not kept in its cache, because the address is secret
    size = len(rows) + 2 * QUIET
    path = "".join(
        f"M{x + QUIET} {y + QUIET}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, on in enumerate(row)
        if on
    )
    return (
        f'<svg class="code" viewBox="0 0 {size} {size}" role="img" aria-label="QR"><rect width="{size}" '
        f'height="{size}" fill="#fff"/><path d="{path}" fill="#000"/></svg>'
    )


@routes.post("/links", batch=True)
def make_desk_link(request):
    """Make a link for an exhibitor or for a door. Its address is shown or mailed by the next step."""
    fields = {
        name: (request.fields.get(name) or [""])[0].strip()
        for name in ("participant_id", "event_id", "email", "name", "station", "kind")
    }
    body = {name: id_or_text(name, text) for name, text in fields.items() if text}
    if fields["kind"] == "door" and fields["station"]:
        body["name"] = fields["station"]
    back = actions.return_path(request)
    return actions.once(
        request,
        "create_link",
        {},
        body,
        lambda response: page_requests.see_other(
            request, actions.with_message(back, "create_link")
        ),
    )
