"""A show whose records carry marks, so that any page, answer, file or mail tells whose records it
contains.

A mark is `Zq`, the owner, the kind of record and `x`, such as `ZqAinvoicex`: an invoice of the
exhibitor A.
"""

import re
from datetime import datetime, timedelta

from eventapi import times
from tests.support.plans import add_plan

KINDS = (
    "contact",
    "application",
    "badge",
    "profile",
    "booth",
    "order",
    "contract",
    "submission",
    "invoice",
)
MARK = re.compile(r"Zq([A-Z])(" + "|".join(KINDS) + ")x")
MADE, BEGINS = "2027-03-01T08:00:00Z", "2027-05-02T08:00:00Z"

# owner of records -> what it is
OWNERS = {
    "A": "an exhibitor who came by an application",
    "B": "an exhibitor whom the office has made",
    "C": "the participation of A in the event that is over",
    "O": "an applicant on whom nobody has decided",
    "R": "a visitor who has registered with the public form",
    "I": "a visitor whom the office has imported",
    "E": "a visitor without an e-mail address",
}
IMPRINT = {
    "organiser_name": "Garden GmbH",
    "organiser_street": "Weg 1",
    "organiser_city": "Leipzig",
    "organiser_email": "office@example.org",
    "base_url": "https://show.example.org",
    "smtp_host": "localhost",
    "smtp_sender": "office@example.org",
}


def mark(owner, kind):
    """Return the mark of the records of a kind that an owner has."""
    return f"Zq{owner}{kind}x"


def marks(text):
    """Return the pairs (owner, kind) whose marks are in a text."""
    return set(MARK.findall(text))


class Clock:
    """The clock of the service. Each request comes a minute after the one before."""

    def __init__(self):
        self.now = MADE

    def tick(self):
        self.now = times.text(datetime.fromisoformat(self.now) + timedelta(minutes=1))


class Office:
    """The organiser: requests of a key with all scopes, each a minute after the one before."""

    def __init__(self, client, clock):
        self.client, self.clock = client, clock

    def __call__(self, method, path, body=None, status=200):
        self.clock.tick()
        return self.client(method, path, body, status=status).json["data"]

    def make(self, path, **body):
        return self("POST", path, body, 201)

    def act(self, path, **body):
        return self("POST", path, body)

    def read(self, path):
        return self.client.data(path)


