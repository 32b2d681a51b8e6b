"""The write queue, as clients of a real server see it: shared commits, failed commits, and slow handlers."""
import fcntl
import http.client
import io
import json
import logging
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from eventapi.server.connection import Outcome
from eventapi.server.write_queue import WriteQueue
from eventapi.storage.group_commit import State, deferred_commit
from tests.support.http_client import HttpClient
from tests.support.processes import ROOT, Server, eventapi, until

pytestmark = [pytest.mark.processes, pytest.mark.own_server("gthread has no write queue")]

SLOW_WORKER = """
import os, time
from pathlib import Path
from eventapi.server import worker
from eventapi.storage import group_commit
from eventapi.storage.database import Error

FOLDER = Path(os.environ["EVENTAPI_DATA_DIR"])
commit = group_commit.Writer.commit

def noted(self):
    if self.transaction:
        failures = int((FOLDER / "failures").read_text())
        if failures:
            (FOLDER / "failures").write_text(str(failures - 1))
            return self._give_up(Error("disk I/O error"))
        with open(FOLDER / "commits", "a") as file:
            file.write("one\\n")
    commit(self)

class Worker(worker.Worker):
    def load_wsgi(self):
        super().load_wsgi()
        inner = self.wsgi
        def app(environ, start_response):
            slow = environ.get("HTTP_X_SLOW")
            if slow == "announced":
                group_commit.deferred_commit(environ).leave_queue()
            until = time.monotonic() + 20
            while slow and not (FOLDER / "go").exists() and time.monotonic() < until:
                time.sleep(0.02)
            return inner(environ, start_response)
        app.settings = inner.settings
        self.wsgi = app

group_commit.Writer.commit = noted
"""


class SlowServer(Server):
    """A server with one process, which counts its commits. Commits fail and handlers are slow on demand."""

    def __init__(self, folder, log=None, **more):
        self.folder = folder
        (folder / "slow.py").write_text(SLOW_WORKER)
        (folder / "failures").write_text("0")
        assert eventapi(folder, "migrate").returncode == 0
        self.key = eventapi(folder, "key", "create", "--name", "test", "--all-scopes", "--quiet").stdout.strip()
        super().__init__(folder, "--workers", "1", log=log, GUNICORN_CMD_ARGS="-k slow.Worker",
                         PYTHONPATH=f"{ROOT}:{folder}", **more)
        self.begin()

    def begin(self):
        """Create an event for the notes of the next test."""
        with self.client() as client:
            self.event = client.data("POST", "/events", {"title": "Fair"}, status=201)["id"]

    def client(self):
        return HttpClient(self.url, self.key)

    def ask(self, *request, **headers):
        with self.client() as client:
            return client(*request, **headers)

    def note(self, text, **headers):
        return self.ask("POST", "/notes", self.body(text), **headers)

    def body(self, text):
        return {"entity_type": "event", "entity_id": self.event, "note_text": text}

    def commits(self):
        return len((self.folder / "commits").read_text().split())

    @contextmanager
    def waiting(self, *writes):
        """Yield the futures of writes (method, path, body), sent in order while another process has the file lock."""
        with open(self.folder / "eventapi.db.lock") as lock_file, ThreadPoolExecutor(len(writes)) as clients:
            fcntl.flock(lock_file, fcntl.LOCK_EX)
            answers = []
            for number, write in enumerate(writes):
                answers.append(clients.submit(self.ask, *write, X_Request_ID=f"{self.event}-{number}"))
                time.sleep(0.05)
            time.sleep(0.3)
            try:
                yield answers
            finally:
                fcntl.flock(lock_file, fcntl.LOCK_UN)

    def notes_that_wait(self, *texts):
        return self.waiting(*[("POST", "/notes", self.body(text)) for text in texts])

    def kept(self):
        connection = sqlite3.connect(self.folder / "eventapi.db")
        try:
            return sorted(text
                          for text, in connection.execute("SELECT note_text FROM notes WHERE entity_id = ?",
                                                          (self.event,)))
        finally:
            connection.close()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slow")
    with open(folder / "log", "w") as log, SlowServer(folder, log) as server:
        yield server


@pytest.fixture
def server(shared_server):
    shared_server.begin()
    return shared_server


def statuses(answers):
    return [answer.result(20)[0] for answer in answers]


