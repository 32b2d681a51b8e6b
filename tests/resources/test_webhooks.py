"""Webhooks: subscriptions, signatures, retries, and the feed of events."""

import hmac
import ipaddress
import json
import socket
import ssl
import subprocess
import time
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from threading import Event

import pytest

from eventapi import times
from eventapi.domain.access import api_keys
from eventapi.domain.upkeep import checks
from eventapi.domain.webhooks import event_types
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.storage.errors import Busy
from eventapi.worker import Worker
from eventapi.worker.webhooks import delivery as webhook_delivery
from eventapi.worker.webhooks import http_post, job
from tests.support import receiver as behaviours
from tests.support.receiver import Receiver
from tests.web.test_routes import problem

PUBLIC = "https://hooks.example.org/x"


@pytest.fixture
def receiver(settings):
    settings.webhook_allowed_networks = (ipaddress.ip_network("127.0.0.0/8"),)
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def hook(organiser, receiver):
    """Return a function that creates a webhook for a path of the receiver."""

    def make(path="/", events=("*",), client=organiser, **more):
        return client.make(
            "/webhooks",
            {"url": receiver.url(path), "events": list(events), "timeout_seconds": 2, **more},
        )

    return make


def work(db, hurry=True):
    """Run the job of the worker until nothing is due.

    With `hurry`, pending retries are due at once.
    """
    for _ in range(30):
        job.run(db, lambda: False)
        job.finish(60)
        if hurry:
            db.connection.execute(
                "UPDATE webhook_deliveries SET next_attempt_at = '2001-01-01T00:00:00Z' WHERE status "
                "= 'pending' AND next_attempt_at IS NOT NULL"
            )
        webhooks.fan_out(db, lambda: False)
        if not webhooks.with_due_deliveries(db):
            return


def types(receiver, path="/"):
    return [body["type"] for _, body in receiver.at(path)]


def sent(client, webhook):
    """Return the deliveries of a webhook, oldest first."""
    return client.data(f"/webhooks/{webhook['id']}/deliveries?order=asc")


def make_event(organiser, title="Garden Fair"):
    return organiser.make("/events", {"title": title})


# Webhooks as a resource


def test_a_webhook_shows_its_secret_once_and_its_headers_never(organiser, db):
    body = {
        "url": PUBLIC,
        "events": ["payment.*", "contact.created"],
        "headers": {"Authorization": "Bearer hush-hush"},
    }
    made = organiser.post("/webhooks", body, status=201)
    webhook = made.json["data"]
    assert webhook["secret"].startswith("whsec_") and len(webhook["secret"]) > 40
    assert webhook["name"] == "hooks.example.org"
    assert (webhook["is_active"], webhook["retry_count"], webhook["timeout_seconds"]) == (
        True,
        10,
        30,
    )
    read = organiser.get(f"/webhooks/{webhook['id']}", status=200)
    assert read.json["data"] == {**webhook, "secret": None}
    changed = organiser.patch(
        f"/webhooks/{webhook['id']}",
        {"name": "Bookkeeping", "headers": {"X-Token": "hush-too"}},
        status=200,
    )
    csv = organiser.get("/webhooks", headers={"Accept": "text/csv"}, status=200)
    for text in (made.text, read.text, csv.text, changed.text):
        assert "hush" not in text
    journal_text = "".join(
        str(row)
        for table in ("audit_log", "outgoing_events")
        for row in db.connection.execute(f"SELECT * FROM {table}")
    )
    assert "Bookkeeping" in journal_text
    assert "hush" not in journal_text and "whsec_" not in journal_text
    assert webhook["secret"] not in journal_text


def test_event_names_and_patterns_must_exist(organiser):
    body = {"url": PUBLIC, "events": ["payment.*", "payment.creatd", "nothing.*", "paym*", "*"]}
    found = problem(organiser.post("/webhooks", body), 422, "validation_failed")
    assert [entry["pointer"] for entry in found["errors"]] == [
        "/events/1",
        "/events/2",
        "/events/3",
    ]
    assert "payment.created" in found["errors"][0]["detail"]


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "connection",
        "Transfer-Encoding",
        "Content-Type",
        "content-length",
        "TE",
        "Upgrade",
        "Proxy-Authorization",
        "Keep-Alive",
        "Trailer",
        "Expect",
        "webhook-id",
        "Webhook-Signature",
        "X-Webhook-Signature",
        "a b",
        "",
        "a:b",
        "é",
        "x\r\ny",
    ],
)
def test_reserved_headers_cannot_be_set(organiser, name):
    assert problem(
        organiser.post("/webhooks", {"url": PUBLIC, "events": ["*"], "headers": {name: "x"}}),
        422,
        "validation_failed",
    )


@pytest.mark.parametrize(
    "value", ["a\r\nX-Evil: 1", "a\nb", "ü", "\x01", "x" * 2001, 7, None, " leading"]
)
def test_invalid_header_values_are_refused(organiser, value):
    problem(
        organiser.post(
            "/webhooks", {"url": PUBLIC, "events": ["*"], "headers": {"X-Token": value}}
        ),
        422,
        "validation_failed",
    )


def test_all_faults_are_reported_together(organiser):
    body = {"url": "https://127.0.0.1/", "events": ["no.such"], "headers": {"Host": "x"}}
    found = problem(organiser.post("/webhooks", body), 422, "validation_failed")
    assert [entry["pointer"] for entry in found["errors"]] == ["/url", "/events/0", "/headers/Host"]


