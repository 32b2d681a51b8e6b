"""Refunds of payments: dated records, and the dates of payments as they were given."""

import csv
import io
import json
from threading import Thread

import pytest

from eventapi import times
from eventapi.domain.upkeep import checks
from eventapi.validation import schema_files
from tests.support.dates import in_days


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def invoice(organiser):
    """Return a function that creates and sends an invoice for 119."""
    buyer = organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
            "address": "Weg 1",
            "city": "Wien",
            "country": "AT",
            "email": "office@muster.example",
        },
    )

    def make(**fields):
        item = {"description": "Stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}
        draft = organiser.make("/invoices", {"contact_id": buyer["id"], "items": [item], **fields})
        return organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]

    return make


@pytest.fixture
def pay(organiser, invoice):
    """Return a function that records a payment, on a new invoice unless one is given."""

    def make(amount=119, **fields):
        number = fields.pop("invoice_number", None) or invoice()["invoice_number"]
        return organiser.make("/payments", {"invoice_number": number, "amount": amount, **fields})

    return make


@pytest.fixture
def refund(organiser):
    """Return a function that refunds a payment and returns it."""

    def make(payment, **body):
        return organiser.post(f"/payments/{payment['id']}/refund", body, status=200).json["data"]

    return make


def faults(answer):
    return [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]]


def events(db, name):
    """Return the data of all outgoing events of this type."""
    rows = db.connection.execute(
        "SELECT data FROM outgoing_events WHERE name = ? ORDER BY id", [name]
    )
    return [json.loads(row[0]) for row in rows]


def test_a_refund_is_a_record_with_a_date(organiser, pay, refund):
    payment = pay(payment_date="2026-05-04")
    assert (payment["refunds"], payment["refunded_amount"]) == ([], 0)
    first = refund(
        payment, amount=19, refunded_at="2026-05-04", transaction_id="r-1", notes="Second chair"
    )
    (kept,) = first["refunds"]
    assert kept == {
        "id": kept["id"],
        "amount": 19,
        "claim_amount": 0,
        "refunded_at": "2026-05-04",
        "transaction_id": "r-1",
        "notes": "Second chair",
        "bank_transaction_id": None,
        "gateway_key": payment["gateway_key"],
        "offset_id": None,
        "created_at": kept["created_at"],
    }
    assert (first["refunded_amount"], first["status"]) == (19, "completed")
    second = refund(payment)
    assert [entry["amount"] for entry in second["refunds"]] == [19, 100] and second[
        "status"
    ] == "refunded"
    assert second["refunds"][1]["refunded_at"] == second["refunds"][1]["created_at"]
    assert organiser.data(f"/payments/{payment['id']}") == second
    assert "refunds" not in organiser.data("/payments")[0]
    assert organiser.data("/payments?include=refunds")[0]["refunds"] == second["refunds"]
    (listed,) = organiser.data(f"/invoices/{payment['invoice_id']}?include=payments")["payments"]
    assert listed["refunds"] == second["refunds"]


def test_a_deleted_refund_makes_the_payment_count_again(organiser, pay, refund, db):
    payment = pay()
    whole = refund(payment)
    assert organiser.data(f"/invoices/{payment['invoice_id']}")["paid_amount"] == 0
    (entry,) = whole["refunds"]
    path = f"/payments/{payment['id']}/refunds/{entry['id']}"
    assert organiser.delete(path, headers={"If-Match": '"another"'}).status_int == 412
    assert organiser.delete(path, status=204).body == b""
    now = organiser.data(f"/payments/{payment['id']}")
    assert (now["status"], now["refunded_amount"], now["refunds"]) == ("completed", 0, [])
    assert organiser.data(f"/invoices/{payment['invoice_id']}")["status"] == "paid"
    organiser.delete(path, status=404)
    organiser.delete(
        f"/payments/{pay()['id']}/refunds/{refund(payment, amount=1)['refunds'][0]['id']}",
        status=404,
    )
    (event,) = events(db, "payment.refund_deleted")
    assert event["refund"] == entry and event["refunds"] == [] and event["id"] == payment["id"]
    actions = [row["action"] for row in organiser.data("/audit-log?entity_type=payment&order=ASC")]
    assert actions == ["created", "refunded", "refund_deleted", "created", "refunded"]


