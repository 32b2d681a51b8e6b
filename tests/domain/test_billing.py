"""Billing: what participants owe is invoiced once, and credited when it is cancelled."""

from threading import Thread

import pytest

from eventapi.domain.billing import balance
from eventapi.domain.upkeep import checks
from tests.support.prepared import prepared

SUMS = ("ordered", "unbilled", "to_credit", "invoiced", "paid", "open")


class Fair:
    """An event with a hall, services, and an exhibitor of the category Gold."""

    def __init__(self, organiser, db):
        self.organiser, self.db = organiser, db
        self.event = organiser.make(
            "/events", {"title": "Fair", "event_key": "fair", "date_from": "2099-05-01"}
        )
        self.gold = organiser.make(
            "/categories",
            {"title": "Gold", "category_key": "gold", "base_price": 150, "tax_rate": 19},
        )
        organiser.make(
            "/booths/types",
            {
                "booth_type_name": "Row",
                "booth_type_key": "row",
                "price_model": "per_m2",
                "price": 100,
            },
        )
        self.power = self.service("Power", 80)
        self.book = self.service("Catalogue entry", 33.33, tax_rate=7, unit="entry")
        self.plan_id = organiser.make(
            "/plans", {"event_key": "fair", "plan_name": "Hall", "width": 60, "height": 40}
        )["id"]
        self.participant = self.exhibitor("Muster AG")
        self.address = f"/participants/{self.participant['id']}"

    def service(self, name, price, **fields):
        return self.organiser.make(
            "/services",
            {
                "service_name": name,
                "base_price": price,
                **fields,
                "events": [{"event_key": "fair"}],
            },
        )

    def exhibitor(self, name, **fields):
        contact = self.organiser.make(
            "/contacts",
            {"company_name": name, "address": "Weg 1", "city": "Wien", "postal_code": "1010"},
        )
        return self.organiser.make(
            "/participants",
            {"event_key": "fair", "contact_id": contact["id"], "category_key": "gold", **fields},
        )

    def booth(self, number, width=4):
        return self.organiser.make(
            "/booths",
            {
                "plan_id": self.plan_id,
                "booth_number": number,
                "width": width,
                "depth": 3,
                "booth_type_key": "row",
            },
        )

    def reserve(self, number, status="confirmed", participant=None, width=4):
        return self.organiser.make(
            "/booth-reservations",
            {
                "booth_id": self.booth(number, width)["id"],
                "event_participant_id": (participant or self.participant)["id"],
                "status": status,
            },
        )

    def order(self, *items, confirm=True, participant=None):
        order = self.organiser.make(
            "/service-orders",
            {
                "event_participant_id": (participant or self.participant)["id"],
                "status": "submitted",
                "items": [
                    {"service_id": service["id"], "quantity": quantity}
                    for service, quantity in items
                ],
            },
        )
        return self.act("service-orders", order, "confirm") if confirm else order

    def act(self, kind, record, action, body=None, status=200):
        return self.organiser.post(
            f"/{kind}/{record['id']}/{action}", body or {}, status=status
        ).json["data"]

    def cancel(self, kind, record):
        return self.act(kind, record, "cancel")

    def bill(self, participant=None):
        """Bill the participant.

        Return the invoice or credit note of the response, and the ids of all credit notes.
        """
        answer = self.organiser.post(
            f"/participants/{(participant or self.participant)['id']}/invoice", status=201
        )
        record = answer.json["data"]
        assert (
            answer.headers["Location"].endswith(f"/invoices/{record['id']}")
            and self.invoice(record["id"]) == record
        )
        return record, answer.json["meta"]["credit_notes"]

    def refused(self, code="nothing_to_bill"):
        answer = self.organiser.post(f"{self.address}/invoice", status=409).json
        assert answer["code"] == code, answer
        return answer

    def invoice(self, id):
        return self.organiser.data(f"/invoices/{id}")

    def send(self, invoice):
        return self.act("invoices", invoice, "send")

    def balance(self, *expected):
        found = self.organiser.data(f"{self.address}/balance")
        assert found.pop("currency") == "EUR"
        assert {**found["balances"][0], "balances": found["balances"]} == {
            **found,
            "currency": "EUR",
        }
        assert tuple(found[name] for name in SUMS) == expected, found


@prepared
def new_fair(organiser, db):
    return Fair(organiser, db)


@pytest.fixture
def fair(new_fair, db):
    yield new_fair
    assert checks.findings(db) == [] == balance.check(db)


def lines(invoice):
    return [(item["description"], item["quantity"], item["net"]) for item in invoice["items"]]


# Billing


def test_fee_booths_and_services_are_billed_on_one_draft(fair):
    reservation = fair.reserve("A12", width=2.5)
    order = fair.order((fair.power, 2), (fair.book, 3))
    invoice, credit_notes = fair.bill()
    assert lines(invoice) == [
        ("Participation: Gold, Fair", 1, 150),
        ("Booth A12, Row, 2.5 × 3 m, 7.5 m² × EUR 100.00, Fair", 1, 750),
        (f"Power ({order['order_number']}), Fair", 2, 160),
        (f"Catalogue entry ({order['order_number']}), Fair", 3, 99.99),
    ]
    fee, booth, power, book = invoice["items"]
    assert (
        fee["fee_of_participant_id"] == fair.participant["id"]
        and booth["booth_reservation_id"] == reservation["id"]
    )
    assert [
        (item["service_order_id"], item["service_order_item_id"]) for item in (power, book)
    ] == [(order["id"], item["id"]) for item in order["items"]]
    assert (
        invoice["status"],
        invoice["subtotal"],
        invoice["tax_total"],
        invoice["service_date"],
    ) == ("draft", 1159.99, 208.4, "2099-05-01")
    assert (invoice["event_participant_id"], book["unit"], book["tax_rate"], credit_notes) == (
        fair.participant["id"],
        "entry",
        7,
        [],
    )
    fair.refused()
    fair.balance(1368.39, 0, 0, 0, 0, 0)
    fair.send(invoice)
    fair.refused()
    fair.balance(1368.39, 0, 0, 1368.39, 0, 1368.39)


