"""Links: the addresses with which exhibitors, applicants and people at the door act without an API
key.
"""

from eventapi.calls import batches
from eventapi.domain.access import links as access_links
from eventapi.domain.access import rights
from eventapi.domain.portal import granting, reminding
from eventapi.domain.portal.granting import represent
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT
from eventapi.plugins.access import require_flag, require_scopes
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import Response, base_url, created, found, mail_base_url, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("links", "link", scope="links")
sql = statements("links")
DEVICE = ("id", "created_at", "last_used_at")


@routes.list("/links", query="link.query")
def list_links(db, query):
    """List links. Their addresses are secret and not among the fields."""
    return page(
        db,
        sql.list,
        references.filters(db, query, EVENT),
        lambda row: represent(access_links.represent(row)),
    )


@routes.post("/links", schema="link")
def create_link(db, who, body):
    """Create a link for one person of a participant, of an application, or for a door.

    `url` is in this response only; the office can hand it over. POST /links/{id}/mail mails one
    instead. The key needs the scope of each right that the link gets, besides `links`: submissions,
    booths for booth, service_orders for orders, documents for contract, invoices, participants for
    profile and badges; and participants for each link of a participant, applications for the link
    of an application, checkins for that of a door. With the right badges, the link of an
    application shows badges that the application has not made. The known addresses of a participant
    are told of a further link. Name, address and language come from the contact unless they are
    sent.
    """
    values = granting.prepared(db, body)
    allow(who, body["kind"], values["rights"])
    link, secret = granting.create(db, body["kind"], values)
    return created(shown(link, secret), "/links", secret="url")


@routes.get("/links/<id>")
def get_link(db, id):
    """Get a link.

    Its address is secret and not among its fields.
    """
    return represent(get(db, id))


@routes.patch("/links/<id>", schema="link")
def update_link(db, who, id, body):
    """Change the name, the language, the rights, the number of devices or the end of a link.

    Other fields may only be sent with their present values.
    """
    old = require_match(granted(db, who, id), represent)
    if body.get("rights") is not None:
        allow(who, old["kind"], body["rights"])
    return represent(granting.update(db, old, body))


@routes.delete("/links/<id>", query="link.erasure")
def delete_link(db, id, query):
    """Revoke a link for ever: its sessions end with their next request.

    The record stays, so that the audit log can be understood. `erase` also forgets the person's
    name and address. Webhooks receive `link.revoked`.
    """
    granting.revoke(
        db,
        require_match(get(db, id), represent),
        everywhere=bool(query["all"]),
        erase=bool(query["erase"]),
    )


@routes.post("/links/<id>/revoke", schema="link.revoke", desk=Desk(fields=("all",), is_final=True))
def revoke_link(db, id, body):
    """Revoke a link for ever.

    Its sessions end with their next request. Its address gets no other link for this record until
    the office makes one with POST /links, unless `undo` says that the link was made by mistake.
    `all` also revokes the other links of the address for this participant and its application.
    DELETE does the same, and can forget the person as well.
    """
    ended_by = "undo" if body["undo"] else "office"
    link = granting.revoke(db, get(db, id), everywhere=body["all"], ended_by=ended_by)
    return represent(link)


@routes.post("/links/<id>/mail", status=202, desk=Desk())
def mail_link(db, who, id):
    """Mail a link to its `email`.

    The worker makes a new address for the mail, and older ones stay valid. A link is mailed at most
    five times a day.
    """
    link = granted(db, who, id)
    granting.mail(db, link, mail_base_url())
    return Response(represent(get(db, id)), 202)


@routes.get("/links/<id>/reminder", response="link.reminder")
def get_link_reminder(db, who, id):
    """Get the reminder of a link.

    It is the mail that POST /links/{id}/remind would send now: to whom, and what is late or open.
    """
    link = granted(db, who, id)
    with db.snapshot():
        return reminding.preview(db, link)


@routes.post("/links/<id>/remind", status=202, desk=Desk(batch=(), is_button=False))
def remind_link(db, who, id):
    """Mail the exhibitor what is left to do on its page, with a link to it.

    GET /links/{id}/reminder shows the mail before. The worker writes it while it sends it, and
    sends none if nothing is left by then. A link is reminded at most once a day.
    """
    link = granted(db, who, id)
    reminding.remind(db, link, mail_base_url())
    return Response(represent(get(db, id)), 202)


@routes.post("/links/<id>/show")
def show_link(db, who, id):
    """Return a further address of a link in `url`, for example for a QR code.

    Such an address allows no binding steps as long as this server can mail.
    """
    link = granted(db, who, id)
    return Response(shown(link, granting.show(db, link)), secret="url")


@routes.post("/links/<id>/rotate")
def rotate_link(db, who, id):
    """Replace the address of a link.

    All its older addresses and its sessions end at once. The new address is `url` of this response
    only.
    """
    link = granted(db, who, id)
    secret = granting.rotate(db, link)
    return Response(shown(get(db, id), secret), secret="url")


@routes.get("/links/<id>/devices", response="link.device_list")
def get_link_devices(db, id):
    """Get the devices on which the link of a door is open, the oldest first.

    Only links of doors have any.
    """
    get(db, id)
    return {
        "devices": [{name: row[name] for name in DEVICE} for row in access_links.devices(db, id)]
    }


@routes.delete("/links/<id>/devices/<item_id>", desk=Desk(is_final=True))
def delete_link_device(db, id, item_id):
    """End one device at a door, such as a phone that was lost. The others go on.

    With its next request, the device deletes its list of badges. Scans that it has not sent stay on
    it.
    """
    get(db, id)
    access_links.end_device(db, item_id, id)


@routes.batch()
def batch_links(who, body):
    """Create, mail, remind or revoke many links.

    Each entry succeeds or is refused by itself.
    """
    return batches.run(routes, who, body)


def get(db, id):
    return found(granting.get(db, id), "link", id)


def granted(db, who, id):
    """Return the row of a link. Raise 403 unless the key may hand out its rights."""
    link = get(db, id)
    allow(who, link["kind"], link["rights"])
    return link


def allow(who, kind, given):
    """Raise 403 unless the feature is enabled, and the key has the scope of each right."""
    require_flag(who, granting.FLAGS[kind])
    require_scopes(who, rights.scopes(kind, given), writes=True)


def shown(link, secret):
    return {**represent(link), "url": access_links.address(base_url(), secret)}