def test_the_event_of_a_refund_carries_it(organiser, pay, refund, db):
    payment = pay()
    part = refund(payment, amount=19)
    put = organiser.put(
        f"/payments/{payment['id']}", {**part, "status": "refunded"}, status=200
    ).json["data"]
    first, second = events(db, "payment.refunded")
    assert (first["refund"], first["refunded_amount"]) == (part["refunds"][0], 19)
    assert (second["refund"], second["refund"]["amount"]) == (put["refunds"][1], 100)
    assert second["status"] == "refunded"
    listed = {
        entry["type"]: entry["example"]["data"] for entry in organiser.data("/webhooks/events")
    }
    for name in ("payment.refunded", "payment.refund_deleted"):
        assert (
            listed[name].keys() == first.keys()
            and listed[name]["refund"].keys() == first["refund"].keys()
        )


@pytest.mark.parametrize(
    "payment_date, refunded_at, code",
    [
        ("2026-05-04", "2026-05-03", "before_payment"),
        ("2026-05-04", "2026-05-04", None),
        ("2026-05-04", "2026-05-03T22:00:00Z", None),
        ("2026-05-04", "2026-05-03T21:59:59Z", "before_payment"),
        ("2026-05-04T10:00:00Z", "2026-05-04", None),
        ("2026-05-04T10:00:00Z", "2026-05-04T09:59:59Z", "before_payment"),
        ("2026-05-04T23:00:00Z", "2026-05-04", "before_payment"),  # the 5th in Berlin
        ("2026-05-04T10:00:00Z", "2026-05-04T10:00:00Z", None),
        (None, "2026-05-04", "before_payment"),
    ],
)
def test_a_refund_is_not_before_its_payment(organiser, pay, payment_date, refunded_at, code):
    payment = pay(**({"payment_date": payment_date} if payment_date else {}))
    answer = organiser.post(
        f"/payments/{payment['id']}/refund",
        {"refunded_at": refunded_at},
        status=422 if code else 200,
    )
    assert not code or faults(answer) == [("/refunded_at", code)]


def test_a_refund_is_not_in_the_future(organiser, pay, monkeypatch):
    payment = pay(payment_date="2026-05-04")
    monkeypatch.setattr(times, "now", lambda: "2026-11-20T22:30:00Z")
    path = f"/payments/{payment['id']}/refund"
    for moment in ("2026-11-20T22:30:01Z", "2026-11-21"):
        assert faults(organiser.post(path, {"refunded_at": moment}, status=422)) == [
            ("/refunded_at", "future")
        ]
    monkeypatch.setattr(times, "now", lambda: "2026-11-20T23:00:00Z")
    organiser.post(path, {"refunded_at": "2026-11-21"}, status=200)


def test_all_faults_of_a_refund_are_reported_at_once(organiser, pay):
    path = f"/payments/{pay()['id']}/refund"
    answer = organiser.post(path, {"amount": 1.001, "refunded_at": "2026-02-03"}, status=422)
    assert faults(answer) == [("/amount", "decimals"), ("/refunded_at", "before_payment")]
    assert (
        faults(organiser.post(path, {"refunded_at": "2026-02-30"}, status=422))[0][0]
        == "/refunded_at"
    )


def test_a_payment_of_tomorrow_can_be_refunded(pay, refund):
    payment = pay(payment_date=in_days(1))
    assert refund(payment)["refunds"][0]["refunded_at"] == in_days(1)


def test_a_payment_is_not_dated_after_its_refund(organiser, pay, refund):
    payment = pay(payment_date="2026-05-04")
    refund(payment, amount=1, refunded_at="2026-05-06")
    path = f"/payments/{payment['id']}"
    answer = organiser.patch(path, {"payment_date": "2026-05-07"}, status=422)
    assert faults(answer) == [("/payment_date", "after_refund")]
    organiser.patch(path, {"payment_date": "2026-05-06"}, status=200)
    assert faults(organiser.patch(path, {"payment_date": None}, status=422)) == [
        ("/payment_date", "after_refund")
    ]


