"""Closed months: what is refused, what stays possible, and that no statement can change what was
closed.
"""

import json
import re
from decimal import Decimal
from hashlib import sha256

import pytest

from eventapi import times
from eventapi.domain.billing import sending
from eventapi.domain.books import periods
from eventapi.domain.reports import finance
from eventapi.domain.upkeep import checks
from eventapi.storage.database import Duplicate
from tests.storage.test_statements import EVERY, name_of

MAY, JUNE = "2026-05-12T10:00:00Z", "2026-06-03T10:00:00Z"
ADDRESS = {"company_name": "Muster GmbH", "address": "Weg 1", "city": "Leipzig", "country": "DE"}


@pytest.fixture
def clock(monkeypatch):
    """Set the time of the program. It is May at first."""
    now = {"now": MAY}
    monkeypatch.setattr(times, "now", lambda: now["now"])
    return lambda text: now.update(now=text)


@pytest.fixture
def books(clock, organiser, db):
    """Book an invoice of 119 and a payment of 100 in May, close May, and return the ids and
    numbers.
    """
    db.connection.execute("UPDATE last_stamp SET stamped_at = '2026-01-01T00:00:00Z'")
    contact = organiser.make("/contacts", ADDRESS)
    invoices = [sent(organiser, contact["id"]) for _ in range(2)]
    note = organiser.post(
        f"/invoices/{invoices[1]['id']}/credit",
        {"items": [{"description": "Credit", "quantity": 1, "unit_price": 10}]},
        status=201,
    ).json["data"]
    payment = organiser.make(
        "/payments", {"invoice_number": invoices[0]["invoice_number"], "amount": 100}
    )
    refunded = organiser.post(f"/payments/{payment['id']}/refund", {"amount": 10}, status=200).json[
        "data"
    ]
    pending = organiser.make(
        "/payments",
        {"invoice_number": invoices[0]["invoice_number"], "amount": 19, "status": "pending"},
    )
    moved = organiser.make(
        "/payments",
        {
            "invoice_number": invoices[0]["invoice_number"],
            "amount": 5,
            "payment_date": "2026-05-11",
        },
    )
    organiser.patch(
        f"/payments/{moved['id']}", {"invoice_number": invoices[1]["invoice_number"]}, status=200
    )
    organiser.patch(f"/invoices/{invoices[0]['id']}", {"due_date": "2026-05-30"}, status=200)
    clock(JUNE)
    organiser.post("/reports/periods/2026-05/close", status=200)
    return {
        "contact": contact["id"],
        "invoice": invoices[0],
        "other": invoices[1],
        "note": note,
        "moved": moved["id"],
        "payment": payment["id"],
        "refund": refunded["refunds"][0]["id"],
        "pending": pending["id"],
    }


def sent(client, contact_id, **fields):
    draft = client.make(
        "/invoices",
        {
            "contact_id": contact_id,
            **fields,
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}],
        },
    )
    return client.post(f"/invoices/{draft['id']}/send", status=200).json["data"]


def refused(client, method, path, body=None):
    problem = client(method, path, body, status=409).json
    assert (problem["code"], problem["month"], problem["first_open_day"]) == (
        "period_closed",
        "2026-05",
        "2026-06-01",
    )
    return problem


# Closing


def test_closing_keeps_the_figures_and_journals_them_with_their_hash(books, organiser, db):
    (month,) = organiser.data("/reports/periods")
    assert (month["month"], month["state"], month["closed_at"], month["closed_by"]) == (
        "2026-05",
        "closed",
        JUNE,
        "Ada Lovelace",
    )
    assert month["figures"]["revenue"] == [
        {
            "period": "2026-05",
            "currency": "EUR",
            "invoices": 2,
            "credit_notes": 1,
            "invoiced": 200.0,
            "credited": 10.0,
            "net": 190.0,
            "tax": 36.1,
            "total": 226.1,
        }
    ]
    assert month["figures"]["balances"] == [
        {
            "currency": "EUR",
            "opening_balance": 0.0,
            "invoiced": 238.0,
            "credited": 11.9,
            "received": 105.0,
            "refunded": 10.0,
            "written_off": 0.0,
            "claimed": 0.0,
            "closing_balance": 131.1,
        }
    ]
    entry = organiser.data("/audit-log?entity_type=period")[0]
    assert (entry["action"], entry["entity_title"], entry["new_values"]["sha256"]) == (
        "closed",
        "2026-05",
        month["sha256"],
    )
    text = db.value_of("SELECT figures FROM periods")
    assert (
        sha256(text.encode()).hexdigest() == month["sha256"]
        and json.loads(text) == entry["new_values"]["figures"]
    )


