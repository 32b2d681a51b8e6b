"""Lists of the desk for Excel: what an office reads, and what an import reads back."""

import csv
import io
from urllib.parse import quote

import pytest

from eventapi.storage.database import as_json

ADDRESS = [
    "Kundennummer",
    "Firma",
    "Vorname",
    "Nachname",
    "E-Mail",
    "Telefon",
    "Straße und Hausnummer",
    "Postleitzahl",
    "Ort",
    "Land",
]


@pytest.fixture
def german(desk):
    """Somebody of the office who reads German."""
    return desk(language="de")


@pytest.fixture
def questions(organiser):
    """Two questions to exhibitors: whether they need power, and which day suits them."""
    made = {
        "power": {
            "field_label": "Power?",
            "field_labels": {"de": "Strom?"},
            "field_type": "boolean",
        },
        "day": {
            "field_label": "Day",
            "field_type": "select",
            "field_options": [{"value": "sat", "label": "Saturday", "labels": {"de": "Samstag"}}],
        },
    }
    for key, fields in made.items():
        body = {"entity_type": "event_participant", "field_key": key, **fields}
        organiser.make("/custom-fields", body)


def file_of(visitor, address):
    """Return the bytes of a list for Excel."""
    answer = visitor.get(f"{address}{'&' if '?' in address else '?'}export=excel")
    assert answer.content_type == "text/csv" and answer.headers["Cache-Control"] == "no-store"
    assert answer.body.startswith(b"\xef\xbb\xbf")
    return answer.body


def table_of(visitor, address, delimiter=";"):
    """Return (heads, rows as {head: text}) of a list for Excel."""
    text = file_of(visitor, address).decode("utf-8-sig")
    heads, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    return heads, [dict(zip(heads, row, strict=True)) for row in rows]


def test_exhibitors_have_addresses_words_and_answers(german, organiser, fair, questions):
    answers = {"custom_fields": {"power": True, "day": "sat"}}
    organiser.patch(f"/participants/{fair.exhibitor['id']}", answers, status=200)
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    heads, [row] = table_of(german, "/desk/exhibitors")
    shown = ["Stand", "Berechnet", "Offen", "Schritte", "Als Nächstes", "Status", "Kategorie"]
    assert heads == [*ADDRESS, *shown, "Strom?", "Day"]
    assert (row["Firma"], row["Straße und Hausnummer"], row["Land"]) == (
        "Rosen KG",
        "Weg 1",
        "Deutschland",
    )
    assert (row["Status"], row["Kategorie"]) == ("bestätigt", "Plants")
    assert (row["Berechnet"], row["Offen"]) == ("357,00", "357,00")
    assert (row["Strom?"], row["Day"]) == ("ja", "Samstag")


def test_a_file_has_the_chosen_columns_the_filter_and_the_order(office, organiser, fair):
    for name in ("Zander", "Aster"):
        contact = organiser.make("/contacts", {"company_name": name})
        organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    office.get("/desk/exhibitors?columns=1&cols=registered", status=303)
    heads, rows = table_of(office, "/desk/exhibitors?show=booth&sort=-name", ",")
    assert heads[10:] == ["Booth", "State", "Category", "Registered"]
    assert [row["Company"] for row in rows] == ["Zander", "Rosen KG", "Aster"]
    _, rows = table_of(office, "/desk/exhibitors?q=aster", ",")
    assert [row["Company"] for row in rows] == ["Aster"]


def test_streets_need_the_scope_of_contacts(desk, fair):
    heads, _ = table_of(desk("events:read participants:read"), "/desk/exhibitors", ",")
    assert "Street and number" not in heads and "Open" not in heads


def test_amounts_and_dates_of_invoices_can_be_calculated_with(german, office, organiser, fair):
    draft = organiser.make(f"/participants/{fair.exhibitor['id']}/invoice", {})
    organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200)
    [invoice] = organiser.data("/invoices")
    _, [row] = table_of(german, "/desk/money?show=all")
    issued = invoice["issue_date"]
    assert row["Datum"] == f"{issued[8:]}.{issued[5:7]}.{issued[:4]}"
    assert (row["Betrag"], row["Währung"], row["Kunde"]) == ("357,00", "EUR", "Rosen KG")
    assert (row["Netto"], row["USt"], row["Art"]) == ("300,00", "57,00", "Rechnung")
    assert row["Kundennummer"] == invoice["customer_number"]
    _, [row] = table_of(office, "/desk/money?show=all", ",")
    assert (row["Date"], row["Amount"]) == (issued, "357.00")


def test_text_that_is_a_formula_is_disarmed(german, organiser, fair):
    organiser.make("/applications", {"event_keys": ["fair"], "company_name": "=1+1"})
    _, rows = table_of(german, "/desk/applications?sort=company_name")
    assert rows[0]["Firma"] == "'=1+1"


@pytest.mark.parametrize(("language", "head"), [("de", "Frage?"), ("en", "Question?")])
def test_contacts_are_imported_from_their_own_file_without_a_change(
    desk, organiser, fair, language, head
):
    labels = {"de": "Frage?", "en": "Question?"}
    field = {"entity_type": "contact", "field_key": "question", "field_labels": labels}
    organiser.make("/custom-fields", {**field, "field_label": "Question?"})
    organiser.make(
        "/contacts",
        {
            "company_name": "Café Ä; Söhne",
            "phone": "+43 1 4711",
            "country": "AT",
            "postal_code": "01010",
            "custom_fields": {"question": "So?"},
        },
    )
    path = "/contacts?sort=id&order=ASC&include=custom_fields"
    before = organiser.data(path)
    mapping = quote(as_json({head: "custom_fields.question"}))
    answer = organiser.post(
        f"/bulk-import/contacts?mode=upsert&match_field=customer_number&field_mapping={mapping}",
        raw=file_of(desk(language=language), "/desk/contacts"),
        headers={"Content-Type": "text/csv"},
        status=201,
    )
    found = answer.json["data"]
    assert (found["total"], found["created"], found["errors"]) == (2, 0, [])
    for old, new in zip(before, organiser.data(path), strict=True):
        assert {**new, "updated_at": old["updated_at"]} == old


def test_exhibitors_have_the_size_that_they_wish(office, desk, organiser, fair):
    body = {"booth_type_name": "Corner", "price_model": "fixed", "price": 100}
    organiser.make("/booths/types", {**body, "usual_width": 3, "usual_depth": 2.5})
    wish = {"booth_type_key": "corner"}
    organiser.patch(f"/applications/{fair.application['id']}", wish, status=200)
    organiser.post(f"/applications/{fair.application['id']}/approve", {}, status=200)
    assert "Wished size" in office.get("/desk/exhibitors")  # among the columns to choose
    assert "sort=wish" not in office.get("/desk/exhibitors")

    office.get("/desk/exhibitors?columns=1&cols=wish", 303)
    page = office.get("/desk/exhibitors?sort=wish")
    rows = page.html.select("main tbody tr")
    assert "Corner, 3 × 2.5 m" in rows[0].text and len(rows) == 2
    _, rows = table_of(office, "/desk/exhibitors?sort=wish", ",")
    assert rows[0]["Wished size"] == "Corner, 3 × 2.5 m"
    [made] = [row for row in organiser.data("/participants") if row["application_id"]]
    assert "Corner, 3 × 2.5 m" in office.get(f"/desk/exhibitors/{made['id']}")

    reader = desk("participants:read events:read")
    assert "Wished size" not in reader.get("/desk/exhibitors")
