"""A hundred orders request the last thirty units of a service at once, with real server processes:
no more than thirty are sold.
"""

import pytest

from eventapi import journal
from eventapi.domain.access import api_keys
from tests.support import processes
from tests.support.concurrent_requests import ROUNDS, send_at_once
from tests.support.dates import today

pytestmark = pytest.mark.processes

CLIENTS, STOCK = 100, 30


@pytest.fixture
def key(db):
    with db.write():
        return api_keys.create_key(db, "exhibitors", ["service_orders"])[1]


@pytest.fixture
def server(tmp_path, key):
    with processes.Server(tmp_path, "--workers", "2") as running:
        yield running


@pytest.fixture
def participant(organiser):
    organiser.make("/events", {"title": "Garden Fair", "event_key": "garden"})
    contact = organiser.make("/contacts", {"company_name": "Muster AG"})
    return organiser.make("/participants", {"event_key": "garden", "contact_id": contact["id"]})[
        "id"
    ]


@pytest.fixture
def service(organiser, participant):
    """Return a function that creates a service with a stock of thirty."""

    def make():
        return organiser.make(
            "/services",
            {
                "service_name": "Power",
                "base_price": 100,
                "events": [{"event_key": "garden", "stock": STOCK}],
            },
        )

    return make


@pytest.fixture
def shop(server, key, db, participant):
    return Shop(server, key, db, participant)


class Shop:
    """A client that orders one service through the server and counts in the database."""

    def __init__(self, server, key, db, participant):
        self.server, self.key, self.db, self.participant = server, key, db, participant

    def at_once(self, requests):
        """Return the responses. A refusal must be a 409, and no response is a server error."""
        answers = send_at_once(self.server.port, self.key, requests)
        assert {status for status, _ in answers} <= {200, 201, 409}, [
            answer for answer in answers if answer[0] not in (200, 201, 409)
        ]
        return answers

    def ordered(self, service):
        return self.db.connection.execute(
            "SELECT ordered FROM service_events WHERE service_id = ?", (service["id"],)
        ).fetchone()[0]

    def held(self, service):
        """Return the sum of the items of all active orders."""
        return self.db.connection.execute(
            """
            SELECT coalesce(sum(i.quantity), 0) FROM service_order_items i
            JOIN service_orders o ON o.id = i.service_order_id
            WHERE i.service_id = ? AND i.status <> 'cancelled' AND o.status NOT IN ('draft', 'cancelled')""",
            (service["id"],),
        ).fetchone()[0]

    def wanted(self, service, number, status="submitted"):
        """Return a request for an order of one to three units, some of them in two items."""
        quantities = [[1], [2], [1, 2]][number % 3]
        return (
            "POST",
            "/service-orders",
            {
                "event_participant_id": self.participant,
                "status": status,
                "items": [
                    {"service_id": service["id"], "quantity": quantity} for quantity in quantities
                ],
            },
        )


def quantity(order):
    return sum(item["quantity"] for item in order["items"])


def accepted(answers, service):
    """Return the accepted orders.

    The other responses must name the remaining stock, which was too small.
    """
    for status, document in answers:
        assert status != 409 or (
            document["code"] == "out_of_stock" and document["service_key"] == service["service_key"]
        )
        assert status != 409 or document["available"] < 3
    return [document["data"] for status, document in answers if status in (200, 201)]


def test_no_more_is_ordered_than_is_in_stock(shop, service):
    for _ in range(ROUNDS):
        power = service()
        taken = accepted(
            shop.at_once([shop.wanted(power, number) for number in range(CLIENTS)]), power
        )
        assert shop.ordered(power) == shop.held(power) == sum(map(quantity, taken)) == STOCK, (
            "ones were wanted to the end"
        )


def test_concurrently_submitted_drafts_do_not_exceed_the_stock(shop, service):
    for _ in range(ROUNDS):
        power = service()
        drafts = accepted(
            shop.at_once([shop.wanted(power, number, "draft") for number in range(CLIENTS)]), power
        )
        assert len(drafts) == CLIENTS and shop.ordered(power) == 0
        taken = accepted(
            shop.at_once(
                [("POST", f"/service-orders/{draft['id']}/submit", {}) for draft in drafts]
            ),
            power,
        )
        assert shop.ordered(power) == shop.held(power) == sum(map(quantity, taken)) == STOCK


def test_cancelled_items_return_to_stock_once_while_others_order(shop, service):
    for _ in range(ROUNDS):
        power = service()
        taken = accepted(
            shop.at_once([shop.wanted(power, number) for number in range(CLIENTS)]), power
        )
        orders = [("POST", f"/service-orders/{order['id']}/cancel", {}) for order in taken]
        items = [
            ("POST", f"/service-orders/{order['id']}/items/{order['items'][0]['id']}/cancel", {})
            for order in taken
        ]
        shop.at_once(
            [*orders, *items, *orders, *(shop.wanted(power, number) for number in range(30))]
        )
        assert 0 <= shop.ordered(power) == shop.held(power) <= STOCK
        living = shop.db.connection.execute(
            "SELECT id FROM service_orders WHERE status = 'submitted'"
        ).fetchall()
        shop.at_once([("POST", f"/service-orders/{id}/cancel", {}) for (id,) in living * 2])
        assert shop.ordered(power) == shop.held(power) == 0


def test_order_numbers_have_no_gap_when_orders_are_refused(shop, service, db):
    power = service()
    for _ in range(ROUNDS):
        shop.at_once([shop.wanted(power, number) for number in range(CLIENTS)])
    numbers = [
        number
        for (number,) in db.connection.execute(
            "SELECT order_number FROM service_orders WHERE order_number IS NOT NULL ORDER BY 1"
        )
    ]
    assert (
        numbers == [f"SO-{today().year}-{place:05}" for place in range(1, len(numbers) + 1)]
        and numbers
    )
    assert journal.verify(db) == []
