"""Bulk import of contacts and participants."""

import csv
import difflib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import suppress
from urllib.parse import quote

import pytest

from eventapi import journal
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports import job as import_job
from eventapi.domain.imports import runs
from eventapi.domain.imports.contacts import Contacts
from eventapi.domain.imports.known import Record
from eventapi.domain.people import contacts as contact_book
from eventapi.storage import schema
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError
from eventapi.validation.schema_files import document
from eventapi.worker import bulk_import as job
from tests.web.test_routes import problem

CSV = {"Content-Type": "text/csv"}


def send_csv(client, text, query="", kind="contacts", status=201, encoding="utf-8"):
    raw = text if isinstance(text, bytes) else text.encode(encoding)
    answer = client.post(f"/bulk-import/{kind}?{query}", raw=raw, headers=CSV, status=status)
    return answer.json.get("data") or answer.json


def send(client, records, kind="contacts", status=201, **options):
    answer = client.post(f"/bulk-import/{kind}", {"records": records, **options}, status=status)
    return answer.json.get("data") or answer.json


def counters(record):
    return {name: record[name] for name in ("total", "created", "updated", "skipped", "rejected")}


def run_worker(db):
    job.run(db, lambda: False)
    job.finish()


def people(number, start=0):
    return [
        {"email": f"p{place}@example.org", "last_name": f"Person {place}"}
        for place in range(start, start + number)
    ]


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events", {"event_key": "fair", "title": "Fair", "date_from": "2027-05-01"}
    )


# Contacts


def test_imported_contacts_equal_posted_contacts(organiser, db):
    answer = organiser.post(
        "/bulk-import/contacts",
        {
            "records": [
                {"email": "anna@example.org", "first_name": " Anna ", "tags": ["roses", "tulips"]},
                {"company_name": "Rosen KG", "rating": 5},
            ]
        },
        status=201,
    )
    record = answer.json["data"]
    assert counters(record) == {"total": 2, "created": 2, "updated": 0, "skipped": 0, "rejected": 0}
    assert record["status"] == "done" and record["errors"] == []
    assert (
        organiser.data(
            answer.headers["Location"].partition("//")[2].partition("/api")[1]
            + answer.headers["Location"].partition("/api")[2]
        )
        == record
    )
    anna = organiser.data(f"/contacts/{record['details'][0]['id']}")
    single = organiser.make(
        "/contacts",
        {"email": "berta@example.org", "first_name": "Anna", "tags": ["roses", "tulips"]},
    )
    own = ("id", "email", "customer_number", "created_at", "updated_at")
    assert {name: anna[name] for name in anna if name not in own} == {
        name: single[name] for name in single if name not in own
    }
    assert (anna["customer_number"], single["customer_number"]) == ("C-00001", "C-00003")
    assert [contact["id"] for contact in organiser.data("/contacts?search=anna")] == [
        single["id"],
        anna["id"],
    ]
    assert journal.verify(db) == []


@pytest.mark.parametrize("kind", ["contacts", "participants"])
def test_identifiers_for_e_invoices_are_imported_in_their_canonical_form(organiser, kind):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    event = {"event_key": "fair"} if kind == "participants" else {}
    right = {
        "email": "a@x.example",
        "leitweg_id": "991-33333test-33",
        "gln": "4012345000009",
        "e_invoice_profile": "xrechnung",
        "electronic_address": "0204:991-33333TEST-33",
    }
    wrong = {
        "email": "b@x.example",
        "gln": "4012345000008",
        "leitweg_id": "991-1-00",
        "electronic_address": "x",
    }
    result = send(organiser, [right, wrong], kind, **event)
    assert (result["created"], result["rejected"]) == (1, 1)
    (contact,) = organiser.data("/contacts")
    assert [
        contact[name] for name in ("leitweg_id", "gln", "e_invoice_profile", "electronic_address")
    ] == ["991-33333TEST-33", "4012345000009", "xrechnung", "0204:991-33333TEST-33"]


@pytest.mark.parametrize("kind", ["contacts", "participants"])
def test_a_file_says_whether_a_contact_is_a_business(organiser, kind):
    organiser.make("/events", {"title": "Fair", "event_key": "fair"})
    query = "event_key=fair" if kind == "participants" else ""
    text = "email,is_business\na@x.example,ja\nb@x.example,no\nc@x.example,\nd@x.example,maybe\n"
    result = send_csv(organiser, text, query, kind)
    assert (result["created"], result["rejected"]) == (3, 1)
    found = {contact["email"][0]: contact["is_business"] for contact in organiser.data("/contacts")}
    assert found == {"a": True, "b": False, "c": None}
    [fault] = result["errors"]
    assert (fault["index"], fault["field"]) == (3, "is_business")


def test_an_import_journals_the_same_as_single_requests(organiser, db):
    organiser.make("/categories", {"category_key": "roses", "title": "Roses"})
    body = {"company_name": "Rosen KG", "category_keys": ["roses"], "tags": ["x"]}
    single = organiser.make("/contacts", body)["id"]
    many = send(organiser, [body])["details"][0]["id"]
    read = (
        "SELECT action, entity_title, old_values, new_values FROM audit_log "
        "WHERE entity_type = 'contact' AND entity_id = ?"
    )
    one, other = (db.connection.execute(read, [id]).fetchone() for id in (single, many))
    own = ("id", "customer_number", "created_at", "updated_at")
    assert one[:3] == other[:3]
    steady = [
        {name: value for name, value in json.loads(row[3]).items() if name not in own}
        for row in (one, other)
    ]
    assert steady[0] == steady[1] and list(steady[0]) == list(steady[1])
    events = [
        json.loads(row[0])
        for row in db.connection.execute(
            "SELECT data FROM outgoing_events WHERE name = 'contact.created' ORDER BY id"
        )
    ]
    assert events[1]["category_keys"] == ["roses"] and contact_book.state(db, many) == events[1]


