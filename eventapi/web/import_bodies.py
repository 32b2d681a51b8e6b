"""Bodies of bulk imports, JSON or CSV: received, parsed and checked as a whole before any
transaction begins.
"""

from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from eventapi.domain.imports import fields as import_fields
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports import job, start
from eventapi.errors import Faults, Problem, fault, invalid, invalid_parameter
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.validation.bodies import Body
from eventapi.validation.messages import actual
from eventapi.web import uploads
from eventapi.web.json_bodies import ObjectReader, is_json, parse
from eventapi.web.routes import CSV, JSON

FORMS = (JSON, CSV)
MAX_JSON = 16 * 1024 * 1024
MAX_RECORDS, MAX_FIELDS = 10_000, 500  # of a JSON body, as in its schema
LINES = 20  # records that are written to the file at once
YES, NO = ("true", "1"), ("false", "0")


@dataclass(frozen=True)
class Source:
    """An import as it was sent.

    Attributes:
        options: the body without its records, by the schema of the import.
        upload: the records as a temporary file: CSV, or one JSON object per line.
        form: how to read that file, see domain/imports/files.
        total: number of records.
        records: the records, read and checked, if the import is small enough to run at once; otherwise None.
    """

    options: dict
    upload: files.Upload
    form: dict
    total: int
    records: list | None


def receiver(kind: str) -> Callable:
    """Return the route option `receive` for imports of a kind: `contacts` or `participants`.

    It yields a Source.
    """

    @contextmanager
    def receive(environ, config, query):
        sent = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        asked = {name: value for name, value in query.items() if value is not None}
        decimal_separator = asked.pop("decimal_separator", None)  # in the query for JSON, too
        taken = _csv if sent == CSV else _json
        with taken(environ, config, kind, asked) as (options, upload, form, total, sent_hash):
            environ["eventapi.raw_body"] = sent_hash.encode()
            columns = import_fields.unknown_columns(kind, form, options["field_mapping"])
            faults = [
                *import_fields.unknown_targets(kind, options["field_mapping"]),
                *_faults(kind, options, total),
            ]
            if columns or faults:
                raise invalid([*columns, *(map(_of_parameter, faults) if sent == CSV else faults)])
            db = environ["eventapi.connections"].reader()
            form = import_fields.with_separators(
                db, kind, upload.path, form, options["field_mapping"], decimal_separator
            )
            with _parameters_named(sent == CSV):
                yield Source(
                    options, upload, form, total, _checked(db, kind, upload, form, options, total)
                )

    return receive


@contextmanager
def _parameters_named(is_csv):
    """Change the faults of a Problem from pointers to parameters if the options were in the query."""
    try:
        yield
    except Problem as problem:
        if is_csv and problem.errors:
            problem.errors = [
                _of_parameter(entry) if entry.get("pointer") else entry for entry in problem.errors
            ]
        raise


def _of_parameter(entry):
    """Return a fault of an option with the name of the query parameter instead of a pointer."""
    name = entry["pointer"].split("/")[1]
    return fault(
        entry["code"],
        entry["detail"],
        **({"pointer": ""} if name == "records" else {"parameter": name}),
    )


def _faults(kind, options, total):
    """Return the faults of options that only show together with the number of records."""
    faults = Faults()
    if not total:
        faults.add("/records", "min_items", "must have at least one record")
    if total > start.MAX_ALL_OR_NOTHING and not options["skip_on_error"] and not options["dry_run"]:
        faults.add(
            "/skip_on_error",
            "too_many",
            f"must be true for more than {start.MAX_ALL_OR_NOTHING} records",
        )
    if options["dry_run"] and total > start.MAX_DRY_RUN:
        faults.add(
            "/dry_run", "too_many", f"must be false for more than {start.MAX_DRY_RUN} records"
        )
    if kind == "participants" and options["event_key"] is None and options["event_id"] is None:
        faults.add("/event_key", "required", "is required, or `event_id`")
    return faults


def _checked(db, kind, upload, form, options, total):
    if total > start.MAX_AT_ONCE or upload.size > start.MAX_SIZE_AT_ONCE:
        return None
    read = import_fields.Reader(db, kind, form, options["field_mapping"])
    return [job.validated(read, entry) for entry in import_files.records(upload.path, form)]


