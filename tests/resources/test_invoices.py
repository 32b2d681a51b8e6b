"""Invoices and credit notes."""

import json
import random
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from threading import Thread
from urllib.parse import quote

import pytest

from eventapi import money, times
from eventapi.domain.billing import balance, drafts, sending
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.errors import Problem
from eventapi.storage import files
from eventapi.worker import invoice_pdfs
from tests.pictures.test_invoice_pdf import texts

STAND = {"description": "Row stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}


@pytest.fixture
def buyer(organiser):
    return organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
            "first_name": "Eva",
            "last_name": "Muster",
            "address": "Weg 1",
            "postal_code": "1010",
            "city": "Wien",
            "country": "AT",
            "email": "office@muster.example",
            "tax_id": "ATU13585627",
        },
    )


@pytest.fixture
def draft(organiser, buyer):
    """Return a function that creates a draft, for 100 plus 19 tax unless other fields are given."""

    def make(*items, **members):
        return organiser.make(
            "/invoices", {"contact_id": buyer["id"], "items": list(items) or [STAND], **members}
        )

    return make


@pytest.fixture
def sent(organiser, draft):
    """Return a function that creates and sends an invoice."""

    def make(*items, **members):
        return organiser.post(f"/invoices/{draft(*items, **members)['id']}/send", status=200).json[
            "data"
        ]

    return make


@pytest.fixture
def overdue(sent):
    """Return a function that sends an invoice of another system, which is overdue since 2020."""
    numbers = count(1)

    def make(*items, **members):
        return sent(
            *items,
            invoice_number=f"OLD {next(numbers)}",
            issue_date="2019-12-01",
            due_date="2020-01-01",
            **members,
        )

    return make


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert balance.check(db) == []


def act(client, invoice, action, body=None, status=200):
    return client.post(f"/invoices/{invoice['id']}/{action}", body, status=status).json["data"]


def refused(answer):
    """Return the code of a problem, or (pointer, code) of each fault."""
    return [
        (entry["pointer"], entry["code"]) for entry in answer.json.get("errors", [])
    ] or answer.json["code"]


def pay(client, invoice, amount):
    return client.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": amount})


# Drafts


def test_an_invoice_is_drafted_read_changed_and_deleted(organiser, buyer, draft):
    invoice = draft(notes="call first", service_date="2027-05-01")
    assert invoice["invoice_number"] == f"DRAFT-{invoice['id']}"
    assert (invoice["status"], invoice["is_locked"], invoice["taken_over"]) == (
        "draft",
        False,
        False,
    )
    assert (
        invoice["subtotal"],
        invoice["tax_total"],
        invoice["total"],
        invoice["open_amount"],
    ) == (100, 19, 119, 119)
    assert (invoice["contact_id"], invoice["customer_number"], invoice["currency"]) == (
        buyer["id"],
        buyer["customer_number"],
        "EUR",
    )
    assert invoice["taxes"] == [
        {"category": "S", "rate": 19, "net": 100, "tax": 19, "reason": None, "reason_code": None}
    ]
    address = f"/invoices/{invoice['id']}"
    assert organiser.data(address) == invoice
    changed = organiser.patch(
        address, {"items": [{**STAND, "quantity": 2}], "text": "Thanks"}, status=200
    ).json["data"]
    assert (changed["total"], changed["text"], changed["notes"]) == (238, "Thanks", "call first")
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)


def test_an_invoice_requires_a_buyer_and_items(organiser, buyer):
    assert refused(organiser.post("/invoices", {}, status=422)) == [
        ("/event_participant_id", "any_of"),
        ("/items", "required"),
    ]
    assert refused(
        organiser.post("/invoices", {"contact_id": buyer["id"], "items": []}, status=422)
    ) == [("/items", "min_items")]
    assert refused(
        organiser.post("/invoices", {"contact_id": 99, "items": [STAND]}, status=422)
    ) == [("/contact_id", "unknown")]
    assert (
        organiser.make(
            "/invoices", {"customer_number": buyer["customer_number"], "items": [STAND]}
        )["contact_id"]
        == buyer["id"]
    )


def test_contact_and_event_are_taken_from_the_participant(organiser, buyer, draft):
    event = organiser.make("/events", {"title": "Garden Fair"})
    participant = organiser.make(
        "/participants", {"event_id": event["id"], "contact_id": buyer["id"]}
    )
    invoice = organiser.make("/invoices", {"participant_id": participant["id"], "items": [STAND]})
    assert (
        invoice["event_participant_id"],
        invoice["contact_id"],
        invoice["event_id"],
        invoice["event_key"],
    ) == (participant["id"], buyer["id"], event["id"], event["event_key"])
    other = organiser.make("/contacts", {"company_name": "Other"})
    body = {"participant_id": participant["id"], "contact_id": other["id"], "items": [STAND]}
    assert refused(organiser.post("/invoices", body, status=422)) == [("/contact_id", "disagrees")]
    assert refused(
        organiser.patch(f"/invoices/{invoice['id']}", {"contact_id": other["id"]}, status=422)
    ) == [("/contact_id", "disagrees")]
    alone = organiser.patch(
        f"/invoices/{invoice['id']}", {"event_participant_id": None}, status=200
    ).json["data"]
    assert (alone["event_participant_id"], alone["event_id"], alone["contact_id"]) == (
        None,
        None,
        buyer["id"],
    )
    moved = organiser.patch(
        f"/invoices/{draft()['id']}", {"participant_id": participant["id"]}, status=200
    ).json["data"]
    assert (moved["event_participant_id"], moved["event_id"]) == (participant["id"], event["id"])
    assert (
        organiser.patch(
            f"/invoices/{alone['id']}", {"customer_number": other["customer_number"]}, status=200
        ).json["data"]["contact_id"]
        == other["id"]
    )


def test_all_faults_of_the_items_are_reported_together(organiser, buyer):
    items = [
        {
            "description": "a",
            "quantity": 1.0001,
            "unit_price": 1.00001,
            "discount_percent": 1.001,
            "tax_rate": 1.001,
        },
        {"description": "b", "quantity": 1, "unit_price": 1, "tax_category": "AE", "tax_rate": 19},
        {"description": "c", "quantity": 1, "unit_price": 1, "tax_category": "E"},
        {"description": "d", "quantity": 1, "unit_price": 1, "tax_category": "S", "tax_rate": 0},
        {"description": "e", "quantity": 1, "unit_price": 1, "exemption_reason": "because"},
        {"description": "f", "quantity": 1, "unit_price": 1, "tax_category": "O"},
    ]
    answer = organiser.post(
        "/invoices", {"contact_id": 99, "items": items, "status": "sent"}, status=422
    )
    assert refused(answer) == [
        ("/contact_id", "unknown"),
        ("/items/0/quantity", "decimals"),
        ("/items/0/unit_price", "decimals"),
        ("/items/0/discount_percent", "decimals"),
        ("/items/0/tax_rate", "decimals"),
        ("/items/1/tax_rate", "tax_category"),
        ("/items/2/exemption_reason", "required"),
        ("/items/3/tax_rate", "tax_category"),
        ("/items/4/exemption_reason", "tax_category"),
        ("/items", "mixed_taxes"),
        ("/status", "enum"),
    ]


def test_tax_categories_state_why_there_is_no_tax(draft):
    def tax(**item):
        (group,) = draft({"description": "x", "quantity": 1, "unit_price": 100, **item})["taxes"]
        return group["category"], group["rate"], group["tax"], group["reason"]

    assert tax() == ("S", 19, 19, None)
    assert tax(tax_rate=0) == ("Z", 0, 0, None)
    assert tax(tax_category="Z") == ("Z", 0, 0, None)
    assert tax(tax_category="E", exemption_reason="§ 4 Nr. 12 UStG") == (
        "E",
        0,
        0,
        "§ 4 Nr. 12 UStG",
    )
    assert tax(tax_category="AE") == ("AE", 0, 0, "Reverse charge")
    assert tax(tax_category="G", exemption_reason="To Norway") == ("G", 0, 0, "To Norway")
    assert tax(tax_category="O") == ("O", 0, 0, "Not subject to VAT")


def test_reverse_charge_sets_the_tax_category_of_all_items(organiser, draft):
    exempt = {
        "description": "x",
        "quantity": 0,
        "unit_price": 1,
        "tax_category": "E",
        "exemption_reason": "§ 4 UStG",
    }
    assert draft(exempt, is_reverse_charge=True)["taxes"][0]["reason"] == "Reverse charge"
    invoice = draft(STAND, {**STAND, "tax_rate": 7}, is_reverse_charge=True)
    assert (invoice["tax_total"], [item["tax_category"] for item in invoice["items"]]) == (
        0,
        ["AE", "AE"],
    )
    back = organiser.patch(
        f"/invoices/{invoice['id']}", {"is_reverse_charge": False}, status=200
    ).json["data"]
    assert (back["tax_total"], [item["tax_category"] for item in back["items"]]) == (26, ["S", "S"])
    again = organiser.patch(
        f"/invoices/{invoice['id']}", {"is_reverse_charge": True}, status=200
    ).json["data"]
    assert again["taxes"] == [
        {
            "category": "AE",
            "rate": 0,
            "net": 200,
            "tax": 0,
            "reason": "Reverse charge",
            "reason_code": "VATEX-EU-AE",
        }
    ]


EXEMPT = {
    "description": "Lecture",
    "quantity": 1,
    "unit_price": 50,
    "tax_category": "E",
    "exemption_reason": "§ 4 Nr. 22 UStG",
}
ENTRY = {"description": "Entry", "quantity": 1, "unit_price": 10, "tax_rate": 7}