@pytest.mark.parametrize(
    "dates, expected",
    [
        # The days in the event's zone: 23:00 in Berlin on 3 May is already 4 May in Tokyo.
        ({"date_from": "2099-05-01", "date_to": "2099-05-03"}, ("2099-05-01", "2099-05-03")),
        ({"date_from": "2099-05-01", "date_to": None}, ("2099-05-01", "2099-05-01")),
        (
            {
                "timezone": "Asia/Tokyo",
                "date_from": "2099-05-01T20:00:00+02:00",
                "date_to": "2099-05-03T23:00:00+02:00",
            },
            ("2099-05-02", "2099-05-04"),
        ),
        ({"date_from": None, "date_to": None}, (None, None)),
    ],
)
def test_the_service_period_is_that_of_the_event(fair, dates, expected):
    fair.organiser.patch(f"/events/{fair.event['id']}", dates, status=200)
    reservation = fair.reserve("A1")
    invoice = fair.bill()[0]
    assert (invoice["service_date"], invoice["service_date_to"]) == expected
    sent = fair.send(invoice)
    assert (sent["service_date"], sent["service_date_to"]) == (
        expected[0] or sent["issue_date"],
        expected[1],
    )
    fair.cancel("booth-reservations", reservation)
    note = fair.bill()[0]
    period = sent["service_date"], sent["service_date_to"]
    assert (note["invoice_type"], note["service_date"], note["service_date_to"]) == (
        "credit_note",
        *period,
    )


def test_only_new_items_are_billed(fair):
    fair.reserve("A1")
    fair.send(fair.bill()[0])
    fair.balance(1606.5, 0, 0, 1606.5, 0, 1606.5)
    fair.reserve("A2", status="pending")
    fair.order((fair.power, 1), confirm=False)
    fair.refused()
    fair.order((fair.power, 1))
    fair.balance(1701.7, 95.2, 0, 1606.5, 0, 1606.5)
    assert [line[1:] for line in lines(fair.bill()[0])] == [(1, 80)]


def test_a_deleted_draft_is_billed_again(fair):
    invoice, _ = fair.bill()
    fair.organiser.delete(f"/invoices/{invoice['id']}", status=204)
    assert lines(fair.bill()[0]) == lines(invoice)


def test_a_cancelled_invoice_is_billed_again(fair):
    fair.reserve("A1")
    fair.cancel("invoices", fair.send(fair.bill()[0]))
    fair.balance(1606.5, 1606.5, 0, 0, 0, 0)
    assert fair.bill()[0]["total"] == 1606.5
    fair.refused()


def test_an_edited_draft_bills_the_records_that_it_references(fair):
    invoice, _ = fair.bill()
    items = [{**item, "discount_percent": 10} for item in invoice["items"]]
    fair.organiser.patch(f"/invoices/{invoice['id']}", {"items": items}, status=200)
    fair.refused()
    fair.organiser.patch(
        f"/invoices/{invoice['id']}", {"items": [{**items[0], "discount_percent": 100}]}, status=200
    )
    fair.refused()
    fair.organiser.patch(
        f"/invoices/{invoice['id']}",
        {"items": [{**items[0], "fee_of_participant_id": None}]},
        status=200,
    )
    fair.bill()


@pytest.mark.parametrize(
    "fields", [{"role": "visitor"}, {"role": "speaker"}, {"category_key": None}]
)
def test_a_participant_without_a_fee_is_not_billed(fair, fields):
    participant = fair.exhibitor("Guest", **fields)
    assert (
        fair.organiser.post(f"/participants/{participant['id']}/invoice", status=409).json["code"]
        == "nothing_to_bill"
    )


def test_nothing_to_bill_says_why(fair):
    guest = fair.exhibitor("Guest", category_key=None)
    visitor = fair.exhibitor("Visitor", role="visitor")
    answers = [
        fair.organiser.post(f"/participants/{one['id']}/invoice", status=409).json
        for one in (guest, visitor)
    ]
    assert [answer["reason"] for answer in answers] == ["no_claims"] * 2
    assert (
        "has no category with a fee" in answers[0]["detail"]
        and "visitor pays no fee" in answers[1]["detail"]
    )

    draft, _ = fair.bill()
    answer = fair.refused()
    assert (answer["reason"], answer["invoice_ids"]) == ("drafted", [draft["id"]])
    assert draft["invoice_number"] in answer["detail"]
    fair.send(draft)
    answer = fair.refused()
    assert answer["reason"] == "billed" and "invoice_ids" not in answer

    order = fair.order((fair.power, 1))
    fair.send(fair.bill()[0])
    fair.cancel("service-orders", order)
    note, _ = fair.bill()
    answer = fair.refused()
    assert (answer["reason"], answer["invoice_ids"]) == ("drafted", [note["id"]])
    fair.send(note)
    assert fair.refused()["reason"] == "billed"


def test_nothing_to_bill_names_what_is_owed_in_another_currency(fair, db):
    fair.send(fair.bill()[0])
    fair.order((fair.power, 1))
    db.connection.execute("UPDATE service_orders SET currency = 'CHF'")
    answer = fair.refused()
    assert (
        answer["reason"] == "billed"
        and "What is owed in CHF is not billed here" in answer["detail"]
    )


def test_a_fee_stays_billed_when_category_or_price_change(fair):
    fair.send(fair.bill()[0])
    fair.organiser.patch(f"/categories/{fair.gold['id']}", {"base_price": 999}, status=200)
    fair.refused()
    fair.organiser.patch(fair.address, {"category_key": None, "category_id": None}, status=200)
    fair.refused()


def test_an_untaxed_price_is_zero_rated(fair):
    fair.organiser.patch(f"/categories/{fair.gold['id']}", {"tax_rate": 0}, status=200)
    (item,) = fair.bill()[0]["items"]
    assert (item["tax_category"], item["tax_rate"]) == ("Z", 0)


def test_an_invoice_is_in_the_language_of_its_buyer(fair):
    fair.organiser.patch(
        f"/contacts/{fair.participant['contact_id']}", {"language": "de-AT"}, status=200
    )
    fair.reserve("A1", width=2.5)
    assert [line[0] for line in lines(fair.bill()[0])] == [
        "Teilnahme: Gold, Fair",
        "Stand A1, Row, 2,5 × 3 m, 7,5 m² × 100,00 EUR, Fair",
    ]