def test_create_skips_existing_contacts_and_update_skips_unknown_ones(organiser):
    organiser.make("/contacts", {"email": "anna@example.org", "first_name": "Anna", "city": "Kiel"})
    records = [{"email": "ANNA@example.org", "first_name": "Anne"}, {"email": "berta@example.org"}]
    first = send(organiser, records, mode="update", dry_run=True)
    assert (first["updated"], first["skipped"], first["details"][1]["reason"]) == (
        1,
        1,
        "not_found",
    )
    assert send(organiser, records)["details"][0]["reason"] == "exists"
    assert counters(send(organiser, records, mode="upsert")) == {
        "total": 2,
        "created": 0,
        "updated": 2,
        "skipped": 0,
        "rejected": 0,
    }
    anna = organiser.data("/contacts?email=anna@example.org")[0]
    assert (anna["first_name"], anna["city"]) == ("Anne", "Kiel"), (
        "omitted fields keep their values"
    )


def test_a_record_matches_records_created_earlier_in_the_import(organiser):
    twice = [{"email": "a@example.org", "city": "Kiel"}, {"email": "A@example.org", "city": "Ulm"}]
    assert counters(send(organiser, twice, mode="upsert", dry_run=True))["updated"] == 1
    assert counters(send(organiser, twice, mode="upsert")) == {
        "total": 2,
        "created": 1,
        "updated": 1,
        "skipped": 0,
        "rejected": 0,
    }
    assert [contact["city"] for contact in organiser.data("/contacts")] == ["Ulm"]
    same = [
        {"external_id": "7", "email": "b@example.org"},
        {"external_id": "7", "email": "c@example.org"},
    ]
    for dry in (True, False):
        assert send(organiser, same, dry_run=dry)["errors"] == [
            {
                "index": 1,
                "field": "external_id",
                "code": "duplicate",
                "detail": "belongs to another contact",
            }
        ]


def test_matching_by_number_and_by_external_id(organiser):
    contact = organiser.make("/contacts", {"external_id": "X-1", "email": "a@example.org"})
    send(
        organiser,
        [{"external_id": "X-1", "email": "b@example.org"}],
        mode="upsert",
        match_field="external_id",
    )
    send(
        organiser,
        [{"customer_number": contact["customer_number"], "city": "Ulm"}],
        mode="update",
        match_field="customer_number",
    )
    after = organiser.data(f"/contacts/{contact['id']}")
    assert (after["email"], after["city"]) == ("b@example.org", "Ulm")


def test_an_ambiguous_name_is_rejected(organiser):
    for _ in range(2):
        organiser.make("/contacts", {"email": "twin@example.org"})
    record = send(
        organiser, [{"email": "twin@example.org", "city": "Ulm"}, {"city": "Ulm"}], mode="upsert"
    )
    assert [(error["index"], error["field"], error["code"]) for error in record["errors"]] == [
        (0, "email", "ambiguous_contact"),
        (1, "email", "required"),
    ]


def test_every_fault_of_every_record_is_reported(organiser):
    record = send(
        organiser,
        [
            {"email": "nonsense", "rating": 9, "shoe": 1},
            {"city": "Ulm"},
            {"email": "a@example.org", "category_keys": ["none"]},
            {"email": "b@example.org", "custom_fields": {"none": 1}},
            {"email": "fine@example.org"},
        ],
    )
    assert {(error["index"], error["field"], error["code"]) for error in record["errors"]} == {
        (0, "email", "format"),
        (0, "rating", "maximum"),
        (0, "shoe", "unknown"),
        (1, None, "any_of"),
        (2, "category_keys.0", "unknown"),
        (3, "custom_fields.none", "unknown"),
    }
    assert counters(record) == {"total": 5, "created": 1, "updated": 0, "skipped": 4, "rejected": 4}
    assert len(organiser.data("/contacts")) == 1


def test_all_or_nothing_imports_no_record_if_one_is_rejected(organiser, db):
    records = [*people(3), {"email": "nonsense"}]
    found = problem(
        organiser.post("/bulk-import/contacts", {"records": records, "skip_on_error": False}),
        422,
        "import_rejected",
    )
    assert [(error["index"], error["field"], error["code"]) for error in found["errors"]] == [
        (3, "email", "format")
    ]
    assert (
        organiser.data("/contacts") == []
        and organiser.data("/bulk-import") == []
        and journal.verify(db) == []
    )
    assert send(organiser, records[:3], skip_on_error=False)["created"] == 3


def test_a_dry_run_changes_nothing(organiser, db):
    organiser.make("/contacts", {"email": "p0@example.org"})
    tables = ("contacts", "contact_tags", "participants", "counters", "sqlite_sequence")

    def all_rows():
        return [
            db.connection.execute(
                f"SELECT * FROM {table} WHERE TRUE"
                + " AND name IN ('contacts', 'participants')" * (table == "sqlite_sequence")
            ).fetchall()
            for table in tables
        ]

    before = all_rows()
    record = send(organiser, [*people(3), {"email": "nonsense"}], mode="upsert", dry_run=True)
    assert counters(record) == {"total": 4, "created": 2, "updated": 1, "skipped": 1, "rejected": 1}
    assert record["dry_run"]
    assert all_rows() == before
    assert [row[0] for row in db.connection.execute("SELECT name FROM outgoing_events")] == [
        "contact.created",
        "bulk_import.created",
    ]
    real = send(organiser, [*people(3), {"email": "nonsense"}], mode="upsert")
    assert counters(real) == counters(record)


