"""Participants."""

import threading

import pytest

from eventapi.domain.entrance import badges
from eventapi.domain.people import participants


@pytest.fixture
def contact(organiser):
    """Return a function that creates a contact and returns its id."""
    return lambda number: organiser.make(
        "/contacts", {"customer_number": number, "company_name": f"{number} GmbH"}
    )["id"]


@pytest.fixture
def category(organiser):
    return organiser.make("/categories", {"title": "Gold", "category_key": "gold"})


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"title": "Garden Fair", "event_key": "garden"})


@pytest.fixture
def participant(organiser, fair, contact):
    contact("C-1")
    return organiser.make("/participants", {"event_key": "garden", "customer_number": "C-1"})


def event_names(db, entity_id):
    return [
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM outgoing_events WHERE entity_type = 'event_participant' AND entity_id = ? ORDER BY id",
            (entity_id,),
        )
    ]


def invoice(db, participant):
    with db.write():
        db.connection.execute(
            "INSERT INTO invoices (invoice_number, contact_id, event_participant_id, currency, created_at, updated_at) "
            "VALUES ('DRAFT-1', ?, ?, 'EUR', ?, ?)",
            (participant["contact_id"], participant["id"], db.now, db.now),
        )


def test_a_participant_is_added_read_changed_and_removed(organiser, fair, contact, category, db):
    id = contact("C-1")
    participant = organiser.make("/participants", {"event_key": "garden", "customer_number": "C-1"})
    assert participant["event_id"] == fair["id"] and participant["contact_id"] == id
    assert (participant["event_key"], participant["customer_number"]) == ("garden", "C-1")
    assert (participant["role"], participant["status"], participant["is_confirmed"]) == (
        "exhibitor",
        "registered",
        False,
    )
    address = f"/participants/{participant['id']}"
    assert organiser.data(address) == participant
    changed = organiser.patch(
        address, {"category_key": "gold", "badge_name": "Ada"}, status=200
    ).json["data"]
    assert (changed["category_key"], changed["badge_name"]) == ("gold", "Ada") and changed[
        "category_id"
    ]
    assert organiser.put(address, changed, status=200).json["data"] == changed
    assert (
        organiser.patch(address, {"category_key": None, "category_id": None}, status=200).json[
            "data"
        ]["category_id"]
        is None
    )
    organiser.delete(address, status=204)
    organiser.get(address, status=404)
    assert event_names(db, participant["id"]) == [
        "participant.added",
        "participant.updated",
        "participant.updated",
        "participant.removed",
    ]


def test_event_and_contact_can_be_given_by_id(organiser, fair, contact):
    participant = organiser.make(
        "/participants", {"event_id": fair["id"], "contact_id": contact("C-1")}
    )
    body = {"event_id": fair["id"], "contact_id": participant["contact_id"], "badge_name": "Ada"}
    assert (
        organiser.put(f"/participants/{participant['id']}", body, status=200).json["data"][
            "badge_name"
        ]
        == "Ada"
    )


NEW = {"company_name": "Ebner Keramik", "last_name": "Ebner", "email": "eva@ebner.example"}


def test_a_participant_and_its_contact_are_created_together(organiser, fair, db):
    made = organiser.make(
        "/participants", {"event_key": "garden", "contact": {**NEW, "tags": ["clay"]}}
    )
    contact = organiser.data(f"/contacts/{made['contact_id']}")
    assert {name: contact[name] for name in NEW} == NEW
    assert (contact["tags"], contact["rating"], contact["customer_number"]) == (
        ["clay"],
        3,
        made["customer_number"],
    )
    assert organiser.data(f"/participants/{made['id']}") == made
    rows = db.connection.execute("SELECT name FROM outgoing_events ORDER BY id")
    assert [name for (name,) in rows][-2:] == ["contact.created", "participant.added"]


def test_a_new_contact_with_a_known_address_is_refused(organiser, fair, person):
    organiser.make("/contacts", {"last_name": "Ebner", "email": "EVA@ebner.example"})
    body = {"event_key": "garden", "contact": NEW}
    refused = organiser.post("/participants", body, status=409).json
    assert (refused["code"], refused["contact_ids"]) == ("duplicate_contact", [1])
    assert len(organiser.data("/contacts")) == 1
    taken = {"event_key": "garden", "contact_id": refused["contact_ids"][0]}
    assert organiser.make("/participants", taken)["contact_id"] == 1


