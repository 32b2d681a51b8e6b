"""Service orders."""

from urllib.parse import quote

import pytest

from tests.support.dates import in_days, today
from tests.support.prepared import prepared


class Fair:
    """An event with services and a participant who orders them."""

    def __init__(self, organiser, db):
        self.organiser, self.db = organiser, db
        self.event = organiser.make(
            "/events", {"title": "Fair", "event_key": "fair", "date_from": in_days(60)}
        )
        self.power = self.service("Power", 100, stock=10)
        self.chair = self.service("Chair", 12.5, tax_rate=7)
        self.participant = self.exhibitor("Muster AG")

    def service(self, name, price, members=None, tax_rate=None, **offer):
        return self.organiser.make(
            "/services",
            {
                "service_name": name,
                "base_price": price,
                "tax_rate": tax_rate,
                **(members or {}),
                "events": [{"event_key": "fair", **offer}],
            },
        )

    def change_service(self, service, **members):
        self.organiser.patch(f"/services/{service['id']}", members, status=200)

    def exhibitor(self, name):
        contact = self.organiser.make("/contacts", {"company_name": name})
        return self.organiser.make(
            "/participants", {"event_key": "fair", "contact_id": contact["id"]}
        )

    def body(self, *items, **members):
        """Return the body of an order. An item is (service, quantity) or a complete object."""
        items = [
            {"service_id": item[0]["id"], "quantity": item[1]} if isinstance(item, tuple) else item
            for item in items
        ]
        return {"event_participant_id": self.participant["id"], "items": items, **members}

    def order(self, *items, **members):
        return self.organiser.make("/service-orders", self.body(*items, **members))

    def refused(self, status, *items, **members):
        return self.organiser.post(
            "/service-orders", self.body(*items, **members), status=status
        ).json

    def faults(self, *items, **members):
        return [
            (entry["pointer"], entry["code"])
            for entry in self.refused(422, *items, **members)["errors"]
        ]

    def act(self, order, action, body=None, status=200):
        answer = self.organiser.post(
            f"/service-orders/{order['id']}/{action}", body or {}, status=status
        ).json
        return answer["data"] if status == 200 else answer

    def do(self, order, place, *steps):
        for step in steps:
            order = self.act(order, f"items/{order['items'][place]['id']}/{step}")
        return order

    def confirmed(self, *items):
        return self.act(self.order(*items, status="submitted"), "confirm")

    def stock(self, service):
        [offer] = self.organiser.data(f"/services/{service['id']}")["events"]
        return offer["ordered"], offer["available"]

    def events(self):
        return [
            name
            for (name,) in self.db.connection.execute(
                "SELECT name FROM outgoing_events WHERE entity_type = 'service_order' ORDER BY id"
            )
        ]


@prepared
def fair(organiser, db):
    return Fair(organiser, db)


# Drafts


def test_a_draft_is_created_read_changed_and_deleted(fair, organiser):
    order = fair.order(
        (fair.power, 2),
        {"service_key": "chair", "quantity": 4, "specification": "red"},
        notes="Early, please",
    )
    assert (order["status"], order["order_number"], order["currency"], order["event_key"]) == (
        "draft",
        None,
        "EUR",
        "fair",
    )
    assert [
        (
            item["service_key"],
            item["quantity"],
            item["unit_price"],
            item["net"],
            item["tax_rate"],
            item["specification"],
            item["status"],
        )
        for item in order["items"]
    ] == [("power", 2, 100, 200, 19, None, "pending"), ("chair", 4, 12.5, 50, 7, "red", "pending")]
    assert (order["subtotal"], order["tax_total"], order["total"]) == (250, 41.5, 291.5)
    address = f"/service-orders/{order['id']}"
    assert organiser.data(address) == order
    changed = organiser.patch(
        address, {"items": [{"service_id": fair.power["id"], "quantity": 1}]}, status=200
    ).json["data"]
    assert [item["quantity"] for item in changed["items"]] == [1] and changed["total"] == 119
    assert changed["notes"] == "Early, please"
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert fair.events() == [
        "service_order.created",
        "service_order.updated",
        "service_order.deleted",
    ]


