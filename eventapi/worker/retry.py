"""Retry a step while the database is busy. The outcome of a delivery must be stored, or the message would be sent a second time."""
import logging
import time

from eventapi.storage.errors import Busy

NAP = 0.5
TRIES = 10
log = logging.getLogger("eventapi.worker.retry")


def patiently(step, *args, **words):
    """Return `step(*args, **words)`. Retry it every NAP seconds while it raises Busy, at most TRIES times; then raise Busy."""
    for _ in range(TRIES - 1):
        try:
            return step(*args, **words)
        except Busy as busy:
            log.info("waiting to store the result of a delivery: %s", busy)
            time.sleep(NAP)
    return step(*args, **words)
