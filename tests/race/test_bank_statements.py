"""Many clients import one bank statement at once, with real server processes: each transaction is
booked once.
"""

from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from json import loads
from threading import Barrier
from time import sleep

import pytest

from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from tests.support import camt, processes
from tests.support.concurrent_requests import ROUNDS

pytestmark = pytest.mark.processes

ACCOUNT = "DE02120300000000202051"
CLIENTS, INVOICES = 6, 30


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "clerks", ["payments"])[1]


@pytest.fixture
def server(tmp_path, key):
    (tmp_path / "eventapi.conf").write_text(f"[eventapi]\norganiser_iban = {ACCOUNT}\n")
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


def invoices(organiser):
    """Send invoices with numbers of another system."""
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Rosen KG",
            "address": "Weg 1",
            "city": "Uetersen",
            "postal_code": "25436",
        },
    )
    for number in range(INVOICES):
        line = {
            "description": "Stand",
            "quantity": 1,
            "unit_price": 100 + number,
            "tax_rate": 0,
            "tax_category": "Z",
        }
        draft = organiser.make(
            "/invoices",
            {
                "contact_id": contact["id"],
                "invoice_number": f"R-2026-{number:05}",
                "issue_date": "2026-04-01",
                "items": [line],
            },
        )
        organiser.post(f"/invoices/{draft['id']}/send", {}, status=200)


def entry(number, **more):
    return {
        "day": "2026-05-04",
        "amount": 10000 + 100 * number,
        "text": f"R-2026-{number:05}",
        **more,
    }


def import_at_once(port, key, bodies):
    """Import files at the same time with auto=exact. Return (status, data) of each.

    Only some files are parsed at a time: a client repeats a request that got 503 after
    `Retry-After`.
    """
    start = Barrier(len(bodies))

    def client(body):
        start.wait(30)
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        while True:
            connection.request(
                "POST",
                "/api/v1/payments/import?auto=exact",
                body,
                {"Authorization": f"Bearer {key}", "Content-Type": "application/xml"},
            )
            response = connection.getresponse()
            status, content = response.status, loads(response.read())
            if status != 503:
                connection.close()
                return status, content["data"]
            sleep(int(response.headers["Retry-After"]))

    with ThreadPoolExecutor(len(bodies)) as clients:
        return list(clients.map(client, bodies))


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_the_same_and_overlapping_statements_book_each_transaction_once(
    server, key, organiser, db, round_
):
    invoices(organiser)
    entries = [entry(number) for number in range(INVOICES)]
    parts = [entries, entries[:20], entries[10:], entries[::-1], entries, entries[5:25]]
    bodies = [
        camt.document([camt.statement(ACCOUNT, part, number=place)])
        for place, part in enumerate(parts, 1)
    ]
    answers = import_at_once(server.port, key, bodies)
    assert {status for status, _ in answers} <= {200, 201}
    assert sum(data["imported"] for _, data in answers) == INVOICES
    assert sum(data["booked"] for _, data in answers) == INVOICES
    assert len(organiser.data("/payments?per_page=100")) == INVOICES
    assert {row["status"] for row in organiser.data("/invoices?per_page=100")} == {"paid"}
    assert organiser.data("/payments/unmatched") == []
    assert checks.findings(db) == []


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_a_rule_puts_each_transaction_aside_once_while_others_import_and_change_rules(
    server, key, organiser, db, round_
):
    fee = organiser.make("/payments/import/rules", {"text": "Entgelt", "reason": "Fee"})
    entries = [entry(number, amount=-1 - number, text="Entgelt") for number in range(INVOICES)]
    parts = [entries, entries[:20], entries[10:], entries[::-1]]
    bodies = [
        camt.document([camt.statement(ACCOUNT, part, number=place)])
        for place, part in enumerate(parts, 1)
    ]
    with ThreadPoolExecutor(1) as other:
        answers = other.submit(import_at_once, server.port, key, bodies)
        while not answers.done():
            made = organiser.make("/payments/import/rules", {"text": "Entgelt", "reason": "Other"})
            organiser.delete(f"/payments/import/rules/{made['id']}", status=204)
    assert sum(data["imported"] for _, data in answers.result()) == INVOICES
    assert sum(data["put_aside"] for _, data in answers.result()) == INVOICES
    aside = organiser.data("/payments/unmatched?status=ignored&per_page=100")
    assert {(row["rule_id"], row["ignored_reason"]) for row in aside} == {(fee["id"], "Fee")}
    audited = organiser.data("/audit-log?entity_type=bank_transaction&per_page=100")
    assert sorted(row["entity_id"] for row in audited) == sorted(row["id"] for row in aside)
    assert checks.findings(db) == []
