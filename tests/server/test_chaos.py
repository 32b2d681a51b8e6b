"""Many hostile clients at once: no response belongs to another request, and nothing acknowledged is
lost.

It takes 10 s on each path. To run it longer, with the numbers of what was compared:

    SECONDS=90 EVENTAPI_SERVER=own .venv/bin/python -m pytest -s tests/server/test_chaos.py
"""

import os
import sqlite3
import time
from contextlib import ExitStack
from threading import Event

import pytest

from tests.support import nginx_site, wire
from tests.support.hostile import Calm, Hostile, Ledger
from tests.support.processes import SERVER, Server, eventapi, until

pytestmark = pytest.mark.processes

SECONDS = int(os.environ.get("SECONDS", "10"))
CLIENTS = 24


def connections(stack, path, folder, server):
    """Return a function that returns how client number N connects: each from an address of its own."""
    if path == "tcp":
        return lambda number: wire.tcp(server.port, f"127.0.1.{number + 1}")
    site = folder / "nginx"
    site.mkdir()
    port, _ = stack.enter_context(nginx_site.running(site, f"127.0.0.1:{server.port}"))
    return lambda number: wire.tls(port, f"127.0.1.{number + 1}")


@pytest.mark.parametrize("path", ["tcp", pytest.param("nginx", marks=nginx_site.required)])
def test_hostile_clients_get_their_own_responses_and_lose_nothing(tmp_path, path):
    assert eventapi(tmp_path, "migrate").returncode == 0
    keys = [
        eventapi(
            tmp_path, "key", "create", "--name", name, "--all-scopes", "--quiet"
        ).stdout.strip()
        for name in ("calm", "hostile")
    ]
    ledger, end = Ledger(), Event()
    with ExitStack() as stack:
        log = stack.enter_context(open(tmp_path / "log", "w"))
        server = stack.enter_context(Server(tmp_path, "--workers", "2", log=log))
        connect = connections(stack, path, tmp_path, server)
        calm = Calm(connect(0), keys[0], ledger, end)
        clients = [
            calm,
            *(
                Hostile(number, connect(number), keys[1], ledger, end)
                for number in range(1, CLIENTS + 1)
            ),
        ]
        for client in clients:
            client.start()
        began = time.monotonic()
        # a slow machine needs longer to prove something
        until(
            lambda: (
                time.monotonic() > began + SECONDS
                and len(ledger.created) > 20
                and ledger.deleted
                and calm.served
            ),
            timeout=SECONDS + 120,
        )
        end.set()
        for client in clients:
            client.join(120)
        assert not any(client.is_alive() for client in clients), "a client waits for a response"
    print(
        f"{path}: {ledger.compared} responses compared, {len(ledger.created)} writes acknowledged, "
        f"calm client {calm.served} times, at most {calm.slowest:.1f} s"
    )
    assert ledger.wrong == []
    assert calm.failures == []
    check_stored(tmp_path, ledger)
    assert eventapi(tmp_path, "check").stdout == "ok\n"
    assert eventapi(tmp_path, "audit", "verify").returncode == 0
    if SERVER == "own":
        assert "Traceback" not in (tmp_path / "log").read_text()


def check_stored(folder, ledger):
    """Compare the database with what the clients know."""
    connection = sqlite3.connect(folder / "eventapi.db")
    events = connection.execute("SELECT title, id FROM events").fetchall()
    contacts = {name for (name,) in connection.execute("SELECT company_name FROM contacts")}
    connection.close()
    stored = dict(events)
    assert len(stored) == len(events), "an event was stored twice"
    missing = {
        title for title, id in ledger.created.items() if stored.get(title) != id
    } - ledger.maybe_deleted
    assert not missing, "acknowledged and not stored"
    assert not ledger.deleted & set(stored), "deleted and still stored"
    assert not ledger.refused & (set(stored) | contacts), "refused and stored"
    assert set(stored) <= set(ledger.created) | ledger.maybe_created, "stored and never sent"