def test_contacts_join_events_and_anonymised_ones_are_rejected(organiser):
    organiser.make("/events", {"event_key": "fair", "title": "Fair", "date_from": "2027-05-01"})
    record = send(organiser, [{"email": "a@example.org", "event_keys": ["fair"]}])
    id = record["details"][0]["id"]
    assert [
        participant["contact_id"] for participant in organiser.data("/participants?event_key=fair")
    ] == [id]
    number = organiser.post(f"/contacts/{id}/anonymize", status=200).json["data"]["customer_number"]
    record = send(
        organiser,
        [{"customer_number": number, "city": "Ulm"}],
        mode="update",
        match_field="customer_number",
    )
    assert record["errors"][0]["code"] == "anonymized"


def test_field_mapping_maps_columns_to_fields(organiser):
    mapping = {
        "Firma": "company_name",
        "Mail": "email",
        "Farbe": None,
        "Halle": "custom_fields.hall",
    }
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "hall",
            "field_label": "Hall",
            "field_type": "integer",
        },
    )
    send(
        organiser,
        [{"Firma": "Rosen", "Mail": "r@example.org", "Farbe": "red", "Halle": 7}],
        field_mapping=mapping,
    )
    send_csv(
        organiser,
        "Firma;Mail;Farbe;Halle\nTulpen;t@example.org;red;8\n",
        f"field_mapping={quote(json.dumps(mapping))}",
    )
    found = organiser.data("/contacts?include=custom_fields&order=ASC")
    assert [(contact["company_name"], contact["custom_fields"]) for contact in found] == [
        ("Rosen", {"hall": 7}),
        ("Tulpen", {"hall": 8}),
    ]
    wrong = problem(
        organiser.post("/bulk-import/contacts", {"records": [{}], "field_mapping": {"a": "emial"}}),
        422,
        "validation_failed",
    )
    assert (
        wrong["errors"][0]["pointer"] == "/field_mapping/a"
        and "did you mean email?" in wrong["errors"][0]["detail"]
    )


# CSV


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "windows-1252"])
def test_a_csv_saved_by_a_spreadsheet_is_read(organiser, separator, encoding):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=separator).writerows(
        [
            ["company_name", "email", "notes", "account_access_enabled", "rating", "tags"],
            [
                'Gärtner "Söhne"',
                "g@example.org",
                f"two\r\nlines{separator} one cell",
                "ja",
                "4",
                "roses|tulips",
            ],
            [],
            ["Nur Name", "", "", "", "", ""],
        ]
    )
    record = send_csv(organiser, buffer.getvalue(), encoding=encoding)
    assert counters(record) == {"total": 2, "created": 2, "updated": 0, "skipped": 0, "rejected": 0}
    contact = organiser.data("/contacts?email=g@example.org")[0]
    assert (
        contact["company_name"],
        contact["notes"],
        contact["account_access_enabled"],
        contact["rating"],
        contact["tags"],
    ) == ('Gärtner "Söhne"', f"two\r\nlines{separator} one cell", True, 4, ["roses", "tulips"])


QUIRKS = {
    "a line that says the separator": "sep=;\r\nemail;last_name\r\na@example.org;A\r\n",
    "the same in quotes": '"sep=;"\nemail;last_name\na@example.org;A\n',
    "empty columns and rows": "email;last_name;;\na@example.org;A;;;;\n;;;;\n ; ;\n\u00a0\n",
    "lines before the header": "\n;\nemail;last_name\na@example.org;A\n",
    "a header as people write it": "E-Mail;Last Name\u00a0\na@example.org;\u00a0A\n",
    "line ends of old": "email;last_name\ra@example.org;A\r",
}


