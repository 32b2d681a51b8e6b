"""Deposits and final invoices: what they check, deduct and print, and when their tax counts."""

import re

import pytest

from eventapi.domain.einvoices import reading
from eventapi.domain.upkeep import checks
from eventapi.validation.identifiers.bookkeeping import Account
from tests.domain.test_taxes import BUYER, Office, books, clock  # noqa: F401  fixtures
from tests.pictures.test_invoice_pdf import texts

DEPOSITS = "1593"


@pytest.fixture
def office(organiser, clock, settings, monkeypatch):  # noqa: F811
    monkeypatch.setattr(settings, "datev_deposits", Account(DEPOSITS))
    return Clerk(organiser, clock, settings, monkeypatch)


class Clerk(Office):
    """An office that asks for deposits on a stand at the show in May."""

    def deposit(self, *items, **fields):
        return self.invoice(*items or ({"unit_price": 300},), is_deposit=True, **fields)

    def paid(self, *items, **fields):
        """Return a deposit, as it is once it is paid."""
        deposit = self.deposit(*items, **fields)
        self.pay(deposit, deposit["total"])
        return self.read(deposit)

    def draft(self, *deposits, status=201, items=({"unit_price": 1000},), **fields):
        """Create a final invoice, and return it or the problem."""
        answer = self.client.post(
            "/invoices",
            {
                "contact_id": self.buyer["id"],
                "service_date": "2026-05-08",
                "service_date_to": "2026-05-10",
                "items": [{"description": "Stand", "quantity": 1, **item} for item in items],
                "deposit_ids": [deposit["id"] for deposit in deposits],
                **fields,
            },
            status=status,
        ).json
        return answer["data"] if status == 201 else answer

    def send(self, draft, status=200, **body):
        answer = self.client.post(f"/invoices/{draft['id']}/send", body, status=status).json
        return answer["data"] if status == 200 else answer

    def final(self, *deposits, **fields):
        return self.send(self.draft(*deposits, **fields))

    def read(self, invoice):
        return self.client.data(f"/invoices/{invoice['id']}")

    def act(self, invoice, action, body=None, status=200):
        answer = self.client.post(f"/invoices/{invoice['id']}/{action}", body, status=status).json
        return answer.get("data", answer)

    def document(self, invoice, query=""):
        return reading.read(
            self.client.get(f"/invoices/{invoice['id']}/xml{query}", status=200).body
        )

    def page(self, invoice, query=""):
        pages = texts(self.client.get(f"/invoices/{invoice['id']}/pdf{query}", status=200).body)
        return " ".join(" ".join(pages).split())


def faults(problem):
    return [(fault["pointer"], fault["code"]) for fault in problem["errors"]]


# A deposit


def test_a_deposit_is_an_invoice_of_its_series_without_a_day_of_the_supply(office):
    deposit = office.deposit()
    assert (deposit["invoice_number"], deposit["invoice_type"], deposit["is_deposit"]) == (
        "INV-2026-00001",
        "invoice",
        True,
    )
    assert (deposit["tax_date"], deposit["tax_basis"], deposit["total"]) == (None, "payment", 357)
    assert office.invoice()["is_deposit"] is False
    for value, ids in ((1, [deposit["id"]]), (0, [deposit["id"] + 1])):
        assert [one["id"] for one in office.client.data(f"/invoices?is_deposit={value}")] == ids


def test_a_deposit_bills_nothing_so_that_the_final_invoice_can_bill_it(office):
    event = office.client.make(
        "/events",
        {
            "title": "Fair",
            "event_key": "fair",
            "date_from": "2026-05-08",
            "date_to": "2026-05-10",
            "timezone": "Europe/Berlin",
        },
    )
    participant = office.client.make(
        "/participants",
        {"event_id": event["id"], "contact_id": office.buyer["id"], "role": "exhibitor"},
    )
    body = {
        "event_participant_id": participant["id"],
        "is_deposit": True,
        "items": [
            {
                "description": "Fee",
                "quantity": 1,
                "unit_price": 5,
                "fee_of_participant_id": participant["id"],
            }
        ],
    }
    assert faults(office.client.post("/invoices", body, status=422).json) == [
        ("/items/0/fee_of_participant_id", "not_allowed")
    ]
    del body["items"][0]["fee_of_participant_id"]
    sent = office.send(office.client.make("/invoices", body))
    # of the event
    assert (sent["service_date"], sent["service_date_to"]) == (
        "2026-05-08",
        "2026-05-10",
    )