@pytest.fixture
def db(db):
    db.value_of = lambda text, *values: db.connection.execute(text, values).fetchone()[0]
    return db


def test_a_closed_month_that_is_closed_again_stays_as_it_is(books, organiser, clock):
    before = organiser.data("/reports/periods")
    clock("2026-06-20T10:00:00Z")
    again = organiser.post("/reports/periods/2026-05/close", status=200).json["data"]
    assert [again] == before == organiser.data("/reports/periods")


def test_a_month_closes_only_once_it_is_over_in_the_time_zone_of_the_organiser(
    books, organiser, clock
):
    clock("2026-06-30T21:59:59Z")  # 23:59:59 in Berlin
    problem = organiser.post("/reports/periods/2026-06/close", status=409).json
    assert (problem["code"], problem["closable_from"]) == ("period_not_over", "2026-07-01")
    clock("2026-06-30T22:00:00Z")
    assert (
        organiser.post("/reports/periods/2026-06/close", status=200).json["data"]["state"]
        == "closed"
    )


def test_earlier_months_are_closed_as_well(books, organiser, clock):
    clock("2026-09-02T10:00:00Z")
    sent(organiser, books["contact"], invoice_number="OLD-1", issue_date="2026-06-30")
    organiser.post("/reports/periods/2026-08/close", status=200)
    months = organiser.data("/reports/periods")
    assert [(month["month"], month["state"]) for month in months] == [
        ("2026-05", "closed"),
        ("2026-06", "closed"),
        ("2026-08", "closed"),
        ("2026-09", "open"),
    ][: len(months)]
    assert (
        organiser.post("/reports/periods/2026-07/close", status=200).json["data"]["state"]
        == "closed"
    )
    problem = organiser.post(
        "/payments",
        {
            "invoice_number": books["invoice"]["invoice_number"],
            "amount": 1,
            "payment_date": "2026-07-15",
        },
        status=409,
    ).json
    assert problem["month"] == "2026-07"


@pytest.mark.parametrize("month", ["2026-13", "2026-5", "0000-01", "may", "9999-01"])
def test_what_is_no_month_is_not_found(organiser, month):
    problem = organiser.post(f"/reports/periods/{month}/close", status=404).json
    assert (
        problem["detail"] == f"Month {month} not found. Write a month as YYYY-MM, such as 2026-09."
    )


# What is refused


@pytest.mark.parametrize(
    "change, member",
    [
        ({"amount": 4}, "amount"),
        ({"payment_date": "2026-06-02"}, "payment_date"),
        ({"gateway_key": "card"}, "gateway_key"),
        ({"payment_date": "2026-05-13"}, "payment_date"),
    ],
)
def test_a_payment_of_a_closed_month_does_not_change(books, organiser, change, member):
    assert refused(organiser, "PATCH", f"/payments/{books['moved']}", change)["member"] == member


def test_a_payment_of_a_closed_month_keeps_its_date_also_if_it_was_recorded_at_that_second(
    books, organiser, db
):
    paid = f"/payments/{books['payment']}"
    payment = organiser.data(paid)
    assert payment["payment_date"] == payment["created_at"]
    assert refused(organiser, "PATCH", paid, {"payment_date": None})["member"] == "payment_date"
    assert list(periods.check(db)) == []
    with pytest.raises(Duplicate, match="closed"), db.write():  # as if the rule were missing
        db.connection.execute(
            "UPDATE payments SET payment_date = NULL, payment_date_at = NULL WHERE id = ?",
            (payment["id"],),
        )


