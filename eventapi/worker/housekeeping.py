"""Housekeeping: delete what is kept no longer, in pieces, so that no request waits long for the
write lock.
"""

import logging
from functools import partial

from eventapi.domain.privacy import erasing, remnants
from eventapi.domain.subjects import SUBJECTS
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import maintenance, process_locks

EVERY = 600
ON_CHANGE = False
log = logging.getLogger("eventapi.worker.housekeeping")


def run(db, stopping):
    """Delete piece by piece until nothing is left, then remove unused files and folders.

    Delete nothing on the first day after the clock has jumped ahead.
    """
    housekeeping.bring_retries_forward(db)
    if housekeeping.has_jumped_ahead(db):
        log.warning(
            "the clock went ahead by more than ten days since the worker ran before. Check it. Nothing is "
            "deleted until it has shown such times for a day"
        )
        return
    for piece in pieces():
        while not stopping() and piece(db):
            pass
    remnants.erase(db, stopping)
    if not stopping():
        housekeeping.sweep_files(db)
        process_locks.remove_scratch(db.config)
        maintenance.checkpoint(db)


def pieces():
    """Return functions of a database. Each deletes a bounded number of rows, and returns it."""
    forgets = [forget for subject in SUBJECTS for forget in subject.forgets]
    return (
        housekeeping.delete_old_idempotency_keys,
        housekeeping.delete_old_events,
        *(partial(forget, size=housekeeping.BATCH) for forget in forgets),
        housekeeping.prune_audit_log,
        erasing.end_retention,
    )
