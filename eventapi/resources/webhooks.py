"""Webhooks: URLs that receive events as signed HTTP requests, which are retried.

And a feed of the same events.
"""

from eventapi.domain.webhooks import event_types, subscriptions
from eventapi.domain.webhooks import feed as webhook_feed
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.domain.webhooks.subscriptions import represent, represent_delivery
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import Response, created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("webhooks", "webhook", scope="webhooks", flag="webhooks")
sql = statements("webhooks")


@routes.list("/webhooks", query="webhook.query")
def list_webhooks(db, query):
    return page(db, sql.list, query, represent)


@routes.post("/webhooks", schema="webhook", prepare=subscriptions.faults_of)
def create_webhook(db, who, body):
    """Create a webhook.

    `secret`, which signs its deliveries, is returned only here and by rotate-secret.

    A webhook receives the events that its API key may read. Every delivery checks this again.

    A delivery has the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard
    Webhooks (standardwebhooks.com), so any of its libraries can verify it with the secret.
    `webhook-id` is the same at every attempt: process each id once. Without a library: the
    signature is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; the key is the
    decoded base64 after `whsec_`. For 24 hours after a rotation the header contains two signatures,
    separated by a space. `X-Webhook-Signature` is `v1=` and the hex of HMAC-SHA256 over
    `timestamp.body`; `X-Webhook-Timestamp` is the timestamp, and the key is the whole secret as
    text. Any 2xx response completes a delivery. A redirect is not followed and counts as a failure.
    """
    return created(webhooks.create(db, body, who.key_id), "/webhooks", secret="secret")


@routes.get("/webhooks/events", response="webhook.events")
def list_webhook_events():
    """List all event types, each with the scope that a key needs to receive it and an example of
    its message.

    The names are the values of `events` of a webhook, which may also contain `payment.*` or `*`.
    """
    return Response(event_types.listed())


@routes.get("/webhooks/feed", query="webhook.feed", response="webhook.messages")
def get_webhook_feed(db, who, query):
    """Read the events that webhooks deliver, without receiving requests.

    Returns the events that the API key may read, oldest first. Events are kept for 30 days.

    To continue, send `meta.next` as `after`; while `meta.more` is true, more events are available
    at once. `meta.missed` is true if events that followed `after` have been deleted.
    """
    with db.snapshot():
        events, following, more, missed = webhook_feed.read(
            db, query["after"], query["per_page"], who.scopes
        )
    return Response(
        events,
        meta={"per_page": query["per_page"], "next": following, "more": more, "missed": missed},
    )


@routes.get("/webhooks/<id>")
def get_webhook(db, id):
    return get(db, id)


@routes.update("/webhooks/<id>", schema="webhook", prepare=subscriptions.faults_of)
def update_webhook(db, who, id, body):
    """Change a webhook.

    A new `url` binds it to the API key of this request: it then receives what that key may read.

    An inactive webhook misses the events that happen meanwhile. Deliveries that were due before are
    sent when it is active again.
    """
    return webhooks.update(db, require_match(get(db, id)), body, who.key_id)


@routes.delete("/webhooks/<id>")
def delete_webhook(db, id):
    webhooks.delete(db, require_match(get(db, id)))


@routes.post("/webhooks/<id>/test", status=202, response="webhook_delivery")
def test_webhook(db, id):
    """Send a `webhook.tested` event to this webhook, whatever it subscribes to.

    Returns the delivery, which the worker sends.
    """
    return Response(webhooks.add_test(db, get(db, id)), 202, has_etag=False)


@routes.post("/webhooks/<id>/rotate-secret")
def rotate_webhook_secret(db, id):
    """Replace the secret of a webhook.

    The new secret is returned only here.

    For 24 hours `webhook-signature` contains a signature with the old secret, too.
    `X-Webhook-Signature` can contain one only, which is made with the new secret at once.
    """
    return Response(webhooks.rotate_secret(db, get(db, id)), secret="secret")


@routes.list(
    "/webhooks/<id>/deliveries", query="webhook_delivery.query", singular="webhook_delivery"
)
def list_webhook_deliveries(db, id, query):
    """List the deliveries of a webhook, past and pending. They are kept for 30 days."""
    get(db, id)
    return page(db, sql.deliveries, {**query, "webhook_id": id}, represent_delivery)


@routes.post(
    "/webhooks/<id>/deliveries/<item_id>/redeliver", status=202, response="webhook_delivery"
)
def redeliver_webhook_delivery(db, id, item_id):
    """Send a delivery again, with all its retries.

    A delivery that waits for its next attempt is sent now.

    If an attempt is in progress, another one follows it. Deliveries of one record keep their order.
    """
    get(db, id)
    delivery = found(webhooks.get_delivery(db, id, item_id), "webhook_delivery", item_id)
    return Response(webhooks.redeliver(db, delivery), 202, has_etag=False)


def get(db, id):
    return found(webhooks.get(db, id), "webhook", id)
