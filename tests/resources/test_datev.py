"""GET /reports/datev and /reports/datev/debtors, read by a parser that knows only what DATEV has
published.
"""

import io
import zipfile
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from xml.etree import ElementTree

import pytest

from eventapi import times
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.billing import sending
from eventapi.domain.datev import export
from eventapi.validation.identifiers.bookkeeping import Account, ledger_account, revenue_accounts
from tests.domain import test_books
from tests.domain.test_books import Year, by_currency, months
from tests.support import camt, extf

OPTIONS = {
    "datev_adviser": 29098,
    "datev_client": 55003,
    "datev_chart": "03",
    "datev_debtor_base": 10000,
    "datev_bank": Account("1200"),
    "datev_gateways": {"card": Account("1361")},
    "datev_fees": ledger_account("4970:0094"),
    "datev_revenue": revenue_accounts(
        "S19=8400 S7=8300 Z=8120 E=8100 AE=8337 G=8120 K=8125 O=8200:0003"
    ),
    "exchange_rates": {
        "USD": Decimal("0.9223390518"),
        "JPY": Decimal("0.0061538462"),
        "KWD": Decimal("3"),
    },
}
JSON = {"Accept": "application/json"}
NOW = "2026-05-20T10:00:00Z"
DEBTOR = {
    "company_name": "Rosen Tantau KG",
    "first_name": "Anna",
    "last_name": "Gärtner",
    "address": "Weg 1\nHaus B",
    "postal_code": "25436",
    "city": "Uetersen",
    "country": "DE",
    "email": "anna@rosen.example",
    "phone": "+49 4122 1",
    "tax_id": "DE136695976",
    "language": "de",
}
STAND = {"description": "Stand", "quantity": 1, "unit_price": 1000, "tax_rate": 19}
CATALOGUE = {"description": "Catalogue", "quantity": 1, "unit_price": 50, "tax_rate": 7}


@pytest.fixture(autouse=True)
def configured(settings, monkeypatch):
    """Set the options of the export, and the clock. Return a function that sets the clock."""
    for name, value in OPTIONS.items():
        monkeypatch.setattr(settings, name, value)

    def at(timestamp):
        monkeypatch.setattr(times, "now", lambda: timestamp)

    at(NOW)
    return at


def send(client, contact, *items, number=None, **fields):
    """Create an invoice for a contact, send it, and return it."""
    taken = {"invoice_number": number, "issue_date": fields.pop("issue_date")} if number else {}
    draft = client.make(
        "/invoices", {"contact_id": contact["id"], "items": items or [STAND], **fields, **taken}
    )
    return client.post(f"/invoices/{draft['id']}/send", status=200).json["data"]


def pay(client, invoice, amount, **fields):
    return client.make(
        "/payments", {"invoice_number": invoice["invoice_number"], "amount": amount, **fields}
    )


def batch(client, query="year=2026&month=5"):
    response = client.get(f"/reports/datev?{query}", status=200)
    return extf.Batch(response.body)


def shown(booking, *columns):
    return tuple(booking[column] for column in columns)


# The file


def test_the_response_is_an_attachment_in_windows_1252(organiser):
    response = organiser.get("/reports/datev?year=2026&month=5", status=200)
    assert response.headers["Content-Type"] == "text/csv; charset=windows-1252"
    assert (
        response.headers["Content-Disposition"]
        == 'attachment; filename="EXTF_Buchungsstapel_2026-05.csv"'
    )
    assert int(response.headers["Content-Length"]) == len(response.body)
    assert "ETag" not in response.headers and "no-cache" in response.headers["Cache-Control"]


def test_the_header_is_that_of_the_sample_file_with_our_values(organiser):
    organiser.get("/reports/datev?year=2026&month=5", status=200)
    found = organiser.get("/reports/datev?year=2026&month=5").body.decode("cp1252").split("\r\n")[0]
    assert found == (
        '"EXTF";700;21;"Buchungsstapel";13;20260520120000000;;"EA";"";"";29098;55003;20260101;4;20260501;'
        '20260531;"Buchungsstapel 2026-05";"";1;0;0;"EUR";;"";;;"03";;;"";""'
    )


# The cost centre of an event (KOST1)


@pytest.fixture
def of_show(organiser):
    """Return a function that sends an invoice for an exhibitor of a show with this cost centre."""
    contact = organiser.make("/contacts", DEBTOR)

    def make(cost_centre, *items, **fields):
        show = {"title": "Garden Fair", "date_from": "2026-05-01", "cost_centre": cost_centre}
        event = organiser.make("/events", show)
        taking_part = {"contact_id": contact["id"], "event_key": event["event_key"]}
        participant = organiser.make("/participants", taking_part)
        own = {"event_participant_id": participant["id"], "service_date": "2026-05-01", **fields}
        return event, send(organiser, contact, *items, **own)

    return make


def centres(client):
    """Return {(text without its number and name, cost centre)} of the bookings of May."""
    return {
        (booking[14].split(" INV-")[0].split(" CN-")[0], booking[37])
        for booking in batch(client).bookings
    }


