"""Offsets in the books: which figures change, and which stay.

No money moves. So turnover, receivables, the account of the customer and, by the supply, the tax are as before, and the
clearing account is 0.
"""

from decimal import Decimal

import pytest

from eventapi import times
from eventapi.domain.upkeep import checks
from eventapi.validation.identifiers.bookkeeping import Account, ledger_account
from tests.domain.test_taxes import Office

STAYS = (
    "/reports/revenue?period=month",
    "/reports/tax?period=month",
    "/reports/recapitulative?year=2026",
)


@pytest.fixture
def clock(monkeypatch, db):
    """Set the time of the program. It is 15 January 2026 at first."""
    now = {"now": "2026-01-15T10:00:00Z"}
    monkeypatch.setattr(times, "now", lambda: now["now"])
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    return lambda day: now.update(now=f"{day}T10:00:00Z")


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def office(organiser, clock, settings, monkeypatch):
    """Return an office on 10 June, after the show of May, with what it can do with its invoices."""
    made = Office(organiser, clock, settings, monkeypatch)
    monkeypatch.setattr(settings, "datev_gateways", {"offset": Account("1590")})
    clock("2026-06-10")
    return made


def with_credit(office, **fields):
    """Return an invoice of 214.20 with a credit of 128.60, and an open one of 226.10."""
    old = office.invoice({"unit_price": 180, "tax_rate": 19}, **fields)
    office.pay(old, 200)
    office.credit(old, 120)
    new = office.invoice({"unit_price": 190, "tax_rate": 19}, **fields)
    return old, new


def offset(office, old, new, **body):
    path = f"/invoices/{old['id']}/offset"
    body = {"invoice_number": new["invoice_number"], **body}
    return office.client.post(path, body, status=201).json["data"]


def payment_of(office, invoice):
    return office.client.data(f"/invoices/{invoice['id']}?include=payments")["payments"][0]


def money(office, query=""):
    """Return (gateway, received, refunded, net) of the report on payments."""
    rows = office.client.data(f"/reports/payments{query}")["data"]["rows"]
    return [(row["gateway_key"], row["received"], row["refunded"], row["net"]) for row in rows]


def ledger(office):
    """Return the closing balance of the customer, and whether the proof of the ledger agrees."""
    data = office.client.data("/reports/ledger")["data"]
    return data["rows"][0]["closing_balance"], data["proof"]["agrees"]


def account(office, number, month=6):
    """Return the balance of an account in the batch of a month, positive if it is debited."""
    balance = Decimal(0)
    for line in office.datev(month):
        # the tenant's currency: the basic turnover where there is one
        amount = Decimal((line[5] or line[1]).replace(",", "."))
        sign = 1 if line[2] == "S" else -1
        if line[7] == number:
            balance += sign * amount
        if line[8] == number:
            balance -= sign * amount
    return balance


def test_turnover_receivables_and_the_ledger_stay(office):
    old, new = with_credit(office)
    before = [office.client.data(path) for path in STAYS]
    assert ledger(office) == (97.5, True)

    offset(office, old, new)

    after = [office.client.data(path) for path in STAYS]
    assert [report["data"]["rows"] for report in after] == [
        report["data"]["rows"] for report in before
    ]
    assert ledger(office) == (97.5, True)
    assert money(office) == [(None, 200, 0, 200), ("offset", 128.6, 128.6, 0)]
    rows = office.client.data("/reports/receivables")["data"]["rows"]
    assert {row["bucket"]: row["amount"] for row in rows if row["amount"]} == {"not_due": 97.5}


def test_the_clearing_account_of_datev_is_zero(office):
    old, new = with_credit(office)
    debtor = account(office, "10001")
    offset(office, old, new)

    found = [
        (line[14], line[1], line[2], line[7], line[8], line[11])
        for line in office.datev(6)
        if "1590" in (line[7], line[8])
    ]
    first, second = old["invoice_number"], new["invoice_number"]
    assert sorted(found) == [
        (f"Erstattung {first} Muster GmbH", "128,60", "H", "1590", "10001", first),
        (f"Zahlung {second} Muster GmbH", "128,60", "S", "1590", "10001", second),
    ]
    assert account(office, "1590") == 0
    assert account(office, "10001") == debtor == Decimal("97.50")


def test_datev_names_the_account_that_it_lacks(office):
    office.settings.datev_gateways = {}
    offset(office, *with_credit(office))
    answer = office.client.get("/reports/datev?year=2026&month=6", status=409).json
    assert (answer["code"], answer["missing"]) == ("datev_incomplete", ["datev_gateways: offset"])


def test_two_rates_of_a_currency_make_a_difference_and_the_clearing_account_is_zero(office):
    office.settings.datev_exchange_gains = ledger_account("2660")
    office.settings.datev_exchange_losses = ledger_account("2150")
    old = office.invoice({"unit_price": 180, "tax_rate": 19}, currency="CHF", exchange_rate=1.06)
    office.pay(old, 100.01)
    office.pay(old, 99.99)
    office.credit(old, 120)
    new = office.invoice({"unit_price": 190, "tax_rate": 19}, currency="CHF", exchange_rate=1.01)

    offset(office, old, new)

    made = payment_of(office, new)
    # 99.99 and 28.61 at 1.06
    assert (made["bank_amount"], made["bank_currency"]) == (136.32, "EUR")
    assert account(office, "1590") == 0
    # 128.60 at 1.01 is 129.89, so 6.43 more came in
    assert account(office, "2660") == Decimal("-6.43")


