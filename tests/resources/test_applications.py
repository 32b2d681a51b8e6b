"""Applications and their approval."""

import threading

import pytest

from eventapi import times
from eventapi.storage.statements import statements

ADA = {"email": "ada@rosen.example", "company_name": "Rosen KG"}


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"title": "Garden Fair", "event_key": "garden"})


@pytest.fixture
def boats(organiser):
    return organiser.make("/events", {"title": "Boat Show", "event_key": "boats"})


@pytest.fixture
def categories(organiser):
    return [
        organiser.make("/categories", {"title": key.title(), "category_key": key})
        for key in ("gold", "silver")
    ]


@pytest.fixture
def application(organiser, fair):
    return organiser.make("/applications", {**ADA, "event_keys": ["garden"]})


@pytest.fixture
def reviewed(organiser, application):
    return organiser.post(f"/applications/{application['id']}/review", status=200).json["data"]


def event_names(db, entity_type):
    return [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = ? ORDER BY id", (entity_type,)
        )
    ]


def test_an_application_is_made_read_changed_and_deleted(organiser, fair, boats, categories, db):
    body = {
        **ADA,
        "event_keys": ["boats", "garden"],
        "category_keys": ["gold"],
        "state": "Holstein",
        "notes": "knows us",
        "requested_area": 24.1,
        "terms_accepted_at": "2027-01-10T13:00:00+01:00",
    }
    application = organiser.make("/applications", body)
    assert application == {
        **application,
        **body,
        "event_keys": ["garden", "boats"],
        "terms_accepted_at": "2027-01-10T12:00:00Z",
    }
    assert (application["status"], application["rating"], application["country"]) == (
        "new",
        3,
        "DE",
    )
    address = f"/applications/{application['id']}"
    assert organiser.data(address) == application
    changed = organiser.patch(
        address, {"event_keys": ["boats"], "category_keys": ["silver"], "rating": 5}, status=200
    ).json["data"]
    assert (changed["event_keys"], changed["category_keys"], changed["rating"]) == (
        ["boats"],
        ["silver"],
        5,
    )
    assert changed["requested_area"] == 24.1
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert event_names(db, "application") == [
        "application.created",
        "application.updated",
        "application.deleted",
    ]


def test_an_application_that_was_read_can_be_sent_back(organiser, reviewed, db):
    address = f"/applications/{reviewed['id']}"
    assert organiser.put(address, reviewed, status=200).json["data"] == reviewed
    assert event_names(db, "application") == ["application.created", "application.reviewed"]


def test_missing_and_wrong_fields_are_reported_together(organiser, fair, application):
    answer = organiser.post(
        "/applications", {"requested_area": 0, "rating": 6, "event_keys": []}, status=422
    )
    assert [entry["pointer"] for entry in answer.json["errors"]] == [
        "",
        "/event_keys",
        "/rating",
        "/requested_area",
    ]
    answer = organiser.post(
        "/applications",
        {**ADA, "event_keys": ["garden", "no"], "category_keys": ["no"], "requested_area": 1.2345},
        status=422,
    )
    assert [entry["pointer"] for entry in answer.json["errors"]] == [
        "/requested_area",
        "/event_keys/1",
        "/category_keys/0",
    ]
    organiser.post("/applications", ADA, status=422)
    organiser.patch(
        f"/applications/{application['id']}", {"email": None, "company_name": ""}, status=422
    )


# all of that day in Berlin
@pytest.mark.parametrize(
    "deadline, last, after",
    [
        ("2027-05-01T12:00:00Z", "2027-05-01T12:00:00Z", "2027-05-01T12:00:01Z"),
        ("2027-05-01", "2027-05-01T21:59:59Z", "2027-05-01T22:00:00Z"),
    ],
)
def test_the_deadline_itself_is_in_time(organiser, monkeypatch, deadline, last, after):
    organiser.make(
        "/events",
        {
            "title": "Roses",
            "event_key": "roses",
            "timezone": "Europe/Berlin",
            "application_deadline": deadline,
        },
    )
    monkeypatch.setattr(times, "now", lambda: last)
    organiser.make("/applications", {**ADA, "event_keys": ["roses"]})
    monkeypatch.setattr(times, "now", lambda: after)
    late = {**ADA, "email": "late@rosen.example", "event_keys": ["roses"]}
    assert organiser.post("/applications", late, status=409).json["code"] == "deadline_passed"


