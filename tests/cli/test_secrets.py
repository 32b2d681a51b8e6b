"""Secrets of a real server and its worker appear only where they must.

They are not in logs, other responses, rows, metrics or command lines.
"""

import base64
import http.client
import json
import re
import socket
import socketserver
import sqlite3
import threading

import pytest

from eventapi import config as configuration
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.newsletter import tokens
from eventapi.storage.database import Database
from tests.support.processes import SERVER, Server, environment, eventapi, free_port, until

pytestmark = pytest.mark.processes

PASSWORD = "pass-word-of-the-mail-box"
HUSH = "hush-of-the-receiver"

# Columns that must hold a secret in clear text, because it signs or is sent. A backup is thus as
# secret.
STORED = {
    "webhook": "webhooks.secret",
    "old webhook": "webhooks.previous_secret",
    "header": "webhooks.headers",
}


class Show:
    """A running server, all responses it has sent, and the secrets that it returned."""

    def __init__(self, folder, mailbox):
        self.folder, self.secrets, self.answers = folder, {"password": PASSWORD, "header": HUSH}, []
        (folder / "credentials").mkdir()
        (folder / "credentials" / "smtp_password").write_text(f"{PASSWORD}\n")
        self.settings = {
            "EVENTAPI_LOG_LEVEL": "debug",
            "EVENTAPI_SMTP_HOST": "127.0.0.1",
            "EVENTAPI_SMTP_PORT": str(mailbox.server_address[1]),
            "EVENTAPI_SMTP_SECURITY": "none",
            "EVENTAPI_SMTP_USER": "box",
            "CREDENTIALS_DIRECTORY": str(folder / "credentials"),
            "EVENTAPI_SMTP_SENDER": "news@messe.test",
            "EVENTAPI_BACKUP_DIR": str(folder / "backups"),
            "EVENTAPI_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        }
        self.command("migrate")
        self.secrets["key"] = self.command(
            "key", "create", "--name", "test", "--all-scopes", "--quiet", shows=True
        ).strip()

    def command(self, *words, shows=False):
        done = eventapi(self.folder, *words, **self.settings)
        if not shows:
            self.answers.append((" ".join(words), done.stdout + done.stderr))
        return done.stdout

    def send(self, method, path, body=None, headers=None, shows=None):
        """Send a request.

        Return the status and the data of the response. `shows` is (name of the secret, field that
        holds it) if the response shows a secret.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        headers = (
            {"Authorization": f"Bearer {self.secrets['key']}", "Content-Type": "application/json"}
            if headers is None
            else headers
        )
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        data = (
            json.loads(text).get("data")
            if "json" in (answer.getheader("Content-Type") or "")
            else text
        )
        if shows:
            name, field = shows
            self.secrets[name] = data[field]
            text = text.replace(data[field], "")
        self.answers.append((f"{method} {path}", f"{answer.getheaders()} {text}"))
        return answer.status, data

    def raw(self, text):
        """Send bytes that are not HTTP."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            connection.sendall(text.encode())
            self.answers.append(
                (
                    text[:30],
                    b"".join(iter(lambda: connection.recv(65536), b"")).decode("utf-8", "replace"),
                )
            )


class Mailbox(socketserver.StreamRequestHandler):
    """A mail server that requires no password."""

    received = b""

    def handle(self):
        self.wfile.write(b"220 mail.example.org\r\n")
        for line in self.rfile:
            Mailbox.received += line
            self.wfile.write(
                {
                    b"EHLO": b"250-mail.example.org\r\n250 AUTH PLAIN\r\n",
                    b"AUTH": b"535 Authentication failed\r\n",
                }.get(line[:4].upper(), b"250 OK\r\n")
            )


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    """Return the Show after all requests were sent. `said` is the output of its processes."""
    folder = tmp_path_factory.mktemp("secrets")
    mailbox = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox)
    threading.Thread(
        target=mailbox.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    ).start()
    show, log = Show(folder, mailbox), folder / "server.log"
    with (
        mailbox,
        open(log, "wb") as out,
        Server(folder, "--workers", "1", "--with-worker", log=out, **show.settings) as show.server,
    ):
        send_secrets(show)
        misplace(show)
        until(lambda: "no mail can be sent" in log.read_text())
        mailbox.shutdown()
        assert base64.b64encode(f"\0box\0{PASSWORD}".encode()) in Mailbox.received
        until(
            lambda: show.send("GET", "/api/v1/webhooks/1/deliveries?status=pending")[1][0][
                "attempts"
            ]
        )
        break_down(show)
        show.send("GET", "/metrics")
        show.send("GET", "/healthz")
    for words in ("key list --json", "mail list", "check", "audit verify"):
        show.command(*words.split())
    show.command("backup", str(folder / "copy.backup"))
    show.said = log.read_text()
    for name in ("feed", "old feed"):
        show.secrets[name] = show.secrets[name].rpartition("/")[2].removesuffix(".ics")
    return show


