"""The server as clients see it on the wire: real processes, raw sockets."""

import http.client
import json
import os
import random
import selectors
import signal
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

import pytest

from tests.support.processes import ROOT, Server, alive, children, eventapi, free_port, start, until
from tests.support.wire import Kept

pytestmark = pytest.mark.processes

MALFORMED = {
    "length and chunks": b"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: "
    b"chunked\r\n\r\n0\r\n\r\n",
    "two lengths": b"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
    "negative length": b"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: -4\r\n\r\nabcd",
    "signed length": b"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd",
    "chunked twice": b"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
    b"chunked\r\n\r\n0\r\n\r\n",
    "unknown coding": b"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: rot13\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"POST /api/v1/notes HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bare LF": b"GET /healthz HTTP/1.1\nHost: a\n\n",
    "bare LF in a header": b"GET /healthz HTTP/1.1\r\nHost: a\nX-B: c\r\n\r\n",
    "bare CR in a header": b"GET /healthz HTTP/1.1\r\nHost: a\rX-B: c\r\n\r\n",
    "NUL in a header": b"GET /healthz HTTP/1.1\r\nHost: a\0b\r\n\r\n",
    "space in a name": b"GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n",
    "no colon": b"GET /healthz HTTP/1.1\r\nHost\r\n\r\n",
    "no version": b"GET /healthz\r\nHost: a\r\n\r\n",
    "strange version": b"GET /healthz HTTP/x.1\r\nHost: a\r\n\r\n",
    "strange method": b"G(T /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "TLS": bytes.fromhex("16030100fa010000f60303") + b"\n" * 100,
    "line without an end": b"GET /" + b"a" * 9000,
    "long line": b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "long header": b"GET /healthz HTTP/1.1\r\nX-A: " + b"a" * 9000 + b"\r\n\r\n",
    "many headers": b"GET /healthz HTTP/1.1\r\n" + b"X-A: b\r\n" * 200 + b"\r\n",
    "head without an end": b"GET /healthz HTTP/1.1\r\n" + b"X-A: bbbbbbbb\r\n" * 8000,
}
STATUSES = {
    "long line": 414,
    "line without an end": 414,
    "long header": 431,
    "many headers": 431,
    "head without an end": 431,
    "unknown coding": 501,
}


@pytest.fixture(scope="module")
def server(folder, key):
    """Start a server with one process, so that clients can affect each other."""
    with open(folder / "log", "w") as log, Server(folder, "--workers", "1", log=log) as server:
        server.key, server.folder = key, folder
        yield server


class Client:
    """A socket that sends HTTP byte by byte."""

    def __init__(self, server, timeout=10):
        self.server = server
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=timeout)
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)

    def head(self, method="GET", path="/api/v1/events", *lines):
        return "\r\n".join(
            (
                f"{method} {path} HTTP/1.1",
                "Host: a",
                f"Authorization: Bearer {self.server.key}",
                *lines,
                "",
                "",
            )
        ).encode()

    def answer(self, method="GET"):
        """Return (response, body) of the next response. Bytes after it stay in the file."""
        answer = http.client.HTTPResponse(self.socket, method=method)
        answer.fp.close()
        answer.fp = Kept(self.file)
        answer.begin()
        return answer, answer.read()

    def ask(self, *head):
        self.send(self.head(*head))
        return self.answer(head[0] if head else "GET")

    def closed(self):
        """Return whether the server closes the connection without sending anything before."""
        try:
            return self.file.read(1) == b""
        except ConnectionResetError:
            return True

    def __enter__(self):
        return self

    def close(self):
        self.file.close()
        self.socket.close()

    def __exit__(self, *_):
        self.close()


@pytest.fixture
def client(server):
    with Client(server) as client:
        yield client


def works(server):
    with Client(server) as client:
        answer, body = client.ask()
        return answer.status == 200 and "data" in json.loads(body)


def note(server, text):
    body = json.dumps(
        {"entity_type": "event", "entity_id": server.event, "note_text": text}
    ).encode()
    return body, (f"Content-Length: {len(body)}", "Content-Type: application/json")


