"""Fixtures that several modules share: an event, and a hall with its prices.

A module may define its own.
"""

import pytest

from tests.support.plans import add_plan


@pytest.fixture
def event(organiser):
    """Create an event of three days."""
    return organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2027-05-01",
            "date_to": "2027-05-03",
            "timezone": "Europe/Berlin",
        },
    )


@pytest.fixture
def hall(organiser, db):
    """Create the event `fair`, which lasts three days, with one hall. Return the id of the plan."""
    organiser.make(
        "/events",
        {"title": "Fair", "event_key": "fair", "date_from": "2027-05-01", "date_to": "2027-05-03"},
    )
    return add_plan(db, "fair", "Hall A", "A")


@pytest.fixture
def prices(organiser):
    """Return a function that returns the price of each booth: {booth_number: price}."""
    return lambda: {
        booth["booth_number"]: booth["price"] for booth in organiser.data("/booths?per_page=100")
    }