def test_a_deposit_says_so_on_its_page_and_in_its_e_invoice(office):
    deposit = office.deposit(language="de")
    page = office.page(deposit)
    assert (
        f"Abschlagsrechnung {deposit['invoice_number']}" in page and "noch nicht erbracht" in page
    )
    assert "Voraussichtlich" in page and "Leistungszeitraum" not in page
    assert f"Deposit invoice {deposit['invoice_number']}" in office.page(deposit, "?language=en")
    document = office.document(deposit)
    assert (document.type_code, document.preceding) == ("386", ())
    assert "noch nicht erbracht" in document.notes[0]
    assert [
        office.document(office.invoice()).type_code,
        office.document(deposit, "?syntax=ubl").type_code,
    ] == ["380", "386"]


@pytest.mark.parametrize(
    "profile, country, expected",
    [
        ("en16931", "DE", "386"),
        ("xrechnung", "DE", "380"),
        ("peppol", "DE", "380"),
        ("peppol", "AT", "386"),
    ],
)
def test_a_deposit_has_the_type_that_the_profile_knows(office, profile, country, expected):
    """BR-DE-17 has no 386, and neither has DE-R-017 between Germans.

    Peppol has it (PEPPOL-EN16931-P0100).
    """
    office.buyer = office.client.make(
        "/contacts",
        {
            **BUYER,
            "email": "x@muster.example",
            "e_invoice_profile": profile,
            "country": country,
            "electronic_address": "9930:DE123456788",
        },
    )
    deposit = office.paid()
    assert office.act(deposit, "check")["faults"] == []
    for syntax in ("cii", "ubl"):
        assert office.document(deposit, f"?profile={profile}&syntax={syntax}").type_code == expected
        assert (
            office.document(office.final(), f"?profile={profile}&syntax={syntax}").type_code
            == "380"
        )


def test_without_a_day_of_the_supply_the_page_of_a_deposit_shows_none(office):
    deposit = office.deposit(service_date=None, service_date_to=None, language="en")
    assert deposit["service_date"] == "2026-01-15" and "Expected service" not in office.page(
        deposit
    )


# What a final invoice checks


def test_a_final_invoice_deducts_deposits_of_the_same_buyer_currency_and_event_once(office):
    other = office.client.make("/contacts", {**BUYER, "company_name": "Other GmbH"})
    deposit, plain = office.paid(), office.invoice()
    event = office.client.make(
        "/events",
        {
            "title": "Fair",
            "event_key": "fair",
            "date_from": "2026-05-08",
            "date_to": "2026-05-10",
            "timezone": "Europe/Berlin",
        },
    )
    participant = office.client.make(
        "/participants",
        {"event_id": event["id"], "contact_id": office.buyer["id"], "role": "exhibitor"},
    )
    of_event = office.paid(event_participant_id=participant["id"])
    draft = office.client.make(
        "/invoices",
        {
            "contact_id": office.buyer["id"],
            "is_deposit": True,
            "items": [{"description": "x", "quantity": 1, "unit_price": 1}],
        },
    )
    wrong = (
        office.paid(contact_id=other["id"]),
        office.paid(currency="CHF", exchange_rate=1.05),
        of_event,
        plain,
        draft,
        {"id": 9999},
    )
    assert faults(office.draft(*wrong, status=422)) == [
        ("/deposit_ids/0", "disagrees"),
        ("/deposit_ids/1", "disagrees"),
        ("/deposit_ids/2", "disagrees"),
        ("/deposit_ids/3", "disagrees"),
        ("/deposit_ids/4", "not_sent"),
        ("/deposit_ids/5", "unknown"),
    ]
    assert office.draft(deposit, deposit, status=422)["code"] == "validation_failed"
    first = office.draft(deposit)
    assert faults(office.draft(deposit, status=422)) == [("/deposit_ids/0", "duplicate")]
    address = f"/invoices/{first['id']}"
    moved = office.client.patch(address, {"contact_id": other["id"]}, status=422).json
    assert faults(moved) == [("/deposit_ids/0", "disagrees")]
    assert office.client.patch(address, {"notes": "x"}, status=200).json["data"]["deposit_ids"] == [
        deposit["id"]
    ]
    office.client.patch(address, {"deposit_ids": []}, status=200)
    office.client.delete(f"/invoices/{office.draft(deposit)['id']}", status=204)
    # deleted drafts have released it
    assert office.draft(deposit)["deposit_ids"] == [deposit["id"]]