def test_an_address_is_checked_when_it_changes(organiser):
    webhook = organiser.make("/webhooks", {"url": PUBLIC, "events": ["*"]})
    for method in ("PUT", "PATCH"):
        answer = organiser(
            method,
            f"/webhooks/{webhook['id']}",
            {"url": "https://169.254.169.254/", "events": ["*"]},
        )
        assert [
            entry["pointer"] for entry in problem(answer, 422, "validation_failed")["errors"]
        ] == ["/url"]


def test_at_most_50_webhooks_are_active(organiser, db):
    for _ in range(50):
        organiser.make("/webhooks", {"url": PUBLIC, "events": ["*"]})
    problem(organiser.post("/webhooks", {"url": PUBLIC, "events": ["*"]}), 409, "too_many_webhooks")
    spare = organiser.make("/webhooks", {"url": PUBLIC, "events": ["*"], "is_active": False})
    problem(
        organiser.patch(f"/webhooks/{spare['id']}", {"is_active": True}), 409, "too_many_webhooks"
    )
    organiser.patch("/webhooks/1", {"is_active": False}, status=200)
    organiser.patch(f"/webhooks/{spare['id']}", {"is_active": True}, status=200)


def test_the_catalogue_lists_all_event_names_with_examples(organiser):
    listed = {entry["type"]: entry for entry in organiser.data("/webhooks/events")}
    assert (
        set(
            """
        application.approved application.rejected contact.created contact.updated participant.added
        participant.removed participant.confirmed invoice.created invoice.paid invoice.cancelled booth.assigned
        booth.unassigned service_order.confirmed service_order.completed booth_reservation.offered
        payment.created
    """.split()
        )
        <= listed.keys()
    )
    for name, entry in listed.items():
        assert (
            entry["example"]["type"] == name and entry["example"]["data"]["id"] and entry["scope"]
        )


# Recipients


def test_an_event_contains_the_record_at_the_time_of_the_change(organiser, db, hook, receiver):
    hook()
    event = make_event(organiser)
    organiser.patch(f"/events/{event['id']}", {"city": "Leipzig"}, status=200)
    organiser.delete(f"/events/{event['id']}", status=204)
    work(db)
    received = [body for _, body in receiver.at()]
    assert [(body["type"], body["data"]["id"], body["data"]["city"]) for body in received] == [
        ("event.created", event["id"], None),
        ("event.updated", event["id"], "Leipzig"),
        ("event.deleted", event["id"], "Leipzig"),
    ]
    assert received[0].keys() == {"type", "timestamp", "data"} and times.is_timestamp(
        received[0]["timestamp"]
    )


def test_patterns_select_events(organiser, db, hook, receiver):
    hook("/contacts", ["contact.*"])
    hook("/deleted", ["contact.deleted", "event.deleted"])
    contact, event = organiser.make("/contacts", {"email": "a@example.org"}), make_event(organiser)
    organiser.delete(f"/contacts/{contact['id']}", status=204)
    organiser.delete(f"/events/{event['id']}", status=204)
    work(db)
    assert types(receiver, "/contacts") == ["contact.created", "contact.deleted"]
    assert types(receiver, "/deleted") == ["contact.deleted", "event.deleted"]


def test_a_webhook_receives_only_events_that_its_key_may_read(
    organiser, db, hook, receiver, person
):
    hook("/narrow", client=person("webhooks contacts:read"))
    narrow = db.connection.execute("SELECT max(id) FROM api_keys").fetchone()[0]
    make_event(organiser)
    organiser.make("/contacts", {"email": "a@example.org"})
    work(db)
    assert types(receiver, "/narrow") == ["contact.created"]
    organiser.make("/contacts", {"email": "b@example.org"})
    webhooks.fan_out(db, lambda: False)  # the delivery is queued …
    db.connection.execute("UPDATE api_keys SET scopes = 'webhooks' WHERE id = ?", [narrow])
    work(db)  # … and access is checked again when it is sent
    assert types(receiver, "/narrow") == ["contact.created"]
    assert (
        "no longer has the scope"
        in db.connection.execute(
            "SELECT error FROM webhook_deliveries WHERE status = 'failed'"
        ).fetchone()[0]
    )
    assert db.connection.execute("SELECT is_active, failure_count FROM webhooks").fetchone() == (
        1,
        0,
    )


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE api_keys SET revoked_at = '2020-01-01T00:00:00Z'",
        "UPDATE api_keys SET expires_at = '2020-01-01T00:00:00Z'",
        "UPDATE admins SET is_active = 0",
    ],
)
def test_the_webhooks_of_a_revoked_key_receive_nothing(organiser, db, hook, receiver, change):
    hook()
    make_event(organiser)
    db.connection.execute(change)
    work(db)
    assert receiver.got == []
    assert db.connection.execute("SELECT count(*) FROM webhook_deliveries").fetchone() == (0,)


def test_a_rotated_key_passes_its_webhooks_to_the_new_key(organiser, db, hook, receiver):
    hook()
    with db.write():
        api_keys.rotate_key(db, 1)
    with db.write():
        db.connection.execute(
            "INSERT INTO outgoing_events (name, entity_type, entity_id, scope, data, created_at) "
            "VALUES ('event.created', 'event', 1, 'events', '{}', ?)",
            [db.now],
        )
    work(db)
    assert types(receiver) == ["event.created"]


def test_the_key_that_changes_the_url_owns_the_webhook(organiser, db, hook, receiver, person):
    """Otherwise a key with the scope of webhooks only could receive records that it may not read."""
    webhook = hook("/old")
    thief = person("webhooks")
    thief.patch(f"/webhooks/{webhook['id']}", {"name": "Harmless", "events": ["*"]}, status=200)
    assert organiser.data(f"/webhooks/{webhook['id']}")["api_key_id"] == webhook["api_key_id"]
    thief.patch(f"/webhooks/{webhook['id']}", {"url": receiver.url("/stolen")}, status=200)
    organiser.make("/contacts", {"email": "a@example.org"})
    work(db)
    assert set(types(receiver, "/stolen")) <= {"webhook.updated"}