def send_secrets(show):
    """Send every request that shows a secret, once and again with its Idempotency-Key."""
    authorized = {
        "Authorization": f"Bearer {show.secrets['key']}",
        "Content-Type": "application/json",
    }
    hook = {
        "url": f"http://127.0.0.1:{free_port()}/x",
        "events": ["*"],
        "headers": {"Authorization": f"Bearer {HUSH}"},
    }
    feed, root = {"name": "Fair"}, "/api/v1/calendar-feed/subscriptions"
    for name, field, path, body in (
        ("old webhook", "secret", "/api/v1/webhooks", hook),
        ("webhook", "secret", "/api/v1/webhooks/1/rotate-secret", None),
        ("old feed", "url", root, feed),
        ("feed", "url", f"{root}/1/rotate", None),
    ):
        once = {**authorized, "Idempotency-Key": path[-20:]}
        assert show.send("POST", path, body, once, shows=(name, field))[0] in (200, 201)
        status, again = show.send("POST", path, body, once)
        assert status in (200, 201) and again["id"] == 1 and again[field] is None, "shown twice"
    token = show.secrets["feed"].partition("//")[2].partition("/")[2]
    assert show.send("GET", f"/{token}", headers={})[0] == 200
    status, _ = show.send(
        "POST",
        "/api/v1/newsletter",
        {"email": "anna@rosen.example"},
        {**authorized, "Idempotency-Key": "n"},
    )
    assert status == 201
    show.send("POST", "/api/v1/events", {"title": "Garden Fair"})


def misplace(show):
    """Act as a client that puts its key and tokens where they do not belong."""
    key, feed = show.secrets["key"], show.secrets["feed"].rpartition("/")[2]
    link = confirmation(show.folder)
    basic = base64.b64encode(f"{key}:".encode()).decode()
    bearer = {"Authorization": f"Bearer {key}"}
    for method, path, headers, body in (
        ("GET", f"/api/v1/events?api_key={key}", {}, None),
        ("GET", f"/api/v1/events?api_key={key}", bearer, None),
        ("GET", f"/api/v1/events?{key}=1", bearer, None),
        ("GET", f"/api/v1/events?sort={key}", bearer, None),
        ("GET", "/api/v1/events", {"Authorization": f"Basic {basic}"}, None),
        ("GET", "/api/v1/events", {"Authorization": key}, None),
        ("GET", "/api/v1/events", {"X-API-Key": key}, None),
        ("GET", f"/api/v1/{key}", bearer, None),
        ("GET", f"/{key}/events", {}, None),
        ("GET", f"/api/v1/events/{key}", bearer, None),
        ("GET", "/api/v1/events", {"Authorization": f"Bearer {key}x"}, None),
        ("GET", "/api/v1/events", {**bearer, "X-Request-ID": key}, None),
        ("POST", "/api/v1/events", {**bearer, "Content-Type": key}, {}),
        (
            "POST",
            "/api/v1/events",
            {**bearer, "Content-Type": "application/json"},
            {"title": 1, "api_key": key},
        ),
        (
            "POST",
            "/api/v1/events",
            {**bearer, "Content-Type": "application/json"},
            {"title": "x", "timezone": key, "event_key": f"x {key}"},
        ),
        ("PUT", f"/feeds/{feed}", {}, None),
        ("GET", f"/feeds/{feed}x", {}, None),
        ("GET", f"//feeds/{feed}", {}, None),
        ("GET", f"/newsletter/confirm/{link}x", {}, None),
        ("GET", f"/newsletter/nowhere/{link}", {}, None),
    ):
        show.send(method, path, body, headers)
    show.secrets["link"] = link
    if SERVER == "own":  # gthread returns and logs what is not valid HTTP
        send_malformed(show, key, feed)