def test_tax_is_rounded_once_per_rate(fair):
    cheap = fair.service("Sticker", 0.03)
    order = fair.order((cheap, 1), (cheap, 1), (cheap, 1))
    assert (order["subtotal"], order["tax_total"]) == (0.09, 0.02)


def test_a_draft_takes_no_stock_and_keeps_the_prices_of_its_last_change(fair, organiser):
    order = fair.order((fair.power, 2))
    assert fair.stock(fair.power) == (0, 10)
    fair.change_service(fair.power, base_price=110)
    assert organiser.data(f"/service-orders/{order['id']}")["subtotal"] == 200
    changed = organiser.patch(
        f"/service-orders/{order['id']}", {"items": order["items"]}, status=200
    ).json["data"]
    assert changed["subtotal"] == 220


def test_a_draft_can_move_to_another_participant(fair, organiser):
    order, other = fair.order((fair.power, 2)), fair.exhibitor("Beispiel KG")
    changed = organiser.patch(
        f"/service-orders/{order['id']}", {"participant_id": other["id"]}, status=200
    ).json["data"]
    assert changed == {
        **order,
        "event_participant_id": other["id"],
        "updated_at": changed["updated_at"],
    }


def test_all_faults_of_the_items_are_reported_together(fair, organiser):
    banner = fair.service(
        "Banner",
        5,
        {
            "requires_specification": True,
            "min_quantity": 10,
            "max_quantity": 30,
            "quantity_step": 5,
        },
    )
    asleep = fair.service("Asleep", 5, is_active=False)
    gone = fair.service("Gone", 5, {"is_active": False})
    elsewhere = organiser.make("/services", {"service_name": "Elsewhere", "base_price": 1})
    assert fair.faults(
        (banner, 5),
        (asleep, 1),
        (gone, 1),
        (elsewhere, 1),
        {"service_key": "nothing", "quantity": 1},
        {"quantity": 1},
    ) == [
        ("/items/4/service_key", "unknown"),
        ("/items/5/service_id", "required"),
        ("/items/0/quantity", "minimum"),
        ("/items/0/specification", "required"),
        ("/items/1/service_id", "not_offered"),
        ("/items/2/service_id", "not_offered"),
        ("/items/3/service_id", "not_offered"),
    ]
    said = {"specification": "ACME", "service_id": banner["id"]}
    assert fair.faults({**said, "quantity": 12}, {**said, "quantity": 35}) == [
        ("/items/0/quantity", "step"),
        ("/items/1/quantity", "maximum"),
    ]
    assert fair.faults({**said, "quantity": 20}, {**said, "quantity": 15}) == [
        ("/items/1/quantity", "maximum")
    ], "the sum counts"
    fair.order({**said, "quantity": 15}, {**said, "quantity": 15})


@pytest.mark.parametrize(
    "members, faults",
    [
        ({"items": []}, [("/items", "min_items")]),
        ({"items": [{"service_id": 1, "quantity": 0}]}, [("/items/0/quantity", "minimum")]),
        ({"items": [{"service_id": 1, "quantity": 1.5}]}, [("/items/0/quantity", "type")]),
        (
            {"items": [{"service_id": 1, "quantity": 1, "price": 3}]},
            [("/items/0/price", "unknown")],
        ),
        ({"event_participant_id": 99}, [("/event_participant_id", "unknown")]),
        ({"participant_id": 99}, [("/participant_id", "unknown")]),
        ({"status": "completed"}, [("/status", "enum")]),
    ],
)
def test_invalid_values_are_refused(fair, organiser, members, faults):
    answer = organiser.post(
        "/service-orders", {**fair.body((fair.power, 1)), **members}, status=422
    ).json
    assert [(entry["pointer"], entry["code"]) for entry in answer["errors"]] == faults


def test_sums_above_the_maximum_are_refused(fair):
    gold = fair.service("Gold", 900_000_000_000)
    assert fair.faults((gold, 1_000_000)) == [("/items", "maximum")]
    assert fair.faults((gold, 1)) == [("/items", "maximum")]


