"""GET /feeds/{token}.ics: a subscription to the calendar feed. Calendar programs send no key; the token is the secret."""
from eventapi.domain.events import calendar_feed
from eventapi.errors import Problem
from eventapi.web.rest import drawn
from eventapi.web.routes import Routes

routes = Routes("feeds", root="", public=True)


@routes.get("/feeds/<token>.ics", forms=(calendar_feed.FORM,))
def get_feed(db, token):
    """The calendar of a subscription. An unknown address and one that was shut are answered alike."""
    with db.snapshot():
        subscription = calendar_feed.subscribed(db, token)
        if subscription is None:
            raise Problem("not_found", "There is no calendar at this address.")
        name = subscription.pop("name")
        entries = calendar_feed.entries(db, **subscription)
        answer = drawn(calendar_feed.state(db, name, entries), calendar_feed.HEADER, lambda: calendar_feed.write(db, name, entries))
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
