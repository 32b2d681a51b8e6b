"""Calendar feed: events, deadlines and tasks as iCalendar (RFC 5545), and subscriptions for
programs that cannot send a key.
"""

from eventapi.domain.events import calendar_feed
from eventapi.domain.records import references
from eventapi.domain.records.references import EVENT
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import Response, base_url, created, drawn, found, require_match
from eventapi.web.routes import Routes

routes = Routes("calendar-feed", "calendar_subscription", scope="calendar-feed")
sql = statements("calendar_feed")


@routes.get("/calendar-feed", query="calendar_subscription.feed", forms=(calendar_feed.FORM,))
def get_calendar_feed(db, query):
    """Get events, application deadlines, public schedule slots and due dates of tasks as iCalendar.

    Days are all-day entries, all other times are UTC. Cancelled and deleted entries are included as
    STATUS:CANCELLED for a year. Without an event, `from` and `to`, the feed has no entries that
    ended more than a year ago.
    """
    query, name = references.filters(db, query, EVENT), db.config.organiser_name or "Events"
    with db.snapshot():
        entries = calendar_feed.entries(db, **query)
        return drawn(
            calendar_feed.state(db, name, entries),
            calendar_feed.HEADER,
            lambda: calendar_feed.write(db, name, entries),
        )


@routes.list("/calendar-feed/subscriptions", query="calendar_subscription.query")
def list_calendar_subscriptions(db, query):
    return page(db, sql.list, references.filters(db, query, EVENT), calendar_feed.represent)


@routes.post("/calendar-feed/subscriptions", schema="calendar_subscription")
def create_calendar_subscription(db, body):
    """Create a subscription: an address that calendar programs can read.

    It is secret, and `url` is in this response only.
    """
    subscription, token = calendar_feed.create(db, body)
    return created(shown(subscription, token), "/calendar-feed/subscriptions", secret="url")


@routes.get("/calendar-feed/subscriptions/<id>")
def get_calendar_subscription(db, id):
    return get(db, id)


@routes.update("/calendar-feed/subscriptions/<id>", schema="calendar_subscription")
def update_calendar_subscription(db, id, body):
    """Change a subscription.

    `is_active` false disables its address, true enables the same one again.
    """
    return calendar_feed.update(db, require_match(get(db, id)), body)


@routes.delete("/calendar-feed/subscriptions/<id>")
def delete_calendar_subscription(db, id):
    calendar_feed.delete(db, require_match(get(db, id)))


@routes.post("/calendar-feed/subscriptions/<id>/rotate")
def rotate_calendar_subscription(db, id):
    """Replace the address of a subscription.

    `url` is in this response only; the old address stops working at once.
    """
    return Response(shown(*calendar_feed.rotate(db, get(db, id))), secret="url")


def get(db, id):
    return found(calendar_feed.get(db, id), "calendar_subscription", id)


def shown(subscription, token):
    return {**subscription, "url": f"{base_url()}/feeds/{token}.ics"}
