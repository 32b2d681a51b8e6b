"""What the clients of the soak do.

Each activity is a method of Activities; it returns (status, statuses allowed).
"""

import csv
import hashlib
import io
import random
import secrets
import time
from collections import deque
from itertools import count, cycle

from eventapi.storage import database
from tests.soak.client import attack, client, idle_connections, read_slowly, upload_slowly

EVENT = "gartenmesse-23"  # the edition that runs
NEXT = "gartenmesse-24"  # the edition that accepts bookings
LISTS = (
    "/participants?event_key=gartenmesse-23&per_page=20",
    "/contacts?per_page=20&sort=company_name&order=ASC",
    "/invoices?status=sent&per_page=20",
    "/check-ins?per_page=20",
    "/booths?event_key=gartenmesse-23&per_page=50",
    "/payments?per_page=20",
    "/events",
)
REPORTS = (
    "/reports/overview?event_key=gartenmesse-23",
    "/reports/revenue?period=month",
    "/reports/check-ins?event_key=gartenmesse-23",
    "/reports/receivables",
    "/check-ins/stats?event_key=gartenmesse-23",
)
DRAWN = {200, 501}  # 501: no installed font has a character of the name
IMPORTED = 10_000
READ_SECONDS = 60  # of a slow reader, which then goes away