def test_bookings_dated_in_a_closed_month_are_refused_with_a_remedy(books, organiser):
    number, paid = books["invoice"]["invoice_number"], f"/payments/{books['payment']}"
    problem = refused(organiser, "DELETE", paid)
    assert "Refund the payment, which is dated today" in problem["detail"]
    problem = refused(
        organiser,
        "POST",
        "/payments",
        {"invoice_number": number, "amount": 1, "payment_date": "2026-05-31T21:59:59Z"},
    )
    assert problem["detail"].startswith(
        "`payment_date` is 2026-05-31T21:59:59Z, and 2026-05 is closed. Send"
    )
    assert (
        refused(organiser, "POST", f"{paid}/refund", {"refunded_at": "2026-05-31"})["member"]
        == "refunded_at"
    )
    assert (
        "record it as a payment"
        in refused(organiser, "DELETE", f"{paid}/refunds/{books['refund']}")["detail"]
    )
    later = organiser.make("/payments", {"invoice_number": number, "amount": 1})
    refused(organiser, "PATCH", f"/payments/{later['id']}", {"payment_date": "2026-05-31"})
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": books["contact"],
            "invoice_number": "OLD-7",
            "issue_date": "2026-05-31",
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 1}],
        },
    )
    assert refused(organiser, "POST", f"/invoices/{draft['id']}/send")["member"] == "issue_date"
    refused(organiser, "PATCH", f"/invoices/{draft['id']}", {"status": "sent"})
    refused(
        organiser,
        "PATCH",
        f"/payments/{books['pending']}",
        {"status": "completed", "payment_date": "2026-05-13"},
    )


# What stays possible


def test_the_first_second_after_a_closed_month_is_open(books, organiser, clock):
    """In July, so that June is open but over: dates of the month of today are not looked up."""
    clock("2026-07-02T10:00:00Z")
    for date in ("2026-06-01", "2026-05-31T22:00:00Z"):
        payment = {
            "invoice_number": books["invoice"]["invoice_number"],
            "amount": 1,
            "payment_date": date,
        }
        assert organiser.make("/payments", payment)["payment_date"] == date


def test_ordinary_work_goes_on_and_is_dated_today(books, organiser, db, clock):
    before = periods.figures_of(db, ["2026-05"])
    paid = f"/payments/{books['payment']}"
    organiser.patch(paid, {"notes": "Called on Monday", "transaction_id": "tx-1"}, status=200)
    organiser.patch(paid, {"invoice_number": books["other"]["invoice_number"]}, status=200)
    refund = organiser.post(f"{paid}/refund", {}, status=200).json["data"]["refunds"][-1]
    assert refund["refunded_at"] == JUNE
    organiser.delete(f"{paid}/refunds/{refund['id']}", status=204)
    organiser.patch(
        f"/invoices/{books['other']['id']}",
        {"due_date": "2026-07-31", "notes": "Paid late"},
        status=200,
    )
    note = organiser.post(f"/invoices/{books['other']['id']}/cancel", status=409).json
    assert note["code"] == "has_payments"
    number = books["invoice"]["invoice_number"]
    assert (
        organiser.make("/payments", {"invoice_number": number, "amount": 1})["payment_date"] == JUNE
    )
    assert sent(organiser, books["contact"])["issue_date"] == "2026-06-03"
    assert periods.figures_of(db, ["2026-05"]) == before and checks.findings(db) == []


@pytest.mark.parametrize(
    "method, path, body", [("POST", "/complete", None), ("PATCH", "", {"status": "completed"})]
)
def test_a_pending_payment_of_a_closed_month_is_completed_today(
    books, organiser, db, method, path, body
):
    done = organiser(method, f"/payments/{books['pending']}{path}", body, status=200).json["data"]
    assert (done["status"], done["payment_date"]) == ("completed", JUNE)
    assert list(periods.check(db)) == []


def test_a_payment_that_does_not_count_can_be_removed(books, organiser, db):
    organiser.post(f"/payments/{books['pending']}/cancel", status=200)
    organiser.delete(f"/payments/{books['pending']}", status=204)
    assert list(periods.check(db)) == []


