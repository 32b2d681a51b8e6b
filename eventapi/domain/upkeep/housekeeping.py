"""What is cleared away when its time is over. Each call is one bounded transaction and says how much it removed."""
import time
from datetime import datetime, timedelta, timezone
from itertools import takewhile

from eventapi import journal, times
from eventapi.domain.events import calendar_feed
from eventapi.domain.mail import queue as mails
from eventapi.domain.records import entities
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("housekeeping")

PIECE = 1000                             # rows a transaction, so that no request waits long
IDEMPOTENCY_KEYS = timedelta(hours=24)
EVENTS = timedelta(days=30)
REJECTED = timedelta(days=30)
STRAY = 24 * 3600


def ago(age):
    return times.text(datetime.now(timezone.utc) - age)


def forget_idempotency_keys(db):
    return _in_a_write(db, sql.forget_idempotency_keys, IDEMPOTENCY_KEYS)


def forget_events(db):
    """Events that the feed need not show any more."""
    return _in_a_write(db, sql.forget_events, EVENTS)


def forget_deliveries(db):
    """Deliveries of webhooks, once their events are gone."""
    return webhooks.forget_deliveries(db, PIECE)


def forget_mails(db):
    """What was sent, or not, long ago."""
    return mails.forget(db, PIECE)


def forget_rejected_records(db):
    """Records that a bulk import rejected so long ago that nobody will correct them any more."""
    return _in_a_write(db, sql.forget_rejected_records, REJECTED)


def forget_calendar_entries(db):
    """Entries that were cancelled so long ago that every calendar has read of it."""
    return _in_a_write(db, sql.forget_calendar_entries, calendar_feed.CANCELLED)


def _in_a_write(db, statement, age):
    before = ago(age)
    with db.write():
        return db.run(statement, before=before, size=PIECE)


def prune_audit_log(db):
    """Removes the oldest audit entries after audit_years; an anchor stays, from which the chain goes on."""
    before = _years_ago(db.config.audit_years)
    with db.write():
        old = list(takewhile(lambda entry: entry["created_at"] < before, db.all(sql.first_entries, size=PIECE)))
        if old:
            last = old[-1]
            db.insert(sql.anchor, last_id=last["id"], hash=last["hash"], now=db.now)
            db.run(sql.forget_entries, last_id=last["id"])
            db.run(sql.forget_anchors, last_id=last["id"])
            journal.administered(db, entities.AUDIT_LOG, "pruned",
                                 new={"first_id": old[0]["id"], "last_id": last["id"]})
    return len(old)


def _years_ago(years):
    now = datetime.now(timezone.utc)
    return times.text(now.replace(year=now.year - years, day=min(now.day, 28)))     # 29 February has no anniversary


def used_files(db):
    """The sha256 of every stored file that a record names."""
    return set(db.values(sql.used_files))


def sweep_files(db):
    """Removes files that no record has named for a day: what a crash left behind. The write lock is taken only when there are any."""
    used = used_files(db)
    strays = [sha256 for sha256, _, changed in files.all_stored(db.config)
              if sha256 not in used and changed < time.time() - STRAY]
    strays += [file for file, changed in files.unfinished(db.config) if changed < time.time() - STRAY]
    if not strays:
        return 0
    with db.write():
        return files.sweep(db.config, used_files(db), STRAY)


def sign(db):
    """The worker's sign of life."""
    with db.write():
        db.run(sql.sign, now=db.now)


def worker_age(db):
    """Seconds since the worker's last sign, or None where there was none."""
    seen = db.value(sql.last_sign)
    return None if seen is None else max(0, times.unix(times.now()) - times.unix(seen))