def test_faults_of_a_new_contact_are_below_it(organiser, fair, db):
    def pointers(**fields):
        answer = organiser.post("/participants", {"event_key": "garden", **fields}, status=422)
        return [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]]

    assert pointers() == [("/customer_number", "any_of")]
    assert pointers(contact=None) == [("/customer_number", "any_of")]
    assert pointers(contact={}) == [("/contact", "any_of")]
    assert pointers(contact={"email": "nobody", "surname": "Ebner"}) == [
        ("/contact/email", "format"),
        ("/contact/surname", "unknown"),
    ]
    assert pointers(contact={**NEW, "category_keys": ["none"], "tax_id": "DE1"}) == [
        ("/contact/tax_id", "format"),
        ("/contact/category_keys/0", "unknown"),
    ]
    # of the participant: nothing of the contact is left
    assert pointers(contact=NEW, category_key="none") == [("/category_key", "unknown")]
    assert organiser.data("/contacts") == []


def test_a_new_contact_needs_the_scope_of_contacts(organiser, person, fair):
    only = person("participants")
    body = {"event_key": "garden", "contact": NEW}
    assert only.post("/participants", body, status=403).json["scope"] == "contacts"
    reader = person("participants contacts:read")
    assert reader.post("/participants", body, status=403).json["scope"] == "contacts"
    both = person("participants contacts")
    assert both.post("/participants", body, status=201).json["data"]["role"] == "exhibitor"


def test_the_contact_of_a_participant_that_was_read_may_be_sent_back(organiser, participant, fair):
    """As with any read-only field: only without the id of a contact it is a new one."""
    organiser.make("/events", {"title": "Boat Show", "event_key": "boats"})
    read = organiser.data(f"/participants/{participant['id']}?include=contact")
    copy = {"event_key": "boats", "contact_id": read["contact_id"], "contact": read["contact"]}
    assert organiser.make("/participants", copy)["contact_id"] == read["contact_id"]
    assert len(organiser.data("/contacts")) == 1


def test_of_two_who_create_the_same_newcomer_one_gets_it(organiser, fair):
    start, answers = threading.Barrier(4), []

    def create():
        start.wait()
        answers.append(organiser.post("/participants", {"event_key": "garden", "contact": NEW}))

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_int for answer in answers) == [201, 409, 409, 409]
    refused = [answer.json for answer in answers if answer.status_int == 409]
    assert {each["code"] for each in refused} == {"duplicate_contact"}
    assert len(organiser.data("/contacts")) == len(organiser.data("/participants")) == 1


def test_newcomers_are_created_in_a_batch(organiser, fair):
    items = [
        {"event_key": "garden", "contact": NEW},
        {"event_key": "garden", "contact": {**NEW, "company_name": "Once more"}},
        {"event_key": "garden", "contact": {"last_name": "Vogt"}},
    ]
    done = organiser.post(
        "/participants/batch", {"action": "create", "items": items}, status=200
    ).json["data"]
    assert [result.get("code") for result in done["results"]] == [None, "duplicate_contact", None]
    assert len(organiser.data("/contacts")) == 2


def test_contradictory_id_and_key_are_refused(organiser, fair, contact):
    other = organiser.make("/events", {"title": "Boat Show"})
    answer = organiser.post(
        "/participants",
        {"event_id": other["id"], "event_key": "garden", "contact_id": contact("C-1")},
        status=422,
    )
    assert [(entry["pointer"], entry["code"]) for entry in answer.json["errors"]] == [
        ("/event_key", "disagrees")
    ]


def test_missing_fields_are_reported_together(organiser, participant):
    for answer in (
        organiser.post("/participants", {"role": "guest"}, status=422),
        organiser.put(f"/participants/{participant['id']}", {"role": "guest"}, status=422),
    ):
        assert [entry["pointer"] for entry in answer.json["errors"]] == [
            "/customer_number",
            "/event_key",
            "/role",
        ]
    answer = organiser.post(
        "/participants",
        {"event_key": "no", "customer_number": "no", "category_key": "no"},
        status=422,
    )
    assert [entry["pointer"] for entry in answer.json["errors"]] == [
        "/event_key",
        "/customer_number",
        "/category_key",
    ]


