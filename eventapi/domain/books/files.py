"""Files of closed months: what was handed to the adviser or to the tax office stays as it was.

The closing of a month keeps its recapitulative statement, and the files that subjects add (`keeps`
in records/subject.py), such as those for DATEV. A kept file is never replaced, whatever changes
later: due dates, names of customers, options. Its hash is in the audit log. It is deleted when its
retention ends.
"""

import zlib
from hashlib import sha256
from typing import NamedTuple

from eventapi import journal, times
from eventapi.domain.records import entities
from eventapi.storage.statements import statements

sql = statements("period_files")


class Packed(NamedTuple):
    """A file as it is kept: the hash and the size of its bytes, and the bytes compressed."""

    sha256: str
    size: int
    content: bytes


def packed(written):
    """Return files {name: bytes} as {name: Packed}.

    Large files take tens of milliseconds, so the closing of a month does this before other writes
    have to wait for it.
    """
    return {
        name: Packed(sha256(body).hexdigest(), len(body), zlib.compress(body))
        for name, body in written.items()
    }


def of_months(db):
    """Return {month: its files as API objects}."""
    found = {}
    for row in db.all(sql.all):
        month = row.pop("month")
        found.setdefault(month, []).append(row)
    return found


def of_month(db, month):
    """Return the files of a month as API objects."""
    return db.all(sql.of_month, month=month)


def content(db, month, name):
    """Return a kept file as bytes, or None if there is none."""
    found = db.value(sql.content, month=month, name=name)
    return None if found is None else zlib.decompress(found)


def contents(db, name, first, last):
    """Return {month: bytes} of the kept files of this name from a month to another."""
    rows = db.all(sql.contents, name=name, first=first, last=last)
    return {row["month"]: zlib.decompress(row["content"]) for row in rows}


def every(db):
    """Yield all kept files as rows with month, name, sha256, size and content, which is compressed."""
    return db.iterate(sql.every)


def content_of(row):
    """Return the file of a row of `every` as bytes, or None if it is not the one that was kept."""
    try:
        found = zlib.decompress(row["content"])
    except zlib.error:
        return None
    is_same = (sha256(found).hexdigest(), len(found)) == (row["sha256"], row["size"])
    return found if is_same else None


def add(db, period_id, written):
    """Store files {name: Packed} of a closed month, and return {name: sha256}.

    Call this inside a write transaction, and journal the hashes. None of the names may be kept
    already.
    """
    hashes = {}
    for name, file in sorted(written.items()):
        db.run(sql.add, period_id=period_id, name=name, **file._asdict(), now=db.now)
        hashes[name] = file.sha256
    return hashes


def is_closed_without_files(db, day):
    """Return whether the month of a day was closed by an earlier version, which kept no files.

    Its files are locked although they are computed, as they were then.
    """
    return bool(db.value(sql.closed_without_files, day=day))


def without(db, name):
    """Return the closed months without a file of this name, as rows with id, month and
    organiser_country.
    """
    return db.all(sql.without, name=name)


def delete_ended(db, size):
    """Delete the files of at most `size` months whose retention has ended, and return their number.

    They are books (§ 147 AO): kept for the longer of `retention_years` and `audit_years` from the
    end of their year.
    """
    years = max(db.config.retention_years, db.config.audit_years)
    with db.write():
        year = int(times.today(db.config.timezone, db.now)[:4]) - years
        due = db.all(sql.due, month=f"{max(year, 0):04}-01", size=size)
        for row in due:
            db.run(sql.end, period_id=row["id"], now=db.now)
            db.run(sql.delete, period_id=row["id"])
            journal.administered(
                db, entities.PERIOD, "files_deleted", row["id"], title=row["month"]
            )
    return len(due)
