"""Many clients bill one participant at once, with real server processes: everything is billed once
and credited once.
"""

from collections import Counter

import pytest

from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from tests.domain.test_billing import Fair
from tests.support.concurrent_requests import ROUNDS, send_at_once

pytestmark = pytest.mark.processes

CLIENTS = 40


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "clerks", ["invoices", "booths"])[1]


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_every_item_is_billed_and_credited_once(server, key, organiser, db, round_):
    fair = Fair(organiser, db)
    reservation = fair.reserve("A1")
    fair.order((fair.power, 2))

    def bill():
        answers = send_at_once(
            server.port, key, [("POST", f"{fair.address}/invoice", None)] * CLIENTS
        )
        assert Counter(status for status, _ in answers) == {201: 1, 409: CLIENTS - 1}, answers
        return next(answer for status, answer in answers if status == 201)["data"]

    invoice = bill()
    assert invoice["subtotal"] == 1510
    fair.send(invoice)
    fair.cancel("booth-reservations", reservation)
    assert bill()["subtotal"] == -1200
    assert checks.findings(db) == []


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_booth_that_is_cancelled_while_its_draft_is_sent_is_billed_and_credited_or_neither(
    server, key, organiser, db, round_
):
    fair = Fair(organiser, db)
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    sends = [("POST", f"/invoices/{draft['id']}/send", None)] * CLIENTS
    cancel = ("POST", f"/booth-reservations/{reservation['id']}/cancel", None)
    answers = send_at_once(
        server.port, key, [*sends[: CLIENTS // 2], cancel, *sends[CLIENTS // 2 :]]
    )
    codes = Counter(answer.get("code", "ok") for _, answer in answers)
    sent = fair.invoice(draft["id"])
    assert fair.organiser.data(f"/booth-reservations/{reservation['id']}")["status"] == "cancelled"
    if sent["status"] == "sent":
        # The clients that come after the cancellation find an invoice that was sent, which changes
        # nothing.
        assert codes == {"ok": CLIENTS + 1}, codes
        assert fair.bill()[0]["subtotal"] == -1200
    else:
        assert codes == {"draft_outdated": CLIENTS, "ok": 1}, codes
    series = fair.organiser.data("/invoices/numbering")
    assert [(entry["count"], entry["gaps"]) for entry in series] == (
        [(1, [])] if sent["status"] == "sent" else []
    )
    assert checks.findings(db) == []


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_an_invoice_is_written_off_once_and_a_payment_at_the_same_time_recovers_it(
    server, organiser, db, round_
):
    with db.write():
        key = api_keys.create_key(db, "accounts", ["invoices", "payments"])[1]
    fair = Fair(organiser, db)
    fair.reserve("A1")
    draft, _ = fair.bill()
    sent = fair.send(draft)
    total, path = sent["total"], f"/invoices/{draft['id']}"
    off = ("POST", f"{path}/write-offs", {"reason": "Insolvent"})
    answers = send_at_once(server.port, key, [off] * CLIENTS)
    assert Counter(status for status, _ in answers) == {201: 1, 409: CLIENTS - 1}, answers
    assert {answer.get("code") for status, answer in answers if status == 409} == {
        "exceeds_invoice"
    }
    organiser.delete(f"{path}/write-offs/{organiser.data(path)['write_offs'][0]['id']}", status=204)
    pay = ("POST", "/payments", {"invoice_number": sent["invoice_number"], "amount": total})
    answers = send_at_once(server.port, key, [off, pay] * (CLIENTS // 2))
    found = organiser.data(path)
    assert found["status"] == "paid" and found["written_off"] == 0, answers
    assert found["paid_amount"] == total * (CLIENTS // 2)
    assert checks.findings(db) == []
