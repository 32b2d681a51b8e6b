"""Events: the trade shows themselves."""
import json

from eventapi import journal, times
from eventapi.domain.attachments import cascade, content_types
from eventapi.domain.entrance import admission
from eventapi.domain.events import calendar_feed, copying, schedules
from eventapi.domain.events import events as shows
from eventapi.domain.events import images as event_images
from eventapi.domain.events.events import represent
from eventapi.domain.halls import plans, pricing
from eventapi.domain.orders import services
from eventapi.domain.records import custom_fields, due_dates, entities, slugs
from eventapi.domain.submissions import types as submission_types
from eventapi.errors import Faults, Problem, fault, invalid
from eventapi.plugins.access import require_scope
from eventapi.storage import search
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, location, one, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("events", "event", scope="events")
sql = statements("events")


@routes.list("/events", query="event.query")
def list_events(db, query):
    if "search" in query:
        query["search"] = search.expression(query["search"])
    query = custom_fields.filters(db, "event", query)
    return page(db, sql.list, {**query, "now": times.now()}, lambda row: addressed(represent(row)), INCLUDES)


@routes.post("/events", schema="event")
def create_event(db, body):
    body["timezone"] = body["timezone"] or db.config.timezone
    body["event_key"] = body["event_key"] or free_key(db, body)
    faults = Faults()
    body["custom_fields"] = custom_fields.checked(db, "event", body, {}, faults)
    event = add(db, body, faults)
    return created(event, f"/events/{event['id']}")


@routes.get("/events/<id>", query="event.one")
def get_event(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/events/<id>", schema="event")
def update_event(db, id, body):
    old = unchanged(get(db, id))
    faults = Faults()
    merged = {**old, **body, "custom_fields": custom_fields.checked(db, "event", body, old["custom_fields"], faults)}
    check(merged, faults)
    if merged["event_key"] != old["event_key"]:
        claim_key(db, merged["event_key"])
    if merged["timezone"] != old["timezone"]:
        admission.refuse_another_zone(db, id)
    if merged != old:
        db.run(sql.change, **columns(merged), now=db.now)
        custom_fields.store(db, "event", id, old["custom_fields"], merged["custom_fields"])
    new = get(db, id)
    journal.updated(db, entities.EVENT, old, new)
    changed = [name for name in ("date_to", "date_from", "timezone", "application_deadline") if new[name] != old[name]]
    if changed:
        pricing.reprice(db, db.values(sql.booths_priced_by_days, id=id), f"/{changed[0]}")
        due_dates.follow(db, id, f"/{changed[0]}")
    if new["timezone"] != old["timezone"]:
        schedules.follow(db, id, new["timezone"])
    return new


@routes.delete("/events/<id>")
def delete_event(db, id):
    event = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The event has {' and '.join(users)}; it cannot be deleted.", used_by=users)
    cascade.delete_with(db, "event", id)
    calendar_feed.delete_with(db, id)
    plans.delete_with(db, id)
    services.leave_event(db, id)
    schedules.delete_with(db, id)
    submission_types.delete_with(db, id)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.EVENT, event)
    return deleted()


@routes.put("/events/<id>/image", raw_body=tuple(sorted(content_types.PICTURES)))
def set_event_image(db, id, upload):
    """Sends the picture of an event: PNG, JPEG, GIF or WebP, judged by its bytes and kept as it is."""
    event = unchanged(get(db, id))
    event_images.hold(db, event, upload)
    return told(db, event)


@routes.delete("/events/<id>/image")
def delete_event_image(db, id):
    """Takes the picture away; nothing changes where there is none."""
    event = unchanged(get(db, id))
    event_images.remove(db, event)
    told(db, event)
    return deleted()


