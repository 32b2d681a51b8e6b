"""Failures of the network and of servers: what is repeated, how often, how long the client waits,
what it reports.
"""

import io
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from threading import Barrier

import pytest

from eventapi.client import Client, NoResponse, Problem
from tests.client.middle import Middle, halved, lost, says, silent, unheard
from tests.support.processes import Server, free_port, until

pytestmark = pytest.mark.processes
BAD_GATEWAY = says(502, "<html><h1>502 Bad Gateway</h1><hr>nginx</html>", Content_Type="text/html")
UNAVAILABLE = says(503, '{"code": "unavailable"}')  # nginx sends it if eventapi took too long, too


def named(api, name):
    """Return the contacts with this name."""
    return [
        contact for contact in api.list("/contacts", search=name) if contact["company_name"] == name
    ]


@pytest.mark.parametrize("fault", [lost, halved, unheard], ids=lambda fault: fault.__name__)
def test_a_repeated_post_creates_one_record(fault, far, middle, api, waits):
    middle.faults += [fault, fault]
    name = f"Once {fault.__name__}"
    contact = far.post("/contacts", {"company_name": name})
    assert [record["id"] for record in named(api, name)] == [contact["id"]]
    assert len(middle.got) == 3 and len(set(middle.keys())) == 1 and len(waits) == 2
    far.post("/contacts", {"company_name": "Another"})
    assert len(set(middle.keys())) == 2, "each request needs a key of its own"


def test_a_post_that_took_too_long_creates_one_record(service, middle, api, waits):
    middle.faults.append(silent)
    with Client(middle.url, service[1], timeout=1) as far:
        far.post("/contacts", {"company_name": "Late"})
    assert len(named(api, "Late")) == 1


def test_a_key_of_the_caller_is_sent_as_it_is(far, middle, api, waits):
    middle.faults.append(lost)
    for _ in range(2):
        far.post("/contacts", {"company_name": "Own key"}, idempotency_key="order-4711")
    assert middle.keys() == ["order-4711"] * 3 and len(named(api, "Own key")) == 1


def test_an_import_whose_response_was_lost_is_done_once(far, middle, api, waits):
    middle.faults.append(lost)
    source = io.BytesIO(b"company_name\nImported once\n")
    far.upload("/bulk-import/contacts", source, method="POST", content_type="text/csv")
    assert (
        len(named(api, "Imported once")) == 1
        and middle.got[0][3] == middle.got[1][3] == source.getvalue()
    )


def test_an_upload_whose_response_was_lost_is_sent_again_from_its_start(far, middle, api, waits):
    contact = api.post("/contacts", {"company_name": "Upload"})
    document = api.post(
        "/documents", {"entity_type": "contact", "entity_id": contact["id"], "filename": "a.bin"}
    )
    middle.faults += [lost, unheard]
    assert (
        far.upload(f"/documents/{document['id']}/content", io.BytesIO(b"x" * 200_000))["size"]
        == 200_000
    )
    assert [len(body) for _, _, _, body in middle.got] == [200_000] * 3


def test_an_upload_that_is_refused_before_its_end_is_not_repeated(far, middle, waits):
    """The server responds after the headers and closes the connection, so the rest cannot be sent."""

    def refuse(handler):
        handler.answer(413, [], b'{"code": "body_too_large"}')
        handler.close_connection = True

    middle.streams.append(refuse)
    with pytest.raises(Problem) as caught:
        far.upload("/documents/1/content", io.BytesIO(bytes(50_000_000)))
    assert caught.value.code == "body_too_large"
    assert far.page("/contacts").status == 200 and waits == []