def test_writes_of_more_clients_than_threads_share_one_commit(server):
    texts, before = [str(number) for number in range(12)], server.commits()
    with server.notes_that_wait(*texts) as answers:
        assert not any(answer.done() for answer in answers)
        with server.client() as client:                     # reads do not wait
            start = time.monotonic()
            assert [client("GET", "/events")[0] for _ in range(20)] == [200] * 20
            assert time.monotonic() - start < 3
    assert statuses(answers) == [201] * 12
    assert server.kept() == sorted(texts)
    assert server.commits() <= before + 2                   # one, and another if a client was late


def logged(server, id):
    """Return the statuses of a request in the request log."""
    return re.findall(rf"request_id={id} .*path=/api/v1/notes status_code=(\d+)", (server.folder / "log").read_text())


def test_each_write_of_a_failed_commit_is_tried_again_alone(server):
    (server.folder / "failures").write_text("1")
    texts = list("abcdef")
    with server.notes_that_wait(*texts) as answers:
        pass
    assert statuses(answers) == [201] * 6
    assert server.kept() == texts
    assert eventapi(server.folder, "audit", "verify").returncode == 0
    ids = [f"{server.event}-{number}" for number in range(6)]
    assert [answer.result()[1]["meta"]["request_id"] for answer in answers] == ids
    until(lambda: all(logged(server, id) for id in ids))
    time.sleep(0.3)                                         # so that the log would show a first attempt, too
    assert [logged(server, id) for id in ids] == [["201"]] * 6
    assert "tried again" in (server.folder / "log").read_text()


def test_only_the_write_that_fails_again_gets_an_error(server):
    (server.folder / "failures").write_text("2")
    texts = list("abcdef")
    with server.notes_that_wait(*texts) as answers:
        pass
    assert sorted(statuses(answers)) == [201] * 5 + [500]
    unlucky = [text for text, answer in zip(texts, answers, strict=True) if answer.result()[0] == 500]
    assert server.kept() == [text for text in texts if text not in unlucky]
    problem = next(answer.result()[1] for answer in answers if answer.result()[0] == 500)
    assert problem["code"] == "internal_error" and "disk" not in json.dumps(problem)
    assert until(lambda: logged(server, problem["meta"]["request_id"])) == ["500"]


def file_lock_is_free(server):
    with open(server.folder / "eventapi.db.lock") as lock_file:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_refusals_inside_and_outside_of_transactions_release_the_file_lock(server):
    with server.waiting(("PATCH", "/events/999999", {"title": "Fair"}), ("POST", "/events", {}),
                        ("POST", "/events", {})) as answers:
        pass
    assert statuses(answers) == [404, 422, 422]
    until(lambda: file_lock_is_free(server), timeout=3)
    with server.waiting(("POST", "/notes", server.body("a")), ("PATCH", "/events/999999", {"title": "Fair"}),
                        ("POST", "/events", {})) as answers:
        pass
    assert statuses(answers) == [201, 404, 422]
    until(lambda: file_lock_is_free(server), timeout=3)


def test_a_second_attempt_does_not_mix_with_the_next_write(server):
    """POST /webhooks leaves the queue inside the application, before the address is looked up."""
    (server.folder / "failures").write_text("1")
    hook = {"url": "https://8.8.8.8/hook", "events": ["note.created"]}
    with server.waiting(("POST", "/notes", server.body("a")), ("POST", "/webhooks", hook)) as answers:
        pass
    assert statuses(answers) == [201] * 2
    note, webhook = [answer.result()[1] for answer in answers]
    assert (note["data"]["note_text"], webhook["data"]["url"]) == ("a", hook["url"])
    assert [note["meta"]["request_id"], webhook["meta"]["request_id"]] == [f"{server.event}-{number}"
                                                                           for number in range(2)]
    assert server.kept() == ["a"]


def test_a_refusal_undoes_no_other_write(server):
    before = server.commits()
    with server.notes_that_wait("a", " ", "b", "c" * 90000, "d") as answers:
        pass
    assert statuses(answers) == [201, 422, 201, 422, 201]
    assert server.kept() == ["a", "b", "d"]
    assert server.commits() <= before + 2                   # a long body is handled by a thread of its own


@pytest.mark.parametrize("how", ["announced", "unannounced"])
def test_a_slow_handler_delays_other_writes_only_briefly(server, how):
    (server.folder / "go").unlink(missing_ok=True)
    with ThreadPoolExecutor(2) as clients:
        long = [clients.submit(server.note, f"long {number}", X_Slow=how) for number in range(2)]
        time.sleep(0.1)
        start = time.monotonic()
        assert [server.note(f"short {number}")[0] for number in range(10)] == [201] * 10
        assert how == "unannounced" or time.monotonic() - start < 1         # before the first check_progress
        assert not any(answer.done() for answer in long)
        (server.folder / "go").touch()
        assert statuses(long) == [201] * 2
    assert len(server.kept()) == 12