@pytest.fixture(scope="module", autouse=True)
def event(server):
    with Client(server) as client:
        body = b'{"title": "Fair"}'
        client.send(
            client.head(
                "POST",
                "/api/v1/events",
                f"Content-Length: {len(body)}",
                "Content-Type: application/json",
            )
            + body
        )
        server.event = json.loads(client.answer()[1])["data"]["id"]


# One connection


def test_a_connection_serves_many_requests(client):
    for _ in range(20):
        answer, body = client.ask()
        assert (
            answer.status == 200
            and answer.getheader("Connection") == "keep-alive"
            and json.loads(body)["data"]
        )


def test_pipelined_requests_get_responses_in_order(client):
    client.send(b"".join(client.head("GET", f"/api/v1/events/{number}") for number in range(1, 30)))
    got = [client.answer()[0].status for _ in range(1, 30)]
    assert got == [200] + [404] * 28


def test_a_request_behind_a_body_is_not_lost(server, client):
    body, lines = note(server, "first")
    client.send((client.head("POST", "/api/v1/notes", *lines) + body) * 3 + client.head())
    assert [client.answer()[0].status for _ in range(4)] == [201, 201, 201, 200]


def test_a_request_may_arrive_byte_by_byte(server, client):
    body, lines = note(server, "slow")
    for byte in client.head("POST", "/api/v1/notes", *lines) + body:
        client.send(bytes([byte]))
    assert client.answer()[0].status == 201


@pytest.mark.parametrize("value", ["close", "keep-alive, Close"])
def test_connection_close_is_honoured_and_announced(client, value):
    answer, _ = client.ask("GET", "/api/v1/events", f"Connection: {value}")
    assert answer.status == 200 and answer.getheader("Connection") == "close" and client.closed()


def test_http_1_0_gets_a_response_and_is_closed(client):
    client.send(b"GET /healthz HTTP/1.0\r\n\r\n")
    answer, body = client.answer()
    assert answer.status == 200 and json.loads(body) and client.closed()


def test_head_has_the_length_and_no_body(client):
    _, body = client.ask("GET", "/api/v1/events/1")
    answer, nothing = client.ask("HEAD", "/api/v1/events/1")
    assert abs(int(answer.getheader("Content-Length")) - len(body)) < 5 and nothing == b""
    assert client.ask()[0].status == 200


def test_204_and_304_have_no_body_and_no_chunks(client):
    answer, body = client.ask("OPTIONS", "/api/v1/events")
    assert answer.status == 204 and body == b"" and not answer.getheader("Content-Length")
    assert not answer.getheader("Transfer-Encoding")
    tag = client.ask("GET", "/api/v1/events/1")[0].getheader("ETag")
    answer, body = client.ask("GET", "/api/v1/events/1", f"If-None-Match: {tag}")
    assert answer.status == 304 and body == b"" and answer.getheader("ETag") == tag
    assert not answer.getheader("Transfer-Encoding")
    assert client.ask()[0].status == 200


# Bodies


def chunked(data, size):
    return (
        b"".join(
            b"%x\r\n%b\r\n" % (len(part), part)
            for part in (data[at : at + size] for at in range(0, len(data), size))
        )
        + b"0\r\n\r\n"
    )


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_chunked_body_is_read_and_the_connection_stays_open(server, client, size):
    body, _ = note(server, "chunks")
    client.send(
        client.head(
            "POST", "/api/v1/notes", "Transfer-Encoding: chunked", "Content-Type: application/json"
        )
    )
    client.send(chunked(body, size))
    assert client.answer()[0].status == 201
    assert client.ask()[0].status == 200


def test_invalid_chunks_close_the_connection(client):
    client.send(
        client.head(
            "POST", "/api/v1/notes", "Transfer-Encoding: chunked", "Content-Type: application/json"
        )
        + b"zz\r\n"
        + client.head("DELETE", "/api/v1/events/1")
    )
    assert client.answer()[0].status == 400 and client.closed()


