"""Fills an empty database with a realistic trade show.

All records are created through the API, so that all rules apply.
"""
import io
import json
import random
import sys
from datetime import date, timedelta

from eventapi import times
from eventapi.app import create_app
from eventapi.demo.halls import furnish
from eventapi.domain.access import api_keys
from eventapi.storage.database import Database, as_json
from eventapi.storage.migrations import SchemaError
from eventapi.storage.statements import statements

sql = statements("demo")

SIZES = {"small": (60, 240), "messe": (4500, 150000)}          # exhibitors, visitors
FIRST = ("Ada Emil Frida Jonas Lena Mats Nele Oskar Paula Rosa Søren Tomáš Ulla Viktor Wanda Yusuf Zofia Łukasz Chloë "
         "İpek Andreas Birgit Cem Dörte Elif Franz Greta Henrik Ilse Jörg").split()
LAST = ("Ackermann Bąk Çelik Dvořák Eriksen Fischer Großmann Horváth Ivanov Jensen Krüger Lindqvist Müller Novák "
        "Öztürk Petrov Quandt Richter Schäfer Tóth Ulrich Vogel Weiß Yılmaz Zimmermann").split()
TRADES = ("Gartenbau Werkzeuge Honig Keramik Saatgut Holzbau Teichtechnik Gewächshäuser Naturstein Bewässerung Kräuter "
          "Lichtdesign Gartenmöbel Zaunbau Baumschule").split()
FORMS = ("GmbH", "AG", "KG", "e.K.", "Sp. z o.o.", "s.r.o.", "Kft.", "GmbH & Co. KG")
TOWNS = (("04109", "Leipzig", "DE"), ("20095", "Hamburg", "DE"), ("80331", "München", "DE"), ("1010", "Wien", "AT"),
         ("8001", "Zürich", "CH"), ("00-001", "Warszawa", "PL"), ("110 00", "Praha", "CZ"), ("1051", "Budapest", "HU"))
STREETS = ("Lindenweg", "Am Markt", "Bahnhofstraße", "Gewerbering", "Hafenallee", "Mühlgasse")


# The seller on the invoices, where the configuration names none.
ORGANISER = {"organiser_name": "Grüne Messe Leipzig GmbH", "organiser_street": "Messe-Allee 1",
             "organiser_postal_code": "04356", "organiser_city": "Leipzig", "organiser_vat_id": "DE123456789"}


class Api:
    """A client that calls the WSGI app in this process.

    api(method, path, body) returns `data` of the response. An error response raises RuntimeError.
    """

    def __init__(self, app, key):
        self.app, self.key = app, key

    def __call__(self, method, path, body=None):
        raw = b"" if body is None else as_json(body).encode()
        response = {}

        def start_response(status, headers, exc_info=None):
            response["status"] = int(status[:3])
        path, _, query = path.partition("?")
        chunks = self.app({
            "REQUEST_METHOD": method, "PATH_INFO": f"/api/v1{path}", "QUERY_STRING": query, "SERVER_NAME": "demo",
            "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(raw), "wsgi.errors": sys.stderr, "CONTENT_LENGTH": str(len(raw)),
            "CONTENT_TYPE": "application/json", "HTTP_AUTHORIZATION": f"Bearer {self.key}"}, start_response)
        text = b"".join(chunks)
        if response["status"] >= 400:
            raise RuntimeError(f"{method} {path}: {text.decode()}")
        return json.loads(text)["data"] if text else None


def is_empty(db):
    """Return whether the database holds no event and no contact yet."""
    return not db.value(sql.has_records)


def make(config, size="small", say=lambda text: None):
    """Create the demo data. `size` is a key of SIZES; `say` reports the progress.

    Missing options of the organiser are set in `config`. The API key for the requests is revoked at the end. Raise
    SchemaError if the database is not empty.
    """
    for name, value in ORGANISER.items():
        setattr(config, name, getattr(config, name) or value)
    db = Database(config)
    try:
        if not is_empty(db):
            raise SchemaError("The database is not empty. The sample trade show requires an empty database.")
        with db.write():
            key_id, key = api_keys.create_key(db, "demo", api_keys.SCOPES)
        try:
            show(Api(create_app(config), key), *SIZES[size], random.Random(7), say)
        finally:
            with db.write():
                api_keys.revoke_key(db, key_id)
    finally:
        db.close()