@pytest.mark.parametrize(
    ("option", "contact", "label", "unit"),
    [
        ("de", None, "Stk", "Stk"),
        ("de", None, None, "Stück"),
        ("de", "en", "Stk", "piece"),
        ("en", "de", "pc", "Stück"),
    ],
)
def test_units_are_in_the_language_of_the_invoice(fair, settings, option, contact, label, unit):
    settings.language = option
    fair.organiser.patch(
        f"/contacts/{fair.participant['contact_id']}", {"language": contact}, status=200
    )
    fair.organiser.patch(
        f"/services/{fair.power['id']}", {"unit": "piece", "unit_label": label}, status=200
    )
    fair.order((fair.power, 1))
    assert fair.bill()[0]["items"][1]["unit"] == unit


# Manual invoices


def test_a_manual_invoice_bills_the_records_that_it_references(fair):
    reservation, order = fair.reserve("A1"), fair.order((fair.power, 1), (fair.book, 1))
    fair.organiser.make(
        "/invoices",
        {
            "event_participant_id": fair.participant["id"],
            "items": [
                {
                    "description": "Stand",
                    "quantity": 1,
                    "unit_price": 1000,
                    "booth_reservation_id": reservation["id"],
                },
                {
                    "description": "Technics",
                    "quantity": 1,
                    "unit_price": 100,
                    "service_order_id": order["id"],
                },
                {
                    "description": "Fee",
                    "quantity": 1,
                    "unit_price": 100,
                    "fee_of_participant_id": fair.participant["id"],
                },
            ],
        },
    )
    fair.refused()


def test_an_invoice_references_only_records_of_its_participant(fair):
    other = fair.exhibitor("Other AG")
    reservation = fair.reserve("A1", participant=other)
    order = fair.order((fair.power, 1), participant=other)
    mine = fair.order((fair.power, 1))
    items = [
        {"booth_reservation_id": reservation["id"]},
        {"booth_reservation_id": 999},
        {"service_order_id": order["id"]},
        {"service_order_id": mine["id"], "service_order_item_id": order["items"][0]["id"]},
        {"service_order_item_id": mine["items"][0]["id"]},
        {"fee_of_participant_id": other["id"]},
    ]
    body = {
        "event_participant_id": fair.participant["id"],
        "items": [{"description": "x", "quantity": 1, "unit_price": 1, **item} for item in items],
    }
    expected = [
        ("/items/0/booth_reservation_id", "disagrees"),
        ("/items/1/booth_reservation_id", "unknown"),
        ("/items/2/service_order_id", "disagrees"),
        ("/items/3/service_order_item_id", "disagrees"),
        ("/items/4/service_order_item_id", "disagrees"),
        ("/items/5/fee_of_participant_id", "disagrees"),
    ]
    faults = fair.organiser.post("/invoices", body, status=422).json["errors"]
    assert sorted((entry["pointer"], entry["code"]) for entry in faults) == expected
    sent = fair.send(fair.bill()[0])
    faults = fair.organiser.post(
        f"/invoices/{sent['id']}/credit", {"items": body["items"][:1]}, status=422
    ).json["errors"]
    assert [entry["pointer"] for entry in faults] == ["/items/0/booth_reservation_id"]
    alone = {"contact_id": fair.participant["contact_id"], "items": body["items"][:1]}
    assert (
        "event_participant_id"
        in fair.organiser.post("/invoices", alone, status=422).json["errors"][0]["detail"]
    )


# Outdated drafts


def outdated(fair, draft):
    """Send a draft, which must be refused, and return (position, reason) of its outdated lines."""
    answer = fair.organiser.post(f"/invoices/{draft['id']}/send", status=409).json
    assert answer["code"] == "draft_outdated" and fair.invoice(draft["id"])["status"] == "draft", (
        answer
    )
    patched = fair.organiser.patch(f"/invoices/{draft['id']}", {"status": "sent"}, status=409).json
    assert patched["lines"] == answer["lines"] and all(
        line["detail"] in answer["detail"] for line in answer["lines"]
    )
    return [(line["position"], line["reason"]) for line in answer["lines"]]


def refreshed(fair, draft):
    return fair.act("invoices", draft, "refresh")


def changed_after_billing(fair, db, kind):
    """Bill fee, booth and service, change one of them as `kind` says, and return the draft."""
    reservation, order = fair.reserve("A1"), fair.order((fair.power, 2))
    draft, _ = fair.bill()
    if kind == "cancelled booth":
        fair.cancel("booth-reservations", reservation)
    elif kind == "moved booth":
        fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("B1", 5)["id"]})
    elif kind == "cancelled order":
        fair.cancel("service-orders", order)
    elif kind == "cancelled item":
        fair.organiser.post(
            f"/service-orders/{order['id']}/items/{order['items'][0]['id']}/cancel", status=200
        )
    elif kind == "base price":
        fair.organiser.patch(f"/categories/{fair.gold['id']}", {"base_price": 160}, status=200)
    elif kind == "tax rate":
        fair.organiser.patch(f"/categories/{fair.gold['id']}", {"tax_rate": 7}, status=200)
    elif kind == "no category":
        fair.organiser.patch(fair.address, {"category_key": None, "category_id": None}, status=200)
    elif kind == "cancelled participation":
        fair.cancel("participants", fair.participant)
    elif kind == "quantity":  # no route changes the quantity of a submitted order yet
        db.connection.execute(
            "UPDATE service_order_items SET quantity = 3, net = 24000 WHERE quantity = 2"
        )
        db.connection.execute("UPDATE service_events SET ordered = 3 WHERE ordered = 2")
    return draft


