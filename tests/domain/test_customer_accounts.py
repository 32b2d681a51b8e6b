"""The account of a customer is its number on the invoices: no two contacts get the same one."""

from importlib.util import find_spec
from io import BytesIO

import pytest

from tests.domain.test_periods import ADDRESS, sent


@pytest.fixture
def contacts(organiser):
    """Return two contacts. The first got an invoice as C-00001, and has another number since."""
    first, second = (
        organiser.make("/contacts", {**ADDRESS, "company_name": name})
        for name in ("First", "Second")
    )
    first["invoice"] = sent(organiser, first["id"])
    organiser.patch(f"/contacts/{first['id']}", {"customer_number": "F-1"}, status=200)
    return first, second


def drafted(client, contact):
    return client.make(
        "/invoices",
        {
            "contact_id": contact["id"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100}],
        },
    )


def test_a_number_on_an_invoice_to_another_contact_cannot_be_invoiced(contacts, organiser):
    first, second = contacts
    organiser.patch(f"/contacts/{second['id']}", {"customer_number": "C-00001"}, status=200)
    draft = drafted(organiser, second)
    problem = organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert (problem["code"], problem["missing"]) == (
        "invoice_incomplete",
        ["contact.customer_number"],
    )
    cause = (
        f"`customer_number` C-00001 is on {first['invoice']['invoice_number']}, an invoice to contact "
        f"{first['id']}. Both contacts would have one account in the ledger. Give this contact another number."
    )
    assert cause in problem["detail"]
    (fault,) = organiser.post(f"/invoices/{draft['id']}/check", status=200).json["data"]["faults"]
    assert fault == {
        "rule": None,
        "term": None,
        "code": None,
        "field": "contact.customer_number",
        "detail": cause,
    }
    organiser.patch(f"/contacts/{second['id']}", {"customer_number": "S-1"}, status=200)
    organiser.post(f"/invoices/{draft['id']}/send", status=200)
    assert [
        row["customer_number"] for row in organiser.data("/reports/ledger")["data"]["rows"]
    ] == ["C-00001", "S-1"]


def test_a_contact_that_has_taken_over_the_invoices_may_have_their_number(contacts, organiser):
    first, second = contacts
    organiser.post(f"/contacts/{second['id']}/merge", {"duplicate_id": first["id"]}, status=200)
    organiser.patch(f"/contacts/{second['id']}", {"customer_number": "C-00001"}, status=200)
    sent(organiser, second["id"])
    (row,) = organiser.data("/reports/ledger")["data"]["rows"]
    assert (row["customer_number"], row["invoiced"]) == ("C-00001", 238)


def test_a_credit_note_has_the_account_of_its_invoice(contacts, organiser):
    first, second = contacts
    organiser.patch(f"/contacts/{second['id']}", {"customer_number": "C-00001"}, status=200)
    organiser.post(f"/invoices/{first['invoice']['id']}/cancel", status=200)
    (row,) = organiser.data("/reports/ledger")["data"]["rows"]
    assert (row["customer_number"], row["closing_balance"]) == ("C-00001", 0)


def test_a_new_number_is_on_no_invoice(organiser):
    """A contact may have had a number that is not drawn yet."""
    numbers = ["C-00003", "C-00004"]
    for number in numbers:
        contact = organiser.make("/contacts", {**ADDRESS, "customer_number": number})
        sent(organiser, contact["id"])
        organiser.post(f"/contacts/{contact['id']}/anonymize", {"force": True}, status=200)
    drawn = [organiser.make("/contacts", ADDRESS)["customer_number"] for _ in range(3)]
    imported = organiser.post(
        "/bulk-import/contacts", {"records": [{"company_name": "Third"}]}
    ).json["data"]
    assert drawn == ["C-00001", "C-00002", "C-00005"] and imported["created"] == 1
    assert organiser.data("/contacts?customer_number=C-00006")


# The statement of account


def statement(client, number, query=""):
    pypdf = pytest.importorskip("pypdf")
    file = client.get(
        f"/reports/ledger/{number}{query}", headers={"Accept": "application/pdf"}, status=200
    )
    assert file.content_type == "application/pdf"
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(BytesIO(file.body)).pages)


@pytest.mark.skipif(not find_spec("reportlab"), reason="reportlab is not installed")
def test_the_statement_of_account_shows_each_movement_and_the_balance(contacts, organiser):
    first, _ = contacts
    number, at = first["invoice"]["invoice_number"], "/reports/ledger/C-00001"
    organiser.make(
        "/payments",
        {"invoice_number": number, "amount": 100, "payment_date": first["invoice"]["issue_date"]},
    )
    organiser.patch(
        f"/contacts/{first['id']}", {"company_name": "Renamed GmbH", "language": "de"}, status=200
    )
    text = statement(organiser, "C-00001")
    for part in (
        "Kontoauszug C-00001",
        "Renamed GmbH",
        number,
        "Rechnung",
        "119,00",
        "-100,00",
        "19,00 EUR",
        "Offen, an uns zu zahlen",
    ):
        assert part in text, part
    assert "Statement of account" in statement(organiser, "C-00001", "?language=en")
    later = statement(organiser, "C-00001", "?date_from=2998-01-01&language=en")
    assert "Opening balance" in later and number not in later and "EUR 19.00" in later
    again = organiser.get(at, headers={"Accept": "application/pdf"}, status=200)
    organiser.get(
        at,
        headers={"Accept": "application/pdf", "If-None-Match": again.headers["ETag"]},
        status=304,
    )
    organiser.post(f"/contacts/{first['id']}/anonymize", {"force": True}, status=200)
    gone = statement(organiser, "C-00001", "?language=en")
    assert "Renamed" not in gone and "C-00001" in gone


@pytest.mark.skipif(not find_spec("reportlab"), reason="reportlab is not installed")
def test_a_long_account_has_several_pages(contacts, organiser, db):
    first, _ = contacts
    for _ in range(70):
        organiser.make(
            "/payments", {"invoice_number": first["invoice"]["invoice_number"], "amount": 1}
        )
    text = statement(organiser, "C-00001", "?language=en")
    assert "Page 2 of 3" in text and text.count("Payment") >= 70 and "EUR 49.00" in text