def test_an_interrupted_download_continues_where_it_was(far, middle, api, waits, tmp_path):
    contact = api.post("/contacts", {"company_name": "Download"})
    document = api.post(
        "/documents", {"entity_type": "contact", "entity_id": contact["id"], "filename": "a.bin"}
    )
    content = bytes(range(256)) * 2000
    api.upload(f"/documents/{document['id']}/content", io.BytesIO(content))
    middle.faults += [halved, halved]
    far.download(f"/documents/{document['id']}/content", tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == content
    assert [headers["Range"] for _, _, headers, _ in middle.got] == [
        None,
        "bytes=256000-",
        "bytes=384000-",
    ]
    assert middle.got[1][2]["If-Range"].startswith('"')
    middle.faults += [halved]
    target = io.BytesIO(b"kept ")
    target.seek(5)
    far.download(f"/documents/{document['id']}/content", target)
    assert target.getvalue() == b"kept " + content


def test_a_file_that_changes_during_a_download_is_read_from_its_start(far, middle, waits):
    middle.faults += [
        lambda handler: handler.answer(200, [("ETag", '"1"')], b"old content", 5) or handler.cut(),
        says(200, "new", ETag='"2"'),
    ]
    target = io.BytesIO(b"kept ")
    target.seek(5)
    far.download("/documents/1/content", target)
    assert target.getvalue() == b"kept new"


def test_a_download_that_fails_for_good_leaves_the_old_file(far, middle, waits, tmp_path):
    (tmp_path / "a.csv").write_text("old")
    middle.faults += [halved] * 6
    with pytest.raises(NoResponse):
        far.download("/contacts", tmp_path / "a.csv", accept="text/csv")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.csv", "old")]


# PUT, PATCH and DELETE: the first attempt may have done it


def test_a_deletion_whose_response_was_lost_is_a_success(far, middle, api, waits):
    contact = api.post("/contacts", {"company_name": "Gone"})
    middle.faults.append(lost)
    assert far.delete(f"/contacts/{contact['id']}", if_match=contact.etag) == {}
    assert named(api, "Gone") == []


@pytest.mark.parametrize(
    "refusal", [says(503, '{"code": "database_busy"}'), says(429)], ids=["503", "429"]
)
def test_a_deletion_of_nothing_is_an_error_if_nothing_was_lost(refusal, far, middle, waits):
    """eventapi says itself that it has not executed the request, and a proxy does with 429."""
    middle.faults.append(refusal)
    with pytest.raises(Problem) as caught:
        far.delete("/contacts/99999")
    assert caught.value.status == 404


def test_a_change_whose_response_was_lost_is_sent_again(far, middle, api, waits):
    contact = api.post("/contacts", {"company_name": "Changed"})
    middle.faults.append(lost)
    assert far.patch(f"/contacts/{contact['id']}", {"city": "Bonn"})["city"] == "Bonn"


@pytest.mark.parametrize(
    "fault", [lost, halved, BAD_GATEWAY, UNAVAILABLE], ids=["lost", "halved", "502", "503"]
)
def test_412_after_a_lost_response_says_that_the_change_may_be_ones_own(
    fault, far, middle, api, waits
):
    contact = api.post("/contacts", {"company_name": "Mine"})
    path = f"/contacts/{contact['id']}"
    if fault in (BAD_GATEWAY, UNAVAILABLE):
        api.patch(path, {"city": "Bonn"})
    middle.faults.append(fault)
    with pytest.raises(Problem) as caught:
        far.patch(path, {"city": "Bonn"}, if_match=contact.etag)
    assert caught.value.status == 412 and caught.value.repeated
    assert "earlier attempt got no response and may have been executed" in str(caught.value)
    assert api.get(path)["city"] == "Bonn"


# How often, and when


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_request_is_tried_again_until_the_limit(status, far, middle, waits):
    middle.faults += [says(status)] * 9
    with pytest.raises(Problem) as caught:
        far.get("/contacts/1")
    assert caught.value.status == status and len(middle.got) == 6 and len(waits) == 5
    assert all(
        limit / 2 <= wait <= limit for wait, limit in zip(waits, [0.5, 1, 2, 4, 8], strict=True)
    )


@pytest.mark.parametrize("status", [400, 401, 403, 409, 413, 422, 500, 501, 507])
def test_another_error_is_reported_at_once(status, far, middle, waits):
    middle.faults.append(says(status))
    with pytest.raises(Problem) as caught:
        far.post("/contacts", {})
    assert caught.value.status == status and waits == [] and len(middle.got) == 1


def test_retry_after_may_be_seconds_or_a_date(far, middle, waits, api):
    contact = api.post("/contacts", {"company_name": "Wait"})
    moment = datetime.now(timezone.utc) + timedelta(seconds=40)
    middle.faults += [
        says(429, Retry_After="7"),
        says(503, Retry_After=format_datetime(moment, usegmt=True)),
        says(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
        says(503, Retry_After="soon"),
    ]
    assert far.get(f"/contacts/{contact['id']}") == contact
    assert 7 <= waits[0] <= 8 and 20 < waits[1] <= 41 and 0 <= waits[2] <= 1 and 2 <= waits[3] <= 4


def test_a_server_that_asks_for_too_much_patience_is_reported(far, middle, waits):
    middle.faults.append(says(503, Retry_After="3600"))
    with pytest.raises(Problem) as caught:
        far.get("/contacts/1")
    assert waits == [] and caught.value.headers["Retry-After"] == "3600"


def test_a_server_that_is_not_there_yet_is_waited_for(service, monkeypatch):
    """Nothing listens at first: the connection is refused."""
    port, started = free_port(), []
    monkeypatch.setattr(
        "eventapi.client.sleep", lambda _: started or started.append(Middle(service[0], port))
    )
    with Client(f"http://127.0.0.1:{port}", service[1]) as far:
        far.post("/contacts", {"company_name": "Patient"})
    with started[0]:
        assert len(started[0].got) == 1


@pytest.mark.parametrize(
    ("faults", "sent"), [([], False), ([unheard, unheard], True)], ids=["refused", "cut"]
)
def test_no_response_says_whether_the_server_may_have_executed_the_request(
    faults, sent, service, waits
):
    port = free_port()
    with Client(f"http://127.0.0.1:{port}", service[1], tries=2) as far:
        middle = Middle(port=port) if faults else None
        if middle:
            middle.faults += faults
        with pytest.raises(
            NoResponse, match=r"POST http://127.0.0.1:\d+/contacts: no complete response"
        ) as caught:
            far.post("/contacts", {"company_name": "Nobody"})
        if middle:
            middle.__exit__()
    assert caught.value.sent is sent and len(waits) == 1


def test_a_request_that_was_cut_stays_uncertain_when_the_server_is_gone_after_that(
    service, monkeypatch
):
    """The second attempt is refused and reaches nobody. The first one may have been executed."""
    middle = Middle()
    middle.faults.append(unheard)
    monkeypatch.setattr("eventapi.client.sleep", lambda _: middle.__exit__())
    with pytest.raises(NoResponse, match="refused") as caught:
        Client(middle.url, service[1], tries=2).post("/contacts", {})
    assert caught.value.sent


def test_a_post_that_is_refused_after_a_lost_attempt_was_not_executed(far, middle, waits):
    """If it had been, its key would have brought the first response again."""
    middle.faults.append(unheard)
    with pytest.raises(Problem) as caught:
        far.post("/contacts", {"colour": "red"})
    assert not caught.value.repeated and "earlier attempt" not in str(caught.value)


def test_requests_survive_a_restart_of_the_server(data, monkeypatch):
    """The connection that was kept is dead, then the server refuses connections, then it is back."""
    folder, key = data
    port, second = free_port(), []
    with Server(folder, port=port) as first, Client(first.url, key) as api:
        api.page("/contacts")
        first.stop()
        monkeypatch.setattr(
            "eventapi.client.sleep", lambda _: second or second.append(Server(folder, port=port))
        )
        api.post("/contacts", {"company_name": "Restarted"})
        with second[0]:
            assert len(named(api, "Restarted")) == 1


# Responses that are not from eventapi


def test_the_page_of_a_proxy_is_a_problem(service, middle):
    middle.faults.append(BAD_GATEWAY)
    with (
        pytest.raises(Problem, match=r"502 Bad Gateway: .*nginx") as caught,
        Client(middle.url, service[1], tries=1) as far,
    ):
        far.get("/contacts/1")
    assert (caught.value.code, caught.value.errors, caught.value.request_id) == ("", [], None)


@pytest.mark.parametrize(
    "body", ["<html>Please log in</html>", "[]", '{"data": 1', '"text"', '{"id": 1}']
)
def test_a_success_that_is_not_from_eventapi_is_a_problem(body, far, middle):
    middle.faults.append(says(200, body, Content_Type="text/html"))
    with pytest.raises(Problem, match="EVENTAPI_URL"):
        far.get("/contacts/1")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status, far, middle):
    with Middle() as other:
        middle.faults.append(says(status, Location=f"{other.url}/api/v1/contacts"))
        with pytest.raises(Problem, match=f"leads to {other.url}"):
            far.post("/contacts", {"company_name": "Elsewhere"})
        assert other.got == []


# Connections and memory


def test_requests_share_a_connection_also_after_an_error(far, middle, api, monkeypatch):
    # on a slow machine, a second may pass between two requests
    monkeypatch.setattr("eventapi.client.IDLE", 60)
    contact = api.post("/contacts", {"company_name": "Kept"})
    for _ in range(5):
        far.get(f"/contacts/{contact['id']}")
        with pytest.raises(Problem):
            far.get("/contacts/99999")
    assert len(middle.got) == 10 and len(middle.peers) == 1


def test_a_connection_that_was_idle_for_long_is_not_used(far, middle, api, monkeypatch):
    monkeypatch.setattr("eventapi.client.IDLE", 0)
    for _ in range(3):
        far.page("/contacts")
    assert len(middle.peers) == 3


def test_the_connections_of_a_burst_are_closed_while_requests_continue(api, monkeypatch):
    opened, usual = [], api._open
    monkeypatch.setattr(api, "_open", lambda: opened.append(usual()) or opened[-1])
    meeting = Barrier(8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: (meeting.wait(), api.page("/events")), range(8)))
    assert len(opened) > 1
    until(
        lambda: (
            api.page("/events").status
            and sum(connection.sock is not None for connection in opened) <= 1
        )
    )