def test_events_are_kept_while_the_feature_is_off_and_delivered_afterwards(
    organiser, db, hook, receiver
):
    hook()
    for switch, back in (
        ("UPDATE flags SET enabled = 0 WHERE name = 'webhooks'", "UPDATE flags SET enabled = 1"),
        ("UPDATE tenant SET tier = 'Starter'", "UPDATE tenant SET tier = 'Business+'"),
    ):
        before = len(receiver.got)
        make_event(organiser)
        db.connection.execute(switch)
        work(db)
        assert len(receiver.got) == before
        db.connection.execute(back)
        work(db)
        assert len(receiver.got) == before + 1


def test_a_webhook_receives_no_events_from_before_its_creation_or_activation(
    organiser, db, hook, receiver
):
    make_event(organiser, "before")
    webhook = hook(events=["event.*"])
    make_event(organiser, "still on")
    organiser.patch(f"/webhooks/{webhook['id']}", {"is_active": False}, status=200)
    make_event(organiser, "off")
    work(db)
    assert receiver.got == []
    organiser.patch(f"/webhooks/{webhook['id']}", {"is_active": True}, status=200)
    make_event(organiser, "on again")
    work(db)
    assert [body["data"]["title"] for _, body in receiver.at()] == ["still on", "on again"]


def test_changed_patterns_apply_to_later_events_only(organiser, db, hook, receiver):
    webhook = hook(events=["event.*"])
    make_event(organiser)
    organiser.make("/contacts", {"email": "a@example.org"})
    organiser.patch(f"/webhooks/{webhook['id']}", {"events": ["contact.*"]}, status=200)
    make_event(organiser)
    organiser.make("/contacts", {"email": "b@example.org"})
    work(db)
    assert types(receiver) == ["event.created", "contact.created"]


# Requests


def test_the_signature_follows_standard_webhooks(organiser, db, hook, receiver):
    standardwebhooks = pytest.importorskip(
        "standardwebhooks", reason="Debian has no standardwebhooks"
    )
    webhook = hook(headers={"Authorization": "Bearer of-the-receiver"})
    make_event(organiser, "Gärten & „Zelte“")
    work(db)
    _, headers, body = receiver.got[0]
    plain = {name.lower(): value for name, value in headers.items()}
    assert (
        standardwebhooks.Webhook(webhook["secret"]).verify(body, plain)["data"]["title"]
        == "Gärten & „Zelte“"
    )
    assert (
        plain["content-type"] == "application/json"
        and plain["authorization"] == "Bearer of-the-receiver"
    )
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(webhook["secret"]).verify(body.replace(b"event", b"evnet"), plain)


def is_signed(secret, headers, body):
    """Check a signature as the guide in the reference describes."""
    signature, timestamp = headers["X-Webhook-Signature"], headers["X-Webhook-Timestamp"]
    wanted = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, sha256).hexdigest()
    return (
        signature.startswith("v1=")
        and abs(time.time() - int(timestamp)) < 300
        and hmac.compare_digest(signature[3:], wanted)
    )


def test_the_signature_of_the_reference_is_sent_too(organiser, db, hook, receiver):
    webhook = hook()
    make_event(organiser)
    work(db)
    _, headers, body = receiver.got[0]
    assert is_signed(webhook["secret"], headers, body) and not is_signed(
        "whsec_other", headers, body
    )


def test_after_a_rotation_both_secrets_sign_for_24_hours(organiser, db, hook, receiver):
    old = hook(events=["event.*"])
    new = organiser.post(f"/webhooks/{old['id']}/rotate-secret", status=200).json["data"]
    assert (
        new["secret"] != old["secret"]
        and organiser.data(f"/webhooks/{old['id']}")["secret"] is None
    )
    make_event(organiser)
    work(db)
    db.connection.execute("UPDATE webhooks SET previous_secret_ends_at = ?", [times.now()])
    make_event(organiser)
    work(db)
    (_, both, first), (_, one, second) = receiver.got
    assert is_signed(new["secret"], both, first) and is_signed(new["secret"], one, second)
    assert [len(headers["webhook-signature"].split()) for headers in (both, one)] == [2, 1]
    standardwebhooks = pytest.importorskip(
        "standardwebhooks", reason="Debian has no standardwebhooks"
    )
    for secret in (old["secret"], new["secret"]):
        standardwebhooks.Webhook(secret).verify(
            first, {name.lower(): value for name, value in both.items()}
        )


def test_a_test_event_is_sent_regardless_of_the_patterns(organiser, db, hook, receiver):
    webhook = hook("/quiet", ["payment.*"])
    everything = hook("/all")
    answer = organiser.post(f"/webhooks/{webhook['id']}/test", status=202).json["data"]
    assert (answer["event_type"], answer["status"], answer["attempt_count"]) == (
        "webhook.tested",
        "pending",
        0,
    )
    organiser.post(f"/webhooks/{everything['id']}/test", status=202)
    work(db)
    assert types(receiver, "/quiet") == ["webhook.tested"]
    assert types(receiver, "/all").count("webhook.tested") == 2
    assert receiver.at("/quiet")[0][0] == answer["message_id"]
    assert sent(organiser, webhook)[0]["status"] == "delivered"
    organiser.patch(f"/webhooks/{webhook['id']}", {"is_active": False}, status=200)
    problem(organiser.post(f"/webhooks/{webhook['id']}/test"), 409, "webhook_inactive")