@pytest.mark.parametrize(
    "kind, lines_expected, left",
    [
        ("cancelled booth", [(2, "cancelled")], [150, 160]),
        ("moved booth", [(2, "moved")], [150, 1500, 160]),
        ("cancelled order", [(3, "cancelled")], [150, 1200]),
        ("cancelled item", [(3, "cancelled")], [150, 1200]),
        ("base price", [(1, "repriced")], [160, 1200, 160]),
        ("tax rate", [(1, "tax_changed")], [150, 1200, 160]),
        ("no category", [(1, "not_owed")], [1200, 160]),
        ("quantity", [(3, "quantity_changed")], [150, 1200, 240]),
    ],
)
def test_an_outdated_draft_is_not_sent_until_it_is_refreshed(fair, db, kind, lines_expected, left):
    draft = changed_after_billing(fair, db, kind)
    assert outdated(fair, draft) == lines_expected
    fresh = refreshed(fair, draft)
    assert [line[2] for line in lines(fresh)] == left
    assert [item["position"] for item in fresh["items"]] == list(range(1, len(left) + 1))
    names = [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = 'invoice'"
        )
    ]
    assert names == ["invoice.created", "invoice.updated"]
    assert refreshed(fair, draft) == fresh == fair.invoice(draft["id"])
    assert fair.send(draft)["subtotal"] == sum(left)
    fair.refused()


def test_a_cancelled_participation_makes_its_fee_and_booths_outdated(fair, db):
    draft = changed_after_billing(fair, db, "cancelled participation")
    assert outdated(fair, draft)[:2] == [(1, "cancelled"), (2, "cancelled")]


def test_lines_that_were_added_or_edited_by_hand_stay_and_are_not_outdated(fair):
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    fee, booth = draft["items"]
    by_hand = [
        {"description": "Lunch", "quantity": 2, "unit_price": 10},
        {**booth, "discount_percent": 10},
        fee,
    ]
    fair.organiser.patch(f"/invoices/{draft['id']}", {"items": by_hand}, status=200)
    fair.organiser.patch(f"/categories/{fair.gold['id']}", {"base_price": 200}, status=200)
    fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("B1", 5)["id"]})
    assert outdated(fair, draft) == [(3, "repriced")]
    fresh = refreshed(fair, draft)
    assert [(item["description"], item["net"]) for item in fresh["items"]] == [
        ("Lunch", 20),
        ("Booth A1, Row, 4 × 3 m, 12 m² × EUR 100.00, Fair", 1080),
        ("Participation: Gold, Fair", 200),
    ]
    fair.send(draft)
    # the edited line billed the booth A1: it is credited
    fair.send(fair.invoice(fair.bill()[1][0]))


@pytest.mark.parametrize("change", [{"text": "Hello"}, {"is_reverse_charge": True}, {"items": 1}])
def test_an_unedited_line_of_a_changed_draft_is_still_outdated(fair, change):
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    body = {"items": [*draft["items"], {"description": "Lunch", "quantity": 1, "unit_price": 1}]}
    fair.organiser.patch(
        f"/invoices/{draft['id']}", body if "items" in change else change, status=200
    )
    fair.cancel("booth-reservations", reservation)
    assert outdated(fair, draft) == [(2, "cancelled")]
    assert "A1" not in str(refreshed(fair, draft)["items"])


@pytest.mark.parametrize(
    "left_out",
    [
        ("unit",),
        ("service_order_item_id",),
        ("service_order_id", "service_order_item_id", "unit"),
        (
            "unit",
            "service_order_id",
            "service_order_item_id",
            "booth_reservation_id",
            "fee_of_participant_id",
        ),
    ],
)
def test_a_line_that_comes_back_without_unit_or_references_is_not_edited(fair, left_out):
    """Otherwise it would bill an order that is cancelled later, or the order would be billed once
    more.
    """
    order = fair.order((fair.power, 2))
    draft, _ = fair.bill()
    items = [
        {name: value for name, value in item.items() if name not in left_out}
        for item in draft["items"]
    ]
    items.insert(0, {"description": "Lunch", "quantity": 1, "unit_price": 1})
    changed = fair.organiser.patch(f"/invoices/{draft['id']}", {"items": items}, status=200).json[
        "data"
    ]
    assert [{**item, "position": 0} for item in changed["items"][1:]] == [
        {**item, "position": 0} for item in draft["items"]
    ]
    fair.refused()
    fair.cancel("service-orders", order)
    assert outdated(fair, draft) == [(3, "cancelled")]


def test_references_that_are_sent_as_null_are_removed_and_no_line_counts_twice(fair):
    fair.order((fair.power, 2))
    draft, _ = fair.bill()
    fee, power = draft["items"]
    bare = {name: power[name] for name in ("description", "quantity", "unit_price", "tax_rate")}
    items = [fee, bare, power, {**bare, "quantity": 3}, {**fee, "fee_of_participant_id": None}]
    changed = fair.organiser.patch(f"/invoices/{draft['id']}", {"items": items}, status=200).json[
        "data"
    ]["items"]
    assert [item["service_order_item_id"] for item in changed] == [
        None,
        None,
        power["service_order_item_id"],
        None,
        None,
    ]
    assert [item["fee_of_participant_id"] for item in changed] == [
        fee["fee_of_participant_id"],
        *[None] * 4,
    ]
    assert [item["unit"] for item in changed] == [
        fee["unit"],
        None,
        power["unit"],
        None,
        fee["unit"],
    ]


def test_refreshed_lines_get_their_tax_back_when_reverse_charge_is_turned_off(fair):
    fair.order((fair.book, 1))
    draft, _ = fair.bill()
    address = f"/invoices/{draft['id']}"
    fair.organiser.patch(address, {"is_reverse_charge": True}, status=200)
    fair.organiser.patch(
        f"/categories/{fair.gold['id']}", {"base_price": 200, "tax_rate": 7}, status=200
    )
    assert refreshed(fair, draft)["taxes"] == [
        {
            "category": "AE",
            "rate": 0,
            "net": 233.33,
            "tax": 0,
            "reason": "Reverse charge",
            "reason_code": "VATEX-EU-AE",
        }
    ]
    back = fair.organiser.patch(address, {"is_reverse_charge": False}, status=200).json["data"]
    assert back["taxes"] == [
        {
            "category": "S",
            "rate": 7,
            "net": 233.33,
            "tax": 16.33,
            "reason": None,
            "reason_code": None,
        }
    ]


