"""Pictures of events."""

import io
import struct

import pytest

from eventapi.parsing import shrinking
from tests.support.images import jpeg, png, png_with_alpha
from tests.test_images import GIF, JPEG
from tests.test_images import PNG as HEADER

Image = pytest.importorskip("PIL.Image")

GPS, LATITUDE = 0x8825, 2  # in EXIF
PNG = png(60, 20)
GIF_OF_ONE_PIXEL = (
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
)

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


def saved(picture, form, **options):
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def photo(place):
    """Return the EXIF of a photograph that was taken at a place."""
    exif = Image.Exif()
    exif.get_ifd(GPS)[LATITUDE] = place
    return exif


def content(client, image):
    return client.get(image["url"].removeprefix("http://localhost:80"), status=200)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_is_set_and_read(organiser, event, form):
    assert event["image"] is None
    data = saved(Image.new("RGB", (640, 480), (200, 30, 40)), form)
    image = put(organiser, event, data, status=200).json["data"]["image"]
    assert (image["content_type"], image["width"], image["height"]) == ("image/jpeg", 640, 480)
    answer = content(organiser, image)
    assert Image.open(io.BytesIO(answer.body)).size == (640, 480)
    assert answer.content_type == "image/jpeg"
    assert answer.headers["Content-Disposition"].startswith("inline")
    assert organiser.data("/events")[0]["image"] == image


def test_a_photo_becomes_smaller_and_forgets_where_it_was_taken(organiser, event, settings):
    data = saved(Image.new("RGB", (4000, 3000)), "JPEG", exif=photo((51.0, 20.0, 22.0)))
    assert b"Exif" in data
    image = put(organiser, event, data, status=200).json["data"]["image"]
    assert (image["width"], image["height"]) == (1600, 1200)
    stored = [file.read_bytes() for file in settings.files.rglob("*") if file.is_file()]
    assert len(stored) == 1 and b"Exif" not in stored[0]


def test_a_transparent_picture_stays_one(organiser, event):
    image = put(organiser, event, png_with_alpha(), status=200).json["data"]["image"]
    assert image["content_type"] == "image/png"


@pytest.mark.parametrize("data", [png(640, 480), jpeg(), GIF_OF_ONE_PIXEL])
def test_a_picture_that_ends_too_early_is_refused(organiser, event, data):
    """The header is whole: 60 bytes of a PNG say its size."""
    answer = put(organiser, event, data[: min(60, len(data) - 4)], status=422)
    assert answer.json["errors"][0]["code"] == "broken_picture"
    assert organiser.data(f"/events/{event['id']}")["image"] is None


def test_without_pillow_a_small_picture_is_taken_as_it_is(organiser, event, monkeypatch):
    monkeypatch.setattr(shrinking, "find_spec", lambda name: None)
    image = put(organiser, event, png(60, 20), status=200).json["data"]["image"]
    assert content(organiser, image).body == png(60, 20)
    (error,) = put(organiser, event, png(60, 20)[:-4], status=422).json["errors"]
    assert error["code"] == "broken_picture" and "python3-pil" in error["detail"]


def test_another_picture_replaces_the_first_and_the_same_one_changes_nothing(organiser, event, db):
    first = put(organiser, event, PNG, status=200).json["data"]
    assert put(organiser, event, PNG, status=200).json["data"] == first
    second = put(organiser, event, png_with_alpha(), status=200).json["data"]["image"]
    assert second["document_id"] == first["image"]["document_id"]
    assert (second["content_type"], second["width"]) == ("image/png", 8)
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
        (HEADER[:20], 422),
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

    for width, height in ((60_000, 60_000), (4_000, 4_001), (65_535, 763)):
        data = HEADER[:16] + struct.pack(">II", width, height) + HEADER[24:]
        (error,) = put(organiser, event, data, status=422).json["errors"]
        assert error["code"] == "picture_too_large"
        assert (
            f"{width} x {height} pixels, but at most 16000000 pixels are allowed" in error["detail"]
        )


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
