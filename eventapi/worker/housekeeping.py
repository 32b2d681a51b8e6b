"""Housekeeping: delete what is kept no longer, in pieces, so that no request waits long for the write lock."""
from eventapi.domain.people import privacy
from eventapi.domain.upkeep import housekeeping

EVERY = 600
ON_CHANGE = False

# Each deletes one bounded piece and returns the number of deleted rows.
PIECES = (housekeeping.forget_idempotency_keys, housekeeping.forget_events, housekeeping.forget_deliveries,
          housekeeping.forget_calendar_entries, housekeeping.forget_rejected_records, housekeeping.forget_mails,
          housekeeping.prune_audit_log, privacy.end_retention, privacy.rewrite_file)


def run(db, stopping):
    """Delete piece by piece until nothing is left, then sweep the file store and optimise the database."""
    for piece in PIECES:
        while not stopping() and piece(db):
            pass
    if not stopping():
        housekeeping.sweep_files(db)
        db.optimize()