def reserved(fair, booth_number, participant, status="confirmed"):
    """Insert a booth reserved by the participant. Return its id."""
    with fair.db.write() as db:
        run, now = db.connection.execute, db.now
        run(
            """
            INSERT OR IGNORE INTO plans (id, event_id, plan_key, plan_name, width, height, grid_size, scale_factor,
              is_active, sort_order, created_at, updated_at)
            VALUES (1, ?, 'hall', 'Hall', 50000, 50000, 1000, 1000, 1, 0, ?, ?)""",
            [fair.event["id"], now, now],
        )
        booth = run(
            """
            INSERT INTO booths (plan_id, event_id, booth_number, width, depth, rotation, price_breakdown, status,
              created_at, updated_at)
            VALUES (1, ?, ?, 3000, 3000, 0, '{"model": "none", "total": null}', 'sold', ?, ?)""",
            [fair.event["id"], booth_number, now, now],
        ).lastrowid
        run(
            """
            INSERT INTO booth_reservations (booth_id, event_id, event_participant_id, status, expires_at, created_at,
              updated_at)
            VALUES (?, ?, ?, ?, '2020-01-01T00:00:00Z', ?, ?)""",
            [booth, fair.event["id"], participant["id"], status, now, now],
        )
    return booth


def test_an_item_needs_a_booth_reserved_by_the_participant(fair):
    own = reserved(fair, "A1", fair.participant)
    others = reserved(fair, "A2", fair.exhibitor("Beispiel KG"))
    lapsed = reserved(fair, "A3", fair.participant, "pending")
    cancelled = reserved(fair, "A4", fair.participant, "cancelled")
    wanted = {"service_id": fair.power["id"], "quantity": 1}
    assert fair.order({**wanted, "booth_id": own})["items"][0]["booth_id"] == own
    assert fair.faults(
        *({**wanted, "booth_id": booth} for booth in (own, others, lapsed, cancelled, 99))
    ) == [(f"/items/{place}/booth_id", "not_reserved") for place in (1, 2, 3, 4)]


# Submitting


def test_submitting_assigns_a_number_freezes_prices_and_reduces_stock(fair, organiser):
    order = fair.order((fair.power, 2), (fair.power, 1))
    fair.change_service(fair.power, base_price=110, service_name="Strom")
    submitted = fair.act(order, "submit")
    assert submitted["order_number"] == f"SO-{today().year}-00001" and submitted["submitted_at"]
    assert submitted["subtotal"] == 330 and [
        item["service_name"] for item in submitted["items"]
    ] == ["Strom", "Strom"]
    assert [item["id"] for item in submitted["items"]] == [item["id"] for item in order["items"]]
    assert fair.stock(fair.power) == (3, 7)
    fair.change_service(fair.power, base_price=500)
    assert organiser.data(f"/service-orders/{order['id']}") == submitted
    assert fair.act(order, "submit") == submitted, "repeating the action changes nothing"
    assert fair.stock(fair.power) == (3, 7)
    assert fair.events() == ["service_order.created", "service_order.submitted"]


def test_an_order_can_be_created_submitted_or_submitted_by_status(fair, organiser):
    assert fair.order((fair.power, 1), status="submitted")["status"] == "submitted"
    draft = fair.order((fair.power, 1))
    changed = organiser.patch(
        f"/service-orders/{draft['id']}", {"status": "submitted", "notes": "now"}, status=200
    ).json["data"]
    assert (changed["order_number"][-5:], changed["notes"]) == ("00002", "now")
    organiser.patch(f"/service-orders/{draft['id']}", {"status": "confirmed"}, status=200)
    assert (
        organiser.patch(f"/service-orders/{draft['id']}", {"status": "draft"}, status=409).json[
            "code"
        ]
        == "invalid_transition"
    )
    assert organiser.patch(
        f"/service-orders/{draft['id']}", {"status": "completed"}, status=409
    ).json["allowed_actions"] == ["cancel"]
    organiser.patch(f"/service-orders/{draft['id']}", {"status": "cancelled"}, status=200)