def test_revenue_and_what_corrects_it_have_the_cost_centre_of_the_event_and_money_has_none(
    organiser, of_show, settings
):
    settings.datev_write_offs = revenue_accounts("S19=2406 S7=2401")
    _, invoice = of_show("SHOW-1")
    pay(organiser, invoice, 500)
    credit = {"items": [{**STAND, "unit_price": 100}], "mail": False}
    organiser.post(f"/invoices/{invoice['id']}/credit", credit, status=201)
    organiser.post(f"/invoices/{invoice['id']}/write-offs", {"reason": "Insolvent"}, status=201)
    assert centres(organiser) == {
        ("Rechnung", "SHOW-1"),
        ("Rechnungskorrektur", "SHOW-1"),
        ("Ausbuchung", "SHOW-1"),
        ("Zahlung", ""),
    }


def test_the_tax_on_an_advance_has_the_cost_centre_of_the_event(organiser, of_show):
    _, invoice = of_show("SHOW-2", service_date="2026-09-01")
    pay(organiser, invoice, 119)
    assert ("Steuer auf Anzahlung", "SHOW-2") in centres(organiser)


def test_money_for_a_deposit_has_the_cost_centre_and_the_deposit_has_none(
    organiser, of_show, settings
):
    """The deposit itself is booked between two accounts of the balance sheet."""
    settings.datev_deposits = ledger_account("1718")
    _, deposit = of_show("SHOW-3", is_deposit=True)
    pay(organiser, deposit, 119)
    assert centres(organiser) == {("Rechnung", ""), ("Anzahlung", "SHOW-3"), ("Zahlung", "")}


def test_two_shows_are_told_apart_and_one_without_a_cost_centre_has_none(organiser, of_show):
    for cost_centre in ("SHOW-1", "k.2_b-3", None):
        of_show(cost_centre)
    assert [booking[37] for booking in batch(organiser).bookings] == ["SHOW-1", "k.2_b-3", ""]


def test_the_cost_centre_may_be_set_after_the_invoice_was_sent(organiser, of_show):
    event, _ = of_show(None)
    assert organiser.data(f"/events/{event['id']}")["cost_centre"] is None
    organiser.patch(f"/events/{event['id']}", {"cost_centre": "LATER"}, status=200)
    assert [booking[37] for booking in batch(organiser).bookings] == ["LATER"]


@pytest.mark.parametrize("wrong", ["a b", "Größe", "a;b", "x" * 37])
def test_a_cost_centre_that_datev_would_refuse_is_refused(organiser, wrong):
    body = {"title": "Garden Fair", "cost_centre": wrong}
    errors = organiser.post("/events", body, status=422).json["errors"]
    assert {error["pointer"] for error in errors} == {"/cost_centre"}
    assert organiser.make("/events", {**body, "cost_centre": "x" * 36})["cost_centre"] == "x" * 36


def test_a_repeated_request_returns_the_same_file_but_for_the_time_when_it_was_made(
    organiser, configured
):
    contact = organiser.make("/contacts", DEBTOR)
    pay(organiser, send(organiser, contact, STAND, CATALOGUE), 100)
    first = organiser.get("/reports/datev?year=2026&month=5").body
    configured("2026-05-21T10:00:01Z")
    second = organiser.get("/reports/datev?year=2026&month=5").body
    assert first != second == first.replace(b"20260520120000000", b"20260521120001000")


# Bookings, computed by hand


def test_an_invoice_is_one_booking_for_each_tax_rate(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(
        organiser,
        contact,
        STAND,
        CATALOGUE,
        service_date="2026-05-07",
        service_date_to="2026-05-09",
        due_date="2026-06-03",
    )
    low, high = batch(organiser).bookings
    assert shown(high, 1, 2, 3, 4, 5, 6) == ("1190,00", "S", "", "", "", "")
    assert shown(high, 7, 8, 9, 10) == ("10001", "8400", "", "2005")
    assert shown(high, 11, 12, 13) == (invoice["invoice_number"], "030626", "")
    assert shown(high, 14, 114, 115, 116) == (
        "Rechnung INV-2026-00001 Rosen Tantau KG",
        "0",
        "09052026",
        "09052026",
    )
    assert shown(low, 1, 7, 8, 11) == ("53,50", "10001", "8300", invoice["invoice_number"])
    assert shown(high, 40, 41, 21) == ("", "", "")


def test_a_credit_note_turns_the_sides_and_has_the_number_of_its_invoice(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, contact)
    organiser.post(
        f"/invoices/{invoice['id']}/credit", {"items": [{**STAND, "unit_price": 100}]}, status=201
    )
    _, note = batch(organiser).bookings
    assert shown(note, 1, 2, 7, 8, 11) == (
        "119,00",
        "H",
        "10001",
        "8400",
        invoice["invoice_number"],
    )
    assert shown(note, 12, 14) == ("", "Rechnungskorrektur CN-2026-00001 Rosen Tantau KG")
    assert shown(note, 21, 22) == ("Belegnummer", "CN-2026-00001")


def test_payments_refunds_and_fees_are_booked_on_the_account_of_their_money(
    organiser, db, settings
):
    db.connection.execute(
        "INSERT INTO gateways (gateway_key, name, fee_percent, fee_fixed, created_at) "
        "VALUES ('card', 'Card', 150, 25, '2026-01-01T00:00:00Z')"
    )
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, contact)
    by_card = pay(
        organiser,
        invoice,
        190,
        gateway_key="card",
        transaction_id="ch_1",
        payment_date="2026-05-11",
    )
    pay(organiser, invoice, 1000, payment_date="2026-05-12")
    organiser.post(
        f"/payments/{by_card['id']}/refund", {"amount": 40, "transaction_id": "re_1"}, status=200
    )
    found = batch(organiser)
    _, card, fee, bank, refund, *_ = found.bookings
    assert shown(card, 1, 2, 7, 8, 10, 11) == (
        "190,00",
        "S",
        "1361",
        "10001",
        "1105",
        invoice["invoice_number"],
    )
    assert shown(card, 14, 21, 22) == (
        "Zahlung INV-2026-00001 Rosen Tantau KG",
        "Transaktion",
        "ch_1",
    )
    assert shown(fee, 1, 2, 7, 8, 9) == (
        "3,10",
        "S",
        "4970",
        "1361",
        "0094",
    )  # 1.5 % of 190.00 plus 0.25
    assert shown(bank, 1, 2, 7, 8, 10) == ("1000,00", "S", "1200", "10001", "1205")
    assert shown(refund, 1, 2, 7, 8, 10, 22) == ("40,00", "H", "1361", "10001", "2005", "re_1")
    assert found.movements() == {"10001": {"EUR": Decimal("40.00")}}
    settings.datev_fees = None
    kinds = [booking[14].split()[0] for booking in batch(organiser).bookings]
    assert kinds == [
        "Rechnung",
        "Zahlung",
        "Zahlung",
        "Erstattung",
        *["Steuer"] * 4,
    ]  # of both payments


