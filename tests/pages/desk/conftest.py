"""Fixtures: people at the desk, and a show with an application, a hall and an exhibitor."""

import re
from types import SimpleNamespace

import pytest

from eventapi import times
from tests.pages.conftest import Visitor
from tests.support import camt
from tests.support.client import SCOPES, add_key


@pytest.fixture
def desk(app, db):
    """Return a function that signs in somebody with these scopes: desk("events:read")."""

    def signed_in(scopes=SCOPES, name="Ada Lovelace", language="en"):
        visitor = Visitor(app, language)
        visitor.key = add_key(db, scopes, name)
        sign_in(visitor, visitor.key)
        return visitor

    return signed_in


def sign_in(visitor, key, status=303):
    """Sign in with an API key."""
    token = re.search(r'name="token" value="([^"]+)"', visitor.get("/desk/sign-in").text)[1]
    return visitor.post("/desk/sign-in", {"token": token, "key": key}, status)


@pytest.fixture
def office(desk):
    """Somebody of the office with all scopes."""
    return desk()


@pytest.fixture
def fair(organiser):
    """A show with an application, an exhibitor, and a hall with two booths."""
    event = organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
        },
    )
    category = organiser.make(
        "/categories", {"title": "Plants", "event_keys": ["fair"], "base_price": 300}
    )
    contact = organiser.make(
        "/contacts",
        {
            "company_name": "Rosen KG",
            "email": "info@rosen.example",
            "address": "Weg 1",
            "postal_code": "04109",
            "city": "Leipzig",
            "country": "DE",
        },
    )
    exhibitor = organiser.make(
        "/participants",
        {
            "event_key": "fair",
            "contact_id": contact["id"],
            "category_key": category["category_key"],
            "is_confirmed": True,
        },
    )
    application = organiser.make(
        "/applications",
        {
            "event_keys": ["fair"],
            "category_keys": [category["category_key"]],
            "company_name": "Tulpen GmbH",
            "email": "info@tulpen.example",
            "requested_area": 12.5,
        },
    )
    kind = organiser.make(
        "/booths/types", {"booth_type_name": "Row", "price_model": "per_m2", "price": 80}
    )
    plan = organiser.make(
        "/plans", {"event_key": "fair", "plan_name": "Hall 1", "width": 40, "height": 30}
    )
    booths = [
        organiser.make(
            "/booths",
            {
                "plan_id": plan["id"],
                "booth_number": f"A{number}",
                "pos_x": 4 * number,
                "pos_y": 2,
                "booth_type_id": kind["id"],
            },
        )
        for number in (1, 2)
    ]
    return SimpleNamespace(
        event=event,
        category=category,
        contact=contact,
        exhibitor=exhibitor,
        plan=plan,
        application=application,
        booths=booths,
        kind=kind,
    )