def test_reverse_charge_turned_off_gives_each_line_its_tax_back(organiser, draft):
    invoice = draft(
        STAND, ENTRY, EXEMPT, {**EXEMPT, "tax_category": "AE", "exemption_reason": "Agreed"}
    )
    address = f"/invoices/{invoice['id']}"
    charged = organiser.patch(address, {"is_reverse_charge": True}, status=200).json["data"]
    assert (charged["tax_total"], {item["tax_category"] for item in charged["items"]}) == (
        0,
        {"AE"},
    )
    plain = {"description": "Entry", "quantity": 1, "unit_price": 10}
    own = organiser.patch(
        address,
        {"is_reverse_charge": False, "items": [plain, {**STAND, "tax_rate": 5}]},
        status=200,
    ).json["data"]
    assert [item["tax_rate"] for item in own["items"]] == [7, 5]
    organiser.patch(address, {"is_reverse_charge": False, "items": invoice["items"]}, status=200)
    organiser.patch(address, {"is_reverse_charge": True}, status=200)
    for back in ({"is_reverse_charge": False}, {**charged, "is_reverse_charge": False}):
        restored = organiser.patch(address, back, status=200).json["data"]
        assert (restored["items"], restored["taxes"]) == (invoice["items"], invoice["taxes"])
        organiser.patch(address, {"is_reverse_charge": True, "text": "again"}, status=200)


def test_lines_that_change_under_reverse_charge_keep_their_usual_tax_and_new_ones_the_typed_one(
    organiser, draft
):
    address = f"/invoices/{draft(STAND, ENTRY)['id']}"
    stand, entry = organiser.patch(address, {"is_reverse_charge": True}, status=200).json["data"][
        "items"
    ]
    added = {"description": "Added", "quantity": 1, "unit_price": 1, "tax_rate": 7}
    items = [added, {**entry, "unit_price": 20}, stand]
    assert organiser.patch(address, {"items": items}, status=200).json["data"]["tax_total"] == 0
    items = organiser.data(address)["items"]
    organiser.patch(
        address, {"items": [{**items[0], "description": "Renamed"}, *items[1:]]}, status=200
    )
    back = organiser.patch(address, {"is_reverse_charge": False}, status=200).json["data"]
    assert [
        (item["description"], item["unit_price"], item["tax_category"], item["tax_rate"])
        for item in back["items"]
    ] == [("Renamed", 1, "S", 7), ("Entry", 20, "S", 7), ("Row stand", 100, "S", 19)]


def test_a_total_is_not_below_0_and_below_10_to_12(organiser, buyer):
    def try_(*items):
        return refused(
            organiser.post(
                "/invoices", {"contact_id": buyer["id"], "items": list(items)}, status=422
            )
        )

    assert try_({**STAND, "quantity": -1}) == [("/items", "negative_total")]
    large = {**STAND, "quantity": 999999999, "unit_price": 900}
    assert try_(large, large) == [("/items", "maximum")]
    assert try_({**large, "unit_price": 10**4}) == [("/items/0", "maximum"), ("/items", "maximum")]
    untaxed = {**STAND, "quantity": 1000, "tax_rate": 0}
    assert try_({**untaxed, "unit_price": 10**9}) == [
        ("/items/0", "maximum"),
        ("/items", "maximum"),
    ]
    body = {
        "contact_id": buyer["id"],
        "items": [
            {**untaxed, "unit_price": 10**9 - 0.0001},
            {**untaxed, "quantity": 1, "unit_price": 0.09},
        ],
    }
    assert organiser.make("/invoices", body)["total"] == 999999999999.99


def test_a_discount_is_a_percentage_or_a_negative_item(draft):
    invoice = draft(
        {**STAND, "discount_percent": 12.5}, {**STAND, "quantity": -1, "unit_price": 7.5}
    )
    assert (
        [item["net"] for item in invoice["items"]],
        invoice["subtotal"],
        invoice["tax_total"],
    ) == ([87.5, -7.5], 80, 15.2)


def test_a_discount_on_the_whole_invoice_is_marked(organiser, buyer, draft):
    off = {"description": "Early booking", "quantity": -1, "unit_price": 7.5, "is_discount": True}
    invoice = draft(STAND, off)
    assert ([item["is_discount"] for item in invoice["items"]], invoice["subtotal"]) == (
        [False, True],
        92.5,
    )
    invoice = act(organiser, invoice, "send")
    note = organiser.data(f"/invoices/{act(organiser, invoice, 'cancel')['related_invoice_id']}")
    assert [(item["is_discount"], item["quantity"]) for item in note["items"]] == [
        (False, -1),
        (True, 1),
    ]
    body = {"contact_id": buyer["id"]}
    for items, fault in (
        ([STAND, {**off, "quantity": 1}], ("/items/1/quantity", "discount")),
        ([STAND, {**off, "quantity": 0}], ("/items/1/quantity", "discount")),
        ([STAND, {**off, "discount_percent": 5}], ("/items/1/discount_percent", "discount")),
        ([{**off, "unit_price": 0}], ("/items", "discount")),
    ):
        assert refused(organiser.post("/invoices", {**body, "items": items}, status=422)) == [fault]


def test_a_category_without_tax_has_its_code_and_text(organiser, buyer, draft):
    free = {"description": "x", "quantity": 1, "unit_price": 10}
    expected = {
        "AE": ("Reverse charge", "VATEX-EU-AE"),
        "G": ("Export outside the EU", "VATEX-EU-G"),
        "K": ("Intra-community supply", "VATEX-EU-IC"),
        "O": ("Not subject to VAT", "VATEX-EU-O"),
        "Z": (None, None),
    }
    for category, (reason, code) in expected.items():
        invoice = draft({**free, "tax_category": category})
        assert invoice["taxes"] == [
            {
                "category": category,
                "rate": 0,
                "net": 10,
                "tax": 0,
                "reason": reason,
                "reason_code": code,
            }
        ]
    taught = {**free, "tax_category": "E", "exemption_reason": "§ 4 Nr. 22 UStG"}
    coded = {**taught, "exemption_code": "VATEX-EU-132-1I"}
    assert [
        draft(*items)["taxes"][0]["reason_code"] for items in ([taught], [coded], [coded, taught])
    ] == [None, "VATEX-EU-132-1I", None]
    for wrong in (
        {**taught, "exemption_code": "VATEX-EU-IC"},
        {**free, "exemption_code": "VATEX-EU-132"},
        {**taught, "exemption_code": "VATEX-EU-999"},
    ):
        answer = organiser.post(
            "/invoices", {"contact_id": buyer["id"], "items": [wrong]}, status=422
        )
        assert refused(answer) == [("/items/0/exemption_code", "tax_category")]


def test_amounts_have_the_decimals_of_the_currency(draft):
    assert draft({**STAND, "unit_price": 100.5}, currency="JPY")["subtotal"] == 101
    assert draft({**STAND, "unit_price": 100.5555}, currency="KWD")["subtotal"] == 100.556
    assert draft({**STAND, "unit_price": 0.005}, currency="EUR")["subtotal"] == 0.01


# Sending


def test_sending_assigns_the_number_and_locks_the_invoice(organiser, db, sent):
    first, second = sent(), sent(due_date="2099-01-31")
    year = first["issue_date"][:4]
    assert [first["invoice_number"], second["invoice_number"]] == [
        f"INV-{year}-00001",
        f"INV-{year}-00002",
    ]
    assert (first["status"], first["is_locked"]) == ("sent", True)
    assert first["due_date"] == times.add_days(first["issue_date"], db.config.payment_days)
    assert second["due_date"] == "2099-01-31"
    assert act(organiser, first, "send") == organiser.data(f"/invoices/{first['id']}") == first
    assert first["seller"] == {
        "name": "Messe Test GmbH",
        "street": "Am Markt 1",
        "postal_code": "04109",
        "city": "Leipzig",
        "country": "DE",
        "email": "office@messe.test",
        "contact": "Accounts",
        "phone": "+49 341 1234",
        "vat_id": "DE136695976",
        "tax_number": "231/1/2",
        "register_number": "HRB 4711",
        "register_court": None,
        "directors": None,
        "footer": None,
        "electronic_address": None,
        "iban": "DE02120300000000202051",
        "bic": "BYLADEM1001",
    }
    assert first["buyer"] == {
        "name": "Muster AG",
        "contact_name": "Eva Muster",
        "address": "Weg 1",
        "postal_code": "1010",
        "city": "Wien",
        "state": None,
        "country": "AT",
        "language": None,
        "vat_id": "ATU13585627",
        "is_business": True,
        "customer_number": "C-00001",
        "email": "office@muster.example",
        "leitweg_id": None,
        "gln": None,
        "electronic_address": None,
        "e_invoice_profile": "en16931",
    }


@pytest.mark.parametrize(
    "contact, is_business",
    [
        ({"company_name": "Muster AG"}, True),
        ({"last_name": "King"}, False),
        ({"last_name": "King", "tax_id": "ATU13585627"}, True),
        ({"last_name": "King", "tax_id": "12/345/6789"}, False),
        ({"last_name": "King", "is_business": True}, True),
        ({"company_name": "Stadt Wien", "is_business": False}, False),
        # a company with a VAT id is one in any case: Art. 43 no. 2 of Directive 2006/112/EC
        ({"company_name": "Stadt Wien", "tax_id": "ATU13585627", "is_business": False}, True),
        ({"last_name": "King", "tax_id": "ATU13585627", "is_business": False}, False),
    ],
)
def test_an_invoice_keeps_whether_its_buyer_counts_as_a_business(
    organiser, sent, contact, is_business
):
    place = {"address": "Weg 1", "postal_code": "1010", "city": "Wien", "country": "AT"}
    buyer = organiser.make("/contacts", {**place, **contact})
    invoice = sent(contact_id=buyer["id"])
    assert invoice["buyer"]["is_business"] is is_business
    organiser.patch(f"/contacts/{buyer['id']}", {"is_business": not is_business}, status=200)
    assert organiser.data(f"/invoices/{invoice['id']}")["buyer"]["is_business"] is is_business


def test_the_snapshot_stays_when_the_contact_changes(organiser, buyer, sent):
    invoice = sent()
    organiser.patch(
        f"/contacts/{buyer['id']}",
        {"company_name": "Neu AG", "invoice_email": "bill@muster.example"},
        status=200,
    )
    assert organiser.data(f"/invoices/{invoice['id']}")["buyer"] == invoice["buyer"]
    assert sent()["buyer"]["email"] == "bill@muster.example"


