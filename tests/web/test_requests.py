"""Rules for every request (RFC 9110, 9457, 7240, 8259), shown on events and notes; test_routes.py
tests them on every route.
"""

import base64
import errno
import io
import json
import os
import sqlite3
import threading
import time
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from zlib import crc32

import pytest
import webtest

from eventapi import spreadsheet, times
from eventapi.app import App
from eventapi.domain.access import people
from eventapi.plugins.validation import accepted
from eventapi.storage.database import Database
from eventapi.storage.group_commit import Writer
from eventapi.storage.statements import statements
from eventapi.storage.write_lock import write_lock
from tests.support.client import SCOPES, add_key


def sqlite_error(code):
    error = sqlite3.OperationalError("it broke on purpose")
    error.sqlite_errorcode = code
    return error


def plain(app, method="GET", path="/api/v1/events", body=b"", **environ):
    """Send a request without WebTest, which refuses invalid ones. Return (status, headers, body)."""
    response = {}

    def start(status, headers, *_):
        response.update(
            status=int(status.split()[0]), headers={name.lower(): value for name, value in headers}
        )

    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "SCRIPT_NAME": "",
        "QUERY_STRING": "",
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **environ,
    }
    body = b"".join(app.app(environ, start))
    return response["status"], response["headers"], body


# Keys


def test_a_key_is_read_in_any_case_of_the_scheme(organiser):
    key = organiser.key
    organiser.key = None
    for header in (f"Bearer {key}", f"bearer {key}", f"BEARER  {key} "):
        organiser.get("/events", headers={"Authorization": header}, status=200)
    organiser.get(f"/events?api_key={key}", status=401)
    organiser.get("/events", headers={"X-API-Key": key}, status=401)


def test_a_revoked_key_is_refused_at_the_next_request(person, db):
    client = person("events")
    client.get("/events", status=200)
    with db.write():
        db.run(statements("api_keys").revoke, id=1, now=db.now)
    assert client.get("/events", status=401).json["code"] == "invalid_api_key"


def test_a_key_of_a_disabled_admin_is_refused(person, db):
    client = person("events")
    with db.write():
        people.disable(db, 1)
    client.get("/events", status=401)


def test_a_key_works_until_it_expires(app, db, person):
    soon = times.text(datetime.now(timezone.utc) + timedelta(hours=1))
    person("events", expires_at=soon).get("/events", status=200)
    past = times.text(datetime.now(timezone.utc) - timedelta(seconds=1))
    person("events", expires_at=past).get("/events", status=401)


def test_the_last_use_of_a_key_is_recorded_hourly(person, db):
    client = person("events")
    client.get("/events", status=200)
    used = db.connection.execute("SELECT last_used_at FROM api_keys").fetchone()[0]
    assert used
    db.connection.execute("UPDATE api_keys SET last_used_at = '2020-01-01T00:00:00Z'")
    client.get("/events", status=200)
    assert db.connection.execute("SELECT last_used_at FROM api_keys").fetchone()[0] >= used


def test_a_key_is_kept_as_a_hash_only(organiser, db, settings):
    organiser.make("/events", {"title": "Garden Fair"})
    db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert organiser.key.encode() not in settings.database.read_bytes()


# Envelope


def test_a_successful_response_has_data_and_meta(organiser):
    answer = organiser.get("/events", status=200)
    assert answer.json.keys() == {"data", "meta"} and answer.content_type == "application/json"
    assert answer.json["meta"]["request_id"] == answer.headers["X-Request-ID"]
    assert (
        answer.headers["X-Content-Type-Options"] == "nosniff"
        and "no-cache" in answer.headers["Cache-Control"]
    )
    assert not [name for name in answer.headers if name.lower().startswith("access-control")], (
        "CORS: none, on purpose"
    )


def test_text_is_utf_8_and_not_escaped(organiser):
    title = "Gärten & “Ränder” 🎪 <b>"
    event = organiser.make("/events", {"title": title})
    assert event["title"] == title
    assert title.encode() in organiser.get(f"/events/{event['id']}").body


def test_links_and_locations_use_the_public_address(settings, db):
    settings.base_url = "https://events.example.org/messe"
    app = webtest.TestApp(App(settings))
    headers = {"Authorization": f"Bearer {add_key(db, SCOPES)}"}
    answer = app.post_json("/api/v1/events", {"title": "Garden Fair"}, headers=headers, status=201)
    assert (
        answer.headers["Location"]
        == f"https://events.example.org/messe/api/v1/events/{answer.json['data']['id']}"
    )
    assert ('<https://events.example.org/messe/api/v1/events?page=1>; rel="first"') in app.get(
        "/api/v1/events", headers=headers
    ).headers["Link"]
    problem = app.get("/api/v1/events/7", headers=headers, status=404)
    assert problem.json["type"] == "https://events.example.org/messe/problems/not_found"


