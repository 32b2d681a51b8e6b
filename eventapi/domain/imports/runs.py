"""Bulk imports as they are stored: what the API, the metrics and `eventapi check` read of them.

start.py creates them, and job.py executes them.
"""

import json
from datetime import timedelta
from itertools import islice

from eventapi import times
from eventapi.errors import MAX_FAULTS
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bulk_import")

FLAGS = ("skip_on_error", "create_contacts", "dry_run")
KEPT = timedelta(days=30)  # how long rejected records are kept, so that they can be corrected
HIDDEN = ("form", "sha256", "api_key_id", "request_id")  # columns that no API object shows
PAGE = 20  # rejected records that are read at once: each may have a megabyte
FAULTS_PAGE = 100  # the same without the records: the faults of each may have some kilobytes


def get(db, id):
    """Return the row of an import with decoded flags and JSON columns, or None."""
    row = db.one(sql.get, id=id)
    if row:
        row.update({name: bool(row[name]) for name in FLAGS})
        row.update({name: json.loads(row[name]) for name in ("field_mapping", "form", "details")})
    return row


def represent(row):
    """Return the API object of an import, without `errors`.

    `row` is a row of `get` or of a list, which has no details.
    """
    record = {name: value for name, value in row.items() if name not in HIDDEN}
    record.update({name: bool(row[name]) for name in FLAGS})
    if isinstance(row["field_mapping"], str):
        record["field_mapping"] = json.loads(row["field_mapping"])
    return record


def with_errors(db, id):
    """Return the API object of an import with its details and its first errors."""
    record = represent(get(db, id))
    attach_errors(db, [record])
    return record


def attach_errors(db, records):
    """Set `errors` of each import to its first MAX_FAULTS faults."""
    for record in records:
        record["errors"] = list(islice(_faults(db, record["id"]), MAX_FAULTS))


def _faults(db, id):
    """Yield the faults of the rejected records of an import, each with the index of its record."""
    for rows in _pages(db, sql.faults, id, FAULTS_PAGE):
        for row in rows:
            for fault in json.loads(row["faults"]):
                yield {"index": row["record_index"], **fault}


def attach_details(db, records):
    """Set `details` of each import: index, action, id and reason of its first MAX_DETAILS records."""
    rows = db.all(sql.details_of, ids=as_json([record["id"] for record in records]))
    details = {row["id"]: json.loads(row["details"]) for row in rows}
    for record in records:
        record["details"] = details[record["id"]]


def rejected(db, id):
    """Yield batches of the rejected records as lists of (index, record as it was sent, faults)."""
    for rows in _pages(db, sql.errors, id, PAGE):
        yield [
            (row["record_index"], json.loads(row["source"]), json.loads(row["faults"]))
            for row in rows
        ]


def _pages(db, statement, id, size):
    """Yield the rows of the rejected records of an import in lists of so many."""
    after = -1
    while rows := db.all(statement, id=id, after=after, size=size):
        yield rows
        after = rows[-1]["record_index"]


def journal_values(record):
    """Return the API object without the single records, for the journal."""
    return {name: value for name, value in record.items() if name not in ("errors", "details")}


def waiting(db):
    """Return the ids of the imports that are not finished, oldest first."""
    return db.values(sql.waiting)


def backlog(db):
    """Return the number of imports that are not finished, and the number of records that they have
    left.
    """
    return db.one(sql.backlog)


def delete_old_rejected_records(db, size):
    """Delete at most `size` rejected records that are older than KEPT, in a transaction.

    Return their number.
    """
    with db.write():
        before = times.after(db.now, -KEPT)
        return db.run(sql.delete_old_rejected_records, before=before, size=size)


def check(db):
    """Return a sentence for each import whose counters do not add up, for `eventapi check`."""
    return [
        f"the counters of bulk import {id} differ from its records"
        for id in db.values(sql.wrong_counts)
    ]
