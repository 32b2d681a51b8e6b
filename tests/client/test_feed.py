"""The feed as an endless iterator: it loses no event, whatever ends the consumer or the server."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import pairwise

import pytest

from eventapi.client import Client, EventsMissed, Problem
from tests.client.middle import Middle, lost, says
from tests.support.processes import ROOT, Server, eventapi, free_port, until

pytestmark = pytest.mark.processes


class Stop(Exception):
    """The test has seen enough."""


@pytest.fixture
def idle(monkeypatch):
    """Let the feed raise Stop when it would wait for new events."""

    def stop(_):
        raise Stop

    monkeypatch.setattr("eventapi.client.sleep", stop)


@pytest.fixture
def state(tmp_path, api, idle):
    """Return a state file behind all events that exist already."""
    file = tmp_path / "feed.cursor"
    read(api, file)
    return file


def read(api, state):
    """Return the names of all contacts in the feed, up to its end."""
    names = []
    with pytest.raises(Stop):
        for event in api.feed(state):
            names += [event["data"]["company_name"]] if event["type"] == "contact.created" else []
    return names


def test_events_come_once_and_in_order_whenever_the_consumer_starts(api, state):
    for number in range(3):
        api.post("/contacts", {"company_name": f"A{number}"})
    assert read(api, state) == ["A0", "A1", "A2"]
    assert read(api, state) == []
    for number in range(120):
        api.post("/contacts", {"company_name": f"B{number}"})
    assert read(api, state) == [f"B{number}" for number in range(120)]
    assert re.fullmatch(r"evt_\d+_\d+\n", state.read_text())


def test_an_event_whose_handling_failed_comes_again(api, state):
    for number in range(3):
        api.post("/contacts", {"company_name": f"C{number}"})
    seen = []
    with pytest.raises(ZeroDivisionError):
        for event in api.feed(state):
            seen.append(event["data"]["company_name"])
            if len(seen) == 2:
                raise ZeroDivisionError
    assert seen == ["C0", "C1"] and read(api, state) == ["C1", "C2"]


def test_a_feed_begins_with_the_oldest_event(api, tmp_path, idle):
    first = api.post("/contacts", {"company_name": "First"})
    names = read(api, tmp_path / "new.cursor")
    assert names[-1] == "First" and len(names) == len(set(names)) and first["id"]


def test_the_state_passes_events_that_the_key_may_not_read(data, service, api, state):
    """Otherwise the feed of such a key would report after 30 days that events were missed."""
    key = eventapi(
        data[0],
        "key",
        "create",
        "--name",
        "reader",
        "--scope",
        "webhooks",
        "--scope",
        "tasks",
        "--quiet",
    )
    api.post("/contacts", {"company_name": "Secret"})
    with Client(service[0], key.stdout.strip()) as reader:
        assert read(reader, state) == []
    assert api.page("/webhooks/feed", after=state.read_text().strip()) == []


def test_a_state_file_that_cannot_be_written_is_an_error_before_the_first_event(api, tmp_path):
    with pytest.raises(FileNotFoundError):
        next(api.feed(tmp_path / "missing" / "feed.cursor"))


def test_a_crash_while_the_state_is_written_keeps_the_old_state(api, state, monkeypatch):
    """The file is written at the start, and again after the first event, when the crash happens."""
    for number in range(2):
        api.post("/contacts", {"company_name": f"D{number}"})
    before, writes = state.read_text(), []

    def crash(_):
        writes.append(1)
        if len(writes) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("eventapi.client.os.fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        list(api.feed(state))
    assert state.read_text() == before


def test_a_feed_waits_for_a_server_that_fails(service, tmp_path, monkeypatch, api):
    """Each kind of failure, more often than a single request would try; then the events come all
    the same.
    """
    api.post("/contacts", {"company_name": "After the failures"})
    waits = []
    monkeypatch.setattr("eventapi.client.sleep", waits.append)
    with Middle(service[0]) as middle, Client(middle.url, service[1], tries=2) as far:
        middle.faults += [
            says(503),
            says(502),
            lost,
            lost,
            says(500),
            says(429, Retry_After="500"),
            says(504),
        ] * 3
        assert next(far.feed(tmp_path / "feed.cursor", wait=7))["id"]
        assert middle.faults == [] and waits.count(7) >= 12


@pytest.mark.parametrize("status", [401, 403, 301])
def test_an_error_that_does_not_pass_ends_the_feed(status, service, tmp_path, waits):
    with Middle(service[0]) as middle, Client(middle.url, service[1]) as far:
        middle.faults.append(says(status))
        with pytest.raises(Problem) as caught:
            next(far.feed(tmp_path / "feed.cursor"))
    assert caught.value.status == status and waits == []


def test_a_feed_survives_a_restart_of_the_server(data, tmp_path, monkeypatch):
    folder, key = data
    port, servers = free_port(), []
    state = tmp_path / "feed.cursor"
    servers.append(Server(folder, port=port))
    with Client(servers[0].url, key, tries=1) as api:

        def restart(_):
            if servers[0].process.poll() is None:
                api.post("/contacts", {"company_name": "Before"})
                servers[0].stop()
            elif len(servers) == 1:
                servers.append(Server(folder, port=port))
                api.post("/contacts", {"company_name": "After"})

        monkeypatch.setattr("eventapi.client.sleep", restart)
        names = []
        for event in api.feed(state):
            names.append((event["data"] or {}).get("company_name"))
            if names[-1] == "After":
                break
        servers[1].stop()
    assert names.count("Before") == names.count("After") == 1 and names.index(
        "Before"
    ) < names.index("After")


CONSUMER = """
import sys, time
from eventapi.client import Client
for event in Client().feed(sys.argv[1], wait=0.05):
    print(event["id"], flush=True)
    time.sleep(0.01)