def test_a_participant_keeps_its_first_application_and_category(organiser, fair, categories):
    ids = []
    for key in ("gold", "silver"):
        application = organiser.make(
            "/applications", {**ADA, "event_keys": ["garden"], "category_keys": [key]}
        )
        organiser.post(f"/applications/{application['id']}/review", status=200)
        organiser.post(f"/applications/{application['id']}/approve", status=200)
        ids.append(application["id"])
    (participant,) = organiser.data("/participants")
    assert (participant["application_id"], participant["category_key"]) == (ids[0], "gold")


def test_only_applications_marked_late_are_accepted_after_the_deadline(organiser, boats):
    organiser.make(
        "/events", {"title": "Over", "event_key": "over", "application_deadline": "2020-01-01"}
    )
    answer = organiser.post(
        "/applications", {**ADA, "event_keys": ["boats", "over"]}, status=409
    ).json
    assert (answer["code"], answer["event_keys"]) == ("deadline_passed", ["over"])
    application = organiser.make("/applications", {**ADA, "event_keys": ["boats"]})
    address = f"/applications/{application['id']}"
    organiser.patch(address, {"event_keys": ["boats", "over"]}, status=409)
    organiser.patch(address, {"event_keys": ["boats", "over"], "late": True}, status=200)
    organiser.patch(address, {"late": False, "event_keys": ["over"]}, status=200)
    organiser.make(
        "/applications", {"email": "eve@rosen.example", "event_keys": ["over"], "late": True}
    )


def test_a_second_open_application_is_a_duplicate(organiser, application, boats):
    answer = organiser.post(
        "/applications",
        {"email": "ADA@rosen.example", "event_keys": ["boats", "garden"]},
        status=409,
    ).json
    assert (answer["code"], answer["application_id"]) == ("duplicate", application["id"])
    other = organiser.make("/applications", {**ADA, "event_keys": ["boats"]})
    organiser.patch(f"/applications/{other['id']}", {"event_keys": ["garden"]}, status=409)
    organiser.post(f"/applications/{application['id']}/withdraw", status=200)
    organiser.patch(f"/applications/{other['id']}", {"event_keys": ["garden"]}, status=200)
    organiser.make("/applications", {"company_name": "Rosen KG", "event_keys": ["garden"]})
    organiser.make("/applications", {"company_name": "Rosen KG", "event_keys": ["garden"]})


def test_a_withdrawn_application_may_be_edited_beside_a_new_one(organiser, application):
    organiser.post(f"/applications/{application['id']}/withdraw", status=200)
    organiser.make("/applications", {**ADA, "event_keys": ["garden"]})
    organiser.patch(f"/applications/{application['id']}", {"notes": "came back"}, status=200)


# Reviews


