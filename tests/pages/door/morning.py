"""Play an opening morning through the page at the door: python3 -m tests.pages.door.morning
[--minutes 15] …

Four phones, one of them with a clock that is an hour ahead, scan the badges of the sample show at
three entrances. They reach the server through nginx, with TLS. Then the network is away for ten
minutes: two phones are in flight mode, and the others get no answer. Meanwhile the office cancels
people and replaces badges, and a phone loses its power. When the network comes back, the server is
killed while the phones send what waits.

At the end, every scan that a phone has shown is stored once, with the result of a model that saw
all scans in the order of their times; visits and figures equal the model's, and nothing waits.
"""

import argparse
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from eventapi import times
from eventapi.domain.entrance import badges
from eventapi.storage import database
from tests.support import nginx_site
from tests.support.http_client import HttpClient
from tests.support.phone import Phone
from tests.support.processes import ROOT, Server, alive, children, eventapi, free_port, until

HOST = "events.example.org"  # that of the certificate
DOORS = (("Entrance West", 1), ("Entrance East", 1), ("Main entrance", 2))  # station, phones
GAP = 3  # seconds by which scans of one person are apart at least, unless read twice
SAME = 10  # seconds within which two scans at one station are one
HELD_UP = 2  # seconds after which a code that is read again is a new scan
CLOCK = 3  # seconds by which the clock of a phone may be wrong after slow answers


@dataclass
class Step:
    """What happens `due` seconds after the beginning, and at least GAP seconds after the step that
    it waits for.
    """

    due: float
    act: object
    waits: "Step | None" = None
    done: threading.Event = field(default_factory=threading.Event)


def play(folder, data, key, event_key, *, seconds, absence, seed=1):
    """Play a morning with the show in the folder `data`, and compare everything.

    Return its figures as a dict.
    """
    options = {"EVENTAPI_BASE_URL": f"https://{HOST}", "EVENTAPI_TRUSTED_PROXIES": "127.0.0.0/8"}
    port = free_port()
    with ExitStack() as stack:
        server = [stack.enter_context(Server(data, "--workers", "2", port=port, **options))]
        secure, _ = stack.enter_context(nginx_site.running(folder, f"127.0.0.1:{port}"))
        nginx = int((folder / "nginx.pid").read_text())
        phones = sign_in(stack, folder, data, secure, event_key, options)
        url, figures = server[0].url, {}
        with HttpClient(url, key) as client:
            before = Before(data, client, event_key)
        steps, office = plan(random.Random(seed), before, phones, (url, key), seconds, absence)
        away = seconds * 0.2, seconds * 0.2 + absence

        def leave():
            for worker in children(nginx):
                os.kill(worker, signal.SIGSTOP)

        def come_back():
            for worker in children(nginx):
                os.kill(worker, signal.SIGCONT)

        def kill():
            """Kill the server once the phones send what waited, and start it again."""
            stored = stored_scans(data, before.scans)
            until(lambda: len(stored_scans(data, before.scans)) > len(stored), 90)
            workers = children(server[0].process.pid)
            server[0].stop(signal.SIGKILL)
            # those of gthread wait for graceful_timeout
            until(lambda: not any(map(alive, workers)), 60)
            figures["stored when the server was killed"] = len(stored_scans(data, before.scans))
            time.sleep(2)
            server.append(stack.enter_context(Server(data, "--workers", "2", port=port, **options)))

        steps[None] += [Step(away[0], leave), Step(away[1], come_back), Step(away[1] + 0.01, kill)]
        began = time.time()
        with ThreadPoolExecutor(len(steps)) as pool:
            runs = [pool.submit(run, began, own, steps) for own in steps.values()]
            for each in runs:
                each.result()
        back = time.time()
        for phone in phones:
            phone.send()
            phone.until(lambda phone=phone: phone.waits() == 0, 300)
            phone.until(
                lambda phone=phone: phone.run("document.getElementById('queue').className") == ""
            )
            phone.collect()
        figures["seconds until nothing waited"] = round(time.time() - back, 1)
        with HttpClient(url, key) as client:
            figures |= compare(data, client, event_key, before, phones, office, began, away)
    return figures


