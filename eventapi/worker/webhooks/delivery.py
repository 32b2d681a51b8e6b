"""Deliveries: one attempt after the other. Taken and settled in transactions, sent between them.

A lease says who delivers to a webhook, so that only one delivery is on its way to it at a time. Whoever dies leaves
the lease to run out; what was on its way then is sent again.
"""
import json
import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from eventapi import __version__, times
from eventapi.domain.webhooks import addresses, signatures
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage.statements import statements
from eventapi.worker.webhooks import http_post

sql = statements("webhooks")
log = logging.getLogger("eventapi.deliveries")

# Seconds until the next attempt, after each that failed.
AGAIN_AFTER = (5, 60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
PATIENCE = timedelta(days=5)
GONE = 410


@dataclass
class Outcome:
    """What came of an attempt: the status that was answered, or the error.

    `was_asked` is false when nothing was sent, for good.
    """
    status: int = None
    error: str = None
    duration_ms: int = None
    was_asked: bool = True

    @property
    def is_success(self):
        return self.status is not None and 200 <= self.status < 300


def step(db, webhook_id, lease, done=None, more=True):
    """Settles what is `done`, a (delivery, outcome), and takes the next delivery that is due;

    None gives the webhook free.
    """
    with db.write():
        if done:
            _settle(db, lease, *done)
        if not db.run(sql.take_lease, id=webhook_id, lease=lease, now=db.now):
            db.run(sql.give_lease_back, id=webhook_id, lease=lease)
            return None                             # switched off, or somebody else's by now
        if not done:
            db.run(sql.cut_off, id=webhook_id, now=db.now)
        delivery = db.one(sql.due, id=webhook_id, now=db.now) if more else None
        if delivery:
            db.run(sql.delivering, id=delivery["id"], now=db.now)
        else:
            db.run(sql.give_lease_back, id=webhook_id, lease=lease)
        return delivery


def give_back(db, webhook_id, lease):
    """Lets others send at once what this one has not settled."""
    with db.write():
        if db.run(sql.give_lease_back, id=webhook_id, lease=lease):
            db.run(sql.cut_off, id=webhook_id, now=db.now)


def send(delivery, config):
    """One attempt. Takes as long as timeout_seconds, and no lock."""
    if not delivery["is_kept"]:
        return Outcome(error="the event is no longer stored", was_asked=False)
    if not delivery["is_allowed"]:
        return Outcome(error="the API key of the webhook no longer has the scope for this event", was_asked=False)
    body = webhooks.message(delivery["event_name"], delivery["event_at"], delivery["data"])
    began = time.monotonic()
    outcome = Outcome()
    try:
        outcome.status = http_post.post(delivery["url"], body, headers(delivery, body), seconds=delivery["timeout_seconds"],
                                      allowed=config.webhook_allowed_networks)
        outcome.error = None if outcome.is_success else f"answered {outcome.status}"
    except http_post.Failed as failed:
        outcome.error = str(failed)
    except addresses.Refused as refused:
        outcome.error = f"the url {refused}"
    except Exception:
        log.exception("delivery %s failed with an unexpected error", delivery["id"])
        outcome.error = "could not be sent; the log of the worker says why"
    outcome.duration_ms = round((time.monotonic() - began) * 1000)
    return outcome


def headers(delivery, body):
    keys = [key for key in (delivery["secret"], delivery["previous_secret"]) if key]
    message_id = webhooks.message_id(delivery["outgoing_id"], delivery["event_at"])
    return {"User-Agent": f"eventapi/{__version__}", **json.loads(delivery["headers"]), "Content-Type": "application/json",
            **signatures.headers(message_id, int(time.time()), body, keys)}


def _settle(db, lease, delivery, outcome):
    """Writes down what came of an attempt, unless the lease ran out meanwhile: then whoever has it now sends it again."""
    held = db.one(sql.holds_lease, id=delivery["webhook_id"], lease=lease, delivery_id=delivery["id"])
    if not held:
        return
    status, again = _following(db, delivery, outcome)
    db.run(sql.attempted, id=delivery["id"], status=status, next_attempt_at=again, response_status=outcome.status, error=outcome.error,
           duration_ms=outcome.duration_ms, now=db.now)
    if status != "pending":
        db.run(sql.release_next, now=db.now, **{name: delivery[name] for name in ("webhook_id", "entity_type", "entity_id")})
    if outcome.is_success:
        db.run(sql.succeeded, id=delivery["webhook_id"], now=db.now)
    elif outcome.was_asked:
        _failed(db, delivery, outcome, held["failing_since"])


def _following(db, delivery, outcome):
    """(status, next_attempt_at) after an attempt."""
    if outcome.is_success:
        return "delivered", None
    failures = delivery["attempts"] + 1
    if not outcome.was_asked or outcome.status == GONE or failures > min(delivery["retry_count"], len(AGAIN_AFTER)):
        return "failed", None
    return "pending", times.text(datetime.fromisoformat(db.now) + timedelta(seconds=AGAIN_AFTER[failures - 1]))


def _failed(db, delivery, outcome, failing_since):
    db.run(sql.failed, id=delivery["webhook_id"], now=db.now)
    if outcome.status == GONE:
        webhooks.switch_off(db, delivery["webhook_id"], why="Its receiver answered 410: it is gone.", needs_attention=False)
    elif failing_since and failing_since <= times.text(datetime.fromisoformat(db.now) - PATIENCE):
        webhooks.switch_off(db, delivery["webhook_id"], needs_attention=True, why=f"Every attempt to reach {addresses.parsed(delivery['url']).host} failed since "
                            f"{failing_since}; the last time: {outcome.error}. What was not delivered waits until the webhook is active again.")
