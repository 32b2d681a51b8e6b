"""Housekeeping: what is over is cleared away, in pieces, so that no request waits long."""
from eventapi.services import housekeeping

EVERY = 600
ON_CHANGE = False

PIECES = (housekeeping.forget_idempotency_keys, housekeeping.forget_events, housekeeping.prune_audit_log)


def run(db, stopping):
    for piece in PIECES:
        while not stopping() and piece(db) == housekeeping.PIECE:
            pass
    if not stopping():
        housekeeping.sweep_files(db)
        db.tend()
