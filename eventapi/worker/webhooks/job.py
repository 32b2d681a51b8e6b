"""The webhook job: add deliveries for new events, and start a thread for each webhook with
deliveries that are due.

There is at most one thread for each active webhook, so that a slow receiver delays no other.
"""

import logging
import secrets
import time
from threading import Thread

from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage.database import Database
from eventapi.storage.errors import Busy
from eventapi.worker.retry import retry_while_busy
from eventapi.worker.webhooks import delivery as webhook_delivery

EVERY = 1
ON_CHANGE = True
log = logging.getLogger("eventapi.worker.webhooks")
sending = {}  # (database, webhook id) -> the thread, its lease, and the configuration
failed = set()  # databases with a thread that ended with an unexpected error


def run(db, stopping):
    """Add deliveries and start threads. Return true if there are events left for the next round."""
    for key in [key for key, (thread, *_) in sending.items() if not thread.is_alive()]:
        del sending[key]
    if not any(path == db.path for path, _ in sending):
        failed.discard(db.path)
    if not webhooks.is_enabled(db):
        return False
    is_more = webhooks.fan_out(db, stopping)
    for id in webhooks.with_due_deliveries(db):
        key = db.path, id
        if key not in sending and not stopping():
            lease = secrets.token_hex(8)
            thread = Thread(
                target=deliver,
                args=(db.config, id, lease, stopping),
                daemon=True,
                name=f"webhook {id}",
            )
            sending[key] = thread, lease, db.config
            thread.start()
    return is_more


def finish(patience=None):
    """Wait for the threads, at most `patience` seconds.

    The next worker repeats the deliveries that have not ended by then.
    """
    deadline = None if patience is None else time.monotonic() + patience
    for (_, id), (thread, lease, config) in list(sending.items()):
        thread.join(None if deadline is None else max(0, deadline - time.monotonic()))
        if thread.is_alive():
            db = Database(config)
            webhook_delivery.give_back(db, id, lease)
            db.close()


def deliver(config, id, lease, stopping):
    """Deliver to one webhook until nothing is due."""
    done = None
    try:
        db = Database(config)
        try:
            while delivery := retry_while_busy(
                webhook_delivery.step, db, id, lease, done, more=not stopping()
            ):
                done = delivery, webhook_delivery.send(delivery, config)
        finally:
            db.close()
    except Busy as busy:
        log.warning(
            "delivering to webhook %s is postponed until the lease has expired: %s", id, busy
        )
    except Exception:
        failed.add(config.database)
        log.exception(
            "delivering to webhook %s failed; it continues when the lease has expired", id
        )
