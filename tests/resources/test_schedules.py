"""Schedules: slots, assignments and conflicts."""

import pytest


@pytest.fixture
def slot(organiser, event):
    """Return slot("10:00", "11:00", …), which creates a slot on the first day and returns the
    response.
    """

    def make(start, end, status=201, **more):
        body = {
            "event_key": "fair",
            "slot_date": "2027-05-01",
            "start_time": start,
            "end_time": end,
            "title": f"{start} to {end}",
            **more,
        }
        return organiser.post("/schedules", body, status=status).json

    return make


@pytest.fixture
def people(organiser, event):
    """Create three participants. Return their ids."""
    contacts = [organiser.make("/contacts", {"last_name": name}) for name in ("Ada", "Ben", "Cem")]
    return [
        organiser.make(
            "/participants", {"event_key": "fair", "contact_id": contact["id"], "role": "speaker"}
        )["id"]
        for contact in contacts
    ]


def as_(role, *ids):
    return [{"event_participant_id": id, "role": role} for id in ids]


def faults(answer):
    return [
        (entry.get("pointer") or entry.get("parameter"), entry["code"])
        for entry in answer["errors"]
    ]


def test_a_slot_is_in_the_time_zone_of_its_event(slot, organiser):
    made = slot("10:30", "11:15", location="Stage 1")["data"]
    assert (made["starts_at"], made["ends_at"]) == ("2027-05-01T08:30:00Z", "2027-05-01T09:15:00Z")
    assert (
        made["event_key"],
        made["event_title"],
        made["slot_type"],
        made["is_public"],
        made["assignments"],
    ) == ("fair", "Garden Fair", "talk", True, [])
    assert organiser.data(f"/schedules/{made['id']}") == made


def test_the_programme_is_listed_by_time_and_filtered(organiser, slot):
    late = slot("14:00", "15:00", location="Stage  ONE", slot_type="workshop")["data"]["id"]
    early = slot("09:00", "10:00", location="Stage one", is_public=False)["data"]["id"]
    next_day = slot("08:00", "09:00", slot_date="2027-05-02")["data"]["id"]

    def listed(query):
        return [
            entry["id"] for entry in organiser.data(f"/schedules?event_key=fair&order=ASC&{query}")
        ]

    assert listed("") == [early, late, next_day] == listed("event_id=1")
    assert organiser.data("/schedules?event_id=1")[0]["id"] == next_day
    assert listed("date=2027-05-02") == listed("from_date=2027-05-02") == [next_day]
    assert listed("to_date=2027-05-01") == listed("location=stage%20One") == [early, late]
    assert listed("slot_type=Workshop") == [late] and listed("is_public=0") == [early]
    assert organiser.data("/schedules?event_key=nowhere") == []


def test_a_list_without_its_event_is_refused(organiser, event):
    assert faults(organiser.get("/schedules", status=422).json) == [("event_key", "any_of")]
    assert faults(organiser.get("/schedules?nonsense=1", status=422).json) == [
        ("event_key", "any_of"),
        ("nonsense", "unknown"),
    ]


def test_one_location_holds_one_slot_at_a_time(slot):
    first = slot("10:00", "11:00", location="Stage 1")["data"]
    refused = slot("10:59", "12:00", location=" STAGE  1 ", status=409)
    assert refused["code"] == "schedule_conflict"
    assert refused["conflict"] == {
        "reason": "location",
        "event_participant_id": None,
        **{
            name: first[name]
            for name in (
                "id",
                "title",
                "slot_date",
                "start_time",
                "end_time",
                "starts_at",
                "ends_at",
                "location",
            )
        },
    }
    slot("11:00", "12:00", location="Stage 1")
    slot("09:00", "10:00", location="Stage 1")
    slot("10:00", "11:00", location="Stage 2")
    slot("10:00", "11:00")
    slot("10:00", "11:00", location="Stage 1", slot_date="2027-05-02")