def test_an_invalid_host_header_appears_in_no_url(app, organiser):
    key = {"HTTP_AUTHORIZATION": f"Bearer {organiser.key}"}
    for host in ('evil"><b', "a b", "a/b", "a@b", "\xfc"):
        _, headers, _ = plain(app, HTTP_HOST=host, HTTP_X_FORWARDED_PROTO="javascript", **key)
        assert headers["link"].startswith("<http://x/api/v1/events?page=1>")
    for host in ("api.example:8443", "[::1]:80"):
        _, headers, _ = plain(app, HTTP_HOST=host, HTTP_X_FORWARDED_PROTO="https", **key)
        assert headers["link"].startswith(f"<https://{host}/api/v1/events?page=1>")


def test_an_unexpected_error_reveals_no_internals(organiser, app, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("SELECT secret FROM /var/lib/eventapi")

    monkeypatch.setattr(Database, "rows", broken)
    answer = organiser.get("/events", status=500)
    assert (
        answer.json["code"] == "internal_error"
        and answer.content_type == "application/problem+json"
    )
    assert (
        "SELECT" not in answer.text and "Traceback" not in answer.text and "/var" not in answer.text
    )


def test_an_unknown_method_is_405_and_an_unreadable_path_is_400(app):
    status, headers, body = plain(app, "BREW")
    assert status == 405 and json.loads(body)["code"] == "method_not_allowed"
    assert headers["allow"] == "GET, HEAD, OPTIONS, POST"
    status, headers, body = plain(app, path="/api/v1/\xff")
    assert status == 400 and json.loads(body)["meta"]["request_id"] == headers["x-request-id"]


def test_a_path_is_never_interpreted_as_another_one(app, organiser):
    event = organiser.make("/events", {"title": "Fair"})
    key = {"HTTP_AUTHORIZATION": f"Bearer {organiser.key}"}
    assert plain(app, path=f"/api/v1/ev\xffents/{event['id']}", **key)[0] == 400
    assert plain(app, path=f"/api/v1/events/{event['id']}\n", **key)[0] == 404
    assert plain(app, path=f"/api/v1/events/{event['id']}/", **key)[0] == 200


@pytest.mark.parametrize(
    "path, wanted",
    [
        ("/api/v1/event", "/api/v1/events"),
        ("/api/v1/Events", "/api/v1/events"),
        ("/events", "/api/v1/events"),
        ("/api/v1/event/7", "/api/v1/events/7"),
        ("/api/v1/invoices/12/pdff", "/api/v1/invoices/12/pdf"),
        ("/api/v1/service_orders", "/api/v1/service-orders"),
        ("/api/v1/checkins/stats", "/api/v1/check-ins/stats"),
        ("/api/v2/events", "/api/v1/events"),
        ("/api/v1/webhooks/3/delivery", "/api/v1/webhooks/3/deliveries"),
        ("/api/v1/participants/invoice", "/api/v1/participants/{id}/invoice"),
        ("/api/v1/events/0", "/api/v1/events/{id}"),
        ("/api/v1/events/9223372036854775808", None),
        ("/Metrics", "/metrics"),
        ("/api/v1/healthz", "/healthz"),
        ("/doc", "/docs"),
        ("/api/openapi.json", "/openapi.json"),
        ("/api/v1/customers", "/api/v1/contacts"),
        ("/api/v1/customers/5", "/api/v1/contacts/5"),
        ("/api/v1/customers/5/merge", "/api/v1/contacts/5/merge"),
        ("/api/v1/exhibitors", "/api/v1/participants"),
        ("/api/v1/orders/9/confirm", "/api/v1/service-orders/9/confirm"),
        ("/api/v1/stands", "/api/v1/booths"),
        ("/wp-login.php", None),
        ("/api/v1/" + "x" * 3000, None),
        ("/", None),
    ],
)
def test_an_unknown_path_suggests_the_nearest_one(app, path, wanted):
    status, _, body = plain(app, path=path)
    if path == "/":
        assert status != 404
        return
    detail = json.loads(body)["detail"]
    assert status == 404 and ("did you mean" in detail) == bool(wanted) and len(detail) < 4000
    if wanted:
        assert detail == f"The path {path} does not exist; did you mean {wanted}?"


def test_a_batch_of_a_resource_that_has_none_leads_to_single_requests(app):
    detail = json.loads(plain(app, "POST", path="/api/v1/schedules/batch")[2])["detail"]
    assert detail == (
        "The path /api/v1/schedules/batch does not exist: /api/v1/schedules has no batch, so send a "
        "request for each record."
    )


def test_requests_without_a_route_are_logged_too(app, monkeypatch, caplog):
    lines = []
    monkeypatch.setattr("eventapi.web.request_log.write", lines.append)
    caplog.set_level("INFO", "eventapi.request")
    plain(app, path="/api/v1/nowhere\nGET", HTTP_X_REQUEST_ID="mine")
    plain(app, "BREW")
    lost, brewed = lines
    assert (
        r'request_id=mine client=- key=- admin=- method=GET path="/api/v1/nowhere\nGET" status_code=404 ms=0.0 b'
        in lost
    )
    assert "method=BREW path=/api/v1/events status_code=405" in brewed


def test_the_order_of_checks(organiser, anonymous, person, db):
    """The order is 404 path, 405, 401, plan, flag, scope, body, input, 404 record, 412, 409."""
    event = organiser.make("/events", {"title": "Garden Fair"})
    other = organiser.make("/events", {"title": "Boat Show"})
    address, limited = f"/events/{event['id']}", person("contacts")
    anonymous.get("/nothing", status=404)
    anonymous.put("/events", {}, status=405)
    anonymous.patch("/events/7?nonsense=1", {"nonsense": 1}, status=401)
    db.connection.execute("UPDATE tenant SET tier = 'Business'")
    assert limited.get("/events", status=403).json["code"] == "plan_required"
    db.connection.execute("UPDATE tenant SET tier = 'Business+'")
    assert limited.patch("/events/7", raw=b"{", status=403).json["code"] == "insufficient_scope"
    organiser.patch("/events/999", raw=b"{", status=400)
    organiser.patch("/events/999", raw=b"{", headers={"Content-Type": "text/plain"}, status=415)
    organiser.patch("/events/999", {"title": 7}, status=422)
    organiser.patch("/events/999", {"title": "x"}, headers={"If-Match": '"stale"'}, status=404)
    taken = {"event_key": other["event_key"]}
    organiser.patch(address, taken, headers={"If-Match": '"stale"'}, status=412)
    wrong_days = {**taken, "date_from": "2027-05-03", "date_to": "2027-05-01"}
    organiser.patch(address, wrong_days, status=422)
    assert organiser.patch(address, taken, status=409).json["code"] == "duplicate"


# Bodies


def test_all_errors_are_reported_at_once_and_in_order(organiser):
    body = {
        "title": "",
        "country": "Germany",
        "is_visible": "yes",
        "nonsense": 1,
        "opening_hours": [{"date": "soon", "opens": "9"}],
    }
    errors = organiser.post("/events", body, status=422).json["errors"]
    assert [(entry["pointer"], entry["code"]) for entry in errors] == [
        ("/country", "format"),
        ("/is_visible", "type"),
        ("/nonsense", "unknown"),
        ("/opening_hours/0/closes", "required"),
        ("/opening_hours/0/date", "format"),
        ("/opening_hours/0/opens", "format"),
        ("/title", "min_length"),
    ]
    assert all(entry["detail"] for entry in errors)


def test_errors_of_query_and_body_are_reported_together(organiser):
    answer = organiser.post("/events?x=1", {"title": "", "country": "??"}, status=422)
    assert [entry.get("parameter") or entry["pointer"] for entry in answer.json["errors"]] == [
        "x",
        "/country",
        "/title",
    ]


def test_for_a_misspelt_field_the_error_suggests_the_right_one(organiser):
    (error,) = organiser.post("/events", {"title": "x", "citty": "Leipzig"}, status=422).json[
        "errors"
    ]
    assert error["pointer"] == "/citty" and "city" in error["detail"]


def test_a_body_of_white_space_is_an_empty_one_but_not_of_a_form_feed(organiser):
    """RFC 8259, section 2, has four kinds of white space."""
    event = organiser.make("/events", {"title": "Garden Fair"})
    address = f"/events/{event['id']}"
    empty = organiser.patch(address, raw=b" \t\r\n", status=422)
    assert empty.json["errors"][0]["code"] == "min_properties"
    for raw in (b"\x0c", b"\x0b", b" \xc2\xa0"):
        organiser.patch(address, raw=raw, status=400)


def test_text_is_trimmed_and_empty_text_is_null_where_it_may_be(organiser):
    event = organiser.make(
        "/events", {"title": "  Garden Fair \n", "city": "   ", "description": " a  b "}
    )
    assert (
        event["title"] == "Garden Fair" and event["city"] is None and event["description"] == "a  b"
    )
    organiser.post("/events", {"title": "   "}, status=422)


def test_null_is_refused_where_a_field_cannot_be_null(organiser):
    event = organiser.make("/events", {"title": "Garden Fair", "city": "Leipzig"})
    for field in ("title", "country", "is_visible", "opening_hours", "event_key", "timezone"):
        (error,) = organiser.patch(f"/events/{event['id']}", {field: None}, status=422).json[
            "errors"
        ]
        assert error["pointer"] == f"/{field}"
    assert (
        organiser.patch(f"/events/{event['id']}", {"city": None}, status=200).json["data"]["city"]
        is None
    )


def test_put_and_patch_do_not_change_fields_that_are_not_sent(organiser):
    event = organiser.make(
        "/events", {"title": "Garden Fair", "city": "Leipzig", "is_visible": False}
    )
    changed = organiser.put(f"/events/{event['id']}", {"title": "Garden Show"}, status=200).json[
        "data"
    ]
    assert changed == {**event, "title": "Garden Show", "updated_at": changed["updated_at"]}


def test_a_change_to_the_same_value_changes_nothing(organiser, db):
    event = organiser.make("/events", {"title": "Garden Fair"})
    db.connection.execute("UPDATE events SET updated_at = '2026-01-01T00:00:00Z'")
    entries = db.connection.execute("SELECT count(*) FROM audit_log").fetchone()
    same = organiser.patch(f"/events/{event['id']}", {"title": "Garden Fair"}, status=200).json[
        "data"
    ]
    assert same["updated_at"] == "2026-01-01T00:00:00Z"
    assert db.connection.execute("SELECT count(*) FROM audit_log").fetchone() == entries


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'],
)
def test_json_is_accepted_with_or_without_charset(organiser, kind):
    organiser.post("/events", raw=b'{"title": "x"}', headers={"Content-Type": kind}, status=201)