def test_an_order_can_be_created_confirmed(fair, organiser):
    order = fair.order((fair.power, 3), status="confirmed")
    assert (order["status"], order["order_number"][-5:], fair.stock(fair.power)) == (
        "confirmed",
        "00001",
        (3, 7),
    )
    assert order["submitted_at"] and order["confirmed_at"]
    assert organiser.data(f"/service-orders/{order['id']}") == order
    assert fair.events() == [
        "service_order.created",
        "service_order.submitted",
        "service_order.confirmed",
    ]
    for quantity, status, code in ((8, 409, "out_of_stock"), (0, 422, "validation_failed")):
        body = fair.body((fair.power, quantity), status="confirmed")
        assert organiser.post("/service-orders", body, status=status).json["code"] == code
    assert len(organiser.data("/service-orders")) == 1, "a refused order leaves nothing behind"
    assert fair.order((fair.power, 1), status="confirmed")["order_number"][-5:] == "00002", (
        "nor a gap"
    )


def test_a_refused_submit_leaves_no_gap_in_the_numbers(fair):
    first, second = fair.order((fair.power, 8)), fair.order((fair.power, 8))
    fair.act(first, "submit")
    assert fair.act(second, "submit", status=409)["code"] == "out_of_stock"
    assert fair.order((fair.power, 2), status="submitted")["order_number"].endswith("-00002")


def test_an_order_cannot_exceed_the_stock(fair):
    answer = fair.refused(409, (fair.power, 6), (fair.power, 5))
    assert (answer["code"], answer["available"], answer["service_key"]) == (
        "out_of_stock",
        10,
        "power",
    )
    fair.order((fair.power, 7), status="submitted")
    assert fair.refused(409, (fair.power, 4))["available"] == 3
    fair.order((fair.chair, 1000), status="submitted")
    assert fair.stock(fair.chair) == (1000, None)


def test_the_last_piece_can_be_ordered(fair):
    fair.order((fair.power, 9), status="submitted")
    assert fair.stock(fair.power) == (9, 1)
    fair.order((fair.power, 1), status="submitted")
    assert fair.stock(fair.power) == (10, 0)
    refused = fair.refused(409, (fair.power, 1))
    assert (refused["code"], refused["available"]) == ("out_of_stock", 0)
    tent = fair.service("Tent", 100, stock=3)
    order = fair.order((tent, 1), (tent, 2))
    fair.act(order, "submit")
    assert fair.stock(tent) == (3, 0), "all of the stock at once"


def test_an_order_that_takes_nothing_from_the_stock_is_not_submitted(fair, organiser):
    """Here, the database leaves the offer as it is, although the stock suffices."""
    order = fair.order((fair.power, 1))
    fair.db.connection.execute(
        "CREATE TRIGGER unchanged BEFORE UPDATE ON service_events BEGIN SELECT raise(IGNORE); END"
    )
    assert fair.act(order, "submit", status=409)["code"] == "out_of_stock"
    assert organiser.data(f"/service-orders/{order['id']}") == order
    submitted = fair.body((fair.power, 1), status="submitted")
    assert organiser.post("/service-orders", submitted, status=409).json["code"] == "out_of_stock"


def test_everything_is_checked_again_when_submitting(fair):
    order = fair.order((fair.power, 3))
    fair.change_service(fair.power, min_quantity=4)
    assert fair.act(order, "submit", status=422)["errors"][0]["pointer"] == "/items/0/quantity"
    fair.change_service(fair.power, min_quantity=1, events=[])
    assert fair.act(order, "submit", status=422)["errors"][0]["code"] == "not_offered"


def test_a_service_cannot_be_ordered_after_its_deadline(fair):
    late = fair.service("Late", 1, order_deadline=in_days(-2))
    answer = fair.refused(409, (late, 1))
    assert (answer["code"], answer["service_key"], answer["order_deadline"]) == (
        "deadline_passed",
        "late",
        in_days(-2),
    )
    fair.order((fair.service("In time", 1, order_deadline=in_days(1)), 1), status="submitted")
    slow = fair.service("Slow", 1, {"lead_time_days": 62})
    assert fair.refused(409, (slow, 1))["order_deadline"] == in_days(-2)
    order = fair.order((fair.power, 1))
    fair.change_service(fair.power, lead_time_days=62)
    assert fair.act(order, "submit", status=409)["code"] == "deadline_passed"