def test_erasing_and_merging_contacts_changes_no_closed_month(books, organiser, db):
    account = f"/reports/ledger/{books['invoice']['buyer']['customer_number']}?year=2026&month=5"
    before = organiser.data(account)["data"]["accounts"]
    other = organiser.make("/contacts", {**ADDRESS, "company_name": "Other GmbH"})
    organiser.post(f"/contacts/{other['id']}/merge", {"duplicate_id": books["contact"]}, status=200)
    organiser.post(f"/contacts/{other['id']}/anonymize", {"force": True}, status=200)
    assert organiser.data(account)["data"]["accounts"] == before
    assert list(periods.check(db)) == []


def test_the_ledger_is_proven_for_overpaid_prepaid_and_taken_over_invoices(clock, organiser):
    contact = organiser.make("/contacts", ADDRESS)["id"]
    old = sent(organiser, contact, invoice_number="OLD-1", issue_date="2025-12-30")
    first = sent(organiser, contact)
    # 31 too much
    organiser.make("/payments", {"invoice_number": first["invoice_number"], "amount": 150})
    clock(JUNE)
    later = sent(organiser, contact)
    organiser.make(
        "/payments",
        {"invoice_number": later["invoice_number"], "amount": 119, "payment_date": "2026-05-20"},
    )
    refunded = organiser.make("/payments", {"invoice_number": old["invoice_number"], "amount": 20})
    organiser.post(f"/payments/{refunded['id']}/refund", {"amount": 5}, status=200)
    found = {
        name: organiser.data(f"/reports/ledger?{query}")["data"]
        for name, query in {
            "2025": "year=2025",
            "May": "year=2026&month=5",
            "June": "date_from=2026-06-01&date_to=2026-06-30",
            "2026": "year=2026",
            "ever": "",
        }.items()
    }
    names = ("opening_balance", "invoiced", "credited", "received", "refunded", "closing_balance")
    assert {
        name: [data["totals"][0][column] for column in names] for name, data in found.items()
    } == {
        "2025": [0, 119, 0, 0, 0, 119],
        "May": [119, 119, 0, 269, 0, -31],
        "June": [-31, 119, 0, 20, 5, 73],
        "2026": [119, 238, 0, 289, 5, 73],
        "ever": [0, 357, 0, 289, 5, 73],
    }
    assert all(data["proof"]["agrees"] for data in found.values()), found
    assert found["May"]["proof"]["receivables"] == [
        {
            "currency": "EUR",
            "closing_balance": -31,
            "claims_open": 0,
            "receivables": 88,
            "prepaid": 119,
            "agrees": True,
        }
    ]
    assert organiser.data("/reports/ledger?year=2026&currency=EUR")["data"]["proof"] is None


# The database refuses as well

