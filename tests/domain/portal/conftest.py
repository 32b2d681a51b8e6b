"""A fair with a hall whose booths exhibitors choose themselves, and a clock that can be moved."""

import pytest

from eventapi import times
from eventapi.domain.portal import reading
from eventapi.domain.shows import settings as pages_of_events
from tests.domain.test_billing import Fair
from tests.support.prepared import prepared


class Portal(Fair):
    """The fair of the tests of billing. Its functions act as a link does: without an admin."""

    def __init__(self, organiser, db):
        super().__init__(organiser, db)
        self.booths = {
            number: self.booth(number, width)["id"]
            for number, width in (("A1", 4), ("A2", 4), ("A3", 6))
        }
        self.change(booth_from="2020-01-01")

    def change(self, **fields):
        """Change the settings of the pages."""
        self.organiser.patch(f"/events/{self.event['id']}/pages", fields, status=200)

    def me(self, participant=None):
        """Return the participant as its page reads it."""
        return reading.participant(self.db, (participant or self.participant)["id"])

    @property
    def pages(self):
        return pages_of_events.get(self.db, self.event["id"])

    def booth_of(self, reservation):
        return self.organiser.data(f"/booths/{reservation['booth_id']}")


@prepared
def portal(organiser, db):
    return Portal(organiser, db)


@pytest.fixture
def clock(monkeypatch):
    """Return a function that moves the clock to a timestamp. It begins at 2030-01-01T12:00:00Z."""
    now = ["2030-01-01T12:00:00Z"]
    monkeypatch.setattr(times, "now", lambda: now[0])

    def move(timestamp):
        now[0] = timestamp

    return move
