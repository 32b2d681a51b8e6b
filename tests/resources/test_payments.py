"""Payments."""

from itertools import groupby
from threading import Thread
from urllib.parse import quote

import pytest

from eventapi import money
from eventapi.domain.billing import balance, gateways


@pytest.fixture
def buyer(organiser):
    return organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
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

    def make(**members):
        return organiser.make(
            "/invoices",
            {
                "contact_id": buyer["id"],
                **members,
                "items": members.get("items")
                or [{"description": "Row stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}],
            },
        )

    return make


@pytest.fixture
def sent(organiser, draft):
    """Return a function that creates and sends an invoice."""

    def make(**members):
        return organiser.post(f"/invoices/{draft(**members)['id']}/send", status=200).json["data"]

    return make


@pytest.fixture
def pay(organiser, sent):
    """Return a function that records a payment, on a new invoice for 119 unless one is given."""

    def make(amount=19, **members):
        number = members.pop("invoice_number", None) or sent()["invoice_number"]
        return organiser.make("/payments", {"invoice_number": number, "amount": amount, **members})

    return make


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert balance.check(db) == []


def state(client, invoice_id):
    invoice = client.data(f"/invoices/{invoice_id}")
    return invoice["status"], invoice["paid_amount"], invoice["open_amount"]


def fault(answer):
    """Return (pointer, code) of each fault."""
    return [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]]


def test_a_payment_is_recorded_read_changed_and_deleted(organiser, sent):
    invoice = sent()
    payment = organiser.make(
        "/payments", {"invoice_number": invoice["invoice_number"], "amount": 19.5}
    )
    assert (payment["status"], payment["currency"], payment["amount"]) == ("completed", "EUR", 19.5)
    assert (payment["invoice_id"], payment["gateway_fee"], payment["net_amount"]) == (
        invoice["id"],
        0,
        19.5,
    )
    assert payment["payment_date"] == payment["created_at"]
    assert organiser.data(f"/payments/{payment['id']}") == payment
    changed = organiser.patch(f"/payments/{payment['id']}", {"notes": "cash"}, status=200).json[
        "data"
    ]
    assert changed == {**payment, "notes": "cash", "updated_at": changed["updated_at"]}
    organiser.delete(f"/payments/{payment['id']}", status=204)
    organiser.get(f"/payments/{payment['id']}", status=404)


def test_payments_determine_the_status_of_the_invoice(organiser, sent, pay):
    invoice = sent()
    first = pay(19, invoice_number=invoice["invoice_number"])
    assert state(organiser, invoice["id"]) == ("partially_paid", 19, 100)
    pay(100, invoice_number=invoice["invoice_number"])
    assert state(organiser, invoice["id"]) == ("paid", 119, 0)
    organiser.delete(f"/payments/{first['id']}", status=204)
    assert state(organiser, invoice["id"]) == ("partially_paid", 100, 19)


def test_overpaying_is_recorded(organiser, pay):
    payment = pay(200)
    assert state(organiser, payment["invoice_id"]) == ("paid", 200, -81)


def test_only_completed_payments_count(organiser, sent, pay):
    invoice = sent()
    pending = pay(50, invoice_number=invoice["invoice_number"], status="pending")
    pay(60, invoice_number=invoice["invoice_number"], status="failed")
    assert state(organiser, invoice["id"]) == ("sent", 0, 119)
    organiser.patch(f"/payments/{pending['id']}", {"status": "completed"}, status=200)
    assert state(organiser, invoice["id"]) == ("partially_paid", 50, 69)


def test_a_payment_can_be_created_pending_completed_or_failed(organiser, sent):
    number = sent()["invoice_number"]
    for status in ("refunded", "cancelled"):
        answer = organiser.post(
            "/payments", {"invoice_number": number, "amount": 1, "status": status}, status=422
        )
        assert fault(answer) == [("/status", "enum")]


@pytest.mark.parametrize(
    "action, status", [("complete", "completed"), ("fail", "failed"), ("cancel", "cancelled")]
)
def test_a_pending_payment_can_become(organiser, pay, action, status):
    payment = pay(status="pending")
    address = f"/payments/{payment['id']}"
    assert organiser.data(address + "?include=allowed_actions")["allowed_actions"] == [
        "complete",
        "fail",
        "cancel",
    ]
    assert organiser.post(f"{address}/{action}", status=200).json["data"]["status"] == status
    again = organiser.post(f"{address}/{action}", status=200).json["data"]
    assert again["status"] == status


def test_final_states_cannot_change(organiser, pay):
    payment = pay(status="failed")
    answer = organiser.patch(f"/payments/{payment['id']}", {"status": "completed"}, status=409)
    assert (answer.json["code"], answer.json["allowed_from"]) == ("invalid_transition", ["pending"])
    answer = organiser.patch(f"/payments/{payment['id']}", {"amount": 7}, status=409)
    assert (answer.json["code"], answer.json["members"]) == ("payment_locked", ["amount"])
    organiser.patch(f"/payments/{payment['id']}", {"notes": "card expired"}, status=200)


def test_a_payment_is_refunded_in_parts(organiser, pay):
    payment = pay(119)
    address = f"/payments/{payment['id']}"
    part = organiser.post(f"{address}/refund", {"amount": 19}, status=200).json["data"]
    assert (part["status"], part["refunded_amount"], part["amount"]) == ("completed", 19, 119)
    assert state(organiser, payment["invoice_id"]) == ("partially_paid", 100, 19)
    answer = organiser.post(f"{address}/refund", {"amount": 100.01}, status=409)
    assert (answer.json["code"], answer.json["left"]) == ("exceeds_payment", 100)
    rest = organiser.post(f"{address}/refund", {"amount": 100}, status=200).json["data"]
    assert (rest["status"], rest["refunded_amount"]) == ("refunded", 119)
    assert state(organiser, payment["invoice_id"]) == ("sent", 0, 119)
    assert organiser.post(f"{address}/refund", status=200).json["data"] == rest
    assert (
        organiser.post(f"{address}/refund", {"amount": 1}, status=409).json["code"]
        == "exceeds_payment"
    )


def test_a_refund_without_amount_refunds_the_rest(organiser, pay):
    payment = pay(119)
    organiser.post(f"/payments/{payment['id']}/refund", {"amount": 19}, status=200)
    rest = organiser.post(f"/payments/{payment['id']}/refund", status=200).json["data"]
    assert (rest["status"], rest["refunded_amount"]) == ("refunded", 119)


def test_setting_status_refunded_refunds_the_whole_payment(organiser, pay):
    payment = pay(119)
    put = organiser.put(
        f"/payments/{payment['id']}", {**payment, "status": "refunded"}, status=200
    ).json["data"]
    assert (put["status"], put["refunded_amount"]) == ("refunded", 119)
    assert state(organiser, payment["invoice_id"]) == ("sent", 0, 119)


def test_a_payment_that_is_not_completed_cannot_be_refunded(organiser, pay):
    answer = organiser.post(
        f"/payments/{pay(status='pending')['id']}/refund", {"amount": 1}, status=409
    )
    assert (answer.json["code"], answer.json["allowed_from"]) == (
        "invalid_transition",
        ["completed"],
    )


def test_the_amount_cannot_be_less_than_the_refunds(organiser, pay):
    payment = pay(100)
    organiser.post(f"/payments/{payment['id']}/refund", {"amount": 40}, status=200)
    assert fault(organiser.patch(f"/payments/{payment['id']}", {"amount": 40}, status=422)) == [
        ("/amount", "refunded")
    ]
    organiser.patch(f"/payments/{payment['id']}", {"amount": 50}, status=200)
    assert state(organiser, payment["invoice_id"])[1] == 10


def test_changing_the_amount_updates_the_invoice(organiser, pay):
    payment = pay(19)
    organiser.put(
        f"/payments/{payment['id']}",
        {"invoice_number": payment["invoice_number"], "amount": 119},
        status=200,
    )
    assert state(organiser, payment["invoice_id"]) == ("paid", 119, 0)


def test_moving_a_payment_updates_both_invoices(organiser, sent, pay):
    first, second = sent(), sent()
    payment = pay(119, invoice_number=first["invoice_number"])
    moved = organiser.patch(
        f"/payments/{payment['id']}",
        {"invoice_number": second["invoice_number"], "amount": 100},
        status=200,
    )
    assert (moved.json["data"]["invoice_id"], moved.json["data"]["invoice_number"]) == (
        second["id"],
        second["invoice_number"],
    )
    assert state(organiser, first["id"]) == ("sent", 0, 119)
    assert state(organiser, second["id"]) == ("partially_paid", 100, 19)


def test_put_requires_invoice_number_and_amount(organiser, pay):
    answer = organiser.put(f"/payments/{pay()['id']}", {"notes": "x"}, status=422)
    assert fault(answer) == [("/amount", "required"), ("/invoice_number", "required")]


def test_faults_against_stored_records_are_reported_together(organiser, sent):
    answer = organiser.post(
        "/payments", {"invoice_number": "NO-1", "amount": 1.001, "status": "refunded"}, status=422
    )
    assert fault(answer) == [
        ("/status", "enum"),
        ("/invoice_number", "unknown"),
        ("/amount", "decimals"),
    ]
    answer = organiser.post(
        "/payments",
        {"invoice_number": sent()["invoice_number"], "amount": 1, "currency": "USD"},
        status=422,
    )
    assert fault(answer) == [("/currency", "disagrees")]


def test_amounts_have_the_decimals_of_the_currency(organiser, sent):
    yen, dinar = sent(currency="JPY", exchange_rate=0.006), sent(currency="KWD", exchange_rate=3)
    pay = {"invoice_number": yen["invoice_number"], "amount": 1.5}
    assert fault(organiser.post("/payments", pay, status=422)) == [("/amount", "decimals")]
    assert organiser.make("/payments", {**pay, "amount": 7})["amount"] == 7
    assert (
        organiser.make("/payments", {"invoice_number": dinar["invoice_number"], "amount": 1.005})[
            "amount"
        ]
        == 1.005
    )
    assert state(organiser, dinar["id"])[1:] == (1.005, 117.995)


@pytest.mark.parametrize("amount", [0, -1, 10**12, "5", None, True])
def test_an_amount_is_a_number_above_0_and_below_10_to_12(organiser, sent, amount):
    answer = organiser.post(
        "/payments", {"invoice_number": sent()["invoice_number"], "amount": amount}, status=422
    )
    assert [pointer for pointer, _ in fault(answer)] == ["/amount"]


def test_the_payments_of_an_invoice_total_less_than_10_to_12(organiser, pay):
    number = pay(999999999999.99)["invoice_number"]
    answer = organiser.post("/payments", {"invoice_number": number, "amount": 0.01}, status=422)
    assert fault(answer) == [("/amount", "maximum")]


def test_drafts_cancelled_invoices_and_credit_notes_accept_no_payment(organiser, draft, sent):
    open_draft, cancelled = draft(), sent()
    cancelled = organiser.post(f"/invoices/{cancelled['id']}/cancel", status=200).json["data"]
    note = organiser.data(f"/invoices/{cancelled['related_invoice_id']}")
    for invoice in (open_draft, cancelled, note):
        answer = organiser.post(
            "/payments", {"invoice_number": invoice["invoice_number"], "amount": 1}, status=409
        )
        assert answer.json["code"] == "invoice_not_payable"


def test_a_pending_payment_of_a_cancelled_invoice_cannot_complete(organiser, pay):
    payment = pay(status="pending")
    organiser.post(f"/invoices/{payment['invoice_id']}/cancel", status=200)
    assert (
        organiser.post(f"/payments/{payment['id']}/complete", status=409).json["code"]
        == "invoice_not_payable"
    )
    organiser.post(f"/payments/{payment['id']}/cancel", status=200)


def test_a_repeated_gateway_transaction_counts_once(organiser, sent, pay):
    payment = pay(transaction_id="t-1", gateway_key="stripe")
    body = {"invoice_number": payment["invoice_number"], "amount": 19, "transaction_id": "t-1"}
    answer = organiser.post("/payments", {**body, "gateway_key": "stripe"}, status=409)
    assert (answer.json["code"], answer.json["payment_id"]) == ("duplicate", payment["id"])
    organiser.make("/payments", {**body, "gateway_key": "paypal"})
    without = organiser.make("/payments", body)
    assert organiser.post("/payments", body, status=409).json["payment_id"] == without["id"]
    assert (
        organiser.patch(f"/payments/{without['id']}", {"gateway_key": "stripe"}, status=409).json[
            "code"
        ]
        == "duplicate"
    )


def test_a_known_gateway_sets_name_and_fee(organiser, db, pay):
    with db.write():
        gateway = gateways.add(db, "stripe", "Stripe", fee_percent=150, fee_fixed=25)
    payment = pay(100.33, gateway_key="stripe")
    assert (payment["gateway_id"], payment["gateway_name"]) == (gateway["id"], "Stripe")
    assert (payment["gateway_fee"], payment["net_amount"]) == (
        1.75,  # 1.50495 rounded, and 0.25
        98.58,
    )
    more = organiser.patch(f"/payments/{payment['id']}", {"amount": 200}, status=200).json["data"]
    assert (more["gateway_fee"], more["net_amount"]) == (3.25, 196.75)
    with db.write():
        assert gateways.remove(db, "stripe") and not gateways.remove(db, "stripe")
        gateways.add(db, "stripe", "Stripe, dearer", fee_percent=300)
    noted = organiser.patch(
        f"/payments/{payment['id']}", {"notes": "paid in May"}, status=200
    ).json["data"]
    assert (noted["gateway_id"], noted["gateway_name"], noted["gateway_fee"]) == (
        gateway["id"],
        "Stripe",
        3.25,
    )
    with db.write():
        gateways.remove(db, "stripe")
    kept = organiser.patch(f"/payments/{payment['id']}", {"amount": 100}, status=200).json["data"]
    assert (kept["gateway_name"], kept["gateway_fee"]) == ("Stripe", 3.25)


def test_an_unknown_gateway_is_stored_unchanged(pay):
    payment = pay(gateway_key="bank")
    assert (
        payment["gateway_key"],
        payment["gateway_id"],
        payment["gateway_name"],
        payment["gateway_fee"],
    ) == ("bank", None, None, 0)


def test_filter_dates_are_inclusive_and_cover_the_whole_day(organiser, pay):
    ids = {}
    for timestamp in (
        "2026-03-01T00:00:00+01:00",
        "2026-03-01T22:59:59Z",
        "2026-03-01T23:00:00Z",
        "2026-03-02",
    ):
        ids[timestamp] = pay(payment_date=timestamp)["id"]
    early, late, next_day, bare = ids.values()

    def found(query):
        return [payment["id"] for payment in organiser.data(f"/payments?{query}&order=ASC")]

    assert found("date_from=2026-03-01&date_to=2026-03-01") == [early, late]
    assert found("date_from=2026-03-02") == [next_day, bare]
    assert found("date_to=2026-03-01T22:59:59Z") == [early, late]
    assert found("date_to=2026-03-01T22:59:58Z") == [early]


def test_lists_filter_sort_and_include(organiser, sent, pay):
    invoice = sent()
    small = pay(5, invoice_number=invoice["invoice_number"], payment_date="2026-01-03")
    large = pay(
        50, invoice_number=invoice["invoice_number"], status="pending", payment_date="2026-01-02"
    )
    other = pay(20, payment_date="2026-01-01")

    def ids(query):
        return [payment["id"] for payment in organiser.data(f"/payments?{query}")]

    assert ids(f"invoice_number={invoice['invoice_number']}") == [large["id"], small["id"]]
    assert ids(f"invoice_id={invoice['id']}&status=pending") == [large["id"]]
    assert ids("invoice_number=NO-1") == []
    assert ids("sort=amount") == [large["id"], other["id"], small["id"]]
    assert ids("sort=payment_date&order=asc") == [other["id"], large["id"], small["id"]]
    assert ids("") == [other["id"], large["id"], small["id"]]
    with_invoice = organiser.data("/payments?include=invoice")
    assert {payment["invoice"]["invoice_number"] for payment in with_invoice} == {
        invoice["invoice_number"],
        other["invoice_number"],
    }
    one = organiser.data(f"/payments/{small['id']}?include=invoice")
    assert (one["invoice"]["id"], one["invoice"]["open_amount"]) == (invoice["id"], 114)
    assert (
        organiser.get("/payments?invoice_id=1&invoice_number=NO-1", status=422).json["errors"][0][
            "parameter"
        ]
        == "invoice_number"
    )


def test_each_payment_and_each_change_of_state_has_one_entry_and_one_event(organiser, sent, db):
    invoice = sent()

    def event_names():
        return [
            row[0] for row in db.connection.execute("SELECT name FROM outgoing_events ORDER BY id")
        ][before:]

    def audited():
        return db.connection.execute(
            "SELECT action, entity_type FROM audit_log ORDER BY id"
        ).fetchall()[before_audit:]

    before = before_audit = 0
    before, before_audit = len(event_names()), len(audited())
    body = {"invoice_number": invoice["invoice_number"], "amount": 10}
    organiser.make("/payments", body)
    payment = organiser.make("/payments", body)
    organiser.make("/payments", {**body, "amount": 99})
    organiser.delete(f"/payments/{payment['id']}", status=204)
    organiser.make("/payments", {**body, "status": "failed"})
    assert event_names() == [
        "payment.created",
        "invoice.partially_paid",
        "payment.created",
        "payment.created",
        "invoice.paid",
        "payment.deleted",
        "invoice.partially_paid",
        "payment.created",
    ]
    assert audited() == [
        ("created", "payment"),
        ("partially_paid", "invoice"),
        ("created", "payment"),
        ("created", "payment"),
        ("paid", "invoice"),
        ("deleted", "payment"),
        ("partially_paid", "invoice"),
        ("created", "payment"),
    ]


def test_recording_takes_few_statements(organiser, sent, pay, app, db, monkeypatch):
    invoice = sent()
    pay(1, invoice_number=invoice["invoice_number"])
    seen, connection = [], app.app.connections.writer().connection
    connection.set_trace_callback(seen.append)
    try:
        pay(1, invoice_number=invoice["invoice_number"])
    finally:
        connection.set_trace_callback(None)
    # SQLite shows the statement again for each trigger that it runs, and what FTS5 does as
    # comments.
    seen = [
        text
        for text in seen[seen.index("BEGIN IMMEDIATE") : seen.index("COMMIT") + 1]
        if not text.startswith("--")
    ]
    inside = [text for text, _ in groupby(seen)]
    # of the transaction, however many writes share it
    stamps = [text for text in inside if "last_stamp" in text]
    assert len(inside) - len(stamps) <= 9 and len(stamps) <= 2, inside


def test_concurrent_payments_are_all_recorded(organiser, sent, app):
    invoice = sent()

    def pay_five():
        for _ in range(5):
            organiser.make(
                "/payments", {"invoice_number": invoice["invoice_number"], "amount": 1.01}
            )

    threads = [Thread(target=pay_five) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(organiser.get("/payments?per_page=100").json["data"]) == 40
    assert state(organiser, invoice["id"]) == ("partially_paid", 40.4, 78.6)


def test_payments_need_the_feature_and_the_scope(organiser, person, pay, db):
    payment = pay()
    person("invoices").get("/payments", status=403)
    person("payments:read").post(
        "/payments", {"invoice_number": payment["invoice_number"], "amount": 1}, status=403
    )
    person("payments:read").get(f"/payments/{payment['id']}?include=invoice", status=200)
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = 'invoices'")
    for path in ("/payments", "/invoices"):
        assert organiser.get(path, status=403).json["code"] == "feature_disabled"


def test_counting_a_month_reads_an_index_only(db):
    from eventapi.resources.payments import sql

    given = frozenset(("date_from", "date_to"))
    values = {"date_from": "2026-01-01", "date_to": "2026-02-01", "limit": 20, "offset": 0}

    def plan(text):
        return " / ".join(
            row[3] for row in db.connection.execute("EXPLAIN QUERY PLAN " + text, values)
        )

    assert "COVERING INDEX payments_by_date (payment_date_at>? AND payment_date_at<?)" in plan(
        sql.list.count(given)
    )
    assert "TEMP B-TREE" not in plan(sql.list.ids(given, "payment_date", "DESC"))


def test_fees_round_half_away_from_zero():
    assert [money.divided(number, 2) for number in (1, 3, -1, -3, 4)] == [1, 2, -1, -2, 2]
    assert money.divided(10**30 + 5 * 10**9, 10**10) == 10**20 + 1


# Search


def found(client, text):
    return [
        payment["id"]
        for payment in client.data(f"/payments?search={quote(text)}&sort=id&order=ASC")
    ]


def test_a_payment_is_found_by_words_and_beginnings_of_number_transaction_and_notes(
    organiser, person, sent, pay
):
    number, other = sent()["invoice_number"], sent()["invoice_number"]
    first = pay(
        invoice_number=number, transaction_id="pi_3Nx/77", notes="Überweisung der Messebau Straße"
    )["id"]
    second = pay(invoice_number=other, notes="Teilzahlung")["id"]
    cashier = person("payments")
    for client in (organiser, cashier):
        assert found(client, number) == found(client, "pi_3nx") == found(client, "77") == [first]
        assert found(client, "uberw strasse") == found(client, f"{number} PI messe") == [first]
        assert (
            found(client, number[:-1]) == [first, second]
            and found(client, "weisung") == found(client, "--") == []
        )
    organiser.patch(
        f"/payments/{second}", {"invoice_number": number, "notes": "Anzahlung"}, status=200
    )
    assert found(organiser, other) == found(organiser, "teilz") == [] and found(
        organiser, f"{number} anz"
    ) == [second]
    organiser.delete(f"/payments/{second}", status=204)
    assert found(organiser, "anzahlung") == []


def test_a_payment_is_found_by_the_buyer_only_with_a_key_that_may_read_invoices(
    organiser, person, buyer, sent, pay
):
    number = sent()["invoice_number"]
    ids = [pay(invoice_number=number)["id"], pay(invoice_number=number)["id"]]
    for scopes in ("payments invoices:read", "payments:read invoices"):
        assert found(person(scopes), "muster") == found(person(scopes), f"{number} ag") == ids
        assert found(person(scopes), buyer["customer_number"]) == ids
    for scopes in ("payments", "payments:read participants contacts"):
        assert (
            found(person(scopes), "muster") == found(person(scopes), buyer["customer_number"]) == []
        )
        assert found(person(scopes), number) == ids
