"""Bulk imports: taken in, run piece by piece, at once or by the worker, and told. Progress is committed with what it stands for."""
import json
import time
from itertools import islice
from types import SimpleNamespace

from eventapi import journal
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports import records as import_records
from eventapi.domain.imports.contacts import Contacts
from eventapi.domain.imports.matching import Record
from eventapi.domain.imports.participants import Participants
from eventapi.domain.records import entities
from eventapi.errors import MOST_FAULTS, Problem
from eventapi.storage import files
from eventapi.storage.database import Nobody, as_json
from eventapi.storage.statements import statements

sql = statements("bulk_import")

AT_ONCE = 2000                  # records that are imported while the client waits
ALL_OR_NOTHING = 20000          # records that one transaction takes
PIECE = 500                     # records a transaction, at most
SHORT = 0.03                    # seconds that a transaction should take, so that others get in between
MOST_DETAILS = 1000
FLAGS = ("skip_on_error", "create_contacts", "dry_run")
WRITERS = {"contacts": Contacts, "participants": Participants}
COUNTERS = {"created": "created", "updated": "updated", "skipped": "skipped", "rejected": "skipped"}


# Reading

def get(db, id):
    """The import as its row says, or None; `represent` makes the answer of it."""
    row = db.one(sql.get, id=id)
    if row:
        row.update({name: bool(row[name]) for name in FLAGS})
        row.update({name: json.loads(row[name]) for name in ("field_mapping", "form", "details")})
    return row


def represent(row):
    """As it is answered, but for the errors. Rows of lists have no details."""
    hidden = ("form", "sha256", "api_key_id", "request_id")
    answer = {name: value for name, value in row.items() if name not in hidden}
    answer.update({name: bool(row[name]) for name in FLAGS})
    if isinstance(row["field_mapping"], str):
        answer["field_mapping"] = json.loads(row["field_mapping"])
    return answer


def whole(db, id):
    """An import as it is answered alone."""
    answer = represent(get(db, id))
    attach_errors(db, [answer])
    return answer


def attach_errors(db, answers):
    """Puts the first faults into each import."""
    by_id = {answer["id"]: answer for answer in answers}
    for answer in answers:
        answer["errors"] = []
    for row in db.all(sql.errors_of, ids=as_json(list(by_id))):
        errors = by_id[row["bulk_import_id"]]["errors"]
        errors += [{"index": row["record_index"], **fault} for fault in json.loads(row["faults"])]
    for answer in answers:
        del answer["errors"][MOST_FAULTS:]


def attach_details(db, answers):
    """Puts into each import what became of its first records."""
    found = {row["id"]: json.loads(row["details"]) for row in db.all(sql.details_of, ids=as_json([answer["id"] for answer in answers]))}
    for answer in answers:
        answer["details"] = found[answer["id"]]


def rejected(db, id):
    """(index, record as it was sent, faults) of every rejected record, a piece at a time."""
    after = -1
    while rows := db.all(sql.errors, id=id, after=after, size=PIECE):
        yield [(row["record_index"], json.loads(row["source"]), json.loads(row["faults"])) for row in rows]
        after = rows[-1]["record_index"]


# Taking in

def take_in(db, kind, options, source):
    """A new import, done where it is small. `source` is an import_bodies.Source. Gives it as it is answered."""
    later = source.total > AT_ONCE
    actor = db.actor
    id = db.insert(sql.add, kind=kind, status="queued" if later else "running", **{name: options[name] for name in (
        "mode", "match_field", *FLAGS, "event_id")}, field_mapping=as_json(options["field_mapping"]), form=as_json(source.form),
        sha256=files.keep(db.config, source.upload) if later else None, total=source.total, admin_id=actor.admin_id,
        admin_name=actor.admin_name, api_key_id=actor.key_id, request_id=actor.request_id, now=db.now)
    if not later:
        wrong = Job(db, id).run_all(db, source.records)
        if wrong:
            raise Problem("import_rejected", _refusal(wrong, source.total), errors=wrong)
        db.run(sql.finish, id=id, status="done", failure=None, processed=source.total, now=db.now)
    answer = whole(db, id)
    journal.created(db, entities.BULK_IMPORT, told(answer))
    return answer


def _refusal(wrong, total):
    records = len({entry["index"] for entry in wrong})
    return f"{records} of {total} records {'is' if records == 1 else 'are'} not right, so none was imported; see errors."


# Running

def judged(read, sent):
    """Records, read and judged as far as that takes no lock."""
    return [Record(index, record, *read(record)) for index, record in sent]


class Job:
    """One import being run: where it stands, and what it has learnt of its file."""

    def __init__(self, db, id):
        self.id, self.options = id, get(db, id)
        self.read = import_records.Reader(db, self.options["kind"], self.options["form"], self.options["field_mapping"])
        self.writer = WRITERS[self.options["kind"]](self.options)
        self.details = self.options["details"]

    def judged(self, sent):
        return judged(self.read, sent)

    def write(self, db, records):
        """One piece, with its counters."""
        self.writer.write(db, records)
        counts = dict.fromkeys(("created", "updated", "skipped", "rejected", "contacts_created"), 0)
        for record in records:
            counts[COUNTERS[record.action]] += 1
            counts["rejected"] += record.action == "rejected"
            counts["contacts_created"] += record.contact_created
        self.details += [_detail(record) for record in records[:MOST_DETAILS - len(self.details)]]
        db.run_many(sql.add_error, [self.error(db, record) for record in records if record.action == "rejected"])
        db.run(sql.book, id=self.id, details=as_json(self.details), now=db.now, **counts)

    def error(self, db, record):
        names = self.read.names(record.sent)
        return {"bulk_import_id": self.id, "index": record.index, "faults": as_json(record.faults), "source": as_json(record.sent),
                "now": db.now, **names}

    def run_all(self, db, records):
        """All of it in the running write; gives the errors where one of them must keep all from being kept."""
        for start in range(0, len(records), PIECE):
            self.write(db, records[start:start + PIECE])
        if self.options["skip_on_error"] or self.options["dry_run"]:
            return []
        return [{"index": record.index, **fault} for record in records if record.action == "rejected" for fault in record.faults]


