"""The files of a bulk import: workbooks, faults of the query, the rejected records, and the ids of
a dry run.
"""

import csv
import io
import zipfile

import pytest

from tests.resources.test_bulk_import import CSV, send, send_csv
from tests.web.test_routes import problem


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events", {"title": "Fair", "event_key": "fair", "date_from": "2027-05-01"}
    )


def workbook():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


@pytest.mark.parametrize(
    "raw",
    [workbook(), b"PK\x03\x04abc,email\r\n", bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600],
    ids=["xlsx", "zip", "xls"],
)
def test_a_workbook_sent_as_csv_is_recognised(organiser, raw):
    for kind in ("contacts", "participants?event_key=fair"):
        found = problem(
            organiser.post(f"/bulk-import/{kind}", raw=raw, headers=CSV), 422, "validation_failed"
        )
        error = found["errors"][0]
        assert (
            "workbook" in error["detail"]
            and "CSV UTF-8" in error["detail"]
            and len(found["errors"]) == 1
        )


@pytest.mark.parametrize(
    "query, parameters",
    [
        ("", {"event_key"}),
        ("event_key=none", {"event_key"}),
        ("event_key=fair&mode=all", {"mode"}),
        ('event_key=fair&field_mapping={"a":"nothing"}', {"field_mapping"}),
        ("event_key=fair&match_field=x", {"match_field"}),
    ],
)
def test_a_fault_of_an_option_of_a_csv_import_names_the_parameter(
    organiser, fair, query, parameters
):
    found = problem(
        organiser.post(
            f"/bulk-import/participants?{query}", raw=b"email\na@example.org\n", headers=CSV
        ),
        422,
        "validation_failed",
    )
    assert {entry.get("parameter") for entry in found["errors"]} == parameters, found


def test_a_fault_of_a_column_keeps_its_pointer(organiser):
    found = send_csv(organiser, "email,mode\na@example.org,x\n", status=422)
    assert [entry["pointer"] for entry in found["errors"]] == ["/mode"]


def test_a_column_of_another_system_suggests_its_field(organiser):
    found = send_csv(organiser, "Email,PLZ,Straße,Name\na@example.org,1,x,y\n", status=422)
    assert {entry["pointer"]: entry["detail"].split(";")[1] for entry in found["errors"]} == {
        "/PLZ": " did you mean postal_code?",
        "/Straße": " did you mean address?",
        "/Name": " did you mean company_name or last_name?",
    }


def rejected(client, record):
    answer = client.get(f"/bulk-import/{record['id']}/errors", status=200)
    return answer.headers["Content-Type"], answer.body


@pytest.mark.parametrize(
    "encoding, charset",
    [
        ("windows-1252", "windows-1252"),
        ("utf-16", "utf-16"),
        ("utf-8-sig", "utf-8"),
        ("utf-8", "utf-8"),
    ],
)
@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_rejected_records_keep_encoding_and_separator(organiser, encoding, charset, separator):
    text = f"email{separator}last_name\r\nnonsense{separator}Müller\r\n"
    record = send_csv(organiser, text.encode(encoding))
    kind, raw = rejected(organiser, record)
    assert kind == f"text/csv; charset={charset}; header=present"
    assert raw.startswith(text.encode(encoding)[:3]), (
        "with a byte order mark only if the file had one"
    )
    rows = list(csv.reader(io.StringIO(raw.decode(encoding), newline=""), delimiter=separator))
    assert rows[0] == ["email", "last_name", "rejected_index", "rejected_because"]
    assert rows[1][:3] == ["nonsense", "Müller", "0"]
    plain = encoding.replace("-sig", "").replace("utf-16", "utf-16-le")  # without a byte order mark
    again = send_csv(
        organiser, raw.replace("nonsense".encode(plain), "mueller@example.org".encode(plain))
    )
    assert again["created"] == 1 and organiser.data("/contacts")[0]["last_name"] == "Müller"


def test_rejected_records_keep_their_surplus_cells(organiser):
    record = send_csv(
        organiser,
        "email,last_name\na@example.org,Ada,Berlin,x\nb@example.org,Bea,Ulm\nnonsense,Cy\n",
    )
    _, raw = rejected(organiser, record)
    header, *rows = csv.reader(io.StringIO(raw.decode(), newline=""))
    assert header == [
        "email",
        "last_name",
        "rejected_surplus_1",
        "rejected_surplus_2",
        "rejected_index",
        "rejected_because",
    ]
    assert [row[:5] for row in rows] == [
        ["a@example.org", "Ada", "Berlin", "x", "0"],
        ["b@example.org", "Bea", "Ulm", "", "1"],
        ["nonsense", "Cy", "", "", "2"],
    ]
    again = send_csv(organiser, raw)
    assert [(entry["index"], entry["code"]) for entry in again["errors"]] == [
        (0, "too_many_cells"),
        (1, "too_many_cells"),
        (2, "format"),
    ], "a cell is never lost unnoticed"
    _, twice = rejected(organiser, again)
    assert twice == raw
    corrected = raw.replace(b"Berlin,x", b",").replace(b"Bea,Ulm", b"Bea,")
    assert send_csv(organiser, corrected)["created"] == 2


def test_a_dry_run_names_no_id_that_does_not_exist(organiser, fair):
    organiser.make("/contacts", {"email": "old@example.org"})
    people = [
        {"email": f"{name}@example.org", "last_name": "X"}
        for name in ("old", "new", "new", "other", "other")
    ]
    real = {contact["id"] for contact in organiser.data("/contacts")}
    for mode in ("create", "upsert", "update"):
        details = send(organiser, people, mode=mode, dry_run=True)["details"]
        assert {entry["id"] for entry in details} <= {*real, None}, (mode, details)
        record = send(organiser, people, "participants", event_key="fair", mode=mode, dry_run=True)
        assert {entry["id"] for entry in record["details"]} == {None}, (mode, record["details"])
        assert (
            "created" not in {entry["action"] for entry in record["details"]} or record["created"]
        )
