"""Hostile clients: they pipeline, break off, dribble and send junk, and compare each response with
its request.
"""

import http.client
import json
import random
import time
from contextlib import suppress
from threading import Event, Thread
from typing import NamedTuple

from tests.support.wire import Wire

BUSY = (429, 503)  # refused for now, and nothing is changed
REFUSALS = ('{"title": "%s", "event_key": 5}', '{"title": "%s"', '["%s"]', '{"titel": "%s"}')


class Ledger:
    """What the clients know about their events, by title, and what was wrong."""

    def __init__(self):
        self.created, self.deleted, self.maybe_deleted = {}, set(), set()
        self.refused, self.maybe_created, self.wrong = set(), set(), []
        self.compared = 0


class Sent(NamedTuple):
    """A request. `kind` is create, refuse, read or delete."""

    kind: str
    id: str
    title: str
    data: bytes


class Hostile(Thread):
    """One client.

    Each of its connections does one of the acts, chosen at random, until `end` is set.
    """

    def __init__(self, number: int, connect, key: str, ledger: Ledger, end: Event):
        super().__init__(daemon=True)
        self.number = number
        self.connect = connect
        self.key = key
        self.ledger = ledger
        self.end = end
        self.random, self.count, self.mine = random.Random(number), 0, []

    def run(self):
        acts = (
            self.pipeline,
            self.pipeline,
            self.pipeline,
            self.break_off,
            self.cut_body,
            self.cut_import,
            self.tiny_window,
            self.junk,
        )
        while not self.end.is_set():
            with suppress(OSError, http.client.HTTPException), Wire(self.connect) as wire:
                self.random.choice(acts)(wire)

    # Acts

    def pipeline(self, wire):
        """Send requests at once or in pieces, sometimes half-close, and compare each response."""
        sent = [self.request() for _ in range(self.random.randrange(1, 8))]
        try:
            self.send(wire, b"".join(one.data for one in sent))
            if self.random.random() < 0.2:
                wire.half_close()
            while sent and (reply := wire.reply()):
                self.compare(sent.pop(0), reply)
        finally:
            self.forget(sent)

    def break_off(self, wire):
        """Send requests, read some of the responses, and close or reset the connection."""
        sent = [self.request() for _ in range(self.random.randrange(1, 8))]
        try:
            data = b"".join(one.data for one in sent)
            self.send(wire, data[: self.random.randrange(1, len(data))])
            if sent[0].kind == "read" and self.random.random() < 0.3:
                time.sleep(0.05)
        finally:
            self.forget(sent)
        self.random.choice((wire.reset, wire.close))()

    def cut_body(self, wire):
        """Send a write that lacks its last bytes. It must not be stored."""
        title = self.title()
        self.ledger.refused.add(title)
        self.send(
            wire,
            self.head("POST /api/v1/events", title, 100) + json.dumps({"title": title}).encode(),
        )
        self.random.choice((wire.half_close, wire.reset, wire.close))()

    def cut_import(self, wire):
        """Break an import off. No contact of it may be stored."""
        title = self.title()
        self.ledger.refused.add(title)
        body = json.dumps({"records": [{"company_name": title}] * 200}).encode()
        self.send(wire, self.head("POST /api/v1/bulk-import/contacts", title, len(body) + 5) + body)
        self.random.choice((wire.half_close, wire.reset, wire.close))()

    def tiny_window(self, wire):
        """Request large responses, and read slowly or not at all."""
        wire.send(self.head("GET /openapi.json", self.title()) * 3)
        for _ in range(self.random.randrange(10)):
            time.sleep(0.02)
            wire.socket.recv(500)
        wire.reset()

    def junk(self, wire):
        """Send bytes that are no request."""
        wire.send(
            self.random.choice(
                (
                    b"\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: a\r\n",
                    b"\0" * 50,
                    b"0\r\n\r\n",
                    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    self.random.randbytes(300),
                )
            )
        )
        wire.half_close()
        wire.socket.recv(100)

    # Requests

    def title(self):
        self.count += 1
        return f"h{self.number}-{self.count}"

    def head(self, line, id, length=0, key=None):
        lines = f"Content-Type: application/json\r\nContent-Length: {length}\r\n" if length else ""
        return (
            f"{line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key or self.key}\r\nX-Request-ID: {id}\r\n"
            f"{lines}\r\n"
        ).encode()

    def request(self):
        """Return a request of any kind. The title is also the request id of a write."""
        new = self.title()
        kind = self.random.choice(("create", "create", "refuse", "read", "read", "delete"))
        if kind in ("read", "delete") and not self.mine:
            kind = "create"
        if kind in ("create", "refuse"):
            form = self.random.choice(REFUSALS) if kind == "refuse" else '{"title": "%s"}'
            body = (form % new).encode()
            return Sent(kind, new, new, self.head("POST /api/v1/events", new, len(body)) + body)
        title = self.random.choice(self.mine)
        if kind == "delete":
            self.mine.remove(title)
            self.ledger.maybe_deleted.add(title)
        method = "GET" if kind == "read" else "DELETE"
        return Sent(
            kind,
            new,
            title,
            self.head(f"{method} /api/v1/events/{self.ledger.created[title]}", new),
        )

    def send(self, wire, data):
        """Send the bytes at once, in a few pieces, or in many."""
        size = self.random.choice((len(data), len(data) // 3 + 1, 40))
        for at in range(0, len(data), size):
            wire.send(data[at : at + size])
            if size < len(data):
                time.sleep(0.001)

    def forget(self, sent):
        """Note that these requests may have been run or not."""
        self.ledger.maybe_created.update(one.title for one in sent if one.kind == "create")
        self.ledger.refused.update(one.title for one in sent if one.kind == "refuse")

    def compare(self, sent, reply):
        """Compare a response with its request, and note what it acknowledges."""
        ledger, status = self.ledger, reply.status
        ledger.compared += 1
        fits = reply.id == sent.id
        if sent.kind == "create" and status == 201:
            fits = fits and reply.title() == sent.title
            ledger.created[sent.title] = json.loads(reply.body)["data"]["id"]
            self.mine.append(sent.title)
        elif sent.kind == "delete" and status in (204, 404):
            if status == 204:
                ledger.deleted.add(sent.title)
        elif sent.kind == "read" and status in (200, 404):
            fits = fits and (
                reply.title() == sent.title if status == 200 else sent.title in ledger.maybe_deleted
            )
        elif sent.kind in ("create", "refuse") and status in (
            BUSY if sent.kind == "create" else (400, 422, *BUSY)
        ):
            ledger.refused.add(sent.title)
        else:
            fits = fits and status in BUSY
        if not fits:
            ledger.wrong.append((sent, status, reply.id, reply.body[:200]))


class Calm(Thread):
    """A client that behaves.

    It writes and reads until `end` is set; each of its requests must succeed.
    """

    def __init__(self, connect, key: str, ledger: Ledger, end: Event):
        super().__init__(daemon=True)
        self.client = Hostile(0, connect, key, ledger, end)
        self.failures, self.served, self.slowest = [], 0, 0.0

    def run(self):
        while not self.client.end.is_set():
            try:
                self.work()
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))

    def work(self):
        """Write and read over one connection until the server closes it."""
        client = self.client
        with Wire(client.connect) as wire:
            while not client.end.is_set():
                title, began = client.title(), time.monotonic()
                body = json.dumps({"title": title}).encode()
                for sent in (
                    Sent(
                        "create",
                        title,
                        title,
                        client.head("POST /api/v1/events", title, len(body)) + body,
                    ),
                    Sent("read", title, title, b""),
                ):
                    data = sent.data or client.head(
                        f"GET /api/v1/events/{client.ledger.created[title]}", title
                    )
                    wire.send(data)
                    reply = wire.reply()
                    if reply is None or reply.status not in (200, 201):
                        self.failures.append(f"{sent.kind}: {reply and reply.status}")
                        return
                    client.compare(sent, reply)
                self.served += 1
                self.slowest = max(self.slowest, time.monotonic() - began)
                if reply.headers["Connection"] == "close":
                    return
                time.sleep(0.05)
