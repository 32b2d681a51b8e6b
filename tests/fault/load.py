"""Clients that write records of many kinds while something fails.

Each client repeats a write until it gets an answer, as an honest client does, with the same
Idempotency-Key. So the ledger knows of nearly every write whether it is stored. Some writes are
sent once only: without an answer, they may be stored or not.
"""

import hashlib
import http.client
import json
import random
import time
from threading import Lock, Thread

from tests.fault.ledger import Ledger, as_data
from tests.support import processes
from tests.support.http_client import HttpClient

CLIENTS, BOOTHS, VISITORS, INVOICES = 8, 12, 300, 5
IMPORT = 2500  # records of an import that the worker does
PATIENCE = 90  # seconds until a write must have got its answer
# What a client does next; what is named twice comes twice as often.
KINDS = (
    "pay",
    "pay",
    "pay_twice",
    "refused_payment",
    "note",
    "change_note",
    "once",
    "scan",
    "scan",
    "book",
    "book",
    "upload",
    "send_invoice",
    "small_import",
    "large_import",
)
AGAIN = (503, 507)  # the service refuses for now: the same request may succeed later
OPTIONS = {"EVENTAPI_CONFIG": str(processes.ROOT / "tests" / "support" / "organiser.conf")}


class Show:
    """The records that the clients write to.

    `data`: the data directory. `key`: an API key of all scopes. `inside`: participant -> marker of
    the open visit.
    """

    def __init__(self, data):
        self.data, self.inside = data, {}
        processes.eventapi(data, "migrate", **OPTIONS)
        self.key = processes.eventapi(
            data, "key", "create", "--name", "fault", "--all-scopes", "--quiet", **OPTIONS
        ).stdout.strip()
        with (
            processes.Server(data, "--workers", "1", **OPTIONS) as server,
            HttpClient(server.url, self.key) as client,
        ):
            self.furnish(
                lambda path, body, status=201: client.data("POST", path, body, status=status)
            )

    def furnish(self, post):
        event = post(
            "/events",
            {
                "title": "Fair",
                "event_key": "fair",
                "date_from": "2020-01-01",
                "date_to": "2999-01-01",
            },
        )
        plan = post(
            "/plans", {"event_id": event["id"], "plan_name": "Hall", "width": 90, "height": 90}
        )
        self.booths = [
            post(
                "/booths",
                {
                    "plan_id": plan["id"],
                    "booth_number": f"A{number}",
                    "width": 3,
                    "depth": 3,
                    "fixed_price": 100,
                },
            )["id"]
            for number in range(BOOTHS)
        ]
        people = post(
            "/bulk-import/participants",
            {
                "event_key": "fair",
                "create_contacts": True,
                "records": [
                    {
                        "last_name": f"Gast {number}",
                        "email": f"gast{number}@example.org",
                        "role": "visitor",
                    }
                    for number in range(VISITORS)
                ],
            },
        )
        assert people["created"] == VISITORS, people
        self.contact = post(
            "/contacts",
            {
                "company_name": "Muster AG",
                "address": "Weg 1",
                "postal_code": "04109",
                "city": "Leipzig",
            },
        )["id"]
        drafts = [post("/invoices", self.draft("x")) for _ in range(INVOICES)]
        self.draft_number = post("/invoices", self.draft("x"))["invoice_number"]
        self.invoices = [
            post(f"/invoices/{draft['id']}/send", {}, 200)["invoice_number"] for draft in drafts
        ]

    def draft(self, marker):
        return {
            "contact_id": self.contact,
            "text": marker,
            "items": [{"description": "Hall", "quantity": 1, "unit_price": 1000, "tax_rate": 19}],
        }

    def badges(self, client):
        found = [
            entry
            for page in range(1, VISITORS // 100 + 1)
            for entry in client.data(
                "GET", f"/participants?per_page=100&page={page}&sort=id&order=ASC"
            )
        ]
        return [(entry["id"], entry["badge_number"]) for entry in found]


class Unanswered(Exception):
    """A write got no answer within PATIENCE."""


class Load:
    """CLIENTS threads that write until `finish` is called.

    `faults`: answers that no client expects.
    """

    def __init__(self, show, port, *, seed=None, ledger=None, only=None):
        self.show, self.port, self.ledger = show, port, ledger or Ledger()
        self.chance, self.lock = random.Random(seed), Lock()
        self.number, self.faults, self.stopping = int(time.time() * 1000) % 10**9 * 1000, [], False
        with HttpClient(f"http://127.0.0.1:{port}", show.key) as client:
            self.people = show.badges(client)
        self.kinds = only or list(KINDS)
        self.threads = [
            Thread(target=self.work, args=(number,), daemon=True) for number in range(CLIENTS)
        ]
        for thread in self.threads:
            thread.start()

    def finish(self):
        """Let each client end its current write, and return the ledger."""
        self.stopping = True
        for thread in self.threads:
            thread.join(PATIENCE + 60)
        assert not any(thread.is_alive() for thread in self.threads), "a client hangs"
        return self.ledger

    def work(self, number):
        client = Client(self, self.people[number::CLIENTS])
        while not self.stopping and not self.faults:
            kind = self.chance.choice(self.kinds)
            if kind == "large_import" and (number or self.chance.random() > 0.1):
                continue  # one client only, since imports take long
            try:
                getattr(client, kind)()
            except Exception as error:
                self.faults.append(f"{kind}: {error!r}")
        client.close()

    def marker(self, letter):
        with self.lock:
            self.number += 1
            return f"{letter}{self.number}"


class Client:
    """One client with its connection, and with visitors of its own."""

    def __init__(self, load, people):
        self.load, self.show, self.ledger, self.chance = load, load.show, load.ledger, load.chance
        self.people, self.connection, self.inside = people, None, load.show.inside

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def ask(self, method, path, body=None, **headers):
        """Send one request. Return (status, bytes); (None, b"") if no answer came."""
        if not isinstance(body, bytes) and body is not None:
            body = json.dumps(body).encode()
            headers = {"Content_Type": "application/json", **headers}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.load.port, timeout=25
                )
            self.connection.request(
                method,
                f"/api/v1{path}",
                body,
                {
                    "Authorization": f"Bearer {self.show.key}",
                    **{name.replace("_", "-"): value for name, value in headers.items()},
                },
            )
            answer = self.connection.getresponse()
            status, text = answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            status, text = None, b""
        self.ledger.count(status or "cut")
        return status, text

    def sure(self, method, path, body=None, expect=(200, 201), **headers):
        """Repeat a request until it is answered.

        Return (status, data). Raise AssertionError for another status.
        """
        ends, refused = time.monotonic() + PATIENCE, None
        while time.monotonic() < ends:
            status, text = self.ask(method, path, body, **headers)
            if status is not None and status not in AGAIN:
                assert status in expect, f"{method} {path}: {status} {text[:300]!r}"
                return status, as_data(text)
            refused = status, text[:200]
            time.sleep(0.05)
        raise Unanswered(f"{method} {path}: {refused}")

    # The kinds of writes

    def payment(self, marker, cents):
        return {
            "invoice_number": self.chance.choice(self.show.invoices),
            "amount": cents / 100,
            "transaction_id": marker,
        }

    def pay(self):
        marker, cents = self.load.marker("t"), self.chance.randrange(1, 10**6)
        body = self.payment(marker, cents)
        _, data = self.sure("POST", "/payments", body, Idempotency_Key=marker)
        self.ledger.stored["payment"][marker] = f"{data['id']} {body['invoice_number']} {cents}"
        return body, data

    def pay_twice(self):
        """Repeat an acknowledged payment: it returns the same record, and there is still one."""
        body, data = self.pay()
        _, again = self.sure("POST", "/payments", body, Idempotency_Key=body["transaction_id"])
        assert again["id"] == data["id"], "a repeated payment got another id"

    def refused_payment(self):
        marker = self.load.marker("t")
        self.ledger.refused["payment"].add(marker)
        bad = self.chance.choice(
            ({"amount": 0}, {"invoice_number": self.show.draft_number}, {"currency": "USD"})
        )
        self.sure("POST", "/payments", {**self.payment(marker, 1), **bad}, expect=(409, 422))

    def note(self):
        marker = self.load.marker("n")
        _, data = self.sure("POST", "/notes", self.text(marker), Idempotency_Key=marker)
        self.ledger.stored["note"][marker] = f"{marker} first"
        return marker, data["id"]

    def text(self, marker):
        return {
            "entity_type": "contact",
            "entity_id": self.show.contact,
            "note_text": f"{marker} first",
        }

    def change_note(self):
        """Create a note, change it twice, and delete every other one."""
        marker, id = self.note()
        for version in ("second", "third"):
            self.sure("PATCH", f"/notes/{id}", {"note_text": f"{marker} {version}"})
            self.ledger.stored["note"][marker] = f"{marker} {version}"
        if self.chance.random() < 0.5:
            self.sure("DELETE", f"/notes/{id}", expect=(204, 404))
            del self.ledger.stored["note"][marker]
            self.ledger.refused["note"].add(marker)

    def once(self):
        """Send a note once only. A refusal, also for now, stores nothing."""
        marker = self.load.marker("n")
        self.ledger.open["note"].add(marker)
        status, text = self.ask("POST", "/notes", self.text(marker))
        if status == 201:
            self.ledger.stored["note"][marker] = f"{marker} first"
        elif status in AGAIN:
            self.ledger.refused["note"].add(marker)
            self.ledger.open["note"].discard(marker)
        else:
            assert status is None, f"{status} {text[:300]!r}"

    def scan(self):
        """Let a visitor in, or out again."""
        id, badge = self.chance.choice(self.people)
        marker = self.load.marker("s")
        leaves = id in self.inside
        _, data = self.sure(
            "POST",
            "/check-ins",
            {
                "event_key": "fair",
                "badge_number": badge,
                "action": "check_out" if leaves else "check_in",
                "station": "North",
                "client_ref": marker,
            },
        )
        entered = self.inside.pop(id) if leaves else marker
        if not leaves:
            self.inside[id] = marker
        self.ledger.stored["visit"][entered] = f"{data['id']} {badge} {int(leaves)}"

    def book(self):
        """Reserve a booth that all clients want, and cancel again."""
        marker, booth = self.load.marker("r"), self.chance.choice(self.show.booths)
        status, data = self.sure(
            "POST",
            "/booth-reservations",
            {
                "booth_id": booth,
                "event_participant_id": self.chance.choice(self.people)[0],
                "notes": marker,
            },
            expect=(201, 409),
            Idempotency_Key=marker,
        )
        if status == 409:
            self.ledger.refused["reservation"].add(marker)
            return
        self.ledger.stored["reservation"][marker] = f"{booth} pending"
        self.sure("POST", f"/booth-reservations/{data['id']}/cancel", {"reason": "test"})
        self.ledger.stored["reservation"][marker] = f"{booth} cancelled"

    def upload(self):
        marker = self.load.marker("d")
        data = b"%PDF-1.4\n" + self.chance.randbytes(self.chance.choice((900, 60_000, 900_000)))
        _, made = self.sure(
            "POST",
            "/documents",
            {
                "entity_type": "contact",
                "entity_id": self.show.contact,
                "filename": "a.pdf",
                "title": marker,
            },
            Idempotency_Key=marker,
        )
        self.ledger.stored["document"][marker] = "none"
        self.ledger.open["document"].add(marker)
        self.sure(
            "PUT", f"/documents/{made['id']}/content", data, Content_Type="application/octet-stream"
        )
        self.ledger.stored["document"][marker] = hashlib.sha256(data).hexdigest()

    def send_invoice(self):
        marker = self.load.marker("v")
        _, made = self.sure("POST", "/invoices", self.show.draft(marker), Idempotency_Key=marker)
        self.ledger.stored["invoice"][marker] = f"DRAFT-{made['id']}"
        _, sent = self.sure("POST", f"/invoices/{made['id']}/send", {})
        self.ledger.stored["invoice"][marker] = sent["invoice_number"]

    def small_import(self):
        self.send_import(20, 201)

    def large_import(self):
        """Import so many contacts that the worker does it, and wait for the end."""
        marker, made = self.send_import(IMPORT, 202)
        ends = time.monotonic() + 3 * PATIENCE
        while time.monotonic() < ends:
            _, record = self.sure("GET", f"/bulk-import/{made['id']}")
            if record["status"] == "done":
                assert record["created"] == IMPORT, record
                return
            time.sleep(0.2)
        raise Unanswered(f"import {marker}: {record}")

    def send_import(self, many, status):
        marker = self.load.marker("i")
        records = [
            {"external_id": f"{marker}-{number}", "last_name": "Gast"} for number in range(many)
        ]
        _, made = self.sure(
            "POST",
            "/bulk-import/contacts",
            {"mode": "create", "match_field": "external_id", "records": records},
            expect=(status,),
            Idempotency_Key=marker,
        )
        self.ledger.stored["import"][marker] = many
        return marker, made
