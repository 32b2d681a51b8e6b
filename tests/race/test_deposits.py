"""Final invoices and credit notes reach for the same deposit at once: it is deducted once, over
what is left of it.
"""

from collections import Counter

import pytest

from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from tests.domain.test_taxes import BUYER
from tests.support.concurrent_requests import ROUNDS, send_at_once

pytestmark = pytest.mark.processes

CLIENTS = 40


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "accounts", ["invoices", "payments", "contacts"])[1]


@pytest.fixture
def make(server, organiser):
    """Return (the buyer, a function that creates an invoice over a net amount, and sends it unless
    told otherwise).
    """
    buyer = organiser.make("/contacts", BUYER)

    def make(price, is_sent=True, **fields):
        draft = organiser.make("/invoices", body(buyer, price, **fields))
        return (
            organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]
            if is_sent
            else draft
        )

    return buyer, make


def body(buyer, price, **fields):
    return {
        "contact_id": buyer["id"],
        "service_date": "2026-05-08",
        **fields,
        "items": [{"description": "Stand", "quantity": 1, "unit_price": price, "tax_rate": 19}],
    }


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_deposit_is_deducted_by_one_final_invoice(server, key, organiser, db, make, round_):
    buyer, invoice = make
    deposit = invoice(300, is_deposit=True)
    organiser.make("/payments", {"invoice_number": deposit["invoice_number"], "amount": 357})
    request = ("POST", "/invoices", body(buyer, 1000, deposit_ids=[deposit["id"]]))
    answers = send_at_once(server.port, key, [request] * CLIENTS)
    assert Counter(status for status, _ in answers) == {201: 1, 422: CLIENTS - 1}, answers
    final = next(answer["data"] for status, answer in answers if status == 201)
    answers = send_at_once(
        server.port, key, [("POST", f"/invoices/{final['id']}/send", None)] * CLIENTS
    )
    assert {
        (status, answer["data"]["total"], len(answer["data"]["items"]))
        for status, answer in answers
    } == {(200, 833, 2)}
    assert checks.findings(db) == []


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_deposit_is_credited_before_its_final_invoice_is_sent_or_not_at_all(
    server, key, organiser, db, make, round_
):
    _, invoice = make
    deposit = invoice(300, is_deposit=True)
    organiser.make("/payments", {"invoice_number": deposit["invoice_number"], "amount": 357})
    draft = invoice(1000, is_sent=False, deposit_ids=[deposit["id"]])
    credit = (
        "POST",
        f"/invoices/{deposit['id']}/credit",
        {"items": [{"description": "Less", "quantity": 1, "unit_price": 1, "tax_rate": 19}]},
    )
    send = ("POST", f"/invoices/{draft['id']}/send", None)
    half = [credit] * (CLIENTS // 2)
    answers = send_at_once(server.port, key, [*half, send, *half])
    notes = sum(status == 201 for status, _ in answers)
    assert Counter(answer["code"] for status, answer in answers if status == 409) == (
        {"in_use": CLIENTS - notes} if notes < CLIENTS else {}
    ), answers
    assert organiser.data(f"/invoices/{draft['id']}")["subtotal"] == 1000 - (300 - notes)
    assert checks.findings(db) == []
