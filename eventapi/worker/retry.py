"""Patience with those who write long: what was sent must be written down, or it would be sent again, or nobody would know."""
import logging
import time

from eventapi.errors import Problem

NAP = 0.5
TRIES = 10
log = logging.getLogger("eventapi.worker.retry")


def patiently(step, *args, **words):
    """What `step` gives; where the database is busy it is tried for a while."""
    for _ in range(TRIES - 1):
        try:
            return step(*args, **words)
        except Problem as busy:
            log.info("waiting to store the result of a delivery: %s", busy.detail)
            time.sleep(NAP)
    return step(*args, **words)
