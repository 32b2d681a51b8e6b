"""Every process of a service is killed in turn while payments arrive: none is lost and none is
counted twice.
"""

import http.client
import json
import os
import signal
import time
from functools import partial
from threading import Lock, Thread

import pytest

from eventapi.domain.access import api_keys
from tests.support import processes

pytestmark = pytest.mark.processes

PAYMENTS = 1000
AHEAD = 100  # payments that go on while something is killed; all the others would be over before
CLIENTS = 8
INVOICES = 5


class Cashiers:
    """Clients that post payments.

    Each repeats a payment with the same Idempotency-Key until it is acknowledged.
    """

    def __init__(self, port, key, numbers):
        self.port, self.key, self.numbers = port, key, numbers
        self.todo, self.lock, self.limit = list(range(PAYMENTS)), Lock(), AHEAD
        self.acknowledged, self.repeated, self.refused = {}, 0, []
        self.threads = [Thread(target=self.work, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def work(self):
        while number := self.take():
            self.post(number - 1)

    def take(self):
        """Return the number of the next payment, counted from 1, as soon as it may be sent; None at
        the end.
        """
        while not self.refused:
            with self.lock:
                if not self.todo:
                    return None
                if PAYMENTS - len(self.todo) < self.limit:
                    return self.todo.pop() + 1
            time.sleep(0.002)
        return None

    def post(self, number):
        body = json.dumps(
            {
                "invoice_number": self.numbers[number % INVOICES],
                "amount": 1,
                "transaction_id": f"till-{number}",
            }
        )
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"pay-{number}",
        }

        def attempt():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3)
            try:
                connection.request("POST", "/api/v1/payments", body, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                self.repeated += 1
                return None
            finally:
                connection.close()

        status, text = processes.until(attempt, timeout=60)
        if status == 201:
            self.acknowledged[number] = json.loads(text)["data"]["id"]
        else:
            self.refused.append((status, text))

    def reached(self, count):
        """Allow at most AHEAD payments beyond `count`, and wait until `count` payments are
        acknowledged.
        """
        self.limit, deadline = count + AHEAD, time.monotonic() + 120
        while len(self.acknowledged) < count and not self.refused:
            assert time.monotonic() < deadline
            time.sleep(0.002)


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    processes.until(lambda: not processes.alive(pid))


def served_by(server):
    return [pid for pid in processes.children(server.process.pid) if pid != server.worker()]


def restarted(folder, server):
    """Kill the first process of the server, wait until the others have ended, and return a new one
    on its port.
    """
    others = list(processes.children(server.process.pid))
    server.stop(signal.SIGKILL)
    processes.until(lambda: not any(map(processes.alive, others)))
    return processes.Server(folder, "--workers", "2", "--with-worker", port=server.port)


def test_no_acknowledged_payment_is_lost_or_duplicated(tmp_path, settings, organiser, db):
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Muster AG",
            "address": "Weg 1",
            "postal_code": "04109",
            "city": "Leipzig",
        },
    )
    drafts = [
        organiser.make(
            "/invoices",
            {
                "contact_id": contact["id"],
                "items": [
                    {"description": "Hall", "quantity": 1, "unit_price": 1000, "tax_rate": 19}
                ],
            },
        )
        for _ in range(INVOICES)
    ]
    numbers = [
        organiser.post(f"/invoices/{draft['id']}/send", status=200).json["data"]["invoice_number"]
        for draft in drafts
    ]
    with db.write():
        _, key = api_keys.create_key(db, "tills", ["payments"])

    server = processes.Server(tmp_path, "--workers", "2", "--with-worker")
    try:
        cashiers = Cashiers(server.port, key, numbers)
        for count, victim in (
            (100, "server"),
            (200, "worker"),
            (300, "first"),
            (500, "server"),
            (600, "worker"),
            (700, "first"),
            (850, "server"),
        ):
            cashiers.reached(count)
            if victim == "server":
                kill(processes.until(partial(served_by, server))[0])
            elif victim == "worker":
                kill(processes.until(server.worker))
            else:
                server = restarted(tmp_path, server)
        cashiers.reached(PAYMENTS)
        for thread in cashiers.threads:
            thread.join(120)
    finally:
        server.__exit__()

    assert cashiers.refused == []
    assert len(cashiers.acknowledged) == PAYMENTS
    assert cashiers.repeated > 0, "no request was cut off: this run proves nothing"
    stored = dict(db.connection.execute("SELECT transaction_id, id FROM payments"))
    assert stored == {f"till-{number}": id for number, id in cashiers.acknowledged.items()}
    assert db.connection.execute("SELECT count(*), sum(amount) FROM payments").fetchone() == (
        PAYMENTS,
        PAYMENTS * 100,
    )
    checked = processes.eventapi(tmp_path, "check")
    assert (checked.stdout, checked.stderr) == ("ok\n", "")
