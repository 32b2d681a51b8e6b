"""The calendar feed, as iCalendar (RFC 5545), and subscriptions to it for programs that send no key."""
from eventapi import journal
from eventapi.domain.events import calendar_feed
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT
from eventapi.errors import Faults
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import Response, base_url, created, deleted, drawn, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("calendar_feed", "calendar_subscription", scope="calendar-feed")
sql = statements("calendar_feed")


@routes.get("/calendar-feed", query="calendar_subscription.feed", forms=(calendar_feed.FORM,))
def get_calendar_feed(db, query):
    """Events, application deadlines, public schedule slots and due dates of tasks as iCalendar.

    Days are all-day entries, all other times are UTC. What was cancelled or deleted is told as STATUS:CANCELLED for a year.
    """
    query, name = references.filters(db, query, EVENT), db.config.organiser_name or "Events"
    with db.snapshot():
        entries = calendar_feed.entries(db, **query)
        return drawn(calendar_feed.state(db, name, entries), calendar_feed.HEADER, lambda: calendar_feed.write(db, name, entries))


@routes.list("/calendar-feed/subscriptions", query="calendar_subscription.query")
def list_calendar_subscriptions(db, query):
    return page(db, sql.list, references.filters(db, query, EVENT), calendar_feed.represent)


@routes.post("/calendar-feed/subscriptions", schema="calendar_subscription")
def create_calendar_subscription(db, body):
    """Makes an address that calendar programs can read. It is a secret, and shown in this answer only: `url`."""
    values, (token, token_hash) = columns(db, body), calendar_feed.new_token()
    subscription = calendar_feed.get(db, db.insert(sql.add, **values, token_hash=token_hash, now=db.now))
    journal.created(db, "calendar_subscription", subscription, title=subscription["name"], scope="calendar-feed")
    return created(shown(subscription, token), f"/calendar-feed/subscriptions/{subscription['id']}", secret="url")


@routes.get("/calendar-feed/subscriptions/<id>")
def get_calendar_subscription(db, id):
    return get(db, id)


@routes.update("/calendar-feed/subscriptions/<id>", schema="calendar_subscription")
def update_calendar_subscription(db, id, body):
    """Changes a subscription: `is_active` false shuts its address, true opens the same one again."""
    old = unchanged(get(db, id))
    values = columns(db, body, old)
    if values != columns(db, {}, old):
        db.run(sql.change, **values, now=db.now)
    new = get(db, id)
    journal.updated(db, "calendar_subscription", old, new, title=new["name"], scope="calendar-feed")
    return new


@routes.delete("/calendar-feed/subscriptions/<id>")
def delete_calendar_subscription(db, id):
    calendar_feed.remove(db, unchanged(get(db, id)))
    return deleted()


@routes.post("/calendar-feed/subscriptions/<id>/rotate")
def rotate_calendar_subscription(db, id):
    """Gives the subscription a new address, shown in this answer only; the old one leads nowhere at once."""
    get(db, id)                             # 404 where there is none
    token, token_hash = calendar_feed.new_token()
    db.run(sql.rotate, id=id, token_hash=token_hash, now=db.now)
    new = get(db, id)
    journal.acted(db, "rotated", "calendar_subscription", new, title=new["name"], scope="calendar-feed")
    return Response(shown(new, token), secret="url")


def get(db, id):
    return found(calendar_feed.get(db, id), "calendar_subscription", id)


def shown(subscription, token):
    return {**subscription, "url": f"{base_url()}/feeds/{token}.ics"}


def columns(db, body, old=None):
    """The subscription as columns, once the event that it names is found. Naming neither id nor key leaves the event as it was."""
    faults = Faults()
    values = {**(old or {}), **body}
    if any(member in body for member, _ in EVENT[1]):
        values["event_id"] = references.resolve(db, body, EVENT, faults)
    faults.raise_any()
    return {**values, "kinds": as_json(values["kinds"])}