def test_a_delivery_is_repeated_on_request_with_the_same_id(organiser, db, hook, receiver):
    webhook = hook()
    make_event(organiser)
    work(db)
    delivery = sent(organiser, webhook)[0]
    assert (
        delivery["status"],
        delivery["attempt_count"],
        delivery["response_status"],
        delivery["error"],
    ) == ("delivered", 1, 200, None)
    again = organiser.post(
        f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver", status=202
    ).json["data"]
    assert (again["status"], again["attempts"], again["delivered_at"]) == (
        "pending",
        delivery["attempts"],
        None,
    )
    work(db)
    assert [id for id, _ in receiver.at()] == [delivery["message_id"]] * 2
    assert (
        sent(organiser, webhook)[0]["attempt_count"]
        == len(sent(organiser, webhook)[0]["attempts"])
        == 2
    )
    other = hook("/other")
    problem(
        organiser.post(f"/webhooks/{other['id']}/deliveries/{delivery['id']}/redeliver"),
        404,
        "not_found",
    )


def test_deliveries_are_filtered_by_state_and_type(organiser, db, hook, receiver):
    webhook = hook()
    make_event(organiser)
    work(db)
    organiser.make("/contacts", {"email": "a@example.org"})
    webhooks.fan_out(db, lambda: False)
    address = f"/webhooks/{webhook['id']}/deliveries"
    assert [d["event_type"] for d in organiser.data(f"{address}?status=delivered")] == [
        "event.created"
    ]
    assert [d["status"] for d in organiser.data(f"{address}?event_type=contact.created")] == [
        "pending"
    ]


def test_anonymised_records_are_no_longer_delivered(organiser, db, hook, receiver):
    hook()
    contact = organiser.make("/contacts", {"email": "marker@example.org"})
    webhooks.fan_out(db, lambda: False)
    organiser.post(f"/contacts/{contact['id']}/anonymize", status=200)
    work(db)
    assert types(receiver)[0] == "contact.created" and receiver.at()[0][1]["data"] is None
    assert not any(b"marker@" in body for *_, body in receiver.got)
    assert "marker@" not in str(
        db.connection.execute("SELECT * FROM webhook_deliveries").fetchall()
    )


# Failures of receivers


@pytest.mark.parametrize(
    "behaviour, error",
    [
        (500, "status 500"),
        (404, "status 404"),
        (204, None),
        (299, None),
        (304, "status 304"),
        (behaviours.redirects, "status 302"),
        (behaviours.resets, "the connection failed"),
        (behaviours.hangs, "no response within 1 s"),
        (behaviours.drips, "no response within 1 s"),
        (behaviours.speaks_no_http, "not HTTP"),
        (behaviours.promises, "not HTTP"),
        (behaviours.talks_forever, None),
    ],
)
def test_faults_of_a_receiver_are_recorded(organiser, db, hook, receiver, behaviour, error):
    receiver.answers["/"] = behaviour
    webhook = hook(timeout_seconds=1)
    make_event(organiser)
    began = time.monotonic()
    work(db, hurry=False)
    assert time.monotonic() - began < 3
    delivery = sent(organiser, webhook)[0]
    state = organiser.data(f"/webhooks/{webhook['id']}")
    if error:
        assert error in delivery["error"] and (delivery["status"], delivery["attempt_count"]) == (
            "pending",
            1,
        )
        [attempt] = delivery["attempts"]
        assert attempt.pop("attempted_at") <= state["last_failure_at"]
        assert attempt == {
            name: delivery[name] for name in ("response_status", "error", "duration_ms")
        }
        assert (
            state["failure_count"] == 1
            and state["last_failure_at"]
            and not state["last_success_at"]
        )
    else:
        assert (delivery["status"], delivery["error"]) == ("delivered", None)
        assert state["failure_count"] == 0 and state["last_success_at"]
    assert len(receiver.got) == 1, "a redirect is not followed"


def test_an_unreachable_receiver_is_recorded(organiser, db, hook, receiver):
    webhook = hook()
    receiver.server_close()
    make_event(organiser)
    work(db, hurry=False)
    # The connection is refused or reset, depending on the system.
    assert sent(organiser, webhook)[0]["error"].startswith("the connection failed")