def test_a_cancelled_participant_cannot_order(fair, organiser):
    order = fair.order((fair.power, 1))
    submitted = fair.order((fair.power, 1), status="submitted")
    # earlier versions left the orders of a cancelled participant as they were
    with fair.db.write():
        fair.db.connection.execute("UPDATE participants SET status = 'cancelled'")
    assert fair.refused(409, (fair.power, 1))["code"] == "participant_cancelled"
    assert fair.act(order, "submit", status=409)["code"] == "participant_cancelled"
    assert fair.act(submitted, "confirm", status=409)["code"] == "participant_cancelled"
    assert (
        organiser.patch(
            f"/service-orders/{submitted['id']}", {"status": "confirmed"}, status=409
        ).json["code"]
        == "participant_cancelled"
    )
    organiser.post(f"/participants/{fair.participant['id']}/reinstate", {}, status=200)
    fair.act(order, "submit")


def test_an_anonymised_contact_cannot_order(fair, organiser):
    order = fair.order(
        {"service_id": fair.power["id"], "quantity": 1, "specification": "For Anna"},
        notes="Call Anna",
    )
    organiser.post(f"/contacts/{fair.participant['contact_id']}/anonymize", {}, status=200)
    assert (
        fair.refused(409, (fair.power, 1))["code"]
        == fair.act(order, "submit", status=409)["code"]
        == "anonymized"
    )
    order = organiser.data(f"/service-orders/{order['id']}")
    assert order["notes"] is None and order["items"][0]["specification"] is None


def test_the_items_of_a_submitted_order_cannot_change(fair, organiser):
    order = fair.order((fair.power, 1), status="submitted")
    address = f"/service-orders/{order['id']}"
    answer = organiser.patch(
        address, {"items": [{"service_id": fair.power["id"], "quantity": 2}]}, status=409
    ).json
    assert answer["code"] == "order_locked" and answer["members"] == ["items"]
    organiser.patch(address, {"participant_id": fair.exhibitor("Other")["id"]}, status=409)
    assert organiser.put(address, order, status=200).json["data"] == order, (
        "an order that was read can be sent back"
    )
    assert (
        organiser.patch(address, {"notes": "Gate 3"}, status=200).json["data"]["notes"] == "Gate 3"
    )
    assert organiser.delete(address, status=409).json["code"] == "order_locked"


# Actions


def test_completing_the_last_item_completes_the_order(fair):
    order = fair.confirmed((fair.power, 2), (fair.chair, 4))
    assert order["confirmed_at"]
    order = fair.do(order, 0, "start")
    assert [item["status"] for item in order["items"]] == ["in_progress", "pending"]
    order = fair.do(order, 0, "complete")
    assert order["status"] == "confirmed" and order["items"][0]["completed_at"]
    order = fair.do(order, 1, "start", "complete")
    assert order["status"] == "completed" and order["completed_at"] and order["total"] == 291.5
    assert fair.do(order, 1, "complete") == order, "repeating the action changes nothing"
    assert fair.act(order, "cancel", status=409)["code"] == "invalid_transition"
    assert fair.stock(fair.power) == (2, 8)
    assert fair.events() == [
        "service_order.created",
        "service_order.submitted",
        "service_order.confirmed",
        "service_order.updated",
        "service_order.updated",
        "service_order.updated",
        "service_order.completed",
    ]


def test_a_cancelled_item_is_not_charged_and_returns_to_stock(fair):
    order = fair.do(fair.confirmed((fair.power, 2), (fair.chair, 4)), 0, "cancel")
    assert (order["status"], order["subtotal"], order["total"]) == ("confirmed", 50, 53.5)
    assert fair.stock(fair.power) == (0, 10) and fair.stock(fair.chair) == (4, None)
    assert fair.do(order, 0, "cancel") == order
    assert fair.stock(fair.power) == (0, 10), "returned to stock once"
    assert fair.do(order, 1, "start", "complete")["status"] == "completed"


def test_cancelling_the_last_open_item_completes_the_order(fair):
    order = fair.do(fair.confirmed((fair.power, 2), (fair.chair, 4)), 0, "start", "complete")
    assert fair.do(order, 1, "cancel")["status"] == "completed"


def test_cancelling_all_items_cancels_the_order(fair):
    order = fair.do(fair.order((fair.power, 2), (fair.chair, 4), status="submitted"), 0, "cancel")
    assert order["status"] == "submitted"
    order = fair.do(order, 1, "cancel")
    assert (order["status"], order["total"]) == ("cancelled", 0) and order["cancelled_at"]
    assert fair.events()[-1] == "service_order.cancelled"


