"""Pictures of events."""

import struct

import pytest

from tests.test_images import GIF, JPEG, PICTURES, PNG

SENT = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def event(organiser):
    return organiser.make("/events", {"title": "Garden Fair"})


def put(client, event, data, **options):
    return client.put(
        f"/events/{event['id']}/image",
        raw=data,
        headers={**SENT, **options.pop("headers", {})},
        **options,
    )


@pytest.mark.parametrize("kind, data, size", PICTURES)
def test_a_picture_is_set_and_read(organiser, event, kind, data, size):
    assert event["image"] is None
    image = put(organiser, event, data, status=200).json["data"]["image"]
    assert (image["content_type"], image["width"], image["height"]) == (kind, *size)
    answer = organiser.get(image["url"].removeprefix("http://localhost:80"), status=200)
    assert answer.body == data and answer.content_type == kind
    assert answer.headers["Content-Disposition"].startswith("inline")
    assert organiser.data("/events")[0]["image"] == image


def test_another_picture_replaces_the_first_and_the_same_one_changes_nothing(organiser, event, db):
    first = put(organiser, event, PNG, status=200).json["data"]
    assert put(organiser, event, PNG, status=200).json["data"] == first
    second = put(organiser, event, JPEG, status=200).json["data"]["image"]
    assert (
        second["document_id"] == first["image"]["document_id"]
        and second["content_type"] == "image/jpeg"
    )
    entries = db.connection.execute(
        "SELECT action FROM audit_log WHERE entity_type = 'event' ORDER BY id"
    ).fetchall()
    assert [action for (action,) in entries] == ["created", "updated", "updated"]


@pytest.mark.parametrize(
    "data, status",
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 415),
        (b"%PDF-1.7", 415),
        (b"text", 415),
        (PNG[:20], 422),
        (JPEG[:12], 422),
        (GIF[:8], 422),
        (b"", 422),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 100, 422),
    ],
)
def test_a_file_that_is_no_picture_is_refused(organiser, event, settings, data, status):
    put(organiser, event, data, status=status)
    assert organiser.data(f"/events/{event['id']}") == event
    assert not settings.files.exists() or not [
        file for file in settings.files.rglob("*") if file.is_file()
    ]


def test_a_picture_with_too_many_pixels_is_refused_with_the_limit(organiser, event):
    """A few kilobytes would take gigabytes of the memory of each browser that shows the event."""

    def sized(width, height):
        return PNG[:16] + struct.pack(">II", width, height) + PNG[24:]

    for width, height in ((60_000, 60_000), (10_000, 5_001), (65_535, 763)):
        (error,) = put(organiser, event, sized(width, height), status=422).json["errors"]
        assert (
            f"{width} x {height} pixels, but at most 50000000 pixels are allowed" in error["detail"]
        )
    put(organiser, event, sized(10_000, 5_000), status=200)


def test_a_picture_is_removed(organiser, event):
    image = put(organiser, event, PNG, status=200).json["data"]["image"]
    assert (
        organiser.delete(f"/documents/{image['document_id']}", status=409).json["code"] == "in_use"
    )
    organiser.put(
        f"/documents/{image['document_id']}/content", raw=GIF, headers=dict(SENT), status=409
    )
    organiser.delete(f"/events/{event['id']}/image", status=204)
    organiser.get(f"/documents/{image['document_id']}", status=404)
    assert organiser.data(f"/events/{event['id']}")["image"] is None
    organiser.delete(f"/events/{event['id']}/image", status=204)


def test_tasks_of_a_picture_are_deleted_with_it(organiser, event):
    image = put(organiser, event, PNG, status=200).json["data"]["image"]
    organiser.make(
        "/tasks",
        {
            "title": "Ask for a larger one",
            "entity_type": "document",
            "entity_id": image["document_id"],
        },
    )
    organiser.delete(f"/events/{event['id']}/image", status=204)
    assert organiser.data("/tasks") == []


def test_if_match_is_checked_when_the_picture_changes(organiser, event):
    tag = organiser.get(f"/events/{event['id']}").headers["ETag"]
    put(organiser, event, PNG, headers={"If-Match": '"stale"'}, status=412)
    put(organiser, event, PNG, headers={"If-Match": tag}, status=200)
    organiser.delete(f"/events/{event['id']}/image", headers={"If-Match": tag}, status=412)


def test_a_picture_is_deleted_with_its_event_and_is_not_copied(organiser, event):
    image = put(organiser, event, PNG, status=200).json["data"]["image"]
    copy = organiser.post(
        f"/events/{event['id']}/copy", {"date_from": "2028-01-01", "with": []}, status=201
    ).json["data"]
    assert copy["image"] is None
    organiser.delete(f"/events/{event['id']}", status=204)
    organiser.get(f"/documents/{image['document_id']}", status=404)


def test_setting_a_picture_requires_the_scope_events(person, event):
    put(person("events:read documents"), event, PNG, status=403)
    put(person("events"), {"id": 999}, PNG, status=404)
    put(person("events"), event, b"x" * (26 * 2**20), status=413)
