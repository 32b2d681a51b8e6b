"""Another process has the write lock and does not release it."""

import fcntl
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.http_client import HttpClient
from tests.support.processes import Server, eventapi

pytestmark = pytest.mark.processes

CLIENTS = 30


@pytest.mark.own_server("waiting writes occupy all threads of gthread")
def test_writes_get_503_in_time_and_reads_continue(tmp_path):
    eventapi(tmp_path, "migrate")
    key = eventapi(
        tmp_path, "key", "create", "--name", "test", "--all-scopes", "--quiet"
    ).stdout.strip()

    def post(_):
        with HttpClient(server.url, key, timeout=60) as client:
            return client("POST", "/events", {"title": "Fair"})[0]

    with Server(tmp_path, "--workers", "1") as server, ThreadPoolExecutor(CLIENTS) as clients:
        assert post(None) == 201
        with (
            open(tmp_path / "eventapi.db.lock") as lock_file,
            HttpClient(server.url, key) as reader,
        ):
            fcntl.flock(lock_file, fcntl.LOCK_EX)
            answers = [clients.submit(post, number) for number in range(CLIENTS)]
            deadline = time.monotonic() + 40
            while time.monotonic() < deadline and not all(answer.done() for answer in answers):
                start = time.monotonic()
                assert reader("GET", "/events")[0] == 200 and time.monotonic() - start < 2
                time.sleep(0.2)
            finished = [answer.result() for answer in answers if answer.done()]
            fcntl.flock(lock_file, fcntl.LOCK_UN)
        assert finished == [503] * CLIENTS, (
            "three threads write, ten seconds first and half a second later"
        )
        assert post(None) == 201
        with HttpClient(server.url, key) as client:  # refused writes are not stored
            assert client("GET", "/events")[1]["meta"]["total"] == 2
