"""Read-only fields that are sent: equal ones change nothing, others are refused or named, in single requests and in
batches (contract, section 9). Imports: tests/resources/test_bulk_import.py.
"""

import json
import re
from datetime import datetime, timedelta

import pytest

from eventapi import paths
from eventapi.app import routes
from tests.support.examples import as_read, body_for, collections, make, updates
from tests.web.test_routes import problem

# Record -> field -> value -> part of the request that sets it.
CHANGED_BY = {
    "application": {
        "status": {
            "in_review": "POST /api/v1/applications/{id}/review",
            "approved": "POST /api/v1/applications/{id}/approve",
            "rejected": "POST /api/v1/applications/{id}/reject",
            "waitlisted": "POST /api/v1/applications/{id}/waitlist",
            "info_requested": "POST /api/v1/applications/{id}/request-info",
            "withdrawn": "POST /api/v1/applications/{id}/withdraw",
        }
    },
    "submission": {
        "status": {
            "submitted": "POST /api/v1/submissions/{id}/submit",
            "approved": "POST /api/v1/submissions/{id}/approve",
            "rejected": "POST /api/v1/submissions/{id}/reject",
            "revision_requested": "POST /api/v1/submissions/{id}/request-revision",
        }
    },
    "participant": {
        "status": {
            "registered": "POST /api/v1/participants/{id}/reinstate",
            "confirmed": "POST /api/v1/participants/{id}/confirm",
            "cancelled": "POST /api/v1/participants/{id}/cancel",
        },
        "is_checked_in": {"true": "POST /api/v1/check-ins"},
    },
    "contact": {
        "newsletter_status": {
            "pending": "POST /api/v1/newsletter",
            "confirmed": "POST /api/v1/newsletter",
            "unsubscribed": "DELETE /api/v1/newsletter",
        }
    },
    "newsletter_subscriber": {
        "status": {
            "pending": "POST /api/v1/newsletter",
            "confirmed": "POST /api/v1/newsletter",
            "unsubscribed": "DELETE /api/v1/newsletter/{id}",
        }
    },
    "document": {
        "contract_status": {
            "draft": "POST /api/v1/documents/{id}/void",
            "pending_signature": "POST /api/v1/documents/{id}/request-signature",
            "active": "POST /api/v1/documents/{id}/mark-signed",
            "terminated": "POST /api/v1/documents/{id}/terminate",
        }
    },
    "link": {"status": {"revoked": "POST /api/v1/links/{id}/revoke"}},
}
UNNAMED = ("id", "created_at", "updated_at", "allowed_actions")


def schema_of(singular):
    """Return the schema file as it is on disk."""
    return json.loads((paths.folder("schemas") / f"{singular}.json").read_text())


def read_only_fields():
    """Yield (record, field, schema) of each read-only field of the records that can be created."""
    for singular in sorted(collections()):
        for field, sub in schema_of(singular)["properties"].items():
            if sub.get("readOnly"):
                yield singular, field, sub


