"""Checks of VAT ids: what VIES or a tax office has answered, kept as evidence."""

import json
import sqlite3

import pytest

from eventapi import journal, times
from tests.web.test_routes import problem

NUMBER = "ATU13585627"


@pytest.fixture
def contact(organiser):
    return organiser.make(
        "/contacts", {"company_name": "Kaffeehaus Wien GmbH", "country": "AT", "tax_id": NUMBER}
    )


@pytest.fixture
def check(organiser, contact):
    """Return a function that keeps an answer and returns the contact."""

    def keep(result="valid", status=201, **fields):
        path = f"/contacts/{contact['id']}/vat-checks"
        return organiser.post(path, {"result": result, **fields}, status=status).json["data"]

    return keep


def today():
    return times.today("Europe/Berlin")


def test_an_answer_is_kept_with_the_person_and_shown_with_the_contact(
    organiser, contact, check, db
):
    assert contact["vat_check"] is None
    path = f"/contacts/{contact['id']}"
    answer = organiser.post(
        f"{path}/vat-checks",
        {
            "result": "valid",
            "reference": " WAPIAAAAYxyz ",
            "confirmed": ["name", "city"],
            "notes": "By telephone",
        },
        status=201,
    )
    assert answer.headers["Location"].endswith(path)
    kept = answer.json["data"]["vat_check"]
    assert kept == {
        "id": 1,
        "vat_id": NUMBER,
        "result": "valid",
        "checked_on": today(),
        "reference": "WAPIAAAAYxyz",
        "confirmed": ["name", "city"],
        "notes": "By telephone",
        "admin_id": kept["admin_id"],
        "admin_name": "Ada Lovelace",
        "created_at": kept["created_at"],
    }
    assert organiser.data(path) == answer.json["data"]
    [listed] = organiser.data("/contacts")
    assert listed["vat_check"] == kept and listed["updated_at"] >= contact["updated_at"]


def test_the_check_is_the_last_one_of_the_present_vat_id(organiser, contact, check):
    assert check("invalid", checked_on="2026-03-01")["vat_check"]["result"] == "invalid"
    assert check("valid", checked_on="2026-03-02")["vat_check"]["result"] == "valid"
    assert check("unavailable", checked_on="2026-02-01")["vat_check"]["checked_on"] == "2026-03-02"
    assert check("invalid", checked_on="2026-03-02")["vat_check"]["result"] == "invalid"

    path = f"/contacts/{contact['id']}"
    other = organiser.patch(path, {"tax_id": "DE136695976"}, status=200).json["data"]
    assert other["vat_check"] is None
    again = organiser.patch(path, {"tax_id": "ATU 1358-5627"}, status=200).json["data"]
    assert (again["vat_check"]["result"], again["vat_check"]["id"]) == ("invalid", 4)


def test_a_vat_id_that_an_earlier_version_stored_with_separators_has_its_check(check, db, contact):
    db.connection.execute("UPDATE contacts SET tax_id = 'ATU 1358.5627'")
    assert check()["vat_check"]["vat_id"] == NUMBER


@pytest.mark.parametrize("tax_id", [None, "12/345/6789", "CHE116281710MWST", "GB980780684"])
def test_without_a_vat_id_of_the_eu_there_is_nothing_to_check(organiser, contact, check, tax_id):
    organiser.patch(f"/contacts/{contact['id']}", {"tax_id": tax_id}, status=200)
    refused = organiser.post(f"/contacts/{contact['id']}/vat-checks", {"result": "valid"})
    detail = problem(refused, 409, "no_vat_id")["detail"]
    assert f"`tax_id` is {tax_id or 'empty'}. Set `tax_id` first." in detail


@pytest.mark.parametrize("tax_id", ["DE136695976", "EL094259216", "XI110305878"])
def test_vat_ids_of_the_own_state_of_greece_and_of_northern_ireland_can_be_checked(
    organiser, contact, check, tax_id
):
    organiser.patch(f"/contacts/{contact['id']}", {"tax_id": tax_id}, status=200)
    assert check()["vat_check"]["vat_id"] == tax_id


@pytest.mark.parametrize(
    "body, pointer, code",
    [
        ({}, "/result", "required"),
        ({"result": "maybe"}, "/result", "enum"),
        ({"result": "valid", "checked_on": "2999-01-01"}, "/checked_on", "future"),
        ({"result": "valid", "checked_on": "yesterday"}, "/checked_on", "format"),
        ({"result": "valid", "reference": "x" * 81}, "/reference", "max_length"),
        ({"result": "valid", "confirmed": ["country"]}, "/confirmed/0", "enum"),
        ({"result": "valid", "confirmed": ["name", "name"]}, "/confirmed", "unique_items"),
        ({"result": "valid", "vat_id": NUMBER}, "/vat_id", "unknown"),
    ],
)
def test_a_wrong_answer_is_refused(organiser, contact, body, pointer, code):
    refused = organiser.post(f"/contacts/{contact['id']}/vat-checks", body)
    [fault] = problem(refused, 422, "validation_failed")["errors"]
    assert (fault["pointer"], fault["code"]) == (pointer, code)