@pytest.mark.parametrize("name", QUIRKS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_spreadsheet_artefacts_are_ignored(organiser, name, encoding):
    record = send_csv(organiser, QUIRKS[name], encoding=encoding)
    assert (record["total"], record["created"]) == (1, 1)
    assert organiser.data("/contacts?email=a@example.org")[0]["last_name"] == "A"


def test_the_index_of_an_error_matches_the_spreadsheet_row(organiser):
    """The index is two less than the row number of the spreadsheet.

    A cell with line breaks is one row; empty rows count.
    """
    record = send_csv(
        organiser, 'sep=;\nemail;notes\na@example.org;"two\nlines"\n;\nnonsense;x\nworse;x;4\n'
    )
    assert [(error["index"], error["code"]) for error in record["errors"]] == [
        (2, "format"),
        (3, "too_many_cells"),
    ]


def test_an_invalid_utf_8_byte_is_reported_with_its_line(organiser):
    raw = (
        "email;city\na@example.org;Köln\nb@example.org;Göttingen\n".encode()
        + b"c@example.org;K\xf6ln\n"
    )
    found = problem(
        organiser.post("/bulk-import/contacts", raw=raw, headers=CSV), 422, "validation_failed"
    )
    assert "line 4" in found["errors"][0]["detail"]


def test_custom_fields_accept_spreadsheet_notation(organiser):
    for kind in ("number", "date", "boolean"):
        organiser.make(
            "/custom-fields",
            {"entity_type": "contact", "field_key": kind, "field_label": kind, "field_type": kind},
        )
    head = "last_name;cf.number;cf.date;cf.boolean\n"
    assert send_csv(organiser, head + "A;-1,5;1.2.2026;ja\nB;2.25;2026-02-01;Yes\n")["created"] == 2
    assert [
        contact["custom_fields"]
        for contact in organiser.data("/contacts?include=custom_fields&order=ASC")
    ] == [
        {"number": -1.5, "date": "2026-02-01", "boolean": True},
        {"number": 2.25, "date": "2026-02-01", "boolean": True},
    ]
    wrong = (
        send_csv(organiser, head + "A;12.34,5;2/1/2026;oui\n")["errors"]
        + send_csv(organiser, 'last_name,cf.number\nA,"1,500"\n')["errors"]
    )
    assert sorted(error["field"] for error in wrong) == [
        f"custom_fields.{name}" for name in ("boolean", "date", "number", "number")
    ]


def test_an_exported_csv_of_contacts_can_be_imported(organiser, fair):
    organiser.make("/categories", {"category_key": "roses", "title": "Roses"})
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "nick",
            "field_label": "Nick",
            "field_type": "multiselect",
            "field_options": ["=a", "b, c"],
        },
    )
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "=cmd|' /C calc'!A0",
            "last_name": "'=quoted",
            "first_name": "-",
            "email": "a@example.org",
            "phone": "+49 341 1",
            "postal_code": "01067",
            "notes": 'two\r\n"lines"',
            "tags": ["-", "=x", "y, z"],
            "category_keys": ["roses"],
            "event_keys": ["fair"],
            "custom_fields": {"nick": ["=a", "b, c"]},
        },
    )
    organiser.make(
        "/contacts", {"last_name": "One", "tags": ["y, z"], "custom_fields": {"nick": ["b, c"]}}
    )
    before = organiser.data("/contacts?include=custom_fields,categories,events")
    for include in ("", "?include=custom_fields,categories,events"):
        listed = organiser.get(
            f"/contacts{include}", headers={"Accept": "text/csv"}, status=200
        ).text
        assert "'=cmd" in listed
        assert (
            counters(send_csv(organiser, listed, "mode=upsert&match_field=customer_number"))[
                "updated"
            ]
            == 2
        )
        assert organiser.data("/contacts?include=custom_fields,categories,events") == before
    for one in before:
        organiser.patch(
            f"/contacts/{one['id']}",
            {"tags": [], "custom_fields": {"nick": None}, "category_keys": []},
            status=200,
        )
    assert (
        counters(send_csv(organiser, listed, "mode=upsert&match_field=customer_number"))["updated"]
        == 2
    )
    organiser_sees = organiser.data("/contacts?include=custom_fields,categories,events")
    assert [{**one, "updated_at": None} for one in organiser_sees] == [
        {**one, "updated_at": None} for one in before
    ]
    assert contact["id"] == before[1]["id"]


def test_an_exported_csv_of_participants_can_be_imported(organiser, fair):
    other = organiser.make(
        "/events", {"event_key": "other", "title": "Other", "date_from": "2027-06-01"}
    )
    for place, confirmed in enumerate((True, False)):
        contact = organiser.make("/contacts", {"last_name": f"P{place}"})
        organiser.make(
            "/participants",
            {
                "event_key": "fair",
                "contact_id": contact["id"],
                "badge_name": "=A",
                "role": "visitor",
                "is_confirmed": confirmed,
            },
        )
    before = organiser.data("/participants?event_key=fair")
    listed = organiser.get(
        "/participants?event_key=fair", headers={"Accept": "text/csv"}, status=200
    ).text
    again = send_csv(organiser, listed, "mode=upsert&event_key=fair", "participants")
    assert (
        counters(again)["updated"] == 2 and organiser.data("/participants?event_key=fair") == before
    )
    refused = send_csv(organiser, listed, "event_key=other", "participants")
    assert {(error["field"], error["code"]) for error in refused["errors"]} == {
        ("event_id", "other_event"),
        ("event_key", "other_event"),
    }
    copied = send_csv(
        organiser,
        listed,
        f"event_key=other&field_mapping={quote(json.dumps({'event_id': None, 'event_key': None}))}",
        "participants",
    )
    assert (
        copied["created"] == 2
        and organiser.data(f"/participants?event_id={other['id']}")[0]["badge_name"] == "=A"
    )


def test_the_csv_of_rejected_records_escapes_formulas(organiser):
    record = send(organiser, [{"=1+1": 3, "last_name": "A"}])
    rows = list(
        csv.reader(
            io.StringIO(organiser.get(f"/bulk-import/{record['id']}/errors", status=200).text)
        )
    )
    assert not any(cell[:1] in "=+-@" for row in rows for cell in row if cell)
    mapping = quote(json.dumps({"=Mail": "email"}))
    record = send_csv(organiser, "=Mail;last_name\nnonsense;A\n", f"field_mapping={mapping}")
    back = organiser.get(f"/bulk-import/{record['id']}/errors", status=200).text
    assert back.startswith("'=Mail")
    assert (
        send_csv(organiser, back.replace("nonsense", "a@example.org"), f"field_mapping={mapping}")[
            "created"
        ]
        == 1
    )


def test_rejected_rows_can_be_downloaded_and_imported_again(organiser):
    record = send_csv(
        organiser,
        "email;last_name;phone\nnonsense;=Evil();1\nfine@example.org;Fine;2\nworse;W;3;4\n",
    )
    assert counters(record)["rejected"] == 2
    back = organiser.get(f"/bulk-import/{record['id']}/errors", status=200)
    rows = list(csv.reader(io.StringIO(back.text), delimiter=";"))
    assert rows == [
        ["email", "last_name", "phone", "rejected_surplus_1", "rejected_index", "rejected_because"],
        ["nonsense", "'=Evil()", "1", "", "0", "email: must be an e-mail address, but is nonsense"],
        ["worse", "W", "3", "4", "2", "has more cells than the header has columns (3)"],
    ]
    corrected = back.text.replace("nonsense", "good@example.org").replace(
        "worse;W;3;4", "w@example.org;W;3;"
    )
    again = send_csv(organiser, corrected)
    assert counters(again)["created"] == 2
    assert organiser.data("/contacts?email=good@example.org")[0]["last_name"] == "=Evil()"


