"""The ETag of a write is the one that GET returns, so that a client can continue with If-Match
without a GET.
"""

import pytest

from tests.support.client import SCOPES
from tests.support.examples import SHOWN_ONCE, as_read, body_for, collections, make, updates
from tests.web.test_routes import each_creation, problem


def tag_of(client, address):
    return client.get(address, status=200).headers["ETag"]


@each_creation
def test_a_write_returns_the_etag_of_the_record(shared, singular, path):
    created = shared.organiser.post(path, body_for(shared.organiser, singular), status=201)
    address = f"{path}/{created.json['data']['id']}"
    assert created.headers["ETag"] == tag_of(shared.organiser, address)
    record, tag = as_read(singular, created.json["data"]), created.headers["ETag"]
    for method in updates(singular):
        answer = shared.organiser(method, address, record, headers={"If-Match": tag}, status=200)
        tag = answer.headers["ETag"]
        assert tag == tag_of(shared.organiser, address)


@each_creation
def test_a_minimal_response_has_the_etag_too(shared, singular, path):
    minimal = {"Prefer": "return=minimal"}
    answer = shared.organiser.post(
        path, body_for(shared.organiser, singular), headers=minimal, status=201
    )
    address = f"{path}/{answer.json['data'][f'{singular}_id']}"
    assert answer.headers["ETag"] == tag_of(shared.organiser, address)


@each_creation
def test_a_replayed_response_has_the_etag_of_the_first(shared, singular, path):
    body, key = body_for(shared.organiser, singular), {"Idempotency-Key": f"etag-{singular}"}
    first = shared.organiser.post(path, body, headers=key, status=201)
    assert (
        shared.organiser.post(path, body, headers=key, status=201).headers["ETag"]
        == first.headers["ETag"]
    )


@pytest.mark.parametrize("singular", sorted(SHOWN_ONCE))
def test_a_minimal_response_contains_a_secret_that_is_shown_once(shared, singular):
    minimal = {"Prefer": "return=minimal"}
    secret = SHOWN_ONCE[singular]
    path = collections()[singular]
    headers = {**minimal, "Idempotency-Key": f"minimal-{singular}"}
    body = body_for(shared.organiser, singular)
    small = shared.organiser.post(path, body, headers=headers, status=201).json["data"]
    assert small.keys() == {f"{singular}_id", secret, "created_at", "updated_at"} and small[secret]
    again = shared.organiser.post(path, body, headers=headers, status=201).json["data"]
    del small[secret]
    assert again == small, "a replay does not contain the secret"


def test_a_rotated_secret_is_in_the_minimal_response(shared):
    hook = make(shared.organiser, "webhook")
    answer = shared.organiser.post(
        f"/webhooks/{hook['id']}/rotate-secret", headers={"Prefer": "return=minimal"}, status=200
    )
    assert answer.json["data"]["secret"].startswith("whsec_")
    assert answer.headers["ETag"] == tag_of(shared.organiser, f"/webhooks/{hook['id']}")


@each_creation
def test_an_empty_if_match_matches_nothing(shared, singular, path):
    record = make(shared.organiser, singular)
    address = f"{path}/{record['id']}"
    for empty in ("", " ", ","):
        for method, body in (
            *((method, as_read(singular, record)) for method in updates(singular)),
            ("DELETE", None),
        ):
            problem(
                shared.organiser(method, address, body, headers={"If-Match": empty}),
                412,
                "precondition_failed",
            )
    assert shared.person(SCOPES).get(address, status=200)


def test_the_etag_of_an_upload_is_that_of_the_content(shared):
    event = make(shared.organiser, "event")
    document = shared.organiser.make(
        "/documents", {"entity_type": "event", "entity_id": event["id"], "filename": "a.txt"}
    )
    address = f"/documents/{document['id']}/content"
    answer = shared.organiser.put(
        address, raw=b"A", headers={"Content-Type": "application/octet-stream"}, status=200
    )
    assert answer.headers["ETag"] == tag_of(shared.organiser, address)


def test_a_response_that_is_no_representation_of_its_record_has_no_etag(shared):
    contact = make(shared.organiser, "contact")
    assert (
        "ETag"
        not in shared.organiser.post(f"/contacts/{contact['id']}/anonymize", status=200).headers
    )


def test_an_action_returns_the_etag_of_the_record(shared):
    note, event = make(shared.organiser, "note"), make(shared.organiser, "event")
    pinned = shared.organiser.post(f"/notes/{note['id']}/pin", status=200)
    assert pinned.headers["ETag"] == tag_of(shared.organiser, f"/notes/{note['id']}")
    copy = shared.organiser.post(
        f"/events/{event['id']}/copy", {"date_from": "2029-05-01", "with": []}, status=201
    )
    assert copy.headers["ETag"] == tag_of(shared.organiser, f"/events/{copy.json['data']['id']}")