def test_a_refresh_that_leaves_nothing_is_refused(fair):
    fair.organiser.patch(fair.address, {"category_key": None, "category_id": None}, status=200)
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    fair.cancel("booth-reservations", reservation)
    before = fair.invoice(draft["id"])
    assert (
        fair.organiser.post(f"/invoices/{draft['id']}/refresh", status=409).json["code"]
        == "nothing_to_bill"
    )
    discount = {"description": "Discount", "quantity": -1, "unit_price": 5}
    fair.organiser.patch(
        f"/invoices/{draft['id']}", {"items": [*before["items"], discount]}, status=200
    )
    answer = fair.organiser.post(f"/invoices/{draft['id']}/refresh", status=409).json
    assert answer["code"] == "nothing_to_bill" and "less than 0" in answer["detail"]


def test_a_draft_is_outdated_if_another_invoice_bills_the_same(fair):
    """The booth is moved and billed again, moved back, and the draft that would credit it is
    deleted.

    The draft is outdated already before that: otherwise it could be sent first, and the booth would
    be billed twice.
    """
    reservation = fair.reserve("A1")
    fair.send(fair.bill()[0])
    home = {"booth_id": reservation["booth_id"]}
    fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("B1", 5)["id"]})
    draft, notes = fair.bill()
    fair.act("booth-reservations", reservation, "move", home)
    refreshed(fair, draft)
    assert outdated(fair, draft) == [(1, "billed")]
    fair.organiser.delete(f"/invoices/{notes[0]}", status=204)
    assert outdated(fair, draft) == [(1, "billed")]
    assert (
        fair.organiser.post(f"/invoices/{draft['id']}/refresh", status=409).json["code"]
        == "nothing_to_bill"
    )
    fair.organiser.delete(f"/invoices/{draft['id']}", status=204)


@pytest.mark.parametrize("is_free", [False, True])
def test_a_generated_line_is_outdated_once_a_manual_invoice_bills_the_same(fair, is_free):
    """Also if that invoice gives all of it back by a discount, so that its total is 0."""
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    discount = [{"description": "Patron", "quantity": -1, "unit_price": 1200}] if is_free else []
    manual = fair.organiser.make(
        "/invoices",
        {
            "event_participant_id": fair.participant["id"],
            "items": [
                {
                    "description": "Stand",
                    "quantity": 1,
                    "unit_price": 1200,
                    "booth_reservation_id": reservation["id"],
                },
                *discount,
            ],
        },
    )
    fair.send(manual)
    assert outdated(fair, draft) == [(2, "billed")]
    assert [line[2] for line in lines(refreshed(fair, draft))] == [150]
    fair.send(draft)


def test_a_draft_in_another_currency_is_outdated_once_its_booth_is_cancelled(fair):
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    fair.organiser.patch(
        f"/invoices/{draft['id']}", {"currency": "CHF", "exchange_rate": 1.06}, status=200
    )
    fair.organiser.patch(f"/categories/{fair.gold['id']}", {"base_price": 200}, status=200)
    fair.cancel("booth-reservations", reservation)
    assert outdated(fair, draft) == [(2, "cancelled")]
    assert [line[2] for line in lines(refreshed(fair, draft))] == [150]
    fair.send(draft)


def test_only_drafts_are_refreshed(fair):
    sent = fair.send(fair.bill()[0])
    assert (
        fair.organiser.post(f"/invoices/{sent['id']}/refresh", status=409).json["code"]
        == "invalid_transition"
    )
    fair.organiser.post("/invoices/999/refresh", status=404)


def test_a_draft_that_credits_a_reinstated_participation_is_outdated(fair):
    fair.reserve("A1")
    fair.send(fair.bill()[0])
    fair.cancel("participants", fair.participant)
    note, _ = fair.bill()
    fair.act("participants", fair.participant, "reinstate")
    assert outdated(fair, note) == [(2, "reinstated")]
    assert [line[2] for line in lines(refreshed(fair, note))] == [-1200]
    fair.send(note)
    fair.refused()


def test_a_booth_that_another_invoice_bills_after_its_move_is_left_out(fair):
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("B1", 5)["id"]})
    fair.organiser.make(
        "/invoices",
        {
            "event_participant_id": fair.participant["id"],
            "items": [
                {
                    "description": "B1",
                    "quantity": 1,
                    "unit_price": 1400,
                    "booth_reservation_id": reservation["id"],
                }
            ],
        },
    )
    assert [line[2] for line in lines(refreshed(fair, draft))] == [150]