def test_a_request_without_a_body_needs_no_content_type(organiser, app):
    event = organiser.make("/events", {"title": "Garden Fair"})
    note = organiser.make(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "x"}
    )
    status, _, _ = plain(
        app, "POST", f"/api/v1/notes/{note['id']}/pin", HTTP_AUTHORIZATION=f"Bearer {organiser.key}"
    )
    assert status == 200


def test_a_chunked_body_is_read_and_limited(app, organiser):
    headers = {
        "HTTP_AUTHORIZATION": f"Bearer {organiser.key}",
        "HTTP_TRANSFER_ENCODING": "chunked",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": "",
        "wsgi.input_terminated": True,
    }
    status, _, body = plain(
        app, "POST", body=b"", **{**headers, "wsgi.input": io.BytesIO(b'{"title": "Chunky"}')}
    )
    assert status == 201, body
    status, _, body = plain(
        app, "POST", **{**headers, "wsgi.input": io.BytesIO(b'"' + b"x" * 2**20 + b'"')}
    )
    assert status == 413 and json.loads(body)["code"] == "body_too_large"


def test_a_body_that_is_cut_off_is_refused(app, organiser):
    def broken(error):
        def read(size):
            raise error

        return SimpleNamespace(read=read)

    headers = {"HTTP_AUTHORIZATION": f"Bearer {organiser.key}", "CONTENT_TYPE": "application/json"}
    for values in (
        {"CONTENT_LENGTH": "100", "wsgi.input": io.BytesIO(b'{"title": "Cut off"}')},
        {"CONTENT_LENGTH": "100", "wsgi.input": broken(OSError("the client is gone"))},
        {
            "CONTENT_LENGTH": "",
            "HTTP_TRANSFER_ENCODING": "chunked",
            "wsgi.input": broken(Exception("bad chunk")),
        },
    ):
        status, _, body = plain(app, "POST", **{**headers, **values})
        assert status == 400 and json.loads(body)["code"] == "malformed_request"
    assert organiser.data("/events") == []


