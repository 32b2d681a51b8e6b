"""GET handlers do not write: all routes are read in the sample show while every write transaction
fails.
"""

import re
from collections import Counter

import pytest
import webtest

from eventapi.app import App, routes
from eventapi.demo import show as demo
from eventapi.storage.database import Database
from eventapi.storage.group_commit import Writer
from tests.support.client import SCOPES, Client, add_key, make_settings
from tests.support.each import check_each

READS = [
    route.path for route in routes() if route.method == "GET" and route.path.startswith("/api/v1/")
]
TEXT_VALUES = {"entity_type": "contact", "customer_number": "C-00001"}
# parameters of lists
REQUIRED = {
    "/notes": "&entity_type=contact&entity_id=1",
    "/schedules": "&event_id=1",
}
MOST = 3  # records of each resource that are read, and invoices of each status


@pytest.fixture(scope="module")
def show(tmp_path_factory, template):
    """Return a client with all scopes, and the database, which holds the sample show.

    The use of its key is already recorded.
    """
    settings = make_settings(tmp_path_factory.mktemp("reads"), template)
    demo.make(settings)
    db = Database(settings)
    client = Client(webtest.TestApp(App(settings)), add_key(db, SCOPES))
    client.get("/events", status=200)
    yield client, db
    db.close()


@pytest.fixture
def read_only(monkeypatch):
    """Fail each write transaction."""

    def refuse(*_, **__):
        raise AssertionError("a GET opens a write transaction")

    monkeypatch.setattr(Database, "write", refuse)
    monkeypatch.setattr(Writer, "write", refuse)


def addresses(client, path):
    """Return the paths of the route, with the ids of existing records."""
    path = path.removeprefix("/api/v1")
    for name, value in TEXT_VALUES.items():
        path = path.replace(f"<{name}>", value)
    if "<id>" not in path:
        return [path]
    parent = (
        "/contacts" if path.startswith("/custom-fields/contact") else path.partition("/<id>")[0]
    )
    records = client.get(f"{parent}?per_page={MOST}{REQUIRED.get(parent, '')}", status=200).json[
        "data"
    ]
    ids = [record["id"] for record in records] or [1]
    return [path.replace("<id>", str(id)).replace("<item_id>", "1") for id in ids]


def test_a_get_opens_no_write_transaction(show, read_only):
    client, db = show

    def check(path):
        before = db.data_version()
        for address in addresses(client, path):
            assert not re.search(r"[<>]", address)
            assert client.get(address).status_int < 500
        assert db.data_version() == before

    check_each({path: path for path in READS}, check)


def test_the_pdf_of_a_sent_invoice_is_read_without_a_write(show, read_only):
    pytest.importorskip("reportlab")
    client, db = show
    assert db.connection.execute(
        "SELECT count(*) FROM invoices WHERE pdf_source IS NOT NULL"
    ).fetchone()[0]
    statuses = Counter(invoice["status"] for invoice in client.data("/invoices?per_page=100"))
    assert len(statuses) > 3
    for status in statuses:
        for invoice in client.data(f"/invoices?status={status}&per_page={MOST}"):
            assert client.get(f"/invoices/{invoice['id']}/pdf", status=200).body.startswith(
                b"%PDF-"
            )