def other(value, schema):
    """Return another value than that of a read-only field, of its type."""
    if "enum" in schema:
        return next(word for word in schema["enum"] if word not in (None, value))
    kinds = schema.get("type", "object")
    kind = next(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")
    if schema.get("format") == "date-time":
        return "1999-01-01T00:00:00Z"
    return {
        "string": "something else",
        "integer": 987654,
        "number": 987654.32,
        "boolean": not value,
        "array": ["something else"],
        "object": {"something": "else"},
    }[kind]


def is_named(field, schema):
    return field not in UNNAMED and not {"x-include", "x-outcome"} & schema.keys()


each_field = pytest.mark.parametrize(
    ("singular", "field", "schema"),
    [pytest.param(*entry, id=f"{entry[0]}.{entry[1]}") for entry in read_only_fields()],
)


def test_the_table_names_each_field_that_an_action_changes():
    found = {
        (singular, field): sub["x-changed-by"]
        for singular, field, sub in read_only_fields()
        if "x-changed-by" in sub
    }
    assert found.keys() == {
        (singular, field) for singular, fields in CHANGED_BY.items() for field in fields
    }
    for (singular, field), requests in found.items():
        for value, request in CHANGED_BY[singular][field].items():
            assert request in requests[value]


def test_each_request_that_an_error_names_exists():
    known = {(route.method, route.path.replace("<id>", "{id}")) for route in routes()}
    for singular, field, sub in read_only_fields():
        for text in sub.get("x-changed-by", {}).values():
            named = re.findall(r"(POST|DELETE) (/api/v1/[a-z{}/-]+)", text)
            assert named, f"{singular}.{field}: {text}"
            assert set(named) <= known


@each_field
def test_a_field_that_was_read_can_be_sent_back(shared, singular, field, schema):
    record = as_read(singular, make(shared.organiser, singular))
    if field not in record:
        return  # only with `include`, or only the response to POST has it
    address, version = f"{collections()[singular]}/{record['id']}", shared.version()
    answer = shared.organiser.patch(address, {field: record[field]}, status=200)
    assert answer.json["data"] == record
    assert "ignored" not in answer.json["meta"]
    assert shared.version() == version, "nothing is written, and nothing journalled"


@pytest.mark.parametrize("singular", sorted(collections()))
def test_a_record_that_was_read_can_be_sent_back(shared, singular):
    record = as_read(singular, make(shared.organiser, singular))
    for method in updates(singular):
        answer = shared.organiser(
            method, f"{collections()[singular]}/{record['id']}", record, status=200
        )
        assert answer.json["data"] == record
        assert "ignored" not in answer.json["meta"]


@each_field
def test_a_changed_field_is_refused_or_named(shared, singular, field, schema):
    record = as_read(singular, make(shared.organiser, singular))
    address, version = f"{collections()[singular]}/{record['id']}", shared.version()
    body = {field: other(record.get(field), schema)}
    answer = shared.organiser.patch(address, body)

    if field in CHANGED_BY.get(singular, {}):
        found = problem(answer, 422, "validation_failed")
        assert [(error["pointer"], error["code"]) for error in found["errors"]] == [
            (f"/{field}", "read_only")
        ]
    else:
        assert answer.status_int == 200
        expected = [f"/{field}"] if is_named(field, schema) else None
        assert answer.json["meta"].get("ignored") == expected
        assert answer.json["data"] == record
    assert shared.version() == version, "nothing is written, and nothing journalled"


@each_field
def test_a_field_of_a_new_record_is_refused_or_named(shared, singular, field, schema):
    path = collections()[singular]
    new = make(shared.organiser, singular)
    if "x-new" in schema:
        pytest.skip("a request may name a new record there: tests/resources/test_participants.py")
    body = {**body_for(shared.organiser, singular), field: other(new.get(field), schema)}
    version = shared.version()
    answer = shared.organiser.post(path, body)

    if field in CHANGED_BY.get(singular, {}):
        found = problem(answer, 422, "validation_failed")
        assert [(error["pointer"], error["code"]) for error in found["errors"]] == [
            (f"/{field}", "read_only")
        ]
        assert shared.version() == version, "nothing is written, and nothing journalled"
        return
    assert answer.status_int == 201
    expected = [f"/{field}"] if is_named(field, schema) else None
    assert answer.json["meta"].get("ignored") == expected
    assert (
        shared.organiser.post(path, {**body_for(shared.organiser, singular), field: None})
        .json["meta"]
        .keys()
        .isdisjoint({"ignored"})
    ), "null names nothing"


@pytest.mark.parametrize(
    ("singular", "field", "value"),
    [
        pytest.param(singular, field, value, id=f"{singular}.{field}={value}")
        for singular, fields in CHANGED_BY.items()
        for field, requests in fields.items()
        for value in requests
    ],
)
def test_the_error_names_the_request_that_sets_the_value(shared, singular, field, value):
    record = as_read(singular, make(shared.organiser, singular))
    sent = value == "true" or value
    if record[field] == sent:
        return
    answer = shared.organiser.patch(f"{collections()[singular]}/{record['id']}", {field: sent})
    detail = problem(answer, 422, "validation_failed")["errors"][0]["detail"]
    request = CHANGED_BY[singular][field][value].replace("{id}", str(record["id"]))
    assert detail.startswith(f"cannot be set to {value}. Send ")
    assert request in detail


def test_a_value_that_no_request_sets_names_all_of_them(organiser):
    application = make(organiser, "application")
    organiser.post(f"/applications/{application['id']}/review", status=200)
    answer = organiser.patch(f"/applications/{application['id']}", {"status": "new"})
    assert problem(answer, 422, "validation_failed")["errors"][0]["detail"] == (
        "cannot be set to new. Send POST /api/v1/applications/1/review, POST /api/v1/applications/1/approve, POST "
        "/api/v1/applications/1/reject, POST /api/v1/applications/1/waitlist, POST "
        "/api/v1/applications/1/request-info or POST /api/v1/applications/1/withdraw"
    )


def test_a_new_application_cannot_be_approved(organiser):
    body = {**body_for(organiser, "application"), "status": "approved"}
    answer = organiser.post("/applications", body)
    assert problem(answer, 422, "validation_failed")["errors"] == [
        {
            "pointer": "/status",
            "code": "read_only",
            "detail": "of a new application is new and cannot be set to approved. Create it without "
            "`status`, then send POST /api/v1/applications/{id}/approve",
        }
    ]
    assert organiser.get("/applications").json["meta"]["total"] == 0


def test_the_value_after_the_request_is_accepted(organiser):
    participant = make(organiser, "participant")
    for body in (
        {"is_confirmed": True, "status": "confirmed"},
        {"is_confirmed": False, "status": "confirmed"},
    ):
        answer = organiser.patch(f"/participants/{participant['id']}", body, status=200)
        assert "ignored" not in answer.json["meta"]


@pytest.mark.parametrize("form", ["{utc}+00:00", "{utc}.000Z", "{berlin}+01:00", " {utc}Z "])
def test_another_form_of_the_same_time_is_not_named(organiser, form):
    """Generated clients write +00:00, browsers milliseconds."""
    body = {**body_for(organiser, "newsletter_subscriber"), "send_confirmation": False}
    subscriber = organiser.post("/newsletter", body, status=201).json["data"]
    moment = datetime.fromisoformat(subscriber["confirmed_at"])
    berlin = moment + timedelta(hours=1)
    text = form.format(utc=f"{moment:%Y-%m-%dT%H:%M:%S}", berlin=f"{berlin:%Y-%m-%dT%H:%M:%S}")
    address = f"/newsletter/{subscriber['id']}"
    answer = organiser.patch(address, {"confirmed_at": text}, status=200)
    assert "ignored" not in answer.json["meta"]
    answer = organiser.patch(address, {"confirmed_at": "2027-05-01T09:00:01Z"}, status=200)
    assert answer.json["meta"]["ignored"] == ["/confirmed_at"]


def test_parts_of_a_record_are_named_by_their_place(organiser):
    invoice = make(organiser, "invoice")
    items = [dict(item) for item in invoice["items"]]
    sent_back = organiser.patch(f"/invoices/{invoice['id']}", {"items": items}, status=200)
    assert "ignored" not in sent_back.json["meta"]

    items[0]["net"] = 1
    answer = organiser.patch(
        f"/invoices/{invoice['id']}", {"items": items, "total": 1, "paid_amount": 1}, status=200
    )
    assert sorted(answer.json["meta"]["ignored"]) == ["/items/0/net", "/paid_amount", "/total"]
    assert answer.json["data"]["total"] == invoice["total"]


def test_items_that_move_are_not_named(organiser):
    invoice = make(organiser, "invoice")
    address = f"/invoices/{invoice['id']}"
    lines = [
        {"description": f"Line {price}", "quantity": 1, "unit_price": price}
        for price in (10, 20, 30)
    ]
    items = organiser.patch(address, {"items": lines}, status=200).json["data"]["items"]
    for sent in (items[::-1], items[1:], items[:1], [items[1], items[1]]):
        answer = organiser.patch(address, {"items": sent}, status=200)
        assert "ignored" not in answer.json["meta"]
        organiser.patch(address, {"items": items}, status=200)
    items[1]["net"] = 987
    answer = organiser.patch(address, {"items": items}, status=200)
    assert answer.json["meta"]["ignored"] == ["/items/1/net"]


def test_parts_that_are_null_may_be_left_out(organiser):
    """Clients in Go and Python leave out what is null."""
    invoice = make(organiser, "invoice")
    organiser.post(f"/invoices/{invoice['id']}/send", {}, status=200)
    sent = organiser.get(f"/invoices/{invoice['id']}", status=200).json["data"]
    assert None in sent["buyer"].values() and None in sent["seller"].values()
    body = {
        side: {name: value for name, value in sent[side].items() if value is not None}
        for side in ("buyer", "seller")
    }
    answer = organiser.patch(f"/invoices/{invoice['id']}", body, status=200)
    assert "ignored" not in answer.json["meta"]
    body["buyer"]["city"] = "Somewhere else"
    answer = organiser.patch(f"/invoices/{invoice['id']}", body, status=200)
    assert answer.json["meta"]["ignored"] == ["/buyer"]


def test_a_post_that_finds_the_record_is_told_of_that_record(organiser):
    body = {**body_for(organiser, "newsletter_subscriber"), "send_confirmation": False}
    organiser.post("/newsletter", body, status=201)
    answer = organiser.post("/newsletter", {**body, "status": "unsubscribed"})
    assert problem(answer, 422, "validation_failed")["errors"][0]["detail"] == (
        "cannot be set to unsubscribed. Send DELETE /api/v1/newsletter/1"
    )


def test_a_repetition_of_a_post_names_the_same_fields(organiser):
    body = {"company_name": "Rosen KG", "anonymized_at": "2027-05-01T09:00:00Z"}
    key = {"Idempotency-Key": "once"}
    first, again = (organiser.post("/contacts", body, headers=key) for _ in range(2))
    assert again.headers["Idempotency-Replayed"] == "true"
    assert first.json["meta"]["ignored"] == again.json["meta"]["ignored"] == ["/anonymized_at"]


@pytest.mark.parametrize("dry_run", [False, True])
def test_each_entry_of_a_batch_is_refused_or_named(organiser, dry_run):
    items = [body_for(organiser, "participant") for _ in range(3)]
    items[0]["status"] = "cancelled"
    items[1] |= {"status": "confirmed", "badge_number": "SOMETHING"}
    body = {"action": "create", "items": items, "dry_run": dry_run}
    before = organiser.get("/participants").json["meta"]["total"]
    results = organiser.post("/participants/batch", body, status=200).json["data"]["results"]
    assert [entry["status"] for entry in results] == [422, 201, 201]
    assert [error["code"] for error in results[0]["errors"]] == ["read_only"]
    assert results[1]["meta"] == {"ignored": ["/badge_number"]}
    assert "meta" not in results[2]
    after = organiser.get("/participants").json["meta"]["total"]
    assert after == before + (0 if dry_run else 2)


def test_each_scan_of_a_batch_is_named(organiser):
    scans = [body_for(organiser, "check_in") for _ in range(2)]
    scans[0]["is_checked_in"] = False
    scans[1]["is_checked_in"] = True
    scans.append({"badge_number": "2X7K9MFART4D", "is_checked_in": False})
    answer = organiser.post("/check-ins/batch", {"scans": scans}, status=200)
    results = answer.json["data"]["results"]
    assert [entry["status"] for entry in results] == [201, 201, 422]
    assert [entry.get("ignored") for entry in results] == [["/is_checked_in"], None, None]
