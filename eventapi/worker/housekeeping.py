"""Housekeeping: delete what is kept no longer, in pieces, so that no request waits long for the write lock."""
from eventapi.domain.people import privacy
from eventapi.domain.upkeep import housekeeping
from eventapi.storage import process_locks

EVERY = 600
ON_CHANGE = False

# Each deletes one bounded piece and returns the number of deleted rows.
PIECES = (housekeeping.delete_old_idempotency_keys, housekeeping.delete_old_events, housekeeping.delete_old_deliveries,
          housekeeping.delete_old_calendar_entries, housekeeping.delete_old_rejected_records,
          housekeeping.delete_old_mails, housekeeping.prune_audit_log, privacy.end_retention, privacy.rewrite_file)


def run(db, stopping):
    """Delete piece by piece until nothing is left, then remove unused files and folders, and optimise the database."""
    for piece in PIECES:
        while not stopping() and piece(db):
            pass
    if not stopping():
        housekeeping.sweep_files(db)
        process_locks.remove_scratch(db.config)
        db.optimize()