def test_a_compressed_body_is_refused(organiser):
    answer = organiser.post(
        "/events", {"title": "Zipped"}, headers={"Content-Encoding": "gzip"}, status=415
    )
    assert answer.headers["Accept-Encoding"] == "identity"
    organiser.post(
        "/events", {"title": "Plain"}, headers={"Content-Encoding": "identity"}, status=201
    )


def test_a_body_just_under_the_limit_is_read(organiser):
    padding = b" " * (2**20 - len(b'{"title": "x"}'))
    organiser.post("/events", raw=b'{"title": "x"}' + padding, status=201)
    organiser.post("/events", raw=b'{"title": "x"}' + padding + b" ", status=413)


def test_a_body_that_has_not_arrived_is_refused_beyond_half_of_the_threads(organiser, app):
    raw = b'{"title": "x"}'

    def send(**stream):
        return plain(
            app,
            "POST",
            body=raw,
            CONTENT_TYPE="application/json",
            HTTP_AUTHORIZATION=f"Bearer {organiser.key}",
            **stream,
        )

    def send_late():
        return send(**{"wsgi.input": SimpleNamespace(read=io.BytesIO(raw).read)})

    taken = 0
    while app.app.places.acquire(blocking=False):
        taken += 1
    assert taken == app.app.settings.threads // 2
    status, headers, body = send_late()
    assert (
        status == 503
        and json.loads(body)["code"] == "unavailable"
        and int(headers["retry-after"]) > 0
    )
    assert send()[0] == 201
    app.app.places.release()
    assert [send_late()[0] for _ in range(3)] == [201] * 3  # each request frees its place