def test_rejected_json_objects_can_be_downloaded_as_csv(organiser):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "hall",
            "field_label": "Hall",
            "field_type": "integer",
        },
    )
    record = send(
        organiser, [{"email": "nonsense", "tags": ["a", "b"], "custom_fields": {"hall": 3}}]
    )
    back = organiser.get(f"/bulk-import/{record['id']}/errors", status=200).text
    assert counters(send_csv(organiser, back.replace("nonsense", "a@example.org")))["created"] == 1
    found = organiser.data("/contacts?include=custom_fields")[0]
    assert (found["tags"], found["custom_fields"]) == (["a", "b"], {"hall": 3})


HOSTILE = {
    "empty": b"",
    "blank": b"\n\n",
    "header only": b"email;city\n",
    "binary": bytes(range(256)) * 20,
    "NUL": b"email\na\0b@example.org\n",
    "UTF-16 and NUL": "email\na\0@example.org\n".encode("utf-16"),
    "half of UTF-16": "email\na@example.org\n".encode("utf-16")[:-1],
    "one bad byte": "email;city\na@example.org;Köln, Göttingen\nb@example.org;".encode()
    + b"K\xf6ln\n",
    "a mark and a bad byte": "\ufeffemail\nä\n".encode() + b"\xe4\n",
    "cut in a letter": "city\nKöln\nUlm ü".encode()[:-1],
    "only a separator": b"sep=;\n",
    "a row without end": b'email;city\n"a@example.org";' + b'"x\n";' * 300000 + b"\n",
    "neither encoding": b"email\n\x81\x8d\xff\n",
    "one line": b"x" * (16 * 1024 * 1024),
    "many columns": ";".join(f"c{place}" for place in range(5000)).encode() + b"\n1\n",
    "double header": b"email;email\na;b\n",
    "unknown column": b"email;shoe\na@example.org;1\n",
    "lone quote": b'email\n"a@example.org\nb@example.org\n',
    "no header name": b";;\n1;2;3\n",
    "quote inside": b'email;city\n"a"b;c\n',
    "a cell without end": b'email\n"' + b"x\n" * 200000 + b'"\n',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_malicious_file_is_refused_and_leaves_nothing(organiser, settings, name):
    found = problem(
        organiser.post("/bulk-import/contacts", raw=HOSTILE[name], headers=CSV),
        422,
        "validation_failed",
    )
    assert found["errors"] and len(json.dumps(found)) < 400_000
    assert organiser.data("/bulk-import") == []
    assert [
        file for file in settings.files.rglob("*") if file.is_file() and file.suffix == ".tmp"
    ] == []


def test_a_file_that_is_too_large_or_of_another_type_is_refused(organiser, settings):
    settings.max_import_mb = 1
    problem(
        organiser.post(
            "/bulk-import/contacts", raw=b"email\n" + b"a@example.org\n" * 100000, headers=CSV
        ),
        413,
        "body_too_large",
    )
    raw = b'{"records": [' + b" " * (16 * 1024 * 1024) + b"{}]}"
    problem(organiser.post("/bulk-import/contacts", raw=raw), 413, "body_too_large")
    problem(
        organiser.post(
            "/bulk-import/contacts", raw=b"x", headers={"Content-Type": "application/zip"}
        ),
        415,
        "unsupported_media_type",
    )
    problem(
        organiser.post("/bulk-import/contacts", {"records": [{}] * 10001}), 422, "validation_failed"
    )
    problem(organiser.post("/bulk-import/contacts", {"records": []}), 422, "validation_failed")
    problem(
        organiser.post("/bulk-import/contacts", {"records": [3, "x"]}), 422, "validation_failed"
    )
    problem(organiser.post("/bulk-import/contacts", raw=b'{"records":'), 400, "malformed_json")
    problem(
        organiser.post("/bulk-import/contacts?mode=upsert", {"records": [{}]}),
        422,
        "validation_failed",
    )


# Participants


def test_importing_participants_creates_missing_contacts(organiser, fair, db):
    anna = organiser.make("/contacts", {"email": "anna@example.org", "city": "Kiel"})
    records = [
        {"email": "anna@example.org", "is_confirmed": True, "city": "Ulm"},
        {"email": "new@example.org", "last_name": "New", "role": "visitor"},
        {"email": "NEW@example.org", "role": "visitor"},
        {"role": "visitor"},
        {"email": "x@example.org", "category_key": "none"},
    ]
    dry = send(organiser, records, "participants", event_key="fair", dry_run=True)
    record = send(organiser, records, "participants", event_key="fair")
    for answer in (dry, record):
        assert (
            answer["created"],
            answer["skipped"],
            answer["rejected"],
            answer["contacts_created"],
        ) == (2, 3, 2, 1)
        assert [(error["index"], error["field"]) for error in answer["errors"]] == [
            (3, "email"),
            (4, "category_key"),
        ]
    found = {
        participant["contact_id"]: participant
        for participant in organiser.data("/participants?event_key=fair")
    }
    assert found[anna["id"]]["status"] == "confirmed" and len(found) == 2
    assert organiser.data(f"/contacts/{anna['id']}")["city"] == "Kiel", (
        "existing contacts do not change"
    )
    assert organiser.data("/contacts?email=x@example.org") == [], (
        "a rejected record creates no contact"
    )
    assert journal.verify(db) == []


def test_an_import_of_participants_accepts_the_fields_of_a_new_contact(organiser, fair):
    """All fields that POST /contacts accepts, but for those that say what the organiser thinks of
    the contact.
    """
    names = [
        name for name, sub in document("contact")["properties"].items() if not sub.get("readOnly")
    ]
    record = {name: None for name in names if name != "custom_fields"}
    errors = send(organiser, [record], "participants", event_key="fair", dry_run=True)["errors"]
    refused = {error["field"] for error in errors if error["code"] == "unknown"}
    assert refused == {
        "notes",
        "rating",
        "tags",
        "account_access_enabled",
        "category_keys",
        "event_keys",
    }, (
        "eventapi/domain/imports/fields.py derives CONTACT_ONLY from `-- columns: fields` of sql/contacts.sql"
    )


def test_existing_participants_are_updated_or_skipped(organiser, fair):
    send(organiser, [{"email": "a@example.org"}], "participants", event_key="fair")
    update = send(
        organiser,
        [
            {"email": "a@example.org", "badge_name": "Ada", "is_confirmed": True},
            {"email": "b@example.org"},
        ],
        "participants",
        event_id=fair["id"],
        mode="update",
    )
    assert (update["updated"], update["skipped"], update["details"][1]["reason"]) == (
        1,
        1,
        "contact_not_found",
    )
    left_out = send(
        organiser,
        [{"email": "c@example.org"}],
        "participants",
        event_key="fair",
        create_contacts=False,
    )
    assert left_out["details"][0]["reason"] == "contact_not_found"
    participant = organiser.data("/participants?event_key=fair")[0]
    assert (participant["badge_name"], participant["status"]) == ("Ada", "confirmed")
    organiser.post(f"/participants/{participant['id']}/cancel", status=200)
    refused = send(
        organiser,
        [{"email": "a@example.org", "badge_name": "Bob", "is_confirmed": True}],
        "participants",
        event_key="fair",
        mode="upsert",
    )
    assert refused["errors"][0]["code"] == "invalid_transition"
    assert organiser.data(f"/participants/{participant['id']}")["badge_name"] == "Ada", (
        "a refused record changes nothing"
    )


def test_importing_participants_requires_an_event(organiser, fair):
    found = problem(
        organiser.post("/bulk-import/participants", {"records": [{"email": "a@example.org"}]}),
        422,
        "validation_failed",
    )
    assert [error["pointer"] for error in found["errors"]] == ["/event_key"]
    found = problem(
        organiser.post("/bulk-import/participants", {"records": [{}], "event_key": "none"}),
        422,
        "validation_failed",
    )
    assert [error["pointer"] for error in found["errors"]] == ["/event_key"]
    assert (
        send_csv(
            organiser, "email,is_confirmed\na@example.org,1\n", "event_key=fair", "participants"
        )["created"]
        == 1
    )


# Imports by the worker


def test_the_worker_imports_more_than_two_thousand_records(organiser, db):
    text = (
        "email;last_name\n"
        + "".join(f"p{number}@example.org;Person\n" for number in range(2100))
        + "nonsense;X\n"
    )
    record = send_csv(organiser, text, status=202)
    assert (record["status"], record["total"], record["processed"]) == ("queued", 2101, 0)
    run_worker(db)
    record = organiser.data(f"/bulk-import/{record['id']}")
    assert (record["status"], record["processed"], record["created"], record["rejected"]) == (
        "done",
        2101,
        2100,
        1,
    )
    assert len(record["details"]) == 1000 and record["errors"][0]["index"] == 2100
    entries = db.connection.execute(
        "SELECT count(*), count(DISTINCT admin_name), min(admin_name) FROM audit_log WHERE entity_type = 'contact'"
    ).fetchone()
    assert entries == (2100, 1, "Ada Lovelace") and journal.verify(db) == []
    names = [
        row[0]
        for row in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE name LIKE 'bulk_import.%'"
        )
    ]
    assert names == ["bulk_import.created", "bulk_import.finished"]