def test_attempts_follow_the_schedule_and_stop(organiser, db, hook, receiver):
    receiver.answers["/"] = 500
    webhook, waits = hook(retry_count=10), []
    make_event(organiser)
    for _ in range(11):
        work(db, hurry=False)
        delivery = sent(organiser, webhook)[0]
        if delivery["next_attempt_at"]:
            waits.append(
                times.unix(delivery["next_attempt_at"]) - times.unix(delivery["updated_at"])
            )
        db.connection.execute(
            "UPDATE webhook_deliveries SET next_attempt_at = '2001-01-01T00:00:00Z' WHERE next_attempt_at IS NOT NULL"
        )
    assert waits == [5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    assert (delivery["status"], delivery["attempt_count"], len(receiver.got)) == ("failed", 11, 11)
    assert len({id for id, _ in receiver.at()}) == 1
    organiser.post(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver", status=202)
    work(db, hurry=False)
    again = sent(organiser, webhook)[0]
    assert (again["status"], again["attempt_count"]) == ("pending", 12)
    assert times.unix(again["next_attempt_at"]) - times.unix(again["updated_at"]) == 5, (
        "the schedule starts again"
    )


def test_the_last_ten_attempts_are_shown(organiser, db, hook, receiver):
    answers = iter([500, 404, *[503] * 7, 502, 200])
    receiver.answers["/"] = lambda handler: handler.answer(next(answers))
    webhook = hook()
    make_event(organiser)
    work(db)
    delivery = organiser.data(f"/webhooks/{webhook['id']}/deliveries")[0]
    assert (delivery["status"], delivery["attempt_count"]) == ("delivered", 11)
    assert [attempt["response_status"] for attempt in delivery["attempts"]] == [
        404,
        *[503] * 7,
        502,
        200,
    ]
    assert [attempt["error"] is None for attempt in delivery["attempts"]] == [False] * 9 + [True]
    for attempt in delivery["attempts"]:
        assert set(attempt) == {"attempted_at", "response_status", "error", "duration_ms"}
        assert delivery["created_at"] <= attempt["attempted_at"] <= delivery["updated_at"]
        assert 0 <= attempt["duration_ms"] < 2000
    csv = organiser.get(
        f"/webhooks/{webhook['id']}/deliveries", headers={"Accept": "text/csv"}, status=200
    ).text
    assert "attempts.response_status" in csv and "404|503" in csv


def redeliver(client, delivery, status=202):
    path = f"/webhooks/{delivery['webhook_id']}/deliveries/{delivery['id']}/redeliver"
    return client.post(path, status=status).json["data"]


@pytest.mark.parametrize("answers", [(200, 200), (500, 200), (200, 500, 200)])
def test_a_redelivery_that_is_requested_during_an_attempt_follows_it(
    organiser, db, hook, receiver, answers
):
    webhook, left = hook(events=["event.*"]), iter((*answers, 200))

    def answer(handler):
        if len(receiver.got) == 1:
            [delivery] = sent(organiser, webhook)
            assert delivery["status"] == "delivering"
            for _ in range(2):  # a repeated request asks for no further attempt
                assert redeliver(organiser, delivery)["status"] == "delivering"
            organiser.patch(f"/events/{event['id']}", {"city": "Uetersen"}, status=200)
        handler.answer(next(left))

    receiver.answers["/"] = answer
    event = make_event(organiser)
    work(db)
    first, second = sent(organiser, webhook)
    assert [(d["status"], d["attempt_count"]) for d in (first, second)] == [
        ("delivered", len(answers)),
        ("delivered", 1),
    ]
    assert [id for id, _ in receiver.at()] == [first["message_id"]] * len(answers) + [
        second["message_id"]
    ]


def test_redeliveries_keep_the_order_of_a_record(organiser, db, hook, receiver):
    webhook = hook(events=["event.*"])
    event = make_event(organiser)
    organiser.patch(f"/events/{event['id']}", {"city": "A"}, status=200)
    work(db)
    receiver.answers["/"] = 500
    organiser.patch(f"/events/{event['id']}", {"city": "B"}, status=200)
    work(db, hurry=False)
    oldest, older, waiting = sent(organiser, webhook)
    assert [d["status"] for d in (oldest, older, waiting)] == ["delivered", "delivered", "pending"]
    assert redeliver(organiser, older)["next_attempt_at"]
    assert redeliver(organiser, oldest)["next_attempt_at"]
    assert [bool(d["next_attempt_at"]) for d in sent(organiser, webhook)] == [True, False, False]
    assert redeliver(organiser, waiting)["next_attempt_at"] is None, "it waits for the earlier ones"
    receiver.got.clear()
    receiver.answers["/"] = behaviours.every_other()
    work(db)
    assert [body["data"]["city"] for _, body in receiver.at()] == [None, None, "A", "A", "B", "B"]
    assert {d["status"] for d in sent(organiser, webhook)} == {"delivered"}


def test_a_redelivery_requested_before_a_crash_is_made_once(organiser, db, hook, receiver):
    webhook = hook(events=["event.*"], retry_count=1)
    make_event(organiser)
    webhooks.fan_out(db, lambda: False)
    assert webhook_delivery.step(db, webhook["id"], "of a worker that dies")
    redeliver(organiser, sent(organiser, webhook)[0])
    db.connection.execute("UPDATE webhooks SET lease_ends_at = '2001-01-01T00:00:00Z'")
    receiver.answers["/"] = behaviours.every_other()
    work(db)
    delivery = sent(organiser, webhook)[0]
    assert (delivery["status"], delivery["attempt_count"], len(receiver.got)) == ("delivered", 2, 2)


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_retry_count_limits_the_retries(organiser, db, hook, receiver, retries):
    receiver.answers["/"] = 500
    hook(retry_count=retries)
    make_event(organiser)
    work(db)
    assert len(receiver.got) == retries + 1


def test_an_unreliable_receiver_gets_all_events_in_order(organiser, db, hook, receiver):
    receiver.answers["/"] = behaviours.every_other()
    hook(events=["event.*"])
    event = make_event(organiser)
    for city in "ABCDE":
        organiser.patch(f"/events/{event['id']}", {"city": city}, status=200)
    work(db)
    cities = [body["data"]["city"] for _, body in receiver.at()]
    assert cities == [None, None, "A", "A", "B", "B", "C", "C", "D", "D", "E", "E"]


def test_a_failing_event_delays_only_events_of_the_same_record(organiser, db, hook, receiver):
    bad, asked = make_event(organiser, "bad"), []
    webhook = hook(events=["event.*"], retry_count=1)

    def picky(handler):
        name = receiver.at()[-1][1]["data"]["title"]
        asked.append(name)
        handler.answer(500 if name == "bad 1" else 200)

    receiver.answers["/"] = picky
    for number in (1, 2, 3):
        organiser.patch(f"/events/{bad['id']}", {"title": f"bad {number}"}, status=200)
        make_event(organiser, f"good {number}")
    work(db, hurry=False)
    assert asked == ["bad 1", "good 1", "good 2", "good 3"]
    waiting = [d for d in sent(organiser, webhook) if d["status"] == "pending"]
    assert [bool(d["next_attempt_at"]) for d in waiting] == [True, False, False]
    # The delivery fails after the second attempt, and the next ones follow.
    work(db)
    assert asked[4:] == ["bad 1", "bad 2", "bad 3"]


def test_status_410_disables_a_webhook_and_sends_an_event(organiser, db, hook, receiver):
    hook("/watch", ["webhook.disabled"])
    receiver.answers["/"] = 410
    webhook = hook(events=["event.*"])
    make_event(organiser)
    make_event(organiser)
    work(db)
    assert (
        len(receiver.at("/")) == 1
        and organiser.data(f"/webhooks/{webhook['id']}")["is_active"] is False
    )
    assert receiver.at("/watch")[0][1]["data"]["id"] == webhook["id"]
    assert organiser.data("/tasks") == []
    receiver.answers["/"] = 200
    organiser.patch(f"/webhooks/{webhook['id']}", {"is_active": True}, status=200)
    work(db)
    assert [d["status"] for d in sent(organiser, webhook)] == ["failed", "delivered"], (
        "waiting deliveries are sent"
    )


def test_five_days_of_failures_disable_a_webhook_and_create_a_task(
    organiser, db, hook, receiver, monkeypatch
):
    webhook = hook("/?token=hush-hush", events=["event.*"], name="Accounting")
    receiver.answers["/?token=hush-hush"] = 500
    make_event(organiser)
    work(db, hurry=False)
    now = datetime.now(timezone.utc) + timedelta(minutes=1)
    monkeypatch.setattr(times, "now", lambda: times.text(now))
    for span, active in ((timedelta(days=5, seconds=-1), True), (timedelta(days=5), False)):
        db.connection.execute("UPDATE webhooks SET failing_since = ?", [times.text(now - span)])
        make_event(organiser)
        work(db, hurry=False)
        assert organiser.data(f"/webhooks/{webhook['id']}")["is_active"] is active
    task = organiser.data("/tasks")[0]
    assert "Accounting" in task["title"] and task["assigned_to"] == task["created_by"] == 1
    assert "status 500" in task["description"]
    assert "127.0.0.1" in task["description"] and "hush" not in task["description"], (
        "an address may hold a secret, and others read tasks"
    )
    assert (
        db.connection.execute(
            "SELECT count(*) FROM audit_log WHERE entity_type = 'task' OR action = 'disabled'"
        ).fetchone()[0]
        == 2
    )
    organiser.patch(f"/webhooks/{webhook['id']}", {"is_active": True}, status=200)
    make_event(organiser)
    work(db, hurry=False)
    assert organiser.data(f"/webhooks/{webhook['id']}")["is_active"], "its patience begins anew"


def test_hanging_receivers_do_not_delay_others(organiser, db, hook, receiver):
    receiver.answers["/hangs"] = behaviours.hangs
    for _ in range(49):
        hook("/hangs", ["event.*"], timeout_seconds=4)
    hook("/quick", ["event.*"])
    began = time.monotonic()
    make_event(organiser)
    job.run(db, lambda: False)
    while not receiver.at("/quick") and time.monotonic() < began + 10:
        time.sleep(0.01)
    assert receiver.at("/quick") and time.monotonic() - began < 3
    receiver.over.set()
    job.finish()


def test_many_new_events_do_not_delay_deliveries_or_other_jobs(
    organiser, db, hook, receiver, monkeypatch
):
    hook("/", ["event.*"])
    for _ in range(5):
        make_event(organiser)
    monkeypatch.setattr(webhooks, "BATCH", 1)
    monkeypatch.setattr(webhooks, "BATCHES", 2)
    job.run(db, lambda: False)
    job.finish()
    assert 1 <= len(receiver.got) <= 2 and webhooks.backlog(db)["unseen"] >= 3
    assert Worker(db.config, jobs=(job,)).once() == [], "and `--once` completes all of it"
    assert len(receiver.got) == 5


def test_once_delivers_what_comes_up_while_a_thread_is_ending(
    organiser, db, hook, receiver, monkeypatch
):
    hook("/", ["event.*"])
    for _ in range(5):
        make_event(organiser)
    monkeypatch.setattr(webhooks, "BATCH", 1)
    monkeypatch.setattr(webhooks, "BATCHES", 1)
    deliver, run = job.deliver, job.run
    is_ending, may_end = Event(), Event()

    def end_late(*given):
        deliver(*given)
        is_ending.set()
        may_end.wait(5)

    def run_slowly(db, stopping):
        is_more = run(db, stopping)
        is_ending.wait(5)
        if not is_more:
            may_end.set()
        return is_more

    monkeypatch.setattr(job, "deliver", end_late)
    monkeypatch.setattr(job, "run", run_slowly)
    assert Worker(db.config, jobs=(job,)).once() == []
    assert len(receiver.got) == 5


def test_a_webhook_has_one_delivery_in_progress_at_a_time(organiser, db, hook, receiver):
    now, most = [], []

    def count(handler):
        now.append(1)
        most.append(len(now))
        time.sleep(0.02)
        now.pop()
        handler.answer(200)

    receiver.answers["/"] = count
    hook()
    for _ in range(10):
        make_event(organiser)
    for _ in range(5):
        job.run(db, lambda: False)
    job.deliver(db.config, 1, "of another worker", lambda: False)  # another worker takes it
    job.finish()
    assert len(most) == 10 and max(most) == 1


# The second lease was written by a clock that was ahead.
@pytest.mark.parametrize("over", ["2001-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])
def test_a_delivery_of_a_dead_worker_is_repeated_after_the_lease(
    organiser, db, hook, receiver, over
):
    webhook = hook(timeout_seconds=1)
    make_event(organiser)
    webhooks.fan_out(db, lambda: False)
    taken = webhook_delivery.step(db, webhook["id"], "somebody who dies")
    assert taken and sent(organiser, webhook)[0]["status"] == "delivering"
    work(db)
    assert receiver.got == []
    db.connection.execute("UPDATE webhooks SET lease_ends_at = ?", [over])
    work(db)
    assert len(receiver.got) == 1
    assert (
        webhook_delivery.step(
            db, webhook["id"], "somebody who dies", (taken, webhook_delivery.Outcome(error="late"))
        )
        is None
    )
    assert sent(organiser, webhook)[0]["status"] == "delivered", (
        "a result of the dead worker is ignored"
    )


def test_a_delivery_is_recorded_even_if_the_database_is_busy(
    organiser, db, hook, receiver, monkeypatch
):
    webhook = hook()
    make_event(organiser)
    step, refused = webhook_delivery.step, []

    def busy_once(db, id, lease, done=None, more=True):
        if done and not refused:
            refused.append(done)
            raise Busy
        return step(db, id, lease, done, more)

    monkeypatch.setattr(webhook_delivery, "step", busy_once)
    work(db, hurry=False)
    assert refused and [delivery["status"] for delivery in sent(organiser, webhook)] == [
        "delivered"
    ]
    assert len(receiver.got) == 1


def test_a_deleted_webhook_receives_nothing(organiser, db, hook, receiver):
    webhook = hook()
    make_event(organiser)
    webhooks.fan_out(db, lambda: False)
    organiser.delete(f"/webhooks/{webhook['id']}", status=204)
    work(db)
    assert receiver.got == [] and webhooks.backlog(db)["deliveries"] == 0


# TLS


@pytest.fixture
def certified(tmp_path, receiver, monkeypatch):
    """Start a TLS receiver named hooks.example.org and trust its certificate."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=hooks.example.org",
            "-addext",
            "subjectAltName=DNS:hooks.example.org",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        capture_output=True,
    )
    assert made.returncode == 0, made.stderr
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)
    asked = []
    serving.sni_callback = lambda sock, name, context: asked.append(name)
    receiver.socket = serving.wrap_socket(receiver.socket, server_side=True)
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(http_post, "_context", lambda: trusting)
    return receiver, asked


def test_https_verifies_the_host_name_not_the_address(certified, resolver):
    receiver, asked = certified
    allowed = (ipaddress.ip_network("127.0.0.0/8"),)
    resolver.update({"hooks.example.org": ["127.0.0.1"], "other.example.org": ["127.0.0.1"]})
    assert (
        http_post.post(
            f"https://hooks.example.org:{receiver.port}/", b"{}", {}, seconds=5, allowed=allowed
        )
        == 200
    )
    assert asked == ["hooks.example.org"]
    for host in ("other.example.org", "127.0.0.1"):
        with pytest.raises(http_post.Failed, match="certificate"):
            http_post.post(
                f"https://{host}:{receiver.port}/", b"{}", {}, seconds=5, allowed=allowed
            )
    assert len(receiver.got) == 1


def test_an_untrusted_certificate_is_refused(certified, resolver, monkeypatch):
    receiver, _ = certified
    monkeypatch.setattr(http_post, "_context", ssl.create_default_context)
    resolver["hooks.example.org"] = ["127.0.0.1"]
    with pytest.raises(http_post.Failed, match="certificate"):
        http_post.post(
            f"https://hooks.example.org:{receiver.port}/",
            b"{}",
            {},
            seconds=5,
            allowed=(ipaddress.ip_network("127.0.0.0/8"),),
        )


def test_one_reachable_address_of_a_host_is_enough(receiver, resolver):
    resolver["both.example.org"] = ["::1", "127.0.0.2", "127.0.0.1"]
    allowed = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))
    assert (
        http_post.post(
            f"http://both.example.org:{receiver.port}/", b"{}", {}, seconds=5, allowed=allowed
        )
        == 200
    )


def test_an_unreachable_address_leaves_time_for_the_next(receiver, resolver, monkeypatch):
    connect = socket.create_connection

    def slow(address, timeout):
        if address[0] == "127.0.0.2":
            time.sleep(timeout)
            raise TimeoutError
        return connect(address, timeout)

    monkeypatch.setattr(socket, "create_connection", slow)
    resolver["both.example.org"] = ["127.0.0.2", "127.0.0.1"]
    allowed = (ipaddress.ip_network("127.0.0.0/8"),)
    assert (
        http_post.post(
            f"http://both.example.org:{receiver.port}/", b"{}", {}, seconds=1, allowed=allowed
        )
        == 200
    )


def test_proxies_of_the_environment_are_ignored(receiver, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert (
        http_post.post(
            receiver.url("/x?y=1"),
            b"{}",
            {},
            seconds=5,
            allowed=(ipaddress.ip_network("127.0.0.0/8"),),
        )
        == 200
    )
    assert (
        receiver.got[0][0] == "/x?y=1"
        and receiver.got[0][1]["Host"] == f"127.0.0.1:{receiver.port}"
    )


# The feed


def walk(client, after="", size=3):
    """Return the remaining events of the feed and the cursor at its end."""
    found = []
    while True:
        answer = client.get(f"/webhooks/feed?after={after}&per_page={size}", status=200).json
        found, after = found + answer["data"], answer["meta"]["next"]
        if not answer["meta"]["more"]:
            return found, after


def test_the_feed_returns_the_same_events_as_the_webhooks(organiser, db, hook, receiver):
    before = walk(organiser)[1]
    hook()
    start = walk(organiser, before)[1]
    for number in range(4):
        event = make_event(organiser, f"Fair {number}")
        organiser.delete(f"/events/{event['id']}", status=204)
    work(db)
    events, end = walk(organiser, start)
    received = {
        event["id"]: {name: event[name] for name in ("type", "timestamp", "data")}
        for event in events
    }
    # The order holds per record only, and a repeated event counts once.
    assert received == dict(receiver.at()) and len(received) == 8
    assert [event["type"] for event in events] == ["event.created", "event.deleted"] * 4
    assert walk(organiser, end) == ([], end)
    make_event(organiser, "later")
    assert [event["data"]["title"] for event in walk(organiser, end)[0]] == ["later"]


def test_the_feed_skips_events_that_the_key_may_not_read(organiser, person, db):
    for number in range(5):
        make_event(organiser, f"Fair {number}")
    organiser.make("/contacts", {"email": "a@example.org"})
    for _ in range(5):
        make_event(organiser)
    events, end = walk(person("webhooks:read contacts:read"), size=1)
    assert [event["type"] for event in events] == ["contact.created"]
    last = db.connection.execute("SELECT max(id) FROM outgoing_events").fetchone()[0]
    assert end.startswith(f"evt_{last}_")


def test_an_invalid_cursor_of_the_feed_is_refused(organiser, db):
    make_event(organiser)
    event = walk(organiser)[0][0]
    for after in (
        "x",
        "1",
        "evt_1",
        "evt_999_1",
        f"evt_1_{times.unix(event['timestamp']) + 1}",
        "evt_0_0",
        "evt_1_1_1",
    ):
        found = problem(organiser.get(f"/webhooks/feed?after={after}"), 422, "validation_failed")
        assert found["errors"][0]["parameter"] == "after"


def test_the_feed_reports_missed_events(organiser, db):
    make_event(organiser, "old")
    _, cursor = walk(organiser)
    for _ in range(3):
        make_event(organiser, "meanwhile")
    first = db.connection.execute("SELECT min(id) FROM outgoing_events").fetchone()[0]
    db.connection.execute("DELETE FROM outgoing_events WHERE id = ?", [first])
    assert (
        organiser.get(f"/webhooks/feed?after={cursor}", status=200).json["meta"]["missed"] is False
    )
    db.connection.execute("DELETE FROM outgoing_events WHERE id = ?", [first + 1])
    answer = organiser.get(f"/webhooks/feed?after={cursor}", status=200).json
    assert (answer["meta"]["missed"], len(answer["data"])) == (True, 2)
    db.connection.execute("DELETE FROM outgoing_events")
    last = answer["data"][-1]["id"]
    answer = organiser.get(f"/webhooks/feed?after={last}", status=200).json
    assert (
        answer["data"],
        answer["meta"]["missed"],
        answer["meta"]["more"],
        answer["meta"]["next"],
    ) == ([], False, False, last)


# Operation


def test_deliveries_are_deleted_after_30_days(organiser, db, hook, receiver):
    hook()
    make_event(organiser)
    make_event(organiser)
    work(db)
    db.connection.execute(
        "UPDATE webhook_deliveries SET created_at = '2001-01-01T00:00:00Z' WHERE id = 1"
    )
    assert (
        webhooks.delete_old_deliveries(db, 500) == 1
        and webhooks.delete_old_deliveries(db, 500) == 0
    )
    assert db.connection.execute("SELECT id FROM webhook_deliveries").fetchall() == [(2,)]


def test_the_backlog_is_in_the_metrics(organiser, db, hook, receiver, app):
    receiver.answers["/"] = 500
    hook(events=["event.*"])
    make_event(organiser)
    make_event(organiser)
    assert "eventapi_webhook_events_unseen 2" in app.get("/metrics").text
    work(db, hurry=False)
    db.connection.execute(
        "UPDATE outgoing_events SET created_at = ?",
        [times.text(datetime.now(timezone.utc) - timedelta(minutes=10))],
    )
    text = app.get("/metrics").text
    for line in (
        "eventapi_webhook_deliveries_waiting 2",
        "eventapi_webhook_events_unseen 0",
        'eventapi_webhooks{state="failing"} 1',
    ):
        assert line in text
    assert (
        600 <= int(text.split("\neventapi_webhook_deliveries_oldest_seconds ")[1].split()[0]) < 660
    )


@pytest.mark.parametrize(
    "trouble", ["status = 'delivering'", "next_attempt_at = updated_at", "next_attempt_at = NULL"]
)
def test_check_finds_abandoned_deliveries(organiser, db, hook, receiver, trouble):
    hook(events=["event.*"])
    make_event(organiser)
    webhooks.fan_out(db, lambda: False)
    assert checks.findings(db) == []
    db.connection.execute("UPDATE webhook_deliveries SET updated_at = '2026-01-01T00:00:00Z'")
    db.connection.execute(f"UPDATE webhook_deliveries SET {trouble}")
    found = checks.findings(db)
    assert [name for name, _ in found] == [
        "webhooks"
    ] and "1 deliveries of webhook 1 are stuck" in found[0][1]


def test_secrets_are_not_logged(organiser, db, hook, receiver, caplog):
    caplog.set_level("DEBUG")
    receiver.answers["/"] = 500
    webhook = hook(headers={"Authorization": "Bearer hush-hush"})
    make_event(organiser)
    work(db)
    assert "hush" not in caplog.text and webhook["secret"] not in caplog.text
    assert "hush" not in json.dumps(sent(organiser, webhook))


def test_event_names_are_listed_once():
    names = event_types.names()
    assert len(names) == len(set(names))