def test_of_concurrent_requests_to_send_and_to_cancel_no_cancelled_booth_is_billed(fair):
    """Whichever comes first: the draft is sent before the booth is cancelled, or it is refused."""
    for number in range(4):
        reservation = fair.reserve(f"A{number}")
        draft = fair.bill()[0]
        answers = {}

        def call(name, path, answers=answers):
            answers[name] = fair.organiser.post(path).status_int

        paths = {
            "send": f"/invoices/{draft['id']}/send",
            "again": f"/invoices/{draft['id']}/send",
            "cancel": f"/booth-reservations/{reservation['id']}/cancel",
        }
        threads = [
            Thread(target=call, args=item) for item in list(paths.items())[:: (-1) ** number]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sent, cancelled = (
            fair.organiser.data(path)
            for path in (f"/invoices/{draft['id']}", f"/booth-reservations/{reservation['id']}")
        )
        assert (cancelled["status"], answers["cancel"]) == ("cancelled", 200)
        if sent["status"] == "sent":
            assert 200 in (answers["send"], answers["again"])
            assert sent["locked_at"] <= cancelled["cancelled_at"]
            fair.send(fair.bill()[0])
        else:
            assert answers["send"] == answers["again"] == 409
            fair.organiser.delete(f"/invoices/{draft['id']}", status=204)
    assert len({sent["invoice_number"] for sent in fair.organiser.data("/invoices")}) == len(
        fair.organiser.data("/invoices")
    )


# Crediting


def test_a_cancelled_booth_is_credited_once(fair):
    reservation = fair.reserve("A1")
    invoice = fair.send(fair.bill()[0])
    fair.cancel("booth-reservations", reservation)
    fair.balance(178.5, 0, 1428, 1606.5, 0, 1606.5)
    note, credit_notes = fair.bill()
    assert (note["invoice_type"], note["status"], note["related_invoice_id"], credit_notes) == (
        "credit_note",
        "draft",
        invoice["id"],
        [note["id"]],
    )
    assert lines(note) == [("Booth A1, Row, 4 × 3 m, 12 m² × EUR 100.00, Fair", -1, -1200)]
    assert note["items"][0]["booth_reservation_id"] == reservation["id"]
    fair.refused()
    assert fair.invoice(invoice["id"]) == invoice
    fair.send(note)
    fair.refused()
    fair.balance(178.5, 0, 0, 178.5, 0, 178.5)
    fair.organiser.make("/payments", {"invoice_number": invoice["invoice_number"], "amount": 178.5})
    fair.balance(178.5, 0, 0, 178.5, 178.5, 0)


def test_a_deleted_draft_of_a_credit_note_is_due_again(fair):
    reservation = fair.reserve("A1")
    fair.send(fair.bill()[0])
    fair.cancel("booth-reservations", reservation)
    note, _ = fair.bill()
    fair.organiser.delete(f"/invoices/{note['id']}", status=204)
    assert lines(fair.bill()[0]) == lines(note)


def test_items_and_orders_that_were_cancelled_are_credited(fair):
    first, second = fair.order((fair.power, 2), (fair.book, 1)), fair.order((fair.book, 2))
    fair.send(fair.bill()[0])
    fair.organiser.post(
        f"/service-orders/{first['id']}/items/{first['items'][0]['id']}/cancel", status=200
    )
    assert [line[1:] for line in lines(fair.bill()[0])] == [(-2, -160)]
    fair.cancel("service-orders", second)
    assert [line[1:] for line in lines(fair.bill()[0])] == [(-2, -66.66)]


def test_an_order_invoiced_by_hand_is_credited_when_all_of_it_is_cancelled(fair):
    order = fair.order((fair.power, 1), (fair.book, 1))
    fair.send(
        fair.organiser.make(
            "/invoices",
            {
                "event_participant_id": fair.participant["id"],
                "items": [
                    {
                        "description": "Technics",
                        "quantity": 1,
                        "unit_price": 100,
                        "service_order_id": order["id"],
                    }
                ],
            },
        )
    )
    fair.bill()
    fair.cancel("service-orders", order)
    assert lines(fair.bill()[0]) == [("Technics", -1, -100)]


def test_one_call_bills_new_items_and_credits_cancelled_ones(fair):
    reservation = fair.reserve("A1")
    fair.send(fair.bill()[0])
    late = fair.order((fair.power, 1))
    fair.send(fair.bill()[0])
    fair.cancel("booth-reservations", reservation)
    fair.cancel("service-orders", late)
    fair.reserve("A2")
    invoice, credit_notes = fair.bill()
    assert invoice["invoice_type"] == "invoice" and [line[2] for line in lines(invoice)] == [1200]
    assert [fair.invoice(id)["subtotal"] for id in credit_notes] == [-1200, -80]
    fair.refused()


def test_a_moved_reservation_is_credited_and_billed_again(fair):
    reservation = fair.reserve("A1")
    fair.send(fair.bill()[0])
    fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("B1", 5)["id"]})
    invoice, (note,) = fair.bill()
    assert lines(invoice) == [("Booth B1, Row, 5 × 3 m, 15 m² × EUR 100.00, Fair", 1, 1500)]
    assert lines(fair.invoice(note)) == [
        ("Booth A1, Row, 4 × 3 m, 12 m² × EUR 100.00, Fair", -1, -1200)
    ]
    fair.refused()
    fair.send(fair.invoice(note))
    fair.send(invoice)
    fair.cancel("booth-reservations", reservation)
    assert lines(fair.bill()[0]) == [
        ("Booth B1, Row, 5 × 3 m, 15 m² × EUR 100.00, Fair", -1, -1500)
    ]


@pytest.mark.parametrize("change", [{"text": "Hello"}, {"is_reverse_charge": True}, {"items": 1}])
def test_a_changed_draft_still_bills_the_old_booth(fair, change):
    """The price of the old booth must not be taken for that of the new one."""
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    fair.act("booth-reservations", reservation, "move", {"booth_id": fair.booth("B1", 5)["id"]})
    assert fair.refused("draft_outdated")["invoice_ids"] == [draft["id"]]
    body = {"items": draft["items"][1:]} if "items" in change else change
    fair.organiser.patch(f"/invoices/{draft['id']}", body, status=200)
    assert fair.refused("draft_outdated")["invoice_ids"] == [draft["id"]]
    line = {**draft["items"][1], "description": "Booth B1, Row, 5 × 3 m", "unit_price": 1500}
    fair.organiser.patch(
        f"/invoices/{draft['id']}",
        {"is_reverse_charge": False, "items": [draft["items"][0], line]},
        status=200,
    )
    fair.refused()


def test_a_repeated_call_returns_the_same_credit_notes(fair):
    reservation, key = fair.reserve("A1"), {"Idempotency-Key": "once"}
    fair.send(fair.bill()[0])
    fair.cancel("booth-reservations", reservation)
    first, again = (
        fair.organiser.post(f"{fair.address}/invoice", headers=key, status=201).json["meta"][
            "credit_notes"
        ]
        for _ in range(2)
    )
    assert again == first != []


def test_a_cancelled_participation_is_credited_in_full(fair):
    fair.reserve("A1")
    fair.send(fair.bill()[0])
    fair.cancel("participants", fair.participant)
    note, _ = fair.bill()
    assert note["total"] == -1606.5
    fair.refused()
    fair.send(note)
    fair.act("participants", fair.participant, "reinstate")
    assert lines(fair.bill()[0]) == [("Participation: Gold, Fair", 1, 150)]


def test_a_draft_that_credits_a_reinstated_participation_is_reported_as_outdated(fair):
    fair.send(fair.bill()[0])
    fair.cancel("participants", fair.participant)
    note, _ = fair.bill()
    fair.act("participants", fair.participant, "reinstate")
    assert fair.refused("draft_outdated")["invoice_ids"] == [note["id"]]
    fair.organiser.delete(f"/invoices/{note['id']}", status=204)
    fair.refused()


