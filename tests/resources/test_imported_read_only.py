"""Read-only fields in imports: a record is refused for a status that an action sets, and `details` names what had no
effect (contract, section 9).
"""

import pytest

from tests.resources.test_bulk_import import CSV, send

SUBSCRIBED = {
    "email": "ada@example.org",
    "send_confirmation": False,
    "consent": {"at": "2026-05-01T09:00:00Z", "source": "Stand form 12", "text": "Yes, please."},
}
MINE = {"external_id": "1", "email": "ada@example.org", "company_name": "Rosen KG"}


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"event_key": "fair", "title": "Fair"})


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_new_contact_is_refused_or_named(organiser, dry_run):
    records = [
        {**MINE, "newsletter_status": "confirmed"},
        {**MINE, "external_id": "2", "newsletter_status": "none", "has_account": True},
        {**MINE, "external_id": "3", "has_account": False, "id": 77, "updated_at": "x"},
    ]
    done = send(organiser, records, match_field="external_id", dry_run=dry_run)
    assert [entry["action"] for entry in done["details"]] == ["rejected", "created", "created"]
    assert [entry.get("ignored") for entry in done["details"]] == [None, ["/has_account"], None]
    assert done["errors"] == [
        {
            "index": 0,
            "field": "newsletter_status",
            "code": "read_only",
            "detail": "of a new contact is none and cannot be set to confirmed. Create it without "
            "`newsletter_status`, then send POST /api/v1/newsletter with the email",
        }
    ]
    assert organiser.get("/contacts").json["meta"]["total"] == (0 if dry_run else 2)


def test_the_newsletter_status_that_a_new_contact_will_have_is_accepted(organiser):
    organiser.make("/newsletter", SUBSCRIBED)
    done = send(organiser, [{**MINE, "newsletter_status": "confirmed"}])
    assert [entry["action"] for entry in done["details"]] == ["created"]
    assert organiser.data("/contacts")[0]["newsletter_status"] == "confirmed"


@pytest.mark.parametrize("dry_run", [False, True])
def test_an_existing_contact_is_refused_or_named(organiser, dry_run):
    contact = organiser.make("/contacts", MINE)
    for status, action in (("confirmed", "rejected"), ("none", "updated")):
        record = {**MINE, "city": "Ulm", "newsletter_status": status, "has_account": True}
        done = send(organiser, [record], mode="upsert", dry_run=dry_run)
        assert [entry["action"] for entry in done["details"]] == [action]
    assert done["details"][0]["ignored"] == ["/has_account"]
    found = organiser.get(f"/contacts/{contact['id']}").json["data"]
    assert found["city"] == (None if dry_run else "Ulm")


def test_a_column_of_a_csv_file_is_refused_or_named(organiser):
    organiser.make("/contacts", MINE)
    file = (
        "external_id,company_name,newsletter_status,has_account\n"
        "1,Rosen KG,confirmed,\n1,Rosen KG,none,nein\n1,Rosen KG,,ja\n"
    )
    path = "/bulk-import/contacts?mode=upsert&match_field=external_id"
    answer = organiser("POST", path, raw=file.encode(), headers=CSV, status=201)
    details = answer.json["data"]["details"]
    assert [entry["action"] for entry in details] == ["rejected", "updated", "updated"]
    assert [entry.get("ignored") for entry in details] == [None, None, ["/has_account"]]


def test_an_exported_list_is_imported_although_its_states_have_changed(organiser):
    contact = organiser.make("/contacts", MINE)
    file = organiser.get("/contacts", headers={"Accept": "text/csv"}, status=200).body
    organiser.make("/newsletter", SUBSCRIBED)
    path = "/bulk-import/contacts?mode=upsert&match_field=external_id"
    done = organiser("POST", path, raw=file, headers=CSV, status=201).json["data"]
    assert done["details"] == [
        {
            "index": 0,
            "action": "updated",
            "id": contact["id"],
            "reason": None,
            "ignored": ["/newsletter_status"],
        }
    ]


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_participant_is_refused_or_named(organiser, fair, dry_run):
    people = [{"email": f"{number}@example.org", "company_name": "Rosen KG"} for number in range(4)]
    people[0] |= {"status": "cancelled"}
    people[1] |= {"status": "confirmed", "is_confirmed": True}
    people[2] |= {"is_checked_in": True}
    people[3] |= {"badge_number": "MINE", "status": "registered", "is_checked_in": False}
    done = send(organiser, people, "participants", event_key="fair", dry_run=dry_run)
    actions = ["rejected", "created", "rejected", "created"]
    assert [entry["action"] for entry in done["details"]] == actions
    assert [entry.get("ignored") for entry in done["details"]] == [
        None,
        None,
        None,
        ["/badge_number"],
    ]
    assert [(error["field"], error["code"]) for error in done["errors"]] == [
        ("status", "read_only"),
        ("is_checked_in", "read_only"),
    ]
    assert "POST /api/v1/participants/{id}/cancel" in done["errors"][0]["detail"]
    assert "POST /api/v1/check-ins" in done["errors"][1]["detail"]
    if dry_run:
        return
    again = [{**people[1], "status": "registered"}, {**people[1], "is_confirmed": False}]
    done = send(organiser, again, "participants", event_key="fair", mode="update")
    assert [entry["action"] for entry in done["details"]] == ["rejected", "updated"]