"""


def test_no_event_is_lost_if_the_consumer_is_killed(service, api, state, tmp_path):
    """The consumer is killed ten times at any point of its work, and handles each event at least
    once.
    """
    for number in range(100):
        api.post("/contacts", {"company_name": f"Killed {number}"})
    expected = [
        event["id"]
        for event in api.page("/webhooks/feed", after=state.read_text().strip(), per_page=100)
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "EVENTAPI_URL": service[0],
        "EVENTAPI_KEY": service[1],
    }
    log = tmp_path / "log"
    log.touch()

    def consume(is_enough):
        with (
            open(log, "a") as out,
            subprocess.Popen(
                [sys.executable, "-c", CONSUMER, str(state)], stdout=out, env=environment
            ) as consumer,
        ):
            try:
                until(lambda: is_enough(log.read_text().split()), 60)
            finally:
                consumer.kill()

    for kill in range(10):
        consume(lambda got, least=3 * (kill + 1): len(got) >= least)
    consume(lambda got: expected[-1] in got)
    got = log.read_text().split()
    repeated = [one for one, following in pairwise(got) if one == following]
    assert list(dict.fromkeys(got)) == expected and len(got) == len(expected) + len(repeated)
    assert 1 <= len(repeated) <= 10


def test_events_that_were_deleted_are_reported(data, service, api, state, idle):
    """The server deletes events after 30 days. The message says how to go on, and that works."""
    for number in range(4):
        api.post("/contacts", {"company_name": f"E{number}"})
    with closing(sqlite3.connect(data[0] / "eventapi.db")) as db, db:
        db.execute("DELETE FROM outgoing_events WHERE id < (SELECT max(id) FROM outgoing_events)")
    with pytest.raises(EventsMissed, match=re.escape(str(state))):
        next(api.feed(state))
    state.unlink()
    assert read(api, state) == ["E3"]


def test_a_cursor_of_another_database_is_reported(service, api, state):
    state.write_text("evt_999999_1809162000\n")
    with pytest.raises(EventsMissed, match="restored from a backup") as caught:
        next(api.feed(state))
    assert isinstance(caught.value.__cause__, Problem)