# Accept and Prefer


@pytest.mark.parametrize(
    "header, form",
    [
        (None, "a/json"),
        ("*/*", "a/json"),
        ("text/csv", "text/csv"),
        ("a/*", "a/json"),
        ("text/csv;q=0.5, a/json", "a/json"),
        ("a/json;q=0.1, text/csv;q=0.9", "text/csv"),
        ("image/png, */*;q=0.1", "a/json"),
        ("TEXT/CSV", "text/csv"),
        ("a/json;q=0, */*", "text/csv"),
        ("text/html, text/*;q=0.3", "text/csv"),
    ],
)
def test_the_best_format_that_the_client_accepts_is_chosen(header, form):
    assert accepted(header, ("a/json", "text/csv")) == form


def test_an_error_is_a_problem_document_for_any_accept_header(organiser):
    answer = organiser.get("/events?page=0", headers={"Accept": "text/csv"}, status=422)
    assert answer.content_type == "application/problem+json"


@pytest.mark.parametrize(
    "prefer, small",
    [
        ("return=minimal", True),
        ('respond-async, Return = "minimal"; x=1', True),
        ("return=minimalistic", False),
        ("return=representation", False),
    ],
)
def test_prefer_is_parsed_according_to_rfc_7240(organiser, prefer, small):
    answer = organiser.post("/events", {"title": "Fair"}, headers={"Prefer": prefer}, status=201)
    assert ("event_id" in answer.json["data"], "Preference-Applied" in answer.headers) == (
        small,
        small,
    )


def test_prefer_minimal_works_on_changes_and_actions_too(organiser):
    event = organiser.make("/events", {"title": "Garden Fair"})
    note = organiser.make(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "x"}
    )
    for method, path, body in (
        ("PATCH", f"/notes/{note['id']}", {"note_text": "y"}),
        ("POST", f"/notes/{note['id']}/pin", None),
    ):
        answer = organiser(
            method, path, body, headers={"Prefer": "respond-async, return = minimal"}, status=200
        )
        assert answer.json["data"].keys() == {"note_id", "created_at", "updated_at"}
        assert answer.json["data"]["created_at"] == times.unix(note["created_at"])
    assert (
        "Preference-Applied"
        not in organiser.get(
            f"/notes/{note['id']}", headers={"Prefer": "return=minimal"}, status=200
        ).headers
    )


# Idempotency


def test_a_response_is_replayed_for_a_day_only(organiser, db):
    key = {"Idempotency-Key": "k"}
    first = organiser.post("/events", {"title": "Garden Fair"}, headers=key, status=201)
    db.connection.execute(
        "UPDATE idempotency_keys SET created_at = ?",
        [times.text(datetime.now(timezone.utc) - timedelta(hours=25))],
    )
    second = organiser.post("/events", {"title": "Garden Fair"}, headers=key, status=201)
    assert (
        second.json["data"]["id"] != first.json["data"]["id"]
        and "Idempotency-Replayed" not in second.headers
    )


def test_a_refused_request_does_not_use_up_its_key(organiser):
    key = {"Idempotency-Key": "k"}
    organiser.make("/events", {"title": "Garden Fair", "event_key": "taken"})
    organiser.post("/events", {"title": "Other", "event_key": "taken"}, headers=key, status=409)
    organiser.post("/events", {"title": "Other", "event_key": "free"}, headers=key, status=201)