def test_each_action_moves_the_application_to_its_state(organiser, application, db):
    address = f"/applications/{application['id']}"
    assert organiser.data(f"{address}?include=allowed_actions")["allowed_actions"] == [
        "review",
        "approve",
        "reject",
        "waitlist",
        "withdraw",
    ]
    refused = organiser.post(f"{address}/request-info", {"question": "How high?"}, status=409).json
    assert refused["code"] == "invalid_transition" and refused["allowed_from"] == ["in_review"]
    organiser.post(f"{address}/review", status=200)
    asked = organiser.post(f"{address}/request-info", {"question": "How high?"}, status=200).json[
        "data"
    ]
    assert (asked["status"], asked["question"]) == ("info_requested", "How high?")
    for action in ("reject", "approve", "waitlist"):
        refused = organiser.post(
            f"{address}/{action}", {"reason": "full"} if action == "reject" else {}, status=409
        )
        assert (
            refused.json["allowed_from"]
            == ["new", "in_review", "waitlisted"][: 3 - (action == "waitlist")]
        )
    organiser.post(f"{address}/review", status=200)
    organiser.post(f"{address}/waitlist", status=200)
    rejected = organiser.post(f"{address}/reject", {"reason": "full"}, status=200).json["data"]
    assert (rejected["status"], rejected["decision_reason"]) == ("rejected", "full")
    assert rejected["decided_at"] and rejected["decided_by"]
    assert (
        organiser.post(f"{address}/reject", {"reason": "other"}, status=200).json["data"]
        == rejected
    )
    organiser.post(f"{address}/withdraw", status=409)
    assert event_names(db, "application") == [
        "application.created",
        "application.reviewed",
        "application.info_requested",
        "application.reviewed",
        "application.waitlisted",
        "application.rejected",
    ]


def test_rejecting_requires_a_reason_and_request_info_a_question(organiser, reviewed):
    address = f"/applications/{reviewed['id']}"
    assert (
        organiser.post(f"{address}/reject", {}, status=422).json["errors"][0]["pointer"]
        == "/reason"
    )
    assert (
        organiser.post(f"{address}/request-info", {"question": " "}, status=422).json["errors"][0][
            "pointer"
        ]
        == "/question"
    )


def test_approval_creates_a_contact_with_categories_and_participants(
    organiser, fair, boats, categories, db
):
    application = organiser.make(
        "/applications",
        {**ADA, "event_keys": ["garden", "boats"], "category_keys": ["gold"], "city": "Uetersen"},
    )
    organiser.post(f"/applications/{application['id']}/review", status=200)
    approved = organiser.post(f"/applications/{application['id']}/approve", status=200).json["data"]
    assert approved["status"] == "approved" and approved["decided_at"] and approved["decided_by"]
    contact = organiser.data(f"/contacts/{approved['contact_id']}?include=categories")
    assert (contact["company_name"], contact["email"], contact["city"]) == (
        "Rosen KG",
        ADA["email"],
        "Uetersen",
    )
    assert contact["customer_number"] == approved["customer_number"]
    assert [category["category_key"] for category in contact["categories"]] == ["gold"]
    participants = organiser.data(f"/participants?contact_id={contact['id']}&sort=id&order=asc")
    assert [participant["event_key"] for participant in participants] == ["garden", "boats"]
    assert all(
        (
            participant["role"],
            participant["status"],
            participant["category_key"],
            participant["application_id"],
        )
        == ("exhibitor", "registered", "gold", application["id"])
        for participant in participants
    )
    assert event_names(db, "application")[-1] == "application.approved"
    assert event_names(db, "event_participant") == ["participant.added"] * 2 and event_names(
        db, "contact"
    ) == ["contact.created"]


def test_a_new_application_is_approved_with_a_category_and_confirmed(
    organiser, application, categories, db
):
    """In one request.

    The categories replace those of the application, and both actions emit their events.
    """
    organiser.patch(f"/applications/{application['id']}", {"category_keys": ["gold"]}, status=200)
    address = f"/applications/{application['id']}/approve"
    answer = organiser.post(address, {"category_keys": ["no"]}, status=422).json
    assert answer["errors"][0]["pointer"] == "/category_keys/0"
    answer = organiser.post(
        address, {"category_keys": ["silver"], "confirm": True}, status=200
    ).json
    assert (answer["data"]["status"], answer["data"]["category_keys"]) == ("approved", ["silver"])
    assert answer["meta"]["warnings"] == []
    [participant] = organiser.data("/participants")
    assert (participant["category_key"], participant["status"]) == ("silver", "confirmed")
    assert event_names(db, "event_participant") == ["participant.added", "participant.confirmed"]
    for same in ({"category_keys": ["silver"], "confirm": True}, {}, {"event_keys": ["garden"]}):
        again = organiser.post(address, same, status=200).json
        assert again["data"] == answer["data"] and again["meta"]["warnings"] == []