class Before:
    """What the show contains before the morning: badge numbers by what becomes of them, and its
    figures.
    """

    def __init__(self, data, client, event_key):
        connection = database.connect(data / "eventapi.db", readonly=True)
        read = connection.execute
        event = read("SELECT id FROM events WHERE event_key = ?", [event_key]).fetchone()[0]
        self.scans = read("SELECT coalesce(max(id), 0) FROM check_in_scans").fetchone()[0]
        self.inside = {
            number
            for (number,) in read(
                "SELECT p.badge_number FROM check_ins k JOIN participants p ON p.id = k.event_participant_id "
                "WHERE k.event_id = ? AND k.ends_at > ? AND k.closed_by IS NULL",
                [event, times.now()],
            )
        }
        self.seen = {
            number
            for (number,) in read(
                "SELECT p.badge_number FROM check_ins k JOIN participants p ON p.id = k.event_participant_id "
                "WHERE k.event_id = ?",
                [event],
            )
        }
        self.ids = dict(
            read(
                "SELECT badge_number, id FROM participants WHERE event_id = ? AND status <> 'cancelled' "
                "ORDER BY id",
                [event],
            )
        )
        self.codes = {
            number: "participant_cancelled"
            for (number,) in read(
                "SELECT badge_number FROM participants WHERE event_id = ? AND status = 'cancelled'",
                [event],
            )
        }
        self.codes |= {
            number: "badge_replaced"
            for (number,) in read(
                "SELECT a.badge_number FROM badge_aliases a JOIN participants p ON p.id = a.event_participant_id "
                "WHERE p.event_id = ? AND a.replaced_at IS NOT NULL",
                [event],
            )
        }
        self.codes |= {
            number: "wrong_event"
            for (number,) in read(
                "SELECT badge_number FROM participants WHERE event_id <> ? LIMIT 2", [event]
            )
        }
        self.codes |= {badges.draw(): "unknown_badge" for _ in range(3)}
        connection.close()
        self.stats = client.data("GET", f"/check-ins/stats?event_key={event_key}")


def sign_in(stack, folder, data, port, event_key, options):
    """Make a link for each entrance as the office does, open it on its phones, and return these."""
    browser = [
        "--ignore-certificate-errors",
        f"--host-resolver-rules=MAP {HOST}:443 127.0.0.1:{port}",
    ]
    phones = []
    for station, count in DOORS:
        words = ("create", "door", event_key, "--station", station)
        for _ in range(count):
            done = eventapi(data, "link", *words, **options)
            assert done.returncode == 0, done.stderr
            first, address = done.stdout.splitlines()[:2]
            words = ("show", first.split()[1].rstrip(","))
            phone = Phone(
                folder / f"phone-{len(phones)}",
                f"https://{HOST}/door/",
                options=browser,
                ahead=0 if phones else 3600,
            )
            phone.station = station
            phone.address = address
            phones.append(phone)
    with ThreadPoolExecutor() as pool:
        for phone in phones:
            stack.callback(phone.end)
        list(pool.map(opened, phones))
    phones[0].end_browser()  # then its cookie is stored, which Chromium does within half a minute
    phones[0].start()
    return phones


def opened(phone):
    """Open the page on a phone, and its link."""
    phone.start()
    phone.sign_in(phone.address)
    phone.until(phone.is_controlled)