def test_the_same_key_for_another_path_is_refused(organiser):
    event = organiser.make("/events", {"title": "Garden Fair"})
    note = organiser.make(
        "/notes", {"entity_type": "event", "entity_id": event["id"], "note_text": "x"}
    )
    key = {"Idempotency-Key": "k"}
    pinned = organiser.post(f"/notes/{note['id']}/pin", headers=key, status=200).json["data"]
    again = organiser.post(f"/notes/{note['id']}/pin", headers=key, status=200)
    assert again.json["data"] == pinned and pinned["is_pinned"], (
        "a toggle that is repeated does not toggle back"
    )
    assert (
        organiser.post("/events", {"title": "x"}, headers=key, status=422).json["code"]
        == "idempotency_key_reused"
    )


def test_the_same_key_for_another_query_is_refused(organiser):
    send = {
        "raw": b"email\nada@example.org\n",
        "headers": {"Idempotency-Key": "k", "Content-Type": "text/csv"},
    }
    first = organiser.post("/bulk-import/contacts?mode=create", **send, status=201)
    again = organiser.post("/bulk-import/contacts?mode=create", **send, status=201)
    assert (
        again.json["data"] == first.json["data"] and again.headers["Idempotency-Replayed"] == "true"
    )
    for query in ("?mode=upsert", "?mode=create&match_field=email", ""):
        refused = organiser.post(f"/bulk-import/contacts{query}", **send, status=422).json
        assert refused["code"] == "idempotency_key_reused", query
    assert [found["id"] for found in organiser.data("/bulk-import")] == [first.json["data"]["id"]]


def test_a_replay_with_prefer_minimal_is_small_too(organiser):
    headers = {"Idempotency-Key": "k", "Prefer": "return=minimal"}
    first = organiser.post("/events", {"title": "Garden Fair"}, headers=headers, status=201).json[
        "data"
    ]
    assert (
        organiser.post("/events", {"title": "Garden Fair"}, headers=headers, status=201).json[
            "data"
        ]
        == first
    )


def test_one_of_two_concurrent_duplicates_acts_and_the_other_gets_its_response(settings, organiser):
    """Each thread has its own connection, as in the server."""
    wrapped, answers, start = SimpleNamespace(app=App(settings)), [], threading.Barrier(8)

    def send():
        start.wait()
        answers.append(
            plain(
                wrapped,
                "POST",
                body=b'{"title": "Twin"}',
                CONTENT_TYPE="application/json",
                HTTP_AUTHORIZATION=f"Bearer {organiser.key}",
                HTTP_IDEMPOTENCY_KEY="twins",
            )
        )

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [status for status, _, _ in answers] == [201] * 8
    assert len({json.loads(body)["data"]["id"] for _, _, body in answers}) == 1
    assert sum("idempotency-replayed" in headers for _, headers, _ in answers) == 7
    assert len(organiser.data("/events")) == 1


# ETag


def test_if_match_is_compared_inside_the_write_transaction(settings, organiser):
    """One of several changes with the same ETag succeeds."""
    event = organiser.make("/events", {"title": "Garden Fair"})
    tag = organiser.get(f"/events/{event['id']}").headers["ETag"]
    statuses, start = [], threading.Barrier(6)

    wrapped = SimpleNamespace(app=App(settings))

    def change(number):
        start.wait()
        statuses.append(
            plain(
                wrapped,
                "PATCH",
                f"/api/v1/events/{event['id']}",
                json.dumps({"city": f"City {number}"}).encode(),
                CONTENT_TYPE="application/json",
                HTTP_AUTHORIZATION=f"Bearer {organiser.key}",
                HTTP_IF_MATCH=tag,
            )[0]
        )

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [412] * 5


def test_the_etag_changes_with_the_record_and_is_restored_with_it(organiser):
    event = organiser.make("/events", {"title": "Garden Fair"})
    address = f"/events/{event['id']}"
    tag = organiser.get(address).headers["ETag"]
    organiser.patch(address, {"city": "Leipzig"}, status=200)
    assert organiser.get(address).headers["ETag"] != tag
    organiser.get(address, headers={"If-None-Match": tag}, status=200)


# Lists


def test_ties_are_broken_by_id_and_nulls_come_last_in_both_directions(organiser):
    made = [
        organiser.make("/events", {"title": f"Fair {number}", "city": city})
        for number, city in enumerate(("Ulm", None, "Aachen", "Ulm", None, "aachen"))
    ]
    place = {event["id"]: number for number, event in enumerate(made)}
    for order, wanted in (("ASC", [2, 5, 0, 3, 1, 4]), ("DESC", [3, 0, 5, 2, 4, 1])):
        assert [
            place[event["id"]] for event in organiser.data(f"/events?sort=city&order={order}")
        ] == wanted
        seen, after = [], ""
        while after is not None:
            piece = organiser.get(
                f"/events?sort=city&order={order}&per_page=1&after={after}", status=200
            ).json
            seen += [place[event["id"]] for event in piece["data"]]
            after = piece["meta"]["next"]
        assert seen == wanted