def test_an_approved_application_is_not_approved_in_another_way_without_a_word(
    organiser, fair, boats, categories
):
    application = organiser.make("/applications", {**ADA, "event_keys": ["garden", "boats"]})
    other = organiser.make("/contacts", {"last_name": "Other"})
    address = f"/applications/{application['id']}/approve"
    organiser.post(address, {"category_keys": ["silver"], "event_keys": ["garden"]}, status=200)
    before = organiser.data("/participants")
    for body in (
        {"category_keys": ["gold"]},
        {"category_keys": []},
        {"confirm": True},
        {"contact_id": other["id"]},
        {"event_keys": ["boats"]},
    ):
        problem = organiser.post(address, body, status=409).json
        assert problem["code"] == "invalid_transition" and problem["state"] == "approved"
        assert (
            f"approved already, and `{next(iter(body))}` would change nothing" in problem["detail"]
        )
    assert organiser.data("/participants") == before


@pytest.mark.parametrize(
    "action, body, status",
    [
        ("approve", {}, "approved"),
        ("reject", {"reason": "full"}, "rejected"),
        ("waitlist", {}, "waitlisted"),
    ],
)
def test_a_new_application_is_decided_without_review(organiser, application, action, body, status):
    decided = organiser.post(f"/applications/{application['id']}/{action}", body, status=200).json[
        "data"
    ]
    assert decided["status"] == status


def test_approval_warns_of_participants_without_a_fee(organiser, fair, boats):
    """Only at events whose categories have prices, and only if the participant has no category."""
    organiser.make(
        "/categories",
        {"title": "Gold", "category_key": "gold", "base_price": 250, "event_keys": ["boats"]},
    )
    organiser.make(
        "/categories", {"title": "Free", "category_key": "free", "event_keys": ["garden"]}
    )
    application = organiser.make("/applications", {**ADA, "event_keys": ["garden", "boats"]})
    answer = organiser.post(
        f"/applications/{application['id']}/approve", {"confirm": True}, status=200
    ).json
    (unpaid,) = organiser.data("/participants?event_key=boats")
    assert [
        (warning["code"], warning["event_participant_id"]) for warning in answer["meta"]["warnings"]
    ] == [("no_category", unpaid["id"])]
    assert unpaid["status"] == "confirmed"
    other = organiser.make("/applications", {"email": "eve@rosen.example", "event_keys": ["boats"]})
    answer = organiser.post(
        f"/applications/{other['id']}/approve", {"category_keys": ["gold"]}, status=200
    ).json
    assert answer["meta"]["warnings"] == []


def test_approval_links_the_contact_with_the_same_email(organiser, reviewed, categories):
    contact = organiser.make(
        "/contacts", {"email": "Ada@Rosen.example", "category_keys": ["silver"]}
    )
    organiser.patch(f"/applications/{reviewed['id']}", {"category_keys": ["gold"]}, status=200)
    approved = organiser.post(f"/applications/{reviewed['id']}/approve", status=200).json["data"]
    assert approved["contact_id"] == contact["id"]
    kept = organiser.data(f"/contacts/{contact['id']}?include=categories")["categories"]
    assert sorted(category["category_key"] for category in kept) == ["gold", "silver"]


def test_an_ambiguous_email_is_refused_until_the_body_names_the_contact(organiser, reviewed):
    candidates = [organiser.make("/contacts", {"email": ADA["email"]})["id"] for _ in range(2)]
    address = f"/applications/{reviewed['id']}/approve"
    answer = organiser.post(address, status=409).json
    assert (answer["code"], answer["candidates"]) == ("ambiguous_contact", candidates)
    assert organiser.data(f"/applications/{reviewed['id']}")["status"] == "in_review"
    assert (
        organiser.post(address, {"contact_id": 999}, status=422).json["errors"][0]["pointer"]
        == "/contact_id"
    )
    assert (
        organiser.post(address, {"contact_id": candidates[1]}, status=200).json["data"][
            "contact_id"
        ]
        == candidates[1]
    )


