"""Imports need little memory, in the server and in the worker: the units limit both (MemoryMax)."""

import http.client
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.http_client import HttpClient
from tests.support.processes import Server, children, until

pytestmark = pytest.mark.processes

MORE = 150  # MB that a process may need besides what it needs at rest; four imports needed 700
SENDERS = 4  # as many as occupy all places of eight threads


@pytest.fixture(scope="module")
def server(folder, key):
    with Server(folder, "--with-worker", "--workers", "1", EVENTAPI_THREADS="8") as server:
        until(server.worker)
        yield server


def memory(pid, name="VmHWM"):
    """Return the present (VmRSS) or the highest (VmHWM) resident memory of a process in MB."""
    return int(re.search(rf"{name}:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def send(server, key, body, path="contacts", kind="application/json"):
    """Send an import. Return (status, body); 503 while other imports occupy all places."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    try:
        connection.request(
            "POST",
            f"/api/v1/bulk-import/{path}",
            body,
            {"Authorization": f"Bearer {key}", "Content-Type": kind},
        )
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except ConnectionError:  # gthread closes the connection of a body that it does not read
        return 503, None
    finally:
        connection.close()


def accepted(server, key, *arguments):
    """Send an import until the server accepts it. Return its id."""
    status, answer = until(lambda: (got := send(server, key, *arguments))[0] != 503 and got, 300)
    assert status == 202, answer
    return answer["data"]["id"]


def processes(server):
    return list(children(server.process.pid))


def contact(number, notes=""):
    return {
        "email": f"a{number}@example.org",
        "company_name": f"Company {number}",
        "tags": ["new"] * 50,
        "notes": notes,
    }


HOSTILE = {"tags": [[]] * 9000, "email": 1}  # short as text, long in memory, and with many faults
# Functions, because 26 MB of JSON are made only where the test runs.
BODIES = {
    "10,000 contacts": lambda: {
        "mode": "update",
        "records": [contact(number, "x" * 900) for number in range(10_000)],
    },
    "16 MiB of empty arrays": lambda: {"records": [HOSTILE] * 400},
}


@pytest.mark.parametrize("name", BODIES)
def test_many_large_imports_at_once_need_little_memory(server, key, name):
    body = json.dumps(BODIES[name]()).encode()
    assert 8_000_000 < len(body) < 16 * 1024 * 1024
    before = {pid: memory(pid, "VmRSS") for pid in processes(server)}
    with ThreadPoolExecutor(SENDERS) as pool:
        ids = list(pool.map(lambda _: accepted(server, key, body), range(SENDERS)))
    for pid in before:
        assert memory(pid) < before[pid] + MORE, f"{name}: process {pid} needed {memory(pid)} MB"
    with HttpClient(server.url, key, timeout=300) as api:
        until(lambda: api.data("GET", f"/bulk-import/{ids[0]}")["finished_at"], 300)
        shown = api.data("GET", f"/bulk-import/{ids[0]}")
        assert shown["status"] == "done", shown["failure"]
        assert shown["rejected"] == (0 if name == "10,000 contacts" else 400)
    for pid in before:
        assert memory(pid) < before[pid] + MORE, f"{name}: process {pid} needed {memory(pid)} MB"
