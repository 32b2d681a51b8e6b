"""Write-offs of invoices, and what later payments recover of them."""

import json
from decimal import Decimal

import pytest

from eventapi import times
from eventapi.domain.upkeep import checks
from tests.support import camt
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
def old(invoice):
    """Return a function that takes over an invoice for 119 that another system sent on 2026-01-10."""

    def make(number="OLD-1"):
        return invoice(invoice_number=number, issue_date="2026-01-10", due_date="2099-12-31")

    return make


@pytest.fixture
def write_off(organiser):
    """Return a function that writes off an amount of an invoice and returns the invoice."""

    def make(invoice, amount=None, status=201, **body):
        answer = organiser.post(
            f"/invoices/{invoice['id']}/write-offs",
            {"reason": "Insolvent", "amount": amount, **body},
            status=status,
        )
        return answer.json.get("data") or answer.json

    return make


@pytest.fixture
def pay(organiser):
    def make(invoice, amount, **fields):
        return organiser.make(
            "/payments", {"invoice_number": invoice["invoice_number"], "amount": amount, **fields}
        )

    return make


@pytest.fixture
def now(organiser):
    """Return a function that returns status, written_off, paid_amount and open_amount of an
    invoice.
    """

    def read(invoice):
        found = organiser.data(f"/invoices/{invoice['id']}")
        assert found["written_off"] == pytest.approx(
            sum(one["amount"] for one in found["write_offs"])
        )
        return tuple(
            found[name] for name in ("status", "written_off", "paid_amount", "open_amount")
        )

    return read


def entries(invoice):
    return [(one["kind"], one["amount"], one["written_off_at"]) for one in invoice["write_offs"]]


def events(db, entity_type="invoice"):
    return [
        row[0]
        for row in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = ? ORDER BY id", [entity_type]
        )
    ]


def faults(problem):
    return [(entry["pointer"], entry["code"]) for entry in problem["errors"]]


def test_what_is_open_is_written_off(organiser, invoice, write_off, now, db):
    sent = invoice()
    assert (sent["written_off"], sent["write_offs"]) == (0, [])
    done = write_off(sent)
    (kept,) = done["write_offs"]
    today = times.today("Europe/Berlin")
    assert kept == {
        "id": kept["id"],
        "kind": "write_off",
        "amount": 119,
        "reason": "Insolvent",
        "written_off_at": today,
        "payment_id": None,
    }
    assert now(sent) == ("written_off", 119, 0, 0)
    assert organiser.data(f"/invoices/{sent['id']}") == done
    assert [one["id"] for one in organiser.data("/invoices?status=written_off")] == [sent["id"]]
    assert "write_offs" not in organiser.data("/invoices")[0]
    assert organiser.data("/invoices?include=write_offs")[0]["write_offs"] == done["write_offs"]
    assert events(db)[-1] == "invoice.written_off"
    entry = organiser.data("/audit-log?entity_type=invoice&sort=id&order=desc")[0]
    assert (entry["action"], entry["new_values"]["written_off"]) == ("written_off", 119)


def test_the_rest_of_a_paid_invoice_is_written_off_and_the_invoice_is_paid(
    invoice, write_off, pay, now, db
):
    sent = invoice()
    pay(sent, 100)
    write_off(sent, 9)
    assert now(sent) == ("partially_paid", 9, 100, 10)
    write_off(sent)
    assert now(sent) == ("paid", 19, 100, 0) and events(db)[-2:] == [
        "invoice.written_off",
        "invoice.paid",
    ]


def test_a_write_off_is_refused_where_nothing_is_owed(organiser, invoice, write_off, old, pay):
    sent = invoice()
    assert write_off(sent, 119.01, status=409)["code"] == "exceeds_invoice"
    assert write_off(sent, 1.001, status=422)["errors"][0]["code"] == "decimals"
    assert faults(write_off(sent, written_off_at=in_days(2), status=422)) == [
        ("/written_off_at", "future")
    ]
    assert faults(write_off(old(), written_off_at="2026-01-09", status=422)) == [
        ("/written_off_at", "before_issue")
    ]
    assert faults(organiser.post(f"/invoices/{sent['id']}/write-offs", {}, status=422).json) == [
        ("/reason", "required")
    ]
    pay(sent, 119)
    assert write_off(sent, status=409)["code"] == "exceeds_invoice"
    cancelled = invoice()
    note = organiser.post(f"/invoices/{cancelled['id']}/cancel", status=200).json["data"][
        "related_invoice_id"
    ]
    draft = organiser.make(
        "/invoices",
        {
            "contact_id": sent["contact_id"],
            "items": [{"description": "Stand", "quantity": 1, "unit_price": 100}],
        },
    )
    for other in (cancelled, {"id": note}, draft):
        assert write_off(other, 1, status=409)["code"] == "invalid_transition"


