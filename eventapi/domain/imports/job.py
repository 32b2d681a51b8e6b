"""Executing a bulk import, at once or in the worker, batch by batch.

The progress is committed in the same transaction as the records, so that an interrupted import
continues without losing or repeating a record.
"""

import time
from dataclasses import dataclass
from itertools import islice

from eventapi import journal
from eventapi.domain.imports import fields as import_fields
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports import runs
from eventapi.domain.imports.contacts import Contacts
from eventapi.domain.imports.known import Record
from eventapi.domain.imports.participants import Participants
from eventapi.domain.records import entities
from eventapi.storage import files, maintenance
from eventapi.storage.database import Nobody, as_json
from eventapi.storage.errors import Full, storage_error
from eventapi.storage.statements import statements

sql = statements("bulk_import")

FIRST_BATCH = 50  # records of the first transaction
SMALLEST_BATCH = 20  # records of a transaction, at least
BATCH = 500  # the same, at most
BATCH_LENGTH = 1024 * 1024  # characters of its records; the record that exceeds it is the last one
BATCH_SECONDS = 0.03  # intended duration of a transaction, so that other writes need not wait long
MAX_DETAILS = 1000
WRITERS = {"contacts": Contacts, "participants": Participants}
EXISTING = {"contacts": sql.existing_contacts, "participants": sql.existing_participants}
COUNTERS = {"created": "created", "updated": "updated", "skipped": "skipped", "rejected": "skipped"}


def validated(read, entry):
    """Return the Record of an entry of files.records.

    `read` is a fields.Reader. No write lock is required.
    """
    index, sent, _ = entry
    body, faults = read(sent)
    return Record(index, sent, body, faults)


class Job:
    """One import that is running.

    options: the row of the import. details: the first entries of its `details`.
    refused, refusals: the number of rejected records, and the first of their details, if one
    prevents the import.
    """

    def __init__(self, db, id):
        self.id = id
        self.options = runs.get(db, id)
        self.read = import_fields.Reader(
            db, self.options["kind"], self.options["form"], self.options["field_mapping"]
        )
        self.writer = WRITERS[self.options["kind"]](self.options, self.read)
        self.details = self.options["details"]
        self.refused = 0
        self.refusals = []

    def validated(self, sent, most=BATCH):
        """Return the next Records of files.records: `most`, or fewer if they are long."""
        batch = []
        length = 0
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
        for record in records:
            record.read_only = self.read.read_only_in(record.sent)
        self.writer.write(db, records)
        if self.options["dry_run"]:
            self.forget_new(db, records)

        counts = dict.fromkeys(("created", "updated", "skipped", "rejected", "contacts_created"), 0)
        for record in records:
            counts[COUNTERS[record.action]] += 1
            counts["rejected"] += record.action == "rejected"
            counts["contacts_created"] += record.contact_created
        self.details += [_detail(record) for record in records[: MAX_DETAILS - len(self.details)]]

        db.run_many(sql.add_error, [self.error(db, record) for record in _rejected(records)])
        db.run(sql.book, id=self.id, details=as_json(self.details), now=db.now, **counts)

    def forget_new(self, db, records):
        """Remove the ids that a dry run would have created: no record has them."""
        ids = as_json([record.id for record in records])
        existing = set(db.values(EXISTING[self.options["kind"]], ids=ids))
        for record in records:
            if record.id not in existing:
                record.id = None

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
        return [
            {"index": record.index, **fault}
            for record in _rejected(records)
            for fault in record.faults
        ]


def _rejected(records):
    return [record for record in records if record.action == "rejected"]


def _detail(record):
    detail = {
        "index": record.index,
        "action": record.action,
        "id": record.id,
        "reason": record.reason,
    }
    if record.contact_created:
        detail["contact_created"] = True
    if record.ignored:
        detail["ignored"] = record.ignored
    return detail


# In the worker


@dataclass(frozen=True, slots=True)
class Sender:
    """The API key that has sent an import: the actor of its changes.

    The reach of links depends on `scopes` (access/reach.py).
    """

    key_id: int | None
    admin_id: int | None
    admin_name: str | None
    request_id: str | None
    scopes: frozenset
    address: str | None = None
    agent: str | None = None


def run(db, id, stopping):
    """Run an import from its present position until it ends or `stopping()` is true.

    Do nothing if another process runs it already. A file that cannot be read ends the import as
    failed, and is raised again. A full disk is raised, too, and does not end the import.
    """
    row = runs.get(db, id)
    if row is None or row["finished_at"]:
        return
    db.actor = _sender(db, row)
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
    db.actor = _sender(db, runs.get(db, id))
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


def _sender(db, row):
    scopes = db.value(sql.scopes, api_key_id=row["api_key_id"])
    return Sender(
        key_id=row["api_key_id"],
        admin_id=row["admin_id"],
        admin_name=row["admin_name"],
        request_id=row["request_id"],
        scopes=frozenset((scopes or "").split()),
    )


def _run(db, id, stopping):
    row = runs.get(db, id)  # read it again: another worker may have finished it in the meantime
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
    id = row["id"]
    done = row["processed"]
    if row["dry_run"] and done:  # the process that ended knew what the dry run would have created
        _restart(db, id)
        done = 0
    job = Job(db, id)
    sent = _sent(db, row, done)
    size = FIRST_BATCH

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
        in_time = int(len(batch) * BATCH_SECONDS / took) + 1
        size = max(SMALLEST_BATCH, min(BATCH, size * 2, in_time))
    if not stopping():
        _finish(db, id, "done")


def _restart(db, id):
    with db.write():
        db.run(sql.clear_errors, id=id)
        db.run(sql.restart, id=id, now=db.now)


def _advance(db, row, before, processed):
    """Record the progress.

    Return False if another worker was faster, or if the event was deleted, which ends it.
    """
    if db.value(sql.lost_event, id=row["id"]):
        _end(db, row["id"], "failed", "The event of the import was deleted.")
        return False
    return db.run(sql.advance, id=row["id"], before=before, processed=processed, now=db.now) > 0


class _Refused(Exception):
    """Rolls back an import, because a record was rejected."""


def _all_or_nothing(db, row):
    """Run an import in one transaction.

    If a record is rejected, the transaction is rolled back, and another one stores the errors. A
    savepoint instead would take minutes, because SQLite is slow in rolling back so much. Records
    are validated before the transaction. They and the errors are kept in temporary files, since
    together they may be larger than the memory.
    """
    job = Job(db, row["id"])
    sent = _sent(db, row)
    total = 0
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
        rejected = _rejected(records)
        import_files.add_lines(errors, (job.error(db, record) for record in rejected))
        job.refused += len(rejected)
        job.refusals += [_detail(record) for record in rejected[: MAX_DETAILS - len(job.refusals)]]


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
    old = runs.get(db, id)
    processed = old["total"] if status == "done" else old["processed"]
    if not db.run(
        sql.finish, id=id, status=status, failure=failure, processed=processed, now=db.now
    ):
        return
    new = runs.with_errors(db, id)
    journal.updated(
        db,
        entities.BULK_IMPORT,
        runs.journal_values(runs.represent(old)),
        runs.journal_values(new),
        action="finished" if status == "done" else "failed",
    )