def test_a_refund_that_a_gateway_reports_twice_counts_once(organiser, pay, refund):
    payment, other = pay(gateway_key="card"), pay(gateway_key="bank")
    first = refund(payment, amount=19, transaction_id="r-1")
    answer = organiser.post(
        f"/payments/{payment['id']}/refund", {"amount": 19, "transaction_id": "r-1"}, status=409
    )
    assert (answer.json["code"], answer.json["refund_id"]) == (
        "duplicate",
        first["refunds"][0]["id"],
    )
    refund(other, amount=19, transaction_id="r-1")
    answer = organiser.patch(f"/payments/{other['id']}", {"gateway_key": "card"}, status=409)
    assert answer.json["code"] == "duplicate"
    refund(payment)
    answer = organiser.post(
        f"/payments/{payment['id']}/refund", {"transaction_id": "r-1"}, status=409
    )
    assert answer.json["code"] == "duplicate"
    assert organiser.data(f"/payments/{payment['id']}")["refunded_amount"] == 119


def test_a_repeated_request_with_its_key_refunds_once(organiser, pay):
    path, key = f"/payments/{pay()['id']}/refund", {"Idempotency-Key": "once"}
    first = organiser.post(path, {"amount": 19}, headers=key, status=200)
    again = organiser.post(path, {"amount": 19}, headers=key, status=200)
    assert (
        again.json["data"] == first.json["data"] and again.headers["Idempotency-Replayed"] == "true"
    )
    assert len(first.json["data"]["refunds"]) == 1


def test_refunds_at_once_never_exceed_the_payment(organiser, pay):
    payment, answers = pay(100), []

    def give_back():
        for _ in range(4):
            answers.append(
                organiser.post(f"/payments/{payment['id']}/refund", {"amount": 15}).status_int
            )

    threads = [Thread(target=give_back) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200] * 6 + [409] * 10
    kept = organiser.data(f"/payments/{payment['id']}")
    assert (kept["refunded_amount"], [entry["amount"] for entry in kept["refunds"]]) == (
        90,
        [15] * 6,
    )


def test_a_payment_is_deleted_with_its_refunds(organiser, pay, refund, invoice):
    sent = invoice()
    payment = pay(invoice_number=sent["invoice_number"])
    refund(payment)
    organiser.post(
        f"/invoices/{sent['id']}/credit",
        {"items": [{"description": "Stand", "quantity": 1, "unit_price": 100}]},
        status=201,
    )
    assert organiser.data(f"/invoices/{sent['id']}")["status"] == "refunded"
    organiser.delete(f"/payments/{payment['id']}", status=204)
    assert organiser.data(f"/invoices/{sent['id']}")["status"] == "cancelled"


def test_an_invoice_credited_in_full_and_never_paid_is_cancelled(organiser, invoice, db):
    sent = invoice()
    organiser.post(
        f"/invoices/{sent['id']}/credit",
        {"items": [{"description": "Stand", "quantity": 1, "unit_price": 100}]},
        status=201,
    )
    assert organiser.data(f"/invoices/{sent['id']}")["status"] == "cancelled"
    assert [invoice["id"] for invoice in organiser.data("/invoices?status=cancelled")] == [
        sent["id"]
    ]
    body = {"invoice_number": sent["invoice_number"], "amount": 1}
    assert organiser.post("/payments", body, status=409).json["code"] == "invoice_not_payable"
    assert len(events(db, "invoice.cancelled")) == 1 and not events(db, "invoice.refunded")


def test_a_refund_of_a_cancelled_invoice_can_be_deleted(organiser, invoice, pay, refund, db):
    """The money was not given back after all: it is owed to the customer."""
    sent = invoice()
    payment = pay(invoice_number=sent["invoice_number"])
    (entry,) = refund(payment)["refunds"]
    organiser.post(f"/invoices/{sent['id']}/cancel", status=200)
    assert organiser.data(f"/invoices/{sent['id']}")["status"] == "cancelled"
    organiser.delete(f"/payments/{payment['id']}/refunds/{entry['id']}", status=204)
    after = organiser.data(f"/invoices/{sent['id']}")
    assert (after["status"], after["open_amount"]) == ("paid", -119)
    refund(payment)
    assert organiser.data(f"/invoices/{sent['id']}")["status"] == "refunded"


