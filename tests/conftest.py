"""Fixtures: the app on a real migrated file, and people with fixed scopes."""
import logging
import secrets
import shutil

import pytest
import webtest

from eventapi import config as configuration
from eventapi import journal
from eventapi.app import create_app
from eventapi.domain.webhooks import addresses, event_types
from eventapi.plugins.authentication import key_hash
from eventapi.storage import database, migrations
from eventapi.storage.statements import statements
from eventapi.web import request_log
from tests.support import agreement, processes

SCOPES = ("events contacts participants applications categories invoices payments booths plans services service_orders "
          "documents submissions tasks checkins schedules calendar-feed custom_fields newsletter webhooks reports audit")


class Client:
    """Speaks to the app as one person, and sees to it that every answer is what /openapi.json says."""

    def __init__(self, app, key):
        self.app, self.key = app, key

    def __call__(self, method, path, body=None, *, status=None, headers=None, raw=None):
        """Sends a request; `status` is the one expected (any when None, and then no exception is raised)."""
        send = {"Authorization": f"Bearer {self.key}", **(headers or {})} if self.key else dict(headers or {})
        path = path if path.startswith("/api") or path.startswith("//") else f"/api/v1{path}"
        options = {"method": method, "headers": send, "expect_errors": True}
        if body is not None:
            options["body"] = database.as_json(body).encode()
            send.setdefault("Content-Type", "application/json")
        elif raw is not None:
            options["body"] = raw
            send.setdefault("Content-Type", "application/json")
        answer = self.app.request(path, **options)
        agreement.check(self.app.app.settings, method, path, answer)
        assert status is None or answer.status_int == status, f"{method} {path}: {answer.status} {answer.text[:800]}"
        return answer

    def get(self, path, **options):
        return self("GET", path, **options)

    def data(self, path):
        return self("GET", path, status=200).json["data"]

    def post(self, path, body=None, **options):
        return self("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self("DELETE", path, **options)

    def make(self, path, body):
        return self("POST", path, body, status=201).json["data"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Remember the running test before its fixtures are set up."""
    processes.guard.test = item
    marker = item.get_closest_marker("own_server")
    if marker and processes.SERVER != "own":
        pytest.skip(f"only with server = own: {marker.args[0]}")


@pytest.fixture(scope="session", autouse=True)
def only_marked_tests_start_processes():
    """Fail each test that starts a process of the service without the marker `processes`."""
    with processes.guard:
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """A migrated, empty database to copy."""
    path = tmp_path_factory.mktemp("template") / "eventapi.db"
    migrations.migrate(path)
    connection = database.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.read_bytes()


@pytest.fixture(autouse=True)
def resolver(monkeypatch):
    """No test asks the DNS: names of example.org are public, `resolver` takes others."""
    names = {}
    monkeypatch.setattr(addresses, "lookup", lambda host, port: names.get(host, ["93.184.216.34"] if host.endswith("example.org") else []))
    return names


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    """Whatever a test makes happen, integrators find its name in GET /webhooks/events."""
    event, listed, unlisted = journal._event, set(event_types.names()), set()

    def noted(db, kind, action, *rest):
        unlisted.update({kind.event_name(action)} - listed)
        return event(db, kind, action, *rest)
    monkeypatch.setattr(journal, "_event", noted)
    yield
    assert not unlisted, f"add {sorted(unlisted)} to the events of its Kind in domain/records/entities.py"


@pytest.fixture(autouse=True)
def logging_restored():
    """Restore the root logger: start_logging switches the request log on for the rest of the process."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    request_log.flush()              # now, while pytest still captures the output


@pytest.fixture
def settings(tmp_path, template):
    """The configuration of an organiser with an empty database. The folder is removed after the test: it may be in memory."""
    yield furnished(tmp_path, template)
    shutil.rmtree(tmp_path)


def furnished(folder, template):
    """The configuration of an organiser with an empty database in the folder."""
    (folder / "eventapi.db").write_bytes(template)
    return configuration.load(environ={"EVENTAPI_DATA_DIR": str(folder), "EVENTAPI_CONFIG": str(minimal(folder))},
                              organiser_name="Messe Test GmbH", organiser_street="Am Markt 1", organiser_city="Leipzig",
                              organiser_postal_code="04109", organiser_vat_id="DE123456789", organiser_tax_number="231/1/2",
                              organiser_iban="DE02120300000000202051", organiser_bic="BYLADEM1001",
                              organiser_email="office@messe.test")


def minimal(folder):
    file = folder / "eventapi.conf"
    file.write_text("[eventapi]\n")
    return file


@pytest.fixture
def db(settings):
    database_ = database.Database(settings)
    yield database_
    database_.close()


@pytest.fixture
def app(settings):
    app = create_app(settings)
    yield webtest.TestApp(app)
    app.connections.close()


@pytest.fixture
def person(app, db):
    """Makes a client: person("events payments:read")."""
    def make(scopes, name="Ada Lovelace", **values):
        return Client(app, add_key(db, scopes, name, **values))
    return make


def add_key(db, scopes, name="Ada Lovelace", **values):
    """A new API key of a new admin."""
    keys, key = statements("api_keys"), f"evk_{secrets.token_urlsafe(16)}"
    with db.write():
        admin = db.insert(keys.add_admin, name=name, email=None, now=db.now)
        db.insert(keys.add, **{"admin_id": admin, "name": name, "key_hash": key_hash(key), "scopes": scopes,
                               "expires_at": None, "now": db.now, **values})
    return key


@pytest.fixture
def organiser(person):
    """May do everything."""
    return person(SCOPES)


@pytest.fixture
def anonymous(app):
    """Has no key."""
    return Client(app, None)
