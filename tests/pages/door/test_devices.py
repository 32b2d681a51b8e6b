"""Devices at the door in browsers, with and without network: what was shown green is a visit, and
nothing is lost.

Each device reaches the server through a proxy that can be taken away, and that can lose responses.
"""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime

import pytest

from eventapi.domain.access import links
from eventapi.domain.entrance import badges, door_roster
from eventapi.web.html.page_cache import PageCache
from tests.client.middle import lost, passed, unheard
from tests.pages.door.device import Device
from tests.support.browser import BROWSER, Browser
from tests.support.fake_camera import write_film
from tests.support.processes import Server, alive, children, until

pytestmark = [pytest.mark.processes, pytest.mark.skipif(not BROWSER, reason="needs chromium")]


def id_of(db, number):
    return db.connection.execute(
        "SELECT id FROM participants WHERE badge_number = ?", [number]
    ).fetchone()[0]


def visited(db):
    """Return the badge numbers of those with a visit."""
    return {
        row[0]
        for row in db.connection.execute(
            "SELECT p.badge_number FROM check_ins k JOIN participants p ON p.id = k.event_participant_id"
        )
    }


def refused(db):
    """Return the refused scans as a sorted list of (badge number, code)."""
    return sorted(
        map(
            tuple,
            db.connection.execute(
                "SELECT badge_number, code FROM check_in_scans WHERE code IS NOT NULL"
            ),
        )
    )


def test_nothing_that_was_shown_green_is_lost(tmp_path, organiser, app, db, people, door):
    """Two devices, one with a clock that is an hour ahead, scan 2,000 badges without network.

    One browser is killed.

    The network comes back, fails in the middle of a batch, and the server is killed. Then every
    figure is that of the
    model: a person is inside once, wherever and however often the badge was shown.
    """
    numbers = people(2010)
    known_cancelled = numbers[2000:2005]
    known_replaced = numbers[2005:2008]
    later_cancelled = numbers[2008:2010]
    for number in known_cancelled:
        organiser.post(f"/participants/{id_of(db, number)}/cancel", {}, status=200)
    for id in [id_of(db, number) for number in known_replaced]:
        organiser.post(f"/participants/{id}/badge/replace", {}, status=200)
    with Browser(tmp_path) as drawing:
        pictures = [
            organiser.get(f"/participants/{id_of(db, number)}/badge").text for number in numbers[:3]
        ]
        film = write_film(drawing, tmp_path, pictures)
    with ExitStack() as stack:
        server = stack.enter_context(Server(tmp_path))
        west = Device(tmp_path / "west", server.url, film=film)
        east = Device(tmp_path / "east", server.url, ahead=3600)
        for each, station in ((west, "West"), (east, "East")):
            stack.callback(each.end)
            each.start()
            each.sign_in(door(station)[1])
        west.until(lambda: visited(db) == set(numbers[:3]))  # the camera has read all three
        west.run("document.querySelector('[name=way][value=keyboard]').click()")
        east.feed(numbers[3:20])
        east.until(lambda: visited(db) == set(numbers[:20]))
        assert east.greens() == set(numbers[3:20])
        west.until(west.is_controlled)
        west.until(lambda: west.stored("kept", "get('settings')")["way"] == "keyboard")
        west.end_browser()  # then it has stored its cookie, which Chromium does within half a minute
        west.start()

        # Without network
        west.shown.clear()
        west.set_network(unheard)
        east.set_network(unheard)
        for number in later_cancelled:
            organiser.post(f"/participants/{id_of(db, number)}/cancel", {}, status=200)
        unknown = [badges.draw() for _ in range(3)]
        # A scan counts if it was made before the cancellation, and the clock of a device that waits
        # long for the server may be off by seconds: many others are scanned before the cancelled
        # ones. More than 50 come after them, since the page still stops a person of its last 50
        # scans, and only counts those before.
        of_west = [
            *numbers[20:820],
            *later_cancelled,
            *numbers[820:1020],
            *known_cancelled,
            *known_replaced,
            *unknown,
        ]
        of_east, unseen = numbers[970:1980], set()

        def scan_in_the_west():
            west.feed(of_west[:600], waits=False)
            west.until(lambda: len(west.collect()) >= 300)
            west.kill()
            before = len(west.shown)
            west.start()  # from the service worker, without network
            west.until(lambda: "wait since" in west.text("queue"))
            stored = west.waits()
            assert stored >= before
            unseen.update(of_west[before:stored])  # killed between storing and showing
            west.feed(of_west[stored:])

        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(scan_in_the_west), pool.submit(east.feed, of_east)]:
                done.result()
        tones = {number: tone for number, _, tone, *_ in west.shown}
        assert [tones[number] for number in [*known_cancelled, *known_replaced]] == ["red"] * 8
        assert [tones[number] for number in [*later_cancelled, *unknown]] == ["green"] * 2 + [
            "amber"
        ] * 3
        assert west.greens() == (set(numbers[20:1020]) | set(later_cancelled)) - unseen
        assert east.greens() == set(numbers[3:20]) | set(of_east)
        assert visited(db) == set(numbers[:20])

        # The network comes back. That of the west fails again: the server gets a batch, and its
        # answer is lost.
        answers = iter([lost])
        west.set_network(
            lambda handler: (next(answers, unheard) if handler.path == "/door/scans" else passed)(
                handler
            )
        )
        east.set_network()
        west.send()
        until(lambda: len(visited(db)) >= 220, 60)
        east.send()
        until(lambda: len(visited(db)) > 220, 60)
        workers = children(server.process.pid)
        server.stop(signal.SIGKILL)
        until(lambda: not any(map(alive, workers)))
        assert west.waits() == len(of_west)
        stack.enter_context(Server(tmp_path, port=server.port))
        for each in (west, east):
            each.set_network()
            each.send()
        for each in (west, east):
            each.until_text("queue", "0 wait", 300)
            assert each.waits() == 0
        expected = set(numbers[:1980])
        assert visited(db) == expected
        wanted = [
            (number, "participant_cancelled") for number in [*known_cancelled, *later_cancelled]
        ]
        wanted += [(number, "badge_replaced") for number in known_replaced]
        wanted += [(number, "unknown_badge") for number in unknown]
        wanted += [(number, "already_checked_in") for number in numbers[970:1020]]
        # The film begins anew: on a slow machine, the camera reads its badges a second time.
        again = [(number, "already_checked_in") for number in numbers[:3]]
        assert [scan for scan in refused(db) if scan not in again] == sorted(wanted)
        stats = organiser.data("/check-ins/stats?event_key=fair")
        assert stats["present"] == stats["visitors"] == stats["check_ins"] == 1980
        assert west.greens() | east.greens() <= expected | set(later_cancelled), (
            "every green is a visit"
        )
        west.until(
            lambda: west.text("refused_later").startswith("2 badges that were let in offline")
        )
        # No scan of the device whose clock is an hour ahead lies in the future, or an hour off.
        times_ = [row[0] for row in db.connection.execute("SELECT scanned_at FROM check_in_scans")]
        span = [datetime.fromisoformat(value).timestamp() for value in times_]
        assert max(span) <= time.time() and max(span) - min(span) < 1800
        for each in (west, east):
            each.send()
            each.until_text("present", "1980")