def test_slots_of_another_event_do_not_conflict(slot, organiser):
    slot("10:00", "11:00", location="Stage 1")
    organiser.make("/events", {"title": "Boat Show", "event_key": "boats"})
    slot("10:00", "11:00", location="Stage 1", event_key="boats")


@pytest.mark.parametrize(
    "role, other", [("speaker", "speaker"), ("speaker", "host"), ("host", "speaker")]
)
def test_a_speaker_or_host_has_one_slot_at_a_time(slot, people, role, other):
    first = slot("10:00", "11:00", assignments=as_(other, people[0]))["data"]
    refused = slot("10:30", "11:30", assignments=as_(role, *people), status=409)
    assert (
        refused["conflict"]["id"],
        refused["conflict"]["reason"],
        refused["conflict"]["event_participant_id"],
    ) == (first["id"], role, people[0])
    slot("11:00", "12:00", assignments=as_(role, *people))
    slot("10:00", "11:00", assignments=as_(role, people[1]))


def test_two_participations_of_a_contact_count_as_one_person(slot, organiser, people):
    contact = organiser.data(f"/participants/{people[0]}")["contact_id"]
    twice = organiser.make(
        "/participants", {"event_key": "fair", "contact_id": contact, "role": "exhibitor"}
    )["id"]
    slot("10:00", "11:00", assignments=as_("speaker", people[0]))
    assert (
        slot("10:00", "11:00", assignments=as_("host", twice), status=409)["conflict"]["reason"]
        == "host"
    )


def test_attendees_can_have_overlapping_slots(slot, people):
    slot("10:00", "11:00", assignments=as_("speaker", people[0]))
    slot("10:00", "11:00", assignments=as_("attendee", *people))
    slot("10:00", "11:00", assignments=as_("attendee", *people))


def test_slots_overlap_if_one_of_them_allows_it(organiser, slot, people):
    session = slot(
        "09:00", "12:00", location="Stage 1", assignments=as_("host", people[0]), allow_overlap=True
    )["data"]
    talk = slot("10:00", "11:00", location="Stage 1", assignments=as_("speaker", people[0]))["data"]
    refused = organiser.patch(
        f"/schedules/{session['id']}", {"allow_overlap": False}, status=409
    ).json
    assert refused["conflict"]["id"] == talk["id"]
    assert organiser.data(f"/schedules/{session['id']}")["allow_overlap"] is True


def test_moving_a_slot_checks_conflicts_again_and_renaming_does_not(organiser, slot, db):
    slot("10:00", "11:00", location="Stage 1")
    other = slot("11:00", "12:00", location="Stage 1")["data"]
    for body in ({"start_time": "10:30"}, {"start_time": "09:00", "end_time": "10:30"}):
        assert (
            organiser.patch(f"/schedules/{other['id']}", body, status=409).json["code"]
            == "schedule_conflict"
        )
    assert organiser.data(f"/schedules/{other['id']}") == other
    moved = organiser.patch(
        f"/schedules/{other['id']}", {"start_time": "12:00", "end_time": "13:00"}, status=200
    ).json["data"]
    assert moved["starts_at"] == "2027-05-01T10:00:00Z"
    assert (
        organiser.patch(
            f"/schedules/{other['id']}", {"location": "stage 1", "title": "x"}, status=200
        ).json["data"]["title"]
        == "x"
    )


def test_attendees_cannot_exceed_the_capacity(organiser, slot, people):
    refused = slot("10:00", "11:00", capacity=2, assignments=as_("attendee", *people), status=409)
    assert (refused["code"], refused["capacity"], refused["attendees"]) == (
        "capacity_reached",
        2,
        3,
    )
    full = slot(
        "10:00",
        "11:00",
        capacity=2,
        assignments=as_("attendee", *people[:2]) + as_("speaker", people[2]),
    )["data"]
    assert (
        organiser.patch(f"/schedules/{full['id']}", {"capacity": 1}, status=409).json["code"]
        == "capacity_reached"
    )
    assert (
        organiser.patch(
            f"/schedules/{full['id']}", {"assignments": as_("attendee", *people)}, status=409
        ).json["code"]
        == "capacity_reached"
    )
    assert organiser.patch(
        f"/schedules/{full['id']}",
        {"capacity": None, "assignments": as_("attendee", *people)},
        status=200,
    )