def test_threads_share_a_client(api):
    ids = [
        api.post("/contacts", {"company_name": f"Thread {number}"})["id"] for number in range(20)
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda id: api.get(f"/contacts/{id}"), ids * 5))
    assert [contact["id"] for contact in found] == ids * 5


def test_files_need_little_memory(service, tmp_path):
    """40 MB are sent and received.

    The peak is far below that, with the server of the test in the same process.
    """
    size = 40_000_000

    def swallow(handler):
        left = int(handler.headers["Content-Length"])
        while left:
            left -= len(handler.rfile.read(min(left, 65536)))
        handler.answer(200, [], b'{"data": {}, "meta": {}}')

    def pour(handler):
        handler.send_response_only(200)
        handler.send_header("Content-Length", str(size))
        handler.end_headers()
        for _ in range(size // 100_000):
            handler.wfile.write(bytes(100_000))

    with open(tmp_path / "big", "wb") as big:
        big.truncate(size)
    with Middle() as middle, Client(middle.url, service[1]) as far:
        middle.streams += [swallow, pour]
        tracemalloc.start()
        try:
            far.upload("/documents/1/content", tmp_path / "big")
            far.download("/documents/1/content", tmp_path / "copy")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert (tmp_path / "copy").stat().st_size == size and peak < 4_000_000
