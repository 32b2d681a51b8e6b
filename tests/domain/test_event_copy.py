"""Copying an event, such as last year's show for next year."""

import pytest


@pytest.fixture
def show(organiser):
    """Return an event with a hall, two booths, a service and a category."""
    event = organiser.make(
        "/events",
        {
            "title": "Garden Fair",
            "event_key": "fair-2027",
            "date_from": "2027-03-26T09:00:00+01:00",
            "date_to": "2027-03-29",
            "timezone": "Europe/Berlin",
            "day_ends_at": "04:30",
            "cost_centre": "GF.27_a-1",
            "place_of_supply": "event",
            "event_word": "market",
            "application_deadline": "2027-02-28",
            "venue": "Messehaus",
            "address": "Am Ring 1",
            "postal_code": "04109",
            "opening_hours": [{"date": "2027-03-26", "opens": "09:00", "closes": "18:00"}],
        },
    )
    plan = organiser.make(
        "/plans",
        {
            "event_id": event["id"],
            "plan_name": "Hall 1",
            "width": 40,
            "height": 30,
            "objects": [{"kind": "door", "x": 1, "y": 0, "width": 3}],
        },
    )
    kind = organiser.make(
        "/booths/types",
        {"booth_type_name": "Row", "open_sides": 1, "price_model": "per_m2", "price": 100},
    )
    booth = {
        "plan_id": plan["id"],
        "booth_type_id": kind["id"],
        "width": 4,
        "depth": 3,
        "pos_x": 5,
        "pos_y": 5,
    }
    organiser.make("/booths", {**booth, "booth_number": "A1"})
    organiser.make(
        "/booths",
        {
            **booth,
            "booth_number": "A2",
            "pos_x": 20,
            "status": "blocked",
            "blocked_reason": "Hydrant",
        },
    )
    organiser.make(
        "/services",
        {
            "service_name": "Power",
            "base_price": 90,
            "events": [
                {
                    "event_id": event["id"],
                    "stock": 5,
                    "order_deadline": "2027-03-01",
                    "early_bird_price": 80,
                    "early_bird_until": "2027-01-31",
                }
            ],
        },
    )
    organiser.make("/categories", {"title": "Plants", "event_keys": ["fair-2027"]})
    organiser.make(
        "/submissions/types",
        {"title": "Logo", "event_id": event["id"], "input": "url", "due": "2027-02-01"},
    )
    organiser.make(
        "/tasks",
        {
            "title": "Book the fire brigade",
            "entity_type": "event",
            "entity_id": event["id"],
            "due_date": "2027-03-01",
            "status": "completed",
        },
    )
    return event


def test_every_date_is_moved_by_the_same_number_of_days(organiser, show):
    copy = organiser.post(f"/events/{show['id']}/copy", {"date_from": "2028-03-24"}, status=201)
    new = copy.json["data"]
    assert copy.headers["Location"].endswith(f"/events/{new['id']}") and not new["is_visible"]
    assert (new["date_from"], new["date_to"], new["application_deadline"]) == (
        "2028-03-24",
        "2028-03-27",
        "2028-02-27",
    )
    assert [entry["date"] for entry in new["opening_hours"]] == ["2028-03-24"]
    assert (new["event_key"], new["day_ends_at"]) == ("garden-fair-2028", "04:30")
    assert (new["cost_centre"], new["place_of_supply"]) == ("GF.27_a-1", "event")
    assert new["event_word"] == "market"
    assert (new["venue"], new["address"], new["postal_code"]) == ("Messehaus", "Am Ring 1", "04109")


def test_a_timestamp_keeps_its_local_time_across_a_clock_change(organiser, show):
    organiser.patch(f"/events/{show['id']}", {"date_to": "2027-03-26T18:00:00+01:00"}, status=200)
    new = organiser.post(
        f"/events/{show['id']}/copy", {"date_from": "2027-05-07T09:00:00+02:00"}, status=201
    ).json["data"]
    assert new["date_to"] == "2027-05-07T18:00:00+02:00"


