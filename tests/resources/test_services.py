"""Services and their offers at events."""

import pytest

from tests.support.dates import in_days


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {
            "title": "Fair",
            "event_key": "fair",
            "date_from": in_days(60),
            "timezone": "Europe/Berlin",
        },
    )


def offered(organiser, fair, offer=None, **members):
    """Create a service that costs 100 and is offered at the fair."""
    return organiser.make(
        "/services",
        {
            "service_name": "Power",
            "base_price": 100,
            "events": [{"event_key": fair["event_key"], **(offer or {})}],
            **members,
        },
    )


def at_fair(organiser, service):
    found = organiser.data(f"/services/{service['id']}?event_key=fair")
    return {name: found[name] for name in ("price", "ordered", "available", "order_deadline")}


def ordered(organiser, fair, service, quantity=1):
    contact = organiser.make("/contacts", {"company_name": "Muster AG"})
    participant = organiser.make(
        "/participants", {"event_id": fair["id"], "contact_id": contact["id"]}
    )
    return organiser.make(
        "/service-orders",
        {
            "event_participant_id": participant["id"],
            "status": "submitted",
            "items": [{"service_id": service["id"], "quantity": quantity}],
        },
    )


def actions(db):
    return [
        action
        for (action,) in db.connection.execute(
            "SELECT action FROM audit_log WHERE entity_type = 'service' ORDER BY id"
        )
    ]


def test_a_service_is_created_read_changed_and_deleted(organiser, db):
    service = organiser.make(
        "/services", {"service_name": "Möbel & Licht", "base_price": 89.5, "tax_rate": 7}
    )
    assert (
        service["service_key"],
        service["unit"],
        service["min_quantity"],
        service["quantity_step"],
    ) == ("moebel-licht", "piece", 1, 1)
    assert service["base_price"] == 89.5 and service["tax_rate"] == 7 and service["is_active"]
    assert service["events"] == []
    address = f"/services/{service['id']}"
    assert organiser.data(address) == service
    changed = organiser.patch(address, {"unit_label": "Set", "base_price": 90}, status=200).json[
        "data"
    ]
    assert changed == {
        **service,
        "unit_label": "Set",
        "base_price": 90,
        "updated_at": changed["updated_at"],
    }
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert actions(db) == ["created", "updated", "deleted"]


def test_generated_keys_are_unique_and_a_taken_key_is_refused(organiser):
    organiser.make("/services", {"service_name": "Power", "base_price": 1})
    other = organiser.make("/services", {"service_name": "Power", "base_price": 1})
    assert other["service_key"] == "power-2"
    assert (
        organiser.post(
            "/services", {"service_name": "x", "base_price": 1, "service_key": "power"}, status=409
        ).json["code"]
        == "duplicate"
    )
    organiser.patch(f"/services/{other['id']}", {"service_key": "power"}, status=409)


def test_a_category_is_set_by_id_or_key(organiser):
    category = organiser.make("/services/categories", {"category_name": "Power"})
    service = organiser.make(
        "/services", {"service_name": "Socket", "base_price": 1, "category_key": "power"}
    )
    assert (service["category_id"], service["category_name"]) == (category["id"], "Power")
    organiser.make("/services", {"service_name": "Chair", "base_price": 1})
    for query in ("category_key=power", f"category_id={category['id']}"):
        [found] = organiser.data(f"/services?{query}&include=category")
        assert found["category"] == {
            name: category[name] for name in ("id", "category_key", "category_name", "sort_order")
        }
    assert organiser.data("/services?category_key=nothing") == []
    answer = organiser.post(
        "/services",
        {
            "service_name": "x",
            "base_price": 1,
            "category_id": 99,
            "tax_rate": 1.005,
            "events": [{"event_key": "no"}],
        },
        status=422,
    )
    assert [entry["pointer"] for entry in answer.json["errors"]] == [
        "/category_id",
        "/events/0/event_key",
        "/tax_rate",
    ]
    assert (
        organiser.patch(f"/services/{service['id']}", {"category_id": None}, status=200).json[
            "data"
        ]["category_key"]
        is None
    )


