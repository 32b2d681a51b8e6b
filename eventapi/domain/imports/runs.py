"""Bulk imports: how they are stored, created and executed.

Small imports run while the client waits, others in the worker, batch by batch. The progress is
committed in the same transaction as the records, so that an interrupted import continues without
losing or repeating a record.
"""

import json
import time
from datetime import timedelta
from itertools import islice
from types import SimpleNamespace

from eventapi import journal, times
from eventapi.domain.imports import fields as import_records
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports.contacts import Contacts
from eventapi.domain.imports.known import Record
from eventapi.domain.imports.participants import Participants
from eventapi.domain.records import entities
from eventapi.errors import MAX_FAULTS, Problem
from eventapi.storage import files, maintenance
from eventapi.storage.database import Nobody, as_json
from eventapi.storage.errors import Full, storage_error
from eventapi.storage.statements import statements

sql = statements("bulk_import")

FLAGS = ("skip_on_error", "create_contacts", "dry_run")
KEPT = timedelta(days=30)  # how long rejected records are kept, so that they can be corrected
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
    for record in records:
        record["errors"] = list(islice(_faults(db, record["id"]), MAX_FAULTS))


def _faults(db, id):
    """Yield the faults of the rejected records of an import, each with the index of its record."""
    for rows in _pages(db, sql.faults, id, FAULTS_PAGE):
        for row in rows:
            yield from (
                {"index": row["record_index"], **fault} for fault in json.loads(row["faults"])
            )


def attach_details(db, records):
    """Set `details` of each import: index, action, id and reason of its first MAX_DETAILS records."""
    rows = db.all(sql.details_of, ids=as_json([record["id"] for record in records]))
    found = {row["id"]: json.loads(row["details"]) for row in rows}
    for record in records:
        record["details"] = found[record["id"]]


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


MAX_AT_ONCE = 2000  # records of an import that runs while the client waits
# bytes of its records: as objects in memory they need up to 25 times as much
MAX_SIZE_AT_ONCE = 2 * 1024 * 1024
MAX_ALL_OR_NOTHING = 20000  # records of an import that runs in one transaction
MAX_DRY_RUN = 200_000  # records of a dry run, which remembers the names of all that it would create
BATCH = 500  # records of a transaction, at most
BATCH_LENGTH = 1024 * 1024  # characters of its records; the record that exceeds it is the last one
BATCH_SECONDS = 0.03  # intended duration of a transaction, so that other writes need not wait long
MAX_DETAILS = 1000
WRITERS = {"contacts": Contacts, "participants": Participants}
EXISTING = {"contacts": sql.existing_contacts, "participants": sql.existing_participants}
COUNTERS = {"created": "created", "updated": "updated", "skipped": "skipped", "rejected": "skipped"}


# Creating


def create(db, kind, options, source):
    """Create an import, and run it if it is small.

    Return the API object. Requires a write transaction.

    `source` is an import_bodies.Source. Raise 422 `import_rejected` if a record is invalid and
    `skip_on_error` is false.
    """
    later = source.records is None
    actor = db.actor
    columns = {name: options[name] for name in ("mode", "match_field", *FLAGS, "event_id")}
    id = db.insert(
        sql.add,
        kind=kind,
        status="queued" if later else "running",
        **columns,
        field_mapping=as_json(options["field_mapping"]),
        form=as_json(source.form),
        sha256=files.keep(db.config, source.upload) if later else None,
        total=source.total,
        admin_id=actor.admin_id,
        admin_name=actor.admin_name,
        api_key_id=actor.key_id,
        request_id=actor.request_id,
        now=db.now,
    )
    if not later:
        wrong = Job(db, id).run_all(db, source.records)
        if wrong:
            raise Problem("import_rejected", _refusal(wrong, source.total), errors=wrong)
        db.run(sql.finish, id=id, status="done", failure=None, processed=source.total, now=db.now)
    record = with_errors(db, id)
    journal.created(db, entities.BULK_IMPORT, journal_values(record))
    return record


def _refusal(wrong, total):
    records = len({entry["index"] for entry in wrong})
    verb = "is" if records == 1 else "are"
    return f"{records} of {total} records {verb} invalid, so no record was imported. See `errors`."


# Running


def validated(read, entry):
    """Return the Record of an entry of files.records.

    `read` is a records.Reader. No write lock is required.
    """
    index, sent, _ = entry
    return Record(index, sent, *read(sent))