def test_a_deposit_deducts_no_deposits_and_a_credit_note_neither(office):
    deposit = office.paid()
    assert faults(office.draft(deposit, is_deposit=True, status=422)) == [
        ("/deposit_ids", "not_allowed")
    ]


def test_only_what_was_paid_is_deducted(office):
    deposit = office.deposit()
    refused = office.draft(deposit, status=409)
    assert (refused["code"], refused["deposit_ids"]) == ("deposit_open", [deposit["id"]])
    payment = office.pay(deposit, 357)
    draft = office.draft(deposit)
    office.client.delete(f"/payments/{payment['id']}", status=204)
    assert office.send(draft, status=409)["code"] == "deposit_open"
    found = [fault["field"] for fault in office.act(draft, "check")["faults"]]
    assert found == ["deposit_ids"]
    office.write_off(deposit, 357)
    assert office.send(draft, status=409)["code"] == "deposit_open"  # written off is not paid
    office.pay(deposit, 357)
    assert office.send(draft)["total"] == 833


def test_a_negative_rest_is_refused(office):
    deposit = office.paid({"unit_price": 2000})
    draft = office.draft(deposit)
    refused = office.send(draft, status=409)
    assert refused["code"] == "exceeds_invoice" and "EUR 1,190.00" in refused["detail"]
    assert [fault["field"] for fault in office.act(draft, "check")["faults"]] == ["deposit_ids"]
    found = office.read(draft)
    assert (found["status"], found["total"], len(found["items"])) == ("draft", 1190, 1)


# What it deducts


def test_sending_adds_a_line_for_each_deposit_and_rate_over_what_credit_notes_have_left(office):
    first = office.paid({"unit_price": 300}, {"unit_price": 100, "tax_rate": 7})
    office.credit(first, 40, 7)
    second = office.paid({"unit_price": 50})
    draft = office.draft(
        second,
        first,
        items=({"unit_price": 1000}, {"unit_price": 100, "tax_rate": 7}),
        language="en",
    )
    assert (
        len(draft["items"]) == 2
        and draft["total"] == 1297
        and draft["deposit_ids"] == [first["id"], second["id"]]
    )
    final = office.send(draft)
    lines = [
        (
            line["position"],
            line["quantity"],
            line["unit_price"],
            line["tax_rate"],
            line["net"],
            line["deposit_id"],
        )
        for line in final["items"][2:]
    ]
    assert lines == [
        (3, -1, 60, 7, -60, first["id"]),
        (4, -1, 300, 19, -300, first["id"]),
        (5, -1, 50, 19, -50, second["id"]),
    ]
    assert [(tax["rate"], tax["net"], tax["tax"]) for tax in final["taxes"]] == [
        (7, 40, 2.8),
        (19, 650, 123.5),
    ]
    assert (final["subtotal"], final["tax_total"], final["total"], final["open_amount"]) == (
        690,
        126.3,
        816.3,
        816.3,
    )
    assert final["items"][3]["description"] == (
        f"Deposit invoice {first['invoice_number']} of 15 January 2026\n"
        "less EUR 300.00 and VAT 19% EUR 57.00 that were paid"
    )


def test_a_deposit_that_was_credited_in_full_adds_no_line(office):
    deposit = office.deposit()
    office.act(deposit, "cancel")
    final = office.final(deposit)
    assert (len(final["items"]), final["total"]) == (1, 1190)
    assert office.document(final).preceding == ()


def test_nothing_is_left_to_pay_if_the_deposits_are_the_whole(office):
    deposit = office.paid({"unit_price": 1000})
    final = office.final(deposit)
    assert (final["total"], final["status"], final["open_amount"]) == (0, "paid", 0)
    assert "No payment is due" in office.page(final, "?language=en")
    assert office.act(final, "cancel")["status"] == "cancelled"


def test_a_negative_group_of_a_deposit_is_added_back(office):
    deposit = office.paid({"unit_price": 300}, {"unit_price": 20, "quantity": -1, "tax_rate": 7})
    final = office.final(deposit)
    assert [(line["quantity"], line["net"]) for line in final["items"][1:]] == [(1, 20), (-1, -300)]
    assert final["subtotal"] == 720


