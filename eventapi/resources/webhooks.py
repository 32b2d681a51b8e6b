"""Webhooks: addresses that are told of events as they happen, signed and repeated until they take them; and the feed of the same events."""
from eventapi.domain.webhooks import checks, event_types
from eventapi.domain.webhooks import feed as webhook_feed
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.domain.webhooks.subscriptions import represent, represent_delivery
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import Response, created, deleted, found, unchanged
from eventapi.web.routes import Routes

routes = Routes("webhooks", "webhook", scope="webhooks", flag="webhooks")
sql = statements("webhooks")


@routes.list("/webhooks", query="webhook.query")
def list_webhooks(db, query):
    return page(db, sql.list, query, represent)


@routes.post("/webhooks", schema="webhook", prepare=checks.faults_of)
def create_webhook(db, who, body):
    """Makes a webhook. `secret`, with which its deliveries are signed, is shown in this answer and by rotate-secret only.

    It is told what the key that makes it may read, and no more, asked again at each delivery.

    A delivery carries webhook-id (the same at each attempt: take each once), webhook-timestamp and webhook-signature as Standard Webhooks
    (standardwebhooks.com) wants them: any of its libraries verifies them with the secret as it is. Without one: the signature is `v1,` and the
    base64 of HMAC-SHA256 over `id.timestamp.body`, the key being the decoded base64 behind `whsec_`; after a rotation two stand there, with a
    space between. X-Webhook-Signature is `v1=` and the hex of HMAC-SHA256 over `timestamp.body`, X-Webhook-Timestamp being the timestamp and the
    key the whole secret as text. Any 2xx takes a delivery; a redirect is not followed and counts as failure.
    """
    webhook = webhooks.create(db, body, who.key_id)
    return created(webhook, f"/webhooks/{webhook['id']}", secret="secret")


@routes.get("/webhooks/events", response="webhook.events")
def list_webhook_events():
    """Every event there is: its type, the scope that a key needs to hear of it, and a message as it is sent."""
    return Response(event_types.listed())


@routes.get("/webhooks/feed", query="webhook.feed", response="webhook.messages")
def read_webhook_feed(db, who, query):
    """The events that webhooks tell, for those who cannot be called: oldest first, kept for 30 days, as far as the key may read them.

    Send meta.next as `after` to go on; while meta.more is true there is more at once. meta.missed says that the events which followed
    `after` are kept no longer.
    """
    with db.snapshot():
        events, following, more, missed = webhook_feed.read(db, query["after"], query["per_page"], who.scopes)
    return Response(events, meta={"per_page": query["per_page"], "next": following, "more": more, "missed": missed})


@routes.get("/webhooks/<id>")
def get_webhook(db, id):
    return get(db, id)


@routes.update("/webhooks/<id>", schema="webhook", prepare=checks.faults_of)
def update_webhook(db, who, id, body):
    """Changes a webhook. Whoever gives it another url answers for it from then on: it is told what that key may read.

    While it is not active it is told nothing of what happens; what was to be delivered before waits.
    """
    return webhooks.update(db, unchanged(get(db, id)), body, who.key_id)


@routes.delete("/webhooks/<id>")
def delete_webhook(db, id):
    webhooks.delete(db, unchanged(get(db, id)))
    return deleted()


@routes.post("/webhooks/<id>/test", status=202, response="webhook_delivery")
def test_webhook(db, id):
    """Sends an event webhook.tested to this webhook, whatever it listens to. The answer is the delivery, which the worker makes."""
    return Response(webhooks.add_test(db, get(db, id)), 202)


@routes.post("/webhooks/<id>/rotate-secret")
def rotate_webhook_secret(db, id):
    """Gives the webhook a new secret, shown in this answer only. For 24 hours the old one signs as well in webhook-signature.

    X-Webhook-Signature has room for one: from now on the new secret makes it.
    """
    return Response(webhooks.rotate_secret(db, get(db, id)), secret="secret")


@routes.list("/webhooks/<id>/deliveries", query="webhook_delivery.query", singular="webhook_delivery")
def list_webhook_deliveries(db, id, query):
    """What was and is to be delivered to a webhook, kept for 30 days."""
    get(db, id)
    return page(db, sql.deliveries, {**query, "webhook_id": id}, represent_delivery)


@routes.post("/webhooks/<id>/deliveries/<item_id>/redeliver", status=202, response="webhook_delivery")
def redeliver_webhook_delivery(db, id, item_id):
    """Sends a delivery again, with all its attempts; one that waits for its next attempt is sent now."""
    get(db, id)
    delivery = found(webhooks.get_delivery(db, id, item_id), "webhook_delivery", item_id)
    return Response(webhooks.redeliver(db, delivery), 202)


def get(db, id):
    return found(webhooks.get(db, id), "webhook", id)