def test_a_payment_that_moved_is_taken_from_one_invoice_and_given_to_the_other(
    organiser, configured
):
    one, other = (
        organiser.make("/contacts", {**DEBTOR, "company_name": name}) for name in ("One", "Other")
    )
    first, second = send(organiser, one), send(organiser, other)
    paid = pay(organiser, first, 1190, payment_date="2026-05-12")
    configured("2026-06-02T09:00:00Z")
    organiser.patch(
        f"/payments/{paid['id']}", {"invoice_number": second["invoice_number"]}, status=200
    )
    may, june = batch(organiser), batch(organiser, "year=2026&month=6")
    assert shown(may.bookings[2], 2, 7, 8, 11) == ("S", "1200", "10001", first["invoice_number"])
    assert [shown(booking, 1, 2, 7, 8, 10, 11) for booking in june.bookings] == [
        ("1190,00", "H", "1200", "10001", "0206", first["invoice_number"]),
        ("1190,00", "S", "1200", "10002", "0206", second["invoice_number"]),
    ]


def test_a_write_off_is_divided_by_the_tax_rates_and_a_recovery_turns_the_sides(
    organiser, configured, settings
):
    settings.datev_write_offs = revenue_accounts("S19=2406 S7=2401")
    invoice = send(
        organiser, organiser.make("/contacts", DEBTOR), STAND, CATALOGUE
    )  # 1190.00 and 53.50
    organiser.post(
        f"/invoices/{invoice['id']}/write-offs", {"amount": 100, "reason": "Insolvent"}, status=201
    )
    pay(organiser, invoice, 1200, payment_date="2026-05-20")  # 56.50 too much
    low, high = batch(organiser).bookings[3:5]
    # 100.00 × 53.50 ÷ 1243.50 = 4.30; the rest is 95.70
    assert shown(low, 1, 2, 7, 8, 10, 11) == (
        "4,30",
        "S",
        "2401",
        "10001",
        "2005",
        invoice["invoice_number"],
    )
    assert shown(high, 1, 2, 7, 8, 21, 22) == ("95,70", "S", "2406", "10001", "Grund", "Insolvent")
    assert [shown(back, 2, 7) for back in batch(organiser).bookings[5:]] == [
        ("H", "2401"),
        ("H", "2406"),
    ]
    assert nonzero(batch(organiser).movements()) == nonzero(ledger(organiser, 5))
    settings.datev_write_offs = {}
    problem = organiser.get("/reports/datev?year=2026&month=5", status=409).json
    assert problem["missing"] == ["datev_write_offs: S7", "datev_write_offs: S19"]
    assert "such as `datev_write_offs = S7=VALUE`; ask" in problem["detail"]


@pytest.mark.parametrize(
    ("basis", "of_invoice", "of_write_off"),
    [
        ("supply", ("09052026", "09052026"), ("09052026", "18052026")),
        ("payment", ("", ""), ("", "")),
        ("issue_date", ("09052026", "10052026"), ("", "")),
    ],
)
def test_the_days_of_an_invoice_and_its_write_off_follow_the_basis_of_its_tax(
    organiser, configured, settings, basis, of_invoice, of_write_off
):
    settings.datev_write_offs = revenue_accounts("S19=2406")
    settings.tax_basis = (("0001-01-01", basis),)
    contact = organiser.make("/contacts", DEBTOR)
    configured("2026-05-10T10:00:00Z")
    invoice = send(organiser, contact, service_date="2026-05-09")
    configured(NOW)
    organiser.post(
        f"/invoices/{invoice['id']}/write-offs",
        {"amount": 100, "reason": "Gone", "written_off_at": "2026-05-18"},
        status=201,
    )
    first, second = batch(organiser).bookings
    assert (shown(first, 115, 116), shown(second, 115, 116)) == (of_invoice, of_write_off)


def test_an_invoice_in_another_currency_shows_both_amounts(organiser):
    contact = organiser.make("/contacts", {**DEBTOR, "country": "US", "tax_id": None})
    invoice = send(organiser, contact, currency="USD")
    pay(organiser, invoice, 595)
    of_invoice, paid = batch(organiser).bookings
    assert shown(of_invoice, 1, 3, 4, 5, 6) == (
        "1190,00",
        "USD",
        "1,084200",
        "1097,58",
        "EUR",
    )  # 1190 / 1.0842
    assert shown(paid, 1, 3, 4, 5, 6) == ("595,00", "USD", "1,084200", "548,79", "EUR")


