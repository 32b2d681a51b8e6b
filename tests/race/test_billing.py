"""Many clients bill one participant at once, with real server processes: everything is billed once and credited once.
"""
from collections import Counter

import pytest

from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from tests.domain.test_billing import Fair
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS, send_at_once

pytestmark = pytest.mark.processes

CLIENTS = 40


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "clerks", ["invoices"])[1]


@pytest.fixture
def server(tmp_path, key):
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_every_item_is_billed_and_credited_once(server, key, organiser, db, round_):
    fair = Fair(organiser, db)
    reservation = fair.reserve("A1")
    fair.order((fair.power, 2))

    def bill():
        answers = send_at_once(server.port, key, [("POST", f"{fair.address}/invoice", None)] * CLIENTS)
        assert Counter(status for status, _ in answers) == {201: 1, 409: CLIENTS - 1}, answers
        return next(answer for status, answer in answers if status == 201)["data"]
    invoice = bill()
    assert invoice["subtotal"] == 1510
    fair.send(invoice)
    fair.cancel("booth-reservations", reservation)
    assert bill()["subtotal"] == -1200
    assert checks.findings(db) == []
