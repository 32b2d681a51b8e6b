"""Fixtures of the tests of slow clients. Modules that need another server define their own."""

import pytest

from tests.support.http_client import HttpClient
from tests.support.processes import Server


@pytest.fixture(scope="module")
def server(folder, key):
    """Start a server with one process and four threads."""
    with Server(folder, "--workers", "1", EVENTAPI_THREADS="4") as server:
        server.folder = folder
        yield server


@pytest.fixture
def api(server, key):
    with HttpClient(server.url, key) as client:
        yield client
