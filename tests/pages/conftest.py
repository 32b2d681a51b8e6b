"""Fixtures: the reference in a browser."""
import pytest

from tests.support.browser import Browser
from tests.support.served import served


@pytest.fixture(scope="module")
def address(shared):
    """Return the address of the reference on a server with the app `shared`."""
    with served(shared.app.app, []) as url:
        yield f"{url}/docs"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser
