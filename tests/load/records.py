"""Records that the measured writes need: existing ones, and new ones that are created just before."""

import itertools
import time
from datetime import date, timedelta

from eventapi.storage import database

ITEMS = {"items": [{"description": "Stand", "quantity": 2, "unit_price": 100, "tax_rate": 19}] * 3}
COPIED = ["opening_hours", "plans", "services", "categories", "submission_types", "tasks"]
MIXED = "ORDER BY id * 7919 % 10007 LIMIT 400"  # not the oldest ones only


class Records:
    """Supplies one measured write with records. Each method returns an id, or what its name says.

    Attributes:
        db: a connection for the jobs of the worker.
        open: key of the event that is open today; badges: badge numbers of visitors who have not come.
        sent: numbers of unpaid invoices; exhibitors, plain and busy: ids of exhibitors of event 2, of contacts without
            participations and invoices, and of contacts that are exhibitors of event 3. All but `busy` repeat.
    """

    def __init__(self, client):
        self.client, self.numbers = client, itertools.count(int(time.time()))
        self.db = database.Database(client.config)
        self.open = client.one(
            "SELECT event_key FROM events WHERE date_from < date('now') ORDER BY date_from DESC"
        )
        self.plan = client.one("SELECT id FROM plans WHERE event_id = 2")
        self.last_type = client.one(
            "SELECT id FROM submission_types WHERE event_id = 2 AND key = 'plan'"
        )
        self.badges = iter(
            self._ids(
                "SELECT badge_number FROM participants p JOIN events e ON e.id = p.event_id WHERE role = 'visitor' AND "
                f"status <> 'cancelled' AND e.event_key = '{self.open}' AND NOT EXISTS "
                "(SELECT 1 FROM check_ins WHERE event_participant_id = p.id) LIMIT 400"
            )
        )
        self.sent = self._repeated(
            "SELECT invoice_number FROM invoices WHERE status = 'sent' "
            f"AND invoice_type = 'invoice' {MIXED}"
        )
        self.exhibitors = self._repeated(
            "SELECT id FROM participants WHERE role = 'exhibitor' AND status = 'confirmed' AND event_id = 2 AND "
            "contact_id IN (SELECT id FROM contacts WHERE anonymized_at IS NULL) AND contact_id NOT IN "
            f"(SELECT contact_id FROM participants WHERE event_id = 3) {MIXED}"
        )
        self.plain = self._repeated(
            "SELECT id FROM contacts c WHERE id > 500 AND anonymized_at IS NULL AND NOT EXISTS (SELECT 1 FROM "
            "participants WHERE contact_id = c.id) AND NOT EXISTS (SELECT 1 FROM invoices WHERE contact_id = c.id) "
            "LIMIT 400"
        )
        self.busy = iter(
            self._ids(
                "SELECT contact_id FROM participants WHERE event_id = 3 AND role = 'exhibitor' AND contact_id IN "
                f"(SELECT id FROM contacts WHERE anonymized_at IS NULL) {MIXED}"
            )
        )
        self.free_booths = self._repeated(
            "SELECT id FROM booths WHERE status = 'available' AND plan_id = 2"
        )
        self.without_submission = iter(
            self._ids(
                "SELECT p.id FROM participants p JOIN contacts c ON c.id = p.contact_id AND "
                "c.anonymized_at IS NULL WHERE "
                "p.status <> 'cancelled' AND role = 'exhibitor' AND event_id = 2 AND NOT EXISTS "
                "(SELECT 1 FROM submissions "
                f"s WHERE s.event_participant_id = p.id AND s.type_id = {self.last_type}) LIMIT 200"
            )
        )
        self.held = None  # a reservation of a free booth, which is cancelled before the next one

    def _ids(self, text):
        return [row[0] for row in self.client.beside.execute(text)]

    def _repeated(self, text):
        return itertools.cycle(self._ids(text))

    def open_month(self):
        """Return the first month that is not closed."""
        return self.client.one("SELECT substr(first_open_day, 1, 7) FROM periods ORDER BY id DESC")

    def post(self, path, body=None):
        return self.client.send("POST", path, body)

    def number(self):
        return next(self.numbers)

    def contact_fields(self):
        return {
            "last_name": f"Neu {self.number()}",
            "email": f"neu{self.number()}@neu.example",
            "company_name": "Neu AG",
            "postal_code": "04109",
            "tags": ["tag0", "neu"],
        }

    def contact(self):
        return self.post("/contacts", self.contact_fields())["id"]

    def two_contacts(self):
        return self.contact(), self.contact()

    def contact_and_exhibitor(self):
        return self.contact(), next(self.busy)

    def participant(self):
        body = {"event_key": self.open, "contact_id": self.contact(), "role": "visitor"}
        return self.post("/participants", body)["id"]

    def payment(self):
        return self.post("/payments", {"invoice_number": next(self.sent), "amount": 2})["id"]

    def note(self):
        return self.post(
            "/notes", {"entity_type": "contact", "entity_id": 1, "note_text": "Rückruf"}
        )["id"]

    def booth(self):
        return self.post("/booths", {"plan_id": self.plan, "width": 3, "depth": 3})["id"]

    def free_booth(self):
        if self.held:
            self.post(f"/booth-reservations/{self.held}/cancel")
        return next(self.free_booths)

    def reservation(self):
        return self.reserve(self.booth())

    def reserve(self, booth):
        return self.post(
            "/booth-reservations",
            {"booth_id": booth, "final_price": 100, "event_participant_id": next(self.exhibitors)},
        )["id"]

    def customer(self):
        """Return a participant with a confirmed reservation that is not billed."""
        return self.post(f"/booth-reservations/{self.reservation()}/confirm")[
            "event_participant_id"
        ]

    def draft(self):
        return self.post("/invoices", {**ITEMS, "contact_id": next(self.plain)})["id"]

    def issued(self):
        id = self.draft()
        self.post(f"/invoices/{id}/send", {"mail": False})
        return id

    def application(self):
        return self.post(
            "/applications",
            {
                "event_keys": [self.open],
                "last_name": "Neu",
                "company_name": f"Neu {self.number()}",
                "email": f"b{self.number()}@neu.example",
                "late": True,
            },
        )["id"]

    def reviewed_application(self):
        id = self.application()
        self.post(f"/applications/{id}/review")
        return id

    def order(self):
        return self.post(
            "/service-orders",
            {
                "event_participant_id": next(self.exhibitors),
                "items": [{"service_id": 3, "quantity": 1}],
            },
        )["id"]

    def event(self):
        return self.post("/events", {"title": f"Neu {self.number()}"})["id"]

    def event_copy(self):
        day = date(date.today().year + 3, 1, 1) + timedelta(days=self.number() % 700)
        body = {"date_from": str(day), "event_key": f"k{self.number()}", "with": COPIED}
        return self.post("/events/2/copy", body)["id"]

    def scans(self):
        return [
            {
                "event_key": self.open,
                "badge_number": number,
                "action": "check_in",
                "station": "Gate 2",
                "client_ref": f"r{self.number()}",
            }
            for number in itertools.islice(self.badges, 150)
        ]

    def imported(self):
        return [{"last_name": "Imp", "email": f"i{self.number()}@imp.example"} for _ in range(500)]