def _detail(record):
    detail = {"index": record.index, "action": record.action, "id": record.id, "reason": record.reason}
    return {**detail, "contact_created": True} if record.contact_created else detail


# For the worker

def waiting(db):
    return db.values(sql.waiting)


def backlog(db):
    """How many imports wait or run, and how many records they have left."""
    return db.one(sql.backlog)


def check(db):
    """For `eventapi check`: imports whose counters do not add up, as sentences."""
    return [f"the counters of bulk import {id} differ from its records" for id in db.values(sql.wrong_counts)]


def carry_on(db, id, stopping):
    """Runs an import from where it stands to its end, or until the worker stops; leaves it to another worker that runs it."""
    row = get(db, id)
    if row is None or row["finished_at"]:
        return
    db.actor = SimpleNamespace(key_id=row["api_key_id"], admin_id=row["admin_id"], admin_name=row["admin_name"],
                               request_id=row["request_id"], address=None, agent=None)
    try:
        with files.claimed(db.config, row["sha256"]) as is_ours:
            if is_ours:
                _run(db, id, stopping)
    except (OSError, UnicodeError, import_files.Unreadable) as error:
        _finish(db, id, "failed", f"The stored file cannot be read: {error.__class__.__name__}.")
        raise
    finally:
        db.actor = Nobody
        db.values(sql.checkpoint_with_commit)


def _run(db, id, stopping):
    row = get(db, id)                           # again, since the worker that had it may have ended it meanwhile
    if row["finished_at"]:
        return
    if row["skip_on_error"] or row["dry_run"]:
        _piece_by_piece(db, row, stopping)
    else:
        _all_or_nothing(db, row)


def _sent(db, row, start=0):
    return import_files.records(files.path(db.config, row["sha256"]), row["form"], start)


def _piece_by_piece(db, row, stopping):
    id, done, size = row["id"], row["processed"], 50
    if row["dry_run"] and done:                 # what it would have made was known to the process that ended
        done = _restart(db, id)
    job, sent = Job(db, id), _sent(db, row, done)
    db.values(sql.checkpoint_apart)             # between the transactions, and not at the end of one, while others wait
    while not stopping() and (piece := job.judged(islice(sent, size))):
        with db.write():
            started = time.monotonic()
            if not _advance(db, row, done, done + len(piece)):
                return
            job.write(db, piece)
        took = time.monotonic() - started
        db.values(sql.checkpoint)
        done += len(piece)
        size = max(20, min(PIECE, size * 2, int(len(piece) * SHORT / took) + 1))
    if not stopping():
        _finish(db, id, "done")


def _advance(db, row, before, processed):
    """Whether this import is still there to be gone on with: nobody else was faster, and its event was not deleted."""
    if db.value(sql.lost_event, id=row["id"]):
        _end(db, row["id"], "failed", "Its event was deleted.")
        return False
    return db.run(sql.advance, id=row["id"], before=before, processed=processed, now=db.now) > 0


def _restart(db, id):
    with db.write():
        db.run(sql.clear_errors, id=id)
        db.run(sql.restart, id=id, now=db.now)
    return 0


class _Refused(Exception):
    """Its argument are the rejected records."""


def _all_or_nothing(db, row):
    """In one transaction; what was refused is written down in another, since SQLite takes minutes for so much within a part."""
    job = Job(db, row["id"])
    records = job.judged(_sent(db, row))
    try:
        with db.write():
            if not _advance(db, row, 0, len(records)):
                return
            for start in range(0, len(records), PIECE):
                job.write(db, records[start:start + PIECE])
            wrong = [record for record in records if record.action == "rejected"]
            if wrong:
                raise _Refused(wrong)
            _end(db, row["id"], "done")
    except _Refused as refused:
        with db.write():
            if _advance(db, row, 0, len(records)):
                _keep_refusal(db, job, *refused.args)


def _keep_refusal(db, job, wrong):
    db.run_many(sql.add_error, [job.error(db, record) for record in wrong])
    details = as_json([_detail(record) for record in wrong[:MOST_DETAILS]])
    db.run(sql.book, id=job.id, details=details, created=0, updated=0, contacts_created=0, skipped=0, rejected=len(wrong), now=db.now)
    _end(db, job.id, "failed", "A record is not right, so none was imported; see errors.")


def _finish(db, id, status, failure=None):
    with db.write():
        _end(db, id, status, failure)


def _end(db, id, status, failure=None):
    """Ends an import, once."""
    old = get(db, id)
    processed = old["total"] if status == "done" else old["processed"]
    if db.run(sql.finish, id=id, status=status, failure=failure, processed=processed, now=db.now):
        new = whole(db, id)
        journal.updated(db, entities.BULK_IMPORT, told(represent(old)), told(new),
                        action="finished" if status == "done" else "failed")


def told(answer):
    """What the journal tells of an import: not the single records."""
    return {name: value for name, value in answer.items() if name not in ("errors", "details")}
