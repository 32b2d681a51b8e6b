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


WEAKENED = "The tag begins with W/: a proxy has weakened it, for example by compressing."


def refusal(response):
    assert response.json["code"] == "precondition_failed"
    return response.json["detail"]


def test_a_weak_tag_of_a_record_is_refused_with_the_way_out(shared):
    contact = make(shared.organiser, "contact")
    address = f"/contacts/{contact['id']}"
    tag = tag_of(shared.organiser, address)

    def changed(if_match, city, status):
        return shared.organiser.patch(
            address, {"city": city}, headers={"If-Match": if_match}, status=status
        )

    assert refusal(changed(f"W/{tag}", "Kiel", 412)) == (
        "The record has not changed, but a weak tag never matches in `If-Match` (RFC 9110). "
        f"{WEAKENED} Send it without W/."
    )
    changed(f'W/"other", {tag}', "Kiel", 200)
    assert refusal(changed(f"W/{tag}", "Bonn", 412)) == (
        "The record has changed since you read it. Read it again, then repeat your change with its "
        f"new `ETag` in `If-Match`. {WEAKENED} Send the new one without W/."
    )
    assert refusal(changed(tag, "Bonn", 412)) == (
        "The record has changed since you read it. Read it again, then repeat your change with its "
        "new `ETag` in `If-Match`."
    )


def test_a_weak_tag_of_a_content_is_refused_with_the_way_out(shared):
    event = make(shared.organiser, "event")
    document = shared.organiser.make(
        "/documents", {"entity_type": "event", "entity_id": event["id"], "filename": "a.txt"}
    )
    address = f"/documents/{document['id']}/content"

    def sent(raw, status, **headers):
        headers = {"Content-Type": "application/octet-stream", **headers}
        return shared.organiser.put(address, raw=raw, headers=headers, status=status)

    tag = sent(b"A", 200).headers["ETag"]
    assert refusal(sent(b"B", 412, **{"If-Match": f"W/{tag}"})) == (
        "The content has not changed, but a weak tag never matches in `If-Match` (RFC 9110). "
        f"{WEAKENED} Send it without W/."
    )
    assert refusal(sent(b"B", 412, **{"If-Match": 'W/"other"'})) == (
        "The content has changed since you read it. Read it again, then repeat your change with its "
        f"new `ETag` in `If-Match`. {WEAKENED} Send the new one without W/."
    )
    sent(b"B", 200, **{"If-Match": tag})


def test_a_merge_patch_is_refused_with_the_media_type_to_send(shared):
    contact = make(shared.organiser, "contact")
    answer = shared.organiser.patch(
        f"/contacts/{contact['id']}",
        {"city": "Kiel"},
        headers={"Content-Type": "application/merge-patch+json"},
        status=415,
    )
    assert answer.json["detail"] == "Send the body as application/json, in UTF-8, not compressed."


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
