"""Simulate an opening morning at the entrances, as fast as possible: python3
tests/load/opening_morning.py [--people 150000] [--seed 1] …

Visitors arrive within three hours at forty stations. Some leave and return, some badges are scanned
or sent twice, some are used at a second entrance, and at any time some stations are offline and
send their scans later, out of order. Real server processes receive the scans. At the end, every
visit, the head count and the refusals must equal those of a model that saw all scans in order.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from eventapi import config as configuration
from eventapi import times
from eventapi.domain.access import api_keys
from eventapi.domain.entrance import badges
from eventapi.storage import database, migrations
from tests.support import processes
from tests.support.http_client import HttpClient

OFFLINE = 20 * 60  # seconds
LONG_AGO = "2026-01-01T00:00:00Z"
CLIENTS = 4  # processes that act as the devices
BATCH = 200  # scans that a device sends at once


def main(asked):
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        numbers, key, start = furnish(Path(folder), asked)
        scans, model = morning(chance, numbers, asked)
        errands = by_station(chance, scans, numbers, start, asked)
        with processes.Server(folder, "--workers", str(asked.workers)) as server:
            began = time.perf_counter()
            took, answered = play(server.url, key, errands)
            seconds = time.perf_counter() - began
            with HttpClient(server.url, key) as client:
                figures = client.data("GET", "/check-ins/stats?event_key=fair")
                refused = client("GET", "/check-ins/refusals?per_page=1")[1]["meta"]["total"]
        report(asked, took, answered, seconds)
        compare(Path(folder), model, figures, refused, start)


# The event, its visitors and their scans


def furnish(folder, asked):
    """Create a database with all people.

    Return badge numbers, a key and the time at which the entrances open.
    """
    zone = noon()
    now = datetime.now(timezone.utc).replace(microsecond=0)
    today = times.local_date(times.text(now), zone)
    config = configuration.load(ROOT / "tests" / "support" / "organiser.conf", data_dir=str(folder))
    migrations.migrate(config.database)
    db = database.Database(config)
    numbers = {badges.draw() for _ in range(asked.people)}
    while len(numbers) < asked.people:
        numbers.add(badges.draw())
    numbers = sorted(numbers)
    with db.write():
        key = api_keys.create_key(db, "doors", api_keys.SCOPES)[1]
        fill(db.connection, numbers, today, zone)
    db.close()
    return numbers, key, now - timedelta(hours=asked.hours, minutes=30)


def fill(connection, numbers, today, zone):
    connection.execute(
        "INSERT INTO events (event_key, title, country, date_from, date_from_at, date_to, "
        "date_to_at, over_at, timezone, is_visible,"
        " created_at, updated_at) VALUES ('fair', 'Fair', 'DE', ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        (
            today,
            times.start(today, zone),
            today,
            times.end(today, zone),
            times.end(today, zone),
            zone,
            LONG_AGO,
            LONG_AGO,
        ),
    )
    connection.executemany(
        "INSERT INTO contacts (customer_number, last_name, country, rating, "
        "account_access_enabled, created_at, updated_at)"
        f" VALUES (?, ?, 'DE', 3, 1, '{LONG_AGO}', '{LONG_AGO}')",
        ((f"C-{place:06}", f"Visitor {place}") for place in range(len(numbers))),
    )
    connection.executemany(
        "INSERT INTO participants (event_id, contact_id, role, badge_number, created_at, updated_at)"
        f" VALUES (1, ?, 'visitor', ?, '{LONG_AGO}', '{LONG_AGO}')",
        ((place + 1, number) for place, number in enumerate(numbers)),
    )


def noon():
    """Return a time zone in which it is about noon, so that the morning of today is over."""
    ahead = 12 - datetime.now(timezone.utc).hour
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"


def morning(chance, numbers, asked):
    """Return (scans in order, model).

    A scan is (second, station, person, action, name). The model holds the visits and refusals that
    result.
    """
    scans, visits, refusals = [], [], 0
    last = asked.hours * 3600
    for person in range(len(numbers)):
        came = int(chance.triangular(0, last - 1800, last / 3))
        at = came
        scans.append((came, chance.randrange(asked.stations), person, "check_in", f"{person}-0"))
        if chance.random() < asked.repeated / 2:  # scanned twice at the same entrance
            scans.append(
                (came + chance.randrange(1, 9), scans[-1][1], person, "check_in", f"{person}-twice")
            )
        if chance.random() < 0.005:  # the badge is used at another entrance
            scans.append(
                (
                    came + chance.randrange(20, 120),
                    (scans[-1][1] + 1) % asked.stations,
                    person,
                    "check_in",
                    f"{person}-other",
                )
            )
            refusals += 1
        left = None
        if chance.random() < 0.1:
            left = at + chance.randrange(300, 1500)
            scans.append(
                (left, chance.randrange(asked.stations), person, "check_out", f"{person}-1")
            )
        visits.append((person, came, left))
        if left is not None and left + 200 < last and chance.random() < 0.5:
            back = left + chance.randrange(60, 200)
            scans.append(
                (back, chance.randrange(asked.stations), person, "check_in", f"{person}-2")
            )
            visits.append((person, back, None))
    # sent twice, as after a broken connection
    again = [scan for scan in scans if chance.random() < asked.repeated / 2]
    return sorted(scans + again), {"visits": visits, "refusals": refusals}


def by_station(chance, scans, numbers, start, asked):
    """Return station -> what it sends, in order: a scan, or a list of the scans that it collected
    while it was offline.
    """
    windows = asked.hours * 3600 // OFFLINE
    dark = {
        (station, window)
        for window in range(windows)
        for station in chance.sample(
            range(asked.stations), max(1, round(asked.stations * asked.offline))
        )
    }
    errands, gathered = {station: [] for station in range(asked.stations)}, {}
    for second, station, person, action, name in scans:
        body = {
            "event_key": "fair",
            "badge_number": numbers[person],
            "action": action,
            "station": f"Gate {station}",
            "scanned_at": times.text(start + timedelta(seconds=second)),
            "client_ref": name,
        }
        place = station, min(second // OFFLINE, windows - 1)
        if place in dark:
            if place not in gathered:
                gathered[place] = []
                errands[station].append(((place[1] + 1) * OFFLINE, gathered[place]))
            gathered[place].append(body)
        else:
            errands[station].append((second, body))
    for kept in gathered.values():
        chance.shuffle(kept)
    return {
        station: [what for _, what in sorted(sent, key=lambda entry: entry[0])]
        for station, sent in errands.items()
    }


# The devices


def play(url, key, errands):
    """Send everything, each station over its own connection.

    Return the milliseconds of each request and the number of responses per status.
    """
    shares = [
        [sent for station, sent in errands.items() if station % CLIENTS == share]
        for share in range(CLIENTS)
    ]
    with ProcessPoolExecutor(CLIENTS) as pool:
        parts = [
            part
            for share in pool.map(devices, [url] * CLIENTS, [key] * CLIENTS, shares)
            for part in share
        ]
    answered = Counter(status for _, _, statuses in parts for status in statuses)
    return {
        "scan": [ms for scans, _, _ in parts for ms in scans],
        "batch": [ms for _, batches, _ in parts for ms in batches],
    }, answered


def devices(url, key, share):
    with ThreadPoolExecutor(len(share) or 1) as threads:
        return list(threads.map(lambda sent: device(url, key, sent), share))


def device(url, key, sent):
    """Run one station. Return (milliseconds of scans, milliseconds of batches, statuses)."""
    scans, batches, statuses = [], [], []
    with HttpClient(url, key) as client:
        for what in sent:
            if isinstance(what, dict):
                scans.append(
                    timed(client, "/check-ins", what, lambda status, _: statuses.append(status))
                )
                continue
            for first in range(0, len(what), BATCH):
                batches.append(
                    timed(
                        client,
                        "/check-ins/batch",
                        {"scans": what[first : first + BATCH]},
                        lambda _, answer: statuses.extend(
                            entry["status"] for entry in answer["data"]["results"]
                        ),
                    )
                )
    return scans, batches, statuses


def timed(client, path, body, report):
    start = time.perf_counter()
    status, answer = client("POST", path, body)
    took = (time.perf_counter() - start) * 1000
    assert status in (200, 201, 409), answer
    report(status, answer)
    return took


# Results


def report(asked, took, answered, seconds):
    print(
        f"{asked.people} people, {asked.stations} stations, {sum(answered.values())} scans in {seconds:.0f} s: "
        f"{sum(answered.values()) / seconds:.0f} scans/s, {asked.workers} workers; answers: "
        f"{dict(sorted(answered.items()))}"
    )
    for kind, values in took.items():
        if len(values) > 1:
            cuts = statistics.quantiles(values, n=100)
            print(
                f"{kind:>6}: {len(values)} requests, p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, at most "
                f"{max(values):.1f} ms"
            )


def compare(folder, model, figures, refused, start):
    """Compare every visit, the head count and the refusals with those of the model."""
    connection = database.connect(folder / "eventapi.db", readonly=True)
    found = set(
        connection.execute(
            "SELECT event_participant_id, checked_in_at, CASE closed_by WHEN 'check_out' "
            "THEN ends_at END FROM check_ins"
        )
    )
    many = connection.execute("SELECT count(*) FROM check_ins").fetchone()[0]
    connection.close()
    expected = {
        (
            person + 1,
            times.text(start + timedelta(seconds=came)),
            None if left is None else times.text(start + timedelta(seconds=left)),
        )
        for person, came, left in model["visits"]
    }
    wrong = len(found ^ expected)
    present = sum(left is None for _, _, left in model["visits"])
    counted = {
        "present": present,
        "visitors": len({person for person, _, _ in model["visits"]}),
        "check_ins": len(expected),
        "check_outs": len(expected) - present,
    }
    print(
        f"head count {figures['present']}, in the model {present}; visits {many}, in the model {len(expected)}, "
        f"{wrong} differ; "
        f"refused {refused}, in the model {model['refusals']}"
    )
    if (
        wrong
        or many != len(expected)
        or refused != model["refusals"]
        or any(figures[name] != value for name, value in counted.items())
    ):
        sys.exit(f"wrong head count: {figures} instead of {counted}")


def arguments():
    parser = argparse.ArgumentParser(
        description="Plays an opening morning against real server processes."
    )
    for name, default in (
        ("people", 150_000),
        ("stations", 40),
        ("hours", 3),
        ("seed", 1),
        ("workers", 2),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--repeated", type=float, default=0.02, help="part of the scans that come twice"
    )
    parser.add_argument(
        "--offline",
        type=float,
        default=0.05,
        help="part of the stations that have no connection at a time",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main(arguments())
