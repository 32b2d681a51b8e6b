"""A public show with an exhibitor, somebody who is not confirmed, a plan and a programme; and
visitors who register.
"""

import re
from contextlib import suppress

import pytest

from eventapi.domain.mail.contents import Gone
from eventapi.web.html import tokens
from eventapi.worker.mail import message as mail_message
from tests.pages.conftest import Visitor
from tests.support.plans import add_plan
from tests.support.prepared import prepared
from tests.test_images import PNG

IMPRINT = {
    "organiser_name": "Garden GmbH",
    "organiser_street": "Weg 1",
    "organiser_city": "Leipzig",
    "organiser_email": "office@example.org",
    "base_url": "https://show.example.org",
    "smtp_host": "localhost",
    "smtp_sender": "office@example.org",
}
# What the form asks: all that it can ask of an application, and nothing but the category is required.
EVERYTHING = [
    {"field": field, "ask": "required" if field == "categories" else "optional"}
    for field in (
        "company_name",
        "person",
        "phone",
        "address",
        "website",
        "tax_id",
        "categories",
        "requested_area",
        "message",
    )
]


@prepared
def public_show(organiser, db):
    """Make a public show. Return its records by name."""
    vars(organiser.app.app.settings).update(IMPRINT)  # of this app, which no test gets
    event = organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
            "venue": "Hall of Leipzig",
            "timezone": "Europe/Berlin",
            "description": "SECRET event",
            "opening_hours": [
                {
                    "date": "2027-05-01",
                    "opens": "09:00",
                    "closes": "18:00",
                    "label": "Trade visitors",
                }
            ],
        },
    )
    plan = add_plan(db, "fair", "hall-a", "A")
    made = {"event": event, "plan": plan}
    category = organiser.make(
        "/categories", {"title": "Pots", "category_key": "pots", "content": "SECRET category"}
    )
    for name, company, extra in (
        ("exhibitor", "Erdőháti Kerámia Zrt.", {"is_confirmed": True}),
        ("waiting", "SECRET waiting", {}),
        ("person", None, {"is_confirmed": True}),
    ):
        contact = organiser.make(
            "/contacts",
            {
                "company_name": company,
                "first_name": "SECRET first",
                "last_name": "SECRET last",
                "city": "Budapest",
                "country": "HU",
                "email": f"secret-{name}@example.org",
                "phone": "+49 999",
                "notes": "SECRET notes",
                "address": "SECRET street",
                "tags": ["secrettag"],
            },
        )
        made[name] = organiser.make(
            "/participants",
            {
                "event_id": event["id"],
                "contact_id": contact["id"],
                "role": "exhibitor",
                "badge_name": "SECRET badge",
                "category_id": category["id"],
                **extra,
            },
        )
        booth = organiser.make(
            "/booths",
            {
                "plan_id": plan,
                "booth_number": f"A{len(made)}",
                "width": 3,
                "depth": 3,
                "pos_x": 4 * len(made),
                "pos_y": 1,
                "fixed_price": 100,
                "notes": "SECRET booth",
                "description": "SECRET booth",
            },
        )
        made[f"booth_{name}"] = booth
        reservation = organiser.make(
            "/booth-reservations",
            {
                "booth_id": booth["id"],
                "event_participant_id": made[name]["id"],
                "notes": "SECRET reservation",
            },
        )
        organiser.post(f"/booth-reservations/{reservation['id']}/confirm", {}, status=200)
    organiser.patch(
        f"/participants/{made['exhibitor']['id']}/profile",
        {
            "texts": {"en": "Pots of clay.", "de": "Töpfe aus Ton."},
            "products": ["Amphora"],
            "website": "kerámia.example",
            "email": "visit@keramia.example",
            "phone": "+36 1",
            "links": ["https://social.example/keramia"],
        },
        status=200,
    )
    organiser.patch(
        f"/participants/{made['person']['id']}/profile",
        {"texts": {"en": "SECRET profile"}},
        status=200,
    )
    organiser.put(
        f"/participants/{made['exhibitor']['id']}/profile/logo",
        raw=PNG,
        status=200,
        headers={"Content-Type": "image/png"},
    )
    slot = {
        "event_id": event["id"],
        "slot_date": "2027-05-01",
        "start_time": "10:00",
        "end_time": "11:00",
        "slot_type": "SECRET kind",
    }
    made["slot"] = organiser.make(
        "/schedules",
        {
            **slot,
            "title": "Opening",
            "location": "Stage",
            "description": "See https://example.org/x",
            "is_public": True,
            "assignments": [
                {"event_participant_id": made["exhibitor"]["id"], "role": "speaker"},
                {"event_participant_id": made["person"]["id"], "role": "host"},
            ],
        },
    )
    organiser.make(
        "/schedules",
        {
            **slot,
            "title": "SECRET slot",
            "location": "SECRET place",
            "description": "SECRET text",
            "is_public": False,
        },
    )
    organiser.patch(
        f"/events/{event['id']}/pages",
        {
            "is_public": True,
            "show_plan": True,
            "apply_is_open": True,
            "apply_terms": {"en": "Booths are paid in advance."},
            "apply_form": EVERYTHING,
            "accent_color": "#ffee00",
            "contact_email": "visit@example.org",
            "embed_origins": ["https://www.garden.example"],
            "texts": {
                "intro": {"en": "Everything that grows <b>.", "de": "Alles, was wächst."},
                "privacy": {"en": "No cookies."},
            },
        },
        status=200,
    )
    return made