def test_expect_100_continue_gets_100(server, client):
    body, lines = note(server, "expected")
    client.send(client.head("POST", "/api/v1/notes", *lines, "Expect: 100-continue"))
    assert client.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(body)
    assert client.answer()[0].status == 201


def test_an_unread_short_body_leaves_the_connection_usable(client):
    client.send(client.head("POST", "/api/v1/nothing", "Content-Length: 50000") + b"x" * 50000)
    answer, _ = client.answer()
    assert answer.status == 404 and answer.getheader("Connection") == "keep-alive"
    assert client.ask()[0].status == 200


@pytest.mark.own_server("gthread closes the connection before the client has read the response")
def test_a_body_that_is_too_large_is_refused_and_the_response_arrives(client):
    client.send(
        client.head(
            "POST", "/api/v1/events", "Content-Length: 3000000", "Content-Type: application/json"
        )
    )
    client.send(b"x" * 3000000)
    answer, body = client.answer()
    assert (answer.status, json.loads(body)["code"]) == (413, "body_too_large")
    assert (
        client.closed()
        if answer.getheader("Connection") == "close"
        else client.ask()[0].status == 200
    )


@pytest.mark.own_server("gthread closes the connection before the client has read the response")
def test_the_rest_of_a_refused_body_is_never_parsed_as_a_request(server, client):
    smuggled = client.head("DELETE", "/api/v1/events/1")
    client.send(
        client.head("POST", "/api/v1/nothing", f"Content-Length: {500000 + len(smuggled)}")
        + b"x" * 500000
        + smuggled
    )
    answer, _ = client.answer()
    assert answer.status == 404
    assert (
        client.closed()
        if answer.getheader("Connection") == "close"
        else client.ask()[0].status == 200
    )
    with Client(server) as other:
        assert other.ask("GET", "/api/v1/events/1")[0].status == 200


def test_a_client_that_disconnects_during_a_body_occupies_no_thread(server):
    for head in ("Content-Length: 900000", "Content-Length: 500", "Transfer-Encoding: chunked"):
        for _ in range(10):
            with Client(server) as client:
                client.send(
                    client.head("POST", "/api/v1/events", head, "Content-Type: application/json")
                    + b"5\r\nabcde"
                )
    assert works(server)
    pid = next(iter(children(server.process.pid)))
    before = cpu(pid)
    time.sleep(0.5)
    assert cpu(pid) - before < 0.2, "a thread reads a closed connection in a loop"


