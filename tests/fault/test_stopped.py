"""Processes are stopped (SIGSTOP) and continued, also one that holds the write lock."""

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fault.ledger import Ledger, differences
from tests.fault.load import OPTIONS, Load, Show
from tests.fault.test_rounds import ROUNDS, is_sound
from tests.support import processes
from tests.support.http_client import HttpClient

pytestmark = pytest.mark.processes

LONGEST = 40  # seconds until writes are refused: ten for the lock, and time for a slow machine
WRITES = 10  # that wait for the lock


@pytest.fixture
def show(tmp_path):
    return Show(tmp_path)


def stopped(pid, seconds):
    """Stop a process for so long."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:  # it was just ending by itself
        return
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)


def test_no_write_is_lost_when_processes_are_stopped_for_a_while(show):
    ledger, chance = Ledger(), random.Random()
    with processes.Server(show.data, "--workers", "2", "--with-worker", **OPTIONS) as server:
        load = Load(show, server.port, ledger=ledger)
        for _ in range(max(4, ROUNDS // 5)):
            stopped(
                chance.choice([server.process.pid, *processes.children(server.process.pid)]),
                chance.uniform(0.2, 1.5),
            )
            time.sleep(0.2)
        load.finish()
        assert load.faults == []
    print(ledger.counts())
    assert differences(ledger, show.data) == []
    is_sound(show)


HOLD = """
import signal, sys
from eventapi import config
from eventapi.storage.database import Database
db = Database(config.load())
with db.write():
    print("locked", flush=True)
    signal.pause()
"""


@pytest.mark.own_server("waiting writes occupy all threads of gthread")
def test_while_a_stopped_process_holds_the_lock_writes_are_refused_in_time_and_reads_go_on(show):
    """Each write is refused, also the one that waits for the lock in the kernel.

    Afterwards everything goes on.
    """
    with (
        subprocess.Popen(
            [sys.executable, "-c", HOLD],
            env=processes.environment(show.data, **OPTIONS),
            cwd=processes.ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as holder,
        processes.Server(show.data, "--workers", "2", **OPTIONS) as server,
        ThreadPoolExecutor(WRITES) as clients,
    ):
        try:
            assert holder.stdout.readline() == "locked\n"
            os.kill(holder.pid, signal.SIGSTOP)
            answers = [clients.submit(post, server.url, show.key) for _ in range(WRITES)]
            processes.until(lambda: all(answer.done() for answer in answers), LONGEST)
            assert {answer.result() for answer in answers} == {(503, "database_busy")}
            with HttpClient(server.url, show.key) as reader:
                assert reader("GET", "/events")[0] == 200
        finally:
            holder.kill()
        processes.until(lambda: post(server.url, show.key)[0] == 201, 60)
        with HttpClient(server.url, show.key) as reader:
            assert len(reader.data("GET", "/events?search=Busy&per_page=100")) == 1, (
                "refused writes are not stored"
            )
    is_sound(show)


def post(url, key):
    """Create an event. Return the status and the code of a problem."""
    with HttpClient(url, key, timeout=120) as client:
        status, answer = client("POST", "/events", {"title": "Busy"})
        return status, answer.get("code")