def test_exemptions_of_a_deposit_stay(office):
    exempt = {
        "tax_category": "E",
        "tax_rate": 0,
        "exemption_reason": "§ 4 Nr. 22 UStG",
        "exemption_code": "VATEX-EU-132-1I",
    }
    deposit = office.paid({"unit_price": 100, **exempt})
    final = office.final(deposit, items=({"unit_price": 400, **exempt},))
    line = final["items"][1]
    assert (line["tax_category"], line["exemption_reason"], line["exemption_code"]) == (
        "E",
        "§ 4 Nr. 22 UStG",
        "VATEX-EU-132-1I",
    )
    assert final["taxes"] == [
        {
            "category": "E",
            "rate": 0,
            "net": 300,
            "tax": 0,
            "reason": "§ 4 Nr. 22 UStG",
            "reason_code": "VATEX-EU-132-1I",
        }
    ]


def test_payments_that_are_sent_with_a_final_invoice_pay_its_rest(office):
    draft = office.draft(office.paid())
    assert office.send(draft, payments=[{"amount": 833.01}], status=422)
    final = office.send(draft, payments=[{"amount": 833}])
    assert (final["status"], final["prepaid_amount"], office.document(final).payable) == (
        "paid",
        833,
        0,
    )


def test_the_final_invoice_names_its_deposits_on_the_page_and_in_the_e_invoice(office):
    """§ 14 (5) UStG: it deducts the money that came, and the tax on it."""
    first, second = office.paid(), office.paid({"unit_price": 100})
    draft = office.draft(first, second, language="de")
    of_draft = office.page(draft)  # shows what will be sent
    final = office.send(draft)
    for page in (of_draft, office.page(final)):
        assert "Schlussrechnung" in page
        for text in (
            f"Abschlagsrechnung {first['invoice_number']} vom 15.01.2026",
            "abzüglich gezahlter 300,00 EUR und USt 19 % 57,00 EUR",
            second["invoice_number"],
            "714,00",
        ):
            assert text in page, text
    for query in ("", "?syntax=ubl"):
        document = office.document(final, query)
        assert document.preceding == tuple(
            (one["invoice_number"], "2026-01-15") for one in (first, second)
        )
        assert (document.type_code, document.total, document.payable) == ("380", 714, 714)


# Afterwards


def test_a_deposit_that_is_deducted_is_neither_credited_nor_cancelled(office):
    deposit = office.paid()
    draft = office.draft(deposit)
    assert (
        "credit"
        in office.client.data(f"/invoices/{deposit['id']}?include=allowed_actions")[
            "allowed_actions"
        ]
    )
    final = office.send(draft)
    items = {"items": [{"description": "x", "quantity": 1, "unit_price": 1}]}
    for action, body in (("credit", items), ("cancel", None)):
        refused = office.act(deposit, action, body, status=409)
        assert (refused["code"], refused["used_by"]) == ("in_use", ["invoices"]) and final[
            "invoice_number"
        ] in refused["detail"]
    shown = office.client.data(f"/invoices/{deposit['id']}?include=allowed_actions")
    assert not {"credit", "cancel"} & set(shown["allowed_actions"])
    assert (
        office.client.patch(f"/invoices/{final['id']}", {"deposit_ids": []}, status=409).json[
            "code"
        ]
        == "invoice_locked"
    )


@pytest.mark.parametrize("way", ["cancel", "credit", "refund"])
def test_a_final_invoice_that_is_credited_in_full_releases_its_deposits(office, way):
    deposit = office.paid()
    final = office.final(deposit)
    everything = {"items": [{"description": "All", "quantity": 1, "unit_price": 700}]}
    if way == "refund":
        payment = office.pay(final, 833)
        office.act(final, "credit", everything, status=201)
        office.client.post(f"/payments/{payment['id']}/refund", {}, status=200)
    else:
        office.act(
            final,
            way,
            everything if way == "credit" else None,
            status=201 if way == "credit" else 200,
        )
    released = office.read(final)
    assert (
        released["status"] == ("refunded" if way == "refund" else "cancelled")
        and released["deposit_ids"] == []
    )
    assert released["items"][1]["deposit_id"] == deposit["id"]
    assert "Final invoice" in office.page(final, "?language=en")
    assert office.final(deposit)["total"] == 833


