"""GET /metrics: sizes, backlogs and ages for Prometheus, read from the database.

Other machines get 404.
"""

import os
import shutil

from eventapi import __version__, times
from eventapi.domain.imports import runs
from eventapi.domain.mail import queue as mails
from eventapi.domain.upkeep import copies, housekeeping, nightly
from eventapi.domain.webhooks import subscriptions as webhooks
from eventapi.errors import Problem
from eventapi.storage import versions
from eventapi.storage.migrations import schema_version
from eventapi.storage.statements import statements
from eventapi.web import client
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("metrics", root="", public=True, forms=("text/plain",))
sql = statements("metrics")


@routes.get("/metrics")
def get_metrics(db):
    """Return the metrics in the Prometheus text format.

    Respond with 404 to callers on other machines.
    """
    if not client.is_local():
        raise Problem("not_found", "The path /metrics does not exist.")
    with db.snapshot():
        lines = [line for metric in figures(db) for line in written(*metric)]
    return Response(
        body="".join(f"{line}\n" for line in lines).encode(),
        headers={
            "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
            "Cache-Control": "no-store",
        },
    )


def figures(db):
    """Yield (name, type, help, [(labels, value)]) for each metric.

    Values that are None are left out.
    """
    events = db.one(sql.events)
    yield "info", "gauge", "Version of the running server.", [({"version": __version__}, 1)]
    yield (
        "schema_version",
        "gauge",
        "Schema version of the database.",
        [({}, schema_version(db.connection))],
    )
    yield (
        "schema_version_needed",
        "gauge",
        "Schema version that the running server needs.",
        [({}, versions.newest())],
    )
    yield (
        "records_created_total",
        "counter",
        "Records ever created, by table, including deleted ones.",
        [({"table": row["label"]}, row["value"]) for row in db.all(sql.created)],
    )
    yield (
        "outgoing_events",
        "gauge",
        "Events kept for webhooks and the feed.",
        [({}, events["waiting"])],
    )
    yield (
        "outgoing_events_oldest_seconds",
        "gauge",
        "Age of the oldest of these events.",
        [({}, age(events["oldest"]))],
    )
    backlog = webhooks.backlog(db)
    yield (
        "webhooks",
        "gauge",
        "Webhooks by state; failing webhooks are active.",
        [({"state": name}, value) for name, value in backlog["states"].items()],
    )
    yield (
        "webhook_deliveries_waiting",
        "gauge",
        "Pending deliveries to active webhooks.",
        [({}, backlog["deliveries"])],
    )
    yield (
        "webhook_deliveries_oldest_seconds",
        "gauge",
        "Age of the oldest event in these deliveries.",
        [({}, backlog["oldest"])],
    )
    yield (
        "webhook_events_unseen",
        "gauge",
        "Events that the worker has not processed yet.",
        [({}, backlog["unseen"])],
    )
    mail = mails.backlog(db)
    yield (
        "mails",
        "gauge",
        "Stored mails by state.",
        [({"state": state}, value) for state, value in mail["states"].items()],
    )
    yield (
        "mails_oldest_seconds",
        "gauge",
        "Age of the oldest mail that is due.",
        [({}, mail["oldest"])],
    )
    imports = runs.backlog(db)
    yield (
        "bulk_imports_waiting",
        "gauge",
        "Bulk imports that are queued or running.",
        [({}, imports["imports"])],
    )
    yield (
        "bulk_import_records_waiting",
        "gauge",
        "Records that these imports have not processed yet.",
        [({}, imports["records"])],
    )
    yield (
        "idempotency_keys",
        "gauge",
        "Responses stored for Idempotency-Key.",
        [({}, db.value(sql.idempotency_keys))],
    )
    yield (
        "api_keys",
        "gauge",
        "API keys that are active.",
        [({}, db.value(sql.api_keys, now=times.now()))],
    )
    yield "database_bytes", "gauge", "Size of the database file.", [({}, size(db.path))]
    yield "wal_bytes", "gauge", "Size of the write-ahead log.", [({}, size(f"{db.path}-wal"))]
    yield (
        "worker_age_seconds",
        "gauge",
        "Seconds since the last heartbeat of the worker.",
        [({}, housekeeping.worker_age(db))],
    )
    yield (
        "clock_behind_seconds",
        "gauge",
        "Seconds that the clock is behind the latest updated_at: it was set back, or was ahead before.",
        [({}, housekeeping.clock_behind(db))],
    )
    yield (
        "clock_jumped_ahead",
        "gauge",
        "1 for a day after the clock went ahead by more than ten days. Nothing is deleted meanwhile.",
        [({}, int(housekeeping.jumped_ahead(db)))],
    )
    yield from figures_of_the_disk(db)


def figures_of_the_disk(db):
    """Yield the metrics of the file system and the backups, as `figures` does."""
    disk = shutil.disk_usage(db.config.data_dir)
    yield "disk_bytes", "gauge", "Size of the file system that holds data_dir.", [({}, disk.total)]
    yield (
        "disk_free_bytes",
        "gauge",
        "Free space there, for the user of the service.",
        [({}, disk.free)],
    )
    yield (
        "backup_age_seconds",
        "gauge",
        "Seconds since the start of the newest nightly backup that passed its check.",
        [({}, age(nightly.newest_verified(db.config)))],
    )
    copy = copies.last(db.config)
    yield (
        "backup_copy_failed",
        "gauge",
        "1 if backup_copy_command failed with the last backup.",
        [({}, int(bool(copy["error"])))],
    )
    yield (
        "backup_copy_age_seconds",
        "gauge",
        "Seconds since the start of the newest backup that was copied.",
        [({}, age(nightly.made_at(copy["copied"] or "")))],
    )


def written(name, kind, help, values):
    """Yield the lines of one metric in the Prometheus text format, version 0.0.4."""
    name = f"eventapi_{name}"
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        if value is not None:
            inside = ",".join(f'{label}="{text}"' for label, text in labels.items())
            yield f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def age(timestamp):
    """Return the seconds since a timestamp. None stays None."""
    return None if timestamp is None else max(0, times.unix(times.now()) - times.unix(timestamp))


def size(path):
    """Return the size of a file in bytes, or 0 if it does not exist."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
