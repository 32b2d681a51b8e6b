"""Fixtures of the phones at the door: a fair, its visitors, its doors, and phones in a browser."""

from contextlib import ExitStack

import pytest

from eventapi.domain.access import links
from tests.pages.door.device import Device
from tests.support import dates
from tests.support.served import served


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair",
            "date_from": "2026-01-02",
            "date_to": "2036-01-04",
            "day_ends_at": dates.far_from_now(),
        },
    )


@pytest.fixture
def people(organiser, fair, db):
    """Return people(count): the badge numbers of new visitors."""

    def made(count):
        for start in range(0, count, 1000):
            records = [
                {
                    "last_name": f"Visitor {number}",
                    "email": f"v{number}@example.org",
                    "role": "visitor",
                    "is_confirmed": True,
                }
                for number in range(start, min(start + 1000, count))
            ]
            organiser.post(
                "/bulk-import/participants",
                {
                    "event_key": "fair",
                    "create_contacts": True,
                    "match_field": "email",
                    "records": records,
                },
                status=201,
            )
        return [
            row[0]
            for row in db.connection.execute("SELECT badge_number FROM participants ORDER BY id")
        ]

    return made


@pytest.fixture
def door(db, fair):
    """Return door(station): (link, a new address of it)."""

    def made(station="West", event=None, **values):
        with db.write():
            link = links.create(
                db, "door", event_id=(event or fair)["id"], station=station, **values
            )
            return link, links.address("http://door.example", links.add_secret(db, link, "shown"))

    return made


@pytest.fixture
def phone(tmp_path, app, browser):
    """A phone that reaches a server of this process, with storage of its own in the browser of the
    module.
    """
    with served(app.app, []) as url:
        phone = Device(tmp_path / "west", url, browser=browser)
        phone.start()
        yield phone
        phone.end()


@pytest.fixture
def phones(tmp_path, app):
    """Return phones(count): phones with a browser each, which reach one server of this process.

    Further arguments are those of Phone.
    """
    with served(app.app, []) as url, ExitStack() as stack:

        def made(count, **values):
            found = []
            for number in range(count):
                one = Device(tmp_path / f"phone-{number}", url, **values)
                stack.callback(one.end)
                one.start()
                found.append(one)
            return found

        yield made