def test_a_revoked_link_deletes_the_roster_and_keeps_the_scans_for_export(
    organiser, db, people, door, phone
):
    numbers = people(30)
    link, address = door()
    phone.sign_in(address)
    phone.set_network(unheard)
    phone.feed(numbers[:5])
    with db.write():
        links.revoke(db, links.get(db, link["id"]))
    phone.set_network()
    phone.send()
    phone.until(lambda: not phone.is_hidden("handed"))
    phone.until_text("queue", "5 of another door")
    kept = phone.stored("kept", "getAllKeys()")
    assert (
        "roster" not in kept and "link" not in kept and phone.waits() == 5 and visited(db) == set()
    )
    phone.feed(numbers[6:7])
    assert phone.shown[-1][2] == "red", "it does not scan any more"
    exported = phone.run("""new Promise(resolve => {
      const real = URL.createObjectURL;
      URL.createObjectURL = blob => { blob.text().then(resolve); return real(blob); };
      document.getElementById("export").click(); })""")
    organiser.post("/check-ins/batch", json.loads(exported), status=200)
    assert visited(db) == set(numbers[:5])


def test_a_link_that_has_ended_hands_its_scans_in(db, people, door, phone):
    numbers = people(30)
    link, address = door()
    phone.sign_in(address)
    phone.set_network(unheard)
    phone.feed(numbers[:5])
    time.sleep(4)  # by which the clock of the phone may be wrong after slow answers
    db.connection.execute(
        "UPDATE links SET expires_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now') WHERE id = ?",
        [link["id"]],
    )
    phone.set_network()
    phone.send()
    phone.until(lambda: not phone.is_hidden("handed"))
    assert phone.waits() == 0 and visited(db) == set(numbers[:5])


