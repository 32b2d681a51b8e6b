"""Webhooks: subscriptions to events, their checks and signatures, and the deliveries that result
from them.

The worker adds the deliveries of new events with `fan_out`, and sends them in the order of the
events. Signatures are those of Standard Webhooks (standardwebhooks.com), and two headers of the
contract.
"""

import base64
import hmac
import json
import re
import secrets
from datetime import datetime, timedelta, timezone
from hashlib import sha256

from eventapi import journal, times
from eventapi.domain.attachments import tasks
from eventapi.domain.records import entities
from eventapi.domain.webhooks import addresses, event_types
from eventapi.errors import Faults, Problem, fault
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("webhooks")

PREFIX = "whsec_"
MAX_ACTIVE = 50
BATCH = 100  # events per transaction of fan_out: 5,000 deliveries to 50 webhooks in 50 ms
BATCHES = 100  # transactions per call, so that deliveries start and other jobs run in between
STUCK = timedelta(hours=1)  # `eventapi check` reports deliveries that are overdue for longer
KEPT = timedelta(days=30)  # how long deliveries are kept
BOTH_SIGN = timedelta(hours=24)  # how long the old secret signs as well after a rotation
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
# Headers that HTTP or the delivery itself sets.
RESERVED = re.compile(
    r"host|connection|keep-alive|proxy-.*|te|trailers?|transfer-encoding|upgrade|expect|content-.*"
    r"|(x-)?webhook-.*",
    re.I,
)
VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")