def test_credit_that_was_offset_is_returned(office, clock):
    """§ 17 UStG: the tax of a credit note counts once the money is returned."""
    clock("2026-02-10")
    old = office.invoice({"unit_price": 180, "tax_rate": 19})
    office.pay(old, 214.2)
    office.credit(old, 120)
    new = office.invoice({"unit_price": 190, "tax_rate": 19})
    february = "/reports/tax?date_from=2026-02-01&date_to=2026-02-28"
    [entry] = office.client.data(february)["data"]["unrefunded"]
    assert (entry["related_invoice_number"], entry["amount"]) == (old["invoice_number"], 142.8)

    offset(office, old, new)

    assert office.client.data(february)["data"]["unrefunded"] == []
    # the advance of the first invoice is one of the second: 60.00 and 120.00 net in February, as before
    assert office.months() == [("2026-02", 180, 34.2), ("2026-05", 70, 13.3)]


def test_tax_by_payment_moves_to_the_other_invoice(office):
    office.basis("payment")
    old = office.invoice({"unit_price": 200, "tax_rate": 7})
    office.pay(old, 214)
    office.credit(old, 100, rate=7)
    new = office.invoice({"unit_price": 190, "tax_rate": 19})
    assert office.months("tax_rate", "net", "tax") == [("2026-06", 7, 200, 14)]

    offset(office, old, new)

    assert office.months("tax_rate", "net", "tax") == [
        ("2026-06", 7, 100, 7),
        ("2026-06", 19, 89.92, 17.08),
    ]


def test_an_offset_of_a_closed_month_stays(office, clock):
    old, new = with_credit(office)
    offset(office, old, new)
    june = [office.client.data(f"{path}&date_to=2026-06-30") for path in STAYS[:2]]
    clock("2026-07-02")
    office.client.post("/reports/periods/2026-06/close", status=200)

    answer = office.client.delete(f"/payments/{payment_of(office, new)['id']}", status=409).json

    assert (answer["code"], answer["month"]) == ("period_closed", "2026-06")
    assert payment_of(office, old)["refunded_amount"] == 128.6
    again = [office.client.data(f"{path}&date_to=2026-06-30") for path in STAYS[:2]]
    assert [report["data"] for report in again] == [report["data"] for report in june]


def test_credit_of_a_closed_month_is_offset_today(office, clock):
    old, new = with_credit(office)
    clock("2026-07-02")
    office.client.post("/reports/periods/2026-06/close", status=200)
    offset(office, old, new)
    assert payment_of(office, new)["payment_date"] == "2026-07-02T10:00:00Z"
    assert money(office, "?date_from=2026-07-01") == [("offset", 128.6, 128.6, 0)]
    assert ledger(office) == (97.5, True)


def test_a_payment_of_tomorrow_is_offset_tomorrow(office):
    old = office.invoice({"unit_price": 100, "tax_rate": 19})
    office.pay(old, 238, payment_date="2026-06-11")
    new = office.invoice({"unit_price": 100, "tax_rate": 19})
    offset(office, old, new)
    assert payment_of(office, new)["payment_date"] == "2026-06-11"
    assert payment_of(office, old)["refunds"][0]["refunded_at"] == "2026-06-11"


def test_claims_of_letters_are_no_credit(office, db):
    """What was paid of a letter is not offset with an invoice."""
    old = office.invoice({"unit_price": 100, "tax_rate": 19}, due_date="2026-06-10")
    level = {"level": 1, "name": "Mahnung", "days": 1, "deadline_days": 7, "fee": 5}
    office.client.make("/invoices/dunning-levels", level)
    office.clock("2026-06-20")
    office.client.post("/invoices/dunning/send", {"mail": False}, status=200)
    office.pay(old, 124, claim_amount=5)
    office.credit(old, 100)
    new = office.invoice({"unit_price": 200, "tax_rate": 19})

    offset(office, old, new)

    given = payment_of(office, old)
    assert (given["refunded_amount"], given["refunds"][0]["claim_amount"]) == (119, 0)
    shown = office.client.data(f"/invoices/{old['id']}")
    assert (shown["paid_amount"], shown["claims_open"]) == (0, 0)


@pytest.mark.parametrize(
    "damage, found",
    [
        ("UPDATE refunds SET offset_id = NULL", "the refunds that it was made of add up to 0"),
        ("UPDATE refunds SET gateway_key = NULL", "the refunded amount is 12860"),
        (
            "UPDATE refunds SET amount = amount - 1",
            "the refunds that it was made of add up to 12859",
        ),
    ],
)
def test_eventapi_check_finds_an_offset_that_does_not_add_up(office, db, damage, found):
    offset(office, *with_credit(office))
    with db.write():
        db.connection.execute("SAVEPOINT damaged")
        db.connection.execute(damage)
        sentences = [sentence for _, sentence in checks.findings(db)]
        db.connection.execute("ROLLBACK TO damaged")
    assert any(found in sentence for sentence in sentences), sentences
