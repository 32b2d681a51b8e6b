"""Server and worker are killed repeatedly while records change: every committed event arrives, in
the order of its record.
"""

import http.client
import ipaddress
import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from eventapi.domain.access import api_keys
from tests.fault.test_kill import kill, restarted, served_by
from tests.support import processes
from tests.support.http_client import HttpClient
from tests.support.receiver import Receiver, every_other, hangs, resets

pytestmark = pytest.mark.processes

RECORDS = 6
CHANGES = 300
SCOPES = ["events", "webhooks"]
OPEN = {"EVENTAPI_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8"}


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "crash", SCOPES)[1]


@pytest.fixture
def opened(monkeypatch):
    """Allow the processes of this test to call this machine."""
    for name, value in OPEN.items():
        monkeypatch.setattr(
            processes, "environment", with_more(processes.environment, {name: value})
        )


def with_more(environment, more):
    return lambda folder, **given: environment(folder, **more, **given)


class Editor:
    """A client that changes records one after the other and repeats each change until it is
    acknowledged.

    A repeated change causes one event.
    """

    def __init__(self, url, key):
        self.url, self.key, self.client = url, key, None
        self.ids = [
            self.ask("POST", "/events", {"title": f"Fair {number}"}, f"make-{number}")["id"]
            for number in range(RECORDS)
        ]

    def ask(self, method, path, body, once=None):
        headers = {"Idempotency_Key": once} if once else {}
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                self.client = self.client or HttpClient(self.url, self.key, timeout=3)
                status, answer = self.client(method, path, body, **headers)
                if status in (200, 201):
                    return answer["data"]
                assert status >= 500, (status, answer)
            except (OSError, ValueError, http.client.HTTPException):
                self.close()
            time.sleep(0.05)
        raise AssertionError("the server did not come back")

    def close(self):
        if self.client:
            self.client.close()
        self.client = None

    def change(self, number):
        self.ask("PATCH", f"/events/{self.ids[number % RECORDS]}", {"city": f"City {number}"})


def committed(db):
    """Return record -> [webhook ids in the order of their commits] for the events that the feed
    keeps.
    """
    by_record = {}
    for id, entity_id, seconds in db.connection.execute(
        "SELECT id, entity_id, unixepoch(created_at) FROM outgoing_events WHERE entity_type = 'event' ORDER BY id"
    ):
        by_record.setdefault(entity_id, []).append(f"evt_{id}_{seconds}")
    return by_record


def arrived(receiver, path):
    """Return the same for the events that arrived.

    For an event that arrived several times, the first time counts.
    """
    by_record = {}
    for id, body in receiver.at(path):
        ids = by_record.setdefault(body["data"]["id"], [])
        if id not in ids:
            ids.append(id)
    return by_record


def make_retries_due(db):
    """Make failed deliveries due at once instead of waiting for the schedule."""
    with db.write():
        db.connection.execute(
            "UPDATE webhook_deliveries SET next_attempt_at = ? WHERE status = 'pending' AND "
            "next_attempt_at > ?",
            [db.now, db.now],
        )


