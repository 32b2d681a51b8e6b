"""Pages of exhibitors, with real server processes: many want one booth or the last piece, or press
a button often.
"""

import http.client
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from urllib.parse import urlencode

import pytest

from eventapi.domain.access import link_secrets, links, sessions
from eventapi.web.html import tokens
from tests.domain.portal.conftest import Portal
from tests.pages.my.conftest import RIGHTS
from tests.support.concurrent_requests import ROUNDS

pytestmark = pytest.mark.processes
CLIENTS, ORDERING = 100, 30


@pytest.fixture
def portal(organiser, db):
    return Portal(organiser, db)


class Person:
    """Somebody with a session of a link, and the form that the page has shown."""

    def __init__(self, db, participant, event):
        with db.write():
            link = links.create(
                db,
                "participant",
                event_id=event["id"],
                participant_id=participant["id"],
                name="Ada Rosen",
                rights=RIGHTS,
            )
            self.secret = sessions.add(
                db, link_id=link["id"], way="mailed", mailed_to="ada@rosen.example"
            )
        self.ref = link["ref"]
        self.key = link_secrets.form_key(db)
        self.owner = f"link {link['id']}"
        self.token = self.new_token()

    def new_token(self):
        return tokens.session_token(self.key, self.owner)

    def send(self, port, method, page, fields=None):
        """Return (status, text, Location). A busy server is asked again, as a person would."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        body = urlencode(fields) if fields else None
        headers = {
            "Cookie": f"evs-{self.ref}={self.secret}",
            "Accept": "text/html",
            "Accept-Language": "en",
            **({"Content-Type": "application/x-www-form-urlencoded"} if fields else {}),
        }
        try:
            while True:
                connection.request(method, f"/my/{self.ref}/{page}", body, headers)
                response = connection.getresponse()
                text = response.read().decode()
                if response.status != 503:
                    return response.status, text, response.getheader("Location")
        finally:
            connection.close()


def at_once(port, calls):
    """Send forms (person, page, fields) at the same time. Return what each gets."""
    start = Barrier(len(calls))

    def client(call):
        person, page, fields = call
        start.wait(60)
        return person.send(port, "POST", page, fields)

    with ThreadPoolExecutor(len(calls)) as clients:
        return list(clients.map(client, calls))


@pytest.fixture
def fair(portal):
    portal.change(my_is_open=True, booth_confirm="self")
    portal.act("participants", portal.participant, "confirm")
    return portal


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_hundred_exhibitors_hold_one_booth(fair, server, db, organiser, number):
    people = [Person(db, fair.exhibitor(f"Company {each}"), fair.event) for each in range(CLIENTS)]
    answers = at_once(
        server.port,
        [
            (person, "booth/hold", {"form_token": person.token, "booth_number": "A1"})
            for person in people
        ],
    )
    assert sorted(status for status, *_ in answers) == [303, *[409] * (CLIENTS - 1)]
    assert all(
        "Booth A1 has just been taken" in text for status, text, _ in answers if status == 409
    )
    (held,) = organiser.data("/booth-reservations")
    assert held["status"] == "pending"


@pytest.mark.parametrize("number", range(ROUNDS))
def test_the_last_piece_is_ordered_once(fair, server, db, organiser, number):
    """The others read why, keep their basket, and have ordered nothing."""
    organiser.patch(
        f"/services/{fair.power['id']}", {"events": [{"event_key": "fair", "stock": 1}]}, status=200
    )
    people = [Person(db, fair.exhibitor(f"Company {each}"), fair.event) for each in range(ORDERING)]
    calls = []
    for person in people:
        etag = re.search(
            r'name="etag" value="([^"]+)"', person.send(server.port, "GET", "orders")[1]
        )[1]
        fields = {"form_token": person.token, "etag": etag, f"q.{fair.power['id']}": "1"}
        assert person.send(server.port, "POST", "orders", fields)[0] == 303
        check = person.send(server.port, "GET", "orders/check")[1]
        shown = re.search(r'name="shown" value="(\w+)"', check)[1]
        calls.append(
            (
                person,
                "orders/check",
                {"form_token": person.new_token(), "shown": shown, "agree": "1"},
            )
        )
    answers = at_once(server.port, calls)
    assert sorted(status for status, *_ in answers) == [303, *[409] * (ORDERING - 1)]
    for status, text, _ in answers:
        if status == 409:
            assert "only 0 are left" in text and re.search(
                rf'name="q.{fair.power["id"]}"[^>]* value="1"', text
            )
    orders = organiser.data("/service-orders?per_page=100")
    assert sorted(row["status"] for row in orders) == [*["draft"] * (ORDERING - 1), "submitted"]
    assert db.connection.execute("SELECT entity_type FROM binding_steps").fetchall() == [
        ("service_order",)
    ]


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("is_one_form", [True, False])
def test_a_button_pressed_many_times_at_once_acts_once(
    fair, server, db, organiser, number, is_one_form
):
    """With the form of one page, as after a double click, and with a page of each tab."""
    person = Person(db, fair.participant, fair.event)

    def many(page, **fields):
        return at_once(
            server.port,
            [
                (
                    person,
                    page,
                    {"form_token": person.token if is_one_form else person.new_token(), **fields},
                )
                for _ in range(12)
            ],
        )

    assert {status for status, *_ in many("booth/hold", booth_number="A1")} == {303}
    (held,) = organiser.data("/booth-reservations")
    page = f"booth/confirm/{held['id']}"
    person.token = person.new_token()
    shown = re.search(r'name="shown" value="(\w+)"', person.send(server.port, "GET", page)[1])[1]
    answers = many(page, reservation_id=held["id"], shown=shown, agree="1")
    assert {status for status, *_ in answers} == {303}
    person.token = person.new_token()
    many("badges", first_name="Bela", last_name="Nagy")
    people = organiser.data(f"/participants?host_participant_id={fair.participant['id']}")
    assert len(people) == (1 if is_one_form else 2)  # the quota is two
    assert [row["status"] for row in organiser.data("/booth-reservations")] == ["confirmed"]
    assert db.connection.execute("SELECT entity_type FROM binding_steps").fetchall() == [
        ("booth_reservation",)
    ]
