"""Newsletter: subscribers and the records of their consent."""

from eventapi.domain.newsletter import subscriptions, tokens
from eventapi.storage.folding import expression
from eventapi.storage.statements import statements
from eventapi.web.lists import one, page
from eventapi.web.rest import base_url, created, found, mail_base_url, require_match
from eventapi.web.routes import Routes

routes = Routes("newsletter", "newsletter_subscriber", scope="newsletter")
sql = statements("newsletter")


@routes.list("/newsletter", query="newsletter_subscriber.query")
def list_newsletter_subscribers(db, query):
    if "search" in query:
        query["search"] = expression(query["search"])
    return page(db, sql.list, query, representing(db))


@routes.post("/newsletter", schema="newsletter_subscriber", again=200)
def create_newsletter_subscriber(db, body):
    """Subscribe an address.

    Sends a mail with a confirmation link, or with `send_confirmation` false records a consent given
    elsewhere.

    A known address returns 200. If it is pending, the link is sent again, at most every ten
    minutes. If it is confirmed, nothing changes. If it has unsubscribed, it is pending again until
    it confirms.
    """
    id, is_new = subscriptions.subscribe(db, body, mail_base_url())
    return created(get(db, id), "/newsletter") if is_new else get(db, id)


@routes.delete("/newsletter", query="newsletter_subscriber.named")
def delete_newsletter_subscriber_by_email(db, query):
    """Unsubscribe an address.

    The record is kept, so that the address is not subscribed again by mistake.
    """
    subscriber = found(
        subscriptions.by_email(db, query["email"]), "newsletter_subscriber", query["email"]
    )
    subscriptions.unsubscribe(
        db, require_match(get(db, subscriber["id"])), "api", db.actor.address, db.actor.agent
    )


@routes.get("/newsletter/<id>", query="newsletter_subscriber.one")
def get_newsletter_subscriber(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/newsletter/<id>", schema="newsletter_subscriber")
def update_newsletter_subscriber(db, id, body):
    """Change the name or the language of a subscriber."""
    subscriptions.update(db, require_match(get(db, id)), body)
    return get(db, id)


@routes.delete("/newsletter/<id>")
def delete_newsletter_subscriber(db, id):
    """Unsubscribe. The record is kept, so that the address is not subscribed again by mistake."""
    subscriptions.unsubscribe(
        db, require_match(get(db, id)), "api", db.actor.address, db.actor.agent
    )


def representing(db):
    """Return a function that turns a row into the API object, with `unsubscribe_url`."""
    secret, address = tokens.secret(db), base_url()
    return lambda row: {
        **subscriptions.represent(row),
        "unsubscribe_url": tokens.unsubscribe_url(secret, address, row),
    }


def get(db, id):
    return representing(db)(found(subscriptions.row(db, id), "newsletter_subscriber", id))


def include_consents(db, records):
    for subscriber in records:
        subscriber["consents"] = subscriptions.consents(db, subscriber["id"])


INCLUDES = {"consents": include_consents}