def test_only_the_remaining_amount_is_credited(fair):
    reservation = fair.reserve("A1")
    invoice = fair.send(fair.bill()[0])
    goodwill = {
        "description": "Draughty",
        "quantity": 1,
        "unit_price": 199.99,
        "booth_reservation_id": reservation["id"],
    }
    fair.act("invoices", invoice, "credit", {"items": [goodwill]}, status=201)
    fair.refused()
    fair.cancel("booth-reservations", reservation)
    note, _ = fair.bill()
    assert lines(note) == [("Booth A1, Row, 4 × 3 m, 12 m² × EUR 100.00, Fair", -1, -1000.01)]
    fair.send(note)
    fair.refused()


def test_a_credit_without_a_reference_counts_as_well(fair):
    reservation = fair.reserve("A1")
    invoice = fair.send(fair.bill()[0])
    fair.act(
        "invoices",
        invoice,
        "credit",
        {"items": [{"description": "Goodwill", "quantity": 1, "unit_price": 500}]},
        status=201,
    )
    fair.cancel("booth-reservations", reservation)
    fair.balance(178.5, 0, 1011.5, 1011.5, 0, 1011.5)
    note, _ = fair.bill()
    assert note["subtotal"] == -850
    fair.send(note)
    fair.balance(178.5, 178.5, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "given_back", ["by a credit that does not say for what", "before it was sent"]
)
def test_an_item_without_a_remaining_amount_is_not_due(fair, given_back):
    """Readiness must not wait for something that billing will never bill."""
    reservation, _ = fair.reserve("A1"), fair.order((fair.book, 1))
    draft, _ = fair.bill()
    fee, booth, book = draft["items"]
    if given_back == "before it was sent":
        fair.organiser.patch(
            f"/invoices/{draft['id']}",
            {"items": [fee, {**booth, "discount_percent": 100}, book]},
            status=200,
        )
        fair.send(draft)
    else:
        goodwill = {"description": "Goodwill", "quantity": 1, "unit_price": 1350, "tax_rate": 19}
        fair.organiser.post(
            f"/invoices/{fair.send(draft)['id']}/credit", {"items": [goodwill]}, status=201
        )
    fair.cancel("booth-reservations", reservation)
    fair.reserve("A2")
    fair.send(fair.bill()[0])
    fair.refused()
    items = {
        item["item"]: item["status"]
        for item in fair.organiser.data(f"{fair.address}/readiness")["items"]
    }
    assert items["invoice"] == "done"


def test_a_draft_for_a_cancelled_booth_is_reported_and_not_changed(fair):
    reservation = fair.reserve("A1")
    draft, _ = fair.bill()
    fair.cancel("booth-reservations", reservation)
    refused = fair.refused("draft_outdated")
    assert refused["invoice_ids"] == [draft["id"]] and draft["invoice_number"] in refused["detail"]
    assert fair.invoice(draft["id"]) == draft
    fair.organiser.patch(f"/invoices/{draft['id']}", {"items": draft["items"][:1]}, status=200)
    fair.refused()


def test_cents_are_exact_with_prices_that_round(fair):
    odd = fair.service("Odd", 0.35, tax_rate=7)
    fair.order((odd, 1), (odd, 1), (fair.book, 7))
    invoice = fair.send(fair.bill()[0])
    fair.balance(invoice["total"], 0, 0, invoice["total"], 0, invoice["total"])
    fair.cancel("participants", fair.participant)
    for order in fair.organiser.data("/service-orders"):
        fair.cancel("service-orders", order)
    fair.balance(0, 0, invoice["total"], invoice["total"], 0, invoice["total"])
    fair.send(fair.bill()[0])
    fair.balance(0, 0, 0, 0, 0, 0)


# Permissions and concurrency


def test_billing_needs_the_scope_and_flag_of_invoices(fair, person):
    person("participants").post(f"{fair.address}/invoice", status=403)
    minimal = (
        person("invoices")
        .post(f"{fair.address}/invoice", status=201, headers={"Prefer": "return=minimal"})
        .json["data"]
    )
    assert set(minimal) == {"invoice_id", "created_at", "updated_at"}
    person("participants:read").get(f"{fair.address}/balance", status=200)
    fair.organiser.post("/participants/999/invoice", status=404)


def test_an_anonymised_contact_is_not_billed(fair):
    fair.organiser.post(f"/contacts/{fair.participant['contact_id']}/anonymize", status=200)
    fair.refused("anonymized")


def test_one_of_many_concurrent_calls_bills(fair):
    fair.reserve("A1")
    answers = []

    def bill():
        answers.append(fair.organiser.post(f"{fair.address}/invoice"))

    threads = [Thread(target=bill) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_int for answer in answers) == [201] + [409] * 7
    assert {answer.json["code"] for answer in answers if answer.status_int == 409} == {
        "nothing_to_bill"
    }
    assert len(fair.organiser.data("/invoices")) == 1


def test_billed_items_stay_billed_after_a_merge(fair):
    duplicate = fair.exhibitor("Muster A.G.")
    reservation = fair.reserve("A1", participant=duplicate)
    order = fair.order((fair.power, 1), participant=duplicate)
    fair.organiser.patch(fair.address, {"category_id": None, "category_key": None}, status=200)
    fair.send(fair.bill(duplicate)[0])
    fair.organiser.post(
        f"/contacts/{fair.participant['contact_id']}/merge",
        {"duplicate_id": duplicate["contact_id"]},
        status=200,
    )
    for path in (f"/booth-reservations/{reservation['id']}", f"/service-orders/{order['id']}"):
        assert fair.organiser.data(path)["event_participant_id"] == fair.participant["id"]
    fair.refused()
    fair.cancel("booth-reservations", reservation)
    assert fair.bill()[0]["subtotal"] == -1200


def test_a_merge_with_two_fees_credits_one_of_them(fair):
    duplicate = fair.exhibitor("Muster A.G.")
    for participant in (fair.participant, duplicate):
        fair.send(fair.bill(participant)[0])
    fair.organiser.post(
        f"/contacts/{fair.participant['contact_id']}/merge",
        {"duplicate_id": duplicate["contact_id"]},
        status=200,
    )
    fair.balance(178.5, 0, 178.5, 357, 0, 357)
    fair.send(fair.bill()[0])
    fair.balance(178.5, 0, 0, 178.5, 0, 178.5)
    fair.refused()


