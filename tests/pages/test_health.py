"""/healthz and /metrics: for load balancers and monitoring, without a key."""

import re
import time
from datetime import datetime, timedelta, timezone

import pytest

from eventapi import times
from eventapi.domain.upkeep import housekeeping


def test_health_reports_that_process_and_database_respond(app, db):
    answer = app.get("/healthz")
    assert answer.json == {
        "status": "ok",
        "database": "ok",
        "worker_age_seconds": None,
        "disk": "ok",
    }
    housekeeping.record_heartbeat(db)
    assert app.get("/healthz").json["worker_age_seconds"] in (0, 1)
    assert app.head("/healthz").status_int == 200


def test_without_a_database_health_is_503_and_reveals_no_path(app, settings):
    settings.database.unlink()
    answer = app.get("/healthz", status=503)
    assert (answer.content_type, answer.json["code"]) == ("application/problem+json", "unhealthy")
    assert answer.headers["Retry-After"]
    assert str(settings.data_dir) not in answer.text


def test_with_a_database_of_another_schema_health_is_503(app, db):
    db.connection.execute("PRAGMA user_version = 9999")
    app.get("/healthz", status=503)


def test_with_a_damaged_database_health_is_503(app, settings):
    settings.database.write_bytes(b"this is no database" * 1000)
    app.get("/healthz", status=503)


def test_metrics_are_prometheus_text(app, organiser, db):
    organiser.post(
        "/events", {"title": "Garden Fair"}, headers={"Idempotency-Key": "one"}, status=201
    )
    housekeeping.record_heartbeat(db)
    answer = app.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'eventapi_\w+(\{\w+="[\w.]+"\})? [0-9.]+', line) for line in lines)
    values = dict(line.rsplit(" ", 1) for line in lines)
    assert values['eventapi_records_created_total{table="events"}'] == "1"
    assert values["eventapi_outgoing_events"] == values["eventapi_idempotency_keys"] == "1"
    assert int(values["eventapi_database_bytes"]) > 4096
    assert int(values["eventapi_worker_age_seconds"]) <= 1
    assert values["eventapi_schema_version"] == values["eventapi_schema_version_needed"]
    assert int(values["eventapi_disk_bytes"]) >= int(values["eventapi_disk_free_bytes"]) > 0


def test_metrics_show_the_age_of_the_newest_verified_backup(app, settings):
    """A backup without the mark of its trial restore does not count, nor one that was made by hand."""
    assert metric(app, "backup_age_seconds") is None
    settings.backups.mkdir(parents=True)
    for name in (
        "eventapi-20260501T120000Z.tar",
        "eventapi-20260501T120000Z.tar.verified",
        "eventapi-20260430T120000Z.tar",
        "eventapi-20260430T120000Z.tar.verified",
        "eventapi-20260601T120000Z.tar",
        "eventapi-20260701T120000Z.tar.verified",
        "by-hand.tar",
        "by-hand.tar.verified",
    ):
        (settings.backups / name).touch()
    expected = time.time() - datetime(2026, 5, 1, 12, tzinfo=timezone.utc).timestamp()
    assert abs(int(metric(app, "backup_age_seconds")) - expected) < 60


def test_metrics_show_whether_the_last_backup_was_copied(app, settings):
    settings.backups.mkdir(parents=True)
    (settings.backups / "copy.json").write_text(
        '{"copied": "eventapi-20260501T120000Z.tar", "error": "no route"}'
    )
    # not configured
    assert (metric(app, "backup_copy_failed"), metric(app, "backup_copy_age_seconds")) == (
        "0",
        None,
    )
    settings.backup_copy_command = ("/usr/local/bin/copy-backup",)
    expected = time.time() - datetime(2026, 5, 1, 12, tzinfo=timezone.utc).timestamp()
    assert metric(app, "backup_copy_failed") == "1"
    assert abs(int(metric(app, "backup_copy_age_seconds")) - expected) < 60


def metric(app, name):
    """Return the value of a metric without labels as text, or None if it is left out."""
    found = re.search(rf"^eventapi_{name} (\S+)$", app.get("/metrics").text, re.M)
    return found and found[1]


def test_metrics_show_a_clock_that_was_set_back_or_went_ahead(app, organiser, db, monkeypatch):
    organiser.make("/events", {"title": "Garden Fair"})
    housekeeping.record_heartbeat(db)
    assert (metric(app, "clock_behind_seconds"), metric(app, "clock_jumped_ahead")) == ("0", "0")
    now = datetime.now(timezone.utc)

    def move(**by):
        monkeypatch.setattr(times, "now", lambda: times.text(now + timedelta(**by)))
        housekeeping.record_heartbeat(db)

    move(hours=-1)
    assert 3590 <= int(metric(app, "clock_behind_seconds")) <= 3600
    move(days=11)
    assert (metric(app, "clock_behind_seconds"), metric(app, "clock_jumped_ahead")) == ("0", "1")
    move(days=12)
    assert metric(app, "clock_jumped_ahead") == "0"


def test_metrics_list_each_metric_once_and_omit_unknown_values(app):
    text = app.get("/metrics").text
    names = re.findall(r"^# TYPE (\w+)", text, re.M)
    assert len(names) == len(set(names))
    assert "worker_age_seconds " not in re.sub(r"^#.*$", "", text, flags=re.M)


@pytest.mark.parametrize(
    "peer, headers, is_served",
    [
        ("", {}, True),
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("127.8.8.8", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("", {"X-Real-IP": "127.0.0.1", "X-Forwarded-For": "127.0.0.1, ::1"}, True),
        ("192.0.2.7", {}, False),
        ("2001:db8::7", {}, False),
        ("192.0.2.7", {"X-Real-IP": "127.0.0.1"}, False),
        ("", {"X-Real-IP": "192.0.2.7"}, False),
        ("127.0.0.1", {"X-Real-IP": "192.0.2.7"}, False),
        ("", {"X-Forwarded-For": "127.0.0.1, 192.0.2.7"}, False),
        ("", {"X-Forwarded-For": "192.0.2.7, 127.0.0.1"}, False),
        ("", {"X-Real-IP": "localhost"}, False),
        ("", {"X-Real-IP": ""}, False),
        ("", {"X-Forwarded-For": "unknown"}, False),
        ("", {"X-Real-IP": "127.0.0.1", "X-Forwarded-For": "127.0.0.1,"}, False),
    ],
)
def test_metrics_are_served_to_this_machine_only_in_every_spelling(app, peer, headers, is_served):
    for path in ("/metrics", "/metrics/", "/metric%73", "/metrics%2f"):
        answer = app.get(
            path, headers=headers, extra_environ={"REMOTE_ADDR": peer}, expect_errors=True
        )
        assert answer.status_int == (200 if is_served else 404), path
        assert ("eventapi_" in answer.text) == is_served


def test_metrics_show_that_the_database_has_another_schema(app, db):
    db.connection.execute("PRAGMA user_version = 9999")
    assert metric(app, "schema_version") == "9999" != metric(app, "schema_version_needed")