class Activities:
    """The clients' memory: ids of the show, badges outside and inside, and the ledger of what was
    acknowledged.
    """

    def __init__(self, show, ledger):
        self.show, self.site, self.ledger, self.numbers = show, show.site, ledger, count(1)
        connection = database.connect(show.data / "eventapi.db", readonly=True)

        def column(text):
            found = [row[0] for row in connection.execute(text)]
            random.shuffle(found)
            return found

        self.outside = deque(
            column(
                "SELECT badge_number FROM participants WHERE event_id = 2 AND role = "
                "'visitor' AND status <> 'cancelled' "
                "AND id NOT IN (SELECT event_participant_id FROM check_ins WHERE closed_by IS NULL)"
            )
        )
        self.inside = deque()
        self.contacts = column(
            "SELECT id FROM contacts WHERE id NOT IN (SELECT contact_id FROM anonymizations)"
        )
        self.participants = column(
            "SELECT id FROM participants WHERE event_id = 2 AND status <> 'cancelled'"
        )
        self.fresh = deque(
            column("SELECT id FROM contacts WHERE phone NOT LIKE '+00%' OR phone IS NULL")
        )
        # Without Japanese names: their invoices, and so the mails, wait where no font has the
        # characters.
        self.payers = column(
            "SELECT DISTINCT contact_id FROM invoices i JOIN contacts c ON c.id = contact_id "
            "WHERE status <> 'draft' AND currency = 'EUR' AND c.country <> 'JP'"
        )
        self.booths = deque(
            column("SELECT id FROM booths WHERE event_id = 4 AND status = 'available'")
        )
        self.exhibitors = cycle(
            column("SELECT id FROM participants WHERE event_id = 4 AND status <> 'cancelled'")
        )
        self.sent = column("SELECT id FROM invoices WHERE status = 'paid'")
        self.first_visit = connection.execute("SELECT max(id) + 1 FROM check_ins").fetchone()[0]
        connection.close()

    def ask(self, *given, **headers):
        return client(self.site)(*given, **headers)

    # Reading

    def read_record(self):
        place = random.choice(
            (
                f"/contacts/{random.choice(self.contacts)}",
                f"/participants/{random.choice(self.participants)}",
                f"/invoices/{random.choice(self.sent)}",
            )
        )
        return self.ask("GET", place)[0], {200}

    def read_list(self):
        return self.ask("GET", random.choice(LISTS))[0], {200}

    def search(self):
        return self.ask(
            "GET",
            f"/contacts?search={random.choice(('mül', 'garten', 'ann', 'schmi'))}&per_page=20".replace(
                "ü", "%C3%BC"
            ),
        )[0], {200}

    def report(self):
        return self.ask("GET", random.choice(REPORTS))[0], {200}

    def badge_pdf(self):
        return self.ask(
            "GET",
            f"/participants/{random.choice(self.participants)}/badge",
            Accept="application/pdf",
        )[0], DRAWN

    def invoice_pdf(self):
        return self.ask("GET", f"/invoices/{random.choice(self.sent)}/pdf")[0], DRAWN

    # The entrance

    def scan(self):
        """Let somebody in or out. Two of a hundred badges are unknown, and are refused."""
        if random.random() < 0.02:
            return self.ask("POST", "/check-ins", self.scanned("XXXXXXXXXXXX"))[0], {404, 409, 422}
        leaves = bool(self.inside) and random.random() < 0.4
        badge, id = self.inside.popleft() if leaves else (self.outside.popleft(), None)
        status, answer = self.ask(
            "POST", "/check-ins", self.scanned(badge, "check_out" if leaves else "check_in")
        )
        if status in (200, 201):
            id = answer["data"]["id"]
            self.ledger.visits[id] = [badge, leaves]
            if leaves:
                self.outside.append(badge)
            else:
                self.inside.append((badge, id))
                self.ledger.note_time("/all", id)
        return status, {200, 201}

    def scanned(self, badge, action="check_in"):
        return {
            "event_key": EVENT,
            "badge_number": badge,
            "action": action,
            "station": f"Gate {random.randrange(20)}",
            "client_ref": f"soak-{next(self.numbers)}",
        }

    # The office

    def invoice(self):
        """Create and send an invoice; the service mails it if the contact has an address."""
        status, answer = self.ask(
            "POST",
            "/invoices",
            {
                "contact_id": random.choice(self.payers),
                "items": [
                    {
                        "description": "Strom",
                        "quantity": 2,
                        "unit_price": random.randrange(1, 9000) / 100,
                        "tax_rate": 19,
                    }
                ],
            },
            Idempotency_Key=secrets.token_hex(8),
        )
        if status != 201:
            return status, {201}
        status, answer = self.ask("POST", f"/invoices/{answer['data']['id']}/send", {})
        if status == 200:
            made = answer["data"]
            mailed = answer["meta"].get("mail", {}).get("status") == "queued"
            self.ledger.invoices[made["invoice_number"]] = (
                made["id"],
                round(made["total"] * 100),
                mailed,
            )
            if mailed:
                self.ledger.note_time("mail", made["invoice_number"])
        return status, {200}

    def payment(self):
        number = random.choice(list(self.ledger.invoices) or [None])
        if number is None:
            return self.invoice()
        transaction, cents = f"soak-{next(self.numbers)}", random.randrange(1, 5000)
        status, answer = self.ask(
            "POST",
            "/payments",
            {"invoice_number": number, "amount": cents / 100, "transaction_id": transaction},
            Idempotency_Key=transaction,
        )
        if status == 201:
            self.ledger.payments[answer["data"]["id"]] = transaction, number, cents
            self.ledger.note_time("/money", answer["data"]["id"])
        return status, {201}

    def note(self):
        text = f"soak {next(self.numbers)}"
        status, answer = self.ask(
            "POST",
            "/notes",
            {
                "entity_type": "contact",
                "note_type": "info",
                "note_text": text,
                "entity_id": random.choice(self.contacts),
            },
        )
        if status == 201:
            self.ledger.notes[answer["data"]["id"]] = text
        return status, {201}

    def contact(self):
        id, phone = self.fresh.popleft(), f"+00{next(self.numbers)}"
        status, _ = self.ask("PATCH", f"/contacts/{id}", {"phone": phone})
        if status == 200:
            self.ledger.contacts[id] = phone
        return status, {200}

    def booking(self):
        """Reserve a booth of the next edition.

        Every other reservation is cancelled at once, and the booth is free.
        """
        booth = self.booths.popleft()
        status, answer = self.ask(
            "POST",
            "/booth-reservations",
            {"booth_id": booth, "event_participant_id": next(self.exhibitors), "notes": "soak"},
        )
        if status != 201:
            return status, {201}
        id = answer["data"]["id"]
        self.ledger.bookings[id] = booth, "pending"
        if id % 2 and len(self.booths) > 50:
            return status, {201}
        status, _ = self.ask("POST", f"/booth-reservations/{id}/cancel", {"reason": "soak"})
        if status == 200:
            self.ledger.bookings[id] = booth, "cancelled"
            self.booths.append(booth)
        return status, {200}

    def newsletter(self):
        email = f"soak{next(self.numbers)}@visitors.example"
        status, answer = self.ask("POST", "/newsletter", {"email": email})
        if status == 201:
            self.ledger.subscribers[email] = answer["data"]["id"]
            self.ledger.note_time("mail", email)
        return status, {201}

    # Slow and hostile clients

    def slow_upload(self):
        status, answer = self.ask(
            "POST",
            "/documents",
            {
                "entity_type": "contact",
                "entity_id": random.choice(self.contacts),
                "filename": "plan.pdf",
                "title": "soak",
            },
        )
        if status != 201:
            return status, {201}
        id = answer["data"]["id"]
        data = b"%PDF-1.4\n" + secrets.token_bytes(random.randrange(100_000, 900_000))
        status, _ = upload_slowly(self.site, f"/documents/{id}/content", data)
        self.ledger.files[id] = hashlib.sha256(data).hexdigest() if status == 200 else None
        return status, {200}

    def slow_reader(self):
        return read_slowly(self.site, random.choice(("/contacts", "/check-ins")), READ_SECONDS)[
            0
        ], {200}

    def hostile(self):
        return attack(self.site)

    def idle(self):
        idle_connections(self.site, 30, 20)
        return 200, {200}

    # Once a day

    def import_json(self):
        return self.imported(
            "json",
            {
                "mode": "create",
                "match_field": "external_id",
                "records": [
                    {
                        "external_id": f"json-{number}",
                        "last_name": f"Gast {number}",
                        "email": f"json{number}@visitors.example",
                        "city": "Leipzig",
                    }
                    for number in range(IMPORTED)
                ],
            },
        )

    def import_csv(self):
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=";", lineterminator="\r\n")
        writer.writerow(("external_id", "company_name", "email", "notes"))
        writer.writerows(
            (
                f"csv-{number}",
                f'Gärtnerei "{number}" & Söhne',
                f"csv{number}@visitors.example",
                "kommt gern\nwieder",
            )
            for number in range(IMPORTED)
        )
        return self.imported(
            "csv",
            text.getvalue().encode("windows-1252"),
            "?mode=create&match_field=external_id",
            Content_Type="text/csv",
        )

    def imported(self, name, body, query="", **headers):
        """Start an import and wait until the worker has done it."""
        status, answer = self.ask("POST", f"/bulk-import/contacts{query}", body, **headers)
        if status != 202:
            return status, {202}
        place, ends = f"/bulk-import/{answer['data']['id']}", time.monotonic() + 900
        while time.monotonic() < ends:
            record = self.ask("GET", place)[1]["data"]
            if record["status"] in ("done", "failed"):
                self.ledger.imported[name] = record["created"]
                return 200 if (record["status"], record["created"]) == (
                    "done",
                    IMPORTED,
                ) else record, {200}
            time.sleep(1)
        return "the import did not end", {200}

    def backup(self):
        """Back up while the service runs, as the nightly timer does."""
        target = self.show.folder / f"backup-{next(self.numbers)}.tar"
        self.show.run("backup", str(target))
        return (200 if target.stat().st_size > 0 else "empty"), {200}

    def night_run(self):
        """Run a second worker until nothing is due, then check the data while others write."""
        self.show.run("worker", "--once")
        self.show.run("check")
        return 200, {200}