def test_a_part_that_is_credited_releases_nothing(office):
    deposit = office.paid()
    final = office.final(deposit)
    office.credit(final, 100)
    assert office.read(final)["deposit_ids"] == [deposit["id"]]
    assert office.draft(deposit, status=422)


def test_the_check_of_the_books_finds_a_wrong_deduction(office, db):
    deposit = office.paid()
    final = office.final(deposit)
    db.connection.execute("UPDATE invoice_items SET deposit_id = NULL")
    assert checks.findings(db) == [
        (
            "money",
            f"{final['invoice_number']}: it deducts 0 of {deposit['invoice_number']}, "
            "of which 30000 is left (minor units, without tax)",
        )
    ]
    db.connection.execute("UPDATE invoice_items SET deposit_id = ? WHERE net < 0", [deposit["id"]])


def test_the_audit_log_has_the_deposits_before_and_after(office):
    deposit = office.paid()
    final = office.final(deposit)
    office.act(final, "cancel")
    [entry] = [
        entry
        for entry in office.client.data(f"/audit-log?entity_type=invoice&entity_id={final['id']}")
        if entry["action"] == "cancelled"
    ]
    assert (entry["old_values"]["deposit_ids"], entry["new_values"]["deposit_ids"]) == (
        [deposit["id"]],
        [],
    )


# Tax


def test_the_tax_of_a_deposit_counts_when_money_comes_and_that_of_the_rest_at_the_supply(office):
    deposit = office.deposit()
    assert office.months() == []
    office.clock("2026-02-10")
    office.pay(deposit, 119)
    office.clock("2026-03-10")
    office.pay(deposit, 238)
    final = office.final(deposit)
    office.clock("2026-04-10")
    office.pay(final, 119)
    assert office.months() == [
        ("2026-02", 100, 19),
        ("2026-03", 200, 38),
        ("2026-04", 100, 19),
        ("2026-05", 600, 114),
    ]


@pytest.mark.parametrize(
    "basis, months",
    [
        ("issue_date", [("2026-01", 700, 133), ("2026-02", 300, 57)]),
        ("payment", [("2026-02", 300, 57)]),
    ],
)
def test_deposits_follow_the_money_whatever_the_basis(office, basis, months):
    office.basis(basis)
    deposit = office.deposit()
    office.clock("2026-02-10")
    office.pay(deposit, 357)
    office.clock("2026-01-20")
    office.final(deposit)
    assert office.months() == months


SERVICES = "/reports/recapitulative?year=2026&month="


@pytest.fixture
def austrian(office):
    """A company in Vienna, which owes the tax itself."""
    fields = {"country": "AT", "city": "Wien", "tax_id": "ATU13585627"}
    return office.client.make("/contacts", {**BUYER, **fields})


def test_what_is_not_taxed_counts_on_the_last_day_of_the_service_of_a_deposit(office, austrian):
    """§ 18a (8) sentence 2 UStG: services are declared for the month in which they are performed."""
    deposit = office.deposit({"unit_price": 300}, contact_id=austrian["id"], is_reverse_charge=True)
    assert (deposit["tax_date"], deposit["tax_basis"]) == (None, "payment")
    office.clock("2026-02-10")
    office.pay(deposit, 300)
    assert office.months("net", "region") == [("2026-05", 300, "eu")]
    assert office.client.data(f"{SERVICES}2")["data"]["rows"] == []
    assert office.client.data(f"{SERVICES}5")["data"]["rows"] == [
        {"vat_id": "ATU13585627", "goods": 0, "services": 300}
    ]
    office.final(deposit, contact_id=austrian["id"], is_reverse_charge=True)
    assert office.months() == [("2026-05", 1000, 0)]


def test_a_deposit_with_both_counts_the_taxed_part_by_its_money(office, austrian):
    booth = {"unit_price": 300, "tax_rate": 0, "tax_category": "AE"}
    parking = {"unit_price": 100, "tax_rate": 19}
    deposit = office.deposit(booth, parking, contact_id=austrian["id"])
    office.clock("2026-02-10")
    office.pay(deposit, 419)
    assert office.months("net", "tax", "tax_category") == [
        ("2026-02", 100, 19, "S"),
        ("2026-05", 300, 0, "AE"),
    ]


