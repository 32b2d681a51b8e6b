"""Every process of the server is killed in the middle of a batch: the same request goes on with
what is left.
"""

import os
import signal
import time
from http.client import HTTPException
from threading import Thread

import pytest

from eventapi.domain.access import api_keys
from tests.fault.test_kill import restarted
from tests.support import processes
from tests.support.http_client import HttpClient

pytestmark = pytest.mark.processes

BOOTHS = 200


def test_a_batch_goes_on_after_the_server_was_killed(tmp_path, settings, organiser, db):
    event = organiser.make(
        "/events", {"title": "Fair", "date_from": "2030-05-07", "date_to": "2030-05-09"}
    )
    plan = organiser.make(
        "/plans", {"event_id": event["id"], "plan_name": "Hall", "width": 90, "height": 90}
    )
    body = {
        "action": "create",
        "items": [
            {"plan_id": plan["id"], "booth_number": f"A{place}", "width": 3, "depth": 3}
            for place in range(BOOTHS)
        ],
    }
    with db.write():
        _, key = api_keys.create_key(db, "office", ["booths"])
    ended = []

    def send():
        try:
            with HttpClient(server.url, key) as client:
                ended.append(client("POST", "/booths/batch", body, Idempotency_Key="row-a"))
        except (OSError, HTTPException) as error:
            ended.append(error)

    def stored():
        return dict(db.connection.execute("SELECT booth_number, id FROM booths"))

    server = processes.Server(tmp_path, "--workers", "1")
    try:
        sender = Thread(target=send)
        sender.start()
        deadline = time.monotonic() + 15
        while not stored():  # no pause: the next parts take milliseconds
            assert time.monotonic() < deadline and not ended, ended
        for pid in processes.children(server.process.pid):
            os.kill(pid, signal.SIGKILL)
        server = restarted(tmp_path, server)
        sender.join(30)
        before = stored()
        assert isinstance(ended[0], Exception) and 0 < len(before) < BOOTHS, (
            "the batch was over before the kill: this run proves nothing"
        )

        with HttpClient(server.url, key) as client:
            status, first = client("POST", "/booths/batch", body, Idempotency_Key="row-a")
            assert status == 200 and (first["data"]["done"], first["data"]["refused"]) == (
                BOOTHS,
                0,
            )
            _, again = client("POST", "/booths/batch", body, Idempotency_Key="row-a")
    finally:
        server.__exit__()

    assert again["data"] == first["data"]
    ids = {
        result["data"]["booth_number"]: result["data"]["id"] for result in first["data"]["results"]
    }
    assert ids == stored() and before.items() <= ids.items()
    assert processes.eventapi(tmp_path, "check").stdout == "ok\n"
