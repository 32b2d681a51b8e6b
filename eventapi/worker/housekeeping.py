"""Housekeeping: delete what is kept no longer, in pieces, so that no request waits long for the
write lock.
"""

import logging

from eventapi.domain.people import privacy, remnants
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import maintenance, process_locks

EVERY = 600
ON_CHANGE = False
log = logging.getLogger("eventapi.worker.housekeeping")

# Each deletes one bounded piece and returns the number of deleted rows.
PIECES = (
    housekeeping.delete_old_idempotency_keys,
    housekeeping.delete_old_events,
    housekeeping.delete_old_deliveries,
    housekeeping.delete_old_calendar_entries,
    housekeeping.delete_old_rejected_records,
    housekeeping.delete_old_mails,
    housekeeping.delete_old_drafts,
    housekeeping.delete_old_links,
    housekeeping.forget_former_addresses,
    housekeeping.prune_audit_log,
    housekeeping.erase_old_transfers,
    privacy.end_retention,
)


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
    for piece in PIECES:
        while not stopping() and piece(db):
            pass
    remnants.erase(db, stopping)
    if not stopping():
        housekeeping.sweep_files(db)
        process_locks.remove_scratch(db.config)
        maintenance.checkpoint(db)