def test_credit_notes_and_write_offs_of_what_is_not_taxed_count_like_those_of_an_invoice(
    office, austrian
):
    deposit = office.deposit({"unit_price": 300}, contact_id=austrian["id"], is_reverse_charge=True)
    office.clock("2026-02-10")
    office.credit(deposit, 100, rate=0)
    assert office.months() == [("2026-05", 200, 0)]
    office.clock("2026-06-10")
    office.credit(deposit, 50, rate=0)
    office.clock("2026-07-10")
    office.write_off(deposit, 150)
    assert office.months() == [("2026-05", 200, 0), ("2026-06", -50, 0), ("2026-07", -150, 0)]


def test_a_deposit_for_a_closed_month_counts_at_its_issue_date_without_tax(office, austrian):
    office.clock("2026-06-03")
    office.client.post("/reports/periods/2026-05/close", status=200)
    deposit = office.deposit({"unit_price": 300}, contact_id=austrian["id"], is_reverse_charge=True)
    assert office.months() == [("2026-06", 300, 0)]
    office.pay(deposit, 300)
    assert office.months() == [("2026-06", 300, 0)]


def test_deposits_that_were_sent_before_the_upgrade_follow_the_money_without_tax_too(
    office, austrian, db
):
    deposit = office.deposit({"unit_price": 300}, contact_id=austrian["id"], is_reverse_charge=True)
    db.connection.execute("UPDATE invoices SET tax_rules = 1, untaxed_date = NULL")
    db.connection.execute("DELETE FROM tax_entries")
    office.clock("2026-02-10")
    office.pay(deposit, 100)
    office.clock("2026-03-10")
    office.pay(deposit, 200)
    assert office.months() == [("2026-02", 100, 0), ("2026-03", 200, 0)]
    assert office.client.data(f"{SERVICES}2")["data"]["rows"] == [
        {"vat_id": "ATU13585627", "goods": 0, "services": 100}
    ]
    assert [line[4] for line in lines_of(office, 3) if line[2] == DEPOSITS] == ["10032026"]
    assert lines_of(office, 5) == []


def test_credit_notes_and_write_offs_of_a_deposit_change_its_tax_by_the_money_only(office):
    deposit = office.deposit()
    office.clock("2026-02-10")
    payment = office.pay(deposit, 357)
    note = office.credit(deposit, 100)
    assert office.months() == [("2026-02", 300, 57)]
    [kept] = office.client.data("/reports/tax?date_from=2026-02-01&date_to=2026-02-28")["data"][
        "unrefunded"
    ]
    assert (kept["invoice_id"], kept["amount"], kept["tax_date"]) == (note["id"], 119, None)
    office.clock("2026-03-10")
    office.client.post(f"/payments/{payment['id']}/refund", {"amount": 119}, status=200)
    assert office.months() == [("2026-02", 300, 57), ("2026-03", -100, -19)]
    second = office.deposit()
    office.write_off(second, 119)
    office.pay(second, 238)
    assert office.months()[2:] == [] and office.months()[1] == ("2026-03", 100, 19)


def test_a_deposit_of_another_system_counts_where_that_system_issued_it(office):
    office.clock("2026-04-01")
    deposit = office.deposit(invoice_number="ALT-1", issue_date="2026-01-15")
    assert (deposit["tax_date"], deposit["tax_basis"]) == ("2026-01-15", "issue_date")
    office.pay(deposit, 357)
    assert office.final(deposit)["total"] == 833
    assert office.months() == [("2026-01", 300, 57), ("2026-05", 700, 133)]


def test_the_ledger_agrees_with_deposits(office):
    office.clock("2026-02-10")
    final = office.final(office.paid())
    office.pay(final, 33)
    proof = office.client.data("/reports/ledger")["data"]["proof"]
    assert proof["agrees"] is True
    rows = office.client.data("/reports/ledger")["data"]["rows"]
    assert [(row["invoiced"], row["received"], row["closing_balance"]) for row in rows] == [
        (1190, 390, 800)
    ]


# DATEV


def lines_of(office, month):
    """Return [(amount, side, account, contra account, day of the tax)] of the bookings of a month."""
    return [(line[1], line[2], line[7], line[8], line[116]) for line in office.datev(month)]