def plan(chance, before, phones, api, seconds, absence):
    """Return (steps, office): phone -> its steps, those of the office by None; number -> (code,
    time) of the office.

    Everybody comes once. Some badges are read twice, or used at another entrance; some people
    leave, some return.
    """
    steps, office = {None: [], **{phone: [] for phone in phones}}, {}
    begin, end = seconds * 0.2, seconds * 0.2 + absence

    def scan(due, number, action="check_in", phone=None, waits=None, times_=1):
        phone = phone or chance.choice(phones)

        def act():
            phone.feed([number], action)
            for _ in range(times_ - 1):
                time.sleep(HELD_UP)
                phone.feed([number], action)

        step = Step(due, act, waits)
        steps[phone].append(step)
        return step

    def later(step):
        return chance.uniform(step.due, seconds)

    def changes(number, code, path):
        """Have the office refuse a badge while the network is away. It is shown after that."""

        def act():
            with HttpClient(*api) as client:
                client.data("POST", f"/participants/{before.ids[number]}/{path}", {})
            office[number] = code, time.time()

        step = Step(chance.uniform(begin, begin + absence / 2), act)
        steps[None].append(step)
        scan(chance.uniform(step.due, end), number, waits=step)

    numbers = sorted(before.ids)
    chance.shuffle(numbers)
    for place, number in enumerate(numbers):
        if number in before.inside:
            scan(chance.uniform(0, seconds), number, chance.choice(["check_out", "check_in"]))
        elif place % 50 == 0:
            changes(number, "participant_cancelled", "cancel")
        elif place % 50 == 1:
            changes(number, "badge_replaced", "badge/replace")
        else:
            came = scan(
                chance.triangular(0, seconds, seconds / 3),
                number,
                times_=2 if place % 30 == 2 else 1,
            )
            if place % 25 == 3:
                other = chance.choice([phone for phone in phones if phone.station != DOORS[0][0]])
                scan(later(came), number, phone=other, waits=came)
            if place % 6 == 4:
                left = scan(later(came), number, "check_out", waits=came)
                if place % 12 == 4:
                    scan(later(left), number, waits=left)
    for number in before.codes:
        scan(chance.uniform(0, seconds), number)
    for phone in phones[2:]:
        steps[phone] += [
            Step(begin, lambda phone=phone: phone.browser.set_offline(True)),
            Step(end, lambda phone=phone: phone.browser.set_offline(False)),
        ]

    def lose_power(phone=phones[0]):
        phone.collect()
        phone.kill()
        phone.start()  # from the service worker, without network

    steps[phones[0]].append(Step(begin + absence / 2, lose_power))
    return steps, office


def run(began, own, every):
    """Do the steps of a phone or of the office, one after the other."""
    try:
        for step in sorted(own, key=lambda step: step.due):
            time.sleep(max(0, began + step.due - time.time()))
            if step.waits:
                step.waits.done.wait()
                time.sleep(GAP)
            step.act()
            step.done.set()
    except BaseException:
        for step in (step for steps in every.values() for step in steps):
            step.done.set()  # nobody waits for what does not come
        raise


# The comparison


def stored_scans(data, since):
    """Return the scans that were stored since, as rows (badge number, action, station, code, time,
    client_ref).
    """
    connection = database.connect(data / "eventapi.db", readonly=True)
    rows = connection.execute(
        "SELECT badge_number, action, station, code, scanned_at, client_ref FROM check_in_scans "
        "WHERE id > ?",
        [since],
    ).fetchall()
    connection.close()
    return rows


def model(scans, inside, codes, office):
    """Return (code of each scan, visits as [number, station, time, time of leaving or None], who is
    inside).

    `scans` is a list of (time, number, action, station) in the order of time.
    """
    found, visits, open_ = [], [], dict.fromkeys(inside)
    for at, number, action, station in scans:
        code, since = office.get(number, (codes.get(number), 0))
        if code and at >= since and (action == "check_in" or code != "participant_cancelled"):
            found.append(code)
        elif action == "check_out":
            found.append(None if number in open_ else "not_checked_in")
            visit = open_.pop(number, None)
            if visit:
                visit[3] = at
        elif number in open_:
            visit = open_[number]
            is_same = visit and visit[1] == station and at - visit[2] <= SAME
            found.append(None if is_same else "already_checked_in")
        else:
            open_[number] = [number, station, at, None]
            visits.append(open_[number])
            found.append(None)
    return found, visits, set(open_)


