"""A file that is submitted in one request: its document is made with it, or not at all."""

import pytest

from tests.resources.test_submission_types import exhibitor
from tests.support.images import png

OCTETS = {"Content-Type": "application/octet-stream"}
LOGO = {"event_key": "fair", "title": "Logo", "allowed_extensions": ["png"], "max_size_mb": 1}


@pytest.fixture
def roses(organiser):
    organiser.make("/events", {"event_key": "fair", "title": "Fair"})
    return exhibitor(organiser)


@pytest.fixture
def logo(organiser, roses):
    return organiser.make("/submissions/types", LOGO)


def send(client, participant, status, data=None, headers=None, **query):
    """Send a file of a participant. Return the response."""
    query = {"event_participant_id": participant["id"], "filename": "logo.png", **query}
    path = "/submissions/files?" + "&".join(f"{name}={value}" for name, value in query.items())
    return client.post(
        path, raw=data or png(8, 8), headers={**OCTETS, **(headers or {})}, status=status
    )


def faults(answer):
    """Return (parameter or pointer, code) of the faults of a response."""
    return [
        (error.get("parameter", error.get("pointer")), error["code"])
        for error in answer.json["errors"]
    ]


def stored(settings):
    """Return the paths of the files in the file store."""
    return [file for file in settings.files.rglob("*") if file.is_file()]


def documents(organiser):
    return organiser.get("/documents").json["meta"]["total"]


def test_a_file_is_submitted_in_one_request(organiser, roses, logo):
    made = send(organiser, roses, 201, type_key="logo").json["data"]
    assert (made["status"], made["revision"]) == ("submitted", 1)
    document = organiser.data(f"/documents/{made['document_id']}")
    assert (document["filename"], document["title"]) == ("logo.png", "Logo")
    assert document["entity_id"] == roses["id"]
    content = organiser.get(f"/submissions/{made['id']}/revisions/1/content", status=200)
    assert content.body == png(8, 8)


def test_a_draft_waits_and_its_file_is_replaced(organiser, roses, logo):
    made = send(organiser, roses, 201, type_id=logo["id"], draft=1).json["data"]
    assert made["status"] == "pending"
    address = f"/submissions/{made['id']}"
    headers = {**OCTETS, "If-Match": '"other"'}
    path = f"{address}/file?filename=C:%5Clogos%5Cnew.png"
    organiser.put(path, raw=png(9, 9), headers=headers, status=412)
    new = organiser.put(path, raw=png(9, 9), headers=OCTETS, status=200).json["data"]
    assert (new["status"], new["revision"]) == ("submitted", 1)
    assert organiser.data(f"/documents/{new['document_id']}")["filename"] == "new.png"
    refused = organiser.put(path, raw=png(9, 9), headers=OCTETS, status=409)
    assert refused.json["code"] == "locked"
    organiser.post(f"{address}/reject", {"feedback": "Too small"}, status=200)
    again = organiser.put(path, raw=png(10, 10), headers=OCTETS, status=200).json["data"]
    assert (again["status"], again["revision"]) == ("submitted", 2)


def test_a_refused_file_leaves_nothing(organiser, roses, logo, settings):
    refused = send(organiser, roses, 422, b"no picture", type_key="logo")
    assert faults(refused) == [("", "content_type")]
    refused = send(organiser, roses, 422, type_key="logo", filename="logo.gif")
    assert faults(refused) == [("", "extension")]
    refused = send(organiser, roses, 422, png(8, 8) + bytes(1024 * 1024), type_key="logo")
    assert faults(refused) == [("", "too_large")]
    assert documents(organiser) == 0 and stored(settings) == []
    made = send(organiser, roses, 201, type_key="logo").json["data"]
    organiser.post(f"/submissions/{made['id']}/reject", {"feedback": "Too small"}, status=200)
    path = f"/submissions/{made['id']}/file?filename=logo.png"
    organiser.put(path, raw=b"no picture", headers=OCTETS, status=422)
    organiser.post(f"/participants/{roses['id']}/cancel", status=200)
    refused = organiser.put(path, raw=png(9, 9), headers=OCTETS, status=409)
    assert refused.json["code"] == "participant_cancelled"
    assert documents(organiser) == 1 and len(stored(settings)) == 1


def test_what_cannot_have_a_file_is_refused(organiser, roses, logo):
    organiser.make("/submissions/types", {"event_key": "fair", "title": "Slogan", "input": "text"})
    refused = send(organiser, roses, 422, type_key="slogan")
    assert faults(refused) == [("", "not_for_input")]
    organiser.make("/events", {"event_key": "other", "title": "Other"})
    other = organiser.make("/submissions/types", {**LOGO, "event_key": "other"})
    refused = send(organiser, roses, 422, type_id=other["id"])
    assert faults(refused) == [("type_id", "other_event")]
    refused = send(organiser, {"id": 999}, 422, type_key="logo")
    assert faults(refused) == [("event_participant_id", "unknown")]
    refused = send(organiser, roses, 422, type_key="logo", filename="/")
    assert faults(refused) == [("filename", "required")]
    send(organiser, roses, 422)
    slogan = organiser.make(
        "/submissions",
        {"event_participant_id": roses["id"], "type_key": "slogan", "draft": True},
    )
    path = f"/submissions/{slogan['id']}/file?filename=logo.png"
    organiser.put(path, raw=png(8, 8), headers=OCTETS, status=422)
    assert documents(organiser) == 0


def test_one_type_has_one_submission(organiser, roses, logo):
    key = {"Idempotency-Key": "logo-1"}
    made = send(organiser, roses, 201, headers=key, type_key="logo").json["data"]
    again = send(organiser, roses, 201, headers=key, type_key="logo").json["data"]
    assert again["id"] == made["id"]
    other = send(organiser, roses, 422, png(9, 9), headers=key, type_key="logo")
    assert other.json["code"] == "idempotency_key_reused"
    assert send(organiser, roses, 409, type_key="logo").json["code"] == "duplicate"
    assert documents(organiser) == 1


def test_those_who_have_cancelled_or_are_erased_hand_in_nothing(organiser, roses, logo):
    organiser.post(f"/participants/{roses['id']}/cancel", status=200)
    refused = send(organiser, roses, 409, type_key="logo")
    assert refused.json["code"] == "participant_cancelled"
    organiser.post(f"/contacts/{roses['contact_id']}/anonymize", status=200)
    assert send(organiser, roses, 409, type_key="logo").json["code"] == "anonymized"
    assert documents(organiser) == 0


def test_a_file_needs_both_scopes(person, organiser, roses, logo):
    for scopes in ("submissions", "documents", "submissions documents:read"):
        send(person(scopes), roses, 403, type_key="logo")
    send(person("submissions documents"), roses, 201, type_key="logo")