def test_an_invoice_that_was_written_off_is_neither_cancelled_nor_credited(
    organiser, invoice, write_off
):
    sent, part = invoice(), invoice()
    write_off(sent)
    write_off(part, 19)
    item = {"description": "Stand", "quantity": 1, "unit_price": 10}
    for path, body in (
        (f"/invoices/{sent['id']}/cancel", {}),
        (f"/invoices/{sent['id']}/credit", {"items": [item]}),
        (f"/invoices/{part['id']}/cancel", {}),
        (f"/invoices/{part['id']}/credit", {"items": [{**item, "unit_price": 100}]}),
    ):
        assert organiser.post(path, body, status=409).json["code"] == "has_write_offs"
    actions = organiser.data(f"/invoices/{sent['id']}?include=allowed_actions")["allowed_actions"]
    assert not {"cancel", "credit", "write_off", "remind"} & set(actions)
    organiser.post(f"/invoices/{part['id']}/credit", {"items": [item]}, status=201)


def test_a_write_off_is_taken_back(organiser, invoice, write_off, now, db):
    sent = invoice()
    done = write_off(sent)
    path = f"/invoices/{sent['id']}/write-offs/{done['write_offs'][0]['id']}"
    organiser.delete(path, headers={"If-Match": '"other"'}, status=412)
    tag = organiser.get(f"/invoices/{sent['id']}", status=200).headers["ETag"]
    organiser.delete(path, headers={"If-Match": tag}, status=204)
    assert now(sent) == ("sent", 0, 0, 119) and events(db)[-1] == "invoice.write_off_deleted"
    organiser.delete(path, status=404)


def test_a_repeated_request_writes_off_once(organiser, invoice, now):
    sent = invoice()
    for _ in range(2):
        organiser.post(
            f"/invoices/{sent['id']}/write-offs",
            {"reason": "Lost", "amount": 50},
            status=201,
            headers={"Idempotency-Key": "write-off-1"},
        )
    assert now(sent) == ("sent", 50, 0, 69)


def test_a_later_payment_recovers_what_was_written_off(organiser, old, write_off, pay, now):
    sent = old()
    write_off(sent, written_off_at="2026-03-01")
    late = pay(sent, 40, payment_date="2026-04-10")
    assert now(sent) == ("paid", 79, 40, 0)
    early = pay(sent, 100, payment_date="2026-02-10")
    assert now(sent) == ("paid", 0, 140, -21)
    assert entries(organiser.data(f"/invoices/{sent['id']}")) == [
        ("write_off", 119, "2026-03-01"),
        ("recovery", -40, "2026-04-10"),
        ("recovery", -79, "2026-03-01"),
    ]
    write_off_ids = [one["id"] for one in organiser.data(f"/invoices/{sent['id']}")["write_offs"]]
    refused = organiser.delete(
        f"/invoices/{sent['id']}/write-offs/{write_off_ids[1]}", status=409
    ).json
    assert refused["code"] == "invalid_transition"
    organiser.post(f"/payments/{late['id']}/refund", {}, status=200)
    assert now(sent) == ("partially_paid", 0, 100, 19)
    organiser.delete(f"/payments/{early['id']}", status=204)
    assert now(sent) == ("sent", 79, 0, 40)


def test_a_recovery_follows_its_payment(organiser, old, write_off, pay, now):
    sent, other = old(), old("OLD-2")
    write_off(sent, written_off_at="2026-03-01")
    payment = pay(sent, 119, payment_date="2026-04-10")
    path = f"/payments/{payment['id']}"
    assert now(sent) == ("paid", 0, 119, 0)
    organiser.patch(path, {"amount": 19}, status=200)
    assert now(sent) == ("paid", 100, 19, 0)
    organiser.patch(path, {"payment_date": "2026-05-05"}, status=200)
    assert entries(organiser.data(f"/invoices/{sent['id']}"))[1:] == [
        ("recovery", -19, "2026-05-05")
    ]
    organiser.patch(path, {"invoice_number": other["invoice_number"]}, status=200)
    assert now(sent) == ("written_off", 119, 0, 0) and now(other) == ("partially_paid", 0, 19, 100)
    organiser.delete(path, status=204)
    assert now(sent) == ("written_off", 119, 0, 0) and now(other) == ("sent", 0, 0, 119)
    pending = pay(sent, 119, status="pending")
    assert now(sent) == ("written_off", 119, 0, 0)
    organiser.post(f"/payments/{pending['id']}/complete", status=200)
    assert now(sent) == ("paid", 0, 119, 0)


def test_another_payment_recovers_more_when_the_first_is_deleted(
    organiser, old, write_off, pay, now
):
    sent = old()
    write_off(sent)
    first = pay(sent, 60)
    pay(sent, 60)
    assert now(sent) == ("paid", 0, 120, -1)
    organiser.delete(f"/payments/{first['id']}", status=204)
    assert now(sent) == ("paid", 59, 60, 0)


def test_a_write_off_that_was_recovered_in_part_is_taken_back(organiser, old, write_off, pay, now):
    sent = old()
    write_off_id = write_off(sent, 100)["write_offs"][0]["id"]
    write_off(sent, 19)
    pay(sent, 60)
    assert now(sent) == ("paid", 59, 60, 0)
    organiser.delete(f"/invoices/{sent['id']}/write-offs/{write_off_id}", status=204)
    assert now(sent) == ("partially_paid", 0, 60, 59)


