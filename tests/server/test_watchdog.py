"""A process whose threads all hang ends and is replaced; systemd hears only from processes that
work.
"""

import http.client
import os
import signal
import socket
import time
from contextlib import ExitStack, closing, suppress

import pytest

from tests.server.test_slow_clients import Reader
from tests.server.test_slow_uploads import documents
from tests.support import processes
from tests.support.http_client import HttpClient
from tests.support.processes import ROOT, Server, children, get, start, until

pytestmark = pytest.mark.processes

# GET /hang occupies its thread for ever.
HANGING = """
import threading
from eventapi.app import App
from eventapi.server import watchdog
from eventapi.server.{module} import Worker

inner = App.__call__

def hang_here():
    threading.Event().wait()

def call(self, environ, start_response):
    if environ["PATH_INFO"] == "/hang":
        hang_here()
    return inner(self, environ, start_response)

App.__call__, watchdog.LIMIT = call, {limit}
"""
MODULES = {"own": "worker", "gthread": "gthread"}


def options(place, limit):
    """Return the environment of a server with GET /hang, whose watchdog waits for so many checks."""
    (place / "hanging.py").write_text(HANGING.format(limit=limit, module=MODULES[processes.SERVER]))
    return {
        "GUNICORN_CMD_ARGS": "-k hanging.Worker",
        "PYTHONPATH": f"{ROOT}:{place}",
        "EVENTAPI_THREADS": "4",
    }


def ask_to_hang(server, stack, number):
    for _ in range(number):
        client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
        client.sendall(b"GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")