def test_offers_are_replaced_as_a_whole(organiser, fair, db):
    service = offered(
        organiser, fair, {"base_price": 80.5, "stock": 5, "order_deadline": in_days(9)}
    )
    [offer] = service["events"]
    assert offer == {
        "event_id": fair["id"],
        "event_key": "fair",
        "base_price": 80.5,
        "early_bird_price": None,
        "early_bird_until": None,
        "order_deadline": in_days(9),
        "stock": 5,
        "ordered": 0,
        "available": 5,
        "is_active": True,
    }
    address = f"/services/{service['id']}"
    assert organiser.patch(address, {"service_name": "Strom"}, status=200).json["data"][
        "events"
    ] == [offer]
    changed = organiser.patch(address, {"events": [{"event_id": fair["id"]}]}, status=200).json[
        "data"
    ]["events"]
    assert [(entry["base_price"], entry["stock"], entry["available"]) for entry in changed] == [
        (None, None, None)
    ]
    assert organiser.patch(address, {"events": []}, status=200).json["data"]["events"] == []
    assert actions(db) == ["created", "updated", "updated", "updated"]


def test_offers_are_included_in_lists_on_request(organiser, fair):
    service = offered(organiser, fair)
    assert "events" not in organiser.data("/services")[0]
    assert organiser.data("/services?include=events")[0]["events"] == service["events"]


@pytest.mark.parametrize(
    "offer, pointer, code",
    [
        ({"base_price": 1.005}, "/events/1/base_price", "decimals"),
        ({"event_id": 99}, "/events/1/event_id", "unknown"),
        ({"event_key": None, "event_id": None}, "/events/1/event_key", "type"),
        ({"early_bird_price": 5}, "/events/1/early_bird_until", "required"),
        ({"early_bird_until": "2027-01-01"}, "/events/1/early_bird_price", "required"),
        ({"event_key": "fair"}, "/events/1", "duplicate"),
        ({"stock": -1}, "/events/1/stock", "minimum"),
    ],
)
def test_faults_of_an_offer_are_reported_with_their_pointer(organiser, fair, offer, pointer, code):
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    body = {
        "service_name": "x",
        "base_price": 1,
        "events": [{"event_key": "fair"}, {"event_key": "other", **offer}],
    }
    errors = organiser.post("/services", body, status=422).json["errors"]
    assert (pointer, code) in [(entry["pointer"], entry["code"]) for entry in errors]


def test_an_offer_must_name_its_event(organiser):
    errors = organiser.post(
        "/services", {"service_name": "x", "base_price": 1, "events": [{}]}, status=422
    ).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [
        ("/events/0/event_id", "required")
    ]


def test_the_terms_at_an_event_are_shown_on_request(organiser, fair):
    service = offered(organiser, fair, {"base_price": 80, "stock": 10})
    assert "price" not in organiser.data(f"/services/{service['id']}")
    assert at_fair(organiser, service) == {
        "price": 80,
        "ordered": 0,
        "available": 10,
        "order_deadline": None,
    }
    ordered(organiser, fair, service, 3)
    assert at_fair(organiser, service) == {
        "price": 80,
        "ordered": 3,
        "available": 7,
        "order_deadline": None,
    }
    [listed] = organiser.data(f"/services?event_id={fair['id']}")
    assert (listed["price"], listed["available"]) == (80, 7)
    text = organiser.get(
        "/services?event_key=fair", headers={"Accept": "text/csv"}, status=200
    ).text.splitlines()
    assert "price" in text[0].split(",") and len(text) == 2


def test_an_offer_without_a_price_or_deadline_uses_the_base_price_and_never_ends(organiser, fair):
    assert at_fair(organiser, offered(organiser, fair)) == {
        "price": 100,
        "ordered": 0,
        "available": None,
        "order_deadline": None,
    }


def test_services_not_offered_at_an_event_are_not_listed_there(organiser, fair):
    other = organiser.make("/services", {"service_name": "Other", "base_price": 1})
    asleep = offered(organiser, fair, {"is_active": False}, service_name="Asleep")
    here = offered(organiser, fair)
    assert [service["id"] for service in organiser.data("/services?event_key=fair")] == [here["id"]]
    assert organiser.data("/services?event_key=nowhere") == []
    assert at_fair(organiser, other) == {
        "price": None,
        "ordered": 0,
        "available": 0,
        "order_deadline": None,
    }
    assert at_fair(organiser, asleep)["price"] == 100


@pytest.mark.parametrize("days, price", [(-2, 100), (2, 70)])
def test_the_early_bird_price_includes_its_last_day(organiser, fair, days, price):
    service = offered(organiser, fair, {"early_bird_price": 70, "early_bird_until": in_days(days)})
    assert at_fair(organiser, service)["price"] == price