def test_assignments_are_replaced_as_a_whole_and_included_on_request(organiser, slot, people):
    made = slot(
        "10:00",
        "11:00",
        assignments=[
            {"participant_id": people[1], "role": "host"},
            {"event_participant_id": people[0], "role": "speaker"},
        ],
    )["data"]
    assert made["assignments"] == as_("host", people[1]) + as_("speaker", people[0])
    address = f"/schedules/{made['id']}"
    assert organiser.patch(address, {"assignments": as_("attendee", people[2])}, status=200).json[
        "data"
    ]["assignments"] == as_("attendee", people[2])
    assert "assignments" not in organiser.data("/schedules?event_key=fair")[0]
    listed = organiser.data("/schedules?event_key=fair&include=assignments")[0]
    assert listed["assignments"][0]["participant"]["last_name"] == "Cem"
    single = organiser.data(f"{address}?include=assignments")
    assert single["assignments"] == listed["assignments"]
    assert organiser.put(address, single, status=200).json["data"]["assignments"] == as_(
        "attendee", people[2]
    )
    assert (
        organiser.patch(address, {"assignments": []}, status=200).json["data"]["assignments"] == []
    )


def test_all_faults_are_reported_together(organiser, slot, people):
    organiser.make("/events", {"title": "Boat Show", "event_key": "boats"})
    boats = organiser.make("/participants", {"event_key": "boats", "contact_id": 1})["id"]
    wrong = [
        {"role": "host"},
        {"event_participant_id": 99, "role": "host"},
        {"event_participant_id": boats, "role": "host"},
        {"event_participant_id": people[0], "participant_id": people[1], "role": "host"},
        *as_("host", people[2], people[2]),
    ]
    assert faults(slot("10:00", "10:00", assignments=wrong, status=422)) == [
        ("/end_time", "same_time"),
        ("/assignments/0/event_participant_id", "required"),
        ("/assignments/1/event_participant_id", "unknown"),
        ("/assignments/2/event_participant_id", "other_event"),
        ("/assignments/3/participant_id", "disagrees"),
        ("/assignments/5", "repeated"),
    ]
    assert faults(slot("10:00", "11:00", event_key="nowhere", status=422)) == [
        ("/event_key", "unknown")
    ]
    assert faults(organiser.post("/schedules", {}, status=422).json) == [
        ("/end_time", "required"),
        ("/event_key", "any_of"),
        ("/slot_date", "required"),
        ("/start_time", "required"),
        ("/title", "required"),
    ]
    for day in ("0001-01-01", "9999-12-31"):
        assert faults(slot("10:00", "11:00", slot_date=day, status=422)) == [
            ("/slot_date", "format")
        ]


def test_a_time_skipped_by_a_clock_change_is_refused(slot):
    assert faults(slot("01:30", "02:30", slot_date="2027-03-28", status=422)) == [
        ("/end_time", "no_such_time")
    ]
    assert (
        slot("01:30", "03:30", slot_date="2027-03-28")["data"]["ends_at"] == "2027-03-28T01:30:00Z"
    )
    twice = slot("01:30", "03:00", slot_date="2027-10-31")["data"]
    assert (twice["starts_at"], twice["ends_at"]) == (
        "2027-10-30T23:30:00Z",
        "2027-10-31T02:00:00Z",
    )