WRITES = re.compile(
    r"\b(?:INSERT(?: OR \w+)? INTO|UPDATE(?: OR \w+)?|DELETE FROM|REPLACE INTO)\s+(\w+)"
)
BOOKS = {
    "payments",
    "refunds",
    "payment_moves",
    "invoices",
    "invoice_items",
    "invoice_taxes",
    "due_date_changes",
    "dunnings",
    "periods",
}
STATEMENTS = [
    statement
    for _, statement in EVERY
    if BOOKS & set(WRITES.findall(statement.form(statement.words)))
]
REFUSED, HARMLESS = "refused", "harmless"
# Statement -> what it does to the records of May, and parameters that differ from those in POOL. A
# name that begins with $ stands for an id of the fixture. Harmless: it runs, and every figure of
# the closed month stays as it was.
CASES = {
    "payments.add": (REFUSED, {}),
    "payments.change": (REFUSED, {"id": "$payment"}),
    "payments.set_offset": (HARMLESS, {"id": "$payment"}),
    "payments.remove": (REFUSED, {"id": "$payment"}),
    "refunds.add": (REFUSED, {}),
    "refunds.set_gateway": (REFUSED, {"gateway_key": "card"}),
    "refunds.remove": (REFUSED, {"id": "$refund"}),
    "refunds.add_move": (REFUSED, {"now": MAY}),
    "refunds.forget_moves": (REFUSED, {"payment_id": "$moved"}),
    "dunning.add": (REFUSED, {"sent_on": "2026-05-31", "claimed": 5}),
    "dunning.withdraw": (REFUSED, {"id": "$letter", "today": "2026-05-31"}),
    "dunning.withdraw_undelivered": (REFUSED, {"id": "$letter", "today": "2026-05-31"}),
    "dunning.record": (HARMLESS, {"level": 1, "deadline": "2026-06-20", "claimed": 5}),
    "dunning.record_withdrawal": (HARMLESS, {"claimed": 5}),
    "dunning.dispute": (HARMLESS, {"reason": "Wrong"}),
    "dunning.settle": (HARMLESS, {}),
    "e_invoices.note_hash": (HARMLESS, {}),
    "invoicing.add": (
        HARMLESS,  # a draft
        {"tax_treatment": "standard", "tax_decided_by": "office"},
    ),
    "invoicing.name_draft": (REFUSED, {}),
    "invoicing.change": (REFUSED, {}),
    "invoicing.change_locked": (REFUSED, {"due_date": "2026-05-20"}),
    "invoicing.keep_due_date": (REFUSED, {"now": MAY}),
    "invoicing.remove": (REFUSED, {}),
    "invoicing.add_item": (REFUSED, {}),
    "invoicing.clear_items": (REFUSED, {}),
    "invoicing.add_tax": (REFUSED, {"category": "Z", "rate": 0}),
    "invoicing.clear_taxes": (REFUSED, {}),
    "invoicing.send": (REFUSED, {"id": "$draft"}),
    "invoicing.freeze_pdf": (HARMLESS, {}),
    "invoicing.keep_pdf": (HARMLESS, {"id": "$other"}),
    "invoicing.cancel": (HARMLESS, {"credit_note_id": "$note"}),
    "invoicing.remind": (HARMLESS, {}),
    "invoicing.deliver": (HARMLESS, {"for_post": 1, "mail_id": None}),
    "deliveries.post_invoice": (HARMLESS, {"posted_on": "2026-05-20"}),
    "deliveries.post_letter": (HARMLESS, {"id": "$letter", "posted_on": "2026-05-20"}),
    "deliveries.touch_invoice": (HARMLESS, {}),
    "balance.pay": (HARMLESS, {"claims_paid": 0}),
    "balance.adjust": (HARMLESS, {"status": "paid", "written_off": 0, "claims_paid": 0}),
    "invoicing.hand_over_to_contact": (HARMLESS, {"contact_id": "$second"}),
    "invoicing.hand_over_to_participant": (HARMLESS, {}),
    "invoicing.hand_over_fee": (HARMLESS, {}),
    "periods.add": (REFUSED, {"month": "2026-05"}),
    "invoicing.drop_drafts": (HARMLESS, {"id": "$contact"}),
    "invoicing.blank_remarks": (HARMLESS, {"id": "$contact"}),
    "dunning.blank_withdrawals": (HARMLESS, {"id": "$contact"}),
    "dunning.blank_texts": (HARMLESS, {}),
    "payments.blank_remarks": (HARMLESS, {"id": "$contact"}),
    "refunds.blank_remarks": (HARMLESS, {"id": "$contact"}),
    "invoicing.blank": (HARMLESS, {}),
    "invoicing.blank_items": (HARMLESS, {}),
    "payments.blank": (HARMLESS, {}),
    "refunds.blank": (HARMLESS, {}),
}
POOL = {
    "id": "$invoice",
    "invoice_id": "$invoice",
    "payment_id": "$payment",
    "from_invoice_id": "$invoice",
    "to_invoice_id": "$other",
    "contact_id": "$contact",
    "participant_id": None,
    "now": JUNE,
    "stamp": JUNE,
    "until": JUNE,
    "amount": 77,
    "currency": "EUR",
    "status": "completed",
    "payment_date": "2026-05-12",
    "payment_date_at": MAY,
    "refunded_at": "2026-05-12",
    "counts_at": MAY,
    "refunded_amount": 0,
    "gateway_fee": 0,
    "invoice_number": "OLD-9",
    "invoice_type": "invoice",
    "subtotal": 77,
    "tax_total": 0,
    "total": 77,
    "paid_amount": 77,
    "credited": 0,
    "issue_date": "2026-05-12",
    "due_date": "2026-06-12",
    "is_reverse_charge": 0,
    "taken_over": 0,
    "is_deposit": 0,
    "position": 9,
    "description": "X",
    "quantity": 1000,
    "unit_price": 77,
    "discount_percent": 0,
    "tax_rate": 0,
    "tax_category": "Z",
    "net": 77,
    "is_generated": 0,
    "is_discount": 0,
    "tax": 0,
    "source": "{}",
    "sha256": "x",
    "prepaid_amount": 0,
    "month": "2026-05",
    "first_open_day": "2026-06-01",
    "open_from": JUNE,
    "timezone": "UTC",
    "figures": "{}",
}


