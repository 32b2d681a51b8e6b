"""The newsletter's subscribers."""
from eventapi.domain.people import newsletter
from eventapi.errors import Faults
from eventapi.storage.search import expression
from eventapi.storage.statements import statements
from eventapi.web.rest import base_url, created, deleted, found, one, page, unchanged
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
    """Mails a link that confirms the subscription, or takes over a consent that was given elsewhere (`send_confirmation` false).

    An address that is known is 200: a pending one is sent the link again, at most every ten minutes, a confirmed one stays as it is, and
    one that has unsubscribed is pending again. Only its confirmation brings it back.
    """
    check(db, body)
    id, is_new = newsletter.subscribe(db, body, base_url())
    return created(get(db, id), f"/newsletter/{id}") if is_new else get(db, id)


@routes.delete("/newsletter", query="newsletter_subscriber.named")
def delete_newsletter_address(db, query):
    """Unsubscribes an address. The record is kept, so that nobody takes it up again by mistake."""
    subscriber = found(newsletter.by_email(db, query["email"]), "newsletter_subscriber", query["email"])
    newsletter.unsubscribe(db, unchanged(get(db, subscriber["id"])), "api", db.actor.address, db.actor.agent)
    return deleted()


@routes.get("/newsletter/<id>", query="newsletter_subscriber.one")
def get_newsletter_subscriber(db, id, query):
    return one(db, get(db, id), query, INCLUDES)


@routes.update("/newsletter/<id>", schema="newsletter_subscriber")
def update_newsletter_subscriber(db, id, body):
    """Changes the name."""
    old = unchanged(get(db, id))
    if body.get("email", old["email"]).lower() != old["email"].lower():
        faults = Faults()
        faults.add("/email", "fixed", "cannot change: a consent is of one address; subscribe the other one")
        faults.raise_any()
    if body.get("name", old["name"]) != old["name"]:
        newsletter.rename(db, newsletter.get(db, id), body["name"])
    return get(db, id)


@routes.delete("/newsletter/<id>")
def delete_newsletter_subscriber(db, id):
    """Unsubscribes. The record is kept, so that nobody takes the address up again by mistake."""
    newsletter.unsubscribe(db, unchanged(get(db, id)), "api", db.actor.address, db.actor.agent)
    return deleted()


def representing(db):
    """What turns a row into an answer."""
    secret, address = newsletter.secret(db), base_url()
    return lambda row: {**newsletter.represent(row), "unsubscribe_url": newsletter.unsubscribe_url(secret, address, row)}


def get(db, id):
    return representing(db)(found(newsletter.row(db, id), "newsletter_subscriber", id))


def check(db, body):
    faults = Faults()
    if not body["send_confirmation"] and not body["consent"]:
        faults.add("/consent", "required", "is required with send_confirmation false: who has agreed, where and when?")
    elif body["consent"] and body["send_confirmation"]:
        faults.add("/consent", "forbidden", "is proven by the confirmation; leave it out, or set send_confirmation false")
    elif body["consent"] and body["consent"]["at"] > db.now:
        faults.add("/consent/at", "maximum", "must not be in the future")
    faults.raise_any()


def include_consents(db, records):
    for subscriber in records:
        subscriber["consents"] = newsletter.consents(db, subscriber["id"])


INCLUDES = {"consents": include_consents}