def test_datev_books_a_deposit_without_tax_and_its_money_against_revenue(office):
    deposit, debtor = office.deposit(), "10001"
    assert lines_of(office, 1) == [("357,00", "S", debtor, DEPOSITS, "")]
    office.clock("2026-02-10")
    payment = office.pay(deposit, 357)
    assert sorted(lines_of(office, 2)) == [
        ("357,00", "S", "1200", debtor, ""),
        ("357,00", "S", DEPOSITS, "8400", "10022026"),
    ]
    office.clock("2026-03-10")
    office.credit(deposit, 100)
    office.client.post(f"/payments/{payment['id']}/refund", {"amount": 119}, status=200)
    assert sorted(lines_of(office, 3)) == [
        ("119,00", "H", debtor, DEPOSITS, ""),
        ("119,00", "H", "1200", debtor, ""),
        ("119,00", "H", DEPOSITS, "8400", "10032026"),
    ]
    office.clock("2026-04-10")
    office.final(deposit)
    assert lines_of(office, 4) == [("952,00", "S", debtor, "8400", "10052026")]
    summary = office.client.get(
        "/reports/datev?year=2026&month=2", headers={"Accept": "application/json"}
    ).json
    sums = summary["data"]["sums"]
    assert [(entry["kind"], entry["debit"], entry["credit"]) for entry in sums] == [
        ("deposit", 357, 0),
        ("payment", 357, 0),
    ]


def test_datev_books_what_is_not_taxed_as_revenue_on_the_day_of_the_supply(office, austrian):
    deposit = office.deposit({"unit_price": 300}, contact_id=austrian["id"], is_reverse_charge=True)
    assert lines_of(office, 1) == [("300,00", "S", "10002", DEPOSITS, "")]
    office.clock("2026-02-10")
    office.pay(deposit, 300)
    office.credit(deposit, 100, rate=0)
    assert sorted(lines_of(office, 2)) == [
        ("100,00", "H", "10002", DEPOSITS, ""),
        ("300,00", "S", "1200", "10002", ""),
    ]
    assert lines_of(office, 5) == [("200,00", "S", DEPOSITS, "8337", "10052026")]
    [booking] = office.datev(5)
    assert booking[40] == "ATU13585627"
    office.clock("2026-06-10")
    office.credit(deposit, 50, rate=0)
    assert sorted(lines_of(office, 6)) == [
        ("50,00", "H", "10002", DEPOSITS, ""),
        ("50,00", "H", DEPOSITS, "8337", "10062026"),
    ]


def test_datev_takes_the_write_off_of_a_deposit_from_the_account_of_deposits(office):
    deposit = office.deposit()
    office.clock("2026-02-10")
    office.write_off(deposit, 357)
    assert lines_of(office, 2) == [("357,00", "S", DEPOSITS, "10001", "")]


def test_datev_names_the_option_that_a_deposit_needs(office, settings, monkeypatch):
    monkeypatch.setattr(settings, "datev_deposits", None)
    office.deposit()
    refused = office.client.get("/reports/datev?year=2026&month=1", status=409).json
    assert refused["missing"] == ["datev_deposits"]


def test_the_account_of_deposits_is_empty_once_all_of_them_are_settled(office):
    """Issued, paid, credited and given back, or written off: what was booked on it is booked back."""
    balance = {}
    for step in range(12):
        office.clock(f"2026-{step + 1:02}-05")
        deposit = office.deposit(
            {"unit_price": 100.37 + step}, {"unit_price": 33.33, "tax_rate": 7}
        )
        if step % 4 == 1:
            office.credit(deposit, 50)
        deposit = office.read(deposit)
        if step % 4 == 2:
            office.write_off(deposit, 17.5)
        payment = office.pay(deposit, office.read(deposit)["open_amount"])
        if step % 4 == 3:
            office.credit(deposit, 20.2)
            office.client.post(
                f"/payments/{payment['id']}/refund",
                {"amount": -office.read(deposit)["open_amount"]},
                status=200,
            )
    for month in range(1, 13):
        for amount, side, account, contra, _ in lines_of(office, month):
            units = int(re.sub(r"\D", "", amount)) * (1 if side == "S" else -1)
            for name, sign in ((account, 1), (contra, -1)):
                balance[name] = balance.get(name, 0) + sign * units
    assert balance[DEPOSITS] == 0 and balance["8400"] < 0 and balance["8300"] < 0
