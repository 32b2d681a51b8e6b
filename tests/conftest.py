"""Fixtures: an app with a database of its own for each test or each module, and clients with fixed
scopes.
"""

import gc
import importlib
import json
import logging
import os
import shutil
import sys
import threading

import pytest
import webtest

from eventapi import journal
from eventapi.app import App
from eventapi.domain.webhooks import addresses, event_types
from eventapi.parsing import processes as processes_of_parsers
from eventapi.storage import database, migrations
from eventapi.web import request_log
from tests.support import openapi_check, processes
from tests.support.client import SCOPES, Client, add_key, make_settings
from tests.support.prepared import Snapshots
from tests.support.process_guard import guard
from tests.support.shared_app import SharedApp


def pytest_collection_finish():
    """Exempt the collected tests from garbage collection: traversing them takes a tenth of the time
    of a run.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Remember the running test for the guard, and skip tests of the own server if another one is
    tested.

    Each test begins with the usual umask: commands that run in this process change it.
    """
    guard.test = item
    os.umask(0o022)
    marker = item.get_closest_marker("own_server")
    if marker and processes.SERVER != "own":
        pytest.skip(f"only with server = own: {marker.args[0]}")


@pytest.fixture(scope="session", autouse=True)
def only_marked_tests_start_processes():
    """Fail each test that starts a process of the service without the marker `processes`."""
    with guard:
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """Return the content of a migrated, empty database."""
    path = tmp_path_factory.mktemp("template") / "eventapi.db"
    migrations.migrate(path)
    connection = database.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.read_bytes()


@pytest.fixture(scope="session", autouse=True)
def parsers():
    """Run the parsers of uploads in this process, except in tests with the marker `processes`."""
    in_a_process = processes_of_parsers.run

    def run(parser, argument, file, *rest):
        if guard.test.get_closest_marker("processes"):
            return in_a_process(parser, argument, file, *rest)
        module, _, name = parser.partition(":")
        values = getattr(importlib.import_module(module), name)(file, argument)
        return (json.loads(json.dumps(value)) for value in values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes_of_parsers, "run", run)
        yield


@pytest.fixture(autouse=True)
def resolver(monkeypatch):
    """Replace the DNS: names below example.org have a public address.

    Return a dict for others: name -> addresses.
    """
    names = {}

    def lookup(host, port):
        return names.get(host, ["93.184.216.34"] if host.endswith("example.org") else [])

    monkeypatch.setattr(addresses, "lookup", lookup)
    return names


@pytest.fixture(autouse=True)
def events_are_documented(monkeypatch):
    """Fail a test that causes an event that GET /webhooks/events does not list, or one with another
    message.
    """
    event, listed, unlisted, sent = journal._event, set(event_types.names()), set(), []

    def noted(db, kind, action, *rest):
        unlisted.update({kind.event_name(action)} - listed)
        sent.append(event(db, kind, action, *rest))
        return sent[-1]

    monkeypatch.setattr(journal, "_event", noted)
    yield
    assert not unlisted, (
        f"add {sorted(unlisted)} to the events of its Kind in domain/records/entities.py"
    )
    for message in sent:
        openapi_check.check_message(message["name"], json.loads(message["data"]))


@pytest.fixture(autouse=True)
def logging_restored():
    """Restore the root logger: start_logging switches the request log on for the rest of the
    process.
    """
    root = logging.getLogger()
    level, handlers, hooks = root.level, list(root.handlers), (sys.excepthook, threading.excepthook)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    logging.captureWarnings(False)
    sys.excepthook, threading.excepthook = hooks
    request_log.flush()  # now, while pytest still captures the output


@pytest.fixture
def settings(tmp_path, template):
    """The settings of an organiser with an empty database.

    The folder may be in memory: it is removed after the test.
    """
    yield make_settings(tmp_path, template)
    shutil.rmtree(tmp_path)


@pytest.fixture
def db(settings):
    database_ = database.Database(settings)
    yield database_
    database_.close()


@pytest.fixture
def app(settings):
    app = App(settings)
    yield webtest.TestApp(app)
    app.connections.close()


@pytest.fixture
def person(app, db):
    """Return a function that makes a client with a new key: person("events payments:read")."""

    def make(scopes, name="Ada Lovelace", **values):
        return Client(app, add_key(db, scopes, name, **values))

    return make


@pytest.fixture
def organiser(person):
    """A client with all scopes."""
    return person(SCOPES)


@pytest.fixture
def anonymous(app):
    """A client without a key."""
    return Client(app, None)


@pytest.fixture(scope="module")
def shared(tmp_path_factory, template):
    """An app that all tests of a module share."""
    with SharedApp(tmp_path_factory.mktemp("shared"), template) as shared:
        yield shared


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory, template):
    """The prepared databases, see tests/support/prepared.py."""
    snapshots = Snapshots(tmp_path_factory.mktemp("snapshots"), template)
    yield snapshots
    snapshots.close()


# A database for the processes that the tests of a module start


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a data directory with an empty database."""
    folder = tmp_path_factory.mktemp("data")
    assert processes.eventapi(folder, "migrate").returncode == 0
    return folder


@pytest.fixture(scope="module")
def key(folder):
    """Return an API key with all scopes for the database in `folder`."""
    return processes.eventapi(
        folder, "key", "create", "--name", "test", "--all-scopes", "--quiet"
    ).stdout.strip()


@pytest.fixture
def mail(settings, monkeypatch):
    """The server can send mails, and its links have an address."""
    for name, value in (
        ("smtp_host", "localhost"),
        ("smtp_sender", "office@example.org"),
        ("base_url", "https://show.example.org"),
    ):
        monkeypatch.setattr(settings, name, value)