def test_a_contact_has_each_role_once(organiser, participant):
    same = {"event_key": "garden", "customer_number": "C-1"}
    answer = organiser.post("/participants", same, status=409)
    assert answer.json["code"] == "duplicate" and answer.json["participant_id"] == participant["id"]
    speaker = organiser.make("/participants", {**same, "role": "speaker"})
    answer = organiser.patch(f"/participants/{speaker['id']}", {"role": "exhibitor"}, status=409)
    assert answer.json["code"] == "duplicate"


def test_is_confirmed_can_be_set_and_unset(organiser, participant, db):
    address = f"/participants/{participant['id']}"
    confirmed = organiser.patch(
        address, {"is_confirmed": True, "badge_name": "Ada"}, status=200
    ).json["data"]
    assert (confirmed["status"], confirmed["is_confirmed"], confirmed["badge_name"]) == (
        "confirmed",
        True,
        "Ada",
    )
    assert organiser.patch(address, {"is_confirmed": True}, status=200).json["data"] == confirmed
    assert (
        organiser.patch(address, {"is_confirmed": False}, status=200).json["data"]["status"]
        == "registered"
    )
    assert event_names(db, participant["id"]) == [
        "participant.added",
        "participant.updated",
        "participant.confirmed",
        "participant.unconfirmed",
    ]


def test_adding_a_confirmed_participant_sends_both_events(organiser, fair, contact, db):
    contact("C-1")
    participant = organiser.make(
        "/participants", {"event_key": "garden", "customer_number": "C-1", "is_confirmed": True}
    )
    assert participant["status"] == "confirmed"
    assert event_names(db, participant["id"]) == ["participant.added", "participant.confirmed"]


def test_each_state_allows_the_actions_of_the_table(organiser, participant, db):
    address = f"/participants/{participant['id']}"
    assert organiser.data(f"{address}?include=allowed_actions")["allowed_actions"] == [
        "confirm",
        "cancel",
    ]
    assert organiser.post(f"{address}/confirm", status=200).json["data"]["status"] == "confirmed"
    assert organiser.post(f"{address}/confirm", status=200).json["data"]["status"] == "confirmed"
    cancelled = organiser.post(f"{address}/cancel", status=200).json["data"]
    assert (cancelled["status"], cancelled["is_confirmed"]) == ("cancelled", False)
    refused = organiser.post(f"{address}/confirm", status=409).json
    assert refused["code"] == "invalid_transition" and refused["allowed_from"] == ["registered"]
    organiser.patch(address, {"is_confirmed": True}, status=409)
    assert organiser.put(address, cancelled, status=200).json["data"] == cancelled
    assert organiser.post(f"{address}/reinstate", status=200).json["data"]["status"] == "registered"
    assert event_names(db, participant["id"]) == [
        "participant.added",
        "participant.confirmed",
        "participant.removed",
        "participant.added",
    ]


def test_a_participant_with_an_invoice_cannot_change_its_contact(
    organiser, participant, contact, db
):
    contact("C-2")
    invoice(db, participant)
    address = f"/participants/{participant['id']}"
    for answer in (
        organiser.delete(address, status=409),
        organiser.patch(address, {"customer_number": "C-2"}, status=409),
    ):
        assert answer.json["code"] == "in_use" and answer.json["used_by"] == ["invoices"]
    organiser.patch(
        address, {"badge_name": "Ada", "role": "sponsor", "customer_number": "C-1"}, status=200
    )


def test_a_participant_moves_to_another_contact(organiser, participant, contact):
    contact("C-2")
    moved = organiser.patch(
        f"/participants/{participant['id']}", {"customer_number": "C-2"}, status=200
    ).json["data"]
    assert (
        moved["customer_number"] == "C-2" and moved["badge_number"] == participant["badge_number"]
    )


def test_a_second_participation_points_to_the_first_one(organiser, participant):
    body = {
        "event_key": participant["event_key"],
        "contact_id": participant["contact_id"],
        "role": participant["role"],
    }
    found = organiser.post("/participants", body, status=409).json
    assert (found["code"], found["participant_id"]) == ("duplicate", participant["id"])
    assert "Change that participant instead" in found["detail"]
    organiser.post(f"/participants/{participant['id']}/cancel", status=200)
    found = organiser.post("/participants", body, status=409).json
    assert (found["code"], found["participant_id"]) == ("duplicate", participant["id"])
    assert f"POST /participants/{participant['id']}/reinstate" in found["detail"]


