"""Events: trade shows."""

from eventapi import times
from eventapi.domain.attachments import content_types, pictures
from eventapi.domain.billing import treatments
from eventapi.domain.events import copying, events, overview
from eventapi.domain.events.events import represent
from eventapi.domain.records import custom_fields
from eventapi.domain.vat import places
from eventapi.plugins.access import may_read, require_scopes
from eventapi.storage import folding
from eventapi.storage.statements import statements
from eventapi.web import uploads
from eventapi.web.includes import ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, base_url, created, found, mail_base_url, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("events", "event", scope="events")
sql = statements("events")
# scope of records -> feature without which they do not exist
FLAGS = {
    "booths": "booths",
    "plans": "plans",
    "invoices": "invoices",
    "payments": "invoices",
    "services": "services",
    "service_orders": "service_orders",
    "tasks": "tasks",
    "schedules": "schedules",
}
TAXED_BY = {"country", "place_of_supply", "date_from", "date_to"}  # fields that decide a tax


@routes.list("/events", query="event.query")
def list_events(db, query):
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    query, address = custom_fields.filters(db, "event", query), base_url()
    return page(
        db, sql.list, {**query, "now": times.now()}, lambda row: represent(row, address), INCLUDES
    )


@routes.post("/events", schema="event")
def create_event(db, body):
    event = events.create(db, body, base_url())
    return created(event, "/events", meta=meta_of(db, event))


@routes.get("/events/<id>", query="event.one")
def get_event(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/events/<id>", schema="event")
def update_event(db, who, id, body):
    """Change an event.

    If the request contains its country, days or `place_of_supply`, and the key may read invoices,
    `outdated_invoice_ids` in meta holds the drafts whose tax the rule would now decide otherwise.
    If all days move by the same number, the opening hours move with them, unless other ones are
    sent: meta then has the warning `opening_hours_moved`.
    """
    old = require_match(get(db, id))
    event = events.update(db, old, body, base_url())
    meta = meta_of(db, event)
    if events.moved_hours(old, body) is not None:
        meta["warnings"] = [*meta.get("warnings", ()), HOURS_MOVED]
    if TAXED_BY & body.keys() and may_read(who, "invoices"):
        meta["outdated_invoice_ids"] = treatments.outdated_of_event(db, id)
    return Response(event, meta=meta)


@routes.delete("/events/<id>")
def delete_event(db, id):
    events.delete(db, require_match(get(db, id)))


@routes.get("/events/<id>/overview", response="overview")
def get_event_overview(db, who, id):
    """Get what was reached at an event, what waits for the office, and what is missing.

    `booths`, `applications`, `participants` and `money` are figures, `waiting` is what somebody has
    to decide or to do, `setup` says what the event and its pages still lack, and `dates` are the
    next dates. The key needs `events:read`, and for each part the scope of its records:
    what it may not read is `null` or absent.
    """

    def reads(scope):
        return may_read(who, scope) and FLAGS.get(scope) not in who.disabled_flags

    has_pages = "pages" not in who.disabled_flags
    with db.snapshot():
        shown = overview.of(db, id, reads, address=mail_base_url(), has_pages=has_pages)
    return found(shown, "event", id)


def receive_image(environ, config, _=None):
    """Receive the picture of an event, which is written anew."""
    return uploads.picture_file(environ, config, "show", pictures.check_kind)


@routes.put(
    "/events/<id>/image",
    raw_body=tuple(sorted(content_types.PICTURES)),
    receive=receive_image,
)
def set_event_image(db, id, upload):
    """Set the picture of an event: PNG, JPEG, GIF or WebP of at most 25 MB, recognised by its bytes.

    It is turned as its EXIF says, made smaller to at most 1,600 x 1,600 pixels and 1 MiB, and stored
    without metadata, such as the place of a photograph: as PNG if something in it is transparent,
    else as JPEG. A JPEG may have 50 million pixels, a PNG or GIF 16 and a WebP 12.5 million. Of a
    film, the first picture counts. Send the bytes of the file as the body. The response is the event
    with its new `image`.
    """
    return events.set_image(db, require_match(get(db, id)), upload, base_url())


@routes.delete("/events/<id>/image")
def delete_event_image(db, id):
    """Remove the picture of an event. Nothing changes if there is none."""
    events.remove_image(db, require_match(get(db, id)), base_url())


@routes.post(
    "/events/<id>/copy",
    schema="event.copy",
    status=201,
    desk=Desk(fields=("title", "date_from", "event_key", "with")),
)
def copy_event(db, who, id, body):
    """Copy an event, to be held again.

    Every date moves by the same number of days; the copy is not visible yet.
    """
    require_scopes(who, copying.scopes(body["with"]), writes=True)
    return created(copying.copy(db, get(db, id), body, base_url()), "/events")


HOURS_MOVED = {
    "code": "opening_hours_moved",
    "detail": "The opening hours have moved by as many days as the event.",
    "field": "opening_hours",
}


def get(db, id):
    return found(events.get(db, id, base_url()), "event", id)


def meta_of(db, event):
    """Return the warnings about a saved event."""
    warnings = places.warnings(db.config.organiser_country, event["country"])
    return {"warnings": warnings} if warnings else {}


def include_participant_count(db, records):
    counts = {
        row["id"]: row["participant_count"]
        for row in db.all(sql.participant_counts_of, ids=ids_of(records))
    }
    for event in records:
        event["participant_count"] = counts.get(event["id"], 0)


INCLUDES = {
    "opening_hours": events.add_opening_hours,
    "participant_count": include_participant_count,
    "custom_fields": custom_fields.include("event"),
}
