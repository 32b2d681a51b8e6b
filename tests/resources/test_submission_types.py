"""Submission types: what an event asks its participants for, with due dates."""

import pytest

from eventapi.domain.submissions import types as submission_types

LOGO = {
    "event_key": "fair",
    "title": "Logo",
    "allowed_extensions": ["SVG", "png", "svg"],
    "max_size_mb": 5,
    "due": {"before": "date_from", "days": 30},
}


@pytest.fixture
def fair(organiser):
    return organiser.make(
        "/events",
        {"event_key": "fair", "title": "Fair", "date_from": "2099-05-01", "date_to": "2099-05-03"},
    )


@pytest.fixture
def profile(organiser, fair):
    return organiser.make(
        "/submissions/types",
        {"event_key": "fair", "title": "Profile", "input": "textarea", "due": "2099-03-01"},
    )


def exhibitor(organiser, event_key="fair"):
    contact = organiser.make("/contacts", {"company_name": "Roses"})
    return organiser.make("/participants", {"event_key": event_key, "contact_id": contact["id"]})


def faults(answer):
    return [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]]


def test_a_type_is_created_read_changed_and_deleted(organiser, fair):
    kind = organiser.make("/submissions/types", LOGO)
    assert (
        kind["key"] == "logo"
        and kind["allowed_extensions"] == ["svg", "png"]
        and kind["event_key"] == "fair"
    )
    assert kind["due"] == LOGO["due"] and kind["due_at"] == "2099-04-01T21:59:59Z"
    assert kind["roles"] == ["exhibitor", "co_exhibitor"] and kind["input"] == "file"
    assert kind["needs_approval"] is kind["is_required"] is kind["is_active"] is True
    address = f"/submissions/types/{kind['id']}"
    assert organiser.data(address) == kind
    changed = organiser.patch(
        address, {"due": "2099-03-31T12:00:00+02:00", "is_required": False}, status=200
    ).json["data"]
    assert (
        changed["due"] == "2099-03-31T12:00:00+02:00"
        and changed["due_at"] == "2099-03-31T10:00:00Z"
    )
    assert organiser.put(address, changed, status=200).json["data"] == changed
    organiser.delete(address, status=204)
    organiser.get(address, status=404)


def test_keys_are_unique_within_an_event(organiser, fair):
    organiser.make("/events", {"event_key": "other", "title": "Other"})
    assert [organiser.make("/submissions/types", LOGO)["key"] for _ in range(2)] == [
        "logo",
        "logo-2",
    ]
    other = organiser.make("/submissions/types", {**LOGO, "event_key": "other", "key": "logo"})
    assert other["due_at"] is None, "the event has no date yet"
    answer = organiser.post("/submissions/types", {**LOGO, "key": "logo"}, status=409)
    assert (answer.json["code"], answer.json["member"]) == ("duplicate", "key")
    organiser.patch(f"/submissions/types/{other['id']}", {"event_key": "fair"}, status=409)


def test_all_faults_are_reported_together(organiser, fair):
    wrong = {
        "event_key": "fair",
        "title": "x",
        "input": "text",
        "allowed_extensions": ["png"],
        "max_size_mb": 26,
    }
    assert faults(organiser.post("/submissions/types", wrong, status=422)) == [
        ("/allowed_extensions", "not_for_input"),
        ("/max_size_mb", "not_for_input"),
        ("/max_size_mb", "maximum"),
    ]
    assert faults(organiser.post("/submissions/types", {"title": "x"}, status=422)) == [
        ("/event_id", "any_of")
    ]
    assert faults(
        organiser.post("/submissions/types", {**LOGO, "event_key": "nowhere"}, status=422)
    ) == [("/event_key", "unknown")]


@pytest.mark.parametrize(
    "due",
    [
        {"before": "date_from"},
        {"days": 3},
        {"before": "date_from", "after": "date_to", "days": 1},
        {},
        "soon",
        3,
        {"before": "created_at", "days": 1},
        {"before": "date_from", "days": -1},
        {"before": "date_from", "days": 1.5},
        {"before": "date_from", "days": 1, "hours": 2},
    ],
)
def test_a_due_date_is_a_date_a_time_or_relative(organiser, fair, due):
    errors = organiser.post("/submissions/types", {**LOGO, "due": due}, status=422).json["errors"]
    assert errors and all(entry["pointer"].startswith("/due") for entry in errors)


