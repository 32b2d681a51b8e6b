"""Files over HTTP: a real server, clients that disconnect, and a server that is killed."""

import http.client
import io
import json
import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi import config as configuration
from eventapi.errors import Problem
from eventapi.web import uploads
from tests.support.processes import Server, children, eventapi, until

pytestmark = pytest.mark.processes

DATA = os.urandom(3_000_000)


@pytest.fixture
def server(folder, key):
    with Server(folder) as server:
        yield server


@pytest.fixture
def ask(server, key):
    def ask(method, path, body=None, headers=None, **options):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        kind = "application/json" if isinstance(body, dict) else "application/octet-stream"
        connection.request(
            method,
            f"/api/v1{path}",
            json.dumps(body) if isinstance(body, dict) else body,
            {"Authorization": f"Bearer {key}", "Content-Type": kind, **(headers or {})},
            **options,
        )
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        return answer, read

    return ask


@pytest.fixture
def document(ask):
    event = json.loads(ask("POST", "/events", {"title": "Fair"})[1])["data"]
    return json.loads(
        ask(
            "POST",
            "/documents",
            {"entity_type": "event", "entity_id": event["id"], "filename": "film.bin"},
        )[1]
    )["data"]


def left(folder):
    return sorted(
        str(file.relative_to(folder / "files")) for file in (folder / "files").rglob("*.tmp")
    )


def half(server, key, document):
    """Send half of an upload. Return the open socket."""
    sock = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    sock.sendall(
        f"PUT /api/v1/documents/{document['id']}/content HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
        f"{key}\r\n"
        f"Content-Length: {len(DATA)}\r\n\r\n".encode()
        + DATA[: len(DATA) // 2]
    )
    return sock


def test_a_file_is_uploaded_and_downloaded_whole_and_in_ranges(ask, document):
    path = f"/documents/{document['id']}/content"
    assert ask("PUT", path, DATA)[0].status == 200
    assert ask("GET", path)[1] == DATA
    answer, part = ask("GET", path, headers={"Range": "bytes=1000000-2499999"})
    assert answer.status == 206 and part == DATA[1_000_000:2_500_000]
    head, nothing = ask("HEAD", path)
    assert head.headers["Content-Length"] == str(len(DATA)) and nothing == b""


def test_a_file_can_be_sent_in_chunks(ask, document):
    path = f"/documents/{document['id']}/content"
    assert (
        ask(
            "PUT",
            path,
            iter([DATA[:1000], DATA[1000:]]),
            encode_chunked=True,
            headers={"Transfer-Encoding": "chunked"},
        )[0].status
        == 200
    )
    assert ask("GET", path)[1] == DATA


@pytest.mark.own_server("gthread closes the connection before the client has read the response")
def test_a_file_that_is_too_large_is_refused_with_413(ask, document, folder):
    path = f"/documents/{document['id']}/content"
    assert ask("PUT", path, DATA)[0].status == 200
    answer, problem = ask("PUT", path, b"x" * (26 * 2**20))
    assert answer.status == 413 and json.loads(problem)["code"] == "body_too_large"
    piece = b"x" * 2**20
    answer, _ = ask(
        "PUT",
        path,
        (piece for _ in range(26)),
        encode_chunked=True,
        headers={"Transfer-Encoding": "chunked"},
    )
    assert answer.status == 413 and ask("GET", path)[1] == DATA and left(folder) == []


def test_an_interrupted_upload_leaves_nothing(server, key, ask, document, folder):
    sock = half(server, key, document)
    until(lambda: left(folder))
    sock.close()
    until(lambda: not left(folder))
    assert json.loads(ask("GET", f"/documents/{document['id']}")[1])["data"] == document


def test_a_server_killed_during_an_upload_leaves_no_partial_file(
    server, key, ask, document, folder
):
    sock = half(server, key, document)
    until(lambda: left(folder))
    for pid in children(server.process.pid):
        os.kill(pid, signal.SIGKILL)
    until(lambda: len(children(server.process.pid)) > 1)
    sock.close()
    assert json.loads(ask("GET", f"/documents/{document['id']}")[1])["data"] == document
    assert ask("PUT", f"/documents/{document['id']}/content", DATA)[0].status == 200
    assert ask("GET", f"/documents/{document['id']}/content")[1] == DATA
    for name in left(folder):  # which the sweep deletes after a day
        os.utime(folder / "files" / name, (0, 0))
    assert eventapi(folder, "worker", "--once").returncode == 0 and left(folder) == []


def test_an_upload_delays_no_other_write(server, key, ask, document):
    sock = half(server, key, document)
    assert ask("POST", "/events", {"title": "Meanwhile"})[0].status == 201
    sock.close()


def test_concurrent_uploads_of_the_same_content_succeed(ask, document, folder):
    def send(_):
        """Upload as a client that waits when too many uploads are being received."""
        while True:
            try:
                status = ask("PUT", f"/documents/{document['id']}/content", DATA)[0].status
            except ConnectionError:  # closed while this client was still sending
                status = 503
            if status != 503:
                return status
            time.sleep(0.1)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert (
        answers == [200] * 8
        and ask("GET", f"/documents/{document['id']}/content")[1] == DATA
        and left(folder) == []
    )


def test_an_upload_beyond_the_places_is_refused_at_once():
    environ = {
        "CONTENT_LENGTH": "5",
        "eventapi.places": uploads.places(threads=2),
        "wsgi.input": Unfinished(),
    }
    with uploads.place({**environ}):
        with pytest.raises(Problem) as refused, uploads.place({**environ}):
            pass
        assert refused.value.code == "unavailable" and refused.value.headers["Retry-After"]
        with uploads.place({**environ, "wsgi.input": io.BytesIO(b"12345")}):  # it has arrived
            pass
    # a page passes its file to a route of the API
    with uploads.place(environ), uploads.place(environ):
        pass


class Unfinished:
    """A body that has not arrived."""


def test_a_process_has_at_least_two_threads_so_that_a_slow_upload_does_not_stop_it(settings):
    environ = {"EVENTAPI_CONFIG": str(settings.data_dir / "eventapi.conf"), "EVENTAPI_THREADS": "1"}
    with pytest.raises(
        configuration.ConfigError, match=r"threads = '1' must be a whole number from 2 to 64"
    ):
        configuration.load(environ=environ)