def cpu(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# Invalid HTTP


@pytest.mark.own_server("gthread responds with HTML")
@pytest.mark.parametrize("name", MALFORMED)
def test_invalid_http_gets_a_problem_document_and_is_closed(server, client, name):
    try:
        client.send(MALFORMED[name])
    except ConnectionError:  # the server has closed before the end
        pass
    answer, body = client.answer()
    document = json.loads(body)
    assert answer.status == document["status"] == STATUSES.get(name, 400), document
    assert (
        answer.getheader("Content-Type") == "application/problem+json"
        and answer.getheader("Connection") == "close"
    )
    assert document["code"] == "malformed_request"
    assert document["meta"]["request_id"] == answer.getheader("X-Request-ID")
    assert client.closed() and works(server)


def mutated(random_, client):
    """Return a valid request with some bytes changed, duplicated, removed or inserted."""
    body = b'{"entity_type": "event", "entity_id": 1, "note_text": "x"}'
    data = bytearray(
        random_.choice(
            [
                client.head("GET", "/api/v1/events?per_page=2", "Accept: application/json"),
                client.head(
                    "POST",
                    "/api/v1/notes",
                    f"Content-Length: {len(body)}",
                    "Content-Type: application/json",
                )
                + body,
                client.head(
                    "POST",
                    "/api/v1/notes",
                    "Transfer-Encoding: chunked",
                    "Content-Type: application/json",
                )
                + chunked(body, 9),
                random_.randbytes(random_.randrange(1, 2000)),
            ]
        )
    )
    for _ in range(random_.randrange(1, 8)):
        at = random_.randrange(len(data))
        what = random_.choice(
            [
                b"\r\n",
                b"\n",
                b"\r",
                b"\0",
                b":",
                b" ",
                b"\r\n\r\n",
                b"Content-Length: 7\r\n",
                b"\xff",
                random_.randbytes(3),
            ]
        )
        data[at : at + random_.randrange(4)] = what
    return bytes(data)


def test_random_bytes_do_not_stop_the_server(server):
    random_ = random.Random(4)
    pid = next(iter(children(server.process.pid)))
    for _ in range(400):
        with Client(server) as client:
            try:
                client.send(mutated(random_, client))
                client.socket.shutdown(socket.SHUT_WR)
                first = client.socket.recv(12)
            except ConnectionError:
                continue
            assert first == b"" or (first[:9] == b"HTTP/1.1 " and first[9:10] in b"1245"), first
            assert first[9:12] not in (b"500", b"502", b"503"), first
    assert works(server) and list(children(server.process.pid)) == [pid]
    assert "Traceback" not in (Path(server.folder) / "log").read_text()


# Many connections


@pytest.mark.own_server("each slow client occupies a thread of gthread")
def test_slow_clients_delay_no_other(server):
    slow = [Client(server) for _ in range(50)]
    for number, client in enumerate(slow):
        client.send(
            client.head("POST", "/api/v1/notes", "Content-Length: 5000")[: 20 + number * 3]
            if number % 2
            else client.head("POST", "/api/v1/notes", "Content-Length: 5000") + b"{"
        )
    start = time.monotonic()
    assert all(works(server) for _ in range(20))
    assert time.monotonic() - start < 3
    for client in slow:
        client.close()


@pytest.mark.own_server("each slow client occupies a thread of gthread")
def test_slow_readers_delay_no_other(server):
    """As many wait for slow readers as may: half of the threads.

    The responses are larger than the buffers.
    """
    readers = [Client(server) for _ in range(2)]
    for client in readers:
        client.send(client.head("GET", "/openapi.json") * 12)
    start = time.monotonic()
    assert all(works(server) for _ in range(20))
    assert time.monotonic() - start < 3
    for client in readers:
        bodies = [client.answer()[1] for _ in range(12)]
        assert all(len(body) == len(bodies[0]) > 50000 and json.loads(body) for body in bodies)
        client.close()


def test_64_connections_at_once(server):
    def many(number):
        with Client(server, timeout=60) as client:
            return {client.ask("GET", "/api/v1/events/1")[0].status for _ in range(20)}

    with ThreadPoolExecutor(64) as pool:
        assert list(pool.map(many, range(64))) == [{200}] * 64


def test_clients_that_connect_at_once_are_served_in_turn(server):
    """No client gets many responses before the last one gets its first: each of the 48 asks again
    at once.
    """
    request = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    clients = selectors.DefaultSelector()
    counts = {}
    with ExitStack() as opened:
        for _ in range(48):
            one = opened.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            counts[one] = 0
            one.sendall(request)
            clients.register(one, selectors.EVENT_READ)
        while 0 in counts.values():
            for key, _ in clients.select():
                number = key.fileobj.recv(65536).count(b"HTTP/1.1 200")
                counts[key.fileobj] += number
                key.fileobj.sendall(number * request)
    assert max(counts.values()) <= 20, sorted(counts.values())


# Start and stop


@pytest.fixture
def fresh(tmp_path):
    """Start a server with two processes for one test."""
    eventapi(tmp_path, "migrate")
    key = eventapi(
        tmp_path, "key", "create", "--name", "test", "--all-scopes", "--quiet"
    ).stdout.strip()
    with open(tmp_path / "log", "w") as log, Server(tmp_path, "--workers", "2", log=log) as server:
        server.key, server.folder = key, tmp_path
        with Client(server) as client:
            body = b'{"title": "Fair"}'
            client.send(
                client.head(
                    "POST",
                    "/api/v1/events",
                    f"Content-Length: {len(body)}",
                    "Content-Type: application/json",
                )
                + body
            )
            server.event = json.loads(client.answer()[1])["data"]["id"]
        yield server


class Writers:
    """Clients that create notes over kept-alive connections until the server closes them; with
    `again`, they reconnect.
    """

    def __init__(self, server, again=False):
        self.server, self.again, self.end = server, again, False
        self.acknowledged, self.lost = [], []
        self.threads = [
            Thread(target=self.work, args=(number,), daemon=True) for number in range(8)
        ]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        while not self.end:
            with Client(self.server) as client:
                going_on = True
                while going_on and not self.end:
                    going_on = self.write(client, f"{number}-{time.monotonic()}")
            if not self.again:
                return

    def write(self, client, text):
        body, lines = note(self.server, text)
        try:
            client.send(client.head("POST", "/api/v1/notes", *lines) + body)
            answer, _ = client.answer()
        except (OSError, http.client.HTTPException) as error:
            self.lost.append(repr(error))
            return False
        (self.acknowledged if answer.status == 201 else self.lost).append(text)
        return answer.getheader("Connection") != "close"

    def join(self):
        for thread in self.threads:
            thread.join(20)

    def kept(self):
        connection = sqlite3.connect(self.server.folder / "eventapi.db")
        try:
            return sorted(text for (text,) in connection.execute("SELECT note_text FROM notes"))
        finally:
            connection.close()


def files(pid, kind):
    """Return the number of open files of this kind of a process."""
    found = 0
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since the listing
            found += os.readlink(file).startswith(kind)
    return found


def smaller_share(server):
    """Open 20 connections to a server with two processes.

    Return how many the process with fewer of them has accepted.
    """
    time.sleep(0.2)  # earlier connections are closed
    before = {pid: files(pid, "socket:") for pid in children(server.process.pid)}
    clients = [Client(server) for _ in range(20)]
    until(lambda: sum(files(pid, "socket:") for pid in before) > sum(before.values()) + 15)
    share = min(files(pid, "socket:") - count for pid, count in before.items())
    for client in clients:
        client.close()
    return share


@pytest.mark.own_server("gthread accepts as many connections as it can")
def test_connections_are_spread_over_the_processes(fresh):
    """After an accept, a process leaves the next connection to the others (ACCEPT_PAUSE)."""
    until(
        lambda: (
            [files(pid, "anon_inode:[eventpoll]") for pid in children(fresh.process.pid)] == [1, 1]
        )
    )
    smaller_shares = [smaller_share(fresh) for _ in range(5)]
    assert sorted(smaller_shares)[2] >= 4, smaller_shares


@pytest.mark.own_server("gthread does not announce the end of a kept-alive connection")
def test_stopping_the_server_loses_no_request(fresh):
    writers = Writers(fresh)
    until(lambda: len(writers.acknowledged) > 50)
    with Client(fresh) as slow:
        body, lines = note(fresh, "slow")
        slow.send(slow.head("POST", "/api/v1/notes", *lines, "Expect: 100-continue"))
        assert slow.file.readline() + slow.file.readline() == b"HTTP/1.1 100 Continue\r\n\r\n"
        fresh.process.send_signal(signal.SIGTERM)
        writers.join()
        time.sleep(1.5)
        slow.send(body)
        answer, _ = slow.answer()
        assert answer.status == 201 and answer.getheader("Connection") == "close"
    assert fresh.process.wait(10) == 0
    assert writers.lost == [] and len(writers.acknowledged) > 50
    assert writers.kept() == sorted([*writers.acknowledged, "slow"])


def reload_under_load(server, writers):
    """Reload the server after 50 more writes, and wait until its processes are new."""
    before, count = set(children(server.process.pid)), len(writers.acknowledged)
    until(lambda: len(writers.acknowledged) > count + 50)
    server.process.send_signal(signal.SIGHUP)
    until(lambda: not before & set(children(server.process.pid)))


def test_reloading_the_server_loses_no_request(fresh):
    writers = Writers(fresh, again=True)
    for _ in range(3):
        reload_under_load(fresh, writers)
    writers.end = True
    writers.join()
    assert writers.lost == [] and writers.kept() == sorted(writers.acknowledged)


def test_a_stop_without_requests_is_quick(fresh):
    with Client(fresh) as client:
        assert client.ask()[0].status == 200
        start_ = time.monotonic()
        fresh.stop()
        assert client.closed() and time.monotonic() - start_ < 15  # half of graceful_timeout


@pytest.mark.own_server("gthread lingers for a second")
def test_processes_end_soon_after_their_main_process_was_killed(fresh):
    """Also if clients keep connections open that the server has closed."""
    with Client(fresh) as one, Client(fresh) as two, Client(fresh) as three:
        for client in (one, two, three):
            assert client.ask("GET", "/healthz", "Connection: close")[0].status == 200
        pids, before = list(children(fresh.process.pid)), time.monotonic()
        fresh.process.kill()
        until(lambda: not any(alive(pid) for pid in pids), timeout=30)
        assert time.monotonic() - before < 8, "LINGER is ten seconds"


def test_a_killed_process_is_replaced(fresh):
    before = set(children(fresh.process.pid))
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    until(lambda: len(set(children(fresh.process.pid)) - before) == 2)
    until(lambda: works(fresh))


def test_a_unix_socket_is_served(folder, key, tmp_path):
    path = tmp_path / "web.sock"
    with start(folder, "serve", "--bind", f"unix:{path}", "--workers", "1") as process:
        try:
            until(path.exists)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                for _ in range(3):
                    client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                    response = http.client.HTTPResponse(client)
                    response.begin()
                    assert response.status == 200 and json.loads(response.read())["status"] == "ok"
        finally:
            process.terminate()


IMPATIENT = """
import time
from eventapi.server import patience, worker
patience.CLIENT_TIMEOUT = worker.CLIENT_TIMEOUT = 1
patience.MIN_RATE = worker.MIN_RATE = 10 ** 9

def pieces():
    yield b"one"
    yield b"two" * 50000
    raise ValueError("broken")

class Worker(worker.Worker):
    def load_wsgi(self):
        super().load_wsgi()
        inner = self.wsgi
        def app(environ, start_response):
            path = environ["PATH_INFO"]
            if path == "/slow":
                time.sleep(1)
            if path == "/raises":
                raise ValueError("raises")
            if path == "/breaks":
                start_response("200 OK", [])
                return pieces()
            if path == "/split":
                start_response("200 OK", [("X-A", "b\\r\\nX-C: d")])
                return []
            if path == "/file":
                start_response("200 OK", [])
                return environ["wsgi.file_wrapper"](open(__file__, "rb"))
            return inner(environ, start_response)
        app.settings = inner.settings
        self.wsgi = app
"""


@pytest.fixture(scope="module")
def impatient(folder, key, tmp_path_factory):
    """Start a server whose timeout for clients is one second instead of 30, with at most 20
    connections.
    """
    place = tmp_path_factory.mktemp("impatient")
    (place / "impatient.py").write_text(IMPATIENT)
    with Server(
        folder,
        "--workers",
        "1",
        GUNICORN_CMD_ARGS="-k impatient.Worker --keep-alive 2 --worker-connections 20",
        PYTHONPATH=f"{ROOT}:{place}",
    ) as server:
        server.key = key
        yield server


def closed_after(client):
    start_ = time.monotonic()
    assert client.closed()
    return time.monotonic() - start_


@pytest.mark.own_server("starts a subclass of its worker")
def test_idle_connections_are_closed_in_time(impatient):
    with Client(impatient) as client, Client(impatient) as silent:
        assert client.ask()[0].status == 200
        assert 1 < closed_after(client) < 5
        assert closed_after(silent) < 5


@pytest.mark.own_server("starts a subclass of its worker")
def test_a_head_that_never_ends_is_closed_in_time(impatient):
    with Client(impatient) as client:
        client.send(b"GET /healthz HT")
        time.sleep(0.7)
        client.send(b"TP")  # more bytes do not extend the time
        assert closed_after(client) < 3


@pytest.mark.own_server("starts a subclass of its worker")
@pytest.mark.parametrize("size", [9, 900_000])
def test_a_body_that_no_thread_waits_for_is_closed_in_time(impatient, size):
    with Client(impatient) as client:
        client.send(client.head("POST", "/api/v1/notes", f"Content-Length: {size}") + b"x")
        assert closed_after(client) < 4


@pytest.mark.own_server("starts a subclass of its worker")
def test_a_body_that_never_ends_is_refused_in_time(impatient):
    for lines, body in (
        ("Transfer-Encoding: chunked", b"5\r\nab"),
        ("Content-Length: 9\r\nExpect: 100-continue", b""),
    ):
        with Client(impatient) as client:
            client.send(
                client.head(
                    "POST", "/api/v1/notes", *lines.split("\r\n"), "Content-Type: application/json"
                )
                + body
            )
            start_ = time.monotonic()
            if "100" in lines:
                assert (
                    client.file.readline() + client.file.readline()
                    == b"HTTP/1.1 100 Continue\r\n\r\n"
                )
            answer, _ = client.answer()
            assert answer.status == 400 and client.closed() and time.monotonic() - start_ < 4


@pytest.mark.own_server("starts a subclass of its worker")
def test_a_client_that_does_not_read_is_disconnected(impatient):
    with Client(impatient) as client:
        client.ask("GET", "/openapi.json")  # the first one is slow, and is not measured
    with Client(impatient) as client:
        client.send(client.head("GET", "/openapi.json") * 20)
        time.sleep(3)
        with pytest.raises((OSError, http.client.HTTPException)):
            for _ in range(20):
                client.answer()


@pytest.mark.own_server("starts a subclass of its worker")
def test_a_connection_beyond_the_limit_replaces_the_one_that_is_idle_the_longest(impatient):
    first = [Client(impatient) for _ in range(20)]
    assert {client.ask()[0].status for client in first} == {200}
    with Client(impatient) as late:
        assert late.ask()[0].status == 200
        assert first[0].closed()
        assert {client.ask()[0].status for client in first[1:]} == {200}
        for client in first:
            client.close()


@pytest.mark.own_server("starts a subclass of its worker")
def test_slow_requests_delay_no_other(impatient):
    """There is one slow request less than threads."""
    with Client(impatient) as one, Client(impatient) as two, Client(impatient) as three:
        for client in (one, two, three):
            client.send(client.head("GET", "/slow"))
        start_ = time.monotonic()
        assert all(works(impatient) for _ in range(5))
        assert time.monotonic() - start_ < 0.8
        assert {client.answer()[0].status for client in (one, two, three)} == {404}


@pytest.mark.own_server("starts a subclass of its worker")
@pytest.mark.parametrize("path", ["/raises", "/split"])
def test_an_error_outside_of_the_application_is_a_500(impatient, path):
    with Client(impatient) as client:
        answer, body = client.ask("GET", path)
        assert (answer.status, json.loads(body)["code"]) == (
            500,
            "internal_error",
        ) and client.closed()


@pytest.mark.own_server("starts a subclass of its worker")
def test_an_interrupted_response_is_incomplete(impatient):
    with Client(impatient) as client, pytest.raises(http.client.IncompleteRead):
        client.ask("GET", "/breaks")


@pytest.mark.own_server("starts a subclass of its worker")
def test_a_file_is_sent_whole_and_the_connection_stays_open(impatient):
    with Client(impatient) as client:
        for _ in range(2):
            assert client.ask("GET", "/file")[1].decode().startswith("\nimport time\n")


@pytest.mark.own_server("gthread has TLS")
def test_tls_is_left_to_nginx(folder):
    (folder / "pem").touch()
    done = eventapi(
        folder,
        "serve",
        "--bind",
        f"127.0.0.1:{free_port()}",
        GUNICORN_CMD_ARGS=f"--certfile {folder}/pem --keyfile {folder}/pem",
    )
    assert done.returncode != 0 and "TLS" in done.stderr and "Traceback" not in done.stderr
