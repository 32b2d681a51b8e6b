"""What holds dunning letters and reminders back because the money is here, or is on its way."""

from itertools import count

import pytest

from eventapi import times, working_days
from eventapi.domain.upkeep import checks
from tests.resources.test_dunning import LEVELS, STAND, day, due, send


@pytest.fixture(autouse=True)
def no_weekends(monkeypatch):
    """Let every day be a working day, so that the tests do not depend on today."""
    monkeypatch.setattr(working_days, "is_working_day", lambda day, known: True)


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def buyer(organiser):
    return contact(organiser, "Muster AG")


def contact(organiser, name):
    fields = {"address": "Weg 1", "city": "Wien", "email": "office@muster.example"}
    return organiser.make("/contacts", {"company_name": name, **fields})["id"]


@pytest.fixture
def overdue(organiser, buyer):
    """Return a function that sends an invoice over 1,190.00 that was due 30 days ago."""
    numbers = count(1)

    def make(contact_id=buyer, **fields):
        taken = {"invoice_number": f"OLD-{next(numbers)}", "issue_date": day(-60)}
        body = {"contact_id": contact_id, "items": [STAND], "due_date": day(-30), **taken, **fields}
        draft = organiser.make("/invoices", body)
        return organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]

    return make


@pytest.fixture
def level(organiser):
    return organiser.make(LEVELS, {"name": "Reminder", "days": 7})


@pytest.fixture
def overpaid(organiser, overdue):
    """Return a function that makes an invoice with this credit."""

    def make(credit, **fields):
        row = overdue(**fields)
        body = {"invoice_number": row["invoice_number"], "amount": row["total"] + credit}
        organiser.make("/payments", body)
        return row

    return make


def reasons(organiser):
    return {row["invoice_number"]: row["held_back"] for row in due(organiser)}


def test_credit_of_the_customer_holds_the_letter_back(organiser, overdue, overpaid, level):
    invoice = overdue()
    overpaid(100)
    overpaid(28.6)

    [row] = due(organiser)
    assert (row["held_back"], row["credit"]) == ("credit_open", 128.6)
    result = send(organiser)
    assert (result["sent"], result["left"]) == ([], 0)
    assert [(one["invoice_id"], one["reason"]) for one in result["skipped"]] == [
        (invoice["id"], "credit_open")
    ]
    assert due(organiser, "?held_back=0") == [] and len(due(organiser, "?held_back=1")) == 1


def test_an_offset_lets_the_letter_go(organiser, overdue, overpaid, level):
    invoice = overdue()
    body = {"invoice_number": invoice["invoice_number"]}
    organiser.post(f"/invoices/{overpaid(128.6)['id']}/offset", body, status=201)
    [letter] = send(organiser)["sent"]
    assert (letter["open_amount"], letter["total_claim"]) == (1061.4, 1061.4)
    assert letter["payments"] == [{"date": day(0), "amount": 128.6}]


@pytest.mark.parametrize("credit, reason", [(5, None), (5.01, "credit_open")])
def test_credit_up_to_the_minimum_of_dunning_holds_nothing_back(
    organiser, overdue, overpaid, level, credit, reason
):
    """The option `dunning_minimum` is 5.00."""
    invoice = overdue()
    overpaid(credit)
    assert reasons(organiser) == {invoice["invoice_number"]: reason}
    status = 409 if reason else 200
    organiser.post(f"/invoices/{invoice['id']}/remind", {"mail": False}, status=status)


def test_credit_of_others_and_in_another_currency_holds_nothing_back(
    organiser, overdue, overpaid, level
):
    invoice = overdue()
    overpaid(100, contact_id=contact(organiser, "Holz GmbH"))
    overpaid(100, currency="CHF", exchange_rate=1.05)
    assert reasons(organiser) == {invoice["invoice_number"]: None}
    organiser.post(f"/invoices/{invoice['id']}/remind", {"mail": False}, status=200)


@pytest.mark.parametrize("credit, reason", [(0.5, None), (1, "credit_open")])
def test_credit_in_another_currency_is_compared_by_the_rate(
    organiser, overdue, overpaid, level, credit, reason
):
    """Of a dinar that costs 6 EUR, 0.5 is less than the minimum of 5.00."""
    invoice = overdue(currency="KWD", exchange_rate=6)
    overpaid(credit, currency="KWD", exchange_rate=6)
    assert reasons(organiser) == {invoice["invoice_number"]: reason}
    status = 409 if reason else 200
    organiser.post(f"/invoices/{invoice['id']}/remind", {"mail": False}, status=status)


def test_a_reminder_of_a_customer_with_credit_must_be_forced(organiser, overdue, overpaid):
    invoice = overdue()
    overpaid(128.6)
    path = f"/invoices/{invoice['id']}/remind"

    answer = organiser.post(path, {"mail": False}, status=409).json
    assert (answer["code"], answer["credit"]) == ("credit_open", 128.6)
    assert "EUR 128.60" in answer["detail"]
    batch = {"action": "remind", "ids": [invoice["id"]], "mail": False}
    found = organiser.post("/invoices/batch", batch, status=200).json["data"]["results"]
    assert found[0]["code"] == "credit_open"
    assert organiser.data(f"/invoices/{invoice['id']}")["reminder_count"] == 0

    organiser.post(path, {"mail": False, "force": True}, status=200)
    assert organiser.data(f"/invoices/{invoice['id']}")["reminder_count"] == 1


# A pending payment


@pytest.mark.parametrize(
    "announced, reason",
    [(-15, None), (-14, "payment_pending"), (0, "payment_pending"), (40, "payment_pending")],
)
def test_a_pending_payment_holds_the_letter_back_for_14_days(
    organiser, overdue, level, announced, reason
):
    """One of 100.00 that was expected in February held 1,000.00 back for 392 days."""
    invoice = overdue()
    body = {"amount": 100, "status": "pending", "payment_date": day(announced)}
    organiser.make("/payments", {"invoice_number": invoice["invoice_number"], **body})

    [row] = due(organiser)
    assert row["held_back"] == reason
    expected = (100, day(announced)) if reason else (None, None)
    assert (row["pending_amount"], row["pending_date"]) == expected
    assert len(due(organiser, "?held_back=0")) == (0 if reason else 1)
    assert len(send(organiser)["sent"]) == (0 if reason else 1)


def test_the_day_of_an_announced_payment_is_that_of_the_organiser(
    organiser, overdue, level, monkeypatch
):
    """At 23:30 UTC on 30 June it is 1 July in Berlin, so the payment holds until 15 July."""
    monkeypatch.setattr(times, "now", lambda: "2030-06-20T10:00:00Z")
    invoice = overdue(issue_date="2030-05-01", due_date="2030-05-10")
    body = {"amount": 100, "status": "pending", "payment_date": "2030-06-30T23:30:00Z"}
    organiser.make("/payments", {"invoice_number": invoice["invoice_number"], **body})
    found = {}
    for now in ("2030-07-15T21:30:00Z", "2030-07-15T22:30:00Z"):
        monkeypatch.setattr(times, "now", lambda now=now: now)
        found[now] = due(organiser)[0]["held_back"]
    assert [*found.values()] == ["payment_pending", None]


def test_the_latest_of_several_pending_payments_is_named(organiser, overdue, level):
    invoice = overdue()
    for amount, days in ((100, -3), (200, 5), (300, -20)):
        body = {"amount": amount, "status": "pending", "payment_date": day(days)}
        organiser.make("/payments", {"invoice_number": invoice["invoice_number"], **body})
    [row] = due(organiser)
    assert (row["pending_amount"], row["pending_date"]) == (200, day(5))
