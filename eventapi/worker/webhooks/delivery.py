"""Deliveries of a webhook, one attempt after the other.

One transaction takes a delivery; the next one stores its outcome.

The thread that delivers to a webhook holds its lease, so that only one delivery to it is sent at a
time. If the process dies, the lease expires, and the delivery that was being sent is sent again.
"""

import json
import logging
import time
from dataclasses import dataclass
from datetime import timedelta

from eventapi import __version__, times
from eventapi.domain.webhooks import addresses, subscriptions
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.worker.webhooks import http_post

sql = statements("webhooks")
log = logging.getLogger("eventapi.deliveries")

# Seconds until the next attempt, after each that failed.
AGAIN_AFTER = (
    5,
    60,
    5 * 60,
    30 * 60,
    2 * 3600,
    5 * 3600,
    10 * 3600,
    14 * 3600,
    20 * 3600,
    24 * 3600,
)
PATIENCE = timedelta(days=5)  # a webhook that fails for so long is deactivated
GONE = 410
SHOWN = 10  # attempts that a delivery keeps


@dataclass
class Outcome:
    """Result of an attempt: the status of the response, or the error.

    `was_sent` is false if the delivery can never be sent. Such a failure does not count against the
    webhook.
    """

    status: int | None = None
    error: str | None = None
    duration_ms: int | None = None
    was_sent: bool = True

    @property
    def is_success(self):
        return self.status is not None and 200 <= self.status < 300


def step(db, webhook_id, lease, done=None, more=True):
    """Store the outcome of `done`, a (delivery, Outcome), and return the next delivery that is due.

    Return None, and give up the lease, if none is due, if `more` is false, or if the lease has been
    lost.
    """
    with db.write():
        if done:
            _settle(db, lease, *done)
        if not db.run(sql.take_lease, id=webhook_id, lease=lease, now=db.now):
            db.run(sql.give_lease_back, id=webhook_id, lease=lease)
            return None  # deactivated, or another worker has the lease
        if not done:
            db.run(sql.cut_off, id=webhook_id, now=db.now)
        delivery = db.one(sql.due, id=webhook_id, now=db.now) if more else None
        if delivery:
            db.run(sql.delivering, id=delivery["id"], now=db.now)
            delivery["attempted_at"] = db.now
        else:
            db.run(sql.give_lease_back, id=webhook_id, lease=lease)
        return delivery


def give_back(db, webhook_id, lease):
    """Give up the lease, so that another worker sends the unsettled delivery at once."""
    with db.write():
        if db.run(sql.give_lease_back, id=webhook_id, lease=lease):
            db.run(sql.cut_off, id=webhook_id, now=db.now)


def send(delivery, config):
    """Make one attempt and return its Outcome.

    It takes at most `timeout_seconds`, and holds no lock.
    """
    if not delivery["is_kept"]:
        return Outcome(error="the event is no longer stored", was_sent=False)
    if not delivery["is_allowed"]:
        return Outcome(
            error="the API key of the webhook no longer has the scope for this event",
            was_sent=False,
        )
    body = webhooks.message(delivery["event_name"], delivery["event_at"], delivery["data"])
    began = time.monotonic()
    outcome = Outcome()
    try:
        outcome.status = http_post.post(
            delivery["url"],
            body,
            headers(delivery, body),
            seconds=delivery["timeout_seconds"],
            allowed=config.webhook_allowed_networks,
        )
        outcome.error = (
            None if outcome.is_success else f"the receiver responded with status {outcome.status}"
        )
    except http_post.Failed as failed:
        outcome.error = str(failed)
    except addresses.Refused as refused:
        outcome.error = f"the url {refused}"
    except Exception:
        log.exception("delivery %s failed with an unexpected error", delivery["id"])
        outcome.error = "the delivery could not be sent; the log of the worker has the details"
    outcome.duration_ms = round((time.monotonic() - began) * 1000)
    return outcome


def headers(delivery, body):
    """Return the headers of a delivery: those of the webhook, and signatures with its current and
    previous secret.
    """
    keys = [key for key in (delivery["secret"], delivery["previous_secret"]) if key]
    message_id = webhooks.message_id(delivery["outgoing_id"], delivery["event_at"])
    return {
        "User-Agent": f"eventapi/{__version__}",
        **json.loads(delivery["headers"]),
        "Content-Type": "application/json",
        **subscriptions.headers(message_id, int(time.time()), body, keys),
    }


def _settle(db, lease, delivery, outcome):
    """Store the outcome of an attempt, unless the lease has expired: its new holder then repeats
    the delivery.
    """
    held = db.one(
        sql.holds_lease, id=delivery["webhook_id"], lease=lease, delivery_id=delivery["id"]
    )
    if not held:
        return
    status, failures, again = _following(db, delivery, outcome, held["redelivery_requested"])
    seen = {
        "response_status": outcome.status,
        "error": outcome.error,
        "duration_ms": outcome.duration_ms,
    }
    attempts = [*json.loads(held["attempts"]), {"attempted_at": delivery["attempted_at"], **seen}]
    db.run(
        sql.attempted,
        id=delivery["id"],
        status=status,
        failures=failures,
        next_attempt_at=again,
        attempts=as_json(attempts[-SHOWN:]),
        now=db.now,
        **seen,
    )
    if status == "pending":
        # an earlier delivery of the record may have been requested again meanwhile
        db.run(sql.hold_back, **webhooks.same_record(delivery))
    else:
        db.run(sql.release_next, now=db.now, **webhooks.same_record(delivery))
    if outcome.is_success:
        db.run(sql.succeeded, id=delivery["webhook_id"], now=db.now)
    elif outcome.was_sent:
        _failed(db, delivery, outcome, held["failing_since"])


def _following(db, delivery, outcome, is_requested):
    """Return (status, failures, next_attempt_at) of the delivery after an attempt.

    `failures` counts the failed attempts since the delivery was last requested. `is_requested`: a
    redelivery was requested during the attempt, so another attempt follows at once, whatever the
    outcome.
    """
    if is_requested:
        return "pending", 0, db.now
    if outcome.is_success:
        return "delivered", delivery["failures"], None
    failures = delivery["failures"] + 1
    if (
        not outcome.was_sent
        or outcome.status == GONE
        or failures > min(delivery["retry_count"], len(AGAIN_AFTER))
    ):
        return "failed", failures, None
    wait = timedelta(seconds=AGAIN_AFTER[failures - 1])
    return "pending", failures, times.after(db.now, wait)


def _failed(db, delivery, outcome, failing_since):
    db.run(sql.failed, id=delivery["webhook_id"], now=db.now)
    if outcome.status == GONE:
        webhooks.deactivate(
            db,
            delivery["webhook_id"],
            needs_attention=False,
            why="The receiver responded with status 410 (Gone).",
        )
    elif failing_since and failing_since <= times.after(db.now, -PATIENCE):
        host = addresses.parse(delivery["url"]).host
        why = (
            f"Every attempt to reach {host} has failed since {failing_since}. The last error: {outcome.error}. "
            "Undelivered events wait until the webhook is active again."
        )
        webhooks.deactivate(db, delivery["webhook_id"], needs_attention=True, why=why)