def parameters(statement, changes, books):
    """Return the parameters of a statement: those of the case, then those in POOL, otherwise None."""
    values = {
        name: {**POOL, **changes}.get(name)
        for name in re.findall(r":(\w+)", statement.form(statement.words))
    }
    ids = {
        f"${name}": record["id"] if isinstance(record, dict) else record
        for name, record in books.items()
    }
    return {name: ids.get(value, value) for name, value in values.items()}


@pytest.fixture
def more(books, organiser, db):
    """Add records that some statements need: a draft, remarks, another contact, and a participant
    with a fee.
    """
    client = organiser
    second = client.make("/contacts", {**ADDRESS, "company_name": "Second GmbH"})
    draft = client.make(
        "/invoices",
        {
            "contact_id": books["contact"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100}],
        },
    )
    client.patch(f"/payments/{books['payment']}", {"notes": "remark"}, status=200)
    client.patch(f"/invoices/{books['invoice']['id']}", {"notes": "remark"}, status=200)
    db.connection.execute("UPDATE refunds SET notes = 'remark'")
    db.connection.execute(
        "UPDATE invoice_items SET fee_of_participant_id = ?", (books["invoice"]["id"],)
    )
    letter = db.connection.execute(
        "INSERT INTO dunnings (invoice_id, level, level_name, sent_on, due_date, days_overdue, open_amount, fee, "
        "lump_sum, costs, interest, total_claim, claimed, deadline, language, title, text, withdrawn_reason, "
        "created_at) "
        "VALUES (?, 1, 'X', '2026-06-09', '2026-06-01', 8, 100, 5, 0, 5, 0, 105, 5, '2026-06-20', 'de', 'X', 'X', "
        "'X', ?) RETURNING id",
        (books["invoice"]["id"], JUNE),
    ).fetchone()[0]
    return {**books, "second": second["id"], "draft": draft["id"], "letter": letter}


def test_each_statement_that_writes_to_the_books_has_a_case():
    assert {statement.name for statement in STATEMENTS} == set(CASES)


@pytest.mark.parametrize("statement", STATEMENTS, ids=name_of)
def test_no_statement_changes_a_closed_month(more, db, statement):
    """The triggers refuse it even if a rule of the program were missing."""
    outcome, changes = CASES[statement.name]
    before = periods.figures_of(db, ["2026-05"])
    with db.write():
        try:
            total = db.connection.total_changes
            db.connection.execute(
                statement.form(statement.words), parameters(statement, changes, more)
            ).fetchall()
            found, changed = HARMLESS, db.connection.total_changes - total
        except Duplicate as error:
            found, changed = REFUSED, 1
            assert "closed" in str(error)
        assert found == outcome and changed != 0
        assert periods.figures_of(db, ["2026-05"]) == before


# The clock was set back


BACK = "2026-05-20T10:00:00Z"


@pytest.fixture
def overdue(books, organiser, clock):
    """Return an invoice that is due for its first letter in July, while May and June are closed."""
    due = organiser.data(f"/invoices/{books['invoice']['id']}")
    organiser.post(f"/payments/{books['pending']}/cancel", status=200)
    organiser.make("/invoices/dunning-levels", {"name": "Reminder", "days": 1, "fee": 5})
    clock("2026-07-02T10:00:00Z")
    organiser.post("/reports/periods/2026-06/close", status=200)
    return due