def test_notes_are_deleted_with_the_participant(organiser, participant):
    note = organiser.make(
        "/notes",
        {"entity_type": "event_participant", "entity_id": participant["id"], "note_text": "x"},
    )
    organiser.delete(f"/participants/{participant['id']}", status=204)
    organiser.get(f"/notes/{note['id']}", status=404)


def test_a_stale_etag_changes_nothing(organiser, participant):
    address = f"/participants/{participant['id']}"
    tag = organiser.get(address, status=200).headers["ETag"]
    organiser.patch(address, {"badge_name": "Ada"}, status=200, headers={"If-Match": tag})
    organiser.patch(address, {"badge_name": "Eve"}, status=412, headers={"If-Match": tag})
    organiser.delete(address, status=412, headers={"If-Match": tag})


def test_the_list_is_filtered(organiser, participant, contact, category):
    contact("C-2")
    organiser.make("/events", {"title": "Boat Show", "event_key": "boats"})
    other = organiser.make(
        "/participants",
        {
            "event_key": "boats",
            "customer_number": "C-2",
            "role": "speaker",
            "is_confirmed": True,
            "category_key": "gold",
        },
    )
    spoken = f"{other['badge_number'][:4]}-{other['badge_number'][4:8]} {other['badge_number'][8:]}".lower().replace(
        " ", "%20"
    )
    for query in (
        "event_key=boats",
        f"event_id={other['event_id']}",
        "customer_number=C-2",
        f"contact_id={other['contact_id']}",
        "category_key=gold",
        f"category_id={other['category_id']}",
        "confirmed=1",
        "status=confirmed",
        "role=speaker",
        f"badge_number={spoken}",
        "event_key=boats&confirmed=1&role=speaker&category_key=gold&status=confirmed",
    ):
        assert [found["id"] for found in organiser.data(f"/participants?{query}")] == [
            other["id"]
        ], query
    assert [found["id"] for found in organiser.data("/participants?confirmed=0")] == [
        participant["id"]
    ]
    assert organiser.data("/participants?event_key=no") == []
    assert [found["id"] for found in organiser.data("/participants")] == [
        other["id"],
        participant["id"],
    ]
    organiser.get("/participants?event_key=boats&event_id=999", status=422)


def test_related_records_are_included_on_request(organiser, participant):
    wanted = organiser.data("/participants?include=contact,event,category")[0]
    assert (
        wanted["contact"]["company_name"] == "C-1 GmbH"
        and wanted["contact"]["id"] == participant["contact_id"]
    )
    assert wanted["event"]["title"] == "Garden Fair" and wanted["category"] is None
    assert (
        organiser.data(f"/participants/{participant['id']}?include=contact")["contact"]
        == wanted["contact"]
    )
    organiser.get("/participants?include=allowed_actions", status=422)
    table = organiser.get(
        "/participants?include=contact,category", headers={"Accept": "text/csv"}, status=200
    ).text
    assert "contact.company_name" in table and "category.title" in table and "C-1 GmbH" in table


def test_a_key_without_the_scope_is_refused(person, participant):
    reader = person("participants:read")
    reader.get("/participants", status=200)
    reader.post(f"/participants/{participant['id']}/confirm", status=403)
    person("contacts").get("/participants", status=403)


# Badge numbers


def test_a_badge_number_is_valid_and_has_no_look_alikes(organiser, participant):
    assert badges.is_valid(participant["badge_number"])
    assert not set(badges.ALPHABET) & set("01OILQDUV")
    assert len({badges.draw() for _ in range(2000)}) == 2000


def test_the_check_digit_detects_every_wrong_character():
    number = badges.draw()
    for place in range(len(number)):
        for character in badges.ALPHABET:
            wrong = number[:place] + character + number[place + 1 :]
            assert badges.is_valid(wrong) == (wrong == number)


