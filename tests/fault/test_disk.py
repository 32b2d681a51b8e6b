"""The disk is full, fails, writes only a part, or does not sync, while clients write records of all
kinds.
"""

import json
import os
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing

import pytest

from tests.fault.faulty import Faults, needs_compiler
from tests.fault.ledger import Ledger, differences
from tests.fault.load import OPTIONS, Load, Show
from tests.fault.test_rounds import ROUNDS, is_sound
from tests.support import processes
from tests.support.http_client import HttpClient

pytestmark = [pytest.mark.processes, needs_compiler]

LASTS = 1.5  # seconds of a fault
# Without a fault. 503: a slow machine, or too many uploads at the same time.
EXPECTED = {200, 201, 202, 204, 404, 409, 422, 503}
if processes.SERVER == "gthread":
    # it closes the connection before the client has sent the rest of a long body
    EXPECTED.add("cut")

CASES = {
    "the disk of the database is full": ("write ENOSPC 100 eventapi.db",),
    "the disk of the database is full now and then": ("write ENOSPC 5 eventapi.db",),
    "the disk of the database fails": ("write EIO 100 eventapi.db",),
    "the disk of the database fails now and then": ("write EIO 5 eventapi.db",),
    "the database is not synced": ("sync EIO 100 eventapi.db",),
    "the database is not synced now and then": ("sync EIO 20 eventapi.db",),
    "the disk of the files is full": ("write ENOSPC 100 /files/",),
    "the disk of the files fails now and then": ("write EIO 30 /files/", "sync EIO 20 /files"),
    "writes are short": ("write SHORT 50 data/",),
    "everything fails now and then": (
        "write EIO 5 data/",
        "sync EIO 10 data/",
        "write ENOSPC 5 data/",
        "write SHORT 30 data/",
    ),
}


def under(faults, lines, show, server, ledger):
    """Let clients write before, during and after the faults. Return the answers that they got."""
    before = Counter(ledger.statuses)
    load = Load(show, server.port, ledger=ledger)
    time.sleep(0.3)
    faults.set(*lines)
    time.sleep(LASTS)
    faults.clear()
    load.finish()
    assert load.faults == [], lines
    assert processes.get(f"{server.url}/healthz")[0] == 200, lines
    assert differences(ledger, show.data) == [], lines
    return ledger.statuses - before


@pytest.mark.parametrize("turn", range(max(1, ROUNDS // 20)))
def test_no_acknowledged_write_is_lost_and_the_service_recovers_by_itself(tmp_path, turn):
    """No process is restarted.

    What was refused with 503 or 507 is not stored, unless the client sent it again.
    """
    data = tmp_path / "data"
    data.mkdir()
    show, faults, ledger = Show(data), Faults(tmp_path), Ledger()
    with (
        open(tmp_path / "log", "w") as log,
        processes.Server(
            data, "--workers", "2", "--with-worker", log=log, **OPTIONS, **faults.options
        ) as server,
    ):
        first = sorted(processes.children(server.process.pid))
        for name, lines in CASES.items():
            happened = faults.happened
            answers = under(faults, lines, show, server, ledger)
            print(f"{name}: {faults.happened - happened} failed calls, {dict(answers)}", flush=True)
            assert faults.happened > happened, f"{name}: no call failed, so this proves nothing"
            assert set(answers) <= EXPECTED | (set() if "SHORT" in lines[0] else {507}), name
        assert sorted(processes.children(server.process.pid)) == first, "a process was restarted"
    print(ledger.counts())
    is_sound(show)


def test_a_write_that_was_refused_because_a_sync_failed_does_not_come_back_after_a_crash(
    tmp_path, folder, key
):
    """SQLite has written the transaction to the log before the sync: the next opening of the
    database would find it.
    """
    faults = Faults(tmp_path)
    with (
        processes.Server(folder, "--workers", "1", **faults.options) as server,
        HttpClient(server.url, key) as client,
    ):
        client.data("POST", "/events", {"title": "stored"}, status=201)
        faults.set("sync EIO 100 eventapi.db")
        assert client("POST", "/events", {"title": "refused"})[0] == 503
        assert faults.happened, "no call failed: this proves nothing"
        pids = server.process.pid, *processes.children(server.process.pid)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        processes.until(lambda: not any(processes.alive(pid) for pid in pids))
    with closing(sqlite3.connect(folder / "eventapi.db")) as db:
        assert [title for (title,) in db.execute("SELECT title FROM events")] == ["stored"]
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_full_disk_is_known_to_all_processes_until_a_write_succeeds(tmp_path, folder, key):
    """Also after the process that met it was killed.

    The disk of the test has space, as with a quota.
    """

    def told():
        health = json.loads(processes.get(f"{server.url}/healthz")[1])["disk"]
        return health, "Writes are refused." in processes.eventapi(folder, "status").stdout

    faults = Faults(tmp_path)
    with (
        processes.Server(folder, "--workers", "2", **faults.options) as server,
        HttpClient(server.url, key) as client,
    ):
        client.data("POST", "/events", {"title": "stored"}, status=201)
        assert told() == ("ok", False)
        faults.set("write ENOSPC 100 eventapi.db")
        assert client("POST", "/events", {"title": "refused"})[0] == 507
        assert {told() for _ in range(4)} == {("full", True)}
        pids = server.process.pid, *processes.children(server.process.pid)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        processes.until(lambda: not any(processes.alive(pid) for pid in pids))
    with (
        processes.Server(folder, "--workers", "1") as server,
        HttpClient(server.url, key) as client,
    ):
        assert told() == ("full", True)
        client.data("POST", "/events", {"title": "stored again"}, status=201)
        assert told() == ("ok", False)


@pytest.mark.parametrize(
    "lines, code",
    [
        (("write ENOSPC 100 copy.tar",), 1),
        (("write EIO 100 copy.tar",), 1),
        (("sync EIO 100 copy.tar",), 1),
        (("write EIO 100 eventapi-",), 1),
        (("write SHORT 50 copy.tar",), 0),
    ],
    ids=str,
)
def test_a_backup_is_complete_or_does_not_exist(tmp_path, folder, lines, code):
    faults, target = Faults(tmp_path), tmp_path / "copy.tar"
    faults.set(*lines)
    made = processes.eventapi(folder, "backup", str(target), **faults.options)
    assert (made.returncode, target.exists()) == (code, code == 0), made.stderr
    assert len(made.stderr.splitlines()) == code, made.stderr
    assert faults.happened, "no call failed: this proves nothing"