def test_the_early_bird_price_ends_in_the_time_zone_of_the_event(organiser):
    """When the last day has come in Niue (UTC-11), it is over in Kiritimati (UTC+14).

    Only Niue still has the price.
    """
    from eventapi import times

    for name in ("Pacific/Kiritimati", "Pacific/Niue"):
        key = name.rpartition("/")[2].lower()
        organiser.make("/events", {"title": key, "event_key": key, "timezone": name})
    last = times.today("Pacific/Niue")
    terms = {"early_bird_price": 1, "early_bird_until": last}
    service = organiser.make(
        "/services",
        {
            "service_name": "x",
            "base_price": 2,
            "events": [{"event_key": "kiritimati", **terms}, {"event_key": "niue", **terms}],
        },
    )
    price = {
        key: organiser.data(f"/services/{service['id']}?event_key={key}")["price"]
        for key in ("kiritimati", "niue")
    }
    assert price == {"kiritimati": 2, "niue": 1}


def test_the_earlier_of_deadline_and_lead_time_applies(organiser, fair):
    assert at_fair(
        organiser, offered(organiser, fair, {"order_deadline": in_days(50)}, lead_time_days=14)
    )["order_deadline"] == in_days(46)
    assert at_fair(
        organiser, offered(organiser, fair, {"order_deadline": in_days(30)}, lead_time_days=14)
    )["order_deadline"] == in_days(30)


def test_the_stock_cannot_be_less_than_the_ordered_quantity(organiser, fair):
    service = offered(organiser, fair, {"stock": 5})
    ordered(organiser, fair, service, 4)
    address = f"/services/{service['id']}"
    answer = organiser.patch(
        address, {"service_name": "y", "events": [{"event_key": "fair", "stock": 3}]}, status=409
    ).json
    assert (answer["code"], answer["ordered"], answer["available"]) == ("out_of_stock", 4, 1)
    assert organiser.data(address)["service_name"] == "Power", "the refused request changed nothing"
    [offer] = organiser.patch(
        address, {"events": [{"event_key": "fair", "stock": 4}]}, status=200
    ).json["data"]["events"]
    assert (offer["ordered"], offer["available"]) == (4, 0)


def test_an_offer_with_orders_cannot_be_removed(organiser, fair):
    service = offered(organiser, fair)
    order = ordered(organiser, fair, service)
    answer = organiser.patch(f"/services/{service['id']}", {"events": []}, status=409).json
    assert answer["code"] == "in_use" and answer["event_key"] == "fair"
    organiser.post(f"/service-orders/{order['id']}/cancel", {}, status=200)
    organiser.patch(f"/services/{service['id']}", {"events": []}, status=200)


def test_a_service_with_orders_cannot_be_deleted(organiser, fair):
    service = offered(organiser, fair)
    order = ordered(organiser, fair, service)
    organiser.post(f"/service-orders/{order['id']}/cancel", {}, status=200)
    answer = organiser.delete(f"/services/{service['id']}", status=409).json
    assert answer["code"] == "in_use" and answer["used_by"] == ["orders"]


def test_services_are_searched_and_filtered(organiser):
    organiser.make(
        "/services",
        {"service_name": "Möbelset", "base_price": 1, "description": "Tisch und vier Stühle"},
    )
    organiser.make("/services", {"service_name": "Water", "base_price": 1, "is_active": False})
    assert [service["service_name"] for service in organiser.data("/services?search=stuhl")] == [
        "Möbelset"
    ]
    assert [service["service_name"] for service in organiser.data("/services?search=mobel")] == [
        "Möbelset"
    ]
    assert [service["service_name"] for service in organiser.data("/services?is_active=0")] == [
        "Water"
    ]
    assert [
        service["service_name"] for service in organiser.data("/services?service_key=water")
    ] == ["Water"]


@pytest.mark.parametrize(
    "members, pointer, code",
    [
        ({"base_price": -1}, "/base_price", "minimum"),
        ({"base_price": 1.005}, "/base_price", "decimals"),
        ({"tax_rate": 19.005}, "/tax_rate", "decimals"),
        ({"min_quantity": 0}, "/min_quantity", "minimum"),
        ({"min_quantity": 5, "max_quantity": 4}, "/max_quantity", "below_minimum"),
        ({"service_name": " "}, "/service_name", "min_length"),
    ],
)
def test_invalid_values_are_refused(organiser, members, pointer, code):
    errors = organiser.post(
        "/services", {"service_name": "x", "base_price": 1, **members}, status=422
    ).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [(pointer, code)]


def test_deleting_an_event_without_participants_deletes_its_offers(organiser, fair, db):
    service = offered(organiser, fair)
    organiser.delete(f"/events/{fair['id']}", status=204)
    assert organiser.data(f"/services/{service['id']}")["events"] == []
    assert db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'service' ORDER BY id"
    ).fetchall() == [("created",), ("updated",)]