@contextmanager
def _csv(environ, config, kind, asked):
    options = _of_query(kind, asked, config)
    with uploads.stored(environ, config, config.max_import_mb * 1024 * 1024) as upload:
        yield options, upload, *import_files.read_form(upload.path), upload.sha256


def _of_query(kind, asked, config):
    """Return the options of a CSV import from its query, checked by the same schema as those of a
    JSON body.
    """
    options = {
        name: value in YES if value in (*YES, *NO) else value for name, value in asked.items()
    }
    if "field_mapping" in asked:
        options["field_mapping"] = _mapping(asked["field_mapping"])
    with _parameters_named(True):
        return Body(f"bulk_import.{kind}_options", "POST", config.timezone)(options)


def _mapping(text):
    try:
        return parse(text.encode())
    except Problem:
        raise invalid_parameter(
            "field_mapping", "format", 'must be a JSON object such as {"Firma": "company_name"}'
        ) from None


@contextmanager
def _json(environ, config, kind, asked):
    if not is_json(environ) and (uploads.content_length(environ) or uploads.is_chunked(environ)):
        raise Problem(
            "unsupported_media_type",
            "Send the records as application/json or text/csv, not compressed.",
            headers={"Accept": ", ".join(FORMS), "Accept-Encoding": "identity"},
        )
    length = uploads.content_length(environ)
    if length > MAX_JSON:
        raise uploads.too_large(MAX_JSON)
    stream = uploads.Body(environ["wsgi.input"], None if uploads.is_chunked(environ) else length)
    lines = Lines(stream)
    with (
        uploads.place(environ),
        _drained(stream),
        files.received(config, lines, 8 * MAX_JSON) as upload,
    ):
        options, faults = _options(f"bulk_import.{kind}", lines, config)
        if faults:
            raise invalid(faults)
        if asked:
            raise invalid(
                [
                    fault(
                        "in_body",
                        "must be in the body if the records are sent as JSON",
                        parameter=name,
                    )
                    for name in sorted(asked)
                ]
            )
        sent = sha256(f"{upload.sha256} {as_json(options)}".encode()).hexdigest()
        yield options, upload, {"kind": "json"}, lines.count, sent


@contextmanager
def _drained(stream):
    """Read the rest of a body that is refused, since a client may read the response only after it
    has sent all.

    Read no more than a valid body may have.
    """
    try:
        yield
    except Problem as problem:
        if problem.code in ("malformed_json", "validation_failed"):
            with suppress(Problem):
                any(not stream.read(files.PIECE) for _ in range(MAX_JSON // files.PIECE))
        raise


def _options(name, lines, config):
    """Return (options, faults) of a JSON body whose records were read.

    The schema checks an empty array of records.
    """
    body, faults = lines.reader.rest, list(lines.faults)
    if isinstance(body, dict) and lines.reader.has_items:
        body = {**body, "records": [{}] if lines.count else []}
    try:
        body = Body(name, "POST", config.timezone)(body)
        del body["records"]
    except Problem as problem:
        faults += problem.errors
    return body, faults


class Lines:
    """The records of a JSON body as a source of bytes: one line of JSON for each.

    Attributes:
        count: number of records that were read. faults: those of records that are no objects, or too large.
        reader: reads the body; its `rest` has the options in the end.
    """

    def __init__(self, stream: files.Source):
        self.reader = ObjectReader(stream, "records", MAX_JSON)
        self.count = 0
        self.faults = Faults()
        self.lines = map(self._line, self.reader.items())

    def read(self, _: int) -> bytes:
        """Return some lines, b"" at the end.

        Raise 400, 413 or 422 for a body that cannot be imported.
        """
        return "".join(islice(self.lines, LINES)).encode()

    def _line(self, record):
        place, self.count = f"/records/{self.count}", self.count + 1
        if self.count > MAX_RECORDS:
            raise invalid(
                [fault("max_items", f"must have at most {MAX_RECORDS} items", pointer="/records")]
            )
        if not isinstance(record, dict):
            self.faults.add(place, "type", f"must be an object{actual(record)}")
        elif len(record) > MAX_FIELDS:
            self.faults.add(
                place,
                "max_properties",
                f"must have at most {MAX_FIELDS} fields, but has {len(record)}",
            )
        return f"{as_json(record)}\n"