def test_cursor_pagination_is_stable_when_earlier_records_are_added_or_removed(organiser):
    made = [organiser.make("/events", {"title": f"Fair {number:02}"}) for number in range(6)]
    first = organiser.get("/events?sort=title&order=ASC&per_page=3&after=", status=200).json
    organiser.delete(f"/events/{made[0]['id']}", status=204)
    organiser.make("/events", {"title": "Fair 00a"})
    rest = organiser.get(
        f"/events?sort=title&order=ASC&per_page=3&after={first['meta']['next']}", status=200
    ).json
    assert [event["title"] for event in first["data"] + rest["data"]] == [
        f"Fair {number:02}" for number in range(6)
    ]
    assert rest["meta"]["next"] is None


@pytest.mark.parametrize(
    "value, last",
    [(None, 10**30), (10**30, 1), ("half \ud800", 1), (True, 1), ([], 1), (None, None)],
)
def test_a_forged_cursor_is_refused(organiser, value, last):
    organiser.make("/events", {"title": "Fair"})
    place = crc32(b"/api/v1/events")
    cursor = (
        base64.urlsafe_b64encode(json.dumps([place, "title", "ASC", value, last]).encode())
        .decode()
        .rstrip("=")
    )
    answer = organiser.get(f"/events?sort=title&order=ASC&after={cursor}", status=422)
    assert [entry["parameter"] for entry in answer.json["errors"]] == ["after"]


def test_updated_since_is_inclusive(organiser):
    event = organiser.make("/events", {"title": "Garden Fair"})
    assert len(organiser.data(f"/events?updated_since={event['updated_at']}")) == 1


def test_links_keep_the_filters(organiser):
    for number in range(3):
        organiser.make("/events", {"title": f"Fair {number}", "city": "Köln & Umland"})
    link = organiser.get("/events?search=k%C3%B6ln&per_page=1&page=2", status=200).headers["Link"]
    assert link.count("search=k%C3%B6ln") == 4 and "per_page=1" in link


def test_totals_are_right_beyond_the_size_of_the_cache(organiser, monkeypatch):
    monkeypatch.setattr("eventapi.storage.database.COUNTS", 2)
    for title in ("Boat Fair", "Boat Fair", "Garden Fair", "Toy Fair"):
        organiser.make("/events", {"title": title})
    for _ in range(2):
        for search, total in (("boat", 2), ("garden", 1), ("fair", 4), ("toy", 1)):
            assert (
                organiser.get(f"/events?search={search}&per_page=1", status=200).json["meta"][
                    "total"
                ]
                == total
            )


def test_escaping_a_cell_takes_linear_time():
    start = time.perf_counter()
    assert spreadsheet.escape_formula("-" + "1" * 100_000 + "x").startswith("'-1")
    assert time.perf_counter() - start < 5


def test_csv_escapes_formulas_and_nothing_else(organiser):
    for title in ("=cmd|' /C calc'!A0", "+49 341 12345", "-7.5", "@sum", 'say "hi", twice'):
        organiser.make("/events", {"title": title, "description": "line\nbreak"})
    answer = organiser.get("/events?sort=id&order=ASC", headers={"Accept": "text/csv"}, status=200)
    text = answer.body.decode()
    assert "'=cmd" in text and "'@sum" in text and ",+49 341 12345," in text and ",-7.5," in text
    assert '"say ""hi"", twice"' in text and '"line\nbreak"' in text and text.endswith("\r\n")


def test_csv_that_fails_before_its_first_line_is_an_error_and_no_file(organiser, monkeypatch):
    def failing(*_):
        raise OSError("disk")
        yield

    monkeypatch.setattr(spreadsheet, "lines", failing)
    answer = organiser.get("/events", headers={"Accept": "text/csv"}, status=500)
    assert (
        answer.content_type == "application/problem+json"
        and "Content-Disposition" not in answer.headers
    )


def test_csv_ends_when_the_server_closes_it(organiser, app, monkeypatch):
    ended = []

    def endless(*_):
        try:
            while True:
                yield b"1\r\n"
        finally:
            ended.append(True)

    monkeypatch.setattr(spreadsheet, "lines", endless)
    environ = {
        **webtest.TestRequest.blank("/api/v1/events").environ,
        "HTTP_ACCEPT": "text/csv",
        "HTTP_AUTHORIZATION": f"Bearer {organiser.key}",
    }
    body = app.app(environ, lambda *_: None)
    assert next(iter(body)) == b"1\r\n" and not ended
    body.close()
    assert ended