def show(api, exhibitors, visitors, rnd, say):
    """Create the events, and for the first event all records of `exhibitors` exhibitors and `visitors` visitors."""
    events = make_events(api, date.today())
    categories = make_categories(api)
    say(f"creating {exhibitors} exhibitors")
    participants = [make_exhibitor(api, rnd, number, events[0], categories) for number in range(exhibitors)]
    furnish(api, events[0], participants, rnd, say)
    say("creating invoices and payments")
    for number, participant in enumerate(participants[:max(40, exhibitors // 3)]):
        make_invoice(api, number, participant)
    for number in range(min(25, exhibitors)):
        make_application(api, rnd, number, events[0], categories)
    say(f"creating {visitors} visitors")
    for number in range(visitors):
        make_visitor(api, rnd, number, events[0])
        if number % 10000 == 9999:
            say(f"{number + 1} visitors created")


def make_events(api, today):
    """Create this year's event, last year's and a small one. Return them."""
    opening = today.replace(day=1) + timedelta(days=120)
    events = []
    for title, city, first, days in (("Grüne Messe Leipzig", "Leipzig", opening, 4),
                                     ("Grüne Messe Leipzig", "Leipzig", opening - timedelta(days=364), 4),
                                     ("Modellbahnbörse", "Chemnitz", opening + timedelta(days=30), 1)):
        hours = [{"date": (first + timedelta(days=day)).isoformat(), "opens": "09:00", "closes": "18:00",
                  "label": "Fachbesucher" if day == 0 else None} for day in range(days)]
        events.append(api("POST", "/events", {
            "title": title, "city": city, "country": "DE", "state": "Sachsen", "date_from": first.isoformat(),
            "date_to": (first + timedelta(days=days - 1)).isoformat(), "opening_hours": hours,
            "application_deadline": (first - timedelta(days=30)).isoformat(),
            "description": "Alles, was wächst: Pflanzen, Technik, Handwerk."}))
    api("POST", "/notes", {"entity_type": "event", "entity_id": events[0]["id"], "is_pinned": True,
                           "note_type": "warning", "note_text": "Brandschutzbegehung am Vortag, 14 Uhr, Halle 1."})
    return events


def make_categories(api):
    """Create a category with three subcategories. Return all of them, the parent first."""
    root = api("POST", "/categories", {"title": "Aussteller", "base_price": 190, "color": "#2f6f4f"})
    children = [{"title": title, "parent_category_id": root["id"], "base_price": price}
                for title, price in (("Pflanzen", 190), ("Technik", 240), ("Handwerk", 150))]
    return [root, *(api("POST", "/categories", child) for child in children)]


def company(rnd, number):
    """Return the fields of a contact or an application of a company."""
    postal_code, city, country = rnd.choice(TOWNS)
    last = rnd.choice(LAST)
    name = f"{last} {rnd.choice(TRADES)} {rnd.choice(FORMS)}"
    return {"company_name": name, "first_name": rnd.choice(FIRST), "last_name": last, "country": country, "city": city,
            "postal_code": postal_code, "address": f"{rnd.choice(STREETS)} {rnd.randint(1, 120)}",
            "email": f"office{number}@exhibitor.example", "phone": f"+49 341 {rnd.randint(100000, 999999)}"}


def make_exhibitor(api, rnd, number, event, categories):
    category = categories[1 + number % 3]
    contact = api("POST", "/contacts", {**company(rnd, number), "category_keys": [category["category_key"]],
                                        "rating": rnd.randint(2, 5)})
    return api("POST", "/participants", {"event_key": event["event_key"], "contact_id": contact["id"],
                                         "category_id": category["id"], "is_confirmed": number % 4 != 0})


def make_invoice(api, number, participant):
    """Create an invoice. Every sixth stays a draft. The others are paid fully, in two parts, partly or not at all."""
    invoice = api("POST", f"/participants/{participant['id']}/invoice")
    if number % 6 == 5:
        return
    invoice = api("POST", f"/invoices/{invoice['id']}/send", {})
    left = round(invoice["total"] * 100)                       # in cents; each payment is a percentage of what is left
    for percent in {0: [100], 1: [50, 100], 2: [30], 3: [], 4: [100]}[number % 5]:
        cents = left * percent // 100
        api("POST", "/payments", {"invoice_number": invoice["invoice_number"], "amount": cents / 100,
                                  "gateway_key": "bank", "transaction_id": f"demo-{invoice['id']}-{left}"})
        left -= cents


def make_application(api, rnd, number, event, categories):
    """Create an application, which is new, in review, approved, waitlisted or rejected, depending on `number`."""
    application = api("POST", "/applications", {
        **company(rnd, number), "email": f"new{number}@applicant.example", "event_keys": [event["event_key"]],
        "late": True, "category_keys": [categories[1 + number % 3]["category_key"]],
        "requested_area": rnd.choice((6, 9, 12.5)), "message": "Wir möchten gern zum ersten Mal teilnehmen.",
        "terms_accepted_at": times.now()})
    action = (None, "review", "approve", "waitlist", "reject")[number % 5]
    if action in ("approve", "waitlist", "reject"):
        api("POST", f"/applications/{application['id']}/review")
    if action:
        body = {"reason": "Die Produkte passen nicht zum Thema der Messe."} if action == "reject" else {}
        api("POST", f"/applications/{application['id']}/{action}", body)


def make_visitor(api, rnd, number, event):
    contact = api("POST", "/contacts", {"first_name": rnd.choice(FIRST), "last_name": rnd.choice(LAST),
                                        "email": f"visitor{number}@people.example"})
    api("POST", "/participants", {"event_key": event["event_key"], "contact_id": contact["id"], "role": "visitor"})