def test_all_or_nothing_holds_for_imports_by_the_worker(organiser, db):
    record = send(
        organiser, [*people(2100), {"email": "nonsense"}], skip_on_error=False, status=202
    )
    run_worker(db)
    record = organiser.data(f"/bulk-import/{record['id']}")
    assert (record["status"], record["created"], record["errors"][0]["index"]) == (
        "failed",
        0,
        2100,
    )
    assert record["failure"]
    assert organiser.data("/contacts") == [] and journal.verify(db) == []
    record = send(organiser, people(2100), skip_on_error=False, status=202)
    run_worker(db)
    assert organiser.data(f"/bulk-import/{record['id']}")["created"] == 2100


def test_all_or_nothing_uses_no_savepoint_around_the_records(organiser, db):
    """SQLite walks all pages of an open savepoint after each statement: 20,000 contacts took five
    minutes.
    """
    for records in (people(2001), [*people(2001, 5000), {"email": "nonsense"}]):
        send(organiser, records, skip_on_error=False, status=202)
        job_db, executed = Database(db.config), []
        job_db.connection.set_trace_callback(executed.append)
        import_job.run(job_db, runs.waiting(db)[0], lambda: False)
        job_db.close()
        assert "BEGIN IMMEDIATE" in executed and not [
            text for text in executed if text.startswith("SAVEPOINT")
        ]


@pytest.mark.parametrize("skip_on_error", [True, False])
def test_an_import_fails_with_a_reason_if_its_event_is_deleted(organiser, fair, db, skip_on_error):
    gone = send(
        organiser,
        people(2001),
        "participants",
        status=202,
        event_key="fair",
        skip_on_error=skip_on_error,
    )["id"]
    organiser.delete(f"/events/{fair['id']}", status=204)
    run_worker(db)
    record = organiser.data(f"/bulk-import/{gone}")
    assert (record["status"], record["failure"], record["processed"]) == (
        "failed",
        "The event of the import was deleted.",
        0,
    )
    assert organiser.data("/contacts") == [] and runs.waiting(db) == []