def test_an_applicant_without_email_becomes_a_new_contact(organiser, fair):
    organiser.make("/contacts", {"company_name": "Rosen KG"})
    application = organiser.make(
        "/applications", {"company_name": "Rosen KG", "event_keys": ["garden"]}
    )
    organiser.post(f"/applications/{application['id']}/review", status=200)
    organiser.post(f"/applications/{application['id']}/approve", status=200)
    assert organiser.get("/contacts", status=200).json["meta"]["total"] == 2


def test_an_application_of_an_anonymised_contact_cannot_be_approved(organiser, reviewed):
    contact = organiser.make("/contacts", {"email": ADA["email"]})
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    answer = organiser.post(f"/applications/{reviewed['id']}/approve", status=409)
    assert answer.json["code"] == "anonymized"
    assert len(organiser.data("/contacts")) == 1 and organiser.data("/participants") == []


def test_an_approval_can_be_limited_to_some_events(organiser, fair, boats):
    application = organiser.make("/applications", {**ADA, "event_keys": ["garden", "boats"]})
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    address = f"/applications/{application['id']}"
    organiser.post(f"{address}/review", status=200)
    answer = organiser.post(
        f"{address}/approve", {"event_keys": ["garden", "other", "no"]}, status=422
    )
    assert [entry["pointer"] for entry in answer.json["errors"]] == [
        "/event_keys/1",
        "/event_keys/2",
    ]
    organiser.post(f"{address}/approve", {"event_keys": ["boats"]}, status=200)
    assert [participant["event_key"] for participant in organiser.data("/participants")] == [
        "boats"
    ]


def test_approval_reuses_an_existing_participation(organiser, reviewed, fair, db):
    contact = organiser.make("/contacts", {"email": ADA["email"]})
    known = organiser.make("/participants", {"event_key": "garden", "contact_id": contact["id"]})
    organiser.post(f"/participants/{known['id']}/cancel", status=200)
    organiser.post(f"/applications/{reviewed['id']}/approve", status=200)
    (again,) = organiser.data("/participants")
    assert (again["id"], again["status"], again["application_id"]) == (
        known["id"],
        "registered",
        reviewed["id"],
    )
    assert event_names(db, "event_participant") == [
        "participant.added",
        "participant.removed",
        "participant.updated",
        "participant.added",
    ]


def test_an_approved_application_cannot_be_deleted(organiser, reviewed, db):
    note = organiser.make(
        "/notes", {"entity_type": "application", "entity_id": reviewed["id"], "note_text": "x"}
    )
    address = f"/applications/{reviewed['id']}"
    organiser.post(f"{address}/approve", status=200)
    problem = organiser.delete(address, status=409).json
    assert (problem["code"], problem["used_by"]) == ("in_use", ["contacts", "participants"])
    [participant] = organiser.data("/participants")
    organiser.delete(f"/participants/{participant['id']}", status=204)
    assert organiser.delete(address, status=409).json["used_by"] == ["contacts"]
    organiser.get(f"/notes/{note['id']}", status=200)


def test_an_application_that_was_not_approved_is_deleted_with_its_notes(organiser, reviewed):
    note = organiser.make(
        "/notes", {"entity_type": "application", "entity_id": reviewed["id"], "note_text": "x"}
    )
    organiser.post(f"/applications/{reviewed['id']}/reject", {"reason": "full"}, status=200)
    organiser.delete(f"/applications/{reviewed['id']}", status=204)
    organiser.get(f"/notes/{note['id']}", status=404)


# Custom fields of an approved application


