"""Another process stands in the door and does not move."""
import fcntl
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.http_client import HttpClient
from tests.support.processes import Server, eventapi

pytestmark = pytest.mark.processes

CLIENTS = 30


def test_writes_hear_of_it_in_time_and_reads_go_on(tmp_path):
    eventapi(tmp_path, "migrate")
    key = eventapi(tmp_path, "key", "create", "--name", "test", "--all-scopes", "--quiet").stdout.strip()

    def post(_):
        start = time.monotonic()
        with HttpClient(server.url, key) as client:
            return client("POST", "/events", {"title": "Fair"})[0], time.monotonic() - start
    with Server(tmp_path, "--workers", "1") as server, ThreadPoolExecutor(CLIENTS) as clients:
        assert post(None)[0] == 201
        with open(tmp_path / "eventapi.db.lock") as door, HttpClient(server.url, key) as reader:
            fcntl.flock(door, fcntl.LOCK_EX)
            answers = [clients.submit(post, number) for number in range(CLIENTS)]
            deadline = time.monotonic() + 14
            while time.monotonic() < deadline:
                start = time.monotonic()
                assert reader("GET", "/events")[0] == 200 and time.monotonic() - start < 2
                time.sleep(0.2)
            told = [answer.result() for answer in answers if answer.done()]
            fcntl.flock(door, fcntl.LOCK_UN)
        assert len(told) >= CLIENTS - 1                     # one waits in the kernel, where nobody can call it back
        assert {status for status, _ in told} == {503} and max(seconds for _, seconds in told) < 13
        busy = Counter(answer.result()[0] for answer in answers)[503]
        assert post(None)[0] == 201
        with HttpClient(server.url, key) as client:         # what was refused was not done
            assert client("GET", "/events")[1]["meta"]["total"] == 2 + CLIENTS - busy