def letter_refused(client, path, body):
    """Send letters in a closed month, and return the detail of the refusal."""
    problem = client.post(path, body, status=409).json
    assert (problem["code"], problem["month"]) == ("period_closed", "2026-06")
    assert problem["first_open_day"] == "2026-07-01"
    assert "2026-06 is closed" in problem["detail"]
    assert "Set the clock of the server right" in problem["detail"]
    return problem["member"]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_letter_is_refused_when_the_clock_shows_a_closed_month(
    overdue, organiser, db, clock, named, dry_run
):
    clock("2026-06-30T10:00:00Z")
    ids = [overdue["id"]] if named else None
    body = {"invoice_ids": ids, "mail": False, "dry_run": dry_run}
    assert letter_refused(organiser, "/invoices/dunning/send", body) == "sent_on"
    assert organiser.data(f"/invoices/{overdue['id']}?include=dunning")["dunning"] == []
    clock("2026-07-01T10:00:00Z")
    sent = organiser.post("/invoices/dunning/send", body, status=200).json["data"]["sent"]
    assert {letter["sent_on"] for letter in sent} == {"2026-07-01"}


def test_the_withdrawal_of_a_letter_is_refused_when_the_clock_shows_a_closed_month(
    overdue, organiser, clock
):
    body = {"invoice_ids": [overdue["id"]], "mail": False}
    (letter,) = organiser.post("/invoices/dunning/send", body, status=200).json["data"]["sent"]
    clock("2026-06-30T10:00:00Z")
    path = f"/invoices/{overdue['id']}/dunning/{letter['id']}/withdraw"
    assert letter_refused(organiser, path, {"reason": "mistake"}) == "withdrawn_on"


def test_an_invoice_that_is_sent_with_a_clock_behind_hears_of_the_clock(books, organiser, clock):
    item = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    draft = organiser.make("/invoices", {"contact_id": books["contact"], "items": [item]})
    taken_over = organiser.make(
        "/invoices",
        {
            "contact_id": books["contact"],
            "items": [item],
            "invoice_number": "ALT-7",
            "issue_date": "2026-05-15",
        },
    )
    clock(BACK)
    path = f"/invoices/{draft['id']}"
    problem = refused(organiser, "POST", f"{path}/send")
    checked = organiser.post(f"{path}/check", status=200).json["data"]["faults"]
    batch = {"action": "send", "ids": [draft["id"]]}
    entry = organiser.post("/invoices/batch", batch, status=200).json["data"]["results"][0]
    for detail in (problem["detail"], checked[0]["detail"], entry["detail"]):
        assert "2026-05-20" in detail
        assert "2026-05 is closed" in detail
        assert "the clock of the server" in detail
        assert "another system" not in detail
    other = refused(organiser, "POST", f"/invoices/{taken_over['id']}/send")
    assert "An invoice from another system" in other["detail"]
    assert "clock" not in other["detail"]


# Other currencies


def test_a_currency_that_is_settled_and_not_used_again_is_no_difference(
    books, organiser, db, clock
):
    clock("2026-06-10T10:00:00Z")
    invoice = sent(organiser, books["contact"], currency="USD", exchange_rate=0.9)
    organiser.make(
        "/payments", {"invoice_number": invoice["invoice_number"], "amount": 119, "currency": "USD"}
    )
    for now, month in (("2026-07-02T10:00:00Z", "2026-06"), ("2026-08-02T10:00:00Z", "2026-07")):
        clock(now)
        organiser.post(f"/reports/periods/{month}/close", status=200)
    assert [
        row["currency"] for row in organiser.data("/reports/periods")[2]["figures"]["balances"]
    ] == ["EUR"]
    assert list(periods.check(db)) == []


def tax_of_may(client):
    """Return (currency, base_net, base_tax) of the rows of the tax report of May."""
    rows = client.data("/reports/tax?date_from=2026-05-01&date_to=2026-05-31")["data"]["rows"]
    return [(row["currency"], row["base_net"], row["base_tax"]) for row in rows]


