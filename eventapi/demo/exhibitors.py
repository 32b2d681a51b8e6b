"""The exhibitors of the demo data: what each of them does from the registration to the end of the
show.
"""

from eventapi.demo import pages, papers
from eventapi.demo.billing import Bills
from eventapi.demo.halls import order_items

SECOND_CURRENCY = ("CH", "GB")  # countries whose exhibitors also buy in the second currency
RATINGS = (5, 4, 4, 3, 5, 2)
NOTES = (
    ("info", "Wünscht wieder einen Stand nahe am Eingang."),
    ("followup", "Nach der Messe wegen eines größeren Stands anrufen."),
    ("warning", "Fahrzeug höher als 4 m: Anlieferung nur über Tor Süd."),
    ("internal", "Rabatt von 5 % nur nach Rücksprache mit der Leitung."),
)


class Exhibitor:
    """One exhibitor at one edition of the show. Each method is a step of the agenda.

    edition: the Edition. number: counts the exhibitors; what one does depends on it. category: the category record.
    company: fields of its contact. before: the same exhibitor at the edition before, or None.
    """

    def __init__(self, agenda, edition, number, category, company, before=None):
        self.agenda, self.api, self.edition, self.number = agenda, agenda.api, edition, number
        self.category, self.company, self.before = category, company, before
        self.contact = self.participant = self.bills = self.reservation = self.order = None

    def register_on(self, day):
        """Plan the registration on a day, as days after today. Every tenth exhibitor applies first."""
        if self.number % 10 == 4 and not self.before:
            self.agenda.at(day - 12, lambda: self.apply(day))
        else:
            self.agenda.at(day, lambda: self.register(day))

    def apply(self, day):
        """Apply to exhibit. The application is approved on the day of the registration."""
        application = self.api(
            "POST",
            "/applications",
            {
                **self.company,
                "event_keys": [self.edition.event["event_key"]],
                "late": True,
                "category_keys": [self.category["category_key"]],
                "requested_area": 12,
                "message": "Wir möchten gern zum ersten Mal teilnehmen.",
                "terms_accepted_at": self.agenda.db.now,
            },
        )
        self.agenda.at(
            day - 8, lambda: self.api("POST", f"/applications/{application['id']}/review")
        )
        self.agenda.at(day, lambda: self.approve(application, day))

    def approve(self, application, day):
        """Approve the application, which creates the contact and the participant."""
        approved = self.api("POST", f"/applications/{application['id']}/approve", {})
        self.contact = self.api("GET", f"/contacts/{approved['contact_id']}")
        (self.participant,) = self.api(
            "GET",
            f"/participants?event_id={self.edition.event['id']}&contact_id={self.contact['id']}",
        )
        self.participant = self.api(
            "PATCH", f"/participants/{self.participant['id']}", {"category_id": self.category["id"]}
        )
        self.follow(day)

    def register(self, day):
        """Create the contact, unless the exhibitor comes again, and the participant."""
        self.contact = self.before and self.before.contact
        if self.contact is None:
            self.contact = self.api(
                "POST",
                "/contacts",
                {
                    **self.company,
                    "language": self.edition.names.language(self.company),
                    "category_keys": [self.category["category_key"]],
                    "rating": RATINGS[self.number % 6],
                    "tags": ["Stammaussteller"]
                    if self.number % 4 == 0
                    else ["Neu"]
                    if self.number % 9 == 1
                    else [],
                    "custom_fields": {
                        "halle_wunsch": ("eingang", "mitte", "egal")[self.number % 3],
                        "nachhaltig": self.number % 5 != 0,
                    },
                },
            )
        role = {12: "sponsor", 31: "co_exhibitor"}.get(self.number % 60, "exhibitor")
        self.participant = self.api(
            "POST",
            "/participants",
            {
                "event_key": self.edition.event["event_key"],
                "contact_id": self.contact["id"],
                "role": role,
                "category_id": self.category["id"],
                "is_confirmed": False,
                "custom_fields": {"fahrzeug": "L-MX " + str(100 + self.number % 900)}
                if self.number % 3 == 0
                else {},
            },
        )
        self.follow(day)

    def follow(self, day):
        """Plan the steps after the registration, which was on this day."""
        number, at, opens = self.number, self.agenda.at, self.edition.opens
        self.bills = Bills(
            self.agenda, number, {**self.company, **self.contact}, is_over=self.edition.is_over
        )
        if number % 12 != 11:
            at(day + 3, lambda: self.api("POST", f"/participants/{self.participant['id']}/confirm"))
        if self.api.has("pages") and self.category["trade"] in pages.TEXTS and number % 6 != 5:
            at(day + 5, lambda: pages.introduce(self))
        if self.api.has("booths", "plans") and self.participant["role"] != "co_exhibitor":
            at(day + 4, lambda: self.hold(day + 4))
        if self.edition.halls.services and self.api.has("service_orders") and number % 7 != 6:
            at(max(opens - 100 + number % 70, day + 6), self.place_order)
        if self.api.has("invoices"):
            at(day + 16, lambda: self.bills.invoice(self.participant, day + 16))
            last = max(opens - 7 + number % 4, day + 35)
            at(last, lambda: self.bills.invoice(self.participant, last))
            if self.company["country"] in SECOND_CURRENCY:
                at(day + 21, lambda: self.bills.advertise(self.edition.second_currency))
            if self.participant["role"] == "sponsor":
                at(day + 22, lambda: self.bills.sponsor(day + 22))
        if number % 20 == 19:
            at(max(opens - 45, day + 40), lambda: self.cancel(max(opens - 45, day + 40)))
        elif self.edition.has_types:
            papers.plan_submissions(self, day)
        if self.api.has("documents") and number < self.edition.contracts:
            papers.plan_contract(self, day)
        if number < 100 and number % 5 == 3:
            kind, text = NOTES[number // 5 % 4]
            at(
                day + 9,
                lambda: self.api(
                    "POST",
                    "/notes",
                    {
                        "entity_type": "event_participant" if number % 2 else "contact",
                        "note_type": kind,
                        "note_text": text,
                        "entity_id": self.participant["id"] if number % 2 else self.contact["id"],
                        "is_pinned": kind == "warning",
                    },
                ),
            )

    def hold(self, day):
        """Hold a booth, or join the waiting list of the popular one.

        Most holds are confirmed, some expire.
        """
        halls, number = self.edition.halls, self.number
        if number % 15 == 14 and halls.popular:
            self.api(
                "POST",
                "/booth-reservations",
                {
                    "booth_id": halls.popular["id"],
                    "waitlist": True,
                    "event_participant_id": self.participant["id"],
                },
            )
            return
        if not halls.free:
            return
        booth = halls.free.pop(0)
        halls.popular = halls.popular or booth
        body = {
            "booth_id": booth["id"],
            "event_participant_id": self.participant["id"],
            "expires_at": self.agenda.moment(day + 14, "23:59"),
        }
        if number == 5 and self.edition.days > 1:
            body |= {"final_price": self.agenda.price(990), "notes": "Preis für langjährige Treue"}
        self.reservation = self.api("POST", "/booth-reservations", body)
        if number % 15 == 8:
            self.agenda.at(day + 15, lambda: self.book_again(day + 18))
        else:
            self.agenda.at(day + 5 + number % 6, lambda: self.confirm(day))

    def confirm(self, day):
        """Confirm the reservation.

        One exhibitor moves to another booth, another one takes a second booth.
        """
        address = f"/booth-reservations/{self.reservation['id']}"
        self.api("POST", f"{address}/confirm")
        free = self.edition.halls.free
        if self.number % 40 == 6 and free:
            self.api("POST", f"{address}/move", {"booth_id": free.pop(0)["id"]})
        if self.number % 40 == 3 and free:
            second = self.api(
                "POST",
                "/booth-reservations",
                {"booth_id": free.pop(0)["id"], "event_participant_id": self.participant["id"]},
            )
            self.api("POST", f"/booth-reservations/{second['id']}/confirm")

    def book_again(self, day):
        """Let the hold expire, and book the next booth three days later."""
        self.edition.expire()
        if self.number % 30 == 8:
            self.agenda.at(day, lambda: self.take_next(day))

    def take_next(self, day):
        """Reserve and confirm a free booth."""
        if self.edition.halls.free:
            self.reservation = self.api(
                "POST",
                "/booth-reservations",
                {
                    "booth_id": self.edition.halls.free.pop(0)["id"],
                    "event_participant_id": self.participant["id"],
                },
            )
            self.confirm(day)

    def place_order(self):
        """Order services. Some orders stay drafts, some are cancelled."""
        if self.edition.is_late() or self.is_cancelled():
            return
        self.order = self.api(
            "POST",
            "/service-orders",
            {
                "event_participant_id": self.participant["id"],
                "notes": "Lieferung bitte am Vortag" if self.number % 4 == 1 else None,
                "items": order_items(self.agenda, self.edition.halls.services, self.number),
            },
        )
        address, opens = f"/service-orders/{self.order['id']}", self.edition.opens
        if self.number % 13 == 5 and not self.edition.is_over:
            return
        self.api("POST", f"{address}/submit")
        if self.number % 11 == 8:
            self.api("POST", f"{address}/cancel", {"reason": "Möbel werden selbst mitgebracht"})
            return
        if self.number % 13 == 7 and not self.edition.is_over:
            return
        self.agenda.at(
            opens - 9, lambda: self.is_cancelled() or self.api("POST", f"{address}/confirm")
        )
        for item in self.order["items"]:
            self.agenda.at(opens - 2, lambda item=item: self.work(address, item))

    def work(self, address, item):
        """Provide one item of an order. Some are still being worked on while the show runs."""
        if self.is_cancelled():
            return
        self.api("POST", f"{address}/items/{item['id']}/start")
        if self.edition.is_over or self.number % 6 != 4:
            self.agenda.at(
                self.edition.opens - 1,
                lambda: self.api("POST", f"{address}/items/{item['id']}/complete"),
                "17:30",
            )

    def is_cancelled(self):
        """Return whether the exhibitor has cancelled the participation."""
        return self.api("GET", f"/participants/{self.participant['id']}")["status"] == "cancelled"

    def cancel(self, day):
        """Cancel the participation with its booth; the organiser refunds the payment."""
        self.api("POST", f"/participants/{self.participant['id']}/cancel")
        if self.api.has("booths", "plans"):
            for reservation in self.api(
                "GET", f"/booth-reservations?event_participant_id={self.participant['id']}"
            ):
                if reservation["status"] in ("pending", "confirmed", "waitlisted"):
                    self.api(
                        "POST",
                        f"/booth-reservations/{reservation['id']}/cancel",
                        {"reason": "Krankheit"},
                    )
        if self.api.has("invoices"):
            self.agenda.at(day + 2, lambda: self.bills.give_back(self.participant, day + 2))