def send_malformed(show, key, feed):
    """Send requests with secrets that are not valid HTTP."""
    for text in (
        f"GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization Bearer {key}\r\n\r\n",
        f"GET {key} HTTP/9\r\n\r\n",
        f"{key}\r\n\r\n",
        f"GET /feeds/{feed} NONSENSE\r\nHost: x\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: x\r\nAuth({key}): x\r\n\r\n",
    ):
        show.raw(text)


def confirmation(folder):
    """Return the token of the confirmation link, which only the mail contains."""
    db = Database(configuration.load(environ=environment(folder)), readonly=True)
    link = tokens.confirm_url(tokens.secret(db), "", newsletter.row(db, 1))
    db.close()
    return link.rpartition("/")[2]


def break_down(show):
    """Send requests that fail unexpectedly and leave a traceback in the log."""
    connection = sqlite3.connect(show.folder / "eventapi.db", isolation_level=None, timeout=20)
    for table in ("tasks", "calendar_entries"):
        connection.execute("PRAGMA legacy_alter_table = ON")
        connection.execute(f"ALTER TABLE {table} RENAME TO away")
        paths = {
            "tasks": [("GET", "/api/v1/tasks", None), ("POST", "/api/v1/tasks", {"title": "x"})],
            "calendar_entries": [
                ("GET", "/" + show.secrets["feed"].partition("//")[2].partition("/")[2], None)
            ],
        }
        for method, path, body in paths[table]:
            assert show.send(method, path, body)[0] == 500
        connection.execute(f"ALTER TABLE away RENAME TO {table}")
    connection.close()


def where(secret, texts):
    return [name for name, text in texts if secret in text]


def test_no_secret_is_in_the_output_or_logs_of_the_processes(show):
    assert "Traceback" in show.said and "status_code=500" in show.said and "/feeds/***" in show.said
    # whose messages at debug contain request lines
    assert "DEBUG" in show.said.upper() or SERVER == "gthread"
    assert [name for name, secret in show.secrets.items() if secret in show.said] == []


def test_secrets_appear_only_in_the_response_that_shows_them(show):
    assert len(show.answers) > 40 and any("eventapi_" in text for _, text in show.answers)
    assert {
        name: places
        for name, secret in show.secrets.items()
        if (places := where(secret, show.answers))
    } == {}


def test_secrets_are_stored_as_hashes_unless_they_sign_or_are_sent(show):
    for file in (show.folder / "eventapi.db", restored(show)):
        database = sqlite3.connect(file)
        tables = [
            name
            for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        cells = [
            (f"{table}.{column}", str(value))
            for table in tables
            for _, column, *_ in database.execute(f'PRAGMA table_info("{table}")').fetchall()
            for (value,) in database.execute(f'SELECT "{column}" FROM "{table}"')
        ]
        database.close()
        assert {
            name: set(places)
            for name, secret in show.secrets.items()
            if (places := where(secret, cells))
        } == {name: {column} for name, column in STORED.items()}


def restored(show):
    """Return the database from the backup."""
    folder = show.folder / "restored"
    done = eventapi(
        show.folder, "restore", str(show.folder / "copy.backup"), EVENTAPI_DATA_DIR=str(folder)
    )
    assert done.returncode == 0, done.stderr
    return folder / "eventapi.db"


def test_the_patterns_of_this_test_match_every_kind_of_secret(show):
    assert set(show.secrets) == {
        "password",
        "header",
        "key",
        "webhook",
        "old webhook",
        "feed",
        "old feed",
        "link",
    }
    assert all(re.fullmatch(r"[\w+/=.-]{20,}", secret) for secret in show.secrets.values())
