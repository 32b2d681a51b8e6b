"""Expiry: holds of booths that have expired are ended, and the booths are offered to the waiting
list.
"""

from eventapi.domain.halls import booking

EVERY = 5
ON_CHANGE = False
PIECE = 50  # holds per transaction, so that no request waits long for the write lock


def run(db, stopping):
    """End expired holds, PIECE at a time, until none is left."""
    while not stopping() and booking.expire_due(db, PIECE):
        pass