def raw(server, text):
    body = json.dumps(server.body(text)).encode()
    return (f"POST /api/v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {server.key}\r\nContent-Type: "
            f"application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def test_pipelined_reads_and_writes_get_responses_in_order(server):
    with server.client() as client:
        client.connection.connect()
        read = (f"GET /api/v1/notes?entity_type=event&entity_id={server.event} HTTP/1.1\r\nHost: "
                f"a\r\nAuthorization: Bearer {server.key}\r\n\r\n").encode()
        client.connection.sock.sendall(b"".join(raw(server, text) + read for text in "abc"))
        with client.connection.sock.makefile("rb") as file:
            totals = []
            for _ in range(6):
                assert file.readline().split()[1] in (b"200", b"201")
                length = int(http.client.parse_headers(file)["Content-Length"])
                totals.append(json.loads(file.read(length))["meta"].get("total"))
    assert totals == [None, 1, None, 2, None, 3]


def test_a_client_that_does_not_read_delays_no_other_write(server):
    with server.client() as greedy:
        greedy.connection.connect()
        greedy.connection.sock.settimeout(1)
        with pytest.raises(OSError):                        # until its responses fill the buffers of the socket
            for number in range(2000):
                greedy.connection.sock.sendall(raw(server, f"{number} {'x' * 9000}"))
        start = time.monotonic()
        assert [server.note("small")[0] for _ in range(5)] == [201] * 5
        assert time.monotonic() - start < 3


def test_a_write_is_stored_although_its_client_has_gone(server):
    with open(server.folder / "eventapi.db.lock") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        for text in "ab":
            with server.client() as client:
                client.connection.connect()
                client.connection.sock.sendall(raw(server, text))
                time.sleep(0.2)
    until(lambda: server.kept() == ["a", "b"])
    assert server.note("c")[0] == 201


def test_two_threads_are_enough(tmp_path):
    with SlowServer(tmp_path, EVENTAPI_THREADS="2") as server, ThreadPoolExecutor(8) as clients:
        def client(number):
            return server.note(str(number))[0], get(server)
        assert list(clients.map(client, range(40))) == [(201, 200)] * 40
        assert len(server.kept()) == 40


def get(server):
    with server.client() as client:
        return client("GET", "/events")[0]


class Transaction:
    """Records when it is finished."""
    state = State.OPEN

    def __init__(self, events):
        self.events = events

    def finish(self):
        self.events.append("commit")

    def wait(self):
        pass


class StubRequests:
    """Requests without processes: `/write` writes and leaves its commit for later, any other path is refused."""

    def __init__(self):
        self.events = []

    def respond(self, connection, environ):
        if environ["PATH_INFO"] == "/write":
            deferred_commit(environ).transaction = Transaction(self.events)
        self.events.append(environ["PATH_INFO"])
        return Outcome.KEEP_ALIVE

    def send_held(self, connection, outcome):
        return outcome


def test_an_error_of_a_commit_leaves_no_response_unsent(monkeypatch):
    """The transaction of the first write cannot be finished once, while the second request is refused."""
    def fail_once(transaction):
        monkeypatch.undo()
        raise MemoryError
    monkeypatch.setattr(Transaction, "finish", fail_once)
    sent, tasks = [], []
    queue = WriteQueue(StubRequests(), tasks.append, lambda connection, outcome: sent.append(connection.path),
                       logging.getLogger("stub"))
    for path in ("/write", "/refused"):
        queue.put(SimpleNamespace(hold=lambda: None, path=path), {"PATH_INFO": path, "wsgi.input": io.BytesIO()})
    with pytest.raises(MemoryError):
        queue.run()
    assert sent == ["/refused"]
    tasks.pop()()
    assert sent == ["/refused", "/write"] and queue.writer is None


def test_a_write_does_not_wait_for_many_refused_requests():
    requests = StubRequests()
    queue = WriteQueue(requests, None, lambda connection, outcome: None, logging.getLogger("stub"))
    connection = SimpleNamespace(hold=lambda: None)
    must_run = [queue.put(connection, {"PATH_INFO": path, "wsgi.input": io.BytesIO()})
                for path in ("/write", "/refused", "/refused")]
    assert must_run == [True, False, False]
    queue.run()
    assert requests.events.index("commit") == 2 and requests.events[-1] == "/refused"
    assert queue.writer is None