def test_a_cancelled_order_returns_everything_to_stock(fair):
    order = fair.do(fair.confirmed((fair.power, 2), (fair.power, 3), (fair.chair, 1)), 0, "cancel")
    cancelled = fair.act(order, "cancel", {"reason": "Bankrupt"})
    assert (cancelled["status"], cancelled["cancellation_reason"], cancelled["total"]) == (
        "cancelled",
        "Bankrupt",
        0,
    )
    assert {item["status"] for item in cancelled["items"]} == {"cancelled"}
    assert cancelled["order_number"] == order["order_number"]
    assert fair.stock(fair.power) == (0, 10) and fair.stock(fair.chair) == (0, None)
    assert fair.act(order, "cancel", {"reason": "Again"}) == cancelled
    assert fair.stock(fair.power) == (0, 10)


def test_cancelling_a_participation_cancels_its_unconfirmed_orders(fair, organiser, db):
    orders = {
        "draft": fair.order((fair.power, 1)),
        "submitted": fair.order((fair.power, 2), status="submitted"),
        "confirmed": fair.confirmed((fair.power, 3)),
        "completed": fair.do(fair.confirmed((fair.chair, 1)), 0, "start", "complete"),
    }
    assert fair.stock(fair.power) == (5, 5)
    path = f"/participants/{fair.participant['id']}/cancel"
    for _ in range(2):
        answer = organiser.post(path, status=200).json
        assert answer["meta"]["open"] == {
            "service_order_ids": [orders["confirmed"]["id"]],
            "participant_ids": [],
        }
        found = {
            name: organiser.data(f"/service-orders/{order['id']}") for name, order in orders.items()
        }
        assert {name: order["status"] for name, order in found.items()} == {
            "draft": "cancelled",
            "submitted": "cancelled",
            "confirmed": "confirmed",
            "completed": "completed",
        }
        assert found["draft"]["cancellation_reason"] == "The participation was cancelled."
        assert fair.stock(fair.power) == (3, 7)
    for table, column in (("audit_log", "action"), ("outgoing_events", "name")):
        rows = db.connection.execute(
            f"SELECT {column} FROM {table} WHERE entity_type = 'service_order' "
            "ORDER BY id DESC LIMIT 2"
        ).fetchall()
        assert {value.rpartition(".")[2] for (value,) in rows} == {"cancelled"}
    fair.act(orders["confirmed"], "cancel")
    organiser.post(f"/participants/{fair.participant['id']}/reinstate", status=200)
    answer = organiser.post(path, status=200).json
    assert answer["meta"]["open"] == {"service_order_ids": [], "participant_ids": []}


def test_a_participation_can_be_cancelled_after_anonymisation(fair, organiser):
    order = fair.order((fair.power, 2), status="submitted")
    organiser.post(f"/contacts/{fair.participant['contact_id']}/anonymize", status=200)
    organiser.post(f"/participants/{fair.participant['id']}/cancel", status=200)
    assert organiser.data(f"/service-orders/{order['id']}")["status"] == "cancelled"


def test_cancelling_a_draft_does_not_change_the_stock(fair):
    fair.order((fair.power, 3), status="submitted")
    order = fair.order((fair.power, 2))
    assert fair.act(order, "cancel")["order_number"] is None
    assert fair.stock(fair.power) == (3, 7)
    assert fair.act(order, "submit", status=409)["code"] == "invalid_transition"


@pytest.mark.parametrize(
    "state, action, allowed",
    [
        ("draft", "confirm", ["submitted"]),
        ("draft", "items/1/start", ["confirmed"]),
        ("draft", "items/1/cancel", ["submitted", "confirmed"]),
        ("submitted", "items/1/start", ["confirmed"]),
        ("confirmed", "submit", ["draft"]),
        ("confirmed", "items/1/complete", ["in_progress"]),
    ],
)
def test_actions_that_the_state_does_not_allow_return_409(fair, state, action, allowed):
    order = fair.order((fair.power, 1), status="draft" if state == "draft" else "submitted")
    if state == "confirmed":
        fair.act(order, "confirm")
    answer = fair.act(order, action, status=409)
    assert answer["code"] == "invalid_transition" and answer["allowed_from"] == allowed


