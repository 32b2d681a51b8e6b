"""Bulk import: many contacts or participants at once, as JSON or CSV. Rejected records are returned with the reason."""
import csv
import io

from eventapi.domain.imports import bulk_imports, participants
from eventapi.domain.imports import runs as import_runs
from eventapi.domain.imports.files import REASONS
from eventapi.plugins.access import require_scope
from eventapi.spreadsheet import cell
from eventapi.storage.statements import statements
from eventapi.web.import_bodies import CSV, FORMS, receiver
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, found, location
from eventapi.web.routes import Routes

routes = Routes("bulk_import", "bulk_import", scope="by_entity_type")
sql = statements("bulk_import")

KINDS = ("contacts", "participants")


@routes.list("/bulk-import", query="bulk_import.query")
def list_bulk_imports(db, who, query):
    """List the imports of contacts, participants or both, as far as the key may read these."""
    readable = [kind for kind in KINDS if {kind, f"{kind}:read"} & set(who.scopes)]
    if query.get("kind") or len(readable) < len(KINDS):
        query["kind"] = query.get("kind") or (readable or KINDS)[0]
        require_scope(who, query["kind"], writes=False)
    return page(db, sql.list, query, bulk_imports.represent, INCLUDES)


@routes.post("/bulk-import/contacts", scope="contacts", query="bulk_import.of_contacts", schema="bulk_import.contacts",
             raw_body=FORMS,
             receive=receiver("contacts"), response="bulk_import", status=201, again=202)
def import_contacts(db, upload):
    """Import contacts.

    Each record is validated as in POST /contacts.

    As JSON: up to 10,000 records and 16 MiB, with the options beside them. As text/csv: options in the query;
    separated by comma, semicolon or tab; in UTF-8, UTF-16 or Windows-1252; columns named as in our lists, in any
    case; an empty cell sets nothing. Up to 2,000 records are imported at once (201), more by the worker (202):
    Location shows the progress. Download rejected records from /bulk-import/{id}/errors, correct them and send them
    again.
    """
    return imported(db, "contacts", {**upload.options, "create_contacts": True, "event_id": None}, upload)


@routes.post("/bulk-import/participants", scope="participants", query="bulk_import.of_participants",
             schema="bulk_import.participants",
             raw_body=FORMS, receive=receiver("participants"), response="bulk_import", status=201, again=202)
def import_participants(db, upload):
    """Import participants of one event.

    Options and formats are those of /bulk-import/contacts.

    Each record names its contact by `contact_id` or `match_field`. Its contact fields are used only to create a
    missing contact (`create_contacts`); an existing contact does not change. A record that names another event is
    rejected.
    """
    event_id = participants.event_of(db, upload.options)
    return imported(db, "participants", {**upload.options, "event_id": event_id}, upload)


def imported(db, kind, options, upload):
    record = import_runs.create(db, kind, options, upload)
    return Response(record, 201 if record["finished_at"] else 202,
                    {"Location": location(f"/bulk-import/{record['id']}")})


@routes.get("/bulk-import/<id>")
def get_bulk_import(db, who, id):
    """Get the progress and the result of an import: counters, the first 1,000 errors and the first 1,000 records."""
    with db.snapshot():
        get(db, who, id)
        return one(db, bulk_imports.with_errors(db, id), {}, INCLUDES)


@routes.get("/bulk-import/<id>/errors", forms=(CSV,))
def get_rejected_records(db, who, id):
    """Download the rejected records as CSV, with the reason in the last column. Correct them and send them again."""
    row = get(db, who, id)
    return Response(body=lines(db, row), headers={
        "Content-Type": "text/csv; charset=utf-8; header=present",
        "Content-Disposition": f'attachment; filename="rejected-{id}.csv"'})


def get(db, who, id):
    row = found(bulk_imports.get(db, id), "bulk import", id)
    require_scope(who, row["kind"], writes=False)
    return row


def lines(db, row):
    """Yield the bytes of the CSV in chunks."""
    columns = row["form"].get("columns") or named(db, row["id"])
    columns = [name for name in columns if name and name not in REASONS]
    yield written([[*map(cell, columns), *REASONS]])
    for piece in bulk_imports.rejected(db, row["id"]):
        yield written([[*cells(row["form"], columns, sent), index, cell("; ".join(map(said, faults)))]
                       for index, sent, faults in piece])


def named(db, id):
    """Return the field names of the rejected objects in order of appearance, with one name per custom field."""
    return list(dict.fromkeys(name for piece in bulk_imports.rejected(db, id) for _, sent, _ in piece
                              for name in flat(sent)))


def flat(sent):
    fields = sent.get("custom_fields")
    if not isinstance(fields, dict):
        return sent
    return {**{name: value for name, value in sent.items() if name != "custom_fields"},
            **{f"custom_fields.{key}": value for key, value in fields.items()}}


def cells(form, columns, sent):
    if form["kind"] == "json":
        return [cell(flat(sent).get(name)) for name in columns]
    places = {name: place for place, name in enumerate(form["columns"])}
    return [cell(sent[places[name]]) if places[name] < len(sent) else "" for name in columns]


def said(fault):
    return f"{fault['field']}: {fault['detail']}" if fault["field"] else fault["detail"]


def written(rows):
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()


INCLUDES = {"errors": bulk_imports.attach_errors, "details": bulk_imports.attach_details}