def test_due_dates_move_with_the_event(organiser, fair, profile, db):
    kind = organiser.make("/submissions/types", LOGO)
    submission = organiser.make(
        "/submissions",
        {
            "event_participant_id": exhibitor(organiser)["id"],
            "type_key": "profile",
            "value": "Roses",
        },
    )
    relative = organiser.patch(
        f"/submissions/types/{profile['id']}", {"due": {"after": "date_to", "days": 1}}, status=200
    ).json["data"]
    assert (
        organiser.data(f"/submissions/{submission['id']}")["due_at"]
        == relative["due_at"]
        == "2099-05-04T21:59:59Z"
    )
    organiser.patch(
        f"/events/{fair['id']}",
        {"date_from": "2099-06-01", "date_to": "2099-06-03", "timezone": "UTC"},
        status=200,
    )
    assert organiser.data(f"/submissions/types/{kind['id']}")["due_at"] == "2099-05-02T23:59:59Z"
    moved = organiser.data(f"/submissions/{submission['id']}")
    assert (
        moved["due_at"] == "2099-06-04T23:59:59Z"
        and moved["updated_at"] >= submission["updated_at"]
    )
    entries = db.connection.execute(
        "SELECT entity_id, new_values ->> '$.due_at' FROM audit_log WHERE entity_type = 'submission_type' "
        "AND action = 'updated' ORDER BY id"
    ).fetchall()
    assert entries == [
        (profile["id"], "2099-05-04T21:59:59Z"),
        (profile["id"], "2099-06-04T23:59:59Z"),
        (kind["id"], "2099-05-02T23:59:59Z"),
    ]


def test_an_event_that_would_push_a_due_date_out_of_the_calendar_is_refused(organiser, fair):
    kind = organiser.make("/submissions/types", {**LOGO, "due": {"after": "date_to", "days": 3650}})
    answer = organiser.patch(f"/events/{fair['id']}", {"date_to": "9998-05-03"}, status=422)
    assert faults(answer) == [("/date_to", "date")]
    assert organiser.data(f"/submissions/types/{kind['id']}") == kind
    assert organiser.data(f"/events/{fair['id']}")["date_to"] == "2099-05-03"
    answer = organiser.patch(
        f"/submissions/types/{kind['id']}",
        {"due": {"before": "date_from", "days": 3650}},
        status=200,
    )
    assert answer.json["data"]["due_at"] == "2089-05-03T21:59:59Z"


def test_a_type_with_submissions_cannot_change_its_kind(organiser, fair, profile):
    address = f"/submissions/types/{profile['id']}"
    organiser.patch(address, {"input": "text"}, status=200)
    organiser.make(
        "/submissions",
        {
            "event_participant_id": exhibitor(organiser)["id"],
            "type_key": "profile",
            "value": "Roses",
        },
    )
    organiser.make("/events", {"event_key": "other", "title": "Other"})
    for body in ({"input": "url"}, {"event_key": "other"}):
        assert organiser.patch(address, body, status=409).json["code"] == "in_use"
    assert organiser.delete(address, status=409).json["used_by"] == ["submissions"]
    organiser.patch(address, {"title": "Company profile", "is_active": False}, status=200)


def test_deleting_an_event_deletes_its_types(organiser, fair, profile, db):
    organiser.delete(f"/events/{fair['id']}", status=204)
    organiser.get(f"/submissions/types/{profile['id']}", status=404)
    actions = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'submission_type'"
    ).fetchall()
    assert actions == [("created",), ("deleted",)]


def test_a_list_is_filtered_and_sorted(organiser, fair, profile):
    logo = organiser.make("/submissions/types", {**LOGO, "sort_order": -1, "is_active": False})
    assert [kind["id"] for kind in organiser.data("/submissions/types?order=ASC")] == [
        logo["id"],
        profile["id"],
    ]
    for query, found in (
        ("is_active=1", [profile]),
        ("key=logo", [logo]),
        ("event_key=fair&sort=due_at&order=ASC", [profile, logo]),
        ("event_key=nowhere", []),
    ):
        assert organiser.data(f"/submissions/types?{query}") == found, query


def test_copying_an_event_copies_its_types_with_later_due_dates(organiser, fair, profile, db):
    organiser.make("/submissions/types", LOGO)
    later = organiser.make(
        "/events", {"event_key": "later", "title": "Later", "date_from": "2100-04-30"}
    )
    with db.write():
        submission_types.copy_types(db, fair["id"], later["id"], 364)
    copies = organiser.data("/submissions/types?event_key=later&sort=id&order=ASC")
    assert [(kind["key"], kind["due"], kind["due_at"]) for kind in copies] == [
        ("profile", "2100-02-28", "2100-02-28T22:59:59Z"),
        ("logo", LOGO["due"], "2100-03-31T21:59:59Z"),
    ]