@pytest.fixture
def show(public_show, settings, monkeypatch):
    """Return the records of a public show by name."""
    for name, value in IMPRINT.items():
        monkeypatch.setattr(settings, name, value)
    return public_show


@pytest.fixture
def read(app):
    """Return a function that reads a page as a browser that asks for a language."""

    def page(path, language="en", status=200, **options):
        return app.get(
            path,
            headers={"Accept": "text/html", "Accept-Language": language},
            status=status,
            **options,
        )

    return page


# Visitors

TYPED = {
    "first_name": "Greta",
    "last_name": "Reißmann",
    "email": "greta@mail.example",
    "category": "visitors",
}


@pytest.fixture
def category(organiser):
    return organiser.make(
        "/categories",
        {
            "title": "Visitors",
            "category_key": "visitors",
            "approval": "automatic",
            "role": "visitor",
            "event_keys": ["fair"],
        },
    )


@pytest.fixture
def pages(organiser, show, category):
    """Open the form. Return the address of the settings."""
    address = f"/events/{show['event']['id']}/pages"
    organiser.patch(address, {"visit_is_open": True}, status=200)
    return address


@pytest.fixture
def register(app, monkeypatch):
    """Return a function that fills in the form as a new visitor, and returns (Visitor, page)."""

    def sent(language="en", status=200, **changed):
        visitor = Visitor(app, language)
        token = token_of(visitor.get("/e/fair/visit"))
        monkeypatch.setattr(tokens, "YOUNGEST", 0)
        values = {name: value for name, value in {**TYPED, **changed}.items() if value is not None}
        return visitor, visitor.post("/e/fair/visit", {**values, "token": token}, status)

    return sent


def token_of(page):
    return re.search(r'name="token" value="([^"]+)"', page.text)[1]


def built(db, kind):
    """Build the mails of a kind. Return (recipient, text) of each."""
    cursor = db.connection.execute("SELECT * FROM mails WHERE kind = ? ORDER BY id", (kind,))
    names = [column[0] for column in cursor.description]
    found = []
    for row in cursor.fetchall():
        with suppress(Gone):
            recipient, message = mail_message.build(db, dict(zip(names, row, strict=True)))
            found.append((recipient, message.decode().replace("=\r\n", "").replace("=3D", "=")))
    return found


def link_of(text):
    return re.search(r"/link/evl_[\w-]{32}", text)[0]


def confirmed(visitor, db, place=-1):
    """Confirm the address by the link in a mail. Return the page of the registration and its path."""
    answer = visitor.post(link_of(built(db, "application_confirmation")[place][1]))
    path = "/" + answer.headers["Location"].removeprefix("http://localhost/").lstrip("./")
    return visitor.get(path), path


def participants(organiser, **query):
    text = "&".join(f"{name}={value}" for name, value in {"role": "visitor", **query}.items())
    return organiser.data(f"/participants?{text}")
