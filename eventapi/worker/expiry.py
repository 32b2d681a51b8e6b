"""Expiry: holds of booths that have run out end, and the booths are offered to those who wait for them."""
from eventapi.domain.halls import booking

EVERY = 5
ON_CHANGE = False
PIECE = 50                   # holds a transaction, so that no request waits long


def run(db, stopping):
    while not stopping() and booking.expire_due(db, PIECE):
        pass
