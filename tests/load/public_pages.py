"""Read the public pages of a show while the office writes: python3 tests/load/public_pages.py
[--rate 1500] …

600 exhibitors in 600 booths. Three kinds of rounds take turns, so that the p99 of 50 writes a
second is compared within one run: without readers, with readers of another server on this machine,
who take as much CPU, and with readers of the show. At the end, somebody reads the directory and the
first page after each of some changes.
"""

import argparse
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from eventapi import config as configuration
from eventapi.domain.access import api_keys
from eventapi.storage import database, migrations
from tests.support import processes
from tests.support.http_client import HttpClient

OPTIONS = """[eventapi]
base_url = https://show.example.org
organiser_name = Garden GmbH
organiser_street = Weg 1
organiser_city = Leipzig
organiser_email = office@example.org
"""
READERS = 2  # processes, with one connection each
PAGES = ("/e/fair", "/e/fair/exhibitors", "/e/fair/plan/hall", "/e/fair/programme")


def main(asked):
    with ExitStack() as opened:
        show, other = (opened.enter_context(a_show(asked)) for _ in range(2))
        readers = {"none": None, "of another server": other, "of the show": show}
        found = {name: [] for name in readers}
        for number in range(asked.rounds + 1):
            for name, read_from in readers.items():
                took, count = round_of(read_from and read_from.port, show.client, asked)
                if number:  # the first round draws the pages
                    found[name].append(p99(took))
                    print(
                        f"readers {name:17}: writes p50 {statistics.median(took):5.1f} ms, p99 {p99(took):6.1f} ms, "
                        f"{count / asked.seconds:6.0f} pages a second"
                    )
        alone, beside, served = (statistics.median(each) for each in found.values())
        print(
            f"p99 of writes beside readers of the show: {served / beside:.2f} times that beside readers of another "
            f"server, {served / alone:.2f} times that without readers"
        )
        for what, path, change in (
            ("directory after a hold", "/e/fair/exhibitors", hold),
            ("directory after a new name", "/e/fair/exhibitors", rename),
            ("first page after a hold", "/e/fair", hold),
        ):
            took = redrawn(show.port, show.client, path, change, show.booths)
            print(f"{what}: median {statistics.median(took):.1f} ms, longest {max(took):.1f} ms")


@contextmanager
def a_show(asked):
    """Run a server with a show. Return its port, a client and the ids of its booths."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "eventapi.conf").write_text(OPTIONS)
        key = furnish(Path(folder))
        with (
            processes.Server(folder, "--workers", str(asked.workers)) as server,
            HttpClient(server.url, key) as client,
        ):
            yield SimpleNamespace(
                port=server.port, client=client, booths=fill(client, asked.exhibitors)
            )


def furnish(folder):
    """Create the database with a plan, and return a key."""
    settings = configuration.load(folder / "eventapi.conf", {"EVENTAPI_DATA_DIR": str(folder)})
    migrations.migrate(settings.database)
    db = database.Database(settings)
    with db.write():
        key = api_keys.create_key(db, "load", list(api_keys.SCOPES))[1]
    db.close()
    return key


def fill(client, count):
    """Make the show with its exhibitors.

    Return the ids of the booths, whose first 600 are reserved.
    """
    event = make(
        client,
        "/events",
        {"title": "Fair", "event_key": "fair", "date_from": "2031-05-01", "date_to": "2031-05-03"},
    )
    plan = make(
        client,
        "/plans",
        {
            "event_id": event["id"],
            "plan_key": "hall",
            "plan_name": "Hall",
            "width": 200,
            "height": 200,
        },
    )
    booths = []
    for number in range(count + 40):
        booths.append(
            make(
                client,
                "/booths",
                {
                    "plan_id": plan["id"],
                    "booth_number": f"A{number}",
                    "width": 3,
                    "depth": 3,
                    "fixed_price": 100,
                    "pos_x": 1 + 5 * (number % 38),
                    "pos_y": 1 + 5 * (number // 38),
                },
            )["id"]
        )
    for number in range(count):
        contact = make(
            client, "/contacts", {"company_name": f"Company {number}", "city": "Leipzig"}
        )
        participant = make(
            client,
            "/participants",
            {"event_key": "fair", "contact_id": contact["id"], "is_confirmed": True},
        )
        reservation = make(
            client,
            "/booth-reservations",
            {"booth_id": booths[number], "event_participant_id": participant["id"]},
        )
        client.data("POST", f"/booth-reservations/{reservation['id']}/confirm", {})
    client.data("PATCH", f"/events/{event['id']}/pages", {"is_public": True, "show_plan": True})
    return booths


def make(client, path, body):
    return client.data("POST", path, body, status=201)


def round_of(port, client, asked):
    """Write for some seconds, beside readers of a port if it is given.

    Return (ms of each write, pages that were read).
    """
    ends, took = time.time() + asked.seconds, []
    pool = multiprocessing.Pool(READERS)
    counts = (
        pool.starmap_async(read, [(port, asked.rate / READERS, ends)] * READERS) if port else None
    )
    began = time.perf_counter()
    for number in range(50 * asked.seconds):
        time.sleep(max(0, began + number / 50 - time.perf_counter()))
        start = time.perf_counter()
        client.data("PATCH", f"/contacts/{1 + number % asked.exhibitors}", {"notes": str(start)})
        took.append((time.perf_counter() - start) * 1000)
    total = sum(counts.get(60)) if counts else 0
    pool.terminate()
    return took, total


def read(port, rate, ends):
    """Read pages at a rate until a time. Return their number.

    Visitors read on machines of their own, so this process leaves the CPU to the server and to the
    client that writes.
    """
    os.nice(19)
    with Reader(port) as reader:
        began, count = time.perf_counter(), 0
        while time.time() < ends:
            time.sleep(max(0, began + count / rate - time.perf_counter()))
            reader.get(PAGES[count % len(PAGES)])
            count += 1
        return count


class Reader:
    """One connection that stays open.

    It parses no more than the length, so that it leaves the CPU to the server.
    """

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))

    def get(self, path):
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.socket.recv(262144)
        head, _, body = head.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]) - len(body)
        while left:
            left -= len(self.socket.recv(min(left, 262144)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def hold(client, booths):
    """Reserve a booth of the spare ones."""
    make(client, "/booth-reservations", {"booth_id": booths.pop(), "event_participant_id": 1})


def rename(client, booths):
    """Rename an exhibitor."""
    client.data("PATCH", "/contacts/1", {"company_name": f"Company {time.time()}"})


def redrawn(port, client, path, change, booths, times=20):
    """Return the ms that a page takes after each of some changes."""
    took = []
    with Reader(port) as reader:
        for _ in range(times):
            change(client, booths)
            start = time.perf_counter()
            reader.get(path)
            took.append((time.perf_counter() - start) * 1000)
    return took


def p99(took):
    return statistics.quantiles(took, n=100)[98]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in (
        ("rate", 1500),
        ("seconds", 10),
        ("rounds", 3),
        ("exhibitors", 600),
        ("workers", 2),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    main(parser.parse_args())