def test_a_moved_payment_counts_where_it_was(organiser, invoice, pay, refund, monkeypatch):
    """A payment of January moves in March, after a part of it was refunded in February."""

    def at(day):
        monkeypatch.setattr(times, "now", lambda: f"{day}T10:00:00Z")

    def open_amounts(day):
        rows = organiser.data(f"/reports/receivables?as_of={day}")["data"]["rows"]
        return {row["bucket"]: row["amount"] for row in rows if row["amount"]}

    at("2026-01-10")
    first, second = invoice(due_date="2026-01-20"), invoice(due_date="2026-06-30")
    payment = pay(invoice_number=first["invoice_number"])
    at("2026-02-10")
    refund(payment, amount=19)
    days = {
        "2026-01-31": {"not_due": 119},
        "2026-02-28": {"31-60": 19, "not_due": 119},
        "2026-03-31": {"61-90": 119, "not_due": 19},
    }
    at("2026-03-10")
    organiser.patch(
        f"/payments/{payment['id']}", {"invoice_number": second["invoice_number"]}, status=200
    )
    assert {day: open_amounts(day) for day in days} == days
    path = f"/payments/{payment['id']}"
    organiser.patch(path, {"payment_date": "2026-01-31"}, status=200)
    assert {day: open_amounts(day) for day in days} == days
    organiser.delete(f"{path}/refunds/{organiser.data(path)['refunds'][0]['id']}", status=204)
    at("2026-03-20")
    organiser.patch(path, {"payment_date": "2026-03-15"}, status=200)  # after the move
    assert open_amounts("2026-02-28") == {"31-60": 119, "not_due": 119}
    assert open_amounts("2026-03-31") == {"61-90": 119}


def test_a_payment_in_the_wrong_currency_is_corrected_from_its_date_on(organiser, invoice, pay):
    first, second, yen = invoice(), invoice(), invoice(currency="JPY", exchange_rate=0.006)
    payment = pay(invoice_number=first["invoice_number"], payment_date=in_days(-3))
    path = f"/payments/{payment['id']}"
    organiser.patch(path, {"invoice_number": second["invoice_number"]}, status=200)
    organiser.patch(
        path,
        {"invoice_number": yen["invoice_number"], "currency": "JPY", "amount": 119},
        status=200,
    )
    received = organiser.data(f"/reports/payments?date_from={in_days(-3)}&date_to={in_days(-3)}")[
        "data"
    ]["totals"]
    assert [(row["currency"], row["received"]) for row in received] == [("JPY", 119)]
    rows = organiser.data(f"/reports/receivables?as_of={in_days(0)}")["data"]["totals"]
    assert [(row["currency"], row["amount"]) for row in rows] == [("EUR", 238)]


def test_an_invoice_whose_payment_moved_away_was_never_paid(organiser, invoice, pay):
    first, second = invoice(), invoice()
    payment = pay(invoice_number=first["invoice_number"])
    organiser.post(
        f"/invoices/{first['id']}/credit",
        {"items": [{"description": "Stand", "quantity": 1, "unit_price": 100}]},
        status=201,
    )
    organiser.patch(
        f"/payments/{payment['id']}", {"invoice_number": second["invoice_number"]}, status=200
    )
    assert organiser.data(f"/invoices/{first['id']}")["status"] == "cancelled"
    assert organiser.data(f"/invoices/{second['id']}")["status"] == "paid"


def test_notes_of_refunds_about_an_anonymised_contact_are_refused(organiser, pay):
    payment = pay()
    contact = organiser.data(f"/invoices/{payment['invoice_id']}")["contact_id"]
    organiser.post(f"/contacts/{contact}/anonymize", status=200)
    path = f"/payments/{payment['id']}"
    assert (
        organiser.post(f"{path}/refund", {"amount": 1, "notes": "x"}, status=409).json["code"]
        == "anonymized"
    )
    assert organiser.patch(path, {"notes": "x"}, status=409).json["code"] == "anonymized"
    organiser.post(f"{path}/refund", {"amount": 1}, status=200)


# Dates as they were given