@pytest.fixture
def define(organiser):
    """Return define("contact", "vat", "text", …), which creates a custom field."""

    def make(entity_type, key, field_type="text", **more):
        return organiser.make(
            "/custom-fields",
            {
                "entity_type": entity_type,
                "field_key": key,
                "field_label": key,
                "field_type": field_type,
                **more,
            },
        )

    return make


def approved(organiser, custom_fields, event_keys=("garden",)):
    """Create and approve an application with these custom fields. Return the response."""
    application = organiser.make(
        "/applications", {**ADA, "event_keys": list(event_keys), "custom_fields": custom_fields}
    )
    organiser.post(f"/applications/{application['id']}/review", status=200)
    return organiser.post(f"/applications/{application['id']}/approve", status=200).json


def values(organiser, path):
    return organiser.data(f"{path}?include=custom_fields")["custom_fields"]


def test_approval_carries_custom_fields_over(organiser, fair, boats, define, db):
    for kind in ("application", "contact", "event_participant"):
        define(kind, "motto")
    for kind in ("application", "event_participant"):
        define(kind, "power", "integer")
    define("application", "note")
    # a required field that the application lacks is no obstacle
    define("contact", "vat", is_required=True)
    answer = approved(organiser, {"motto": "Roses", "power": 16, "note": "x"}, ["garden", "boats"])
    assert answer["meta"]["skipped"] == []
    contact = f"/contacts/{answer['data']['contact_id']}"
    assert values(organiser, contact) == {"motto": "Roses"}
    participants = organiser.data("/participants")
    assert [
        values(organiser, f"/participants/{participant['id']}") for participant in participants
    ] == [{"motto": "Roses", "power": 16}] * 2
    assert event_names(db, "contact") == ["contact.created"]
    assert event_names(db, "event_participant") == ["participant.added"] * 2
    again = organiser.post(f"/applications/{answer['data']['id']}/approve", status=200).json
    assert again["meta"]["skipped"] == [], "always present"


def test_approval_keeps_the_values_of_the_contact_and_the_participant(organiser, fair, define, db):
    for kind in ("application", "contact", "event_participant"):
        define(kind, "motto")
        define(kind, "size", "integer")
    contact = organiser.make(
        "/contacts", {"email": ADA["email"], "custom_fields": {"motto": "Tulips"}}
    )
    participant = organiser.make(
        "/participants",
        {"event_key": "garden", "contact_id": contact["id"], "custom_fields": {"size": 0}},
    )
    answer = approved(organiser, {"motto": "Roses", "size": 9})
    assert answer["meta"]["skipped"] == []
    assert values(organiser, f"/contacts/{contact['id']}") == {"motto": "Tulips", "size": 9}
    assert values(organiser, f"/participants/{participant['id']}") == {"motto": "Roses", "size": 0}
    assert event_names(db, "contact") == ["contact.created", "contact.updated"]


def test_approval_leaves_invalid_values_out_and_names_them(organiser, fair, define):
    for kind, options in (
        ("application", ["small", "large"]),
        ("contact", ["large"]),
        ("event_participant", ["small", "large"]),
    ):
        define(kind, "stand", "select", field_options=options)
    define("application", "power")
    define("contact", "power", "integer")
    old = define("event_participant", "power")
    organiser.patch(f"/custom-fields/{old['id']}", {"is_active": False}, status=200)
    answer = approved(organiser, {"stand": "small", "power": "plenty"})
    [participant] = organiser.data("/participants")
    contact_id = answer["data"]["contact_id"]
    assert answer["meta"]["skipped"] == [
        {"target": "contact", "id": contact_id, "field_key": "stand", "code": "enum"},
        {"target": "contact", "id": contact_id, "field_key": "power", "code": "type"},
        {
            "target": "event_participant",
            "id": participant["id"],
            "field_key": "power",
            "code": "inactive",
        },
    ]
    assert values(organiser, f"/contacts/{contact_id}") == {}
    assert values(organiser, f"/participants/{participant['id']}") == {"stand": "small"}