def test_a_phone_that_is_given_back_waits_until_nothing_waits_and_keeps_nothing(
    db, people, door, phone
):
    numbers = people(30)
    phone.sign_in(door()[1])
    phone.set_network(unheard)
    phone.feed(numbers[:5])
    phone.click("leave")
    phone.until(lambda: not phone.is_hidden("leaving"))
    phone.feed(numbers[5:6])
    assert phone.greens() == set(numbers[:6]) and "link" in phone.stored("kept", "getAllKeys()")
    phone.set_network()
    phone.send()
    phone.until(lambda: not phone.is_hidden("handed"))
    assert visited(db) == set(numbers[:6]) and phone.waits() == 0
    assert (
        not {"roster", "link"} & set(phone.stored("kept", "getAllKeys()"))
        and phone.stored("seen", "count()") == 0
    )
    assert links.devices(db) == []


def test_scans_wait_for_the_link_with_which_they_were_made(organiser, db, people, door, phone):
    numbers = people(30)
    other = organiser.make(
        "/events",
        {
            "title": "Other fair",
            "event_key": "other",
            "date_from": "2026-01-02",
            "date_to": "2036-01-02",
        },
    )
    link, address = door()
    phone.sign_in(address)
    phone.set_network(unheard)
    phone.feed(numbers[:5])
    phone.set_network(
        lambda handler: (unheard if handler.path == "/door/scans" else passed)(handler)
    )
    phone.run("document.getElementById('change').click()")
    phone.sign_in(door("Gate", event=other)[1])
    phone.until_text("event", "Other fair")
    phone.set_network()
    phone.feed(numbers[5:6])
    phone.until(lambda: refused(db) == [(numbers[5], "wrong_event")])
    assert phone.waits() == 5 and visited(db) == set()
    phone.until_text(
        "others", "5 scans of another door wait here (Garden Fair). Open its link, or export them."
    )
    phone.run("document.getElementById('change').click()")
    with db.write():
        address = links.address(
            "http://door.example", links.add_secret(db, links.get(db, link["id"]), "shown")
        )
    phone.sign_in(address)
    phone.until(lambda: phone.waits() == 0)
    assert visited(db) == set(numbers[:5])


def test_what_cannot_be_stored_is_never_green(db, people, door, phone):
    numbers = people(30)
    phone.sign_in(door()[1])
    phone.run("""(() => { const real = IDBDatabase.prototype.transaction;
      IDBDatabase.prototype.transaction = function (names, mode, options) {
        const made = real.call(this, names, mode, options);
        if (options?.durability === "strict") setTimeout(() => made.abort(), 0);
        return made; } })()""")
    phone.feed(numbers[:3])
    assert [(tone, word) for _, _, tone, word, *_ in phone.shown] == [("red", "Not stored")] * 3
    assert phone.text("end") == badges.grouped(numbers[2]), "the whole number, to write it down"
    assert phone.waits() == 0 and visited(db) == set()


def test_with_150000_badges_a_verdict_takes_less_than_a_tenth_of_a_second(
    db, fair, people, door, phone, capsys
):
    numbers = people(40)
    real = door_roster.whole(db, fair["id"], PageCache(1_000_000))
    entries = sorted(
        {real[start : start + 6] for start in range(68, len(real), 6)}
        | {os.urandom(5) + b"\x10" for _ in range(150_000)}
    )
    roster = real[:64] + len(entries).to_bytes(4, "big") + b"".join(entries)

    def large(handler):
        if handler.path == "/door/roster":
            return handler.answer(200, [("Content-Type", "application/octet-stream")], roster)
        return passed(handler)

    phone.set_network(large)
    phone.sign_in(door()[1])
    assert phone.text("roster").startswith("1500") and len(roster) < 1_500_000
    phone.set_network(unheard)
    phone.feed(numbers)
    took = sorted(ms for *_, ms, _ in phone.shown[1:])
    memory = phone.run("performance.memory.usedJSHeapSize")
    with capsys.disabled():
        print(
            f"\nverdict with {len(entries)} badges: median {took[len(took) // 2]} ms, longest {took[-1]} ms; "
            f"roster {len(roster)} bytes, heap {memory / 1e6:.1f} MB"
        )
    assert {tone for _, _, tone, *_ in phone.shown} == {"green"} and took[len(took) // 2] < 100