def test_the_check_digit_detects_every_swap_of_two_characters():
    for _ in range(50):
        number = badges.draw()
        for first in range(len(number)):
            for second in range(first + 1, len(number)):
                swapped = list(number)
                swapped[first], swapped[second] = number[second], number[first]
                assert badges.is_valid("".join(swapped)) == (number[first] == number[second])


def test_malformed_badge_numbers_are_invalid():
    number = badges.draw()
    assert not any(
        map(badges.is_valid, ("", number[:-1], number + "2", number.lower(), "0" * 12, "ß" * 12))
    )
    assert badges.normal(f"{number[:4]}-{number[4:]} ".lower()) == number


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("event_id",),
        ("contact_id",),
        ("category_id",),
        ("confirmed",),
        ("status",),
        ("role",),
        ("badge_number",),
        ("event_id", "confirmed"),
        ("event_id", "role"),
        ("event_id", "status"),
    ],
)
def test_a_list_uses_an_index_without_sorting(db, given):
    from eventapi.storage.statements import statements

    text = statements("participants").list.ids(frozenset(given), "created_at", "DESC")
    plan = [
        row[3]
        for row in db.connection.execute(
            "EXPLAIN QUERY PLAN " + text, {**dict.fromkeys(given), "limit": 1, "offset": 0}
        )
    ]
    assert not any("TEMP B-TREE" in step for step in plan), plan
    assert not given or "SEARCH p" in plan[0], plan


# Counters


def test_totals_by_event_role_status_and_category_follow_every_change(
    organiser, fair, category, contact, db
):
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    kinds = [("garden", "visitor"), ("garden", "exhibitor"), ("other", "visitor")]
    made = [
        organiser.make(
            "/participants", {"event_key": key, "contact_id": contact(f"C-{number}"), "role": role}
        )
        for number, (key, role) in enumerate(kinds)
    ]

    def totals(*queries):
        return [
            organiser.get(f"/participants?{query}&per_page=1", status=200).json["meta"]["total"]
            for query in queries
        ]

    every = (
        "",
        "event_key=garden",
        "role=visitor",
        "status=confirmed",
        "confirmed=0",
        "category_key=gold",
        "event_key=garden&role=visitor&confirmed=0",
    )
    assert totals(*every) == [3, 2, 2, 0, 3, 0, 1]
    organiser.post(f"/participants/{made[0]['id']}/confirm", status=200)
    organiser.patch(f"/participants/{made[1]['id']}", {"category_key": "gold"}, status=200)
    organiser.patch(f"/participants/{made[2]['id']}", {"event_key": "garden"}, status=200)
    assert totals(*every) == [3, 3, 2, 1, 2, 1, 1]
    organiser.delete(f"/participants/{made[1]['id']}", status=204)
    assert totals(*every) == [2, 2, 2, 1, 1, 0, 1]
    assert participants.check(db) == []


def test_check_finds_a_wrong_counter_of_participants(participant, db):
    with db.write():
        db.connection.execute("UPDATE participant_counts SET participants = participants + 1")
    assert participants.check(db) == [
        "participants of garden: the counters by role, status and category differ from the participants"
    ]


# Search


@pytest.fixture
def people(organiser, fair):
    """Return `id -> letter` of three participants: an exhibitor, its staff and a visitor."""
    texts = (
        ({"customer_number": "K-77", "company_name": "Gärtnerei Straß"}, None),
        (
            {"first_name": "Ada", "last_name": "Ærø", "company_name": "Gärtnerei Straß"},
            "Dr. Adélaïde",
        ),
        ({"customer_number": "V-1", "last_name": "Muster"}, None),
    )
    return {
        organiser.make(
            "/participants",
            {
                "event_key": "garden",
                "badge_name": badge,
                "contact_id": organiser.make("/contacts", contact)["id"],
            },
        )["id"]: letter
        for (contact, badge), letter in zip(texts, "abc", strict=True)
    }


def found(organiser, people, text):
    entries = organiser.data(f"/participants?event_key=garden&order=ASC&search={text}")
    return "".join(people[entry["id"]] for entry in entries)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("gart", "ab"),
        ("STRASS gart", "ab"),
        ("aero", "b"),
        ("adelaide strass", "b"),
        ("k-77", "a"),
        ("muster", "c"),
        ("uster", ""),
        ("muster gart", ""),
        ("!", ""),
    ],
)
def test_search_finds_words_of_person_company_and_badge(organiser, people, text, expected):
    assert found(organiser, people, text) == expected


