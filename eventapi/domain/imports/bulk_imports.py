"""Bulk imports as they are stored: rows, API objects, errors and counters."""
import json

from eventapi.errors import MAX_FAULTS
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bulk_import")

FLAGS = ("skip_on_error", "create_contacts", "dry_run")
PAGE = 20                       # rejected records that are read at once: each may have a megabyte


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
    hidden = ("form", "sha256", "api_key_id", "request_id")
    record = {name: value for name, value in row.items() if name not in hidden}
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
    by_id = {record["id"]: record for record in records}
    for record in records:
        record["errors"] = []
    for row in db.all(sql.errors_of, ids=as_json(list(by_id))):
        errors = by_id[row["bulk_import_id"]]["errors"]
        errors += [{"index": row["record_index"], **fault} for fault in json.loads(row["faults"])]
    for record in records:
        del record["errors"][MAX_FAULTS:]


def attach_details(db, records):
    """Set `details` of each import: index, action, id and reason of its first MAX_DETAILS records."""
    rows = db.all(sql.details_of, ids=as_json([record["id"] for record in records]))
    found = {row["id"]: json.loads(row["details"]) for row in rows}
    for record in records:
        record["details"] = found[record["id"]]


def rejected(db, id):
    """Yield batches of the rejected records as lists of (index, record as it was sent, faults)."""
    after = -1
    while rows := db.all(sql.errors, id=id, after=after, size=PAGE):
        yield [(row["record_index"], json.loads(row["source"]), json.loads(row["faults"])) for row in rows]
        after = rows[-1]["record_index"]


def journal_values(record):
    """Return the API object without the single records, for the journal."""
    return {name: value for name, value in record.items() if name not in ("errors", "details")}


def waiting(db):
    """Return the ids of the imports that are not finished, oldest first."""
    return db.values(sql.waiting)


def backlog(db):
    """Return the number of imports that are not finished, and the number of records that they have left."""
    return db.one(sql.backlog)


def check(db):
    """Return a sentence for each import whose counters do not add up, for `eventapi check`."""
    return [f"the counters of bulk import {id} differ from its records" for id in db.values(sql.wrong_counts)]
