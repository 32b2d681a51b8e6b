"""Housekeeping: what is over is cleared away, in pieces, so that no request waits long."""
from eventapi.domain.people import privacy
from eventapi.domain.upkeep import housekeeping

EVERY = 600
ON_CHANGE = False

# Each does a bounded piece and says how much that was.
PIECES = (housekeeping.forget_idempotency_keys, housekeeping.forget_events, housekeeping.forget_deliveries, housekeeping.forget_calendar_entries, housekeeping.forget_rejected_records,
          housekeeping.forget_mails, housekeeping.prune_audit_log, privacy.finish_due, privacy.rewrite_file)


def run(db, stopping):
    for piece in PIECES:
        while not stopping() and piece(db):
            pass
    if not stopping():
        housekeeping.sweep_files(db)
        db.optimize()