def test_an_item_belongs_to_its_order(fair, organiser):
    fair.confirmed((fair.power, 1))
    other = fair.confirmed((fair.power, 1))
    organiser.post(f"/service-orders/{other['id']}/items/1/start", {}, status=404)


def test_allowed_actions_are_listed(fair, organiser):
    order = fair.order((fair.power, 1), status="submitted")
    assert organiser.data(f"/service-orders/{order['id']}?include=allowed_actions")[
        "allowed_actions"
    ] == ["confirm", "cancel"]


# Lists


def test_orders_are_found_by_event_participant_status_and_number(fair, organiser):
    draft, order = fair.order((fair.power, 1)), fair.order((fair.power, 2), status="submitted")
    organiser.make("/events", {"title": "Other", "event_key": "other"})

    def ids(query):
        return [found["id"] for found in organiser.data(f"/service-orders?{query}&order=ASC")]

    assert (
        ids("event_key=fair")
        == ids(f"participant_id={fair.participant['id']}")
        == [draft["id"], order["id"]]
    )
    assert ids("event_key=other") == ids("event_key=nothing") == []
    assert ids("status=submitted") == ids(f"order_number={order['order_number']}") == [order["id"]]
    assert ids("sort=total") == [draft["id"], order["id"]]


def test_orders_are_searched_by_number_and_with_a_further_scope_by_name(fair, organiser, person):
    first, second = (fair.order((fair.power, 1), status="submitted") for _ in range(2))
    fair.participant = fair.exhibitor("Müller & Söhne")
    draft = fair.order((fair.power, 1))
    year, number = second["order_number"].split("-")[1:]
    customer = organiser.data(f"/contacts/{fair.participant['contact_id']}")["customer_number"]

    def found(who, text):
        return [
            order["id"] for order in who.data(f"/service-orders?search={quote(text)}&order=ASC")
        ]

    all_three, numbered = [first["id"], second["id"], draft["id"]], [first["id"], second["id"]]
    for text, with_names, without in (
        (second["order_number"], [second["id"]], [second["id"]]),
        (f"{number} {year}", [second["id"]], [second["id"]]),
        (year, numbered, numbered),
        ("00009", [], []),
        ("muell", [draft["id"]], []),
        ("mull soh", [draft["id"]], []),
        ("MUSTER", numbered, []),
        (customer, [draft["id"]], []),
        ("%", [], []),
        ("c", all_three, []),
        ('" OR so', [], []),
    ):
        assert (
            found(organiser, text)
            == found(person("service_orders:read participants:read"), text)
            == with_names
        )
        assert found(person("service_orders"), text) == without
    organiser.patch(
        f"/contacts/{fair.participant['contact_id']}", {"company_name": "Zorn AG"}, status=200
    )
    assert (found(organiser, "mull"), found(organiser, "zorn")) == ([], [draft["id"]]), (
        "names are the present ones"
    )
    organiser.delete(f"/service-orders/{draft['id']}", status=204)
    assert found(organiser, "zorn") == []


def test_items_and_participant_are_included_on_request(fair, organiser):
    order = fair.order((fair.power, 1), (fair.chair, 2))
    assert "items" not in organiser.data("/service-orders")[0]
    [listed] = organiser.data("/service-orders?include=items,participant")
    assert listed["items"] == order["items"]
    assert (listed["participant"]["id"], listed["participant"]["company_name"]) == (
        fair.participant["id"],
        "Muster AG",
    )


def test_a_participant_with_orders_cannot_be_deleted(fair, organiser):
    fair.order((fair.power, 1))
    answer = organiser.delete(f"/participants/{fair.participant['id']}", status=409).json
    assert answer["code"] == "in_use" and "service orders" in answer["used_by"]


def test_a_stale_change_is_refused(fair, organiser):
    order = fair.order((fair.power, 1))
    address = f"/service-orders/{order['id']}"
    tag = organiser.get(address).headers["ETag"]
    organiser.patch(address, {"notes": "x"}, headers={"If-Match": tag}, status=200)
    organiser.patch(address, {"notes": "y"}, headers={"If-Match": tag}, status=412)
    organiser.delete(address, headers={"If-Match": tag}, status=412)