def test_once_sent_only_notes_and_due_date_can_change(organiser, sent):
    invoice = sent()
    address = f"/invoices/{invoice['id']}"
    changed = organiser.put(
        address, {**invoice, "notes": "rang", "due_date": "2099-01-01"}, status=200
    ).json["data"]
    assert changed == {
        **invoice,
        "notes": "rang",
        "due_date": "2099-01-01",
        "overdue_from": "2099-01-03",
        "updated_at": changed["updated_at"],
    }
    answer = organiser.patch(
        address, {"text": "x", "items": [STAND, STAND], "currency": "EUR", "notes": "y"}, status=409
    )
    assert (answer.json["code"], answer.json["members"]) == ("invoice_locked", ["text", "items"])
    assert organiser.data(address) == changed
    assert organiser.delete(address, status=409).json["code"] == "invoice_locked"


def test_the_exchange_rate_is_exact_and_can_be_added_once(organiser, app, draft, sent, monkeypatch):
    assert draft(currency="CHF", exchange_rate=0.0000533231)["exchange_rate"] == 0.0000533231
    app.app.settings.exchange_rates = {"USD": Decimal("0.92")}
    assert sent(currency="USD")["exchange_rate"] == 0.92
    assert sent(currency="USD", exchange_rate=0.9)["exchange_rate"] == 0.9
    refusal = organiser.post(f"/invoices/{draft(currency='CHF')['id']}/send", status=409).json
    assert (refusal["code"], refusal["missing"]) == ("invoice_incomplete", ["exchange_rate"])
    assert sent({**STAND, "tax_rate": 0}, currency="CHF")["exchange_rate"] is None, (
        "no tax must be converted"
    )
    monkeypatch.setattr(sending, "_lacks_rate", lambda *_: False)  # as an early version sent it
    invoice = sent(currency="CHF")
    address = f"/invoices/{invoice['id']}"
    assert invoice["exchange_rate"] is None
    changed = organiser.patch(address, {"exchange_rate": 1.06}, status=200).json["data"]
    assert changed == {**invoice, "exchange_rate": 1.06, "updated_at": changed["updated_at"]}
    assert organiser.patch(address, {"exchange_rate": 1.06}, status=200).json["data"] == changed
    for other in (1.07, None):
        answer = organiser.patch(address, {"exchange_rate": other}, status=409).json
        assert (answer["code"], answer["members"]) == ("invoice_locked", ["exchange_rate"])
    note = act(organiser, changed, "credit", {"items": [STAND]}, status=201)
    assert note["exchange_rate"] == 1.06


def test_only_an_invoice_in_another_currency_has_an_exchange_rate(organiser, buyer, draft, sent):
    body = {"contact_id": buyer["id"], "items": [STAND]}
    fault = [("/exchange_rate", "disagrees")]
    assert (
        refused(organiser.post("/invoices", {**body, "exchange_rate": 1.06}, status=422)) == fault
    )
    assert (
        refused(organiser.patch(f"/invoices/{sent()['id']}", {"exchange_rate": 1.06}, status=422))
        == fault
    )
    assert refused(
        organiser.post(
            "/invoices", {**body, "currency": "CHF", "exchange_rate": 1.00000000001}, status=422
        )
    ) == [("/exchange_rate", "decimals")]
    invoice = draft(currency="CHF", exchange_rate=1.06)
    changed = organiser.patch(f"/invoices/{invoice['id']}", {"currency": "EUR"}, status=200).json[
        "data"
    ]
    assert changed["exchange_rate"] is None


def test_setting_status_in_the_body_runs_the_action(organiser, draft):
    invoice = draft()
    address = f"/invoices/{invoice['id']}"
    sent = organiser.patch(address, {"status": "sent", "notes": "by hand"}, status=200).json["data"]
    assert (sent["status"], sent["notes"], sent["invoice_number"][:4]) == (
        "sent",
        "by hand",
        "INV-",
    )
    assert organiser.patch(address, {"status": "sent"}, status=200).json["data"] == sent
    for status in ("paid", "draft", "overdue", "refunded", "partially_paid"):
        assert (
            organiser.patch(address, {"status": status}, status=409).json["code"]
            == "invalid_transition"
        )
    cancelled = organiser.put(address, {"status": "cancelled"}, status=200).json["data"]
    assert cancelled["status"] == "cancelled" and cancelled["related_invoice_id"]


def test_sending_requires_the_legally_required_fields(organiser, db, app, draft):
    nobody = organiser.make("/contacts", {"email": "x@y.example"})
    invoice = organiser.make(
        "/invoices", {"contact_id": nobody["id"], "items": [STAND], "is_reverse_charge": True}
    )
    answer = organiser.post(f"/invoices/{invoice['id']}/send", status=409)
    assert (answer.json["code"], answer.json["missing"]) == (
        "invoice_incomplete",
        ["contact.company_name or last_name", "contact.address", "contact.city", "contact.tax_id"],
    )
    app.app.settings.organiser_name = app.app.settings.organiser_vat_id = (
        app.app.settings.organiser_tax_number
    ) = ""
    answer = organiser.post(f"/invoices/{draft()['id']}/send", status=409)
    assert answer.json["missing"] == ["organiser_name", "organiser_vat_id or organiser_tax_number"]
    assert organiser.data("/invoices/numbering") == []


@pytest.mark.parametrize("option", ["organiser_street", "organiser_city"])
def test_sending_requires_the_address_of_the_seller(organiser, app, draft, option):
    setattr(app.app.settings, option, "")
    answer = organiser.post(f"/invoices/{draft()['id']}/send", status=409).json
    assert (answer["code"], answer["missing"]) == ("invoice_incomplete", [option])


def test_reverse_charge_requires_the_vat_id_of_the_seller(organiser, app, draft):
    app.app.settings.organiser_vat_id = ""
    answer = organiser.post(
        f"/invoices/{draft(is_reverse_charge=True)['id']}/send", status=409
    ).json
    assert (answer["code"], answer["missing"]) == ("invoice_incomplete", ["organiser_vat_id"])
    assert act(organiser, draft(), "send")["seller"]["vat_id"] is None


def test_a_due_date_is_not_before_the_issue_date(organiser, db, draft, sent):
    today = times.today(db.config.timezone)
    yesterday = times.add_days(today, -1)
    faulty = [("/due_date", "before_start")]
    early = draft(due_date=yesterday)
    assert refused(organiser.post(f"/invoices/{early['id']}/send", status=422)) == faulty
    invoice = sent(due_date=today)
    address = f"/invoices/{invoice['id']}"
    assert refused(organiser.patch(address, {"due_date": yesterday}, status=422)) == faulty
    assert refused(organiser.patch(address, {"due_date": None}, status=422)) == [
        ("/due_date", "required")
    ]
    assert organiser.data(address) == invoice
    old = {
        "contact_id": invoice["contact_id"],
        "items": [STAND],
        "invoice_number": "OLD 1",
        "issue_date": "2019-12-02",
    }
    assert (
        refused(organiser.post("/invoices", {**old, "due_date": "2019-12-01"}, status=422))
        == faulty
    )
    note = act(organiser, invoice, "credit", {"items": [STAND]}, status=201)
    # due_date is null
    assert organiser.put(f"/invoices/{note['id']}", note, status=200).json["data"] == note
    assert (
        refused(organiser.patch(f"/invoices/{note['id']}", {"due_date": yesterday}, status=422))
        == faulty
    )


def test_a_sent_invoice_of_an_earlier_version_without_a_due_date_can_still_be_changed(
    organiser, db, sent
):
    invoice = sent()
    db.connection.execute("UPDATE invoices SET due_date = NULL")
    address = f"/invoices/{invoice['id']}"
    old = organiser.data(address)
    assert (
        organiser.put(address, {**old, "notes": "rang"}, status=200).json["data"]["notes"] == "rang"
    )


def test_the_service_period_is_checked(organiser, buyer, draft):
    body = {"contact_id": buyer["id"], "items": [STAND]}
    for dates, fault in (
        ({"service_date_to": "2027-05-03"}, ("/service_date", "required")),
        (
            {"service_date": "2027-05-04", "service_date_to": "2027-05-03"},
            ("/service_date_to", "before_start"),
        ),
    ):
        assert refused(organiser.post("/invoices", {**body, **dates}, status=422)) == [fault]
    invoice = draft(service_date="2027-05-01", service_date_to="2027-05-01")
    address = f"/invoices/{invoice['id']}"
    assert refused(organiser.patch(address, {"service_date": None}, status=422)) == [
        ("/service_date", "required")
    ]
    changed = organiser.patch(address, {"service_date_to": "2027-05-03"}, status=200).json["data"]
    assert (changed["service_date"], changed["service_date_to"]) == ("2027-05-01", "2027-05-03")


def test_the_service_date_defaults_to_the_issue_date_and_credit_notes_keep_the_period(
    organiser, db, sent
):
    plain, period = sent(), sent(service_date="2027-05-01", service_date_to="2027-05-03")
    assert (plain["service_date"], plain["service_date_to"]) == (plain["issue_date"], None)
    credited = act(organiser, period, "credit", {"items": [{**STAND, "unit_price": 1}]}, status=201)
    cancelled = organiser.data(
        f"/invoices/{act(organiser, period, 'cancel')['related_invoice_id']}"
    )
    assert [(note["service_date"], note["service_date_to"]) for note in (credited, cancelled)] == [
        ("2027-05-01", "2027-05-03")
    ] * 2
    assert (
        refused(
            organiser.patch(
                f"/invoices/{plain['id']}", {"service_date_to": "2099-05-03"}, status=409
            )
        )
        == "invoice_locked"
    )