def compare(data, client, event_key, before, phones, office, began, away):
    """Compare scans, visits and figures with those of the model. Return the figures of the morning."""
    # A scan has a second verdict if the server contradicts the phone. The first one counts.
    first = {
        (phone.station, at, number): (at, number, action, phone.station, tone)
        for phone in phones
        for number, action, tone, _, _, at in reversed(phone.shown)
        if number
    }
    shown = sorted(first.values())
    codes, visits, inside = model([scan[:4] for scan in shown], before.inside, before.codes, office)
    wanted = Counter(
        (number, action, station, code)
        for (_, number, action, station, _), code in zip(shown, codes, strict=True)
    )
    stored = stored_scans(data, before.scans)
    found = Counter(
        (number, action, station, code) for number, action, station, code, _, _ in stored
    )
    assert found == wanted, f"missing {wanted - found}, not in the model {found - wanted}"
    assert len({row[5] for row in stored}) == len(stored) == len(shown)
    for phone in phones:
        refuse_green_twice(phone)
    # Nothing that was shown green is missing: it is a visit, unless the phone could not know that
    # it is none.
    greens = [(scan, code) for scan, code in zip(shown, codes, strict=True) if scan[4] == "green"]
    contrary = [(scan, code) for scan, code in greens if code]
    assert {code for _, code in contrary} <= {
        "participant_cancelled",
        "badge_replaced",
        "already_checked_in",
    }
    connection = database.connect(data / "eventapi.db", readonly=True)
    rows = connection.execute(
        "SELECT p.badge_number, k.station, k.checked_in_at, CASE k.closed_by WHEN 'check_out' THEN k.ends_at END "
        "FROM check_ins k JOIN participants p ON p.id = k.event_participant_id JOIN check_in_scans s "
        "ON s.check_in_id = k.id AND s.effect = 'opened' WHERE s.id > ? ORDER BY 1, 3",
        [before.scans],
    ).fetchall()
    connection.close()
    for row, (number, station, came, left) in zip(
        rows, sorted(visits, key=lambda visit: visit[::2]), strict=True
    ):
        assert row[:2] == (number, station)
        assert abs(times.unix(row[2]) - came) <= CLOCK and (row[3] is None) == (left is None), (
            row,
            came,
            left,
        )
        assert left is None or abs(times.unix(row[3]) - left) <= CLOCK, (row, left)
    stats = client.data("GET", f"/check-ins/stats?event_key={event_key}")
    left = len(visits) - len(inside) + len(before.inside)
    figures = {
        "present": len(inside),
        "check_ins": before.stats["check_ins"] + len(visits),
        "check_outs": before.stats["check_outs"] + left,
        "visitors": len(before.seen | {number for number, *_ in visits}),
    }
    assert {name: stats[name] for name in figures} == figures
    for phone in phones:
        phone.send()
        phone.until_text("present", str(len(inside)))
    took = [ms for phone in phones for number, _, _, _, ms, _ in phone.shown if number]
    cuts = statistics.quantiles(took, n=100)
    dark = [scan for scan in shown if began + away[0] <= scan[0] < began + away[1]]
    return {
        "scans": len(shown),
        "without network": len(dark),
        "green": len(greens),
        "green, refused later by what the phone could not know": len(contrary),
        "tones": dict(Counter(scan[4] for scan in shown)),
        "refused": dict(Counter(filter(None, codes))),
        "visits": len(visits),
        **figures,
        "verdict in ms, median and 99 %": [cuts[49], cuts[98]],
    }


def refuse_green_twice(phone):
    """Raise AssertionError if a badge that a phone has read was green when it read it again in the
    same direction.

    A person who has left by another entrance in between is green again, but that takes two GAPs.
    """
    before = {}
    for number, action, tone, word, _, at in phone.shown:
        known = before.get(number)
        if number and known and known[0] == action and 0 < at - known[1] < 2 * GAP:
            assert tone != "green", f"{number} was read twice at {phone.station}: {word}"
        before[number] = action, at


def main():
    parser = argparse.ArgumentParser(
        description="Plays an opening morning through the page at the door."
    )
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--absence", type=float, default=10, help="minutes without network")
    parser.add_argument("--size", default="small", help="size of the sample show")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "data"
        data.mkdir()
        (data / "eventapi.conf").write_text((ROOT / "conf" / "demo.conf").read_text())
        for words in (("migrate",), ("demo", "--size", asked.size)):
            done = eventapi(data, *words)
            assert done.returncode == 0, done.stderr
        key = eventapi(
            data, "key", "create", "--name", "morning", "--all-scopes", "--quiet"
        ).stdout.strip()
        connection = database.connect(data / "eventapi.db", readonly=True)
        event_key = connection.execute(
            "SELECT e.event_key FROM links l JOIN events e ON e.id = l.event_id "
            "WHERE l.kind = 'door'"
        ).fetchone()[0]
        connection.close()
        print(
            f"{event_key}: {asked.minutes:g} minutes, {asked.absence:g} of them without network",
            flush=True,
        )
        try:
            figures = play(
                folder,
                data,
                key,
                event_key,
                seconds=60 * asked.minutes,
                absence=60 * asked.absence,
                seed=asked.seed,
            )
        except AssertionError as error:
            sys.exit(f"not as in the model: {error}")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
