"""Offsets: the credit of one invoice pays another one of the same customer."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi.domain.billing import drafts
from eventapi.domain.upkeep import checks
from tests.pictures.test_invoice_pdf import texts


@pytest.fixture(autouse=True)
def books(db):
    """After each test, check that the books balance."""
    yield
    assert checks.findings(db) == []


@pytest.fixture
def buyer(organiser):
    """Return the id of a contact to which invoices are sent."""
    return contact(organiser, "Papier & Farbe", "info@papier.example")


def contact(organiser, name, email):
    fields = {"address": "Weg 1", "city": "Leipzig", "country": "DE"}
    return organiser.make("/contacts", {"company_name": name, "email": email, **fields})["id"]


@pytest.fixture
def draft(organiser, buyer):
    """Return a function that makes a draft of 19 % of a gross amount, 119 by default."""

    def make(net=100, contact_id=buyer, **fields):
        item = {"description": "Stand", "quantity": 1, "unit_price": net, "tax_rate": 19}
        return organiser.make("/invoices", {"contact_id": contact_id, "items": [item], **fields})

    return make


@pytest.fixture
def send(organiser):
    """Return a function that sends a draft, and returns the whole response."""

    def make(row, status=200, **body):
        answer = organiser.post(
            f"/invoices/{row['id']}/send", {"mail": False, **body}, status=status
        )
        return answer.json

    return make


@pytest.fixture
def invoice(draft, send):
    """Return a function that makes and sends an invoice."""

    def make(net=100, **fields):
        return send(draft(net, **fields))["data"]

    return make


@pytest.fixture
def pay(organiser):
    def make(row, amount, **fields):
        return organiser.make(
            "/payments", {"invoice_number": row["invoice_number"], "amount": amount, **fields}
        )

    return make


@pytest.fixture
def credit(organiser):
    """Return a function that credits a net amount of an invoice, and returns the credit note."""

    def make(row, net):
        items = [{"description": "Kleinerer Stand", "quantity": 1, "unit_price": net}]
        return organiser.make(f"/invoices/{row['id']}/credit", {"items": items, "mail": False})

    return make


@pytest.fixture
def old(invoice, pay, credit):
    """Return an invoice of 214.20 of which 200.00 was paid and 142.80 credited: its credit is 128.60."""
    row = invoice(180)
    pay(row, 200)
    credit(row, 120)
    return row


@pytest.fixture
def offset(organiser):
    def make(row, other, status=201, **body):
        path = f"/invoices/{row['id']}/offset"
        answer = organiser.post(
            path, {"invoice_number": other["invoice_number"], **body}, status=status
        )
        return answer.json

    return make


@pytest.fixture
def now(organiser):
    """Return a function that returns status, paid_amount and open_amount of an invoice."""

    def read(row):
        found = organiser.data(f"/invoices/{row['id']}")
        return found["status"], found["paid_amount"], found["open_amount"]

    return read


def payments_of(organiser, row):
    return organiser.data(f"/invoices/{row['id']}?include=payments")["payments"]


def test_the_credit_of_an_invoice_pays_another_one(organiser, old, invoice, offset, now):
    new = invoice(190)
    assert now(old) == ("paid", 200, -128.6) and now(new) == ("sent", 0, 226.1)

    answer = offset(old, new)["data"]

    assert (answer["id"], answer["open_amount"], answer["paid_amount"]) == (old["id"], 0, 71.4)
    assert now(new) == ("partially_paid", 128.6, 97.5)
    made = payments_of(organiser, new)[0]
    assert (made["amount"], made["gateway_key"], made["gateway_fee"]) == (128.6, "offset", 0)
    assert made["offset_id"] == made["id"]
    given = payments_of(organiser, old)[0]
    assert (given["offset_id"], given["gateway_key"]) == (None, None)
    refund = given["refunds"][0]
    assert (refund["amount"], refund["offset_id"]) == (128.6, made["id"])
    assert refund["gateway_key"] == "offset"
    assert refund["refunded_at"] == made["payment_date"]


def test_the_latest_payments_are_refunded_first(organiser, invoice, pay, credit, offset):
    row = invoice(200)
    first = pay(row, 38, payment_date="2026-01-05")
    second = pay(row, 100, payment_date="2026-02-05")
    third = pay(row, 100, payment_date="2026-01-20")
    credit(row, 130)
    new = invoice(1000)

    offset(row, new, amount=120)
    offset(row, new)

    refunded = {
        payment["id"]: [refund["amount"] for refund in payment["refunds"]]
        for payment in payments_of(organiser, row)
    }
    assert refunded == {first["id"]: [], second["id"]: [100], third["id"]: [20, 34.7]}
    made = payments_of(organiser, new)
    assert [payment["amount"] for payment in made] == [120, 34.7]


def test_what_fits_is_offset(old, invoice, offset, now):
    small = invoice(50)
    offset(old, small)
    assert now(small) == ("paid", 59.5, 0) and now(old) == ("paid", 140.5, -69.1)


@pytest.mark.parametrize("net, amount, most", [(190, 128.61, 128.6), (50, 59.51, 59.5)])
def test_more_than_fits_is_refused(old, invoice, offset, now, net, amount, most):
    new = invoice(net)
    before = now(old), now(new)
    answer = offset(old, new, status=409, amount=amount)
    assert (answer["code"], answer["left_total"]) == ("exceeds_invoice", most)
    assert (now(old), now(new)) == before


def test_nothing_is_offset_with_an_invoice_that_is_paid(old, invoice, pay, offset):
    new = invoice()
    pay(new, 119)
    answer = offset(old, new, status=409)
    assert (answer["code"], answer["left_total"]) == ("exceeds_invoice", 0)


def test_an_invoice_without_credit_is_refused(invoice, offset):
    row, other = invoice(), invoice()
    answer = offset(row, other, status=409)
    assert answer["code"] == "invalid_transition"
    assert "has no credit" in answer["detail"]


def test_a_credit_note_names_its_invoice(organiser, old, invoice, offset):
    note = organiser.data(f"/invoices?related_invoice_id={old['id']}")[0]
    answer = offset(note, invoice(), status=409)
    assert answer["code"] == "invalid_transition"
    assert f"POST /invoices/{old['id']}/offset" in answer["detail"]


def test_only_an_invoice_that_was_sent_takes_credit(organiser, old, draft, invoice, offset):
    waiting = draft()
    cancelled = invoice()
    organiser.post(f"/invoices/{cancelled['id']}/cancel", {"mail": False}, status=200)
    note = organiser.data(f"/invoices?related_invoice_id={old['id']}")[0]
    for other in (waiting, cancelled, note):
        answer = offset(old, other, status=409)
        assert answer["code"] == "invalid_transition"


def test_another_customer_and_another_currency_disagree(organiser, old, invoice, offset):
    other_contact = contact(organiser, "Holz GmbH", "office@holz.example")
    of_other = invoice(contact_id=other_contact)
    in_francs = invoice(currency="CHF", exchange_rate=1.05)
    unknown = {"invoice_number": "INV-1999-00001"}
    found = [
        [(error["pointer"], error["code"]) for error in offset(old, other, status=422)["errors"]]
        for other in (of_other, in_francs, unknown)
    ]
    assert found == [
        [("/invoice_number", "disagrees")],
        [("/invoice_number", "disagrees")],
        [("/invoice_number", "unknown")],
    ]


# Undo and locks


def test_deleting_the_payment_undoes_the_offset(organiser, old, invoice, offset, now):
    new = invoice(190)
    before = now(old), now(new)
    offset(old, new)
    made = payments_of(organiser, new)[0]

    organiser.delete(f"/payments/{made['id']}", status=204)

    assert (now(old), now(new)) == before
    assert payments_of(organiser, old)[0]["refunds"] == []
    offset(old, new)
    assert now(new) == ("partially_paid", 128.6, 97.5)


def test_a_part_of_an_offset_cannot_be_deleted(organiser, old, invoice, offset, now):
    new = invoice(190)
    offset(old, new)
    given = payments_of(organiser, old)[0]
    refund = given["refunds"][0]
    made = payments_of(organiser, new)[0]

    for path in (f"/payments/{given['id']}/refunds/{refund['id']}", f"/payments/{given['id']}"):
        answer = organiser.delete(path, status=409)
        assert answer.json["code"] == "in_use"
        assert f"payment {made['id']}" in answer.json["detail"]
    assert now(new) == ("partially_paid", 128.6, 97.5)


@pytest.mark.parametrize(
    "change",
    [
        {"amount": 100},
        {"gateway_key": "card"},
        {"payment_date": "2026-01-01"},
        {"transaction_id": "x"},
        {"status": "refunded"},
    ],
)
def test_the_payment_of_an_offset_cannot_change(organiser, old, invoice, offset, change):
    new = invoice(190)
    offset(old, new)
    made = payments_of(organiser, new)[0]
    answer = organiser.patch(f"/payments/{made['id']}", change, status=409)
    assert (answer.json["code"], answer.json["members"]) == ("payment_locked", [*change])
    organiser.patch(f"/payments/{made['id']}", {"notes": "By telephone"}, status=200)


def test_the_gateway_offset_is_reserved(organiser, draft, invoice, pay, send):
    row = invoice()
    body = {"invoice_number": row["invoice_number"], "amount": 10, "gateway_key": "offset"}
    answer = organiser.post("/payments", body, status=422)
    assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == [
        ("/gateway_key", "reserved")
    ]
    other = pay(row, 10)
    answer = organiser.patch(f"/payments/{other['id']}", {"gateway_key": "offset"}, status=422)
    assert answer.json["errors"][0]["pointer"] == "/gateway_key"
    answer = send(draft(), status=422, payments=[{"amount": 10, "gateway_key": "offset"}])
    assert answer["errors"][0]["pointer"] == "/payments/0/gateway_key"


def test_what_was_paid_by_offset_is_paid_out_by_the_bank(
    organiser, old, invoice, offset, credit, now
):
    new = invoice(190)
    offset(old, new)
    credit(new, 190)
    made = payments_of(organiser, new)[0]
    organiser.post(f"/payments/{made['id']}/refund", {}, status=200)
    assert now(new) == ("refunded", 0, 0)
    assert figures(organiser, "payments") == [
        ("EUR", None, 200, 128.6),
        ("EUR", "offset", 128.6, 128.6),
    ]


def test_an_offset_of_which_money_was_paid_out_is_not_undone(organiser, old, invoice, offset, now):
    """Otherwise the customer would have the money and the credit."""
    new = invoice(190)
    offset(old, new)
    made = payments_of(organiser, new)[0]
    path = f"/payments/{made['id']}"
    refund = organiser.post(f"{path}/refund", {"amount": 10}, status=200).json["data"]["refunds"][0]
    before = now(old), now(new)

    answer = organiser.delete(path, status=409).json

    assert (answer["code"], answer["used_by"]) == ("in_use", ["refunds"])
    assert f"Delete refund {refund['id']} first" in answer["detail"]
    assert (now(old), now(new)) == before
    organiser.delete(f"{path}/refunds/{refund['id']}", status=204)
    organiser.delete(path, status=204)
    assert now(old) == ("paid", 200, -128.6)


def test_credit_is_offset_from_one_invoice_to_the_next(
    organiser, old, invoice, offset, credit, now
):
    second, third = invoice(190), invoice(300)
    offset(old, second)
    credit(second, 190)
    offset(second, third)
    assert now(second) == ("refunded", 0, 0)
    assert now(third) == ("partially_paid", 128.6, 228.4)
    made = payments_of(organiser, second)[0]
    answer = organiser.delete(f"/payments/{made['id']}", status=409)
    assert answer.json["code"] == "in_use"


def test_two_offsets_at_once_use_the_credit_once(organiser, old, invoice, now):
    others = [invoice(100) for _ in range(4)]

    def run(other):
        body = {"invoice_number": other["invoice_number"], "amount": 100}
        return organiser.post(f"/invoices/{old['id']}/offset", body).status_int

    with ThreadPoolExecutor(4) as pool:
        found = sorted(pool.map(run, others))
    assert found == [201, 409, 409, 409]
    assert now(old) == ("paid", 100, -28.6)


# Reports


def figures(organiser, report, query=""):
    """Return the figures of the report on payments: currency, gateway, received and refunded."""
    rows = organiser.data(f"/reports/{report}{query}")["data"]["rows"]
    return sorted(
        ((row["currency"], row["gateway_key"], row["received"], row["refunded"]) for row in rows),
        key=lambda row: row[1] or "",
    )


# Sending with offset


@pytest.fixture
def older(invoice, pay):
    """Return an invoice with a credit of 30 that was sent before `old`."""
    row = invoice(100)
    pay(row, 149)
    return row


@pytest.fixture
def note_draft(buyer, db):
    """Return a function that makes a draft of a credit note for an invoice."""

    def make(row, net):
        item = {"description": "Credit", "quantity": -1, "unit_price": net, "tax_rate": 19}
        with db.write():
            return drafts.create(
                db,
                {"contact_id": buyer, "items": [item]},
                invoice_type="credit_note",
                related_invoice_id=row["id"],
            )

    return make


def test_an_invoice_counts_the_credit_of_the_customer_oldest_first(
    organiser, older, old, draft, send, now
):
    new = draft(100)
    answer = send(new, offset=True)

    assert answer["meta"]["offsets"] == [
        {"invoice_number": older["invoice_number"], "amount": 30},
        {"invoice_number": old["invoice_number"], "amount": 89},
    ]
    sent = answer["data"]
    assert (sent["status"], sent["prepaid_amount"], sent["paid_amount"]) == ("paid", 119, 119)
    assert now(older) == ("paid", 119, 0) and now(old) == ("paid", 111, -39.6)


def test_credit_is_left_alone_unless_it_is_asked_for(old, draft, send, now):
    answer = send(draft(190))
    assert "offsets" not in answer["meta"]
    assert (answer["data"]["prepaid_amount"], answer["data"]["open_amount"]) == (0, 226.1)
    assert now(old) == ("paid", 200, -128.6)


def test_payments_count_before_credit(old, draft, send, now):
    answer = send(draft(190), offset=True, payments=[{"amount": 200}])
    assert answer["meta"]["offsets"] == [{"invoice_number": old["invoice_number"], "amount": 26.1}]
    sent = answer["data"]
    assert (sent["prepaid_amount"], sent["open_amount"]) == (226.1, 0)
    assert now(old) == ("paid", 173.9, -102.5)


def test_credit_in_another_currency_or_of_another_customer_is_not_counted(
    organiser, old, draft, send
):
    other = contact(organiser, "Holz GmbH", "office@holz.example")
    for fields in ({"currency": "CHF", "exchange_rate": 1.05}, {"contact_id": other}):
        answer = send(draft(190, **fields), offset=True)
        assert answer["meta"]["offsets"] == []
        assert answer["data"]["prepaid_amount"] == 0


def test_a_credit_note_pays_open_invoices_earliest_due_first(
    organiser, invoice, pay, note_draft, send, now
):
    paid = invoice(200)
    pay(paid, 238)
    later = invoice(100, due_date="2099-12-31")
    disputed = invoice(100, due_date="2099-01-31")
    organiser.post(f"/invoices/{disputed['id']}/dispute", {"reason": "Too small"}, status=200)
    sooner = invoice(50, due_date="2099-06-30")

    answer = send(note_draft(paid, 100), offset=True)

    assert answer["meta"]["offsets"] == [
        {"invoice_number": sooner["invoice_number"], "amount": 59.5},
        {"invoice_number": later["invoice_number"], "amount": 59.5},
    ]
    assert now(sooner) == ("paid", 59.5, 0)
    assert now(later) == ("partially_paid", 59.5, 59.5)
    assert now(disputed) == ("sent", 0, 119)
    assert now(paid) == ("paid", 119, 0)


def test_the_trial_of_a_batch_counts_credit_once(organiser, old, draft, now):
    """Also if the batch has more entries than a transaction of the real one."""
    ids = [draft(2)["id"] for _ in range(60)]
    body = {"action": "send", "ids": ids, "mail": False, "offset": True, "dry_run": True}

    results = organiser.post("/invoices/batch", body, status=200).json["data"]["results"]

    amounts = [each["amount"] for result in results for each in result["meta"]["offsets"]]
    assert amounts == [2.38] * 54 + [0.08]  # 54 times 2.38 and 0.08 are 128.60
    assert now(old) == ("paid", 200, -128.6)


def test_a_credit_note_for_an_open_invoice_has_nothing_to_offset(invoice, note_draft, send, now):
    row, other = invoice(200), invoice(100)
    answer = send(note_draft(row, 100), offset=True)
    assert answer["meta"]["offsets"] == []
    assert now(row) == ("sent", 0, 119) and now(other) == ("sent", 0, 119)


def test_sending_with_offset_needs_the_scope_of_payments(person, old, draft, send, now):
    clerk = person("invoices payments:read")
    new = draft(190)
    answer = clerk.post(f"/invoices/{new['id']}/send", {"offset": True, "mail": False}, status=403)
    assert (answer.json["code"], answer.json["scope"]) == ("insufficient_scope", "payments")
    body = {"action": "send", "ids": [new["id"]], "offset": True, "mail": False}
    answer = clerk.post("/invoices/batch", body, status=200)
    assert answer.json["data"]["results"][0]["code"] == "insufficient_scope"
    clerk.post(f"/invoices/{new['id']}/send", {"mail": False}, status=200)
    assert now(old) == ("paid", 200, -128.6)


def test_an_offset_needs_both_scopes(person, old, invoice):
    new = invoice(190)
    body = {"invoice_number": new["invoice_number"]}
    for scopes, missing in (("invoices payments:read", "payments"), ("payments", "invoices")):
        answer = person(scopes).post(f"/invoices/{old['id']}/offset", body, status=403)
        assert answer.json["scope"] == missing


def test_a_batch_counts_each_credit_once(organiser, old, draft, now):
    first, second = draft(100), draft(100)
    body = {"action": "send", "ids": [first["id"], second["id"]], "offset": True, "mail": False}

    trial = organiser.post("/invoices/batch", {**body, "dry_run": True}, status=200).json["data"]
    assert [entry["meta"]["offsets"][0]["amount"] for entry in trial["results"]] == [119, 9.6]
    assert now(old) == ("paid", 200, -128.6)
    assert [now(row)[0] for row in (first, second)] == ["draft", "draft"]

    organiser.post("/invoices/batch", body, status=200)
    assert now(first) == ("paid", 119, 0)
    assert now(second) == ("partially_paid", 9.6, 109.4)
    assert now(old) == ("paid", 71.4, 0)


def test_a_draft_that_cannot_be_sent_offsets_nothing(organiser, old, draft, send, now):
    new = draft(190, due_date="2020-01-01")
    answer = send(new, status=422, offset=True)
    assert answer["errors"][0]["pointer"] == "/due_date"
    assert now(old) == ("paid", 200, -128.6)


@pytest.fixture
def money_wanted(settings):
    """Give the organiser a bank account, so that PDFs have a GiroCode."""
    settings.organiser_iban = "DE02120300000000202051"
    settings.organiser_name = "Messe Test GmbH"


@pytest.mark.parametrize(
    "language, line, wanted",
    [
        ("de", "Verrechnet mit Guthaben aus {}", "97,50"),
        ("en", "Offset against credit from {}", "97.50"),
    ],
)
def test_pdf_xml_and_girocode_ask_for_the_rest(
    organiser, old, draft, send, money_wanted, language, line, wanted
):
    pytest.importorskip("reportlab")
    sent = send(draft(190, language=language), offset=True)["data"]

    number = old["invoice_number"]
    shown = texts(organiser.get(f"/invoices/{sent['id']}/pdf", status=200).body)[0]
    assert line.format(number) in shown and wanted in shown
    other = "en" if language == "de" else "de"
    copy = texts(organiser.get(f"/invoices/{sent['id']}/pdf?language={other}", status=200).body)[0]
    assert number in copy

    xml = organiser.get(f"/invoices/{sent['id']}/xml", status=200).body.decode()
    assert "<ram:TotalPrepaidAmount>128.60<" in xml
    assert "<ram:DuePayableAmount>97.50<" in xml

    code = organiser.get(f"/invoices/{sent['id']}/girocode", status=200)
    assert wanted in code.text


def test_the_pdf_tells_payments_from_credit(organiser, old, draft, send):
    pytest.importorskip("reportlab")
    sent = send(draft(290, language="de"), offset=True, payments=[{"amount": 100}])["data"]
    assert sent["open_amount"] == 116.5
    shown = texts(organiser.get(f"/invoices/{sent['id']}/pdf", status=200).body)[0]
    lines = shown.split("\n")
    for label, amount in (
        (f"Verrechnet mit Guthaben aus {old['invoice_number']}", "-128,60"),
        ("Bereits bezahlt", "-100,00"),
    ):
        assert lines[lines.index(label) + 1].replace("−", "-") == amount


def test_an_offset_at_send_is_undone_like_any_other(organiser, old, draft, send, now):
    sent = send(draft(190), offset=True)["data"]
    made = payments_of(organiser, sent)[0]
    organiser.delete(f"/payments/{made['id']}", status=204)
    assert now(sent) == ("sent", 0, 226.1) and now(old) == ("paid", 200, -128.6)
    # the invoice stays as it was sent
    assert organiser.data(f"/invoices/{sent['id']}")["prepaid_amount"] == 128.6