@pytest.mark.parametrize(
    "given, day",
    [
        ("2026-09-01", "2026-09-01"),
        ("2026-08-31T23:30:00Z", "2026-09-01"),
        ("2026-09-01T00:30:00+02:00", "2026-09-01"),
        ("2026-09-01T08:00:00", "2026-09-01"),
    ],
)
def test_dates_are_returned_as_given_and_days_in_csv(organiser, pay, refund, given, day):
    payment = pay(payment_date=given)
    assert (
        payment["payment_date"] == given and organiser.data("/payments")[0]["payment_date"] == given
    )
    assert refund(payment, refunded_at=given)["refunds"][0]["refunded_at"] == given
    for path, prefix in (
        ("/payments?include=refunds", ""),
        ("/invoices?include=payments", "payments."),
    ):
        text = organiser.get(path, headers={"Accept": "text/csv"}, status=200).text
        (row,) = csv.DictReader(io.StringIO(text))
        assert (row[f"{prefix}payment_date"], row[f"{prefix}refunds.refunded_at"]) == (day, day)
    assert (
        organiser.data("/payments?date_from=2026-09-01&date_to=2026-09-01")[0]["id"]
        == payment["id"]
    )
    assert (
        organiser.data("/payments?date_to=2026-08-31")
        == organiser.data("/payments?date_from=2026-09-02")
        == []
    )


def test_an_invoice_documents_the_fields_of_its_payments():
    invoice, payment = (schema_files.document(name) for name in ("invoice", "payment"))
    own = {
        field: sub.get("type")
        for field, sub in payment["properties"].items()
        if sub.get("x-include") != "always"
    }
    assert {
        field: sub["type"] for field, sub in invoice["$defs"]["payment"]["properties"].items()
    } == own
    assert (
        invoice["$defs"]["refund"]["properties"] == payment["$defs"]["refund_record"]["properties"]
    )


def test_a_completed_payment_is_dated_tomorrow_at_the_latest(organiser, invoice, pay):
    body = {"invoice_number": invoice()["invoice_number"], "amount": 1}
    organiser.make("/payments", {**body, "payment_date": in_days(1)})
    answer = organiser.post("/payments", {**body, "payment_date": in_days(2)}, status=422)
    assert faults(answer) == [("/payment_date", "future")]
    expected = organiser.make(
        "/payments", {**body, "payment_date": in_days(2), "status": "pending"}
    )
    path = f"/payments/{expected['id']}"
    assert faults(organiser.post(f"{path}/complete", status=422)) == [("/payment_date", "future")]
    assert faults(organiser.patch(path, {"status": "completed"}, status=422)) == [
        ("/payment_date", "future")
    ]
    organiser.patch(path, {"status": "completed", "payment_date": in_days(0)}, status=200)
    assert faults(organiser.patch(path, {"payment_date": in_days(2)}, status=422)) == [
        ("/payment_date", "future")
    ]


def test_an_old_payment_dated_in_the_future_can_still_be_changed(organiser, pay, db):
    payment = pay()
    db.connection.execute(
        "UPDATE payments SET payment_date = '2999-01-01', payment_date_at = '2998-12-31T23:00:00Z'"
    )
    organiser.patch(f"/payments/{payment['id']}", {"notes": "typing error"}, status=200)
    organiser.patch(f"/payments/{payment['id']}", {"payment_date": "2026-01-01"}, status=200)


def warnings(organiser, payment, **body):
    path = f"/payments/{payment['id']}/refund"
    return organiser.post(path, body, status=200).json["meta"]["warnings"]


def test_a_refund_that_makes_the_customer_a_debtor_again_is_named(organiser, pay):
    payment = pay()
    (warning,) = warnings(organiser, payment, amount=20)
    assert (warning["code"], warning["invoice_id"], warning["open_amount"]) == (
        "reopens_invoice",
        payment["invoice_id"],
        20,
    )
    assert payment["invoice_number"] in warning["detail"] and "EUR 20.00" in warning["detail"]
    # it is open already
    assert warnings(organiser, payment, amount=20) == []


def test_a_refund_of_a_credit_reopens_nothing(organiser, pay):
    """Neither does one of what was paid too much."""
    payment = pay(150)
    assert warnings(organiser, payment, amount=31) == []
    invoice = payment["invoice_id"]
    organiser.post(f"/invoices/{invoice}/credit", {"whole": True}, status=201)
    assert warnings(organiser, payment) == []
    assert organiser.data(f"/invoices/{invoice}")["status"] == "refunded"