@routes.post("/events/<id>/copy", schema="event.copy", status=201)
def copy_event(db, who, id, body):
    """Last year's show as next year's, not visible yet: every date is moved by the same number of days."""
    parts = [copying.PARTS[word] for word in body["with"] if word in copying.PARTS]
    for scope in dict.fromkeys(scope for _, scopes in parts for scope in scopes):
        require_scope(who, scope, writes=True)
    old = get(db, id)
    try:
        new, days = copying.moved(old, body["date_from"], opening_hours="opening_hours" in body["with"])
        event = add(db, {**new, "event_key": body["event_key"] or free_key(db, new)})
        for bring, _ in parts:
            bring(db, id, event["id"], days)
    except OverflowError:
        raise invalid([fault("date", "would move dates out of the calendar", pointer="/date_from")]) from None
    return created(get(db, event["id"]), f"/events/{event['id']}")


def told(db, old):
    """Journals what became of an event; gives it as it is now."""
    new = get(db, old["id"])
    journal.updated(db, entities.EVENT, old, new)
    return new


def get(db, id):
    return addressed(found(shows.get(db, id), "event", id))


def addressed(event):
    """With the address of its picture, if it has one."""
    image = event["image"]
    return {**event, "image": image and {**image, "url": location(f"/documents/{image['document_id']}/content")}}


def add(db, event, faults=()):
    """Checks and adds a new event, which has these `faults` already; gives it as stored."""
    check(event, faults)
    claim_key(db, event["event_key"])
    id = db.insert(sql.add, **columns(event), now=db.now)
    custom_fields.store(db, "event", id, {}, event["custom_fields"])
    new = get(db, id)
    journal.created(db, entities.EVENT, new)
    return new


def columns(event):
    """The event as columns: texts as given, and the UTC instants they stand for."""
    zone = event["timezone"]
    last_day = times.local_day(event["date_to"] or event["date_from"], zone)
    return {**event, "opening_hours": as_json(event["opening_hours"]),
            "date_from_at": times.start(event["date_from"], zone), "date_to_at": times.end(event["date_to"], zone),
            "over_at": times.end(last_day, zone), "application_deadline_at": times.end(event["application_deadline"], zone)}


def check(event, faults=()):
    """What the schema cannot say, besides `faults`: the order of dates and of opening hours."""
    faults, zone = Faults(faults), event["timezone"]
    begins, ends = times.start(event["date_from"], zone), times.end(event["date_to"], zone)
    if begins and ends and ends < begins:
        faults.add("/date_to", "before_start", "must not be before date_from")
    hours = event["opening_hours"]
    for place, entry in enumerate(hours):
        if entry["closes"] <= entry["opens"]:
            faults.add(f"/opening_hours/{place}/closes", "before_start", "must be after opens")
        for other in hours[:place]:
            if other["date"] == entry["date"] and other["opens"] < entry["closes"] and entry["opens"] < other["closes"]:
                faults.add(f"/opening_hours/{place}", "overlap", f"overlaps the entry from {other['opens']} on that day")
                break
    faults.raise_any()


def claim_key(db, event_key):
    if db.value(sql.key_taken, event_key=event_key):
        raise Problem("duplicate", f"There is an event with the key {event_key}.", member="event_key")


def free_key(db, event):
    """The slug of title and year, with a suffix when it is taken."""
    year = (event["date_from"] or "")[:4]
    wanted = slugs.slug(event["title"] if not year or year in event["title"] else f"{event['title']} {year}")
    return slugs.free(wanted, lambda key: db.value(sql.key_taken, event_key=key))


def include_opening_hours(db, events):
    hours = {row["id"]: row["opening_hours"] for row in db.all(sql.opening_hours_of, ids=ids_of(events))}
    for event in events:
        event["opening_hours"] = json.loads(hours[event["id"]])


def include_participant_count(db, events):
    counts = {row["id"]: row["participant_count"] for row in db.all(sql.participant_counts_of, ids=ids_of(events))}
    for event in events:
        event["participant_count"] = counts.get(event["id"], 0)


def ids_of(records):
    return as_json([record["id"] for record in records])


INCLUDES = {"opening_hours": include_opening_hours, "participant_count": include_participant_count,
            "custom_fields": custom_fields.include("event")}
