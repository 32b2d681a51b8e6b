"""What an anonymisation leaves in the database file, erased in the night, in pieces that hold the
write lock briefly.

Three things are left. A full-text index drops deleted words only when its parts are merged. A free
page keeps its content until it is filled again. A page that SQLite has divided keeps copies of the
rows that moved to the other page; only rewriting the file removes these, and nobody can write
meanwhile. So the worker rewrites only files that take about a second. `eventapi vacuum` rewrites a
larger one.
"""

from contextlib import contextmanager
from datetime import datetime

from eventapi import times
from eventapi.storage import maintenance
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("privacy")

NIGHT = range(2, 5)  # hours in the tenant's time zone
PAGES = 32  # pages of a search index that one transaction merges
ZEROS = 250_000  # bytes of free pages that one transaction overwrites
LARGEST_REWRITE = 100_000_000  # bytes of a file that the worker rewrites
INDEXES = (
    sql.merge_contacts,
    sql.merge_participants,
    sql.merge_applications,
    sql.merge_tasks,
    sql.merge_newsletter,
    sql.merge_invoices,
    sql.merge_payments,
)


def erase(db, stopping=lambda: False):
    """Erase what anonymisations have left, if it is night.

    Return whether anything was done. For the worker.

    If `stopping()` becomes true or the process is killed, the next call begins again.
    """
    anonymized = db.values(sql.with_remnants)
    if not anonymized or datetime.now(times.zone(db.config.timezone)).hour not in NIGHT:
        return False
    words = db.values(sql.with_words)
    is_small = db.value(sql.file_size) <= LARGEST_REWRITE
    if words:
        _erase_words(db, words, stopping)
    if is_small and not stopping():
        rewrite(db)
    return is_small or bool(words)


def rewrite(db, report=maintenance.silent):
    """Rewrite the database file, so that nothing of deleted data is left in it.

    Writers wait meanwhile.
    """
    anonymized = db.values(sql.with_remnants)
    maintenance.vacuum(db.path, report)
    with db.write():
        db.run(sql.forget_remnants, ids=as_json(anonymized))


def waiting(db):
    """Return the number of anonymised contacts with possible remnants in the file."""
    return db.value(sql.number_with_remnants)


def _erase_words(db, contact_ids, stopping):
    """Merge the search indexes and overwrite free pages.

    Record it for the contacts, unless it was stopped.
    """
    for index in INDEXES:
        _merge(db, index, stopping)
    _overwrite_free_pages(db, stopping)
    if not stopping():
        with db.write():
            db.run(sql.forget_words, ids=as_json(contact_ids))


def _merge(db, index, stopping):
    """Merge all parts of a search index.

    The first piece begins the merging, the others continue it.
    """
    pages = -PAGES
    works = True
    while works and not stopping():
        with db.write(), overwriting(db):
            before = db.value(sql.changes)
            db.run(index, pages=pages)
            works = db.value(sql.changes) - before >= 2  # fewer: nothing was left to merge
        pages = PAGES


def _overwrite_free_pages(db, stopping):
    """Fill free pages with rows of zeros, and delete these rows, also those that a killed process
    has left.
    """
    while not stopping() and (room := db.value(sql.free_room)):
        with db.write():
            db.run(sql.fill_room, size=min(room, ZEROS))
    given_back = 1
    while given_back and not stopping():
        with (
            db.write(),
            overwriting(db),
        ):  # the last page of a row keeps old content behind the zeros
            given_back = db.run(sql.give_room_back)


@contextmanager
def overwriting(db):
    """Overwrite with zeros what is deleted meanwhile.

    Call this inside a write transaction.
    """
    db.run(sql.overwrite)
    try:
        yield
    finally:
        db.run(sql.spare)
