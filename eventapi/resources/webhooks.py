"""Webhooks: addresses that are told of events as they happen, signed and repeated until they take them; and the feed of the same events."""
import json
import re
from datetime import datetime

from eventapi import journal, times
from eventapi.domain.webhooks import addresses, event_types, signatures
from eventapi.domain.webhooks import feed as webhook_feed
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.domain.webhooks.subscriptions import MOST_ACTIVE, represent, represent_delivery
from eventapi.errors import Faults, Problem, fault
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import Answer, created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("webhooks", "webhook", scope="webhooks", flag="webhooks")
sql = statements("webhooks")

HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
# Headers that HTTP or we ourselves decide on.
OURS = re.compile(r"host|connection|keep-alive|proxy-.*|te|trailers?|transfer-encoding|upgrade|expect|content-.*|(x-)?webhook-.*", re.I)
VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")


def checked(body, config):
    """What is wrong with address, events and headers. Names are looked up, which may take a while: never inside a transaction."""
    faults, url = Faults(), body.get("url")
    wrong = url and addresses.acceptable(url, config.webhook_allowed_networks)
    if wrong:
        faults.add("/url", "refused", wrong)
    for place, pattern in enumerate(body.get("events") or ()):
        wrong = event_types.unknown(pattern)
        if wrong:
            faults.add(f"/events/{place}", "unknown", wrong)
    return [*faults, *(fault for name, value in (body.get("headers") or {}).items() for fault in wrong_header(name, value))]


def wrong_header(name, value):
    place = "/headers/" + name.replace("~", "~0").replace("/", "~1")
    if not HEADER.fullmatch(name):
        yield fault("format", "is no name of a header", pointer=place)
    elif OURS.fullmatch(name):
        yield fault("reserved", "is a header that cannot be chosen", pointer=place)
    if type(value) is not str or len(value) > 2000 or not VALUE.fullmatch(value):
        yield fault("format", "must be text of at most 2000 printable ASCII characters", pointer=place)


@routes.list("/webhooks", query="webhook.query")
def list_webhooks(db, query):
    return page(db, sql.list, query, represent)


@routes.post("/webhooks", schema="webhook", prepare=checked)
def create_webhook(db, who, body):
    """Makes a webhook. `secret`, with which its deliveries are signed, is shown in this answer and by rotate-secret only.

    It is told what the key that makes it may read, and no more, asked again at each delivery.

    A delivery carries webhook-id (the same at each attempt: take each once), webhook-timestamp and webhook-signature as Standard Webhooks
    (standardwebhooks.com) wants them: any of its libraries verifies them with the secret as it is. Without one: the signature is `v1,` and the
    base64 of HMAC-SHA256 over `id.timestamp.body`, the key being the decoded base64 behind `whsec_`; after a rotation two stand there, with a
    space between. X-Webhook-Signature is `v1=` and the hex of HMAC-SHA256 over `timestamp.body`, X-Webhook-Timestamp being the timestamp and the
    key the whole secret as text. Any 2xx takes a delivery; a redirect is not followed and counts as failure.
    """
    if body["is_active"]:
        refuse_too_many(db)
    secret = signatures.new_secret()
    body["name"] = body["name"] or addresses.parsed(body["url"]).host
    id = db.insert(sql.add, **columns(body), api_key_id=who.key_id, secret=secret, now=db.now)
    webhook = get(db, id)
    journal.created(db, "webhook", webhook, title=webhook["name"], scope="webhooks")
    db.run(sql.begin_here, id=id)
    return created({**webhook, "secret": secret}, f"/webhooks/{id}", secret="secret")


@routes.get("/webhooks/events", answer="webhook.events")
def list_webhook_events():
    """Every event there is: its type, the scope that a key needs to hear of it, and a message as it is sent."""
    return Answer(event_types.listed())


@routes.get("/webhooks/feed", query="webhook.feed", answer="webhook.messages")
def read_webhook_feed(db, who, query):
    """The events that webhooks tell, for those who cannot be called: oldest first, kept for 30 days, as far as the key may read them.

    Send meta.next as `after` to go on; while meta.more is true there is more at once. meta.missed says that the events which followed
    `after` are kept no longer.
    """
    with db.snapshot():
        events, following, more, missed = webhook_feed.read(db, query["after"], query["per_page"], who.scopes)
    return Answer(events, meta={"per_page": query["per_page"], "next": following, "more": more, "missed": missed})


