"""Fixtures of the tests of e-invoices: buyers and drafts."""

import pytest

from eventapi import times

BUYER = {
    "company_name": "Muster AG",
    "first_name": "Eva",
    "last_name": "Muster",
    "address": "Hauptplatz 5",
    "postal_code": "1010",
    "city": "Wien",
    "country": "AT",
    "email": "office@muster.example",
    "tax_id": "ATU13585627",
}
STAND = {"description": "Row stand", "quantity": 1, "unit_price": 100, "tax_rate": 19}


def today():
    """Return the day of issue, for a supply on the same day."""
    return times.today("Europe/Berlin")


@pytest.fixture
def buyer(organiser):
    return organiser.make("/contacts", BUYER)


@pytest.fixture
def draft(organiser, buyer):
    """Return a function that creates a draft of the given items."""

    def make(*items, **fields):
        body = {
            "contact_id": buyer["id"],
            "items": list(items) or [STAND],
            "service_date": today(),
            **fields,
        }
        return organiser.make("/invoices", body)

    return make


@pytest.fixture
def sent(organiser, draft):
    """Return a function that creates and sends an invoice of the given items."""

    def make(*items, body=None, **fields):
        return act(organiser, draft(*items, **fields), "send", body)

    return make


def act(organiser, invoice, action, body=None, status=200):
    """Run an action of an invoice and return the data of the response, or the problem."""
    answer = organiser.post(f"/invoices/{invoice['id']}/{action}", body, status=status).json
    return answer.get("data", answer)


def xml_of(organiser, invoice, query="", status=200):
    """Return the bytes of an e-invoice, or the problem."""
    answer = organiser.get(f"/invoices/{invoice['id']}/xml{query}", status=status)
    return answer.body if status == 200 else answer.json