def test_the_advice_of_a_refusal_fits_the_record(organiser, draft, sent, db):
    def detail(method, path, body=None):
        return organiser(method, path, body, status=409).json["detail"]

    invoice, cancelled = sent(), act(organiser, sent(), "cancel")
    note = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    assert detail("PATCH", f"/invoices/{invoice['id']}", {"text": "x"}).endswith(
        "Correct it with a credit note."
    )
    for locked in (cancelled, note):
        assert detail("PATCH", f"/invoices/{locked['id']}", {"text": "x"}).endswith(
            "Issue a new invoice."
        )
        assert detail("DELETE", f"/invoices/{locked['id']}").endswith(
            "can be deleted. Issue a new invoice."
        )
    assert detail("DELETE", f"/invoices/{invoice['id']}").endswith("Cancel it instead.")
    assert detail("POST", f"/invoices/{note['id']}/cancel") == (
        f"A credit note cannot be cancelled. To correct {note['invoice_number']}, issue a new invoice."
    )
    yen = sent({**STAND, "unit_price": 1200, "tax_rate": 7}, STAND, currency="KWD", exchange_rate=3)
    assert detail(
        "POST", f"/invoices/{yen['id']}/credit", {"items": [{**STAND, "unit_price": 101}]}
    ).endswith(
        "Left to credit: KWD 1,200.000 net in category S at 7%; KWD 100.000 net in category S at 19%."
    )
    voucher = sent(
        STAND, {"description": "Voucher", "quantity": -1, "unit_price": 60, "tax_rate": 7}
    )
    assert detail("POST", f"/invoices/{voucher['id']}/credit", {"items": [STAND]}).endswith(
        "Left to credit: EUR 54.80 with tax."
    )


def test_the_advice_without_a_mail_server_fits_the_request(organiser, sent):
    address = f"/invoices/{sent()['id']}"
    refusals = {
        action: organiser.post(f"{address}/{action}", body, status=409).json["detail"]
        for action, body in (("cancel", {"mail": True}), ("mail", {}))
    }
    assert refusals["cancel"].endswith("Set the option, or send `mail` as false.")
    assert refusals["mail"].endswith("Set the option."), "this request is for nothing but the mail"


def test_sending_by_mail_is_refused_without_a_mail_server(organiser, draft, sent, overdue):
    assert (
        refused(organiser.post(f"/invoices/{draft()['id']}/send", {"mail": True}, status=409))
        == "mail_not_configured"
    )
    assert (
        refused(organiser.post(f"/invoices/{overdue()['id']}/remind", {"mail": True}, status=409))
        == "mail_not_configured"
    )
    assert act(organiser, draft(), "send", {"mail": False})["status"] == "sent"


def test_an_invoice_for_zero_is_paid_when_it_is_sent(sent, db):
    assert sent({**STAND, "unit_price": 0})["status"] == "paid"
    assert db.connection.execute(
        "SELECT name FROM outgoing_events ORDER BY id DESC LIMIT 1"
    ).fetchone() == ("invoice.paid",)


# Numbers