def test_a_repeated_request_keeps_one_answer(organiser, contact, db):
    path, key = f"/contacts/{contact['id']}/vat-checks", {"Idempotency-Key": "answer-1"}
    first = organiser.post(path, {"result": "valid"}, headers=key, status=201)
    again = organiser.post(path, {"result": "valid"}, headers=key, status=201)
    assert again.json["data"] == first.json["data"]
    assert db.connection.execute("SELECT count(*) FROM vat_checks").fetchone() == (1,)


def test_another_state_of_the_contact_is_refused(organiser, contact):
    tag = organiser.get(f"/contacts/{contact['id']}").headers["ETag"]
    organiser.patch(f"/contacts/{contact['id']}", {"city": "Wien"}, status=200)
    path = f"/contacts/{contact['id']}/vat-checks"
    organiser.post(path, {"result": "valid"}, headers={"If-Match": tag}, status=412)


def test_keeping_an_answer_needs_the_scope_to_write_contacts(contact, person):
    path = f"/contacts/{contact['id']}/vat-checks"
    person("contacts:read").post(path, {"result": "valid"}, status=403)
    person("invoices", "contacts:read").post(path, {"result": "valid"}, status=403)
    person("contacts").post(path, {"result": "valid"}, status=201)


def test_each_answer_is_journalled_also_one_of_an_earlier_day(organiser, check, db):
    check("valid", checked_on="2026-03-02"), check("invalid", checked_on="2026-03-01")
    second, first, _ = organiser.data("/audit-log?entity_type=contact")
    assert first["action"] == second["action"] == "vat_id_checked"
    assert first["admin_name"] == second["admin_name"] == "Ada Lovelace"
    assert first["old_values"] == {"vat_check": None}
    assert first["new_values"]["vat_check"]["result"] == "valid"
    assert second["new_values"] is None
    events = db.connection.execute("SELECT name, data FROM outgoing_events ORDER BY id").fetchall()
    assert [name for name, _ in events] == ["contact.created", *["contact.vat_id_checked"] * 2]
    assert json.loads(events[-1][1])["vat_check"]["checked_on"] == "2026-03-02"
    assert journal.verify(db) == []


def test_a_check_never_changes(check, db):
    check()
    for column, value in (
        ("result", "invalid"),
        ("checked_on", "2020-01-01"),
        ("notes", "x"),
        ("vat_id", "DE1"),
    ):
        with pytest.raises(sqlite3.IntegrityError, match="never changes"):
            db.connection.execute(f"UPDATE vat_checks SET {column} = ?", [value])


def test_a_merge_takes_the_checks_along(organiser, contact, check):
    check("valid", checked_on="2026-03-01")
    kept = organiser.make("/contacts", {"company_name": "Kaffeehaus Wien"})
    merged = organiser.post(
        f"/contacts/{kept['id']}/merge", {"duplicate_id": contact["id"]}, status=200
    ).json["data"]
    assert (merged["tax_id"], merged["vat_check"]["checked_on"]) == (NUMBER, "2026-03-01")
    [stored] = organiser.data(f"/contacts/{kept['id']}/export")["vat_checks"]
    assert stored == merged["vat_check"]


def test_checks_are_exported_and_erased_with_the_contact(organiser, contact, check, db):
    check("unavailable", notes="No answer"), check("valid")
    path = f"/contacts/{contact['id']}"
    exported = organiser.data(f"{path}/export")["vat_checks"]
    assert [entry["result"] for entry in exported] == ["unavailable", "valid"]
    erased = organiser.post(f"{path}/anonymize", status=200).json["data"]
    assert organiser.data(path)["vat_check"] is None and erased
    assert db.connection.execute("SELECT count(*) FROM vat_checks").fetchone() == (0,)
    problem(organiser.post(f"{path}/vat-checks", {"result": "valid"}), 409, "anonymized")


def test_a_contact_with_a_check_can_be_deleted(organiser, contact, check, db):
    check()
    organiser.delete(f"/contacts/{contact['id']}", status=204)
    assert db.connection.execute("SELECT count(*) FROM vat_checks").fetchone() == (0,)


def test_the_own_list_of_contacts_with_checks_can_be_imported_again(organiser, check):
    check("valid", reference="A|B", confirmed=["name", "city"])
    raw = organiser.get("/contacts", headers={"Accept": "text/csv"}).body
    header = raw.decode().splitlines()[0]
    assert "vat_check.result" in header and "vat_check.confirmed" in header
    answer = organiser.post(
        "/bulk-import/contacts?mode=upsert&match_field=customer_number",
        raw=raw,
        headers={"Content-Type": "text/csv"},
        status=201,
    )
    counted = answer.json["data"]
    assert (counted["rejected"], counted["created"]) == (0, 0), answer.json
