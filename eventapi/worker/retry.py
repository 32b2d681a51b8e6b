"""Retry a step while the database is busy.

The outcome of a delivery must be stored, or the message would be sent a second time.
"""

import logging
import time

from eventapi.storage.errors import Busy

NAP = 0.5  # seconds between two attempts
ATTEMPTS = 10
log = logging.getLogger("eventapi.worker.retry")


def retry_while_busy(step, *args, **options):
    """Return `step(*args, **options)`.

    Repeat it while it raises Busy, at most ATTEMPTS times; then raise Busy.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return step(*args, **options)
        except Busy as busy:
            log.info("waiting to store the result of a delivery: %s", busy)
            time.sleep(NAP)
    return step(*args, **options)