def test_closed_months_keep_their_write_offs(organiser, old, write_off, pay, now):
    sent = old()
    done = write_off(sent, 100, written_off_at="2026-02-10")
    payment = pay(sent, 60, payment_date="2026-03-10")
    other = old("OLD-2")
    organiser.post("/reports/periods/2026-03/close", status=200)
    before = organiser.data("/reports/ledger?year=2026&month=3")["data"]
    path = f"/invoices/{sent['id']}/write-offs"
    assert write_off(other, 1, written_off_at="2026-03-31", status=409)["code"] == "period_closed"
    assert (
        organiser.delete(f"{path}/{done['write_offs'][0]['id']}", status=409).json["code"]
        == "period_closed"
    )
    organiser.patch(
        f"/payments/{payment['id']}", {"invoice_number": other["invoice_number"]}, status=200
    )
    assert now(sent) == ("sent", 100, 0, 19) and now(other) == ("partially_paid", 0, 60, 59)
    assert organiser.data("/reports/ledger?year=2026&month=3")["data"] == before


def test_the_ledger_and_the_receivables_count_a_write_off_on_its_day(
    organiser, old, write_off, pay
):
    sent = old()
    write_off(sent, 100, written_off_at="2026-03-01")
    pay(sent, 30, payment_date="2026-04-10")
    row = organiser.data("/reports/ledger?year=2026&month=3")["data"]["rows"][0]
    assert (row["opening_balance"], row["written_off"], row["closing_balance"]) == (119, 100, 19)
    whole = organiser.data("/reports/ledger?year=2026")["data"]
    assert whole["proof"]["agrees"] is True
    assert (whole["totals"][0]["written_off"], whole["totals"][0]["closing_balance"]) == (89, 0)
    account = organiser.data(f"/reports/ledger/{sent['customer_number']}")["data"]["accounts"][0]
    assert [
        (one["date"], one["type"], one["amount"], one["balance"]) for one in account["movements"]
    ] == [
        ("2026-01-10", "invoice", 119, 119),
        ("2026-03-01", "write_off", -100, 19),
        ("2026-04-10", "payment", -30, -11),
        ("2026-04-10", "recovery", 11, 0),
    ]
    for day, owed in (("2026-02-28", 119), ("2026-03-01", 19), ("2026-04-10", 0)):
        rows = organiser.data(f"/reports/receivables?as_of={day}")["data"]
        rows = rows["rows"] if isinstance(rows, dict) else rows
        assert sum(row["amount"] for row in rows) == owed, day


def test_the_reason_is_erased_with_the_customer(organiser, invoice, write_off, db):
    sent = invoice()
    write_off(sent, 19, reason="Max Muster has died")
    organiser.post(f"/contacts/{sent['contact_id']}/anonymize", {"force": True}, status=200)
    assert organiser.data(f"/invoices/{sent['id']}")["write_offs"][0]["reason"] is None
    assert write_off(sent)["write_offs"][1]["reason"] is None
    assert "Max Muster" not in json.dumps(
        [list(row) for row in db.connection.execute("SELECT old_values, new_values FROM audit_log")]
    )


def test_a_proposal_names_the_tolerance_once(organiser, app, old):
    app.app.settings.payment_tolerance = Decimal("0.05")
    old("R-2026-00017")
    entry = {"amount": 11895, "day": "2026-05-04", "text": "R-2026-00017"}
    organiser(
        "POST",
        "/payments/import",
        headers={"Content-Type": "application/xml"},
        status=201,
        raw=camt.document([camt.statement("DE02120300000000202051", [entry])]),
    )
    (transfer,) = organiser.data("/payments/unmatched")
    (proposal,) = transfer["proposals"]
    assert proposal["is_exact"]
    assert proposal["reasons"] == ["number", "tolerance"]


@pytest.mark.parametrize(
    "cents, shown",
    [
        (11895, ("paid", 0.05, 118.95, 0)),
        (11894, ("sent", 0, 0, 119)),
        (11905, ("sent", 0, 0, 119)),
    ],
)
def test_a_transfer_that_lacks_a_few_cents_pays_the_invoice(organiser, app, old, now, cents, shown):
    app.app.settings.payment_tolerance = Decimal("0.05")
    sent = old("R-2026-00017")
    entry = {"amount": cents, "day": "2026-05-04", "text": "R-2026-00017"}
    organiser(
        "POST",
        "/payments/import?auto=exact",
        headers={"Content-Type": "application/xml"},
        status=201,
        raw=camt.document([camt.statement("DE02120300000000202051", [entry])]),
    )
    assert now(sent) == shown
    if shown[0] == "paid":
        (payment,) = organiser.data("/payments")
        (kept,) = organiser.data(f"/invoices/{sent['id']}")["write_offs"]
        assert (kept["kind"], kept["payment_id"]) == ("tolerance", payment["id"])
        assert kept["written_off_at"] == payment["payment_date"]
        organiser.delete(f"/payments/{payment['id']}", status=204)
        assert now(sent) == ("sent", 0, 0, 119)