def test_the_tax_of_a_closed_month_does_not_depend_on_the_option_exchange_rates(
    books, organiser, db, clock, app, monkeypatch
):
    contact, rates = books["contact"], app.app.settings.exchange_rates
    clock("2026-07-02T10:00:00Z")
    with monkeypatch.context() as early:  # an early version sent invoices without a rate
        early.setattr(sending, "_lacks_rate", lambda *_: False)
        invoices = [sent(organiser, contact, currency="USD") for _ in range(2)]
    rates["USD"] = Decimal("0.5")  # after both were sent
    invoices.append(sent(organiser, contact, currency="USD"))
    assert invoices[2]["exchange_rate"] == 0.5
    clock("2026-08-03T10:00:00Z")
    problem = organiser.post("/reports/periods/2026-07/close", status=409).json
    assert (problem["code"], problem["month"]) == ("period_incomplete", "2026-07")
    assert problem["invoices"] == [
        {"id": invoice["id"], "invoice_number": invoice["invoice_number"], "currency": "USD"}
        for invoice in invoices[:2]
    ]
    assert all(invoice["invoice_number"] in problem["detail"] for invoice in invoices[:2])
    for invoice, rate in zip(invoices, (0.8, 0.9), strict=False):
        organiser.patch(f"/invoices/{invoice['id']}", {"exchange_rate": rate}, status=200)
    kept = organiser.post("/reports/periods/2026-07/close", status=200).json["data"]["figures"][
        "tax"
    ]
    # three invoices of 100 and 19 of tax, at 0.8, 0.9 and 0.5: 220 and 41.8
    assert [
        (row["currency"], row["base_currency"], row["base_net"], row["base_tax"]) for row in kept
    ] == [("USD", "EUR", 220.0, 41.8)]
    report = "/reports/tax?date_from=2026-07-01&date_to=2026-07-31"
    before = organiser.data(report)["data"]
    for rate in ("0.25", "3"):
        rates["USD"] = Decimal(rate)
        assert organiser.data(report)["data"] == before and before["rows"][0]["base_tax"] == 41.8
    del rates["USD"]
    assert organiser.data(report)["data"] == before
    problem = organiser.patch(
        f"/invoices/{invoices[0]['id']}", {"exchange_rate": 0.7}, status=409
    ).json
    assert problem["code"] == "invoice_locked"
    assert list(periods.check(db)) == []
    db.connection.execute("DROP TRIGGER tax_entries_closed_update")
    db.connection.execute(
        "UPDATE tax_entries SET base_tax = base_tax + 1 WHERE invoice_id = ?", (invoices[0]["id"],)
    )
    assert list(periods.check(db)) == ["2026-07: tax differ from those when the month was closed"]


def test_an_invoice_of_a_month_that_an_early_version_closed_keeps_the_rate_of_the_option(
    clock, organiser, db, app, monkeypatch
):
    rates = app.app.settings.exchange_rates
    with monkeypatch.context() as early:
        early.setattr(sending, "_lacks_rate", lambda *_: False)
        invoice = sent(organiser, organiser.make("/contacts", ADDRESS)["id"], currency="USD")
        clock(JUNE)
        early.setattr(periods, "refuse_unconverted", lambda *_: None)
        early.setitem(periods.BY_PERIOD, "tax", finance.tax)
        organiser.post("/reports/periods/2026-05/close", status=200)
    assert list(periods.check(db)) == []
    assert tax_of_may(organiser) == [("USD", None, None)]
    rates["USD"] = Decimal("0.5")
    problem = refused(organiser, "PATCH", f"/invoices/{invoice['id']}", {"exchange_rate": 0.7})
    assert problem["member"] == "exchange_rate" and problem["detail"].endswith("Send 0.5.")
    organiser.patch(f"/invoices/{invoice['id']}", {"exchange_rate": 0.5}, status=200)
    rates["USD"] = Decimal("3")
    assert tax_of_may(organiser) == [("USD", 50.0, 9.5)]
    assert list(periods.check(db)) == []
