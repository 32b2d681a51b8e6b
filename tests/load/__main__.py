"""Compare a big database with a small one: python3 -m tests.load [FOLDER] [--size big] [--pattern PATTERN].

Creates the databases in FOLDER (seed.py) unless the big one is there already, and measures both in turns: all reads
of the API reference, typical writes, and a mixed load over HTTP. Prints what misses a mark (marks.py) and how many
meet each, and writes FOLDER/results.json. Exits with 1 if a mark is missed that is not in exceptions.py.
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
from tests.load import marks, mix, table
from tests.load.client import Client, Refused
from tests.load.jobs import jobs
from tests.load.reads import reads
from tests.load.records import Records
from tests.load.timing import read_in_turns
from tests.load.writes import write_in_turns, writes


def main(arguments):
    folders = [prepared(arguments.folder, size) for size in ("small", arguments.size)]
    chosen = re.compile(arguments.pattern)
    results = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "size": arguments.size, "reads": {}, "writes": {}}
    clients = [Client(folder) for folder in folders]
    gc.collect()
    gc.freeze()
    results["reads"] = dict(measured_reads(clients, chosen))
    results["writes"] = dict(measured_writes(clients, chosen))
    for client in clients:
        client.close()
    results["mixed"] = measured_mix(folders, chosen)
    Path(arguments.folder, "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    found = list(table.judgements(results))
    print("\n".join(["", *table.missed(found), "", *table.summary(found)]))
    return any(not is_met and not marks.exception(name, mark, value) for name, mark, value, is_met in found)


def prepared(folder, size):
    """Return the folder of a database. The small one is always new, since the measurements add records to it."""
    path = Path(folder, size)
    if size == "small":
        shutil.rmtree(path, ignore_errors=True)
    if not Path(path, "keys.json").exists():
        print(f"creating the database in {path}", flush=True)
        shutil.rmtree(path, ignore_errors=True)
        subprocess.run([sys.executable, str(ROOT / "tests" / "load" / "seed.py"), size, str(path)], check=True,
                       stdout=subprocess.DEVNULL)
    migrations.migrate(configuration.load(None, data_dir=str(path)).database)
    return path


def measured_reads(clients, chosen):
    """Yield (name, {"small", "big", "path"}) of each read that `chosen` matches."""
    document, refused = openapi.document(clients[0].config.base_url), 0
    small, big = ({name: (path, options) for name, path, options in reads(client, document)} for client in clients)
    for name in big:
        if name in small and chosen.search(name):
            try:
                times = read_in_turns(clients, [small[name], big[name]])
            except Refused as error:
                refused += 1
                print(f"not measured: {error}", flush=True)
                continue
            one = {"small": times[0], "big": times[1], "path": big[name][0]}
            tell(name, marks.judged(name, *times))
            yield name, one
    print(f"reads: {len(big)}, of which {refused} were refused", flush=True)


def measured_writes(clients, chosen):
    """Yield (name, {"small", "big"}) of each write and each job that `chosen` matches."""
    several = [Records(client) for client in clients]
    named = [*((f"write {one.name}", one) for one in writes()), *((f"job {one.name}", one) for one in jobs())]
    for name, write in named:
        if chosen.search(name):
            try:
                times = write_in_turns(write, several)
            except Refused as error:
                print(f"not measured: {error}", flush=True)
                continue
            tell(name, marks.judged_write(name, times[1]))
            yield name, {"small": times[0], "big": times[1]}


def measured_mix(folders, chosen):
    """Return {"small", "big"}: requests per second; None if it is not chosen, or not possible."""
    if not chosen.search("mixed load"):
        return None
    if not mix.is_possible():
        print("the mixed load was not measured: wrk is not installed (Debian: sudo apt install wrk)")
        return None
    rates = mix.throughput_in_turns(folders)
    print(f"mixed load: {rates[0]:.0f} and {rates[1]:.0f} requests a second")
    return {"small": rates[0], "big": rates[1]}


def tell(name, judged):
    """Print the marks that a request misses."""
    for mark, value, is_met in judged:
        if not is_met:
            print(f"{value:9.1f} {mark.unit}  {mark.name}: {name}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python3 -m tests.load")
    parser.add_argument("folder", nargs="?", default=".load", help="where the databases are, 5 GB")
    parser.add_argument("--size", choices=("medium", "big"), default="big", help="size of the larger database")
    parser.add_argument("--pattern", default="", help="regular expression for the names of the requests")
    sys.exit(main(parser.parse_args()))