def test_no_committed_event_is_lost_and_each_record_keeps_its_order(tmp_path, db, key, opened):
    with Receiver(answers={"/half": every_other(), "/hangs": hangs, "/resets": resets}) as receiver:
        server = processes.Server(tmp_path, "--workers", "2", "--with-worker")
        try:
            with HttpClient(server.url, key) as client:
                for path in ("/good", "/half", "/hangs", "/resets"):
                    client.data(
                        "POST",
                        "/webhooks",
                        {"url": receiver.url(path), "events": ["event.*"], "timeout_seconds": 1},
                        status=201,
                    )
            editor, killed = Editor(server.url, key), []
            for number in range(CHANGES):
                editor.change(number)
                if number % 15 == 14:
                    victim = ("worker", "worker", "server", "worker", "first")[number // 15 % 5]
                    killed.append(victim)
                    if victim == "worker":
                        kill(processes.until(server.worker))
                    elif victim == "server":
                        kill(processes.until(partial(served_by, server))[0])
                    else:
                        server = restarted(tmp_path, server)
            editor.close()
            assert killed.count("worker") >= 10

            def all_there():
                make_retries_due(db)
                return all(arrived(receiver, path) == committed(db) for path in ("/good", "/half"))

            try:
                processes.until(all_there, timeout=90)
            except AssertionError:
                for path in ("/good", "/half"):
                    assert arrived(receiver, path) == committed(db), path
        finally:
            server.__exit__()
        assert sum(map(len, committed(db).values())) == CHANGES + RECORDS
        good = [id for id, _ in receiver.at("/good")]
        assert len(good) >= len(set(good)) == CHANGES + RECORDS
        assert len(receiver.at("/half")) > CHANGES, (
            "nothing had to be repeated: this run proves nothing"
        )
        assert processes.eventapi(tmp_path, "check").stdout == "ok\n"


def test_two_workers_at_once_send_each_event_once(tmp_path, db, key, opened):
    with Receiver() as receiver:
        server = processes.Server(tmp_path, "--workers", "1")
        workers = [processes.start(tmp_path, "worker") for _ in range(2)]
        try:
            with HttpClient(server.url, key) as client:
                client.data(
                    "POST",
                    "/webhooks",
                    {"url": receiver.url("/"), "events": ["event.*"]},
                    status=201,
                )
                for number in range(100):
                    client.data("POST", "/events", {"title": f"Fair {number}"}, status=201)
            processes.until(lambda: len(receiver.got) >= 100, timeout=30)
            time.sleep(1.5)
        finally:
            for worker in workers:
                worker.terminate()
            ended = [worker.wait(20) for worker in workers]
            server.__exit__()
        assert ended == [0, 0]
        ids = [id for id, _ in receiver.at()]
        assert len(ids) == len(set(ids)) == 100


def test_a_worker_that_is_stopped_during_deliveries_ends_in_time_and_loses_nothing(
    tmp_path, db, key, opened
):
    with Receiver(answers={"/": hangs}) as receiver:
        server = processes.Server(tmp_path, "--workers", "1")
        worker = processes.start(tmp_path, "worker")
        try:
            with HttpClient(server.url, key) as client:
                client.data(
                    "POST",
                    "/webhooks",
                    {"url": receiver.url("/"), "events": ["event.*"], "timeout_seconds": 60},
                    status=201,
                )
                client.data("POST", "/events", {"title": "Fair"}, status=201)
            processes.until(lambda: receiver.got)
            worker.terminate()
            assert worker.wait(30) == 0  # long before the timeout of the delivery
            receiver.answers["/"] = 200
            worker = processes.start(tmp_path, "worker")
            processes.until(lambda: len(receiver.got) == 2)
        finally:
            worker.terminate()
            worker.wait(20)
            server.__exit__()
        assert len({id for id, _ in receiver.at()}) == 1


def test_a_redelivery_requested_during_an_attempt_survives_the_crash_of_the_worker(
    tmp_path, db, key, opened
):
    with Receiver(answers={"/": hangs}) as receiver:
        server = processes.Server(tmp_path, "--workers", "1")
        worker = processes.start(tmp_path, "worker")
        try:
            with HttpClient(server.url, key) as client:
                webhook = client.data(
                    "POST",
                    "/webhooks",
                    {"url": receiver.url("/"), "events": ["event.*"], "timeout_seconds": 60},
                    status=201,
                )
                event = client.data("POST", "/events", {"title": "Fair"}, status=201)
                client.data("PATCH", f"/events/{event['id']}", {"city": "Uetersen"})
                processes.until(lambda: receiver.got)
                deliveries = f"/webhooks/{webhook['id']}/deliveries"
                [first] = client.data("GET", f"{deliveries}?status=delivering")
                client.data("POST", f"{deliveries}/{first['id']}/redeliver", {}, status=202)
                kill(worker.pid)
                worker.wait(20)
                with db.write():  # the lease expires now instead of after 70 seconds
                    db.connection.execute(
                        "UPDATE webhooks SET lease_ends_at = '2001-01-01T00:00:00Z'"
                    )
                receiver.answers["/"] = 200
                worker = processes.start(tmp_path, "worker")
                processes.until(
                    lambda: len(client.data("GET", f"{deliveries}?status=delivered")) == 2
                )
                second, again = client.data("GET", deliveries)
        finally:
            worker.terminate()
            worker.wait(20)
            server.__exit__()
        assert [id for id, _ in receiver.at()] == [
            first["message_id"],
            first["message_id"],
            second["message_id"],
        ]
        assert (again["id"], again["attempt_count"]) == (first["id"], 1), (
            "the interrupted attempt has no outcome"
        )


def test_worker_once_delivers_due_events_and_ends(tmp_path, db, key, opened, organiser):
    organiser.app.app.settings.webhook_allowed_networks = (ipaddress.ip_network("127.0.0.0/8"),)
    with Receiver() as receiver:
        organiser.make("/webhooks", {"url": receiver.url("/"), "events": ["event.*"]})
        for number in range(20):
            organiser.make("/events", {"title": f"Fair {number}"})
        done = processes.eventapi(tmp_path, "worker", "--once")
        assert (done.returncode, len(receiver.got)) == (0, 20), done.stderr


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_idle_worker_takes_less_than_half_a_percent_of_a_core(tmp_path, db, key, opened):
    with Receiver() as receiver:
        server = processes.Server(tmp_path, "--workers", "1")
        worker = processes.start(tmp_path, "worker")
        try:
            with HttpClient(server.url, key) as client:
                client.data(
                    "POST", "/webhooks", {"url": receiver.url("/"), "events": ["*"]}, status=201
                )
                client.data("POST", "/events", {"title": "Fair"}, status=201)
            processes.until(lambda: receiver.got)
            time.sleep(2)
            before = cpu_seconds(worker.pid)
            time.sleep(20)
            assert cpu_seconds(worker.pid) - before <= 0.1
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(20)
            server.__exit__()


def test_metrics_show_the_backlog_of_a_run(tmp_path, db, key, opened):
    with Receiver(answers={"/": 500}) as receiver:
        server = processes.Server(tmp_path, "--workers", "1", "--with-worker")
        try:
            with HttpClient(server.url, key) as client:
                client.data(
                    "POST",
                    "/webhooks",
                    {"url": receiver.url("/"), "events": ["event.*"]},
                    status=201,
                )
                client.data("POST", "/events", {"title": "Fair"}, status=201)
            processes.until(
                lambda: (
                    "eventapi_webhook_deliveries_waiting "
                    "1" in processes.get(f"{server.url}/metrics")[1]
                )
            )
        finally:
            server.__exit__()
        assert json.loads(receiver.got[0][2])["type"] == "event.created"
