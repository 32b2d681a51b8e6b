"""Webhooks: new events become deliveries, and each webhook that has some due gets a thread of its own.

There are no more threads than webhooks may be active, so that however many receivers hang, no other waits for them.
"""
import logging
import secrets
import time
from threading import Thread

from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage.database import Database
from eventapi.worker.retry import patiently
from eventapi.worker.webhooks import delivery as webhook_delivery

EVERY = 1
ON_CHANGE = True
log = logging.getLogger("eventapi.worker.webhooks")
sending = {}                 # (database, webhook) -> its thread, the lease it has, and the configuration


def run(db, stopping):
    for key in [key for key, (thread, *_) in sending.items() if not thread.is_alive()]:
        del sending[key]
    if not webhooks.is_on(db):
        return False
    is_more = webhooks.fan_out(db, stopping)
    for id in webhooks.with_work(db):
        key = db.path, id
        if key not in sending and not stopping():
            lease = secrets.token_hex(8)
            thread = Thread(target=deliver, args=(db.config, id, lease, stopping), daemon=True, name=f"webhook {id}")
            sending[key] = thread, lease, db.config
            thread.start()
    return is_more


def finish(patience=None):
    """Waits for what is on its way: so many seconds, or to the end. What is cut off is sent again by the next worker."""
    deadline = None if patience is None else time.monotonic() + patience
    for (_, id), (thread, lease, config) in list(sending.items()):
        thread.join(None if deadline is None else max(0, deadline - time.monotonic()))
        if thread.is_alive():
            db = Database(config)
            webhook_delivery.give_back(db, id, lease)
            db.close()


def deliver(config, id, lease, stopping):
    """Delivers to one webhook until nothing is due."""
    done = None
    try:
        db = Database(config)
        try:
            while delivery := patiently(webhook_delivery.step, db, id, lease, done, more=not stopping()):
                done = delivery, webhook_delivery.send(delivery, config)
        finally:
            db.close()
    except Exception:
        log.exception("delivering to webhook %s failed; it continues when the lease has expired", id)