@routes.get("/webhooks/<id>")
def get_webhook(db, id):
    return get(db, id)


@routes.update("/webhooks/<id>", schema="webhook", prepare=checked)
def update_webhook(db, who, id, body):
    """Changes a webhook. Whoever gives it another url answers for it from then on: it is told what that key may read.

    While it is not active it is told nothing of what happens; what was to be delivered before waits.
    """
    old = unchanged(get(db, id))
    headers = json.loads(db.value(sql.headers, id=id))
    merged = {**old, "headers": headers, **body}
    if merged == {**old, "headers": headers}:
        return old
    if merged["is_active"] and not old["is_active"]:
        refuse_too_many(db)
    if merged["url"] != old["url"]:
        merged["api_key_id"] = who.key_id
    webhooks.settle(db, id)
    db.run(sql.change, **columns(merged), now=db.now)
    new = get(db, id)
    journal.updated(db, "webhook", old, new, title=new["name"], scope="webhooks")
    if merged["headers"] != headers:
        journal.acted(db, "headers_changed", "webhook", new, title=new["name"], scope="webhooks")
    if new["is_active"] and not old["is_active"]:
        db.run(sql.begin_here, id=id)
    return get(db, id)


@routes.delete("/webhooks/<id>")
def delete_webhook(db, id):
    webhook = unchanged(get(db, id))
    db.run(sql.remove, id=id)
    journal.deleted(db, "webhook", webhook, title=webhook["name"], scope="webhooks")
    return deleted()


@routes.post("/webhooks/<id>/test", status=202, answer="webhook_delivery")
def test_webhook(db, id):
    """Sends an event webhook.tested to this webhook, whatever it listens to. The answer is the delivery, which the worker makes."""
    webhook = get(db, id)
    if not webhook["is_active"]:
        raise Problem("webhook_inactive", f"The webhook {webhook['name']} is not active; set is_active first.")
    return Answer(webhooks.add_test(db, webhook), 202)


@routes.post("/webhooks/<id>/rotate-secret")
def rotate_webhook_secret(db, id):
    """Gives the webhook a new secret, shown in this answer only. For 24 hours the old one signs as well in webhook-signature.

    X-Webhook-Signature has room for one: from now on the new secret makes it.
    """
    old, secret = get(db, id), signatures.new_secret()
    until = times.text(datetime.fromisoformat(db.now) + webhooks.BOTH_SIGN)
    db.run(sql.rotate, id=id, secret=secret, until=until, now=db.now)
    new = get(db, id)
    journal.acted(db, "secret_rotated", "webhook", new, title=old["name"], scope="webhooks")
    return Answer({**new, "secret": secret}, secret="secret")


@routes.list("/webhooks/<id>/deliveries", query="webhook_delivery.query", singular="webhook_delivery")
def list_webhook_deliveries(db, id, query):
    """What was and is to be delivered to a webhook, kept for 30 days."""
    get(db, id)
    return page(db, sql.deliveries, {**query, "webhook_id": id}, represent_delivery)


@routes.post("/webhooks/<id>/deliveries/<item_id>/redeliver", status=202, answer="webhook_delivery")
def redeliver_webhook_delivery(db, id, item_id):
    """Sends a delivery again, with all its attempts; one that waits for its next attempt is sent now."""
    get(db, id)
    found(webhooks.delivery(db, id, item_id), "webhook_delivery", item_id)
    if not db.run(sql.send_again, id=item_id, now=db.now):
        db.run(sql.send_now, id=item_id, now=db.now)
    return Answer(webhooks.delivery(db, id, item_id), 202)


def get(db, id):
    return found(webhooks.get(db, id), "webhook", id)


def columns(webhook):
    return {**webhook, "events": as_json(webhook["events"]), "headers": as_json(webhook["headers"] or {})}


def refuse_too_many(db):
    if db.value(sql.active) >= MOST_ACTIVE:
        raise Problem("too_many_webhooks", f"There are {MOST_ACTIVE} active webhooks already; switch one off first.")