class Job:
    """One import that is running.

    options: the row of the import. details: the first entries of its `details`.
    refused, refusals: the number of rejected records, and the first of their details, if one
    prevents the import.
    """

    def __init__(self, db, id):
        self.id, self.options = id, get(db, id)
        self.read = import_records.Reader(
            db, self.options["kind"], self.options["form"], self.options["field_mapping"]
        )
        self.writer = WRITERS[self.options["kind"]](self.options)
        self.details, self.refused, self.refusals = self.options["details"], 0, []

    def validated(self, sent, most=BATCH):
        """Return the next Records of files.records: `most`, or fewer if they are long."""
        batch, length = [], 0
        for entry in islice(sent, most):
            batch.append(validated(self.read, entry))
            length += entry[2]
            if length > BATCH_LENGTH:
                break
        return batch

    def write(self, db, records):
        """Write a batch of records, and add its results to the counters of the import.

        Requires a write transaction.
        """
        self.writer.write(db, records)
        if self.options["dry_run"]:
            self.forget_new(db, records)
        counts = dict.fromkeys(("created", "updated", "skipped", "rejected", "contacts_created"), 0)
        for record in records:
            counts[COUNTERS[record.action]] += 1
            counts["rejected"] += record.action == "rejected"
            counts["contacts_created"] += record.contact_created
        self.details += [_detail(record) for record in records[: MAX_DETAILS - len(self.details)]]
        db.run_many(
            sql.add_error,
            [self.error(db, record) for record in records if record.action == "rejected"],
        )
        db.run(sql.book, id=self.id, details=as_json(self.details), now=db.now, **counts)

    def forget_new(self, db, records):
        """Remove the ids that a dry run would have created: no record has them."""
        known = set(
            db.values(
                EXISTING[self.options["kind"]], ids=as_json([record.id for record in records])
            )
        )
        for record in records:
            record.id = record.id if record.id in known else None

    def error(self, db, record):
        """Return the row of a rejected record."""
        return {
            "bulk_import_id": self.id,
            "index": record.index,
            "faults": as_json(record.faults),
            "source": as_json(record.sent),
            "now": db.now,
            **self.read.names(record.sent),
        }

    def run_all(self, db, records):
        """Write all records in the running write transaction.

        Return the errors if they must prevent the whole import, otherwise [].
        """
        for start in range(0, len(records), BATCH):
            self.write(db, records[start : start + BATCH])
        if self.options["skip_on_error"] or self.options["dry_run"]:
            return []
        rejected = [record for record in records if record.action == "rejected"]
        return [{"index": record.index, **fault} for record in rejected for fault in record.faults]


def _detail(record):
    detail = {
        "index": record.index,
        "action": record.action,
        "id": record.id,
        "reason": record.reason,
    }
    return {**detail, "contact_created": True} if record.contact_created else detail


# In the worker


def run(db, id, stopping):
    """Run an import from its present position until it ends or `stopping()` is true.

    Do nothing if another process runs it already. A file that cannot be read ends the import as
    failed, and is raised again. A full disk is raised, too, and does not end the import.
    """
    row = get(db, id)
    if row is None or row["finished_at"]:
        return
    db.actor = _actor(db, row)
    try:
        with files.claimed(db.config, row["sha256"]) as is_ours:
            if is_ours:
                _run(db, id, stopping)
    except (OSError, UnicodeError, import_files.Unreadable) as error:
        # a temporary file did not fit: the import can run later
        if isinstance(storage_error(error), Full):
            raise
        _finish(
            db,
            id,
            "failed",
            "The stored file cannot be read. Send the file again; the log of the server has the "
            "cause.",
        )
        raise
    finally:
        db.actor = Nobody
        db.values(sql.checkpoint_with_commit)


def give_up(db, id, failures):
    """End an import as failed that failed so many times by a fault of the program.

    Its records so far stay.
    """
    db.actor = _actor(db, get(db, id))
    try:
        _finish(
            db,
            id,
            "failed",
            f"The import failed {failures} times by an error of the server, whose log has the "
            "cause. Records that it has imported stay. Send the file again once the cause is "
            "removed.",
        )
    finally:
        db.actor = Nobody


def _actor(db, row):
    """Return the actor of an import: the one who has sent it."""
    return SimpleNamespace(
        key_id=row["api_key_id"],
        admin_id=row["admin_id"],
        admin_name=row["admin_name"],
        request_id=row["request_id"],
        address=None,
        agent=None,
        scopes=_scopes(db, row),
    )


def _scopes(db, row):
    """Return the scopes of the key that has sent an import, on which the reach of links depends
    (access/reach.py).
    """
    return frozenset((db.value(sql.scopes, api_key_id=row["api_key_id"]) or "").split())


