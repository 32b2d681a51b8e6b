"""Creating a bulk import. Small ones run while the client waits, others in the worker."""

from eventapi import journal
from eventapi.domain.imports import runs
from eventapi.domain.imports.job import Job
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bulk_import")

MAX_AT_ONCE = 2000  # records of an import that runs while the client waits
# bytes of its records: as objects in memory they need up to 25 times as much
MAX_SIZE_AT_ONCE = 2 * 1024 * 1024
MAX_ALL_OR_NOTHING = 20000  # records of an import that runs in one transaction
MAX_DRY_RUN = 200_000  # records of a dry run, which remembers the names of all that it would create


def create(db, kind, options, source):
    """Create an import, and run it if it is small.

    Return the API object. Requires a write transaction.

    `source` is an import_bodies.Source. Raise 422 `import_rejected` if a record is invalid and
    `skip_on_error` is false.
    """
    runs_later = source.records is None
    columns = {name: options[name] for name in ("mode", "match_field", *runs.FLAGS, "event_id")}
    id = db.insert(
        sql.add,
        kind=kind,
        status="queued" if runs_later else "running",
        **columns,
        field_mapping=as_json(options["field_mapping"]),
        form=as_json(source.form),
        sha256=files.keep(db.config, source.upload) if runs_later else None,
        total=source.total,
        admin_id=db.actor.admin_id,
        admin_name=db.actor.admin_name,
        api_key_id=db.actor.key_id,
        request_id=db.actor.request_id,
        now=db.now,
    )

    if not runs_later:
        faults = Job(db, id).run_all(db, source.records)
        if faults:
            raise Problem("import_rejected", _refusal(faults, source.total), errors=faults)
        db.run(sql.finish, id=id, status="done", failure=None, processed=source.total, now=db.now)

    record = runs.with_errors(db, id)
    journal.created(db, entities.BULK_IMPORT, runs.journal_values(record))
    return record


def _refusal(faults, total):
    records = len({fault["index"] for fault in faults})
    verb = "is" if records == 1 else "are"
    return f"{records} of {total} records {verb} invalid, so no record was imported. See `errors`."