def test_a_dry_run_by_the_worker_matches_earlier_records(organiser, db):
    records = [*people(2100), *people(2)]
    record = send(organiser, records, mode="upsert", dry_run=True, status=202)
    run_worker(db)
    assert counters(organiser.data(f"/bulk-import/{record['id']}")) == {
        "total": 2102,
        "created": 2100,
        "updated": 2,
        "skipped": 0,
        "rejected": 0,
    }
    assert organiser.data("/contacts") == []


def test_an_import_fails_if_its_file_is_missing(organiser, db, settings):
    record = send(organiser, people(2001), status=202)
    for file in settings.files.rglob("*"):
        if file.is_file():
            file.unlink()
    run_worker(db)
    record = organiser.data(f"/bulk-import/{record['id']}")
    assert record["status"] == "failed" and "cannot be read" in record["failure"]


def test_an_import_waits_for_space_on_the_disk_for_its_temporary_files(organiser, db, monkeypatch):
    id = send(organiser, people(2100), skip_on_error=False, status=202)["id"]
    with monkeypatch.context() as full:
        full.setattr(
            import_files, "temporary", lambda config: open("/dev/full", "w+", encoding="utf-8")
        )
        with suppress(OSError, StorageError):
            import_job.run(db, id, lambda: False)
    assert runs.waiting(db) == [id], "the import has not ended"
    import_job.run(db, id, lambda: False)
    assert organiser.data(f"/bulk-import/{id}")["created"] == 2100


def test_an_import_stops_on_request_and_resumes(organiser, db):
    id = send(organiser, people(2500), status=202)["id"]
    asked = iter([False, False, False, True, True, True])
    import_job.run(db, id, lambda: next(asked))
    between = organiser.data(f"/bulk-import/{id}")
    assert between["status"] == "running" and 0 < between["processed"] == between["created"] < 2500
    run_worker(db)
    assert organiser.data(f"/bulk-import/{id}")["created"] == 2500
    assert organiser.get("/contacts?per_page=1").json["meta"]["total"] == 2500


def test_two_workers_do_not_import_twice(organiser, db, settings):
    ids = [send(organiser, people(2200, start), status=202)["id"] for start in (0, 5000)]

    def work():
        own = Database(settings)
        for id in ids:
            import_job.run(own, id, lambda: False)
        own.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run_worker(db)
    assert [organiser.data(f"/bulk-import/{id}")["created"] for id in ids] == [2200, 2200]
    assert (
        organiser.get("/contacts?per_page=1").json["meta"]["total"] == 4400
        and journal.verify(db) == []
    )


@pytest.mark.processes
def test_an_import_that_is_killed_repeatedly_neither_loses_nor_duplicates_records(
    organiser, db, settings
):
    number = 6000
    text = (
        "company_name;email\n"
        + "".join(f"Firm {place};f{place}@example.org\n" for place in range(number))
        + "Bad;nonsense\n"
    )
    id = send_csv(organiser, text, status=202)["id"]
    environ = {
        **os.environ,
        "EVENTAPI_DATA_DIR": str(settings.data_dir),
        "EVENTAPI_CONFIG": str(settings.data_dir / "eventapi.conf"),
    }
    kills = 0
    for _ in range(60):
        worker = subprocess.Popen(
            [sys.executable, "-m", "eventapi", "worker"], env=environ, stderr=subprocess.DEVNULL
        )
        before, deadline = organiser.data(f"/bulk-import/{id}")["processed"], time.monotonic() + 60
        while (
            time.monotonic() < deadline
            and organiser.data(f"/bulk-import/{id}")["processed"] == before
        ):
            time.sleep(0.05)
        running = organiser.data(f"/bulk-import/{id}")["status"] == "running"
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        kills += running
        if kills == 3 or not running:
            break
    assert kills, "no kill hit the import while it ran"
    run_worker(db)
    record = organiser.data(f"/bulk-import/{id}")
    assert (record["status"], record["created"], record["rejected"], record["processed"]) == (
        "done",
        number,
        1,
        number + 1,
    )
    count = "SELECT count(*), count(DISTINCT email), count(DISTINCT customer_number) FROM contacts"
    assert db.connection.execute(count).fetchone() == (number, number, number)
    assert journal.verify(db) == [] and schema.integrity_faults(db.connection) == []


