"""The log of all processes: fields, and with log_format = json one object in each line, whatever
happens.
"""

import json
import logging
import re
import signal
import sqlite3
import sys
import threading
import urllib.error
import urllib.request

import pytest

from eventapi import logs
from tests.support import processes

REQUEST = [
    "time",
    "level",
    "request_id",
    "client",
    "key",
    "admin",
    "method",
    "path",
    "status_code",
    "ms",
    "bytes",
]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def as_json():
    """Log as JSON during the test."""
    logs.set_form("json")
    yield
    logs.set_form("logfmt")


def log_of(folder, key, form):
    """Return the lines of a server with a worker that receives requests, fails, reloads and stops."""
    with open(folder / "log", "w") as log:
        with processes.Server(
            folder,
            "--with-worker",
            "--workers",
            "1",
            log=log,
            EVENTAPI_LOG_FORMAT=form,
            EVENTAPI_LOG_LEVEL="debug",
        ) as server:

            def ask(path, **headers):
                return status_of(
                    f"{server.url}{path}", {"Authorization": f"Bearer {key}", **headers}
                )

            assert ask("/api/v1/events?search=Ada%20Lovelace") == 200
            assert ask("/feeds/secret-token.ics", **{"X-Request-ID": "mine"}) == 404
            break_down(folder, lambda: ask("/api/v1/tasks"))
            server.process.send_signal(signal.SIGHUP)
            processes.until(lambda: "Handling signal: hup" in read(folder), timeout=60)
            processes.until(lambda: ask("/api/v1/events") == 200, timeout=60)
            assert server.stop() == 0
    return read(folder).splitlines()


def status_of(url, headers):
    """Return the status of a GET, None if there is no response."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=30
        ) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def read(folder):
    return (folder / "log").read_text()


def break_down(folder, ask):
    """Call `ask` while a table is missing, so that the request fails with a traceback in the log."""
    connection = sqlite3.connect(folder / "eventapi.db", isolation_level=None, timeout=20)
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.execute("ALTER TABLE tasks RENAME TO away")
    assert ask() == 500
    connection.execute("ALTER TABLE away RENAME TO tasks")
    connection.close()


@pytest.mark.processes
def test_every_line_of_all_processes_is_json(folder, key):
    lines = [json.loads(line) for line in log_of(folder, key, "json")]
    assert all(TIME.fullmatch(line["time"]) and line["level"] for line in lines)
    requests = [line for line in lines if "request_id" in line]
    assert [line for line in requests if list(line) != REQUEST] == []
    first = next(line for line in requests if line["path"] == "/api/v1/events")
    assert (first["method"], first["status_code"], first["key"], first["client"]) == (
        "GET",
        200,
        1,
        "127.0.0.1",
    )
    assert first["bytes"] > 0 and first["ms"] > 0
    masked = next(line for line in requests if line["request_id"] == "mine")
    assert masked["path"] == "/feeds/***" and masked["key"] is None
    failed = [line for line in lines if "traceback" in line]
    assert [line["traceback"][:9] for line in failed] == [
        "Traceback"
    ] and "no such table" in failed[0]["traceback"]
    assert {"gunicorn.error", "eventapi.request"} <= {line.get("logger") for line in lines}
    assert not [line for line in lines if "Lovelace" in str(line) or "secret-token" in str(line)]


@pytest.mark.processes
def test_every_line_of_all_processes_is_logfmt_and_a_traceback_follows_its_line(folder, key):
    lines = log_of(folder, key, "logfmt")
    started = [number for number, line in enumerate(lines) if line.startswith("time=")]
    assert started[0] == 0
    rest = [line for number, line in enumerate(lines) if number not in started]
    assert rest[0].startswith("Traceback") and all(
        not line or line[0] == " " or ":" in line for line in rest
    )
    request = next(line for line in lines if "path=/api/v1/events " in line)
    assert re.findall(r"(?:^| )(\w+)=", request) == REQUEST


def test_no_value_can_end_a_line_of_json(as_json):
    line = logs.line(
        "info", 0, path='/a"\n{"level": "error"}', client="ä\u2028", key=None, ms=1.5, bytes=7
    )
    assert "\n" not in line and line.isascii()
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:00.000Z",
        "level": "info",
        "path": '/a"\n{"level": "error"}',
        "client": "ä\u2028",
        "key": None,
        "ms": 1.5,
        "bytes": 7,
    }


def test_an_exception_that_ends_a_thread_or_the_process_is_logged(as_json, monkeypatch, capsys):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    logs.start("info", "json")
    failing = threading.Thread(target=lambda: 1 / 0, name="mails")
    failing.start()
    failing.join()
    try:
        [].pop()
    except IndexError:
        sys.excepthook(*sys.exc_info())
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (
        first["msg"] == "unhandled error in the thread mails"
        and "ZeroDivisionError" in first["traceback"]
    )
    assert (second["level"], second["msg"]) == (
        "critical",
        "unhandled error",
    ) and "IndexError" in second["traceback"]


def test_a_warning_of_a_command_has_the_form_of_its_errors(run, monkeypatch, capsys):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    run("flag", "list")
    logging.getLogger("eventapi.storage").warning("the clock is %d s behind", 90)
    assert capsys.readouterr().err == "eventapi: the clock is 90 s behind\n"