def test_csv_contains_all_pages_of_the_filtered_list(organiser):
    for number in range(25):
        organiser.make("/events", {"title": f"Fair {number}", "is_visible": number % 5 > 0})
    answer = organiser.get(
        "/events?visible=1&per_page=3&page=1", headers={"Accept": "text/csv"}, status=200
    )
    assert answer.body.count(b"\r\n") == 21


# The journal


def test_each_change_is_journalled_with_admin_key_and_client_address(person, db):
    ada = person("events", name="Ada Lovelace")
    event = ada.post(
        "/events",
        {"title": "Garden Fair"},
        headers={"X-Request-ID": "job-7", "User-Agent": "curl/8"},
        status=201,
    ).json["data"]
    ada.patch(f"/events/{event['id']}", {"city": "Leipzig"}, status=200)
    ada.delete(f"/events/{event['id']}", status=204)
    rows = db.connection.execute(
        "SELECT action, entity_type, entity_id, admin_name, old_values, new_values FROM "
        "audit_log ORDER BY id"
    ).fetchall()
    assert [row[:4] for row in rows] == [
        (action, "event", event["id"], "Ada Lovelace")
        for action in ("created", "updated", "deleted")
    ]
    assert json.loads(rows[1][4]) == {"city": None} and json.loads(rows[1][5]) == {
        "city": "Leipzig"
    }
    first = db.connection.execute(
        "SELECT request_id, user_agent FROM audit_log ORDER BY id"
    ).fetchone()
    assert first == ("job-7", "curl/8")
    events = db.connection.execute("SELECT name FROM outgoing_events ORDER BY id").fetchall()
    assert events == [("event.created",), ("event.updated",), ("event.deleted",)]


def test_a_refused_change_writes_nothing(organiser, db):
    organiser.make("/events", {"title": "Garden Fair", "event_key": "taken"})
    before = db.connection.execute("PRAGMA data_version").fetchone()
    organiser.post("/events", {"title": "x", "event_key": "taken"}, status=409)
    organiser.post("/events", {"title": 7}, status=422)
    organiser.delete("/events/999", status=404)
    assert db.connection.execute("PRAGMA data_version").fetchone() == before


def test_a_busy_database_returns_503_with_retry_after_and_reads_continue(
    organiser, settings, monkeypatch
):
    organiser.get("/events", status=200)
    monkeypatch.setattr(Writer.write.__wrapped__, "__defaults__", (0.05,))
    with write_lock(
        settings.database
    ).thread_lock:  # another thread of this process waits for the file lock
        answer = organiser.post("/events", {"title": "x"}, status=503)
        organiser.get("/events", status=200)
    assert answer.json["code"] == "database_busy" and int(answer.headers["Retry-After"]) >= 1
    organiser.post("/events", {"title": "x"}, status=201)


@pytest.mark.parametrize("code", ["ENOSPC", "EDQUOT"])
def test_a_full_disk_returns_507(organiser, monkeypatch, code):
    def full(*_, **__):
        raise OSError(getattr(errno, code), "No space left on device")

    monkeypatch.setattr(Database, "insert", full)
    assert (
        organiser.post("/events", {"title": "x"}, status=507).json["code"] == "insufficient_storage"
    )


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EROFS, "Read-only file system"),
        sqlite_error(sqlite3.SQLITE_READONLY),
        sqlite_error(sqlite3.SQLITE_IOERR_WRITE),
    ],
)
def test_a_read_only_database_returns_503_and_the_log_says_why(
    organiser, monkeypatch, caplog, error
):
    def closed(*_, **__):
        raise error

    monkeypatch.setattr(Database, "insert", closed)
    answer = organiser.post("/events", {"title": "x"}, status=503)
    assert answer.json["code"] == "unhealthy" and answer.headers["Retry-After"]
    assert str(error) in caplog.text and str(error) not in answer.text


def test_writes_succeed_again_once_the_database_is_writable(organiser, monkeypatch):
    with monkeypatch.context() as closed:  # SQLite would open them read-only and keep them so
        closed.setattr(os, "access", lambda *_, **__: False)
        assert organiser.post("/events", {"title": "x"}, status=503).json["code"] == "unhealthy"
        organiser.get("/events", status=200)
    organiser.post("/events", {"title": "x"}, status=201)


def test_at_most_a_thousand_errors_are_reported(organiser):
    answer = organiser.post(
        "/events", {"title": "x", **{f"strange{number}": 1 for number in range(1500)}}, status=422
    ).json
    assert len(answer["errors"]) == 1000 and "more than 1000 faults" in answer["detail"]