def test_errors_are_cut_before_all_faults_of_all_records_are_in_memory(organiser, db):
    """1,000 faults are shown.

    Those of 1,000 records with 30 each would need 15 MB, and a list has 100 imports.
    """
    id = send(organiser, people(1))["id"]
    faults = [{"field": f"f{n}", "code": "format", "detail": "x" * 60} for n in range(30)]
    with db.write():
        db.connection.executemany(
            "INSERT INTO bulk_import_errors (bulk_import_id, record_index, faults, source, created_at) "
            "VALUES (?, ?, ?, '{}', '2026-05-01T00:00:00Z')",
            [(id, index, json.dumps(faults)) for index in range(1, 1001)],
        )
    record = {"id": id}
    tracemalloc.start()
    try:
        runs.attach_errors(db, [record])
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert record["errors"] == [{"index": 1 + n // 30, **faults[n % 30]} for n in range(1000)]
    assert most < 3_000_000


# Access and retention


def test_an_import_needs_the_scope_of_the_imported_records(organiser, person, fair):
    contacts = send(organiser, people(1))["id"]
    participants = send(organiser, [{"email": "a@example.org"}], "participants", event_key="fair")[
        "id"
    ]
    reader = person("contacts:read")
    assert [record["id"] for record in reader.data("/bulk-import")] == [contacts]
    assert reader.data(f"/bulk-import/{contacts}")["created"] == 1
    for path in (
        f"/bulk-import/{participants}",
        f"/bulk-import/{participants}/errors",
        "/bulk-import?kind=participants",
    ):
        assert problem(reader.get(path), 403, "insufficient_scope")["scope"] == "participants:read"
    problem(person("events").get("/bulk-import"), 403, "insufficient_scope")
    assert [record["id"] for record in organiser.data("/bulk-import?include=errors,details")] == [
        participants,
        contacts,
    ]
    assert problem(organiser.get("/bulk-import/999"), 404, "not_found")


def test_an_idempotency_key_imports_once(organiser):
    key = {"Idempotency-Key": "import-1"}
    first = organiser.post(
        "/bulk-import/contacts", raw=b"last_name\nAda\n", headers={**CSV, **key}, status=201
    )
    again = organiser.post(
        "/bulk-import/contacts", raw=b"last_name\nAda\n", headers={**CSV, **key}, status=201
    )
    assert again.json["data"] == first.json["data"] and len(organiser.data("/contacts")) == 1
    problem(
        organiser.post("/bulk-import/contacts", raw=b"last_name\nBob\n", headers={**CSV, **key}),
        422,
        "idempotency_key_reused",
    )


def test_generated_ids_and_numbers_skip_taken_ones(organiser, db):
    organiser.make("/contacts", {"customer_number": "C-00002"})
    gone = organiser.make("/contacts", {"last_name": "Gone"})
    organiser.delete(f"/contacts/{gone['id']}", status=204)
    record = send(organiser, [{"last_name": "A"}, {"last_name": "B"}])
    assert [detail["id"] for detail in record["details"]] == [gone["id"] + 1, gone["id"] + 2], (
        "an id is never given again"
    )
    assert [contact["customer_number"] for contact in organiser.data("/contacts?order=ASC")] == [
        "C-00002",
        "C-00003",
        "C-00004",
    ]


def test_the_number_of_statements_does_not_depend_on_the_number_of_records(db):
    options = {"mode": "upsert", "match_field": "email", "dry_run": False}

    def statements_of(start, number):
        executed = []
        records = [Record(index, {}, body) for index, body in enumerate(people(number, start))]
        with db.write():
            db.connection.set_trace_callback(executed.append)
            Contacts(options, None).write(db, records)
            db.connection.set_trace_callback(None)
        return len([text for text in executed if not text.startswith(("INSERT", "--"))])

    statements_of(0, 1)
    assert statements_of(10, 300) <= statements_of(1000, 10) + 2


def test_rejected_records_are_exported_erased_and_expire(organiser, db):
    contact = organiser.make("/contacts", {"email": "marie@example.org", "external_id": "M-1"})
    records = [
        {"email": "Marie@example.org", "rating": 9, "notes": "zqmark"},
        {"external_id": "M-1", "rating": 9, "notes": "zqmark"},
        {"email": "other@example.org", "rating": 9},
    ]
    send(organiser, records)
    assert [
        entry["source"]
        for entry in organiser.data(f"/contacts/{contact['id']}/export")["rejected_records"]
    ] == records[:2]
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"zqmark" not in db.path.read_bytes()
    assert db.connection.execute("SELECT email FROM bulk_import_errors").fetchall() == [
        ("other@example.org",)
    ]
    db.connection.execute("UPDATE bulk_import_errors SET created_at = '2020-01-01T00:00:00Z'")
    assert runs.delete_old_rejected_records(db, 500) == 1


def test_metrics_report_the_backlog_and_check_finds_wrong_counters(organiser, db):
    send(organiser, people(2001), status=202)
    metrics = organiser.app.get("/metrics").text
    assert (
        "eventapi_bulk_imports_waiting 1\n" in metrics
        and "eventapi_bulk_import_records_waiting 2001\n" in metrics
    )
    run_worker(db)
    assert runs.check(db) == []
    db.connection.execute("UPDATE bulk_imports SET created = 7")
    assert runs.check(db) == ["the counters of bulk import 1 differ from its records"]


def test_only_the_first_unknown_fields_get_suggestions(organiser, monkeypatch):
    compare, compared = difflib.get_close_matches, []
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda *values: compared.append(values) or compare(*values)
    )
    records = [
        {f"strange{number}": 1 for number in range(place, place + 400)} for place in range(250)
    ]
    record = send(organiser, records)
    assert record["rejected"] == 250 and len(record["errors"]) == 1000 and 0 < len(compared) <= 100
    assert send(organiser, [{"emial": "a@example.org"}])["errors"][0]["detail"].endswith(
        "did you mean email?"
    )


def test_suggestions_for_custom_fields_are_limited_and_made_before_the_transaction(
    organiser, monkeypatch
):
    for number in range(3):
        organiser.make(
            "/custom-fields",
            {
                "entity_type": "contact",
                "field_key": f"hall_{number}",
                "field_label": "Hall",
                "field_type": "text",
            },
        )
    compare, compared = difflib.get_close_matches, []
    monkeypatch.setattr(
        difflib, "get_close_matches", lambda *values: compared.append(values) or compare(*values)
    )
    columns = ";".join(f"cf.hall_{number}" for number in range(2, 40))
    record = send_csv(
        organiser, f"last_name;{columns}\n" + ("A;" + ";".join("x" * 38) + "\n") * 300
    )
    assert record["rejected"] == 300 and 0 < len(compared) <= 100
    assert {error["field"] for error in record["errors"]} == {
        f"custom_fields.hall_{number}" for number in range(3, 23)
    }
