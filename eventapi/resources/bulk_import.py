"""Bulk imports of contacts and participants, as JSON or CSV. Rejected records can be downloaded
with the reasons.
"""

import codecs
import csv
import io

from eventapi.domain.imports import participants, runs, start
from eventapi.domain.imports.files import REASONS, SURPLUS
from eventapi.plugins.access import require_scope
from eventapi.spreadsheet import cell, number
from eventapi.storage.statements import statements
from eventapi.web.import_bodies import CSV, FORMS, receiver
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, found, location
from eventapi.web.routes import Routes

routes = Routes("bulk-import", "bulk_import", scope="by_entity_type")
sql = statements("bulk_import")

KINDS = ("contacts", "participants")


@routes.list("/bulk-import", query="bulk_import.query")
def list_bulk_imports(db, who, query):
    """List bulk imports.

    The list contains the kinds of records that the API key may read, or only `kind`.
    """
    readable = [kind for kind in KINDS if {kind, f"{kind}:read"} & set(who.scopes)]
    if query.get("kind") or len(readable) < len(KINDS):
        query["kind"] = query.get("kind") or (readable or KINDS)[0]
        require_scope(who, query["kind"], writes=False)
    return page(db, sql.list, query, runs.represent, INCLUDES)


@routes.post(
    "/bulk-import/contacts",
    scope="contacts",
    query="bulk_import.of_contacts",
    schema="bulk_import.contacts",
    raw_body=FORMS,
    receive=receiver("contacts"),
    response="bulk_import",
    status=201,
    again=202,
)
def import_contacts(db, upload):
    """Import contacts.

    Each record is validated as in `POST /contacts`.

    JSON: up to 10,000 records and 16 MiB, with the options in the same object. CSV (`text/csv`):
    the options are query parameters. Cells are separated by comma, semicolon or tab, and the
    encoding is UTF-8, UTF-16 or Windows-1252. Columns are named as in our lists; case does not
    matter. An empty cell sets nothing.

    Numbers as text, also in JSON: between semicolons or tabs, 1.250 is 1250 and 1,5 is 1.5.
    Otherwise 1.250 and 1,250 are rejected (`ambiguous_number`) unless `decimal_separator` or
    another number of the column decides. Countries may be names. Postal codes and telephone numbers
    that a spreadsheet program has damaged are rejected (`spreadsheet_damage`), with a `suggestion`
    where there is one.

    Up to 2,000 records and 2 MiB are imported immediately (201). Larger imports run in the
    background (202); `Location` shows the progress. Download rejected records from
    `/bulk-import/{id}/errors`, correct them and send them again. A record has at most 1 MiB.
    """
    return imported(
        db, "contacts", {**upload.options, "create_contacts": True, "event_id": None}, upload
    )


@routes.post(
    "/bulk-import/participants",
    scope="participants",
    query="bulk_import.of_participants",
    schema="bulk_import.participants",
    raw_body=FORMS,
    receive=receiver("participants"),
    response="bulk_import",
    status=201,
    again=202,
)
def import_participants(db, upload):
    """Import participants of one event.

    Options and formats are those of `POST /bulk-import/contacts`.

    Each record names its contact by `contact_id` or by the field in `match_field`. Its contact
    fields are used only to create a missing contact (`create_contacts`); an existing contact does
    not change. A record that names another event is rejected.
    """
    event_id = participants.event_of(db, upload.options)
    return imported(db, "participants", {**upload.options, "event_id": event_id}, upload)


def imported(db, kind, options, upload):
    """Return 201 with the finished import, or 202 if it continues in the background."""
    record = start.create(db, kind, options, upload)
    return Response(
        record,
        201 if record["finished_at"] else 202,
        {"Location": location(f"/bulk-import/{record['id']}")},
    )


@routes.get("/bulk-import/<id>")
def get_bulk_import(db, who, id):
    """Get an import.

    The response contains the counters, the first 1,000 errors and the results of the first 1,000
    records.
    """
    with db.snapshot():
        get(db, who, id)
        return one(db, runs.with_errors(db, id), {}, INCLUDES)