def test_concurrent_approvals_create_one_contact_and_one_participant(organiser, fair):
    for round in range(8):
        application = organiser.make(
            "/applications", {"email": f"ada{round}@rosen.example", "event_keys": ["garden"]}
        )
        organiser.post(f"/applications/{application['id']}/review", status=200)
        start, answers = threading.Barrier(3), []

        def approve(
            start=start, answers=answers, address=f"/applications/{application['id']}/approve"
        ):
            start.wait()
            answers.append(organiser.post(address))

        threads = [threading.Thread(target=approve) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [answer.status_int for answer in answers] == [200] * 3
        assert len({answer.json["data"]["contact_id"] for answer in answers}) == 1
    assert organiser.get("/contacts", status=200).json["meta"]["total"] == 8
    assert organiser.get("/participants", status=200).json["meta"]["total"] == 8


# Lists


def test_the_list_is_searched_filtered_and_sorted(organiser, application, boats, categories):
    other = organiser.make(
        "/applications",
        {
            "company_name": "Épéé Yachts",
            "last_name": "Zorn",
            "event_keys": ["boats"],
            "rating": 1,
            "category_keys": ["gold"],
        },
    )
    organiser.post(f"/applications/{other['id']}/review", status=200)
    for query in (
        "search=epee",
        "search=%C3%89PE+yacht",
        "event_key=boats",
        f"event_id={boats['id']}",
        "category_key=gold",
        "status=in_review",
        "event_key=boats&category_key=gold&status=in_review&search=zorn",
    ):
        assert [found["id"] for found in organiser.data(f"/applications?{query}")] == [
            other["id"]
        ], query
    assert organiser.data("/applications?event_key=no") == []
    for sort in ("company_name", "last_name", "email", "city", "rating", "created_at", "id"):
        assert len(organiser.data(f"/applications?sort={sort}")) == 2
    assert [found["id"] for found in organiser.data("/applications?sort=rating&order=asc")] == [
        other["id"],
        application["id"],
    ]
    organiser.patch(f"/applications/{other['id']}", {"company_name": "Boote AG"}, status=200)
    assert organiser.data("/applications?search=epee") == []


def test_events_and_categories_are_included_on_request(organiser, application, categories):
    plain = organiser.data("/applications")[0]
    assert not {"event_keys", "events", "category_keys", "categories"} & plain.keys()
    rich = organiser.data("/applications?include=events,categories")[0]
    assert (
        rich["event_keys"] == ["garden"]
        and rich["events"][0]["title"] == "Garden Fair"
        and rich["categories"] == []
    )
    assert (
        organiser.data(f"/applications/{application['id']}?include=events")["events"]
        == rich["events"]
    )
    table = organiser.get(
        "/applications?include=events", headers={"Accept": "text/csv"}, status=200
    ).text
    assert "events.event_key" in table and "garden" in table


def test_a_key_without_the_scope_is_refused(person, application):
    reader = person("applications:read")
    reader.get(f"/applications/{application['id']}", status=200)
    reader.post(f"/applications/{application['id']}/review", status=403)


@pytest.mark.parametrize("sort", ["id", "company_name", "last_name", "email", "city", "rating"])
def test_a_sorted_list_uses_an_index(db, sort):
    text = statements("applications").list.ids(frozenset(), sort, "DESC")
    plan = [
        row[3]
        for row in db.connection.execute("EXPLAIN QUERY PLAN " + text, {"limit": 1, "offset": 0})
    ]
    assert not any("TEMP B-TREE" in step for step in plan), plan


def test_the_cost_centre_of_an_event_is_not_shown_to_web_pages(organiser):
    soon = times.add_days(times.today("UTC"), 30)
    show = {"title": "Garden Fair", "date_from": soon, "cost_centre": "SHOW-1"}
    event = organiser.make("/events", show)
    (listed,) = organiser.data("/applications/events")
    assert (listed["id"], listed["cost_centre"]) == (event["id"], None)
    assert organiser.data(f"/events/{event['id']}")["cost_centre"] == "SHOW-1"