def kill(server):
    """Kill the server processes until the server has ended: SIGTERM would wait for the threads that
    hang.

    Before it sees the signal, the server may replace a killed process, which gets the requests that
    still wait.
    """
    server.process.send_signal(signal.SIGTERM)

    def has_ended():
        for pid in children(server.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return server.process.poll() is not None

    until(has_ended, timeout=30)


def test_a_process_whose_threads_all_hang_is_replaced_and_its_stacks_are_logged(
    folder, key, tmp_path
):
    with (
        open(tmp_path / "log", "w") as log,
        ExitStack() as stack,
        Server(folder, "--workers", "1", log=log, **options(tmp_path, 3)) as server,
    ):
        (before,) = children(server.process.pid)
        ask_to_hang(server, stack, 6)  # the last two wait for a thread
        until(lambda: before not in children(server.process.pid), timeout=60)
        until(lambda: get(f"{server.url}/healthz")[0] == 200, timeout=60)
        kill(server)  # the new process has received the last two requests
    text = (tmp_path / "log").read_text()
    assert "requests wait and none has finished" in text
    assert text.count("in hang_here") == 4, "the stacks of all threads"


def test_a_process_with_a_free_thread_and_slow_transfers_is_left_alone(folder, key, tmp_path):
    with Server(folder, "--workers", "1", **options(tmp_path, 3)) as server, ExitStack() as stack:
        (before,) = children(server.process.pid)
        ask_to_hang(server, stack, 1)
        with HttpClient(server.url, key) as api:
            (path,) = documents(api, 1)
        slow = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
        slow.sendall(
            f"PUT /api/v1{path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/octet-stream\r\nContent-Length: 200000\r\n\r\n".encode()
        )
        end = time.monotonic() + 6
        while time.monotonic() < end:
            slow.sendall(b"x" * 1000)
            time.sleep(0.3)
        assert get(f"{server.url}/healthz")[0] == 200
        assert list(children(server.process.pid)) == [before]
        kill(server)


@pytest.mark.own_server(
    "with gthread, a response that waits for its reader is not inside the application"
)
def test_a_process_whose_threads_all_wait_for_a_proxy_is_left_alone(folder, key, tmp_path):
    """A proxy that stands still for a while: each wait for it has a deadline, and takes longer than
    the watchdog's.
    """
    given = {
        **options(tmp_path, 3),
        "EVENTAPI_THREADS": "2",
        "EVENTAPI_TRUSTED_PROXIES": "127.0.0.1",
    }
    with Server(folder, "--workers", "1", **given) as server, ExitStack() as stack:
        (before,) = children(server.process.pid)
        for _ in range(2):
            stack.enter_context(closing(Reader(server, key, "/openapi.json")))
        start = time.monotonic()
        until(lambda: refused_or_late(server), timeout=60)
        until(lambda: get(f"{server.url}/healthz")[0] == 200, timeout=60)
        assert time.monotonic() - start > 4, "no request waited for so long: this proves nothing"
        assert list(children(server.process.pid)) == [before]


def refused_or_late(server):
    """Return whether a request gets no response at once."""
    with socket.create_connection(("127.0.0.1", server.port), 0.3) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try:
            return not client.recv(1)
        except OSError:
            return True


# A new process takes its time before it sets its signal handlers, as on a busy machine.
SLOW_START = """
import time
from eventapi.server.{module} import Worker

class Late(Worker):
    def init_process(self):
        time.sleep(3)
        super().init_process()
"""


def test_a_server_that_is_stopped_while_it_replaces_a_process_ends_at_once(folder, tmp_path):
    (tmp_path / "late.py").write_text(SLOW_START.format(module=MODULES[processes.SERVER]))
    with Server(
        folder,
        "--workers",
        "1",
        GUNICORN_CMD_ARGS="-k late.Late --graceful-timeout 120",
        PYTHONPATH=f"{ROOT}:{tmp_path}",
    ) as server:
        before = children(server.process.pid)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        until(lambda: set(children(server.process.pid)) - set(before))
        # reaches the new process before its handlers are set
        server.process.send_signal(signal.SIGTERM)
        try:
            assert server.process.wait(60) == 0
        finally:
            server.process.kill()


class Systemd(socket.socket):
    """A socket that receives what processes report to systemd."""

    def __init__(self, path):
        super().__init__(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.bind(str(path))
        self.settimeout(0.2)
        self.environ = {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "90000000"}

    def reports(self, seconds):
        """Return the set of messages that arrive within so many seconds."""
        got, end = set(), time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                got.add(self.recv(1000))
            except TimeoutError:
                pass
        return got


def test_systemd_hears_from_a_server_that_works_and_not_from_one_that_hangs(folder, tmp_path):
    with (
        Systemd(tmp_path / "notify") as systemd,
        ExitStack() as stack,
        Server(folder, "--workers", "1", **options(tmp_path, 1000), **systemd.environ) as server,
    ):
        until(lambda: b"WATCHDOG=1" in systemd.reports(1))
        ask_to_hang(server, stack, 6)
        until(lambda: not systemd.reports(3), timeout=60)
        kill(server)


@pytest.mark.parametrize(
    ("main", "reports"), [({}, {b"WATCHDOG=1"}), ({"WATCHDOG_PID": "1"}, set())]
)
def test_systemd_hears_from_a_worker_that_is_a_service_of_its_own(folder, tmp_path, main, reports):
    """A worker that the server has started reports nothing: it would hide that the server hangs."""
    with (
        Systemd(tmp_path / "notify") as systemd,
        start(folder, "worker", **systemd.environ, **main) as worker,
    ):
        try:
            assert systemd.reports(6) == reports
            assert worker.poll() is None
        finally:
            worker.terminate()


# The clock of each process is an hour ahead once the file exists; the times of files are not.
CLOCK = """
import http.client
import os
import time

real = time.time
time.time = lambda: real() + (3600 if os.path.exists({flag!r}) else 0)
"""


def test_a_clock_that_is_set_forward_ends_no_process(folder, key, tmp_path):
    """As after the pause of a virtual machine. A kept-alive connection stays open."""
    flag = tmp_path / "ahead"
    (tmp_path / "sitecustomize.py").write_text(CLOCK.format(flag=str(flag)))
    with (
        Server(folder, "--workers", "1", PYTHONPATH=f"{tmp_path}:{ROOT}") as server,
        closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as client,
    ):
        before = set(children(server.process.pid))
        client.connect()
        client.auto_open = 0  # a closed connection is an error
        for _ in range(4):
            client.request("GET", "/healthz")
            assert client.getresponse().read()
            flag.touch()
            time.sleep(1)  # gunicorn compares the clock once a second
        assert set(children(server.process.pid)) == before
