"""A program whose database was upgraded by a newer version writes nothing any more; reads go on."""

import json
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing

import pytest

from eventapi.domain.privacy import remnants
from eventapi.domain.upkeep import housekeeping as upkeep
from eventapi.storage import maintenance
from eventapi.storage.database import Database
from eventapi.storage.errors import Outdated
from eventapi.storage.group_commit import Writer
from eventapi.worker import Worker, housekeeping
from tests.support import processes

NEWER = 9000
SENTENCE = "The database was upgraded to schema 9000 by a newer version. Restart this server with that version."


def set_version(settings, number):
    """Change the schema version as another process would, and return the old one."""
    with closing(sqlite3.connect(settings.database)) as connection:
        old = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {number}")
        return old


def rows(settings):
    """Return all rows of all tables, as text."""
    with closing(sqlite3.connect(settings.database)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
            )
        ]
        return {
            table: connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in tables
        }


@pytest.fixture
def contact(organiser):
    organiser.make(
        "/custom-fields",
        {
            "entity_type": "contact",
            "field_key": "size",
            "field_label": "Size",
            "field_type": "text",
        },
    )
    return organiser.make("/contacts", {"last_name": "Lovelace", "custom_fields": {"size": "XL"}})


REQUESTS = {
    "a new record": ("POST", "/events", {"title": "Fair"}),
    "a change": ("PATCH", "/contacts/1", {"last_name": "Byron"}),
    "a deletion": ("DELETE", "/contacts/1", None),
    "a batch": ("POST", "/applications/batch", {"action": "review", "ids": [1]}),
    "an import": (
        "POST",
        "/bulk-import/contacts",
        {"records": [{"email": "a@example.org", "last_name": "A"}]},
    ),
    "a change in pieces": ("DELETE", "/custom-fields/1?purge=1", None),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_no_request_writes_to_a_newer_schema(organiser, settings, contact, name):
    old, before = set_version(settings, NEWER), rows(settings)
    method, path, body = REQUESTS[name]
    answer = organiser(method, path, body)
    assert (
        answer.status_int == 503
        and answer.json["code"] == "unhealthy"
        and answer.json["detail"] == SENTENCE
    )
    assert answer.headers["Retry-After"] == "60" and rows(settings) == before
    set_version(settings, old)
    assert organiser(method, path, body).status_int in (200, 201, 204), "the connection works again"


def test_reads_go_on_although_the_use_of_the_key_is_not_recorded(organiser, settings, contact, db):
    with db.write():
        db.connection.execute("UPDATE api_keys SET last_used_at = '2020-01-01T00:00:00Z'")
    set_version(settings, NEWER)
    before = rows(settings)
    assert (
        organiser.get(f"/contacts/{contact['id']}", status=200).json["data"]["last_name"]
        == "Lovelace"
    )
    assert len(organiser.get("/contacts", status=200).json["data"]) == 1
    assert organiser.app.get("/healthz", status=503).json["code"] == "unhealthy"
    assert rows(settings) == before


def write(db):
    with db.write():
        db.connection.execute("UPDATE contacts SET notes = 'written'")


WRITERS = {
    "a connection of a command": lambda settings: write(Database(settings)),
    "the connection of a server": lambda settings: write(Writer(settings)),
    "rewriting the file": lambda settings: maintenance.vacuum(settings.database),
    "rewriting after an anonymisation": lambda settings: remnants.rewrite(Database(settings)),
    "statistics": lambda settings: maintenance.analyze(Database(settings)),
    "housekeeping": lambda settings: housekeeping.run(Database(settings), lambda: False),
    "the jobs of the worker": lambda settings: Worker(settings).once(),
    "a round of the worker": lambda settings: Worker(settings).round(Database(settings)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_writes_to_a_newer_schema(settings, contact, name):
    set_version(settings, NEWER)
    before = rows(settings)
    with pytest.raises(Outdated, match="schema 9000"):
        WRITERS[name](settings)
    assert rows(settings) == before


def test_an_older_or_equal_schema_is_written_to(settings, contact, db):
    old = set_version(settings, 1)
    write(db)
    set_version(settings, old)
    write(db)


def ask(url, key, body=None):
    """Send a GET request, or a POST request with a body.

    Return the status and the text of the response.
    """
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(
        url, data, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.processes
def test_a_running_server_and_worker_stop_writing(tmp_path, settings, db, organiser):
    """The worker ends with 1, so that systemd starts the new one.

    The server reads, and says what to do.
    """
    with (
        processes.Server(tmp_path, "--workers", "1") as server,
        open(tmp_path / "log", "w+") as log,
    ):
        worker = processes.start(tmp_path, "worker", log=log)
        contacts = f"{server.url}/api/v1/contacts"
        processes.until(lambda: upkeep.worker_age(db) is not None)
        assert ask(contacts, organiser.key, {"last_name": "Lovelace"})[0] == 201
        set_version(settings, NEWER)
        try:
            assert worker.wait(15) == 1
        finally:
            worker.kill()
        log.seek(0)
        assert "upgraded to schema 9000 by a newer version; restart this server" in log.read()
        before = rows(settings)
        status, text = ask(contacts, organiser.key, {"last_name": "Byron"})
        assert status == 503 and SENTENCE in text
        assert ask(contacts, organiser.key)[0] == 200
        assert rows(settings) == before