@pytest.mark.parametrize(
    "start, end, ends_at",
    [
        ("22:00", "02:00", "2027-05-02T00:00:00Z"),
        ("22:00", "24:00", "2027-05-01T22:00:00Z"),
        ("22:00", "00:00", "2027-05-01T22:00:00Z"),
        ("00:00", "24:00", "2027-05-01T22:00:00Z"),
        ("09:00", "08:59", "2027-05-02T06:59:00Z"),
    ],
)
def test_a_slot_may_end_after_midnight(slot, organiser, start, end, ends_at):
    made = slot(start, end)["data"]
    assert (made["slot_date"], made["start_time"], made["end_time"]) == ("2027-05-01", start, end)
    assert made["ends_at"] == ends_at
    assert [
        found["id"] for found in organiser.data("/schedules?event_key=fair&date=2027-05-01")
    ] == [made["id"]]
    assert organiser.data("/schedules?event_key=fair&date=2027-05-02") == []
    assert organiser.put(f"/schedules/{made['id']}", made, status=200).json["data"] == made
    entry = organiser.get("/calendar-feed?kinds=slot", status=200).text
    assert f"DTEND:{ends_at.replace('-', '').replace(':', '')}" in entry


@pytest.mark.parametrize(
    "start, end, fault",
    [
        ("10:00", "10:00", "same_time"),
        ("00:00", "00:00", "same_time"),
        ("10:00", "24:01", "pattern"),
        ("10:00", "25:00", "pattern"),
        ("10:00", "1:00", "pattern"),
    ],
)
def test_an_end_that_is_no_time_or_the_start_is_refused(slot, start, end, fault):
    assert faults(slot(start, end, status=422)) == [("/end_time", fault)]
    assert faults(slot("24:00", "01:00", status=422)) == [("/start_time", "format")]


def test_a_night_across_a_clock_change(slot):
    """In Berlin, the night to 28 March 2027 has eleven hours from 20:00 to 08:00, that to 31
    October 2027 thirteen.
    """
    for day, last_day, utc in (
        ("2027-03-27", "2027-03-28", "06:00"),
        ("2027-10-30", "2027-10-31", "07:00"),
    ):
        assert slot("20:00", "08:00", slot_date=day)["data"]["ends_at"] == f"{last_day}T{utc}:00Z"
    refused = slot("20:00", "02:30", slot_date="2027-03-27", status=422)
    assert faults(refused) == [("/end_time", "no_such_time")]
    assert refused["errors"][0]["detail"].startswith("does not exist on 2027-03-28")
    first = slot("20:00", "02:30", slot_date="2027-10-30")["data"]
    assert first["ends_at"] == "2027-10-31T00:30:00Z", "the first of the two"


def test_a_slot_after_midnight_conflicts_with_the_night_before(organiser, slot, people):
    night = slot("22:00", "02:00", location="Stage 1", assignments=as_("speaker", people[0]))[
        "data"
    ]
    free = {"location": "Stage 1", "slot_date": "2027-05-02"}
    refused = slot("01:00", "03:00", **free, status=409)
    assert (refused["code"], refused["conflict"]["id"]) == ("schedule_conflict", night["id"])
    assert "on 2027-05-01 from 22:00 to 02:00 the next day, by" in refused["detail"]
    busy = slot(
        "01:30", "01:45", slot_date="2027-05-02", assignments=as_("host", people[0]), status=409
    )
    assert busy["conflict"]["id"] == night["id"]
    slot("00:30", "01:00", **free, allow_overlap=True)
    slot("02:00", "03:00", **free)
    day = slot("12:00", "13:00", location="Stage 1")["data"]
    moved = organiser.patch(
        f"/schedules/{day['id']}", {"start_time": "23:00", "end_time": "24:00"}, status=409
    ).json
    assert moved["conflict"]["id"] == night["id"]
    organiser.patch(f"/schedules/{night['id']}", {"end_time": "24:00"}, status=200)
    slot("00:00", "00:30", **free)


def test_a_night_keeps_its_local_time_in_another_zone(organiser, slot, event):
    made = slot("22:00", "24:00")["data"]
    organiser.patch(f"/events/{event['id']}", {"timezone": "America/New_York"}, status=200)
    moved = organiser.data(f"/schedules/{made['id']}")
    assert (moved["end_time"], moved["starts_at"], moved["ends_at"]) == (
        "24:00",
        "2027-05-02T02:00:00Z",
        "2027-05-02T04:00:00Z",
    )