def test_numbers_have_no_gaps_after_failures_and_concurrent_requests(organiser, db, draft, sent):
    nobody = organiser.make("/contacts", {"email": "x@y.example"})
    bad = organiser.make("/invoices", {"contact_id": nobody["id"], "items": [STAND]})
    good = [draft() for _ in range(12)]

    def send(some):
        for invoice in some:
            organiser.post(f"/invoices/{bad['id']}/send", status=409)
            act(organiser, invoice, "send")

    threads = [Thread(target=send, args=(good[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    act(organiser, good[0], "cancel")
    year = times.today(db.config.timezone)[:4]
    assert organiser.data("/invoices/numbering") == [
        {
            "series": f"credit_note-{year}",
            "invoice_type": "credit_note",
            "year": int(year),
            "first": f"CN-{year}-00001",
            "last": f"CN-{year}-00001",
            "count": 1,
            "gaps": [],
        },
        {
            "series": f"invoice-{year}",
            "invoice_type": "invoice",
            "year": int(year),
            "first": f"INV-{year}-00001",
            "last": f"INV-{year}-00012",
            "count": 12,
            "gaps": [],
        },
    ]


def test_a_missing_number_is_reported(organiser, db, sent):
    removed, last = [sent() for _ in range(4)][1::2]
    for invoice in (removed, last):
        db.connection.execute("DELETE FROM tax_entries WHERE invoice_id = ?", (invoice["id"],))
        db.connection.execute("DELETE FROM invoices WHERE id = ?", (invoice["id"],))
    (series,) = organiser.data("/invoices/numbering")
    assert (series["count"], series["gaps"]) == (
        2,
        [{"first": 2, "last": 2}, {"first": 4, "last": 4}],
    )


def test_an_invoice_that_is_taken_over_was_not_issued_in_the_future(organiser, db, draft):
    today = times.today(db.config.timezone)
    old = draft(invoice_number="RE 7", issue_date=today)
    late = {"issue_date": times.add_days(today, 1)}
    faulty = [("/issue_date", "future")]
    assert refused(organiser.patch(f"/invoices/{old['id']}", late, status=422)) == faulty
    body = {"contact_id": old["contact_id"], "items": [STAND], "invoice_number": "RE 8", **late}
    assert refused(organiser.post("/invoices", body, status=422)) == faulty


def test_the_format_of_numbers_is_configured(app, sent):
    app.app.settings.invoice_number_format = "{year}/{seq:03}-R"
    invoice = sent()
    assert invoice["invoice_number"] == f"{invoice['issue_date'][:4]}/001-R"


def test_an_old_invoice_is_imported_with_its_own_number(organiser, draft, sent, buyer):
    old = sent(invoice_number="RE 2019/7", issue_date="2019-02-03", due_date="2019-02-17")
    assert (old["invoice_number"], old["taken_over"], old["issue_date"], old["status"]) == (
        "RE 2019/7",
        True,
        "2019-02-03",
        "overdue",
    )
    assert sent()["invoice_number"].endswith("-00001")
    assert organiser.data("/invoices/numbering")[0]["count"] == 1
    pay(organiser, old, 119)
    body = {"contact_id": buyer["id"], "items": [STAND]}
    assert (
        refused(organiser.post("/invoices", {**body, "invoice_number": "RE 2019/7"}, status=409))
        == "duplicate"
    )
    for number in (
        "INV-2019-00001",
        "inv-2019-7",
        "INV 2019 00001",
        "INV201900001",
        "CN-2031-123456",
        "DRAFT-9",
    ):
        answer = organiser.post("/invoices", {**body, "invoice_number": number}, status=422)
        assert refused(answer) == [("/invoice_number", "running_series")]
    answer = organiser.post("/invoices", {**body, "issue_date": "2019-02-03"}, status=422)
    assert refused(answer) == [("/issue_date", "not_allowed")]
    assert draft(issue_date=None)["issue_date"] is None


def test_a_taken_number_is_not_assigned_again(organiser, app, draft, sent):
    year = times.today(app.app.settings.timezone)[:4]
    sent(invoice_number=f"R{year}-1")
    app.app.settings.invoice_number_format = "R{year}-{seq}"
    invoice = draft()
    assert refused(organiser.post(f"/invoices/{invoice['id']}/send", status=409)) == "duplicate"
    app.app.settings.invoice_number_format = "R{year}/{seq}"
    assert act(organiser, invoice, "send")["invoice_number"] == f"R{year}/1"


# States


def test_an_invoice_past_its_due_date_is_overdue(organiser, overdue, sent):
    due, part, paid, fine = overdue(), overdue(), overdue(), sent(due_date="2099-01-01")
    pay(organiser, part, 19)
    pay(organiser, paid, 119)
    note = act(organiser, fine, "credit", {"items": [{**STAND, "unit_price": 1}]}, status=201)
    assert organiser.data(f"/invoices/{due['id']}")["status"] == "overdue"

    def found(query):
        return [invoice["id"] for invoice in organiser.data(f"/invoices?{query}&order=ASC")]

    assert found("status=overdue") == found("overdue=1") == [due["id"], part["id"]]
    assert found("status=sent") == [fine["id"], note["id"]]
    assert found("status=partially_paid") == [] and found("status=paid") == [paid["id"]]
    assert found("status=sent&overdue=1") == []
    organiser.patch(f"/invoices/{part['id']}", {"due_date": "2099-01-01"}, status=200)
    assert found("status=partially_paid") == [part["id"]]
    assert (
        organiser.patch(f"/invoices/{due['id']}", {"status": "sent"}, status=200).json["data"][
            "status"
        ]
        == "overdue"
    )


def test_cancelling_creates_a_credit_note_for_the_whole_invoice(organiser, sent):
    invoice = sent(STAND, {**STAND, "quantity": 3, "unit_price": 33.33, "tax_rate": 7})
    cancelled = act(organiser, invoice, "cancel")
    note = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    assert (cancelled["status"], cancelled["credited"], cancelled["open_amount"]) == (
        "cancelled",
        invoice["total"],
        0,
    )
    assert (note["invoice_type"], note["status"], note["related_invoice_id"]) == (
        "credit_note",
        "sent",
        invoice["id"],
    )
    assert note["related_invoice_number"] == invoice["invoice_number"]
    assert (note["total"], note["subtotal"], note["open_amount"]) == (
        -invoice["total"],
        -invoice["subtotal"],
        0,
    )
    assert (
        note["invoice_number"].startswith("CN-")
        and note["is_locked"]
        and note["buyer"] == invoice["buyer"]
    )
    assert [item["net"] for item in note["items"]] == [-100, -99.99]
    assert act(organiser, invoice, "cancel") == cancelled
    for action in ("cancel", "credit", "remind"):
        answer = organiser.post(
            f"/invoices/{note['id']}/{action}",
            {"items": [STAND]} if action == "credit" else None,
            status=409,
        )
        assert refused(answer) == "invalid_transition"


def test_an_invoice_with_payments_cannot_be_cancelled(organiser, sent):
    invoice = sent()
    payment = pay(organiser, invoice, 1)
    assert (
        refused(organiser.post(f"/invoices/{invoice['id']}/cancel", status=409)) == "has_payments"
    )
    organiser.post(f"/payments/{payment['id']}/refund", status=200)
    assert act(organiser, invoice, "cancel")["status"] == "cancelled"


def test_an_invoice_for_zero_can_be_cancelled(organiser, sent):
    cancelled = act(organiser, sent({**STAND, "unit_price": 0}), "cancel")
    note = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    assert (cancelled["status"], cancelled["credited"], note["total"]) == ("cancelled", 0, 0)
    assert (note["invoice_type"], note["status"]) == ("credit_note", "sent")
    overpaid = sent({**STAND, "unit_price": 0})
    pay(organiser, overpaid, 5)
    assert (
        refused(organiser.post(f"/invoices/{overpaid['id']}/cancel", status=409)) == "has_payments"
    )


def test_a_draft_cannot_be_cancelled_or_credited(organiser, draft):
    invoice = draft()
    assert (
        refused(organiser.post(f"/invoices/{invoice['id']}/cancel", status=409))
        == "invalid_transition"
    )
    assert (
        refused(organiser.post(f"/invoices/{invoice['id']}/credit", {"items": [STAND]}, status=409))
        == "invalid_transition"
    )
    assert (
        refused(organiser.post(f"/invoices/{invoice['id']}/remind", status=409))
        == "invalid_transition"
    )


def test_a_partial_credit_cannot_exceed_the_invoice(organiser, sent):
    invoice = sent()
    answer = organiser.post(
        f"/invoices/{invoice['id']}/credit", {"items": [{**STAND, "unit_price": 40}]}, status=201
    )
    note = answer.json["data"]
    assert answer.headers["Location"].endswith(f"/invoices/{note['id']}")
    assert (
        note["total"],
        note["items"][0]["quantity"],
        note["status"],
        note["related_invoice_id"],
    ) == (-47.6, -1, "sent", invoice["id"])
    after = organiser.data(f"/invoices/{invoice['id']}")
    assert (
        after["credited"],
        after["open_amount"],
        after["status"],
        after["related_invoice_id"],
    ) == (47.6, 71.4, "sent", None)
    answer = organiser.post(
        f"/invoices/{invoice['id']}/credit", {"items": [{**STAND, "unit_price": 60.01}]}, status=409
    )
    assert (answer.json["code"], answer.json["left"]) == (
        "exceeds_invoice",
        [{"category": "S", "rate": 19, "net": 60, "tax": 11.4}],
    )
    other_rate = {"items": [{**STAND, "unit_price": 1, "tax_rate": 7}]}
    assert (
        refused(organiser.post(f"/invoices/{invoice['id']}/credit", other_rate, status=409))
        == "exceeds_invoice"
    )
    nothing = {"items": [{**STAND, "quantity": -1}]}
    assert refused(organiser.post(f"/invoices/{invoice['id']}/credit", nothing, status=422)) == [
        ("/items", "negative_total")
    ]


def test_a_credit_note_uses_the_tax_of_an_invoice_with_one_rate(organiser, sent):
    item = {"description": "Half of it", "quantity": 1, "unit_price": 50}
    for tax in ({"tax_rate": 7}, {"tax_category": "E", "exemption_reason": "§ 4 Nr. 12 UStG"}):
        invoice = sent({"description": "x", "quantity": 1, "unit_price": 100, **tax})
        note = act(organiser, invoice, "credit", {"items": [item]}, status=201)
        assert (note["taxes"][0]["category"], note["taxes"][0]["rate"]) == (
            invoice["taxes"][0]["category"],
            invoice["taxes"][0]["rate"],
        )
        assert note["taxes"][0]["reason"] == invoice["taxes"][0]["reason"]
    mixed = sent(STAND, {**STAND, "tax_rate": 7})
    assert refused(
        organiser.post(f"/invoices/{mixed['id']}/credit", {"items": [item]}, status=422)
    ) == [("/items/0/tax_rate", "required")]
    assert (
        act(organiser, mixed, "credit", {"items": [{**item, "tax_rate": 7}]}, status=201)["total"]
        == -53.5
    )


def test_a_draft_credit_note_counts_when_it_is_sent(organiser, db, buyer, sent):
    invoice = sent()
    with db.write():
        note = drafts.create(
            db,
            {"contact_id": buyer["id"], "items": [{**STAND, "quantity": -1, "unit_price": 60}]},
            invoice_type="credit_note",
            related_invoice_id=invoice["id"],
        )
    assert (note["invoice_number"], note["total"]) == (f"DRAFT-{note['id']}", -71.4)
    assert organiser.data(f"/invoices/{invoice['id']}")["credited"] == 0
    answer = organiser.patch(f"/invoices/{note['id']}", {"items": [STAND]}, status=422)
    assert refused(answer) == [("/items", "positive_total")]
    assert "negative quantities" in answer.json["errors"][0]["detail"]
    act(organiser, invoice, "credit", {"items": [{**STAND, "unit_price": 60}]}, status=201)
    assert refused(organiser.post(f"/invoices/{note['id']}/send", status=409)) == "exceeds_invoice"
    organiser.patch(
        f"/invoices/{note['id']}",
        {"items": [{**STAND, "quantity": -1, "unit_price": 40}]},
        status=200,
    )
    assert act(organiser, note, "send")["invoice_number"].startswith("CN-")
    assert organiser.data(f"/invoices/{invoice['id']}")["open_amount"] == 0


def test_credit_cannot_exceed_the_total_of_an_invoice_with_a_negative_item(organiser, sent):
    invoice = sent(
        STAND, {"description": "Voucher", "quantity": -1, "unit_price": 60, "tax_rate": 7}
    )
    assert invoice["total"] == 54.8
    answer = organiser.post(f"/invoices/{invoice['id']}/credit", {"items": [STAND]}, status=409)
    assert (answer.json["code"], answer.json["left_total"]) == ("exceeds_invoice", 54.8)
    act(organiser, invoice, "credit", {"items": [{**STAND, "unit_price": 40}]}, status=201)
    cancelled = act(organiser, invoice, "cancel")
    assert (cancelled["status"], cancelled["credited"], cancelled["open_amount"]) == (
        "cancelled",
        54.8,
        0,
    )


def test_cancelling_after_a_partial_credit_credits_the_rest(organiser, sent):
    invoice = sent()
    act(organiser, invoice, "credit", {"items": [{**STAND, "unit_price": 33.33}]}, status=201)
    cancelled = act(organiser, invoice, "cancel")
    note = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    assert (cancelled["credited"], cancelled["open_amount"], note["subtotal"]) == (119, 0, -66.67)


def test_credits_and_payments_determine_the_status(organiser, sent):
    def status(invoice):
        return organiser.data(f"/invoices/{invoice['id']}")["status"]

    rest_credited = sent()
    pay(organiser, rest_credited, 59.5)
    act(organiser, rest_credited, "credit", {"items": [{**STAND, "unit_price": 50}]}, status=201)
    assert status(rest_credited) == "paid"
    refunded = sent()
    payment = pay(organiser, refunded, 119)
    act(organiser, refunded, "credit", {"items": [STAND]}, status=201)
    owed = organiser.data(f"/invoices/{refunded['id']}")
    assert (owed["status"], owed["open_amount"]) == ("paid", -119)
    organiser.post(f"/payments/{payment['id']}/refund", {"amount": 100}, status=200)
    assert status(refunded) == "paid"
    organiser.post(f"/payments/{payment['id']}/refund", status=200)
    assert status(refunded) == "refunded"


def test_setting_a_status_is_refused_like_its_action(organiser, sent):
    invoice = sent()
    pay(organiser, invoice, 19)
    address = f"/invoices/{invoice['id']}"
    assert refused(organiser.patch(address, {"status": "cancelled"}, status=409)) == "has_payments"
    for status in ("sent", "draft", "paid", "overdue", "refunded"):
        assert (
            refused(organiser.patch(address, {"status": status}, status=409))
            == "invalid_transition"
        )


def test_a_credit_note_is_never_overdue(organiser, sent, db):
    note = act(organiser, sent(), "credit", {"items": [STAND]}, status=201)
    db.connection.execute("UPDATE invoices SET due_date = '2020-01-01' WHERE id = ?", (note["id"],))
    assert organiser.data(f"/invoices/{note['id']}")["status"] == "sent"
    assert organiser.data("/invoices?overdue=1") == organiser.data("/invoices?status=overdue") == []
    assert [invoice["id"] for invoice in organiser.data("/invoices?status=sent")] == [note["id"]]


def test_reminders_are_counted(organiser, overdue):
    invoice = overdue()
    assert invoice["reminder_sent_at"] is None
    act(organiser, invoice, "remind")
    reminded = act(organiser, invoice, "remind", {"force": True})
    assert (
        reminded["reminder_count"] == 2 and reminded["reminder_sent_at"] == reminded["updated_at"]
    )
    pay(organiser, invoice, 119)
    assert (
        refused(organiser.post(f"/invoices/{invoice['id']}/remind", status=409))
        == "invalid_transition"
    )


def test_a_reminder_is_refused_before_the_due_date(organiser, sent, db):
    today = times.today(db.config.timezone)
    early = sent(due_date=times.add_days(today, 1))
    for body in (None, {"force": True}):
        answer = organiser.post(f"/invoices/{early['id']}/remind", body, status=409).json
        assert (answer["code"], answer["due_date"]) == ("not_due", early["due_date"])
    assert act(organiser, sent(due_date=today), "remind")["reminder_count"] == 1


@pytest.mark.parametrize(
    "zone, before, after",
    [
        ("Europe/Berlin", "2030-03-01T22:59:00Z", "2030-03-01T23:01:00Z"),
        ("America/New_York", "2030-03-02T04:59:00Z", "2030-03-02T05:01:00Z"),
    ],
)
def test_a_second_reminder_on_the_same_day_must_be_forced(
    organiser, app, overdue, monkeypatch, zone, before, after
):
    app.app.settings.timezone = zone
    invoice = overdue()
    monkeypatch.setattr(times, "now", lambda: before)
    first = act(organiser, invoice, "remind")
    answer = organiser.post(f"/invoices/{invoice['id']}/remind", status=409).json
    assert (answer["code"], answer["reminder_sent_at"]) == (
        "already_reminded",
        first["reminder_sent_at"],
    )
    assert act(organiser, invoice, "remind", {"force": True})["reminder_count"] == 2
    monkeypatch.setattr(times, "now", lambda: after)
    assert act(organiser, invoice, "remind")["reminder_count"] == 3


def test_of_two_reminders_at_once_one_is_recorded(organiser, overdue):
    invoice, answers = overdue(), []
    threads = [
        Thread(target=lambda: answers.append(organiser.post(f"/invoices/{invoice['id']}/remind")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_int for answer in answers) == [200, 409, 409, 409]
    assert organiser.data(f"/invoices/{invoice['id']}")["reminder_count"] == 1


def test_allowed_actions_are_listed(organiser, draft, sent, overdue):
    def actions(invoice):
        return organiser.data(f"/invoices/{invoice['id']}?include=allowed_actions")[
            "allowed_actions"
        ]

    invoice = sent()
    assert actions(draft()) == ["send", "refresh"]
    assert actions(invoice) == ["cancel", "credit", "write_off", "mail", "dispute"]
    late = overdue()
    assert actions(late) == ["cancel", "credit", "remind", "write_off", "mail", "dispute"]
    pay(organiser, late, 19)
    assert actions(late) == ["credit", "remind", "write_off", "mail", "dispute"]
    pay(organiser, invoice, 119)
    assert actions(invoice) == ["credit", "mail"]
    note = act(organiser, invoice, "credit", {"items": [STAND]}, status=201)
    assert actions(note) == ["mail"]
    assert actions(sent({**STAND, "unit_price": 0})) == ["cancel", "credit", "mail"]


def test_each_step_sends_one_event(organiser, db, draft):
    invoice = draft(invoice_number="OLD 1", issue_date="2019-12-01", due_date="2020-01-01")
    organiser.patch(f"/invoices/{invoice['id']}", {"notes": "x"}, status=200)
    organiser.patch(f"/invoices/{invoice['id']}", {"notes": "x"}, status=200)
    act(organiser, invoice, "send")
    act(organiser, invoice, "remind")
    act(organiser, invoice, "credit", {"items": [{**STAND, "unit_price": 1}]}, status=201)
    act(organiser, invoice, "cancel")
    sent_events = db.connection.execute(
        "SELECT name, entity_id, scope FROM outgoing_events WHERE entity_type = 'invoice' ORDER BY id"
    ).fetchall()
    id = invoice["id"]
    assert sent_events == [
        (f"invoice.{name}", entity, "invoices")
        for name, entity in (
            ("created", id),
            ("updated", id),
            ("sent", id),
            ("reminded", id),
            ("created", id + 1),
            ("credited", id),
            ("created", id + 2),
            ("cancelled", id),
        )
    ]


# Lists


def test_lists_filter_sort_and_include(organiser, buyer, draft, sent):
    event = organiser.make("/events", {"title": "Garden Fair"})
    other = organiser.make("/contacts", {"company_name": "Other", "address": "A", "city": "B"})
    participant = organiser.make(
        "/participants", {"event_id": event["id"], "contact_id": other["id"]}
    )
    small = sent({**STAND, "unit_price": 1}, due_date="2099-01-02")
    large = draft({**STAND, "unit_price": 500}, due_date="2099-01-01")
    theirs = organiser.make("/invoices", {"participant_id": participant["id"], "items": [STAND]})
    note = act(organiser, small, "credit", {"items": [{**STAND, "unit_price": 0.5}]}, status=201)

    def ids(query):
        return [invoice["id"] for invoice in organiser.data(f"/invoices?{query}")]

    assert ids("") == [note["id"], theirs["id"], large["id"], small["id"]]
    assert ids("sort=total&order=ASC") == [note["id"], small["id"], theirs["id"], large["id"]]
    assert ids("sort=due_date&order=ASC") == [large["id"], small["id"], theirs["id"], note["id"]]
    assert ids("type=credit_note") == [note["id"]]
    assert ids(f"number={small['invoice_number']}") == [small["id"]]
    assert (
        ids(f"customer_number={other['customer_number']}")
        == ids(f"contact_id={other['id']}")
        == [theirs["id"]]
    )
    assert (
        ids(f"event_key={event['event_key']}") == ids(f"event_id={event['id']}") == [theirs["id"]]
    )
    assert (
        ids(f"participant_id={participant['id']}") == [theirs["id"]] and ids("event_key=none") == []
    )
    assert ids(f"date_from={small['issue_date']}&date_to={small['issue_date']}") == [
        note["id"],
        small["id"],
    ]
    assert ids(f"date_to={times.add_days(small['issue_date'], -1)}") == []
    assert ids("status=draft") == [theirs["id"], large["id"]]
    assert ids(f"related_invoice_id={small['id']}") == [note["id"]]
    (plain,) = organiser.data(f"/invoices?number={small['invoice_number']}")
    assert "items" not in plain and "taxes" not in plain
    pay(organiser, small, 1)
    (full,) = organiser.data(
        f"/invoices?number={small['invoice_number']}&include=items,write_offs,payments,contact"
    )
    one = organiser.data(f"/invoices/{small['id']}?include=items,write_offs,payments,contact")
    assert full == one and full["contact"]["company_name"] == "Muster AG"
    assert (full["items"], full["taxes"], [payment["amount"] for payment in full["payments"]]) == (
        small["items"],
        small["taxes"],
        [1],
    )


# The PDF


def pdf_of(client, invoice, **options):
    return client.get(f"/invoices/{invoice['id']}/pdf", **options)


def draw_due(db):
    """Run the worker's job once."""
    return invoice_pdfs.run(db, lambda: False)


def test_the_worker_stores_the_pdf_as_the_invoice_was_sent(organiser, settings, db, sent):
    pytest.importorskip("reportlab")
    invoice = sent(notes="for us only")
    assert (
        "for us only" not in db.connection.execute("SELECT pdf_source FROM invoices").fetchone()[0]
    )
    before = pdf_of(organiser, invoice, status=200)
    organiser.patch(
        f"/invoices/{invoice['id']}", {"due_date": "2099-01-01", "notes": "later"}, status=200
    )
    act(organiser, invoice, "cancel")
    assert db.connection.execute("SELECT pdf_sha256 FROM invoices").fetchall() == [(None,), (None,)]
    draw_due(db)
    stored = db.connection.execute(
        "SELECT pdf_sha256, pdf_source FROM invoices ORDER BY id"
    ).fetchone()
    after = pdf_of(organiser, invoice, status=200)
    assert after.body == before.body and stored == (after.headers["ETag"].strip('"'), None)
    assert before.headers["ETag"] == after.headers["ETag"]


def test_a_pdf_that_was_not_stored_before_a_crash_is_stored_in_the_next_round(
    organiser, db, sent, monkeypatch
):
    pytest.importorskip("reportlab")
    invoice = sent()
    with monkeypatch.context() as broken:
        broken.setattr(type(db), "run", lambda *_, **__: 1 / 0)  # after the file is stored
        with pytest.raises(ZeroDivisionError):
            draw_due(db)
    draw_due(db)
    (sha256,) = db.connection.execute("SELECT pdf_sha256 FROM invoices").fetchone()
    assert pdf_of(organiser, invoice, status=200).headers["ETag"] == f'"{sha256}"'


def test_the_pdf_of_an_anonymised_buyer_is_not_stored(
    organiser, buyer, db, settings, sent, monkeypatch
):
    pytest.importorskip("reportlab")
    invoice = sent(invoice_number="R 17", issue_date="2010-03-01")
    store = files.store

    def anonymize_meanwhile(config, data):
        organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200)
        return store(config, data)

    monkeypatch.setattr(files, "store", anonymize_meanwhile)
    draw_due(db)
    assert db.connection.execute("SELECT pdf_sha256, pdf_source FROM invoices").fetchone() == (
        None,
        None,
    )
    assert refused(pdf_of(organiser, invoice, status=409)) == "anonymized"


def test_the_pdf_names_the_event_and_the_corrected_invoice_as_they_were_when_sent(
    organiser, db, tmp_path
):
    pytest.importorskip("reportlab")
    from tests.pictures.test_invoice_pdf import texts

    event = organiser.make("/events", {"title": "Garden Fair", "date_from": "2027-05-01"})
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Rose & Sons",
            "address": "Kew Road 1",
            "city": "London",
            "country": "GB",
            "language": "en",
        },
    )
    participant = organiser.make(
        "/participants", {"event_id": event["id"], "contact_id": contact["id"]}
    )
    draft = organiser.make(
        "/invoices",
        {
            "event_participant_id": participant["id"],
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 100}],
        },
    )
    assert "Garden Fair" in texts(pdf_of(organiser, draft, status=200).body)[0].splitlines()
    sent = organiser.post(f"/invoices/{draft['id']}/send", {"mail": False}, status=200).json["data"]
    organiser.patch(f"/events/{event['id']}", {"title": "Spring Fair"}, status=200)
    assert "Garden Fair" in texts(pdf_of(organiser, sent, status=200).body)[0].splitlines()
    organiser.post(
        f"/invoices/{sent['id']}/cancel", {"reason": "The booth was exchanged."}, status=200
    )
    (note,) = organiser.data(f"/invoices?related_invoice_id={sent['id']}")
    lines = texts(pdf_of(organiser, note, status=200).body)[0].splitlines()
    assert lines[lines.index("Original invoice") + 1] == sent["invoice_number"]
    assert lines[lines.index("Original invoice") + 2].startswith("of ")
    assert "Reason: The booth was exchanged." in lines


def test_one_pdf_that_fails_does_not_hold_up_the_others(db, sent, monkeypatch, caplog):
    draw, failed = invoice_pdf.draw, []

    def fail_once(*arguments):
        if not failed:
            failed.append(1)
            raise RuntimeError("broken on purpose")
        return b"%PDF-"

    sent()
    sent()
    monkeypatch.setattr(invoice_pdf, "draw", fail_once)
    with pytest.raises(RuntimeError):
        draw_due(db)
    assert [
        found
        for (found,) in db.connection.execute("SELECT pdf_sha256 IS NULL FROM invoices ORDER BY id")
    ] == [1, 0]
    assert "cannot be drawn: broken on purpose" in caplog.text
    monkeypatch.setattr(invoice_pdf, "draw", draw)


def test_a_round_stores_a_limited_number_of_pdfs(db, sent, monkeypatch):
    monkeypatch.setattr(invoice_pdf, "draw", lambda *_: b"%PDF-")
    monkeypatch.setattr(invoice_pdfs, "MAX_PER_ROUND", 2)
    for _ in range(3):
        sent()
    assert draw_due(db) is True
    assert db.connection.execute(
        "SELECT count(*) FROM invoices WHERE pdf_sha256 IS NULL"
    ).fetchone() == (1,)
    assert draw_due(db) is False
    assert db.connection.execute(
        "SELECT count(*) FROM invoices WHERE pdf_sha256 IS NULL"
    ).fetchone() == (0,)


def test_a_pdf_that_needs_a_missing_package_is_not_tried_in_every_round(
    db, sent, monkeypatch, caplog
):
    def missing(*_):
        tried.append(1)
        raise Problem("not_installed", "PDF requires reportlab.")

    tried = []
    monkeypatch.setattr(invoice_pdf, "draw", missing)
    sent()
    assert [draw_due(db), draw_due(db)] == [False, False]
    assert (len(tried), caplog.text.count("is not drawn yet")) == (1, 1)


def test_a_pdf_that_is_stored_meanwhile_is_not_drawn_from_the_changed_invoice(
    organiser, db, sent, monkeypatch
):
    pytest.importorskip("reportlab")
    invoice = sent()
    before = pdf_of(organiser, invoice, status=200)
    organiser.patch(f"/invoices/{invoice['id']}", {"due_date": "2099-01-01"}, status=200)
    read = invoice_pdf.source

    def stored_meanwhile(reading, row):
        draw_due(db)
        return read(reading, row)

    monkeypatch.setattr(invoice_pdf, "source", stored_meanwhile)
    assert pdf_of(organiser, invoice, status=200).body == before.body


def test_the_pdf_does_not_change_once_sent(organiser, settings, db, sent):
    pytest.importorskip("reportlab")
    invoice = sent()
    draw_due(db)
    (sha256,) = db.connection.execute("SELECT pdf_sha256 FROM invoices").fetchone()
    answer = pdf_of(organiser, invoice, status=200)
    assert answer.body == files.read(settings, sha256) and answer.body.startswith(b"%PDF-")
    assert (answer.content_type, answer.headers["ETag"]) == ("application/pdf", f'"{sha256}"')
    assert (
        answer.headers["Content-Disposition"]
        == f'attachment; filename="{invoice["invoice_number"]}.pdf"'
    )
    assert (
        pdf_of(organiser, invoice, headers={"If-None-Match": f'"{sha256}"'}, status=304).body == b""
    )
    organiser.patch(f"/invoices/{invoice['id']}", {"due_date": "2099-01-01"}, status=200)
    assert pdf_of(organiser, invoice, status=200).body == answer.body


def test_the_pdf_of_a_draft_is_drawn_on_each_request(organiser, draft):
    pytest.importorskip("reportlab")
    invoice = draft()
    before = pdf_of(organiser, invoice, status=200)
    organiser.patch(f"/invoices/{invoice['id']}", {"text": "Thanks"}, status=200)
    after = pdf_of(organiser, invoice, status=200)
    assert (
        "ETag" not in after.headers
        and after.body.startswith(b"%PDF-")
        and after.body != before.body
    )
    assert pdf_of(organiser, invoice, headers={"Accept": "application/json"}, status=406)


def test_the_pdf_of_an_anonymised_buyer_is_refused_with_a_problem(organiser, buyer, sent):
    invoice = sent(invoice_number="R 17", issue_date="2010-03-01")  # past its retention period
    assert (
        organiser.post(f"/contacts/{buyer['id']}/anonymize", {"force": True}, status=200).json[
            "data"
        ]["kept"]
        == []
    )
    assert refused(organiser.get(f"/invoices/{invoice['id']}/pdf", status=409)) == "anonymized"
    for action, body in (("credit", {"items": [STAND]}), ("cancel", None)):
        assert (
            refused(organiser.post(f"/invoices/{invoice['id']}/{action}", body, status=409))
            == "anonymized"
        )
    assert organiser.data("/invoices/numbering") == []


def test_without_reportlab_an_invoice_is_sent_and_drawn_later(
    organiser, db, monkeypatch, sent, caplog
):
    draw = invoice_pdf.picture.draw

    def missing(*_):
        raise Problem("not_installed", "PDF needs reportlab.")

    monkeypatch.setattr(invoice_pdf.picture, "draw", missing)
    invoice = sent()
    assert refused(pdf_of(organiser, invoice, status=501)) == "not_installed"
    for _ in range(2):
        draw_due(db)
    assert caplog.text.count("is not drawn yet: PDF needs reportlab.") == 1
    pytest.importorskip("reportlab")
    monkeypatch.setattr(invoice_pdf.picture, "draw", draw)
    first = pdf_of(organiser, invoice, status=200)
    assert first.headers["ETag"] == pdf_of(organiser, invoice, status=200).headers["ETag"]
    draw_due(db)
    assert first.headers["ETag"] == pdf_of(organiser, invoice, status=200).headers["ETag"]


def test_the_pdf_is_written_in_the_language_of_the_buyer(organiser, buyer, draft, monkeypatch):
    seen = []
    monkeypatch.setattr(
        invoice_pdf.picture, "draw", lambda *arguments: seen.append(arguments[3]) or b"%PDF-"
    )
    for language in ("de-AT", "fr", None):
        organiser.patch(f"/contacts/{buyer['id']}", {"language": language}, status=200)
        pdf_of(organiser, draft(), status=200)
    assert seen == ["de", "en", "en"]


def test_the_language_is_fixed_when_the_invoice_is_sent(organiser, buyer, draft, settings):
    for own, contact, option, expected in (
        ("de-AT", "en", "en", "de-AT"),
        (None, "de-CH", "en", "de"),
        (None, "fr", "de", "de"),
        (None, None, "en", "en"),
    ):
        settings.language = option
        organiser.patch(f"/contacts/{buyer['id']}", {"language": contact}, status=200)
        invoice = draft(language=own)
        assert invoice["language"] == own
        assert act(organiser, invoice, "send", {"mail": False})["language"] == expected
        organiser.patch(f"/invoices/{invoice['id']}", {"language": expected}, status=200)
        refusal = organiser.patch(f"/invoices/{invoice['id']}", {"language": "de-LI"}, status=409)
        assert refused(refusal) == "invoice_locked"


def test_a_credit_note_has_the_language_of_its_invoice(organiser, buyer, sent, db):
    invoice = sent(language="de")
    organiser.patch(f"/contacts/{buyer['id']}", {"language": "en"}, status=200)
    act(organiser, invoice, "credit", {"items": [STAND]}, 201)
    [note] = organiser.data("/invoices?type=credit_note")
    assert note["language"] == "de"


def test_a_copy_shows_the_invoice_as_it_was_sent(organiser, db, draft):
    """Payments, credit notes, due dates and a cancellation come later, and the original does not
    show them either.
    """
    pytest.importorskip("reportlab")
    paid, cancelled = (
        act(
            organiser,
            draft(language="de", issue_date="2026-01-05", invoice_number=f"R-{number}"),
            "send",
            {"mail": False},
        )
        for number in (17, 18)
    )
    draw_due(db)
    first = [
        organiser.get(f"/invoices/{invoice['id']}/pdf?language=en", status=200).body
        for invoice in (paid, cancelled)
    ]
    pay(organiser, paid, 19)
    act(organiser, paid, "credit", {"items": [{**STAND, "unit_price": 10}]}, 201)
    act(organiser, cancelled, "cancel")
    for later in ("2026-03-01", "2026-04-01"):
        organiser.patch(f"/invoices/{paid['id']}", {"due_date": later}, status=200)
    for invoice, before in zip((paid, cancelled), first, strict=True):
        copy = organiser.get(f"/invoices/{invoice['id']}/pdf?language=en", status=200).body
        assert texts(copy) == texts(before)
        assert "EUR 119.00" in texts(copy)[0] and "Already paid" not in texts(copy)[0]


def test_a_language_that_is_not_available_is_refused(organiser, buyer, draft):
    body = {"contact_id": buyer["id"], "items": [STAND], "language": "fr"}
    assert refused(organiser.post("/invoices", body, status=422)) == [("/language", "format")]
    [fault] = organiser.get(f"/invoices/{draft()['id']}/pdf?language=fr", status=422).json["errors"]
    assert fault["parameter"] == "language"
    organiser.patch(f"/invoices/{draft()['id']}", {"language": None}, status=200)


def test_a_pdf_in_another_language_is_a_marked_copy_that_is_not_stored(
    organiser, db, sent, settings
):
    pytest.importorskip("reportlab")
    invoice = sent(language="de")
    for _ in ("drawn on request", "stored"):
        original = pdf_of(organiser, invoice, status=200)
        assert (
            organiser.get(f"/invoices/{invoice['id']}/pdf?language=de-AT", status=200).body
            == original.body
        )
        copy = organiser.get(f"/invoices/{invoice['id']}/pdf?language=en", status=200)
        (first,) = texts(copy.body)
        assert f"Invoice {invoice['invoice_number']} (copy)" in first and "Rechnung" not in first
        assert "(Kopie)" not in texts(original.body)[0] and "ETag" not in copy.headers
        draw_due(db)
    assert len([file for file in settings.files.rglob("*") if file.is_file()]) == 1


def test_the_pdf_of_a_credit_note_shows_the_reason_the_period_and_the_invoice(
    organiser, sent, monkeypatch
):
    seen = []
    monkeypatch.setattr(
        invoice_pdf.picture, "draw", lambda *arguments: seen.append(arguments[0]) or b"%PDF-"
    )
    monkeypatch.setattr(invoice_pdf.hybrid, "embed", lambda pdf, *_: pdf)
    invoice = sent(service_date="2027-05-01", service_date_to="2027-05-03")
    note = act(organiser, invoice, "cancel", {"reason": "Ordered twice"})["related_invoice_id"]
    organiser.get(f"/invoices/{note}/pdf", status=200)
    (shown,) = seen
    assert (shown["cancellation_reason"], shown["service_date"], shown["service_date_to"]) == (
        "Ordered twice",
        "2027-05-01",
        "2027-05-03",
    )
    assert (shown["related_invoice_number"], shown["related_issue_date"]) == (
        invoice["invoice_number"],
        invoice["issue_date"],
    )


# Arithmetic over many


def expected(items, places):
    """Return (subtotal, tax_total) according to EN 16931, calculated independently of the product."""

    def rounded(number):
        return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)

    groups = {}
    for item in items:
        net = rounded(
            Decimal(str(item["quantity"]))
            * Decimal(str(item["unit_price"]))
            * (100 - Decimal(str(item["discount_percent"])))
            / 100
        )
        groups[item["tax_rate"]] = groups.get(item["tax_rate"], 0) + net
    return sum(groups.values()), sum(
        rounded(net * Decimal(str(rate)) / 100) for rate, net in groups.items()
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_books_balance_after_random_steps(organiser, db, draft, seed):
    """Random invoices, payments, refunds, credits and cancellations."""
    chance = random.Random(seed)
    currency = chance.choice(["EUR", "JPY", "KWD"])
    places = money.decimals(currency)

    def some_items():
        return [
            {
                "description": "x",
                "quantity": chance.randrange(1, 5000) / 1000,
                "unit_price": chance.randrange(10**7) / 10**4,
                "discount_percent": chance.choice([0, 0, 3.33, 50]),
                "tax_rate": chance.choice([7, 19, 5.5]),
            }
            for _ in range(chance.randrange(1, 6))
        ]

    for _ in range(3):
        items = some_items()
        invoice = draft(*items, currency=currency, exchange_rate=None if currency == "EUR" else 2)
        subtotal, tax = expected(items, places)
        assert [Decimal(str(invoice[name])) for name in ("subtotal", "tax_total", "total")] == [
            subtotal,
            tax,
            subtotal + tax,
        ]
        act(organiser, invoice, "send")
        invoice = organiser.data(f"/invoices/{invoice['id']}")
        payments = []
        for _ in range(8):
            action = chance.choice(["pay", "pay", "refund", "delete", "credit", "credit"])
            if action == "pay":
                payments.append(
                    pay(
                        organiser, invoice, chance.randrange(1, 10**5) / 10**places if places else 7
                    )
                )
            elif action == "credit":
                part = {**chance.choice(items), "quantity": chance.randrange(1, 2000) / 1000}
                organiser.post(f"/invoices/{invoice['id']}/credit", {"items": [part]})
            elif payments and action == "refund":
                organiser.post(f"/payments/{chance.choice(payments)['id']}/refund", {"amount": 1})
            elif payments:
                organiser.delete(f"/payments/{payments.pop()['id']}", status=204)
        organiser.post(f"/invoices/{invoice['id']}/cancel")
        after = organiser.data(f"/invoices/{invoice['id']}?include=payments")
        paid = sum(
            (
                Decimal(str(payment["amount"])) - Decimal(str(payment["refunded_amount"]))
                for payment in after["payments"]
                if payment["status"] == "completed"
            ),
            Decimal(0),
        )
        notes = organiser.data(f"/invoices?related_invoice_id={invoice['id']}")
        credited = -sum((Decimal(str(note["total"])) for note in notes), Decimal(0))
        assert [
            Decimal(str(after[name])) for name in ("paid_amount", "credited", "open_amount")
        ] == [paid, credited, Decimal(str(after["total"])) - paid - credited]
        assert 0 <= credited <= Decimal(str(after["total"]))
    assert balance.check(db) == []


@pytest.mark.parametrize(
    "spoil, said",
    [
        ("UPDATE invoices SET paid_amount = paid_amount + 1", ["paid_amount"]),
        ("UPDATE invoices SET status = 'paid'", ["status"]),
        ("UPDATE invoices SET subtotal = subtotal + 1, total = total + 1", ["subtotal", "total"]),
        (
            "UPDATE invoice_items SET net = net + 1",
            ["the net amount of item 1", "its items add up to"],
        ),
        ("UPDATE invoice_taxes SET tax = tax + 1", ["tax S 19.0 % is", "tax_total", "total"]),
        ("DELETE FROM invoice_taxes", ["its items add up to", "subtotal", "tax_total", "total"]),
    ],
)
def test_check_finds_damaged_records(sent, db, spoil, said):
    invoice = sent()
    db.connection.execute("BEGIN")
    db.connection.execute(spoil)
    try:
        found = balance.check(db)
        assert len(found) == len(said), found
        assert all(
            any(word in sentence and invoice["invoice_number"] in sentence for sentence in found)
            for word in said
        ), found
    finally:
        db.connection.execute("ROLLBACK")


def test_the_events_of_an_invoice_contain_the_whole_record(db, sent, organiser):
    invoice = sent()
    (data,) = db.connection.execute(
        "SELECT data FROM outgoing_events WHERE name = 'invoice.sent'"
    ).fetchone()
    assert json.loads(data) == organiser.data(f"/invoices/{invoice['id']}")


# Search


def found(client, text):
    return [
        invoice["invoice_number"]
        for invoice in client.data(f"/invoices?search={quote(text)}&sort=id&order=ASC")
    ]


def test_an_invoice_is_found_by_words_and_beginnings_of_number_buyer_and_customer_number(
    organiser, buyer, draft, sent
):
    number, other = sent()["invoice_number"], draft()["invoice_number"]
    part, customer = number.removeprefix("INV-"), buyer["customer_number"]
    foreign = draft(
        contact_id=organiser.make("/contacts", {"company_name": "Größe Æther GmbH"})["id"]
    )
    for text in ("muster", "MÜST", "eva mus", customer, customer.lower()):
        assert found(organiser, text) == [number, other], text
    assert (
        found(organiser, number)
        == found(organiser, f"{part} muster")
        == found(organiser, part[:9])
        == [number]
    )
    assert found(organiser, other) == [other]
    assert (
        found(organiser, "grosse aether")
        == found(organiser, "Größe")
        == [foreign["invoice_number"]]
    )
    assert (
        found(organiser, "uster")
        == found(organiser, "muster nobody")
        == found(organiser, "--")
        == []
    )


def test_a_draft_is_found_by_its_present_buyer_and_a_sent_invoice_as_it_was_sent(
    organiser, db, buyer, draft, sent
):
    was, draft = sent(), draft()
    organiser.patch(
        f"/contacts/{buyer['id']}",
        {"company_name": "Straßenbau KG", "first_name": None},
        status=200,
    )
    assert found(organiser, "strasse") == [draft["invoice_number"]]
    assert found(organiser, "eva") == [was["invoice_number"]]
    other = organiser.make("/contacts", {"company_name": "Dritte"})
    organiser.patch(f"/invoices/{draft['id']}", {"contact_id": other["id"]}, status=200)
    assert found(organiser, "strasse") == [] and found(organiser, "dritte") == [
        draft["invoice_number"]
    ]
    organiser.delete(f"/invoices/{draft['id']}", status=204)
    assert found(organiser, "dritte") == []
    db.connection.execute(
        "INSERT INTO invoices_search (invoices_search, rank) VALUES ('integrity-check', 1)"
    )


def test_a_credit_note_is_found_by_the_buyer_of_its_invoice(organiser, buyer, sent):
    invoice = sent()
    organiser.patch(f"/contacts/{buyer['id']}", {"company_name": "Neu GmbH"}, status=200)
    items = [{"description": "Rabatt", "quantity": 1, "unit_price": 10}]
    note = act(organiser, invoice, "credit", {"items": items}, 201)
    assert found(organiser, "muster ag") == [invoice["invoice_number"], note["invoice_number"]]


def test_the_filter_number_has_another_name(organiser, sent):
    number, _ = sent()["invoice_number"], sent()
    assert [
        one["invoice_number"] for one in organiser.data(f"/invoices?invoice_number={number}")
    ] == [number]
    answer = organiser.get(f"/invoices?invoice_number={number}&number={number}", status=422)
    assert answer.json["errors"] == [
        {
            "code": "excluded",
            "parameter": "invoice_number",
            "detail": "is another name of `number`. Send one of them",
        }
    ]


# Credit of all that is left


def test_a_paid_invoice_is_credited_as_a_whole(organiser, sent):
    invoice = sent(STAND, {**STAND, "tax_rate": 7, "unit_price": 50})
    pay(organiser, invoice, invoice["total"])
    act(organiser, invoice, "credit", {"items": [{**STAND, "unit_price": 30}]}, 201)
    note = act(organiser, invoice, "credit", {"whole": True, "text": "Cancelled"}, 201)
    assert (note["status"], note["text"], note["total"]) == ("sent", "Cancelled", -136.8)
    after = organiser.data(f"/invoices/{invoice['id']}")
    assert (after["status"], after["credited"], after["open_amount"]) == ("paid", 172.5, -172.5)


def test_an_unpaid_invoice_is_cancelled_by_the_credit_of_all_of_it(organiser, sent):
    invoice = sent()
    act(organiser, invoice, "credit", {"whole": True}, 201)
    assert organiser.data(f"/invoices/{invoice['id']}")["status"] == "cancelled"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({}, ("/items", "required")),
        ({"whole": False}, ("/items", "required")),
        ({"items": None}, ("/items", "required")),
        ({"whole": True, "items": [STAND]}, ("/items", "excluded")),
        ({"whole": "yes"}, ("/whole", "type")),
    ],
)
def test_a_credit_has_either_items_or_whole(organiser, sent, body, fault):
    answer = organiser.post(f"/invoices/{sent()['id']}/credit", body, status=422)
    assert refused(answer) == [fault]


def test_what_is_credited_already_cannot_be_credited_as_a_whole(organiser, sent, draft):
    invoice = sent()
    pay(organiser, invoice, 119)
    note = act(organiser, invoice, "credit", {"whole": True}, 201)
    codes = [
        refused(organiser.post(f"/invoices/{each['id']}/credit", {"whole": True}, status=409))
        for each in (invoice, note, draft())
    ]
    assert codes == ["exceeds_invoice", "invalid_transition", "invalid_transition"]


def test_what_is_written_off_cannot_be_credited_as_a_whole(organiser, sent):
    invoice = sent()
    act(organiser, invoice, "write-offs", {"reason": "Insolvent"}, 201)
    answer = organiser.post(f"/invoices/{invoice['id']}/credit", {"whole": True}, status=409)
    assert refused(answer) == "has_write_offs"
