"""Fixtures: people at the desk, and a show with an application, a hall and an exhibitor."""
import re
from types import SimpleNamespace

import pytest

from tests.pages.conftest import Visitor
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
    event = organiser.make("/events", {"title": "Garden Fair", "event_key": "fair", "date_from": "2027-05-01",
                                          "date_to": "2027-05-03"})
    category = organiser.make("/categories", {"title": "Plants", "event_keys": ["fair"], "base_price": 300})
    contact = organiser.make("/contacts", {
        "company_name": "Rosen KG", "email": "info@rosen.example", "address": "Weg 1", "postal_code": "04109",
        "city": "Leipzig", "country": "DE"})
    exhibitor = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"],
                                                    "category_key": category["category_key"], "is_confirmed": True})
    application = organiser.make("/applications", {
        "event_keys": ["fair"], "category_keys": [category["category_key"]], "company_name": "Tulpen GmbH",
        "email": "info@tulpen.example", "requested_area": 12.5})
    kind = organiser.make("/booths/types", {"booth_type_name": "Row", "price_model": "per_m2", "price": 80})
    plan = organiser.make("/plans", {"event_key": "fair", "plan_name": "Hall 1", "width": 40, "height": 30})
    booths = [organiser.make("/booths", {"plan_id": plan["id"], "booth_number": f"A{number}", "pos_x": 4 * number,
                                            "pos_y": 2, "booth_type_id": kind["id"]}) for number in (1, 2)]
    return SimpleNamespace(event=event, category=category, contact=contact, exhibitor=exhibitor, plan=plan,
                           application=application, booths=booths, kind=kind)