def test_slots_follow_the_time_zone_of_their_event(organiser, slot, event, db):
    made = slot("10:00", "11:00")["data"]
    organiser.patch(f"/events/{event['id']}", {"timezone": "America/New_York"}, status=200)
    moved = organiser.data(f"/schedules/{made['id']}")
    assert (moved["start_time"], moved["starts_at"], moved["ends_at"]) == (
        "10:00",
        "2027-05-01T14:00:00Z",
        "2027-05-01T15:00:00Z",
    )
    assert db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'schedule' ORDER BY id"
    ).fetchall() == [("created",), ("updated",)]


def test_a_time_zone_without_the_time_of_a_slot_is_refused(organiser, slot, event):
    organiser.patch(f"/events/{event['id']}", {"timezone": "UTC"}, status=200)
    slot("02:30", "04:00", slot_date="2027-03-28")
    assert faults(
        organiser.patch(f"/events/{event['id']}", {"timezone": "Europe/Berlin"}, status=422).json
    ) == [("/timezone", "no_such_time")]
    assert organiser.data(f"/events/{event['id']}")["timezone"] == "UTC"


def test_a_cancelled_participant_is_unassigned_and_cannot_be_assigned(organiser, slot, people):
    made = slot("10:00", "11:00", assignments=as_("speaker", *people))["data"]
    organiser.post(f"/participants/{people[1]}/cancel", status=200)
    assert organiser.data(f"/schedules/{made['id']}")["assignments"] == as_(
        "speaker", people[0], people[2]
    )
    assert (
        slot("12:00", "13:00", assignments=as_("attendee", people[1]), status=409)["code"]
        == "participant_cancelled"
    )


def test_an_assigned_participant_cannot_be_deleted(organiser, slot, people):
    made = slot("10:00", "11:00", assignments=as_("speaker", people[0]))["data"]
    assert organiser.delete(f"/participants/{people[0]}", status=409).json["used_by"] == [
        "schedule slots"
    ]
    organiser.delete(f"/schedules/{made['id']}", status=204)
    organiser.delete(f"/participants/{people[0]}", status=204)


def test_deleting_an_event_deletes_its_slots(organiser, slot, event, db):
    made = slot("10:00", "11:00")["data"]
    organiser.delete(f"/events/{event['id']}", status=204)
    organiser.get(f"/schedules/{made['id']}", status=404)
    assert ("deleted", "schedule") in db.connection.execute(
        "SELECT action, entity_type FROM audit_log"
    ).fetchall()


def test_a_merge_moves_assignments_without_duplicates(organiser, slot, people):
    first, second = (organiser.data(f"/participants/{id}")["contact_id"] for id in people[:2])
    both = slot("10:00", "11:00", assignments=as_("attendee", *people[:2]))["data"]
    one = slot("12:00", "13:00", assignments=as_("speaker", people[1]))["data"]
    organiser.post(f"/contacts/{first}/merge", {"duplicate_id": second}, status=200)
    assert organiser.data(f"/schedules/{both['id']}")["assignments"] == as_("attendee", people[0])
    assert organiser.data(f"/schedules/{one['id']}")["assignments"] == as_("speaker", people[0])
    exported = organiser.data(f"/contacts/{first}/export")["schedule_assignments"]
    assert [(entry["schedule_id"], entry["role"]) for entry in exported] == [
        (both["id"], "attendee"),
        (one["id"], "speaker"),
    ]


def test_a_slot_moves_to_another_event_with_people_of_that_event_only(organiser, slot, people):
    organiser.make("/events", {"title": "Boat Show", "event_key": "boats", "timezone": "UTC"})
    made = slot("10:00", "11:00", assignments=as_("host", people[0]))["data"]
    address = f"/schedules/{made['id']}"
    assert faults(organiser.patch(address, {"event_key": "boats"}, status=422).json) == [
        ("/assignments/0/event_participant_id", "other_event")
    ]
    moved = organiser.patch(address, {"event_key": "boats", "assignments": []}, status=200).json[
        "data"
    ]
    assert (moved["event_key"], moved["event_title"], moved["starts_at"]) == (
        "boats",
        "Boat Show",
        "2027-05-01T10:00:00Z",
    )
