"""The main path of a show over HTTP, with a real server of two processes: from the application to
the paid invoice.
"""

import json
from contextlib import ExitStack

import pytest

from tests.support.http_client import HttpClient
from tests.support.processes import ROOT, Server, eventapi

pytestmark = pytest.mark.processes


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return a function that runs an eventapi command on the data of the server and returns its
    output.
    """
    (tmp_path / "eventapi.conf").write_text(
        (ROOT / "tests" / "support" / "organiser.conf").read_text()
    )

    def run(*words):
        done = eventapi(tmp_path, *words)
        assert done.returncode == 0, f"eventapi {' '.join(words)}: {done.stderr or done.stdout}"
        return done.stdout

    run("migrate")
    return run


@pytest.fixture
def server(tmp_path, command):
    with Server(tmp_path, "--workers", "2", "--with-worker") as server:
        yield server


@pytest.fixture
def connect(server, command):
    """Return a function that opens connections to the server, all with one new key."""
    key = command("key", "create", "--name", "test", "--all-scopes", "--quiet").strip()
    with ExitStack() as stack:
        yield lambda: stack.enter_context(HttpClient(server.url, key))


def test_an_exhibitor_from_application_to_paid_invoice(connect, command):
    api = connect()
    event = api.data(
        "POST",
        "/events",
        {
            "title": "Garden Fair",
            "date_from": "2099-05-01",
            "date_to": "2099-05-03",
            "application_deadline": "2099-02-28",
        },
        status=201,
    )
    contact = api.data(
        "POST",
        "/contacts",
        {
            "company_name": "Bąk & Söhne",
            "email": "office@bak.example",
            "address": "Rynek 1",
            "postal_code": "00-001",
            "city": "Warszawa",
            "country": "PL",
        },
        status=201,
    )
    application = api.data(
        "POST",
        "/applications",
        {
            "company_name": "Bąk & Söhne",
            "email": "office@bak.example",
            "event_keys": [event["event_key"]],
        },
        status=201,
    )
    api.data("POST", f"/applications/{application['id']}/review")
    approved = api.data("POST", f"/applications/{application['id']}/approve", {})
    assert approved["status"] == "approved" and approved["contact_id"] == contact["id"]
    (participant,) = api.data("GET", f"/participants?event_key={event['event_key']}")
    assert (
        participant["contact_id"] == contact["id"]
        and participant["application_id"] == application["id"]
    )

    invoice = api.data(
        "POST",
        "/invoices",
        {
            "event_participant_id": participant["id"],
            "items": [
                {
                    "description": "Stand 9 m²",
                    "quantity": 9,
                    "unit": "m²",
                    "unit_price": 84.5,
                    "tax_rate": 19,
                },
                {"description": "Katalog", "quantity": 1, "unit_price": 33.33, "tax_rate": 7},
            ],
        },
        status=201,
    )
    assert (invoice["subtotal"], invoice["tax_total"], invoice["total"]) == (793.83, 146.83, 940.66)
    invoice = api.data("POST", f"/invoices/{invoice['id']}/send", {})
    assert (
        invoice["status"] == "sent"
        and invoice["is_locked"] is True
        and invoice["invoice_number"].startswith("INV-")
    )

    first = api.data(
        "POST",
        "/payments",
        {"invoice_number": invoice["invoice_number"], "amount": 400},
        status=201,
    )
    state = api.data("GET", f"/invoices/{invoice['id']}")
    assert (state["status"], state["paid_amount"], state["open_amount"]) == (
        "partially_paid",
        400,
        540.66,
    )
    second = api.data(
        "POST",
        "/payments",
        {"invoice_number": invoice["invoice_number"], "amount": 540.66},
        status=201,
    )
    state = api.data("GET", f"/invoices/{invoice['id']}")
    assert (state["status"], state["paid_amount"], state["open_amount"]) == ("paid", 940.66, 0)
    refunded = api.data("POST", f"/payments/{first['id']}/refund", {"amount": 400})
    assert (refunded["status"], refunded["refunded_amount"]) == ("refunded", 400)
    state = api.data("GET", f"/invoices/{invoice['id']}")
    assert (state["status"], state["paid_amount"], state["open_amount"]) == (
        "partially_paid",
        540.66,
        400,
    )
    assert api.data("GET", f"/payments/{second['id']}")["status"] == "completed"

    note = api.data(
        "POST",
        "/notes",
        {"entity_type": "invoice", "entity_id": invoice["id"], "note_text": "call them"},
        status=201,
    )
    assert api.data("POST", f"/notes/{note['id']}/pin")["is_pinned"] is True

    command("audit", "verify")
    command("check")


def test_flags_and_keys_changed_on_the_command_line_take_effect_at_once(connect, command):
    clients = [connect() for _ in range(8)]  # both processes, several threads

    def statuses(path):
        return {client("GET", path)[0] for client in clients}

    assert statuses("/payments") == {200}
    command("flag", "disable", "invoices")
    assert statuses("/payments") == {403}
    command("flag", "enable", "invoices")
    assert statuses("/payments") == {200}
    command("key", "revoke", str(json.loads(command("key", "list", "--json"))[0]["id"]))
    assert statuses("/events") == {401}
