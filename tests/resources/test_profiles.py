"""Profiles: how exhibitors are shown on the public pages."""

import struct

import pytest

from tests.support.client import SCOPES
from tests.test_images import GIF, JPEG, PNG


@pytest.fixture
def participant(organiser, event):
    contact = organiser.make("/contacts", {"company_name": "Rosen KG", "email": "a@rosen.example"})
    return organiser.make("/participants", {"event_id": event["id"], "contact_id": contact["id"]})


@pytest.fixture
def address(participant):
    return f"/participants/{participant['id']}/profile"


def put_logo(client, address, data, **options):
    return client.put(f"{address}/logo", raw=data, headers={"Content-Type": "image/png"}, **options)


def test_every_participant_has_a_profile_with_defaults(organiser, participant, address):
    assert organiser.data(address) == {
        "participant_id": participant["id"],
        "is_listed": None,
        "locked": False,
        "display_name": None,
        "texts": {},
        "products": [],
        "website": None,
        "email": None,
        "phone": None,
        "links": [],
        "logo": None,
        "created_at": None,
        "updated_at": None,
    }
    organiser.get("/participants/999/profile", status=404)


def test_a_change_is_stored_journalled_and_announced(organiser, participant, address, db):
    changed = organiser.patch(
        address,
        {
            "display_name": "Rosen",
            "texts": {"de": "Rosen seit 1906."},
            "products": ["Rosen"],
            "is_listed": False,
        },
        status=200,
    ).json["data"]
    assert organiser.data(address) == changed and changed["is_listed"] is False
    entry = organiser.data("/audit-log?entity_type=event_participant&action=profile_changed")[0]
    assert entry["entity_id"] == participant["id"]
    assert entry["new_values"] == {
        "display_name": "Rosen",
        "texts": {"de": "Rosen seit 1906."},
        "products": ["Rosen"],
        "is_listed": False,
    }
    names = [
        name for (name,) in db.connection.execute("SELECT name FROM outgoing_events ORDER BY id")
    ]
    assert names[-1] == "participant.profile_changed"
    organiser.patch(address, changed, status=200)
    assert (
        len(organiser.data("/audit-log?entity_type=event_participant&action=profile_changed")) == 1
    )


def test_a_logo_is_png_jpeg_or_webp_of_a_limited_size(organiser, address):
    logo = put_logo(organiser, address, PNG, status=200).json["data"]["logo"]
    assert logo["content_type"] == "image/png" and organiser.data(address)["logo"] == logo
    assert (
        put_logo(organiser, address, JPEG, status=200).json["data"]["logo"]["document_id"]
        == logo["document_id"]
    )
    put_logo(organiser, address, GIF, status=415)
    put_logo(organiser, address, b"<svg xmlns='http://www.w3.org/2000/svg'/>", status=415)
    wide = PNG[:16] + struct.pack(">II", 1201, 10) + PNG[24:]
    assert (
        put_logo(organiser, address, wide, status=422).json["errors"][0]["code"]
        == "picture_too_large"
    )
    put_logo(organiser, address, PNG + bytes(300_000), status=413)
    assert organiser.data(address)["logo"]["content_type"] == "image/jpeg"
    document = f"/documents/{logo['document_id']}"
    assert organiser.delete(document, status=409).json["code"] == "in_use"
    assert (
        organiser.put(
            f"{document}/content",
            raw=PNG,
            headers={"Content-Type": "application/octet-stream"},
            status=409,
        ).json["code"]
        == "in_use"
    )
    organiser.delete(f"{address}/logo", status=204)
    organiser.delete(f"{address}/logo", status=204)
    assert organiser.data(address)["logo"] is None
    organiser.get(document, status=404)


def test_a_profile_ends_with_the_participant_and_with_the_person(
    organiser, participant, address, db
):
    organiser.patch(address, {"email": "zqv@rosen.example"}, status=200)
    put_logo(organiser, address, PNG, status=200)
    exported = organiser.data(f"/contacts/{participant['contact_id']}/export")
    assert [profile["email"] for profile in exported["profiles"]] == ["zqv@rosen.example"]
    organiser.post(f"/contacts/{participant['contact_id']}/anonymize", {}, status=200)
    assert organiser.data(address)["email"] is None and organiser.data(address)["logo"] is None
    assert (
        organiser.patch(address, {"email": "b@rosen.example"}, status=409).json["code"]
        == "anonymized"
    )
    assert put_logo(organiser, address, PNG, status=409).json["code"] == "anonymized"
    organiser.delete(f"/participants/{participant['id']}", status=204)
    assert db.connection.execute("SELECT count(*) FROM profiles").fetchone()[0] == 0


def test_profiles_need_the_scope_of_participants(person, address):
    person("participants:read").get(address, status=200)
    person("participants:read").patch(address, {"locked": True}, status=403)
    person(" ".join(scope for scope in SCOPES.split() if scope != "participants")).get(
        address, status=403
    )
