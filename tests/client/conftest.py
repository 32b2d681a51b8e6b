"""A server with an empty database, a proxy in front of it that fails as told, and the client that
is tested.
"""

import pytest

from eventapi import client
from eventapi.client import Client
from tests.client.middle import Middle
from tests.support.processes import Server, eventapi

ORGANISER = {
    "EVENTAPI_ORGANISER_NAME": "Messe Test GmbH",
    "EVENTAPI_ORGANISER_STREET": "Am Markt 1",
    "EVENTAPI_ORGANISER_CITY": "Leipzig",
    "EVENTAPI_ORGANISER_VAT_ID": "DE136695976",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Return (folder with a migrated database, a key with all scopes)."""
    folder = tmp_path_factory.mktemp("data")
    assert eventapi(folder, "migrate").returncode == 0
    return folder, eventapi(
        folder, "key", "create", "--name", "client", "--all-scopes", "--quiet"
    ).stdout.strip()


@pytest.fixture(scope="module")
def service(data):
    """Return (URL, key) of a running server."""
    folder, key = data
    with Server(folder, **ORGANISER) as server:
        yield server.url, key


@pytest.fixture
def api(service):
    with Client(*service, timeout=30) as client:
        yield client


@pytest.fixture
def middle(service):
    """Return a proxy in front of the server.

    Its list `faults` says what happens to the next requests.
    """
    with Middle(service[0]) as middle:
        yield middle


@pytest.fixture
def far(middle, service):
    """Return a client that reaches the server through the proxy."""
    with Client(middle.url, service[1], timeout=30) as client:
        yield client


@pytest.fixture
def waits(monkeypatch):
    """Return the list of seconds that clients have waited between attempts.

    They do not really wait.
    """
    waits = []
    monkeypatch.setattr(client, "sleep", waits.append)
    return waits