def test_invoices_of_the_duplicate_can_be_changed_and_credited_after_a_merge(fair):
    duplicate, other = fair.exhibitor("Muster A.G."), fair.exhibitor("Other AG")
    fair.send(fair.bill()[0])
    sent = fair.send(fair.bill(duplicate)[0])
    draft = fair.organiser.make(
        "/invoices",
        {
            "event_participant_id": duplicate["id"],
            "items": [
                {
                    "description": "Fee",
                    "quantity": 1,
                    "unit_price": 10,
                    "fee_of_participant_id": duplicate["id"],
                }
            ],
        },
    )
    fair.organiser.post(
        f"/contacts/{fair.participant['contact_id']}/merge",
        {"duplicate_id": duplicate["contact_id"]},
        status=200,
    )
    address = f"/invoices/{draft['id']}"
    assert (
        fair.organiser.patch(address, {"text": "Hello"}, status=200).json["data"]["text"] == "Hello"
    )
    faults = fair.organiser.patch(address, {"event_participant_id": other["id"]}, status=422).json[
        "errors"
    ]
    assert [entry["pointer"] for entry in faults] == ["/items/0/fee_of_participant_id"]
    fair.organiser.delete(address, status=204)
    items = [
        {
            name: item[name]
            for name in ("description", "quantity", "unit_price", "fee_of_participant_id")
        }
        for item in sent["items"]
    ]
    fair.organiser.post(f"/invoices/{sent['id']}/credit", {"items": items}, status=201)
    fair.refused()


# What `eventapi check` finds


@prepared
def sold_fair(organiser, db):
    fair = Fair(organiser, db)
    fair.reserve("A1")
    fair.reserve("A2", status="pending")
    fair.order((fair.power, 2))
    fair.bill()


@pytest.fixture
def sold(sold_fair, db):
    assert checks.findings(db) == []
    return db


@pytest.mark.parametrize(
    "change, word",
    [
        (
            "UPDATE service_events SET ordered = ordered + 1 WHERE ordered",
            "power at fair: the ordered quantity is 3, but its orders add up to 2",
        ),
        (
            "UPDATE service_order_items SET status = 'cancelled'",
            "power at fair: the ordered quantity is 2, but its orders add up to 0",
        ),
        (
            "UPDATE booths SET status = 'available' WHERE status = 'sold'",
            "A1 of fair is available, but its reservation is confirmed",
        ),
        ("UPDATE booths SET status = 'sold'", "A2 of fair is sold, but its reservation is pending"),
        (
            "UPDATE booth_reservations SET status = 'cancelled' WHERE status = 'confirmed'",
            "A1 of fair is sold, but has no reservation",
        ),
    ],
)
def test_an_inconsistency_is_found(sold, change, word):
    sold.connection.execute(change)
    ((check, text),) = checks.findings(sold)
    assert check == "sales" and word in text


@pytest.mark.parametrize(
    "kind", ["booth_reservation_id", "service_order_item_id", "fee_of_participant_id"]
)
def test_an_item_that_is_billed_twice_is_found(sold, kind):
    (item,) = sold.connection.execute(
        f"SELECT id FROM invoice_items WHERE {kind} IS NOT NULL"
    ).fetchone()
    sold.connection.executescript(f"""
        INSERT INTO invoices (invoice_number, contact_id, event_participant_id, currency, subtotal, tax_total, total,
        created_at, updated_at)
        SELECT 'DRAFT-9', contact_id, event_participant_id, currency, 0, 0, 0, created_at,
        updated_at FROM invoices LIMIT 1;
        INSERT INTO invoice_items (invoice_id, position, description, quantity, unit_price, tax_rate, tax_category,
        net, service_order_id,
          service_order_item_id, booth_reservation_id, booth_id, fee_of_participant_id)
        SELECT (SELECT max(id) FROM invoices), 1, description, quantity, unit_price, tax_rate, tax_category, net,
        service_order_id,
               service_order_item_id, booth_reservation_id, booth_id,
               fee_of_participant_id FROM invoice_items WHERE id = {item};""")
    found = [text for check, text in checks.findings(sold) if check == "sales"]
    assert len(found) == 1 and "is billed" in found[0] and "DRAFT-9" in found[0]


def test_the_balance_has_every_currency_and_agrees_with_readiness(fair, db):
    """An invoice and an order in another currency are open in `balances`, as readiness says."""

    def items():
        checklist = fair.organiser.data(f"{fair.address}/readiness")["items"]
        return {item["item"]: item["status"] for item in checklist}

    def shown():
        found = fair.organiser.data(f"{fair.address}/balance")
        return {
            entry["currency"]: tuple(entry[name] for name in SUMS) for entry in found["balances"]
        }

    fair.reserve("A1")
    fair.send(fair.bill()[0])
    own = shown()
    assert list(own) == ["EUR"]
    foreign = fair.organiser.make(
        "/invoices",
        {
            "event_participant_id": fair.participant["id"],
            "currency": "JPY",
            "exchange_rate": 0.006,
            "items": [{"description": "Power", "quantity": 3, "unit_price": 101, "tax_rate": 10}],
        },
    )
    assert shown() == own
    sent = fair.send(foreign)
    assert shown() == {**own, "JPY": (0, 0, 0, 333, 0, 333)}
    fair.organiser.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 300})
    for invoice in fair.organiser.data("/invoices?status=sent"):
        fair.organiser.make(
            "/payments", {"invoice_number": invoice["invoice_number"], "amount": invoice["total"]}
        )
    assert (
        shown()["JPY"] == (0, 0, 0, 333, 300, 33)
        and shown()["EUR"][-1] == 0
        and items()["payment"] == "open"
    )
    fair.organiser.make("/payments", {"invoice_number": sent["invoice_number"], "amount": 33})
    assert shown()["JPY"][-1] == 0 and items()["payment"] == "done"
    order = fair.order((fair.book, 2))
    db.connection.execute("UPDATE service_orders SET currency = 'KWD' WHERE id = ?", [order["id"]])
    assert shown()["KWD"] == (7.133, 7.133, 0, 0, 0, 0)  # 2 for 3.333, and 7 %
    assert list(shown()) == ["EUR", "JPY", "KWD"] and items()["invoice"] == "open"
    db.connection.execute("UPDATE service_orders SET currency = 'EUR' WHERE id = ?", [order["id"]])
