"""Webhooks: new events become deliveries, and each webhook that has some due gets a thread of its own.

There are no more threads than webhooks may be active, so that however many receivers hang, no other waits for them.
"""
import logging
import secrets
import time
from threading import Thread

from eventapi.db import Database
from eventapi.services import deliveries, webhooks

EVERY = 1
ON_CHANGE = True
log = logging.getLogger("eventapi.worker.webhooks")
sending = {}                 # (database, webhook) -> its thread


def run(db, stopping):
    for key in [key for key, thread in sending.items() if not thread.is_alive()]:
        del sending[key]
    if not webhooks.is_on(db):
        return
    webhooks.fan_out(db, stopping)
    for id in webhooks.with_work(db):
        key = db.path, id
        if key not in sending and not stopping():
            sending[key] = Thread(target=deliver, args=(db.config, id, stopping), daemon=True, name=f"webhook {id}")
            sending[key].start()


def finish(patience=None):
    """Waits for what is on its way: so many seconds, or to the end. A thread that is cut off leaves its lease to run out."""
    deadline = None if patience is None else time.monotonic() + patience
    for thread in list(sending.values()):
        thread.join(None if deadline is None else max(0, deadline - time.monotonic()))


def deliver(config, id, stopping):
    """Delivers to one webhook until nothing is due."""
    lease, done = secrets.token_hex(8), None
    try:
        db = Database(config)
        try:
            while delivery := deliveries.step(db, id, lease, done, more=not stopping()):
                done = delivery, deliveries.send(delivery, config)
        finally:
            db.close()
    except Exception:
        log.exception("delivering to webhook %s was cut off; it goes on when the lease has run out", id)
