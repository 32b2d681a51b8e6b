"""Compare the cost of importing contacts with a bare executemany of the same rows.

python3 tests/load/import_contacts.py [CONTACTS]

The CSV is as a spreadsheet saves it: semicolons, Windows-1252, quotes, line breaks in cells. During
the import, another process reads and writes, and its responses are timed. The memory shown is that
of the importing process, minus what it used before.
"""

import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["EVENTAPI_LOG_LEVEL"] = "error"

from eventapi import config as configuration
from eventapi.domain.imports import files as import_files
from eventapi.domain.imports import job as import_job
from eventapi.domain.imports import runs
from eventapi.domain.imports import start as import_start
from eventapi.storage import database, files, migrations
from eventapi.storage.statements import statements
from eventapi.web.import_bodies import Source

COLUMNS = (
    "company_name",
    "first_name",
    "last_name",
    "email",
    "phone",
    "address",
    "postal_code",
    "city",
    "country",
    "notes",
)
TABLES = ("contacts", "audit_log", "outgoing_events")
OPTIONS = {
    "mode": "create",
    "match_field": "email",
    "skip_on_error": True,
    "create_contacts": True,
    "dry_run": False,
    "field_mapping": {},
    "event_id": None,
}


def main(many):
    with tempfile.TemporaryDirectory() as folder:
        db = fresh(folder, "imported")
        text = Path(folder, "contacts.csv")
        write_csv(text, many)
        id = queued(db, text)
        judging = timed(lambda: judged(db, id))
        memory, watch = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, watcher(db.config)
        before, took = time.process_time(), timed(lambda: import_job.run(db, id, lambda: False))
        busy = time.process_time() - before
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
        reads, writes = watched(watch)
        row = runs.get(db, id)
        assert (row["status"], row["created"]) == ("done", many), row
        bare = executed(db, fresh(folder, "bare"))
        print(
            f"{many} contacts: {took:.1f} s, of which {judging:.1f} s reading and judging; bare executemany "
            f"{bare:.1f} s; "
            f"ratio without judging {(took - judging) / bare:.2f}"
        )
        print(f"processor time of the import: {busy:.1f} s")
        print(f"memory grew by {grown / 1024:.0f} MiB")
        for name, times in (("read", reads), ("write", writes)):
            times.sort()
            print(
                f"meanwhile {len(times)} {name}s: median {statistics.median(times):.1f} ms, 99 % "
                f"{times[int(len(times) * 0.99)]:.1f} ms, "
                f"slowest {times[-1]:.1f} ms"
            )


def fresh(folder, name):
    place = Path(folder, name)
    place.mkdir()
    config = configuration.load(ROOT / "tests" / "support" / "organiser.conf", data_dir=place)
    migrations.migrate(config.database)
    return database.Database(config)


def write_csv(path, many):
    with open(path, "w", encoding="windows-1252", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for number in range(many):
            writer.writerow(
                [
                    f'Gärtnerei "{number * 7919 % 100003}" GmbH; & Söhne',
                    "Jürgen",
                    f"Müller {number % 977}",
                    f"office{number}@example.org",
                    f"+49 341 {number:07}",
                    f"Am Markt {number % 200}\nHinterhaus",
                    f"{number % 100000:05}",
                    f"Stadt {number % 500}",
                    "DE",
                    "spricht “Französisch”; kommt gern wieder",
                ]
            )


def queued(db, path):
    """Create the import as a request does, for the worker to execute."""
    with open(path, "rb") as stream, files.received(db.config, stream, 2**30) as upload:
        form, total = import_files.read_form(upload.path)
        with db.write():
            return import_start.create(
                db, "contacts", OPTIONS, Source(OPTIONS, upload, form, total, None)
            )["id"]


def judged(db, id):
    """Read and validate all records, one batch at a time."""
    job, row = import_job.Job(db, id), runs.get(db, id)
    sent = import_files.records(files.path(db.config, row["sha256"]), row["form"])
    while job.validated(islice(sent, import_job.BATCH)):
        pass


def executed(source, target):
    """Return the seconds that a bare executemany of the same rows takes, with the same indexes,
    triggers and transaction size.
    """
    rows = {
        table: source.connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
        for table in TABLES
    }
    inserts = {
        table: f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[0]))})"
        for table, found in rows.items()
    }
    target.connection.executescript("DELETE FROM counters;")

    def run():
        for start in range(0, max(map(len, rows.values())), import_job.BATCH):
            with target.write():
                for table, found in rows.items():
                    target.connection.executemany(
                        inserts[table], found[start : start + import_job.BATCH]
                    )

    return timed(run)


def timed(act):
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


# Another process meanwhile


def watcher(config):
    return subprocess.Popen(
        [sys.executable, __file__, "--watch", str(config.data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def watched(process):
    output, _ = process.communicate("")
    kinds = [line.split() for line in output.splitlines()]
    return [[float(value) for name, value in kinds if name == kind] for kind in ("read", "write")]


def watch(folder):
    """Read and write every few milliseconds until standard input ends."""
    import select

    db = database.Database(
        configuration.load(ROOT / "tests" / "support" / "organiser.conf", data_dir=folder)
    )
    contacts, housekeeping = statements("contacts"), statements("housekeeping")

    def write():
        with db.write():
            db.run(housekeeping.record_heartbeat, now=db.now)

    while not select.select([sys.stdin], [], [], 0.02)[0]:
        print(
            "read",
            1000
            * timed(
                lambda: db.rows(
                    contacts.list.page(frozenset(), "company_name", "ASC"),
                    {"limit": 20, "offset": 0},
                )
            ),
        )
        print("write", 1000 * timed(write))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--watch"]:
        watch(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
