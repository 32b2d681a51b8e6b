"""The bench of the tests of reach: a world with its attacker, made once per process."""

import pytest

from eventapi import times
from eventapi.plugins import sessions
from eventapi.web.html import tokens
from tests.support.reach.walk import Bench
from tests.support.reach.world import IMPRINT, Clock
from tests.support.shared_app import SharedApp


def set_up(patch, clock):
    """Use a clock that the world moves, and switch off what only slows down somebody who fills in
    many forms.
    """
    patch.setattr(times, "now", lambda: clock.now)
    patch.setattr(tokens, "YOUNGEST", 0)
    patch.setattr(sessions, "PER_MINUTE", 1_000_000)


@pytest.fixture(scope="session")
def only_bench(tmp_path_factory, template):
    clock = Clock()
    with SharedApp(tmp_path_factory.mktemp("reach"), template) as app:
        with pytest.MonkeyPatch.context() as patch:
            set_up(patch, clock)
            vars(app.config).update(IMPRINT)
            bench = Bench(app, clock)
        yield bench


@pytest.fixture
def bench(only_bench, monkeypatch):
    """Return the Bench. A test begins with one of its starts, which restores the world."""
    set_up(monkeypatch, only_bench.clock)
    return only_bench