@pytest.mark.parametrize(
    "category, tax_id, key, account, vat_id",
    [
        ("AE", "ATU 135.856.27", "", "8337", "ATU13585627"),
        ("G", "CHE-123.456.789", "", "8120", ""),
        ("Z", "ATU13585627", "", "8120", ""),
        ("O", None, "0003", "8200", ""),
    ],
)
def test_the_vat_id_of_the_customer_is_with_reverse_charge(
    organiser, category, tax_id, key, account, vat_id
):
    contact = organiser.make("/contacts", {**DEBTOR, "country": "AT", "tax_id": tax_id})
    send(organiser, contact, {**STAND, "tax_rate": 0, "tax_category": category})
    (booking,) = batch(organiser).bookings
    assert shown(booking, 1, 8, 9, 40, 41) == ("1000,00", account, key, vat_id, "")


@pytest.mark.parametrize(
    "country, tax_id, account, vat_id",
    [
        ("DE", "DE811907980", "8337", ""),
        ("AT", "ATU13585627", "8336", "ATU13585627"),
        ("GR", "EL094259216", "8336", "EL094259216"),
        ("CH", "CHE116281710MWST", "8338", ""),
        ("CH", "ATU13585627", "8336", "ATU13585627"),
        ("GB", "GB220430231", "8338", ""),
        ("GB", "XI220430231", "8338", "XI220430231"),
    ],
)
def test_reverse_charge_is_booked_on_the_account_of_the_region_of_the_buyer(
    organiser, settings, monkeypatch, country, tax_id, account, vat_id
):
    """SKR03: 8337 is § 13b UStG, 8336 a service in another country of the EU, 8338 in a third
    country.
    """
    monkeypatch.setattr(
        settings, "datev_revenue", revenue_accounts("AE_HOME=8337 AE_EU=8336 AE_THIRD=8338 AE=8999")
    )
    contact = organiser.make("/contacts", {**DEBTOR, "country": country, "tax_id": tax_id})
    send(organiser, contact, {**STAND, "tax_rate": 0, "tax_category": "AE"})
    (booking,) = batch(organiser).bookings
    assert shown(booking, 8, 40) == (account, vat_id)