@pytest.fixture
def busy_fair(organiser, fair, open_link, db):
    """The show `fair` with records in nearly every state that the pages of the desk show."""

    def participant(company, **values):
        contact = organiser.make(
            "/contacts",
            {
                "company_name": company,
                "email": "info@mail.example",
                "address": "Weg 2",
                "postal_code": "04109",
                "city": "Leipzig",
                "country": "DE",
            },
        )
        return organiser.make(
            "/participants", {"event_key": "fair", "contact_id": contact["id"], **values}
        )["id"]

    exhibitor, today = fair.exhibitor["id"], times.today("Europe/Berlin")
    organiser.patch(f"/contacts/{fair.contact['id']}", {"tax_id": "ATU13585627"}, status=200)
    astern = organiser.data(f"/participants/{participant('Astern KG')}")
    organiser.post(f"/participants/{participant('Nelken KG')}/cancel", status=200)
    organiser.make(
        "/booth-reservations", {"booth_id": fair.booths[0]["id"], "event_participant_id": exhibitor}
    )
    kind = organiser.make(
        "/submissions/types", {"event_key": "fair", "title": "Slogan", "input": "text"}
    )
    made = organiser.make(
        "/submissions", {"event_participant_id": exhibitor, "type_id": kind["id"], "value": "Roses"}
    )
    organiser.post(f"/submissions/{made['id']}/submit", status=200)
    service = organiser.make(
        "/services",
        {
            "service_name": "Power",
            "base_price": 185,
            "unit": "piece",
            "events": [{"event_key": "fair"}],
        },
    )
    organiser.make(
        "/schedules",
        {
            "event_key": "fair",
            "title": "Opening",
            "slot_date": "2027-05-01",
            "start_time": "08:00",
            "end_time": "08:30",
        },
    )
    for status in ("draft", "submitted", "confirmed"):
        organiser.make(
            "/service-orders",
            {
                "event_participant_id": exhibitor,
                "status": status,
                "items": [{"service_id": service["id"], "quantity": 1}],
            },
        )
    template = organiser.make(
        "/documents/templates", {"name": "Contract", "is_contract": True, "body": "<p>Contract</p>"}
    )
    for actions in ((), ("request-signature",), ("request-signature", "mark-signed")):
        document = organiser.make(
            "/documents",
            {
                "entity_type": "event_participant",
                "entity_id": exhibitor,
                "template_id": template["id"],
            },
        )
        for action in actions:
            body = {"signer_name": "Anna Rosen"} if action == "mark-signed" else None
            organiser.post(f"/documents/{document['id']}/{action}", body, status=200)
    for entity in (
        {"entity_type": "event", "entity_id": fair.event["id"]},
        {"entity_type": "event_participant", "entity_id": exhibitor},
    ):
        for title in ("Call them", "Write to them"):
            task = organiser.make("/tasks", {**entity, "title": title})
        organiser.post(f"/tasks/{task['id']}/complete", status=200)
        organiser.make("/notes", {**entity, "note_text": "They like roses"})
    organiser.make("/links", {"kind": "participant", "participant_id": exhibitor})
    open_link("door", event_id=fair.event["id"], station="West")
    organiser.make(f"/participants/{exhibitor}/invoice", {})
    for _ in range(3):
        invoice = organiser.make(
            "/invoices",
            {
                "contact_id": fair.contact["id"],
                "event_participant_id": exhibitor,
                "items": [
                    {"description": "Poster", "quantity": 1, "unit_price": 100, "tax_rate": 19}
                ],
            },
        )
        organiser.post(f"/invoices/{invoice['id']}/send", {"mail": False}, status=200)
    organiser.post("/invoices/3/dispute", {"reason": "late"}, status=200)
    db.connection.execute(
        "UPDATE invoices SET issue_date = '2026-01-01', due_date = '2026-01-08', "
        "overdue_from = '2026-01-09' WHERE id IN (2, 4)"
    )
    organiser.make("/invoices/dunning-levels", {"name": "First letter", "days": 10})
    organiser.post("/invoices/dunning/send", {"invoice_ids": [4], "mail": "post"}, status=200)
    sent = organiser.data("/invoices/2")
    for status in ("completed", "pending"):
        organiser.make(
            "/payments",
            {
                "invoice_number": sent["invoice_number"],
                "amount": 10,
                "payment_date": today,
                "status": status,
            },
        )
    # one that was overpaid: its credit can be offset
    item = {"description": "Poster", "quantity": 1, "unit_price": 100, "tax_rate": 19}
    paid = organiser.make("/invoices", {"contact_id": astern["contact_id"], "items": [item]})
    paid = organiser.post(f"/invoices/{paid['id']}/send", {"mail": False}, status=200).json["data"]
    organiser.make("/payments", {"invoice_number": paid["invoice_number"], "amount": 130})
    made = organiser.make("/applications", {"company_name": "Lilien KG", "event_keys": ["fair"]})
    organiser.post(f"/applications/{made['id']}/review", status=200)
    entries = [
        {"amount": cents, "day": today, "party": "Rosen KG", "text": "Danke"} for cents in (5, 6)
    ]
    statement = camt.document([camt.statement("DE02120300000000202051", entries)])
    organiser.post(
        "/payments/import", raw=statement, headers={"Content-Type": "application/xml"}, status=201
    )
    organiser.post("/payments/unmatched/1/ignore", {"reason": "ours"}, status=200)
    organiser.make("/payments/import/rules", {"text": "Entgelt", "reason": "Fee of the bank"})
    return SimpleNamespace(**vars(fair), sent=sent)
