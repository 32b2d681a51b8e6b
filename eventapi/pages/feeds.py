"""GET /feeds/{token}.ics: a subscription to the calendar feed.

The token replaces the API key, which calendar programs cannot send.
"""

from eventapi.domain.events import calendar_feed
from eventapi.errors import Problem
from eventapi.web.rest import drawn
from eventapi.web.routes import Routes

routes = Routes("feeds", root="", public=True)


@routes.get("/feeds/<token>.ics", forms=(calendar_feed.FORM,))
def get_calendar_subscription_feed(db, token):
    """Return the calendar of a subscription. Unknown and revoked tokens get the same response."""
    with db.snapshot():
        subscription = calendar_feed.subscribed(db, token)
        if subscription is None:
            raise Problem(
                "not_found",
                "No calendar is available at this URL. The subscription may have been revoked; "
                "ask the organiser for a new URL.",
            )
        name = subscription.pop("name")
        entries = calendar_feed.entries(db, **subscription)
        response = drawn(
            calendar_feed.state(db, name, entries),
            calendar_feed.HEADER,
            lambda: calendar_feed.write(db, name, entries),
        )
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
