"""Housekeeping: delete what has expired and belongs to no subject, remove unused files, and watch
the clock.

What belongs to a subject is in `forgets` of its `subject.py`.
"""

import time
from datetime import datetime, timedelta, timezone
from itertools import takewhile

from eventapi import journal, times
from eventapi.domain.mail import queue as mails
from eventapi.domain.records import entities
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("housekeeping")

BATCH = 500  # rows per transaction, so that no request waits long
IDEMPOTENCY_KEYS = timedelta(hours=24)
EVENTS = timedelta(days=30)
# longer than any wait for the next attempt of a mail or delivery
LONGEST_WAIT = timedelta(hours=25)
UNUSED = 24 * 3600  # seconds after which a file that no record names is deleted


def delete_old_idempotency_keys(db):
    """Delete the responses stored for `Idempotency-Key` after a day."""
    return _delete_older(db, sql.delete_old_idempotency_keys, IDEMPOTENCY_KEYS)


def delete_old_events(db):
    """Delete outgoing events after 30 days. The event feed lists them until then."""
    return _delete_older(db, sql.delete_old_events, EVENTS)


def _delete_older(db, statement, age):
    """Run a statement that deletes rows older than `age`, in a transaction. Return their number."""
    before = times.after(times.now(), -age)
    with db.write():
        return db.run(statement, before=before, size=BATCH)


def prune_audit_log(db):
    """Delete the oldest audit entries after `audit_years`.

    An anchor stays, from which the hash chain continues.
    """
    before = _years_ago(db.config.audit_years)
    with db.write():
        old = list(
            takewhile(
                lambda entry: entry["created_at"] < before, db.all(sql.first_entries, size=BATCH)
            )
        )
        if old:
            last = old[-1]
            db.insert(sql.anchor, last_id=last["id"], hash=last["hash"], now=db.now)
            db.run(sql.delete_entries, last_id=last["id"])
            db.run(sql.delete_anchors, last_id=last["id"])
            journal.administered(
                db,
                entities.AUDIT_LOG,
                "pruned",
                new={"first_id": old[0]["id"], "last_id": last["id"]},
            )
    return len(old)


def _years_ago(years):
    """Return the timestamp this many years ago.

    Days after the 28th become the 28th: 29 February may not exist.
    """
    now = datetime.now(timezone.utc)
    return times.text(now.replace(year=now.year - years, day=min(now.day, 28)))


def used_files(db):
    """Return the set of SHA-256 hashes of the stored files that records name."""
    return set(db.values(sql.used_files))


def sweep_files(db):
    """Delete files that no record has named for a day, such as those that a crash has left.

    Return their number.

    The write lock is taken only if there are such files.
    """
    used = used_files(db)
    before = time.time() - UNUSED
    unused = [
        sha256
        for sha256, _, changed in files.all_stored(db.config)
        if sha256 not in used and changed < before
    ]
    unused += [file for file, changed in files.unfinished(db.config) if changed < before]
    if not unused:
        return 0
    with db.write():
        return files.sweep(db.config, used_files(db), UNUSED)


def bring_retries_forward(db):
    """Make due what was scheduled while the clock was ahead.

    Return the number of mails and deliveries.
    """
    with db.write():
        latest = times.after(db.now, LONGEST_WAIT)
        return mails.bring_forward(db, latest) + webhooks.bring_forward(db, latest)


def has_jumped_ahead(db):
    """Return whether the clock went more than ten days ahead between two heartbeats, less than a
    day ago.

    It may be wrong then, and what housekeeping deletes does not come back. Record a heartbeat
    first, in a transaction.
    """
    record_heartbeat(db)
    return jumped_ahead(db)


def jumped_ahead(db):
    """Return whether `has_jumped_ahead` returned true for the last heartbeat, and a day has not
    passed since then.
    """
    return db.value(sql.jumped_ahead, now=times.now()) is not None


def clock_behind(db):
    """Return how many seconds the clock is behind the latest stamp that was stored, or 0."""
    return max(0, times.unix(db.value(statements("stamps").last)) - times.unix(times.now()))


def record_heartbeat(db):
    """Store the time at which the worker was running, in a transaction."""
    with db.write():
        db.run(sql.record_heartbeat, now=db.now)


def worker_age(db):
    """Return the seconds since the last heartbeat of the worker, or None if there was none."""
    seen = db.value(sql.last_heartbeat)
    return None if seen is None else max(0, times.unix(times.now()) - times.unix(seen))
