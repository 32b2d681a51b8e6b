"""Measure a large database: python3 -m tests.load [FOLDER] [--size medium] [--pattern PATTERN].

Creates the database in FOLDER (seed.py) unless it is there already, and measures all reads of the
API reference, typical writes and jobs, the files of a public show, and a mixed load over HTTP.
Prints the slowest, and writes FOLDER/results.json. Exits with 1 if a request to the database of
200,000 contacts (`medium`) takes longer than marks.py says, if a kept file costs more than
kept_files.py says, or if the mixed load reaches less than 80 % of its throughput with 10,000
contacts. The times of a million (`big`) are only printed.
"""

import argparse
import gc
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

from eventapi import config as configuration
from eventapi.reference import document as openapi
from eventapi.storage import migrations
from tests.load import kept_files, marks, mix
from tests.load.client import Client, Refused
from tests.load.jobs import jobs
from tests.load.reads import reads
from tests.load.records import Records
from tests.load.writes import lock_time, writes

ROUNDS, BUDGET = 5, 1.0  # rounds of a read, and seconds after which no other one begins
THROUGHPUT = 0.8  # of the mixed load, as a share of that with 10,000 contacts
SHOWN = 40  # rows of the table


def main(arguments):
    folder, chosen = prepared(arguments.folder, arguments.size), re.compile(arguments.pattern)
    client = Client(folder)
    gc.collect()
    gc.freeze()
    times = {**dict(measured_reads(client, chosen)), **dict(measured_writes(client, chosen))}
    files = kept_files.measured(client) if chosen.search("kept files") else {}
    client.close()
    share = measured_mix(arguments.folder, folder) if chosen.search("mixed load") else None
    Path(arguments.folder, "results.json").write_text(
        json.dumps({**times, **files, "mixed load": share}, indent=1), encoding="utf-8"
    )
    missed = [*marks.missed(times), *kept_files.missed(files)]
    if files:
        print(kept_files.table(files), end="\n\n")
    print(
        "\n".join(
            [
                marks.slowest(times, SHOWN),
                "",
                f"{len(times) + len(files)} measured, {len(missed)} too slow:",
                *missed,
            ]
        )
    )
    return arguments.size == "medium" and (
        bool(missed) or (share is not None and share < THROUGHPUT)
    )


def prepared(folder, size):
    """Return the folder of a database.

    The small one is always new, since the measurements add records to it.
    """
    path = Path(folder, size)
    if size == "small":
        shutil.rmtree(path, ignore_errors=True)
    if not Path(path, "keys.json").exists():
        print(f"creating the database in {path}", flush=True)
        shutil.rmtree(path, ignore_errors=True)
        subprocess.run(
            [sys.executable, str(ROOT / "tests" / "load" / "seed.py"), size, str(path)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    migrations.migrate(configuration.load(None, data_dir=str(path)).database)
    return path


def measured_reads(client, chosen):
    """Yield (name, CPU milliseconds) of each read that `chosen` matches: the smallest time after a
    commit elsewhere.
    """
    for name, path, options in reads(client, openapi.document(client.config.base_url)):
        if chosen.search(name):
            began, times = time.perf_counter(), []
            while len(times) < ROUNDS and (not times or time.perf_counter() - began < BUDGET):
                client.commit_elsewhere()
                client("GET", path, **options)
                times.append(client.took)
            yield name, min(times)


def measured_writes(client, chosen):
    """Yield (name, milliseconds for which it held the write lock) of each write and job that
    `chosen` matches.
    """
    records = Records(client)
    for kind, write in [*(("write", one) for one in writes()), *(("job", one) for one in jobs())]:
        name = f"{kind} {write.name}"
        if chosen.search(name):
            try:
                yield name, lock_time(write, records)
            except Refused as error:
                print(f"not measured: {error}", flush=True)


def measured_mix(folder, large):
    """Return the throughput with the large database as a share of that with the small one.

    Return None without wrk.
    """
    if not mix.is_possible():
        print(
            "the mixed load was not measured: wrk is not installed (Debian: sudo apt install wrk)"
        )
        return None
    rates = mix.throughput_in_turns([prepared(folder, "small"), large])
    print(f"mixed load: {rates[0]:.0f} and {rates[1]:.0f} requests a second")
    return rates[1] / rates[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python3 -m tests.load")
    parser.add_argument(
        "folder", nargs="?", default=".load", help="where the databases are, 1 GB or 4 GB"
    )
    parser.add_argument(
        "--size", choices=("medium", "big"), default="medium", help="size of the database"
    )
    parser.add_argument(
        "--pattern", default="", help="regular expression for the names of the requests"
    )
    sys.exit(main(parser.parse_args()))