def new_secret():
    """Return a new random secret in the format of Standard Webhooks."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(message_id, timestamp, body, keys):
    """Return the headers that authenticate a message.

    `keys` are the valid secrets, the newest first.

    `timestamp` is in Unix seconds, `body` is bytes. webhook-signature contains one signature per
    secret. X-Webhook-Signature can contain one only, which is made with the newest secret.
    """
    before = f"{message_id}.{timestamp}."
    signatures = []
    for key in keys:
        digest = _mac(base64.b64decode(key.removeprefix(PREFIX)), before, body).digest()
        signatures.append(f"v1,{base64.b64encode(digest).decode()}")
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
        "X-Webhook-Timestamp": str(timestamp),
        "X-Webhook-Signature": f"v1={_mac(keys[0].encode(), f'{timestamp}.', body).hexdigest()}",
    }


def _mac(key, before, body):
    return hmac.new(key, before.encode() + body, sha256)


def faults_of(body, config):
    """Return the faults of a body.

    Resolving the host name may be slow: do not call this inside a transaction.
    """
    faults = Faults()
    if body.get("url"):
        wrong = addresses.fault_of(body["url"], config.webhook_allowed_networks)
        if wrong:
            faults.add("/url", "refused", wrong)
    for place, wrong in event_types.unknown(body.get("events") or ()):
        faults.add(f"/events/{place}", "unknown", wrong)
    for name, value in (body.get("headers") or {}).items():
        faults += _faults_of_header(name, value)
    return faults


def _faults_of_header(name, value):
    """Yield the faults of one header."""
    place = "/headers/" + name.replace("~", "~0").replace("/", "~1")
    if not HEADER.fullmatch(name):
        yield fault(
            "format",
            "must be a header name of at most 100 letters, digits and signs of HTTP, such as "
            "X-Source",
            pointer=place,
        )
    elif RESERVED.fullmatch(name):
        yield fault(
            "reserved",
            "is a header that the server sets itself. Choose another name",
            pointer=place,
        )
    if type(value) is not str or len(value) > 2000 or not VALUE.fullmatch(value):
        yield fault(
            "format", "must be text of at most 2000 printable ASCII characters", pointer=place
        )


# Reading


def get(db, id):
    """Return the webhook without its secret and headers, or None."""
    row = db.one(sql.get, id=id)
    if row is None:
        return None
    return represent(row)


def represent(row):
    """Return the API object of a row: without the secret, and without the headers, which may
    contain one.
    """
    row["events"] = json.loads(row["events"])
    row["is_active"] = bool(row["is_active"])
    return {**row, "secret": None}


def represent_delivery(row):
    """Return the API object of a delivery."""
    return {
        "id": row["id"],
        "webhook_id": row["webhook_id"],
        "message_id": message_id(row["outgoing_id"], row["event_at"]),
        "event_type": row["event_name"],
        "attempts": json.loads(row["attempts"]),
        "entity_type": row["entity_type"],
        "entity_id": row["entity_id"],
        "status": row["status"],
        "attempt_count": row["attempt_count"],
        "next_attempt_at": row["next_attempt_at"],
        "response_status": row["response_status"],
        "error": row["error"],
        "duration_ms": row["duration_ms"],
        "delivered_at": row["delivered_at"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


def message_id(event_id, timestamp):
    """Return the id of a message, the same at every attempt and in the feed.

    It contains the timestamp because a restored database assigns ids again.
    """
    return f"evt_{event_id}_{times.unix(timestamp)}"


def message(name, timestamp, data):
    """Return the body of a delivery as bytes.

    `data` is JSON text, or None after the record was anonymised.
    """
    return f'{{"type":{as_json(name)},"timestamp":"{timestamp}","data":{data or "null"}}}'.encode()


# Writing: each function is called inside a write transaction and journals the change


def create(db, fields, key_id):
    """Create a webhook and return it with its `secret`.

    `fields` is a complete validated body; the name defaults to the host of the URL.

    It receives the events that the API key `key_id` may read. Raise 409 `too_many_webhooks`.
    """
    if fields["is_active"]:
        _refuse_too_many(db)
    secret = new_secret()
    name = fields["name"] or addresses.parse(fields["url"]).host
    columns = _columns({**fields, "name": name})
    id = db.insert(sql.add, **columns, api_key_id=key_id, secret=secret, now=db.now)
    webhook = get(db, id)
    journal.created(db, entities.WEBHOOK, webhook)
    db.run(sql.begin_here, id=id)
    return {**webhook, "secret": secret}


def update(db, old, fields, key_id):
    """Change a webhook and return it.

    A new URL binds it to the API key `key_id`. Raise 409 `too_many_webhooks`.

    Events before the change are delivered by the old settings. Reactivation starts with the next
    event.
    """
    id = old["id"]
    headers = json.loads(db.value(sql.headers, id=id))
    before = {**old, "headers": headers}
    merged = {**before, **fields}
    if merged == before:
        return old
    if merged["is_active"] and not old["is_active"]:
        _refuse_too_many(db)
    if merged["url"] != old["url"]:
        merged["api_key_id"] = key_id

    add_deliveries(db, id)
    db.run(sql.change, **_columns(merged), now=db.now)
    new = get(db, id)
    journal.updated(db, entities.WEBHOOK, old, new)
    if merged["headers"] != headers:
        journal.acted(db, entities.WEBHOOK, "headers_changed", new)
    if new["is_active"] and not old["is_active"]:
        db.run(sql.begin_here, id=id)
    return get(db, id)


def delete(db, webhook):
    """Delete a webhook and its deliveries."""
    db.run(sql.remove, id=webhook["id"])
    journal.deleted(db, entities.WEBHOOK, webhook)


def rotate_secret(db, old):
    """Replace the secret and return the webhook with the new one.

    For 24 hours the old secret signs deliveries, too.
    """
    secret = new_secret()
    until = times.after(db.now, BOTH_SIGN)
    db.run(sql.rotate, id=old["id"], secret=secret, until=until, now=db.now)
    new = get(db, old["id"])
    journal.acted(db, entities.WEBHOOK, "secret_rotated", new)
    return {**new, "secret": secret}


def redeliver(db, delivery):
    """Send a delivery again, with all its retries, and return it.

    One that waits for its next attempt is sent now. After an attempt that is in progress, another
    one follows. A delivery still waits for earlier ones of its record, and later ones wait for it.
    """
    # One of them changes the delivery: it has ended, an attempt is in progress, or it waits.
    for statement in (sql.send_again, sql.request_redelivery, sql.send_now):
        if db.run(statement, id=delivery["id"], now=db.now):
            break
    db.run(sql.hold_back, **same_record(delivery))
    return get_delivery(db, delivery["webhook_id"], delivery["id"])


def same_record(delivery):
    """Return the columns that all deliveries of one record to one webhook share."""
    return {name: delivery[name] for name in ("webhook_id", "entity_type", "entity_id")}


def _columns(webhook):
    return {
        **webhook,
        "events": as_json(webhook["events"]),
        "headers": as_json(webhook["headers"] or {}),
    }


def _refuse_too_many(db):
    """Raise 409 `too_many_webhooks` if no further webhook can be active."""
    if db.value(sql.active) >= MAX_ACTIVE:
        raise Problem(
            "too_many_webhooks",
            f"{MAX_ACTIVE} webhooks are active, which is the maximum. Deactivate or delete one first.",
        )


# Adding deliveries of events


def is_enabled(db):
    """Return whether the feature and the plan tier allow webhooks.

    Events that happen while they do not are delivered when they do again.
    """
    return bool(db.value(sql.is_on))


def fan_out(db, stopping):
    """Add the deliveries of new events, in at most BATCHES transactions.

    Return True if more events remain.
    """
    behind = db.one(sql.behind)
    if behind["after"] is None:
        return False
    newest = behind["newest"] or 0
    end = min(newest, behind["after"] + BATCH * BATCHES)
    for after in range(behind["after"], end, BATCH):
        if stopping():
            break
        with db.write():
            _add_deliveries(db, after, min(after + BATCH, end))
    return end < newest


def with_due_deliveries(db):
    """Return the ids of webhooks with a delivery that is due or was interrupted, and that no worker
    delivers to now.
    """
    return db.values(sql.with_work, now=times.now())


def add_deliveries(db, id):
    """Add the deliveries of all events so far for one webhook, inside a write transaction.

    Call this before the webhook changes, so that its old settings apply to these events.
    """
    behind = db.one(sql.behind)
    if behind["after"] is not None and behind["newest"]:
        _add_deliveries(db, behind["after"], behind["newest"], webhook_id=id)


def _add_deliveries(db, after, until, **one):
    """Add the deliveries of the events with ids greater than `after`, up to `until`.

    `one` may hold a `webhook_id`.

    Of each record, only the first open delivery to a webhook may be sent. Later ones wait for it.
    """
    last = db.value(sql.last_delivery)
    given = frozenset(one)
    added = db.run(sql.fan_out, given, after=after, until=until, now=db.now, **one)
    if added:
        db.run(sql.release_first, after=last, now=db.now)
    db.run(sql.looked_at, given, until=until, **one)


def add_test(db, webhook):
    """Add an event `webhook.tested` for this webhook, whatever it subscribes to, and return its
    delivery.

    Raise 409 `webhook_inactive`.
    """
    if not webhook["is_active"]:
        raise Problem(
            "webhook_inactive",
            f"The webhook {webhook['name']} is inactive, so it receives nothing. "
            "Set `is_active` to true first.",
        )
    outgoing_id = journal.acted(db, entities.WEBHOOK, "tested", webhook)
    add_deliveries(db, webhook["id"])  # adds this delivery if the webhook subscribes to the event
    id = db.value(sql.delivery_of, webhook_id=webhook["id"], outgoing_id=outgoing_id)
    if id is None:
        last = db.value(sql.last_delivery)
        id = db.insert(sql.add_test, webhook_id=webhook["id"], outgoing_id=outgoing_id, now=db.now)
        db.run(sql.release_first, after=last, now=db.now)
    return get_delivery(db, webhook["id"], id)


def get_delivery(db, webhook_id, id):
    """Return the delivery of this webhook, or None."""
    row = db.one(sql.delivery, webhook_id=webhook_id, id=id)
    if row is None:
        return None
    return represent_delivery(row)


def deactivate(db, id, *, why, needs_attention):
    """Deactivate a webhook whose receiver refuses or fails.

    With `needs_attention`, create a task for the owner of its API key.
    """
    old = get(db, id)
    db.run(sql.switch_off, id=id, now=db.now)
    journal.updated(db, entities.WEBHOOK, old, get(db, id), action="disabled")
    if not needs_attention:
        return

    owner = db.one(sql.owner, id=id)
    tasks.add(
        db,
        {
            "title": f"Webhook {old['name']} was deactivated"[:255],
            "description": why,
            "status": "pending",
            "priority": "high",
            "due_date": None,
            "due_at": None,
            "assigned_to": owner["admin_id"] if owner["is_active"] else None,
            "entity_type": None,
            "entity_id": None,
            "event_id": None,
            "created_by": owner["admin_id"],
            "completed_at": None,
            "completed_by": None,
        },
    )


# Upkeep


def backlog(db):
    """Return `{deliveries, oldest, unseen, states}`.

    These are the number of open deliveries, the age of the oldest in seconds or None, the number of
    events whose deliveries have not been added yet, and the numbers of webhooks by state.
    """
    waiting = db.one(sql.waiting)
    behind = db.one(sql.behind)
    oldest = None
    if waiting["first_event"]:
        event_at = db.value(sql.event_at, id=waiting["first_event"])
        if event_at:
            oldest = max(0, times.unix(times.now()) - times.unix(event_at))
    unseen = 0
    if behind["after"] is not None:
        unseen = max(0, (behind["newest"] or 0) - behind["after"])
    return {
        "deliveries": waiting["deliveries"],
        "unseen": unseen,
        "states": db.one(sql.states),
        "oldest": oldest,
    }


def bring_forward(db, latest):
    """Make deliveries due whose next attempt is later than the timestamp `latest`.

    Return their number.
    """
    return db.run(sql.bring_forward, now=db.now, latest=latest)


def check(db):
    """Yield a sentence for each webhook with overdue deliveries, for `eventapi check`.

    Probably no worker runs.
    """
    if not is_enabled(db):
        return
    before = times.text(datetime.now(timezone.utc) - STUCK)
    for row in db.all(sql.stuck, before=before):
        yield (
            f"{row['deliveries']} deliveries of webhook {row['webhook_id']} are stuck, the oldest since "
            f"{row['oldest']}: check that the worker runs"
        )


def delete_old_deliveries(db, size):
    """Delete at most `size` deliveries that are older than KEPT, in a transaction.

    Return their number.
    """
    before = times.text(datetime.now(timezone.utc) - KEPT)
    with db.write():
        return db.run(sql.forget_deliveries, before=before, size=size)