def test_halls_booths_offers_and_categories_are_copied_and_nothing_is_sold(organiser, show):
    old_booth = organiser.get("/booths?event_key=fair-2027&booth_number=A1").json["data"][0]
    contact = organiser.make("/contacts", {"company_name": "Rosen KG"})
    participant = organiser.make(
        "/participants", {"event_id": show["id"], "contact_id": contact["id"]}
    )
    organiser.make(
        "/booth-reservations",
        {"booth_id": old_booth["id"], "event_participant_id": participant["id"]},
    )
    new = organiser.post(
        f"/events/{show['id']}/copy",
        {"event_key": "fair-2028", "date_from": "2028-03-24"},
        status=201,
    ).json["data"]
    (plan,) = organiser.get(f"/plans?event_id={new['id']}&include=objects,booths").json["data"]
    assert plan["plan_name"] == "Hall 1" and plan["objects"][0]["kind"] == "door"
    assert [
        (booth["booth_number"], booth["status"], booth["price"]) for booth in plan["booths"]
    ] == [("A1", "available", 1200), ("A2", "blocked", 1200)]
    (service,) = organiser.get(f"/services?event_id={new['id']}&include=events").json["data"]
    offer = service["events"][-1]
    assert (
        offer["event_key"],
        offer["stock"],
        offer["ordered"],
        offer["order_deadline"],
        offer["early_bird_until"],
    ) == ("fair-2028", 5, 0, "2028-02-28", "2028-01-30")
    assert organiser.get("/categories?event_key=fair-2028").json["meta"]["total"] == 1
    (kind,) = organiser.get("/submissions/types?event_key=fair-2028").json["data"]
    (task,) = organiser.get(f"/tasks?entity_type=event&entity_id={new['id']}").json["data"]
    assert (kind["title"], kind["due"]) == ("Logo", "2028-01-31")
    assert (task["title"], task["due_date"], task["status"]) == (
        "Book the fire brigade",
        "2028-02-28",
        "pending",
    )
    assert organiser.get(f"/participants?event_id={new['id']}").json["meta"]["total"] == 0


def test_only_the_requested_parts_are_copied(organiser, show):
    new = organiser.post(
        f"/events/{show['id']}/copy", {"date_from": "2028-03-24", "with": []}, status=201
    ).json["data"]
    assert new["opening_hours"] == []
    for path in ("plans", "booths", "services", "categories", "submissions/types"):
        assert organiser.get(f"/{path}?event_id={new['id']}").json["meta"]["total"] == 0


def test_a_part_that_is_named_twice_is_copied_once(organiser, show):
    """Plans have unique keys in an event, tasks have none."""
    parts = ["plans", "tasks", "services", "categories", "submission_types", "opening_hours"]
    body = {"date_from": "2028-03-24", "with": [*parts, *parts[:4]]}
    new = organiser.post(f"/events/{show['id']}/copy", body, status=201).json["data"]
    assert len(organiser.data(f"/plans?event_id={new['id']}")) == 1
    assert len(organiser.data(f"/tasks?event_id={new['id']}")) == 1


def test_copying_a_part_requires_its_scope(organiser, person, show):
    refused = person("events").post(
        f"/events/{show['id']}/copy", {"date_from": "2028-03-24", "with": ["plans"]}, status=403
    )
    assert (refused.json["code"], refused.json["scope"]) == ("insufficient_scope", "plans")
    person("events").post(
        f"/events/{show['id']}/copy",
        {"date_from": "2028-03-24", "with": ["opening_hours"]},
        status=201,
    )


def test_a_refused_copy_creates_nothing(organiser, show):
    for body, status, code in (
        ({"date_from": "2028-03-24", "event_key": "fair-2027"}, 409, "duplicate"),
        ({"date_from": "9998-12-31"}, 422, "validation_failed"),
        ({}, 422, "validation_failed"),
        ({"date_from": "2028-03-24", "with": ["magic"]}, 422, "validation_failed"),
    ):
        assert (
            organiser.post(f"/events/{show['id']}/copy", body, status=status).json["code"] == code
        )
    assert (
        organiser.get("/events").json["meta"]["total"] == 1
        and organiser.get("/plans").json["meta"]["total"] == 1
    )


def test_a_copy_can_have_its_own_title_from_which_its_key_is_made(organiser, show):
    body = {"title": "Autumn Market", "date_from": "2028-09-30", "with": []}
    new = organiser.post(f"/events/{show['id']}/copy", body, status=201).json["data"]
    assert (new["title"], new["event_key"]) == ("Autumn Market", "autumn-market-2028")
