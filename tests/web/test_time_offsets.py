"""Offsets of timestamps, wherever a client sends one."""

import pytest

from eventapi import times

OFFSETS = ["+02:00", "+0200", "+02"]


@pytest.fixture
def fair(organiser):
    return organiser.make("/events", {"title": "Garden Fair", "event_key": "fair"})


def apply(client, terms_accepted_at, status=201):
    body = {
        "email": "ada@rosen.example",
        "company_name": "Rosen KG",
        "event_keys": ["fair"],
        "terms_accepted_at": terms_accepted_at,
    }
    return client.post("/applications", body, status=status).json


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_body_has_any_offset(organiser, fair, offset):
    made = apply(organiser, f"2026-11-01T09:00:00{offset}")
    assert made["data"]["terms_accepted_at"] == "2026-11-01T07:00:00Z"


def test_a_blank_in_place_of_the_t_is_returned_in_utc(organiser, fair):
    assert apply(organiser, "2026-06-01 09:00")["data"]["terms_accepted_at"] == (
        "2026-06-01T07:00:00Z"
    )


@pytest.mark.parametrize(
    "text", ["20261101", "2026-11-01T09:00:00+2500", "2026-11-01T09:00:00+99", "2026-11-01"]
)
def test_what_is_no_timestamp_is_refused_as_it_was_sent(organiser, fair, text):
    [fault] = apply(organiser, text, 422)["errors"]
    assert fault == {
        "pointer": "/terms_accepted_at",
        "code": "format",
        "detail": "must be a timestamp (RFC 3339) such as 2026-05-01T09:00:00Z, but is " + text,
    }


@pytest.mark.parametrize("text", [f"2027-05-01T09:00:00{offset}" for offset in OFFSETS])
def test_what_may_be_a_date_is_returned_as_it_was_sent(organiser, text):
    event = organiser.make("/events", {"title": "Fair", "date_from": text})
    assert organiser.data(f"/events/{event['id']}")["date_from"] == text
    # They are compared as times: 09:00 at +02:00 is 07:00 in UTC.
    organiser.make("/events", {"title": "Earlier", "date_from": "2027-05-01T06:59:59Z"})
    organiser.make("/events", {"title": "Later", "date_from": "2027-05-01T07:00:01Z"})
    listed = organiser.data("/events?sort=date_from&order=ASC")
    assert [found["title"] for found in listed] == ["Earlier", "Fair", "Later"]


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_parameter_has_any_offset(organiser, db, offset):
    made = organiser.make("/notes", note(organiser))
    db.connection.execute("UPDATE notes SET updated_at = '2026-05-01T07:00:00Z'")
    encoded = offset.replace("+", "%2B")
    assert [found["id"] for found in organiser.data(since("09:00:00", encoded))] == [made["id"]]
    assert organiser.data(since("09:00:01", encoded)) == []


def note(client):
    contact = client.make("/contacts", {"company_name": "Rosen KG"})
    return {"entity_type": "contact", "entity_id": contact["id"], "note_text": "Call back"}


def since(time, offset):
    return f"/notes?entity_type=contact&entity_id=1&updated_since=2026-05-01T{time}{offset}"


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_custom_field_in_a_body_a_filter_and_an_import_has_any_offset(organiser, offset):
    definition = {
        "entity_type": "contact",
        "field_key": "met",
        "field_label": "Met",
        "field_type": "datetime",
        "is_searchable": True,
    }
    organiser.make("/custom-fields", definition)
    text = f"2026-05-01T09:00:00{offset}"
    organiser.make("/contacts", {"last_name": "Body", "custom_fields": {"met": text}})
    organiser.post("/bulk-import/contacts", {"records": [{"last_name": "Json", "cf.met": text}]})
    raw = f"last_name,cf.met\nCsv,{text}\n".encode()
    organiser.post("/bulk-import/contacts", raw=raw, headers={"Content-Type": "text/csv"})
    found = organiser.data(f"/contacts?cf.met={text.replace('+', '%2B')}&include=custom_fields")
    assert sorted((contact["last_name"], contact["custom_fields"]["met"]) for contact in found) == [
        ("Body", "2026-05-01T07:00:00Z"),
        ("Csv", "2026-05-01T07:00:00Z"),
        ("Json", "2026-05-01T07:00:00Z"),
    ]


def test_a_batch_has_any_offset(organiser, fair):
    year = int(times.now()[:4]) + 1  # a link ends at most two years ahead
    link = {
        "kind": "door",
        "event_id": fair["id"],
        "name": "West",
        "expires_at": f"{year}-05-01T09:00:00+0200",
    }
    body = {"action": "create", "items": [link]}
    [entry] = organiser.post("/links/batch", body, status=200).json["data"]["results"]
    assert entry["status"] == 201
    [made] = organiser.data("/links")
    assert made["expires_at"] == f"{year}-05-01T07:00:00Z"