def test_search_finds_the_badge_number_and_each_of_its_groups(organiser, people):
    first, *_ = people
    number = organiser.data(f"/participants/{first}")["badge_number"]
    for text in (number, number[:6].lower(), badges.grouped(number), number[4:8], number[8:]):
        assert "a" in found(organiser, people, text)
    new = organiser.post(f"/participants/{first}/badge/replace", status=200).json["data"][
        "badge_number"
    ]
    assert found(organiser, people, new) == "a" and found(organiser, people, number) == ""


def test_search_follows_changes(organiser, people, db):
    _, second, third = people
    contact_ids = [organiser.data(f"/participants/{id}")["contact_id"] for id in people]
    organiser.patch(f"/contacts/{contact_ids[0]}", {"company_name": "Rosen KG"}, status=200)
    assert (found(organiser, people, "gart"), found(organiser, people, "rosen")) == ("b", "a")
    organiser.patch(f"/participants/{second}", {"badge_name": "Kim"}, status=200)
    assert (found(organiser, people, "adelaide"), found(organiser, people, "kim")) == ("", "b")
    organiser.patch(
        f"/participants/{third}", {"contact_id": contact_ids[0], "role": "staff"}, status=200
    )
    assert (found(organiser, people, "muster"), found(organiser, people, "rosen")) == ("", "ac")
    organiser.delete(f"/participants/{third}", status=204)
    assert found(organiser, people, "rosen") == "a"
    organiser.post(f"/contacts/{contact_ids[1]}/anonymize", status=200)
    assert found(organiser, people, "kim") == found(organiser, people, "aero") == ""
    organiser.post(
        f"/contacts/{contact_ids[2]}/merge", {"duplicate_id": contact_ids[0]}, status=200
    )
    assert (found(organiser, people, "muster"), found(organiser, people, "rosen")) == ("a", "a")
    with db.write():  # compare the index with the records
        db.connection.execute(
            "INSERT INTO participants_search (participants_search, rank) VALUES ('integrity-check', 1)"
        )


# Hosts


@pytest.fixture
def take_part(organiser, fair):
    """Return a function that adds a new contact to the event and returns the participant."""

    def add(name, **more):
        contact = organiser.make("/contacts", {"company_name": name})
        return organiser.make(
            "/participants", {"event_key": "garden", "contact_id": contact["id"], **more}
        )

    return add


@pytest.fixture
def stand(take_part):
    """Return (host, co-exhibitor, staff)."""
    host = take_part("Rosen KG")
    return host, *(
        take_part(role, role=role, host_participant_id=host["id"])
        for role in ("co_exhibitor", "staff")
    )


def test_co_exhibitors_and_staff_have_a_host(organiser, stand, take_part):
    host, partner, staff = stand
    assert host["host_participant_id"] is None
    assert organiser.data(f"/participants/{staff['id']}")["host_participant_id"] == host["id"]
    hosted = f"/participants?host_participant_id={host['id']}"
    assert [found["id"] for found in organiser.data(f"{hosted}&order=ASC")] == [
        partner["id"],
        staff["id"],
    ]
    assert [found["id"] for found in organiser.data(f"{hosted}&role=staff")] == [staff["id"]]
    sponsor = take_part("Sponsor AG", role="sponsor")
    organiser.patch(
        f"/participants/{staff['id']}", {"host_participant_id": sponsor["id"]}, status=200
    )
    organiser.patch(f"/participants/{partner['id']}", {"host_participant_id": None}, status=200)
    assert organiser.data(hosted) == []


def test_only_an_exhibitor_or_sponsor_of_the_same_event_is_a_host(organiser, stand, take_part):
    host, partner, staff = stand
    organiser.make("/events", {"title": "Other", "event_key": "other"})
    elsewhere = take_part("Elsewhere", event_key="other")
    visitor = take_part("Visitor", role="visitor")

    def refused(participant, body):
        [entry] = organiser.patch(f"/participants/{participant['id']}", body, status=422).json[
            "errors"
        ]
        assert entry["pointer"] == "/host_participant_id"
        return entry["code"]

    for other, code in (
        (partner, "not_a_host"),
        (visitor, "not_a_host"),
        (elsewhere, "other_event"),
        ({"id": 999}, "unknown"),
    ):
        assert refused(staff, {"host_participant_id": other["id"]}) == code
    assert refused(visitor, {"host_participant_id": host["id"]}) == "role"
    assert refused(elsewhere, {"host_participant_id": host["id"]}) == "role"
    assert refused(staff, {"role": "press"}) == "role", "the role changes, and the host stays"
    assert (
        refused(staff, {"event_key": "other", "event_id": elsewhere["event_id"]}) == "other_event"
    )
    organiser.patch(
        f"/participants/{staff['id']}", {"role": "press", "host_participant_id": None}, status=200
    )


