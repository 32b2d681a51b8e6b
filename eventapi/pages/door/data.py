"""What the page at the door asks for and sends, with the session of a door link."""

import re

from eventapi import times
from eventapi.domain.access import link_secrets, links, sessions
from eventapi.domain.entrance import door, door_roster
from eventapi.errors import Problem, invalid_at, invalid_parameter
from eventapi.pages.link.routes import session_cookie
from eventapi.validation.bodies import Body
from eventapi.web.html import form_bodies, shell
from eventapi.web.html.page_cache import PageCache
from eventapi.web.rest import Response
from eventapi.web.routes import JSON, Routes

routes = Routes(
    "door-data", root="/door", public=True, page=True, session="door", flag="door", forms=(JSON,)
)
entry = Routes("door-entry", root="/door", public=True, page=True, forms=(JSON,))

BYTES = "application/octet-stream"
NOT_KEPT = {"Cache-Control": "no-store"}
ROSTERS = PageCache(8_000_000)  # bytes; one of 150,000 badges has 900,000
SECRET = re.compile(rf"/link/({link_secrets.SECRET.pattern})$")


@entry.post("/sign-in", before=form_bodies.before_json)
def sign_in_at_door(db, before):
    """Open the link of a door on this device, by its address."""
    if isinstance(before, Problem):
        raise before
    found = SECRET.search(Body("door.sign_in", "POST", db.config.timezone)(before)["url"])
    row = found and link_secrets.find(db, found[1])
    link = row and row["link_id"] and links.get(db, row["link_id"])
    if (
        not link
        or link["kind"] != "door"
        or link["status"] != "active"
        or not link_secrets.is_live(row, db.now)
    ):
        raise Problem(
            "not_found",
            "This is not the address of a door, or it has been used or has ended. Ask the "
            "office for a new QR code.",
        )
    cookie = session_cookie(db, link, row)
    if cookie is None:
        raise Problem(
            "devices_used_up",
            f"The door has {link['devices']} devices already. Change "
            "`devices` of its link, or end one of them.",
            devices=link["devices"],
        )
    return Response({"link": link["ref"]}, headers={**NOT_KEPT, "Set-Cookie": cookie})


@routes.get("/now")
def get_door_now(db, request):
    """Return event, station, rights, the time of the server, how many are inside, and the revision
    of the roster.
    """
    return Response(door.now(db, active(request)), headers=NOT_KEPT)


@routes.get("/roster", forms=(BYTES,))
def get_door_roster(db, request):
    """Return the roster of the event, or its changes since a time."""
    link, since = active(request), shell.asked("since").get("since")
    if since and not times.is_timestamp(since):
        raise invalid_parameter("since", "format", "must be a time such as 2027-05-01T07:03:12Z")
    since = since and times.utc(since, db.config.timezone)
    data = door_roster.changes(db, link["event_id"], since) if since else None
    if data is None:
        data = door_roster.whole(db, link["event_id"], ROSTERS)
    return Response(body=data, headers={**NOT_KEPT, "Content-Type": BYTES})


@routes.post("/scans", schema="door.scans")
def record_door_scans(db, request, body):
    """Record the scans of a device, also those that were made before its link ended."""
    if door.has_ended(request.link, db.now):
        raise links.ended()
    refuse_other(request, body)
    check = Body("check_in", "POST", db.config.timezone)
    return Response(
        {"now": db.now, "results": door.record(db, request.link, body["scans"], check)},
        headers=NOT_KEPT,
    )


@routes.post("/sign-out", schema="door.sign_out")
def sign_out_at_door(db, request, body):
    """End the session of a device that is given back.

    It has sent its scans, and deletes its list of badges.
    """
    refuse_other(request, body)
    sessions.end(db, request.session)
    return Response({"now": db.now}, headers=NOT_KEPT)


@routes.get("/search", right="search")
def search_at_door(db, request):
    """Return the participants of the event whose name begins with the words of `q`."""
    return Response(
        door.search(db, active(request), shell.asked("q").get("q", "")), headers=NOT_KEPT
    )


def refuse_other(request, body):
    """Raise 422 if the device means another link than that of its session."""
    if body["link"] != request.link["ref"]:
        raise invalid_at(
            "/link", "other", "is not the link that this device has opened. Ask for /door/now again"
        )


def active(request):
    """Return the link of the request.

    Raise 403 if it has ended: it can only send the scans that were made before.
    """
    if request.link["status"] != "active":
        raise links.ended()
    return request.link


routes.routes += entry.routes