class World:
    """The records of a show by owner.

    contacts, participants, applications: owner -> id.
    badge_numbers: number of a badge -> its owner. A page that shows one has reached the badge.
    links: owner -> ids of its links, that of its application and that of its page.
    """

    def __init__(self, client, db, clock):
        self.office, self.db, self.clock = Office(client, clock), db, clock
        self.contacts, self.participants, self.applications, self.links = {}, {}, {}, {}
        self.badge_numbers = {}
        self.make_events()
        self.make_exhibitors()
        self.make_visitors()

    def reached(self, text):
        """Return the pairs (owner, kind) of the records that a text contains."""
        found = marks(text)
        found |= {
            (owner, "badge") for number, owner in self.badge_numbers.items() if number in text
        }
        return found

    def make_events(self):
        office = self.office
        self.events = {
            key: office.make(
                "/events",
                title=f"The {key}",
                event_key=key,
                date_from=first,
                date_to=last,
                venue="Hall",
                timezone="Europe/Berlin",
            )["id"]
            for key, first, last in (
                ("fair", "2027-05-01", "2027-05-03"),
                ("over", "2027-04-20", "2027-04-22"),
            )
        }
        for key, role, approval in (
            ("guests", "visitor", "automatic"),
            ("gold", "exhibitor", "manual"),
        ):
            office.make(
                "/categories",
                title=key,
                category_key=key,
                role=role,
                approval=approval,
                event_keys=["fair", "over"],
            )
        self.service = office.make(
            "/services",
            service_name="Power",
            base_price=80,
            events=[{"event_key": key} for key in self.events],
        )["id"]
        self.template = office.make(
            "/documents/templates",
            name="Contract",
            is_contract=True,
            body="<p>We agree with {{contact.company_name}}.</p>",
        )["id"]
        office.make(
            "/documents/templates",
            name="Second contract",
            key="second",
            is_contract=True,
            body="<p>We agree again with {{contact.company_name}}.</p>",
        )
        self.plans = {}
        for key in self.events:
            office.make(
                "/submissions/types", event_key=key, key="text", title="Text wanted", input="text"
            )
            self.plans[key] = add_plan(self.db, key, f"hall-{key}")
            pages = {
                "is_public": True,
                "my_is_open": True,
                "contact_email": "help@example.org",
                "texts": {"privacy": {"en": "No cookies."}},
                "apply_terms": {"en": "Booths are paid in advance."},
            }
            office("PATCH", f"/events/{self.events[key]}/pages", pages)
        office(
            "PATCH",
            f"/events/{self.events['fair']}/pages",
            {"apply_is_open": True, "visit_is_open": True},
        )

    def make_exhibitors(self):
        office = self.office
        self.applications["A"] = self.apply("A", "gold")
        office.act(f"/applications/{self.applications['A']}/approve", mail=True)
        self.contacts["A"] = office.read(f"/applications/{self.applications['A']}")["contact_id"]
        office("PATCH", f"/contacts/{self.contacts['A']}", person("A"))
        self.contacts["B"] = office.make("/contacts", **person("B"))["id"]
        self.contacts["C"] = self.contacts["A"]
        self.participants["A"] = office.read(f"/participants?contact_id={self.contacts['A']}")[0][
            "id"
        ]
        for owner, key in (("B", "fair"), ("C", "over")):
            self.participants[owner] = office.make(
                "/participants", event_key=key, role="exhibitor", contact_id=self.contacts[owner]
            )["id"]
        for owner, key in (("A", "fair"), ("B", "fair"), ("C", "over")):
            self.furnish(owner, key)
            # It is for a colleague of the person whom the contact names.
            link = office.make(
                "/links",
                kind="participant",
                participant_id=self.participants[owner],
                email="colleague@victim.example",
            )
            self.links[owner] = [link["id"]]
        self.links["A"].append(self.link_of("A"))

    def make_visitors(self):
        """Make the visitors I and E, and the application O. R registers with its browser: see
        `registered`.
        """
        office = self.office
        for owner in "IE":
            fields = person(owner)
            if owner == "E":
                fields["email"] = None
            self.contacts[owner] = office.make("/contacts", **fields)["id"]
            visitor = office.make(
                "/participants",
                event_key="fair",
                role="visitor",
                is_confirmed=True,
                contact_id=self.contacts[owner],
                badge_name=mark(owner, "badge"),
            )
            self.participants[owner] = visitor["id"]
            self.know_badge(owner)
        self.applications["O"] = self.apply("O", "gold")

    def registered(self, owner):
        """Learn the records of a visitor who has registered, and give its contact and badge their
        marks.
        """
        office = self.office
        application = office.read("/applications?sort=id&order=desc")[0]
        self.applications[owner] = application["id"]
        self.contacts[owner] = application["contact_id"]
        office("PATCH", f"/contacts/{application['contact_id']}", person(owner))
        self.participants[owner] = office.read(
            f"/participants?contact_id={application['contact_id']}"
        )[0]["id"]
        office(
            "PATCH",
            f"/participants/{self.participants[owner]}",
            {"badge_name": mark(owner, "badge")},
        )
        self.know_badge(owner)
        self.links[owner] = [self.link_of(owner)]

    def apply(self, owner, category, **fields):
        """Let the office type an application, and return its id."""
        return self.office.make(
            "/applications",
            company_name=f"{mark(owner, 'application')} KG",
            first_name="Ada",
            last_name=f"Person {owner}",
            email=address_of(owner),
            country="DE",
            language="en",
            event_keys=["fair"],
            category_keys=[category],
            **fields,
        )["id"]

    def link_of(self, owner):
        """Return the id of the link of an application, which the mail of the decision has made."""
        return self.office.read(f"/links?application_id={self.applications[owner]}")[0]["id"]

    def furnish(self, owner, key):
        """Give a participation a badge, a booth, an order, a contract, a submission, an invoice and
        a profile.
        """
        office, id = self.office, self.participants[owner]
        office(
            "PATCH",
            f"/participants/{id}",
            {"badge_name": mark(owner, "badge"), "is_confirmed": True},
        )
        office(
            "PATCH",
            f"/participants/{id}/profile",
            {"texts": {"en": mark(owner, "profile")}, "is_listed": False},
        )
        booth = office.make(
            "/booths",
            plan_id=self.plans[key],
            booth_number=mark(owner, "booth"),
            width=4,
            depth=3,
            pos_x=1 + 8 * len(self.badge_numbers),
            pos_y=1,
            fixed_price=100,
        )
        reservation = office.make(
            "/booth-reservations", booth_id=booth["id"], event_participant_id=id
        )
        office.act(f"/booth-reservations/{reservation['id']}/confirm")
        office.make(
            "/service-orders",
            event_participant_id=id,
            status="submitted",
            items=[
                {"service_id": self.service, "quantity": 1, "specification": mark(owner, "order")}
            ],
        )
        contract = office.make(
            "/documents",
            entity_type="event_participant",
            entity_id=id,
            template_id=self.template,
            title=mark(owner, "contract"),
        )
        office.act(f"/documents/{contract['id']}/request-signature")
        office.make(
            "/submissions",
            event_participant_id=id,
            type_key="text",
            value=mark(owner, "submission"),
        )
        invoice = office.make(
            "/invoices",
            event_participant_id=id,
            items=[
                {
                    "description": mark(owner, "invoice"),
                    "quantity": 1,
                    "unit_price": 100,
                    "tax_rate": 19,
                }
            ],
        )
        office.act(f"/invoices/{invoice['id']}/send")
        self.know_badge(owner)

    def know_badge(self, owner):
        number = self.office.read(f"/participants/{self.participants[owner]}")["badge_number"]
        self.badge_numbers[number] = owner


def person(owner):
    """Return the fields of the contact of an owner."""
    return {
        "company_name": f"{mark(owner, 'contact')} GmbH",
        "first_name": "Ada",
        "last_name": f"Person {owner}",
        "email": address_of(owner),
        "address": "Weg 1",
        "postal_code": "04109",
        "city": "Leipzig",
        "country": "DE",
        "customer_number": f"K-{owner}",
        "language": "en",
    }


def address_of(owner):
    """Return the e-mail address of an owner, which the attacker does not read."""
    return f"{owner.lower()}@victim.example"