def _run(db, id, stopping):
    row = get(db, id)  # read it again: another worker may have finished it in the meantime
    if row["finished_at"]:
        return
    if row["skip_on_error"] or row["dry_run"]:
        _in_batches(db, row, stopping)
    else:
        _all_or_nothing(db, row)


def _sent(db, row, start=0):
    """Yield (index, record) of the stored file, skipping the first `start` records."""
    return import_files.records(files.path(db.config, row["sha256"]), row["form"], start)


def _in_batches(db, row, stopping):
    """Run an import with one transaction per batch.

    The size of a batch follows the duration of the one before.
    """
    id, done, size = row["id"], row["processed"], 50
    if row["dry_run"] and done:  # the process that ended knew what the dry run would have created
        done = _restart(db, id)
    job, sent = Job(db, id), _sent(db, row, done)
    db.values(sql.checkpoint_apart)  # one after each batch is short: other writes wait for it
    while not stopping() and (batch := job.validated(sent, size)):
        with db.write():
            started = time.monotonic()
            if not _advance(db, row, done, done + len(batch)):
                return
            job.write(db, batch)
        took = time.monotonic() - started
        maintenance.checkpoint(db)
        done += len(batch)
        size = max(20, min(BATCH, size * 2, int(len(batch) * BATCH_SECONDS / took) + 1))
    if not stopping():
        _finish(db, id, "done")


def _advance(db, row, before, processed):
    """Record the progress.

    Return False if another worker was faster, or if the event was deleted, which ends it.
    """
    if db.value(sql.lost_event, id=row["id"]):
        _end(db, row["id"], "failed", "The event of the import was deleted.")
        return False
    return db.run(sql.advance, id=row["id"], before=before, processed=processed, now=db.now) > 0


def _restart(db, id):
    with db.write():
        db.run(sql.clear_errors, id=id)
        db.run(sql.restart, id=id, now=db.now)
    return 0


class _Refused(Exception):
    """Rolls back an import, because a record was rejected."""


def _all_or_nothing(db, row):
    """Run an import in one transaction.

    If a record is rejected, the transaction is rolled back, and another one stores the errors. A
    savepoint instead would take minutes, because SQLite is slow in rolling back so much. Records
    are validated before the transaction. They and the errors are kept in temporary files, since
    together they may be larger than the memory.
    """
    job, sent, total = Job(db, row["id"]), _sent(db, row), 0
    with import_files.temporary(db.config) as checked, import_files.temporary(db.config) as errors:
        while batch := job.validated(sent):
            total += len(batch)
            import_files.add_lines(
                checked,
                ([record.index, record.sent, record.body, record.faults] for record in batch),
            )
        try:
            with db.write():
                if not _advance(db, row, 0, total):
                    return
                _write_all(db, job, checked, errors)
                if job.refused:
                    raise _Refused
                _end(db, row["id"], "done")
        except _Refused:
            with db.write():
                if _advance(db, row, 0, total):
                    _keep_refusal(db, job, errors)


def _write_all(db, job, checked, errors):
    """Write all records of the file `checked`.

    Write the errors of the rejected ones to the file `errors`.
    """
    for batch in import_files.lines_of(checked, BATCH, BATCH_LENGTH):
        records = [Record(*values) for values in batch]
        job.write(db, records)
        wrong = [record for record in records if record.action == "rejected"]
        import_files.add_lines(errors, (job.error(db, record) for record in wrong))
        job.refused += len(wrong)
        job.refusals += [_detail(record) for record in wrong[: MAX_DETAILS - len(job.refusals)]]


def _keep_refusal(db, job, errors):
    """Store the errors of the rejected records, and end the import as failed."""
    for batch in import_files.lines_of(errors, BATCH, BATCH_LENGTH):
        db.run_many(sql.add_error, batch)
    counts = {
        "created": 0,
        "updated": 0,
        "contacts_created": 0,
        "skipped": 0,
        "rejected": job.refused,
    }
    db.run(sql.book, id=job.id, details=as_json(job.refusals), **counts, now=db.now)
    _end(db, job.id, "failed", "A record is invalid, so no record was imported. See `errors`.")


def _finish(db, id, status, failure=None):
    with db.write():
        _end(db, id, status, failure)


def _end(db, id, status, failure=None):
    """End an import unless it has ended, and write the journal."""
    old = get(db, id)
    processed = old["total"] if status == "done" else old["processed"]
    if db.run(sql.finish, id=id, status=status, failure=failure, processed=processed, now=db.now):
        new = with_errors(db, id)
        before = journal_values(represent(old))
        journal.updated(
            db,
            entities.BULK_IMPORT,
            before,
            journal_values(new),
            action="finished" if status == "done" else "failed",
        )