@routes.get("/bulk-import/<id>/errors", forms=(CSV,))
def get_bulk_import_errors(db, who, id):
    """Download the rejected records of an import as CSV.

    The last columns contain the index and the reason. Correct the records and send them again. The
    file has the encoding and the separator of the file that was imported. Cells beyond its last
    column are in `rejected_surplus_1` and so on; empty them before you send the file again. Only
    `decimal_separator` decides there how 1.250 and 1,250 are
    read: otherwise they are rejected.
    """
    row = get(db, who, id)
    charset = row["form"].get("encoding", "utf-8").removesuffix("-sig")
    return Response(
        body=lines(db, row),
        headers={
            "Content-Type": f"text/csv; charset={charset}; header=present",
            "Content-Disposition": f'attachment; filename="rejected-{id}.csv"',
        },
    )


def get(db, who, id):
    """Return the row of an import.

    Raise 404 if there is none, 403 if the key must not read its kind of records.
    """
    row = found(runs.get(db, id), "bulk import", id)
    require_scope(who, row["kind"], writes=False)
    return row


def lines(db, row):
    """Yield the bytes of the CSV in chunks, in the encoding and with the separator of the imported
    file.
    """
    form = row["form"]
    encode, surplus = encoder(form), range(0)
    columns = form.get("columns") or columns_of_objects(db, row["id"])
    if form["kind"] == "csv":
        surplus = range(len(columns), most_cells(db, row["id"]))
    columns = [name for name in columns if name and name not in REASONS]
    first = 1 + sum(name.startswith(SURPLUS) for name in columns)
    yield encode(
        [
            [
                *map(cell, columns),
                *(f"{SURPLUS}{first + number}" for number in range(len(surplus))),
                *REASONS,
            ]
        ]
    )
    for batch in runs.rejected(db, row["id"]):
        yield encode(
            [
                [
                    *cells(form, columns, sent),
                    *(cell(place_of(sent, place)) for place in surplus),
                    index,
                    cell("; ".join(map(reason, faults))),
                ]
                for index, sent, faults in batch
            ]
        )


def most_cells(db, id):
    """Return the number of cells of the longest rejected record of a CSV file."""
    return max((len(sent) for batch in runs.rejected(db, id) for _, sent, _ in batch), default=0)


def place_of(sent, place):
    """Return a cell of a rejected record, "" if it has fewer."""
    return sent[place] if place < len(sent) else ""


def columns_of_objects(db, id):
    """Return the field names of the rejected objects in order of appearance, with one name per
    custom field.
    """
    return list(
        dict.fromkeys(
            name for batch in runs.rejected(db, id) for _, sent, _ in batch for name in flat(sent)
        )
    )


def flat(sent):
    """Return the object with a field such as `custom_fields.size` for each custom field."""
    fields = sent.get("custom_fields")
    if not isinstance(fields, dict):
        return sent
    return {
        **{name: value for name, value in sent.items() if name != "custom_fields"},
        **{f"custom_fields.{key}": value for key, value in fields.items()},
    }


def cells(form, columns, sent):
    """Return the cells of a rejected record, which is an object (JSON) or a list of texts (CSV)."""
    if form["kind"] == "json":
        return [cell(unambiguous(flat(sent).get(name))) for name in columns]
    places = {name: place for place, name in enumerate(form["columns"])}
    return [cell(place_of(sent, places[name])) for name in columns]


def unambiguous(value):
    """Return a value, but for a number with three decimals its text with four: an import could read
    2.375 as 2375.
    """
    text = number(value) if isinstance(value, float) else ""
    return f"{text}0" if len(text.partition(".")[2]) == 3 else value


def reason(fault):
    """Return a fault as text."""
    return f"{fault['field']}: {fault['detail']}" if fault["field"] else fault["detail"]


def encoder(form):
    """Return a function that returns rows as bytes of CSV. Only its first result has a byte order
    mark.

    A reason may contain letters that the encoding lacks; they become question marks.
    """
    has_mark, encoding = form.get("has_mark"), form.get("encoding", "utf-8")
    encoding = encoding if has_mark else encoding.removesuffix("-sig")
    encode = codecs.getincrementalencoder(encoding)("replace").encode

    def encoded(rows):
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=form.get("separator", ","), lineterminator="\r\n").writerows(
            rows
        )
        return encode(buffer.getvalue())

    return encoded


INCLUDES = {"errors": runs.attach_errors, "details": runs.attach_details}