def test_an_invoice_of_another_system_is_left_out_and_its_payment_is_not(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    old = send(organiser, contact, number="RE 2025.17", issue_date="2026-05-02")
    pay(organiser, old, 190)
    organiser.post(
        f"/invoices/{old['id']}/credit", {"items": [{**STAND, "unit_price": 100}]}, status=201
    )
    note, paid = batch(organiser).bookings
    assert shown(note, 1, 2, 11, 22) == ("119,00", "H", f"RE-2025-17*{old['id']}", "CN-2026-00001")
    assert shown(paid, 1, 2, 11) == ("190,00", "S", f"RE-2025-17*{old['id']}")
    summary = organiser.get("/reports/datev?year=2026&month=5", headers=JSON).json["data"]
    assert summary["taken_over"] == 1


def test_an_invoice_for_nothing_and_its_payments_make_no_booking_of_0(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    send(organiser, contact, {**STAND, "unit_price": 0})
    send(organiser, contact, STAND, {**STAND, "quantity": -1, "tax_rate": 7})
    assert [shown(booking, 1, 2, 8) for booking in batch(organiser).bookings] == [
        ("1070,00", "H", "8300"),
        ("1190,00", "S", "8400"),
    ]


def test_money_counts_on_its_day_in_the_zone_of_the_organiser(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, contact)
    for at in ("2026-04-30T21:59:59Z", "2026-04-30T22:00:00Z"):
        pay(organiser, invoice, 10, payment_date=at)
    booked = [
        booking
        for booking in batch(organiser, "year=2026&month=4").bookings
        if booking[7] == "1200"
    ]
    assert [booking[10] for booking in booked] == ["3004"]
    assert [
        booking[10] for booking in batch(organiser).bookings if booking[14][:6] != "Steuer"
    ] == ["2005", "0105"]


def test_texts_that_would_break_the_file_do_not(organiser):
    contact = organiser.make(
        "/contacts", {**DEBTOR, "company_name": '=cmd; "Łódź" 東京 ' + "x" * 80}
    )
    send(organiser, contact)
    (booking,) = batch(organiser).bookings
    assert (
        booking[14] == 'Rechnung INV-2026-00001 =cmd; "Lódz" ?? ' + "x" * 20
        and len(booking[14]) == 60
    )
    summary = organiser.get("/reports/datev?year=2026&month=5", headers=JSON).json["data"]
    assert summary["replaced"] == [
        {
            "text": f'Rechnung INV-2026-00001 =cmd; "Łódź" 東京 {"x" * 80}',
            "written": f'Rechnung INV-2026-00001 =cmd; "Lódz" ?? {"x" * 80}',
        }
    ]


def test_an_erased_customer_keeps_the_account_and_loses_the_name(organiser, configured):
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, contact)
    pay(organiser, invoice, 1190)
    configured("2036-01-01T10:00:00Z")  # the law no longer requires the name on the invoice
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    for booking in batch(organiser).bookings:
        assert "10001" in shown(booking, 7, 8) and booking[14] in (
            "Rechnung INV-2026-00001",
            "Zahlung INV-2026-00001",
        )


def test_the_bookings_of_a_closed_month_are_locked(organiser, configured):
    contact = organiser.make("/contacts", DEBTOR)
    pay(organiser, send(organiser, contact), 100)
    configured("2026-06-02T10:00:00Z")
    send(organiser, contact)
    organiser.post("/reports/periods/2026-05/close", status=200)
    may, june = batch(organiser), batch(organiser, "year=2026&month=6")
    assert (may.header[20], {booking[114] for booking in may.bookings}, len(may.bookings)) == (
        "1",
        {"1"},
        2,
    )
    assert (june.header[20], {booking[114] for booking in june.bookings}) == ("0", {"0"})
    assert batch(organiser, "year=2026").header[20] == "0"


# A year of random bookings, against a ledger that knows only what was sent


@pytest.mark.parametrize("seed", [4, 5])
def test_the_movements_of_each_debtor_are_those_of_the_ledger(organiser, monkeypatch, seed):
    monkeypatch.setattr(test_books, "PLACES", {"EUR": 2, "USD": 2, "KWD": 3})
    year, accounts = Year(organiser, monkeypatch, seed), {}
    for contact in organiser.data("/contacts?per_page=100"):
        accounts[contact["id"]] = str(10000 + int(contact["customer_number"][2:]))
    numbers = set()
    for first, last in months():
        year.month(first, last)
        year.at(last + timedelta(days=1))
        found = batch(organiser, f"year=2026&month={first.month}")
        numbers.update(booking[11] for booking in found.bookings)
        moved = {}
        for (contact, currency), amount in year.ledger.movements(
            first.isoformat(), last.isoformat()
        ).items():
            moved.setdefault(accounts[contact], {})[currency] = amount
        assert nonzero(found.movements()) == nonzero(moved), f"seed {seed}, {first:%B}"
        compare_with_reports(organiser, found, f"date_from={first}&date_to={last}", first.month)
        assert nonzero(found.movements()) == nonzero(ledger(organiser, first.month)), (
            f"seed {seed}, {first:%B}"
        )
    assert numbers == set(year.ledger.invoices)
    whole = batch(organiser, "year=2026")
    open_ = {
        (accounts[contact], currency): amount
        for (contact, currency), amount in year.closing().items()
    }
    assert {
        (account, currency): amount
        for account, sums in nonzero(whole.movements()).items()
        for currency, amount in sums.items()
    } == open_


def nonzero(movements):
    found = {
        account: {currency: amount for currency, amount in sums.items() if amount}
        for account, sums in movements.items()
    }
    return {account: sums for account, sums in found.items() if sums}


def test_file_and_ledger_agree_after_a_new_customer_number_and_a_merge(organiser, configured):
    """The debtor is the number on the invoice, for its credit notes and payments as well."""
    contact, other = (
        organiser.make("/contacts", {**DEBTOR, "company_name": name}) for name in ("One", "Other")
    )
    first, second = send(organiser, contact), send(organiser, other)
    organiser.patch(f"/contacts/{contact['id']}", {"customer_number": "K-77"}, status=200)
    organiser.post(
        f"/invoices/{first['id']}/credit", {"items": [{**STAND, "unit_price": 100}]}, status=201
    )
    paid = pay(organiser, first, 500, payment_date="2026-05-19")
    organiser.patch(
        f"/payments/{paid['id']}", {"invoice_number": second["invoice_number"]}, status=200
    )
    organiser.post(f"/payments/{paid['id']}/refund", {"amount": 20}, status=200)
    organiser.post(f"/contacts/{contact['id']}/merge", {"duplicate_id": other["id"]}, status=200)
    organiser.post(
        f"/invoices/{second['id']}/credit", {"items": [{**STAND, "unit_price": 10}]}, status=201
    )
    send(organiser, contact)
    accounts = {
        "10001": {"EUR": Decimal("1071.00")},
        "10002": {"EUR": Decimal("698.10")},
        "10077": {"EUR": Decimal("1190.00")},
    }
    assert (
        nonzero(batch(organiser).movements())
        == accounts
        == nonzero(ledger(organiser, 5, {"C-00001": "10001", "C-00002": "10002", "K-77": "10077"}))
    )
    assert [debtor[1] for debtor in debtors(organiser)] == list(accounts)


def ledger(client, month, accounts=None):
    """Return {debtor account: {currency: movement}} of a month, as GET /reports/ledger shows it."""
    moved = {}
    for row in client.data(f"/reports/ledger?year=2026&month={month}")["data"]["rows"]:
        number = row["customer_number"]
        account = accounts[number] if accounts else str(10000 + int(number[2:]))
        amount = {
            name: Decimal(str(row[name]))
            for name in ("invoiced", "credited", "received", "refunded", "written_off")
        }
        moved.setdefault(account, {})[row["currency"]] = (
            amount["invoiced"]
            - amount["credited"]
            - amount["received"]
            + amount["refunded"]
            - amount["written_off"]
        )
    return moved


def compare_with_reports(client, found, span, month):
    """Compare the sums of a batch, and the control sums, with the reports on revenue and payments."""
    sums = {}
    for booking in found.bookings:
        amount, currency = extf.original(booking, "EUR")
        kind = "invoiced" if booking[8].startswith("8") else "paid"
        sums[kind, currency] = sums.get((kind, currency), 0) + (
            amount if booking[2] == "S" else -amount
        )
    revenue = client.data(f"/reports/revenue?{span}")["data"]["rows"]
    paid = client.data(f"/reports/payments?{span}")["data"]["rows"]
    refunds = [
        {**row, "left": Decimal(str(row["received"])) - Decimal(str(row["refunded"]))}
        for row in paid
    ]
    assert {key: amount for key, amount in sums.items() if amount} == {
        **{
            ("invoiced", currency): amount
            for currency, amount in by_currency(revenue, "total").items()
        },
        **{("paid", currency): amount for currency, amount in by_currency(refunds, "left").items()},
    }
    data = client.get(f"/reports/datev?year=2026&month={month}", headers=JSON, status=200).json[
        "data"
    ]
    assert data["lines"] == len(found.bookings)
    for side, letter in (("debit", "S"), ("credit", "H")):
        listed = [{"currency": row["currency"], "amount": row[side]} for row in data["sums"]]
        booked = [
            {"currency": currency, "amount": amount}
            for booking in found.bookings
            if booking[2] == letter
            for amount, currency in [extf.original(booking, "EUR")]
        ]
        assert by_currency(listed, "amount") == by_currency(booked, "amount")


# The period


def test_a_year_is_one_file_if_it_is_one_fiscal_year(organiser, settings):
    assert batch(organiser, "year=2026").header[14:17] == [
        "20260101",
        "20261231",
        "Buchungsstapel 2026",
    ]
    response = organiser.get("/reports/datev?year=2026")
    assert (
        response.headers["Content-Disposition"]
        == 'attachment; filename="EXTF_Buchungsstapel_2026.csv"'
    )
    settings.datev_fiscal_year_start = "07-01"
    (fault,) = organiser.get("/reports/datev?year=2026", status=422).json["errors"]
    assert (fault["parameter"], fault["code"]) == (
        "month",
        "required",
    ) and "two fiscal years" in fault["detail"]
    assert batch(organiser, "year=2026&month=6").header[12] == "20250701"
    assert batch(organiser, "year=2026&month=7").header[12] == "20260701"


def test_a_month_without_bookings_is_a_file_without_lines(organiser):
    assert batch(organiser, "year=2031&month=2").bookings == []


@pytest.mark.parametrize(
    "query, parameter",
    [
        ("month=5", "year"),
        ("year=26&month=5", "year"),
        ("year=2026&month=13", "month"),
        ("year=2026&month=x", "month"),
    ],
)
def test_a_period_that_is_none_is_refused(organiser, query, parameter):
    (fault,) = organiser.get(f"/reports/datev?{query}", status=422).json["errors"]
    assert fault["parameter"] == parameter


def test_a_file_has_at_most_as_many_bookings_as_datev_imports(organiser, monkeypatch):
    monkeypatch.setattr(export, "MOST_BOOKINGS", 1)
    contact = organiser.make("/contacts", DEBTOR)
    send(organiser, contact, STAND, CATALOGUE)
    (fault,) = organiser.get("/reports/datev?year=2026", status=422).json["errors"]
    assert (fault["parameter"], fault["code"]) == ("month", "too_many")
    assert len(batch(organiser).bookings) == 2  # a month cannot be divided by us


# What is missing


def test_everything_that_is_missing_is_named_at_once(organiser, settings, monkeypatch):
    for name, value in (
        ("datev_adviser", None),
        ("datev_bank", None),
        ("datev_gateways", {}),
        ("exchange_rates", {}),
        ("datev_revenue", {"S19": Account("8400")}),
    ):
        setattr(settings, name, value)
    contact = organiser.make("/contacts", DEBTOR)
    odd = organiser.make("/contacts", {**DEBTOR, "customer_number": "ACME"})
    invoice = send(organiser, contact, CATALOGUE)
    monkeypatch.setattr(sending, "_lacks_rate", lambda *_: False)  # as an early version sent it
    foreign = send(organiser, odd, currency="USD")
    pay(organiser, invoice, 1)
    pay(organiser, invoice, 1, gateway_key="card")
    problem = organiser.get("/reports/datev?year=2026&month=5", status=409).json
    assert (problem["code"], problem["missing"]) == (
        "datev_incomplete",
        ["datev_adviser", "datev_revenue: S7", "datev_bank", "datev_gateways: card"],
    )
    assert [(record["kind"], record["number"]) for record in problem["records"]] == [
        ("customer", "ACME"),
        ("invoice", foreign["invoice_number"]),
    ]
    assert "datev_gateways: card" in problem["detail"] and "exchange_rates" in problem["detail"]


def test_an_option_that_no_booking_needs_is_not_required(organiser, settings):
    settings.datev_bank, settings.datev_revenue = None, {"S19": Account("8400")}
    send(organiser, organiser.make("/contacts", DEBTOR))
    assert len(batch(organiser).bookings) == 1


def test_nobody_can_export_before_the_options_are_set(organiser, settings):
    for name in OPTIONS:
        setattr(settings, name, {} if isinstance(OPTIONS[name], dict) else None)
    settings.datev_chart = ""
    problem = organiser.get("/reports/datev?year=2026&month=5", status=409).json
    assert problem["missing"] == [
        "datev_adviser",
        "datev_client",
        "datev_chart",
        "datev_debtor_base",
    ]
    assert organiser.get("/reports/datev/debtors", status=409).json["missing"] == problem["missing"]


@pytest.mark.parametrize("path", ["/reports/datev?year=2026", "/reports/datev/debtors"])
def test_the_key_needs_the_scopes_of_reports_and_of_invoices(organiser, person, path):
    person("reports:read invoices:read").get(path, status=200)
    for scopes in ("reports", "invoices"):
        assert person(scopes).get(path, status=403).json["code"] == "insufficient_scope"


# Debtors


def debtors(client, query=""):
    """Return the debtors as dicts {column: value}."""
    response = client.get(f"/reports/datev/debtors{query}", status=200)
    header, names, *found = extf.records(response.body)
    extf.check_shape(header, extf.DEBTORS_HEADER)
    assert ";".join(names) == extf.DEBTORS_COLUMNS
    for line in found:
        extf.check_shape(line, extf.DEBTORS_LINE)
    return [{place: extf.value(field) for place, field in enumerate(line, 1)} for line in found]


def test_the_header_of_the_debtors_is_that_of_the_sample_file_with_our_values(organiser):
    response = organiser.get("/reports/datev/debtors?year=2026&month=5", status=200)
    assert (
        response.headers["Content-Disposition"]
        == 'attachment; filename="EXTF_Debitoren_2026-05.csv"'
    )
    assert response.body.decode("cp1252").split("\r\n")[0] == (
        '"EXTF";700;16;"Debitoren/Kreditoren";5;20260520120000000;;"EA";"";"";29098;55003;20260101;4;;;"";"";;;;"";;"";;;'
        '"03";;;"";""'
    )


def test_a_company_and_a_person_have_their_own_columns(organiser):
    company = organiser.make("/contacts", DEBTOR)
    person = organiser.make(
        "/contacts",
        {
            "first_name": "Jürgen",
            "last_name": "Özdemir-Łukasiewicz",
            "address": "Weg 2",
            "city": "Wien",
            "country": "AT",
            "email": "j@x.example",
            "language": "en",
            "tax_id": "ATU13585627",
        },
    )
    send(organiser, company)
    send(organiser, person)
    one, other = debtors(organiser)
    assert {column: value for column, value in one.items() if value} == {
        1: "10001",
        2: "Rosen Tantau KG",
        7: "2",
        8: "Rosen Tantau KG",
        9: "DE",
        10: "136695976",
        15: "STR",
        16: "Weg 1",
        18: "25436",
        19: "Uetersen",
        20: "DE",
        22: "Haus B",
        29: "+49 4122 1",
        33: "anna@rosen.example",
        99: "C-00001",
        101: "1",
        102: "Anna Gärtner",
    }
    assert {column: value for column, value in other.items() if value} == {
        1: "10002",
        4: "Özdemir-Lukasiewicz",
        5: "Jürgen",
        7: "1",
        8: "Özdemir-Lukasie",
        9: "AT",
        10: "U13585627",
        15: "STR",
        16: "Weg 2",
        19: "Wien",
        20: "AT",
        33: "j@x.example",
        99: "C-00002",
        101: "5",
    }
    summary = organiser.get("/reports/datev/debtors", headers=JSON, status=200).json["data"]
    assert (summary["lines"], summary["replaced"]) == (
        2,
        [{"text": "Özdemir-Łukasiewicz", "written": "Özdemir-Lukasiewicz"}],
    )


def test_the_debtors_of_a_period_are_those_of_its_bookings(organiser, configured):
    one, other, _ = (
        organiser.make("/contacts", {**DEBTOR, "company_name": name})
        for name in ("One", "Other", "None")
    )
    invoice = send(organiser, one)
    configured("2026-06-01T10:00:00Z")
    send(organiser, other)
    pay(organiser, invoice, 1, payment_date="2026-07-01", status="pending")

    def found(query):
        return [debtor[2] for debtor in debtors(organiser, query)]

    assert found("?year=2026&month=5") == ["One"] and found("?year=2026&month=6") == ["Other"]
    assert found("?year=2026&month=7") == [] and found("?year=2025") == []
    assert found("?year=2026") == found("") == ["One", "Other"]
    for query in ("?year=2026&month=5", "?year=2026&month=6"):
        accounts = {
            account
            for booking in batch(organiser, query[1:]).bookings
            for account in shown(booking, 7, 8)
            if len(account) == 5
        }
        assert accounts == {debtor[1] for debtor in debtors(organiser, query)}


def test_a_month_of_debtors_needs_its_year(organiser):
    (fault,) = organiser.get("/reports/datev/debtors?month=5", status=422).json["errors"]
    assert (fault["parameter"], fault["code"]) == ("year", "required")


def test_an_erased_debtor_keeps_the_account_alone(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    pay(organiser, send(organiser, contact), 1190)
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    (debtor,) = debtors(organiser)
    assert debtor[1] == "10001" and "Rosen" not in str(debtor) and "Gärtner" not in str(debtor)
    assert debtor[2] == "(Daten gelöscht)"


def test_a_customer_who_got_another_number_keeps_the_account_of_each_invoice(organiser):
    contact = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, contact)
    organiser.patch(f"/contacts/{contact['id']}", {"customer_number": "K-77"}, status=200)
    send(organiser, contact)
    pay(organiser, invoice, 1190)
    assert [shown(booking, 7, 8) for booking in batch(organiser).bookings] == [
        ("10001", "8400"),
        ("10077", "8400"),
        ("1200", "10001"),
    ]
    assert [debtor[1] for debtor in debtors(organiser)] == ["10001", "10077"]


@pytest.mark.parametrize(
    "came, difference",
    [(1252.10, ("9,30", "S", "2150")), (1270.00, ("8,60", "H", "2660")), (1261.40, None)],
)
def test_a_transfer_in_another_currency_books_what_came_and_the_difference(
    organiser, settings, came, difference
):
    """1,190.00 CHF at 1.06 are 1,261.40 EUR in the books."""
    settings.datev_exchange_gains = ledger_account("2660")
    settings.datev_exchange_losses = ledger_account("2150")
    buyer = organiser.make("/contacts", DEBTOR)
    invoice = send(organiser, buyer, currency="CHF", exchange_rate=1.06)
    entry = {"day": "2026-05-20", "amount": round(came * 100), "text": invoice["invoice_number"]}
    organiser(
        "POST",
        "/payments/import",
        raw=camt.document([camt.statement("DE02120300000000202051", [entry])]),
        headers={"Content-Type": "application/xml"},
        status=201,
    )
    share = {"invoice_number": invoice["invoice_number"], "invoice_amount": 1190}
    organiser.post("/payments/unmatched/1/assign", {"invoices": [share]}, status=200)
    _, payment, *rest = [line for line in batch(organiser).bookings if line[14][:6] != "Steuer"]
    assert shown(payment, 1, 2, 3, 7, 8) == (
        f"{came:.2f}".replace(".", ","),
        "S",
        "",
        "1200",
        "10001",
    )
    assert [shown(line, 1, 2, 7) for line in rest] == ([difference] if difference else [])
    settings.datev_exchange_gains = settings.datev_exchange_losses = None
    response = organiser.get("/reports/datev?year=2026&month=5")
    assert response.status_int == (409 if difference else 200)
    assert all(shown(line, 8, 11) == ("10001", invoice["invoice_number"]) for line in rest)


def test_documents_are_named_by_their_bookings(organiser, configured):
    """Finding 17 of the second review: the adviser saw no documents."""
    contact = organiser.make("/contacts", DEBTOR)
    first = send(organiser, contact, STAND, CATALOGUE)
    note = organiser.post(f"/invoices/{first['id']}/credit", {"items": [STAND]}, status=201).json[
        "data"
    ]
    pay(organiser, first, 100)
    plain = batch(organiser)
    response = organiser.get("/reports/datev?year=2026&month=5&documents=1", status=200)
    assert (response.content_type, response.headers["Content-Disposition"]) == (
        "application/zip",
        'attachment; filename="DATEV_2026-05.zip"',
    )
    with zipfile.ZipFile(io.BytesIO(response.body)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    tree = ElementTree.fromstring(files.pop("document.xml"))
    names = {"d": "http://xml.datev.de/bedi/tps/document/v06.0"}
    listed = {
        entry.get("guid"): (
            entry.get("type"),
            entry.findtext("d:description", None, names),
            entry.find("d:extension", names).get("name"),
        )
        for entry in tree.iterfind("d:content/d:document", names)
    }
    linked = extf.Batch(files.pop("EXTF_Buchungsstapel_2026-05.csv"))
    assert {name: files[name] for _, _, name in listed.values()} == files
    for record in (first, note):
        body = organiser.get(f"/invoices/{record['id']}/pdf", status=200).body
        digest = sha256(body).hexdigest()[:32]
        guid = next(
            guid
            for guid, (kind, number, name) in listed.items()
            if (kind, number) == ("2", record["invoice_number"]) and files[name] == body
        )
        assert guid.replace("-", "") == digest
        links = {
            line[20]
            for line in linked.bookings
            if record["invoice_number"] in (line[14] or "") and "Zahlung" not in line[14]
        }
        assert links == {f'BEDI "{guid}"'}
    assert [{**line, 20: ""} for line in linked.bookings] == [
        {**line, 20: ""} for line in plain.bookings
    ]
    assert not any(line[20] for line in plain.bookings)
    summary = organiser.get(
        "/reports/datev?year=2026&month=5&documents=1", headers=JSON, status=200
    ).json["data"]
    assert (summary["documents"], summary["file"]) == (2, "DATEV_2026-05.zip")
    organiser.get("/reports/datev?year=2026&documents=1", status=422)


def test_the_document_of_a_stored_pdf_is_the_same(organiser, db, configured):
    invoice = send(organiser, organiser.make("/contacts", DEBTOR))
    path = "/reports/datev?year=2026&month=5&documents=1"
    before = organiser.get(path, status=200).body
    invoice_pdf.store(db, invoice["id"])
    found = []
    for body in (before, organiser.get(path, status=200).body):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            found.append(
                {name: archive.read(name) for name in archive.namelist() if name.endswith(".pdf")}
            )
    assert found[0] == found[1] and len(found[0]) == 1


@pytest.mark.parametrize(
    ("quantity", "price", "currency", "count"),
    [
        (1, 8403361344, "EUR", 1),
        (1, 8403361345, "EUR", 2),
        (20, 5000000000, "EUR", 12),
        (20, 5000000000, "USD", 11),
    ],
)
def test_an_amount_of_more_than_ten_digits_is_divided(organiser, quantity, price, currency, count):
    """DATEV refuses a file with more than ten digits before the decimal comma, in euros as well."""
    contact = organiser.make("/contacts", {**DEBTOR, "tax_id": None})
    items = {"description": "Stand", "quantity": quantity, "unit_price": price, "tax_rate": 19}
    invoice = send(organiser, contact, items, currency=currency)
    found = batch(organiser)
    lines = [extf.original(line, "EUR") for line in found.bookings]
    assert sum(amount for amount, _ in lines) == Decimal(str(invoice["total"]))
    assert len(lines) == count and {line[2] for line in found.bookings} == {"S"}