def test_a_host_stays_while_it_has_people(organiser, stand):
    host, partner, staff = stand
    address = f"/participants/{host['id']}"
    refused = organiser.delete(address, status=409).json
    assert (refused["code"], refused["used_by"]) == ("in_use", ["hosted participants"])
    assert "2 hosted participants" in refused["detail"]
    for role in ("visitor", "co_exhibitor", "staff"):
        refused = organiser.patch(address, {"role": role}, status=409).json
        assert (refused["code"], refused["used_by"]) == ("in_use", ["participants"])
    organiser.patch(address, {"role": "sponsor"}, status=200)
    organiser.post(f"/participants/{staff['id']}/cancel", status=200)
    answer = organiser.post(f"{address}/cancel", status=200).json
    assert answer["meta"]["open"] == {"service_order_ids": [], "participant_ids": [partner["id"]]}
    assert organiser.data(f"/participants/{partner['id']}")["status"] == "registered"
    for participant in (partner, staff):
        organiser.patch(
            f"/participants/{participant['id']}", {"host_participant_id": None}, status=200
        )
    organiser.delete(address, status=204)


def test_a_merge_moves_the_people_of_a_host(organiser, stand, take_part, db):
    host, partner, staff = stand
    kept = take_part("Rosen KG (twice)")
    organiser.post(
        f"/contacts/{kept['contact_id']}/merge", {"duplicate_id": host["contact_id"]}, status=200
    )
    for participant in (partner, staff):
        assert (
            organiser.data(f"/participants/{participant['id']}")["host_participant_id"]
            == kept["id"]
        )
        assert event_names(db, participant["id"]) == ["participant.added", "participant.updated"]
    organiser.get(f"/participants/{host['id']}", status=404)
    alone = take_part("Staff (twice)", role="staff")
    organiser.post(
        f"/contacts/{alone['contact_id']}/merge", {"duplicate_id": staff["contact_id"]}, status=200
    )
    assert organiser.data(f"/participants/{alone['id']}")["host_participant_id"] == kept["id"]


def test_an_import_sets_the_host(organiser, fair, stand):
    host, partner, staff = stand
    organiser.patch(f"/participants/{staff['id']}", {"host_participant_id": None}, status=200)
    csv = organiser.get(
        "/participants?event_key=garden&role=co_exhibitor",
        headers={"Accept": "text/csv"},
        status=200,
    )
    assert "host_participant_id" in csv.text.splitlines()[0]
    numbers = {participant["role"]: participant["customer_number"] for participant in stand}
    done = organiser.make(
        "/bulk-import/participants",
        {
            "event_key": "garden",
            "mode": "upsert",
            "match_field": "customer_number",
            "records": [
                {
                    "customer_number": numbers["staff"],
                    "role": "staff",
                    "host_participant_id": host["id"],
                },
                {
                    "customer_number": numbers["co_exhibitor"],
                    "role": "staff",
                    "host_participant_id": host["id"],
                },
                {
                    "customer_number": numbers["exhibitor"],
                    "role": "staff",
                    "host_participant_id": partner["id"],
                },
                {
                    "customer_number": numbers["exhibitor"],
                    "role": "press",
                    "host_participant_id": host["id"],
                },
            ],
        },
    )
    assert [entry["action"] for entry in done["details"]] == [
        "updated",
        "created",
        "rejected",
        "rejected",
    ]
    assert [(entry["field"], entry["code"]) for entry in done["errors"]] == [
        ("host_participant_id", "not_a_host"),
        ("host_participant_id", "role"),
    ]
    assert len(organiser.data(f"/participants?host_participant_id={host['id']}")) == 3
