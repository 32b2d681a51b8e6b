"""Throughput of a mixed load over HTTP, with wrk and mix.lua: 80 % reads, 20 % writes, 16
connections.
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
from pathlib import Path

from tests.support import processes

ROUNDS, SECONDS, WARM_UP = 3, 5, 2
UNPAID = """SELECT invoice_number FROM invoices WHERE status IN ('sent', 'partially_paid') AND invoice_type = 'invoice'
            LIMIT 300"""


def is_possible():
    """Return whether wrk is installed."""
    return shutil.which("wrk") is not None


def throughput_in_turns(folders):
    """Return the requests per second of the best round of each folder. The folders take turns."""
    found = [[] for _ in folders]
    for _ in range(ROUNDS):
        for folder, rates in zip(folders, found, strict=True):
            rates.append(throughput(folder))
    return [max(rates) for rates in found]


def throughput(folder):
    """Return the requests per second that a server with two processes answers.

    Raise RuntimeError if one fails.
    """
    values = environment(folder)
    with processes.Server(folder, "--workers", "2", EVENTAPI_LOG_LEVEL="error") as server:
        run(server.url, values, WARM_UP)
        line = run(server.url, values, SECONDS)
    requests, microseconds, failed = (int(number) for number in re.findall(r"\d+", line))
    # some change a contact that was erased before, or pay a paid invoice
    if failed > requests / 100:
        raise RuntimeError(f"{failed} of {requests} requests to {folder} failed")
    return requests / microseconds * 1e6


def run(url, values, seconds):
    """Run wrk and return its last line."""
    words = [
        "wrk",
        "-t1",
        "-c16",
        f"-d{seconds}s",
        "--timeout",
        "20s",
        "-s",
        str(Path(__file__).with_name("mix.lua")),
        url,
    ]
    return subprocess.run(
        words, env=values, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()[-1]


def environment(folder):
    """Return the environment of wrk: what mix.lua needs to know of the database."""
    db = sqlite3.connect(f"file:{folder}/eventapi.db?mode=ro", uri=True)
    try:
        sent = " ".join(row[0] for row in db.execute(UNPAID))
        last = db.execute("SELECT max(id) FROM contacts").fetchone()[0]
        people = db.execute("SELECT max(id) FROM participants WHERE event_id <> 2").fetchone()[0]
    finally:
        db.close()
    key = json.loads(Path(folder, "keys.json").read_text(encoding="utf-8"))["key"]
    return {**os.environ, "KEY": key, "SENT": sent, "LAST": str(last), "PEOPLE": str(people)}
