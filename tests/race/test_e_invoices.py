"""Many clients send the same drafts at once, with real server processes: each invoice has one
e-invoice.
"""

import pytest

from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from tests.einvoices_sent.conftest import BUYER, STAND
from tests.support import processes
from tests.support.concurrent_requests import send_at_once

pytestmark = pytest.mark.processes


def test_drafts_that_are_sent_at_once_have_one_e_invoice_each(tmp_path, settings, organiser, db):
    with db.write():
        key = api_keys.create_key(db, "clerks", ["invoices"])[1]
    names = ("name", "street", "city", "vat_id")
    options = [f"organiser_{name} = {getattr(settings, f'organiser_{name}')}\n" for name in names]
    (tmp_path / "eventapi.conf").write_text("".join(["[eventapi]\n", *options]))
    contact = organiser.make("/contacts", BUYER)
    drafts = [
        organiser.make("/invoices", {"contact_id": contact["id"], "items": [STAND]})
        for _ in range(6)
    ]
    with processes.Server(tmp_path, "--workers", "2") as server:
        answers = send_at_once(
            server.port,
            key,
            [("POST", f"/invoices/{draft['id']}/send", None) for _ in range(4) for draft in drafts],
        )
    assert {status for status, _ in answers} == {200}
    hashes = {
        (answer["data"]["id"], answer["data"]["invoice_number"], answer["data"]["xml_sha256"])
        for _, answer in answers
    }
    assert len(hashes) == len({sha256 for _, _, sha256 in hashes}) == len(drafts)
    stored = db.connection.execute(
        "SELECT i.id, i.invoice_number, d.sha256 FROM e_invoices d JOIN invoices i "
        "ON i.id = d.invoice_id"
    ).fetchall()
    assert set(stored) == hashes and checks.findings(db) == []
