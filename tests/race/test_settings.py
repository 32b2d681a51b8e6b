"""Settings change while two server processes and a worker run: each next request has the change."""

import pytest

from eventapi.domain.access import api_keys
from tests.domain.test_settings import damage
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS, send_at_once

pytestmark = pytest.mark.processes
REQUESTS = 16  # at the same time, so that both processes get some


@pytest.fixture
def folder(tmp_path, template):
    (tmp_path / "eventapi.db").write_bytes(template)
    (tmp_path / "eventapi.conf").write_text("[eventapi]\n")
    return tmp_path


def names(server, key):
    answers = send_at_once(server.port, key, [("GET", "/me")] * REQUESTS)
    assert {status for status, _ in answers} == {200}
    return {answer["data"]["organiser"]["name"] for _, answer in answers}


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_each_process_has_a_change_at_its_next_request(folder, db, round_):
    with db.write():
        key = api_keys.create_key(db, "office", ["events"])[1]
    with processes.Server(folder, "--workers", "2", "--with-worker") as server:
        assert names(server, key) == {None}
        for name in ("Messe Eins", "Messe Zwei", "Messe Drei"):
            done = processes.eventapi(folder, "settings", "set", "organiser_name", name)
            assert done.returncode == 0, done.stderr
            assert names(server, key) == {name}
        damage(db, "payment_days", "soon")
        assert names(server, key) == {"Messe Drei"}  # running processes go on
        assert server.worker() is not None
    started = processes.eventapi(folder, "serve", "--check")
    assert started.returncode == 1
    assert "payment_days = 'soon'" in started.stderr
    assert "eventapi settings set payment_days VALUE" in started.stderr


def test_a_server_without_a_request_so_far_goes_on_while_a_setting_is_bad(folder, db):
    with db.write():
        key = api_keys.create_key(db, "office", ["events"])[1]
    done = processes.eventapi(folder, "settings", "set", "organiser_name", "Messe Eins")
    assert done.returncode == 0, done.stderr
    with processes.Server(folder, "--workers", "2") as server:
        damage(db, "payment_days", "soon")
        assert names(server, key) == {"Messe Eins"}
