"""A badge that is read a second time is amber, on the same phone and on others, wherever that can
be known.
"""

import re
import time
from datetime import datetime, timedelta, timezone

import pytest

from tests.client.middle import lost, passed, unheard
from tests.support.browser import BROWSER

pytestmark = [pytest.mark.processes, pytest.mark.skipif(not BROWSER, reason="needs chromium")]

# Collects how the phone vibrates: 60 ms for green, twice 60 ms for amber, 400 ms for a stop.
FEEL = """(() => {
  Object.defineProperty(navigator, "userActivation", {value: {hasBeenActive: true}});
  window.felt = [];
  navigator.vibrate = pattern => { felt.push(pattern); return true; };
})()"""
# Collects what the stage shows and for how long: [class, word, end of the number, from, until].
LINE = """(() => { window.line = []; setInterval(() => {
  const state = [verdict.className, word.textContent, end.textContent], now = performance.now(), before = line.at(-1);
  if (before && String(before.slice(0, 3)) === String(state)) before[4] = now;
  else line.push([...state, now, now]);
}, 15); })()"""
QUESTION = "Is it the same person? Otherwise send to the desk."


def late(seconds):
    """Return a fault that lets the answer about scans wait."""

    def fault(handler):
        if handler.path != "/door/scans":
            return passed(handler)
        answer = handler.forward()
        time.sleep(seconds)
        return handler.answer(*answer)

    return fault


def scan(phone, number, action="check_in"):
    """Scan a badge and return (tone, word, lines) of its verdict: that of the server, if it
    answers.
    """
    phone.feed([number], action)
    phone.until(lambda: phone.text("net") != "Connected" or phone.waits() == 0)
    return shown(phone)


def shown(phone):
    """Return (tone, word, lines) of the last scan. On a slow machine, the page shows it as a stop."""
    tone, word = phone.run(
        "(row => [row.className, row.querySelector('b').textContent])"
        "(document.querySelector('#last > li'))"
    )
    lines = phone.run(
        "[...document.getElementById('detail').children].map(line => line.textContent)"
    )
    return tone, word, lines[1:] if phone.text("word") == "Stop" else lines


def type_fast(phone, numbers):
    """Type numbers as fast as a scanner does, without waiting for verdicts."""
    steps = "".join(
        f"number.value = '{number}'; typed.requestSubmit(); await new Promise(go => setTimeout(go, 20));"
        for number in numbers
    )
    phone.run(f"(async () => {{ {steps} }})()")


def line(phone, numbers, seconds):
    """Return what the stage has shown of badges, after some seconds: [(place in `numbers`, class,
    word, ms)].
    """
    time.sleep(seconds)
    phone.until(lambda: phone.waits() == 0)
    ends = [number[-4:] for number in numbers]
    return [
        (ends.index(end[-4:]), tone, word, until - begun)
        for tone, word, end, begun, until in phone.run("line")
        if end
    ]


def cancel(organiser, db, number):
    """Cancel a participant as of an hour ago: a scan from before that counts, and slow phones date
    scans early.
    """
    id = db.connection.execute(
        "SELECT id FROM participants WHERE badge_number = ?", [number]
    ).fetchone()[0]
    organiser.post(f"/participants/{id}/cancel", {}, status=200)
    an_hour_ago = f"{datetime.now(timezone.utc) - timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    db.connection.execute(
        "UPDATE participants SET cancelled_at = ? WHERE id = ?", [an_hour_ago, id]
    )
    return id


def visits(db):
    return [
        tuple(row)
        for row in db.connection.execute("SELECT station, closed_by FROM check_ins ORDER BY id")
    ]


def test_a_phone_that_reads_a_badge_twice_shows_both_times(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")
    time.sleep(3)
    tone, word, lines = scan(phone, numbers[0])
    assert (tone, word) == ("amber", "Just scanned here")
    ago, both, *others = lines
    assert re.fullmatch(r"[34] s ago", ago) and others == [QUESTION, "Visitor 0", "visitor"]
    first, again = re.fullmatch(
        r"(\d\d:\d\d:\d\d) green, (\d\d:\d\d:\d\d) read again", both
    ).groups()
    assert first != again
    phone.until(lambda: phone.waits() == 0)
    assert visits(db) == [("West", None)]
    assert phone.run("[...document.querySelectorAll('#last > li')].map(row => row.className)") == [
        "amber",
        "green",
    ]


def test_a_phone_without_network_knows_what_it_has_read(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    phone.set_network(unheard)
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("amber", "Just scanned here")
    phone.open()  # it knows it after a reload, too
    assert scan(phone, numbers[0])[:2] == ("amber", "Just scanned here")
    assert scan(phone, numbers[1])[:2] == ("green", "Welcome")
    time.sleep(2)
    assert scan(phone, numbers[1], "check_out")[:2] == ("green", "Goodbye")
    time.sleep(2)
    assert scan(phone, numbers[1])[:2] == ("green", "Welcome"), "out and in again"
    phone.set_network()
    phone.send()
    phone.until(lambda: phone.waits() == 0)
    assert visits(db) == [("West", None), ("West", "check_out"), ("West", None)]


def test_a_phone_that_moves_to_another_entrance_knows_what_it_has_read(people, door, phone):
    numbers = people(3)
    phone.sign_in(door("West")[1])
    scan(phone, numbers[0])
    phone.until(lambda: phone.waits() == 0)
    phone.click("change")
    phone.sign_in(door("East")[1])
    phone.until_text("station", "East")
    phone.set_network(unheard)
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("amber", "Just scanned here")


def test_two_phones_at_one_entrance_and_one_at_another(db, people, door, phones):
    numbers = people(3)
    one, two, other = phones(3)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    other.sign_in(door("East")[1])
    assert scan(one, numbers[0])[:2] == ("green", "Welcome")
    tone, word, lines = scan(two, numbers[0])
    assert (tone, word) == ("amber", "Just scanned") and lines[1] == QUESTION
    assert re.fullmatch(r"(\d s ago|at \d\d:\d\d:\d\d), West", lines[0])
    time.sleep(2)
    tone, word, lines = scan(other, numbers[0])
    assert (tone, word) == ("amber", "Already inside") and lines[1] == QUESTION
    assert re.fullmatch(r"since \d\d:\d\d, West", lines[0])
    assert visits(db) == [("West", None)]
    time.sleep(2)
    assert scan(two, numbers[0], "check_out")[0] == "green"
    time.sleep(2)
    assert scan(other, numbers[0])[:2] == ("green", "Welcome"), "after a scan out"
    assert visits(db) == [("West", "check_out"), ("East", None)]


def test_a_verdict_that_comes_late_stops_the_person(db, people, door, phones):
    """The answer takes a second. The phone shows its own green after 300 ms."""
    numbers = people(3)
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    two.run(FEEL)
    two.set_network(late(1))
    scan(one, numbers[0])
    two.feed(numbers[:1])
    assert [tone for _, _, tone, *_ in two.shown] == ["green"]
    two.until(lambda: two.text("word") == "Stop")
    assert two.run("[verdict.className, detail.firstChild.textContent]") == [
        "amber",
        "Just scanned",
    ]
    assert two.run("detail.querySelector('.question').textContent") == QUESTION
    two.until(lambda: two.waits() == 0)
    assert two.run("felt") == [60, 400], "a stop is shown once"
    assert visits(db) == [("West", None)]


def test_the_next_person_waits_while_the_page_says_stop(people, door, phones):
    """The verdict of the next person is ready a moment after the stop of the one before."""
    numbers = people(3)
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    two.run(FEEL)
    scan(one, numbers[0])
    two.set_network(late(1))
    two.feed(numbers[:1])
    two.until(lambda: two.text("word") == "Stop")
    stopped = time.monotonic()
    two.feed(numbers[1:2])
    assert time.monotonic() - stopped > 1
    assert [tone for number, _, tone, *_ in two.shown if number] == ["green", "amber", "green"]
    assert two.run("felt") == [60, 400, 60]


def test_a_slow_network_delays_no_scan(people, door, phone):
    numbers = people(12)
    phone.sign_in(door()[1])
    phone.set_network(late(3))
    began = time.monotonic()
    phone.feed(numbers[:10])
    took = time.monotonic() - began
    assert [tone for _, _, tone, *_ in phone.shown] == ["green"] * 10
    assert took < 10, "ten times 300 ms, and no answer of the server"


def test_a_scan_whose_answer_was_lost_stays_green(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    phone.set_network(lambda handler: (lost if handler.path == "/door/scans" else passed)(handler))
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")
    phone.until(lambda: visits(db) == [("West", None)])
    assert phone.waits() == 1
    phone.set_network()
    phone.send()
    phone.until(lambda: phone.waits() == 0)
    assert [tone for _, _, tone, *_ in phone.collect()] == ["green"]
    assert phone.run("[...document.querySelectorAll('#last > li')].map(row => row.className)") == [
        "green"
    ]


def test_a_scanner_that_types_a_code_twice_has_read_it_once(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    phone.feed(numbers[:1])
    phone.run(f"(() => {{ number.value = '{numbers[0]}'; typed.requestSubmit(); }})()")
    phone.feed(numbers[1:2])
    assert [(number, tone) for number, _, tone, *_ in phone.shown] == [
        (numbers[0], "green"),
        (numbers[1], "green"),
    ]
    assert phone.run("document.querySelectorAll('#last > li').length") == 2
    phone.until(lambda: phone.waits() == 0)
    assert db.connection.execute("SELECT count(*) FROM check_in_scans").fetchone() == (2,)


def test_what_the_server_has_refused_stays_red_without_network(organiser, db, people, door, phone):
    """The list on the phone is older than the cancellation, and the network goes away after the
    first scan.
    """
    numbers = people(3)
    phone.sign_in(door()[1])
    cancel(organiser, db, numbers[0])
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled")
    phone.set_network(unheard)
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled")
    phone.run("(real => { Date.now = () => real() + 61_000; })(Date.now.bind(Date))")
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled"), "after a minute"


def test_a_badge_that_was_refused_is_green_once_a_newer_list_has_it(
    organiser, db, people, door, phone
):
    numbers = people(3)
    phone.sign_in(door()[1])
    id = cancel(organiser, db, numbers[0])
    phone.feed(numbers[:1])
    phone.until(lambda: phone.run("document.querySelector('#last > li').className") == "red")
    organiser.post(f"/participants/{id}/reinstate", {}, status=200)
    time.sleep(2)
    phone.send()
    phone.until(lambda: phone.stored("kept", "get('roster')")["isPatched"])
    time.sleep(1)
    phone.set_network(unheard)
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")


def test_what_the_server_refuses_stays_red_though_the_badge_was_green_before(
    organiser, db, people, door, phone
):
    numbers = people(3)
    phone.sign_in(door()[1])
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")
    cancel(organiser, db, numbers[0])
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled")
    phone.set_network(unheard)
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled")


def test_an_amber_that_comes_at_once_is_shown_though_the_next_badge_was_read(people, door, phones):
    numbers = people(3)
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    scan(one, numbers[0])
    two.run(LINE)
    two.run(FEEL)
    type_fast(two, numbers[:2])
    shown = line(two, numbers, 3)
    assert [entry[:3] for entry in shown] == [(0, "amber", "Stop"), (1, "green", "Welcome")]
    assert shown[0][3] > 1_300 and two.run("felt") == [400, 60]


def test_each_of_several_stops_is_seen_and_the_green_after_them(people, door, phones):
    numbers = people(4)
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    for number in numbers[:3]:
        scan(one, number)
    two.set_network(late(1))
    two.run(LINE)
    type_fast(two, numbers[:3])
    two.until(lambda: two.text("word") == "Stop")
    type_fast(two, numbers[3:])
    shown = line(two, numbers, 6)
    stops = [entry for entry in shown if entry[2] == "Stop"]
    assert sorted(entry[0] for entry in stops) == [0, 1, 2] and all(
        entry[3] > 1_300 for entry in stops
    ), shown
    assert shown[-1][:3] == (3, "green", "Welcome"), shown


def test_the_red_of_the_next_person_comes_back_after_the_stop_of_the_one_before(
    organiser, db, people, door, phones
):
    numbers = people(3)
    cancel(organiser, db, numbers[1])
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    scan(one, numbers[0])
    two.set_network(late(1))
    two.run(LINE)
    two.feed(numbers[:2])
    shown = line(two, numbers, 6)
    assert [entry[:3] for entry in shown] == [
        (0, "green", "Welcome"),
        (1, "red", "Cancelled"),
        (0, "amber", "Stop"),
        (1, "red", "Cancelled"),
    ]
    assert shown[2][3] > 1_300 and shown[3][3] > 1_300


def test_a_badge_that_is_not_on_the_phone_is_stopped_if_it_was_read_elsewhere(
    organiser, people, door, phones
):
    """It was printed a moment ago. "Not on this device" is amber as well, and says less."""
    people(3)
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("East")[1])
    contact = organiser.make("/contacts", {"last_name": "Byron"})
    number = organiser.make(
        "/participants", {"event_key": "fair", "role": "visitor", "contact_id": contact["id"]}
    )["badge_number"]
    scan(one, number)
    two.set_network(late(1))
    two.run(LINE)
    two.feed([number])
    shown = line(two, [number], 3)
    assert [entry[:3] for entry in shown] == [
        (0, "amber", "Not on this device"),
        (0, "amber", "Stop"),
    ]


def test_a_scan_out_of_a_badge_that_was_not_inside_does_not_stop_the_person(people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    phone.set_network(late(1))
    phone.run(FEEL)
    phone.feed(numbers[:1], "check_out")
    phone.until(lambda: phone.waits() == 0)
    assert phone.run("document.querySelector('#last b').textContent") == "Was not inside"
    assert phone.run("felt") == [60]


def test_a_verdict_that_comes_after_the_phone_has_slept_stops_nobody(people, door, phones):
    """While a phone sleeps, the clock that counts the time of the page stands still."""
    numbers = people(3)
    one, two = phones(2)
    one.sign_in(door("West")[1])
    two.sign_in(door("West")[1])
    scan(one, numbers[0])
    two.run(FEEL)
    two.set_network(late(2))
    two.feed(numbers[:1])
    two.run("(real => { Date.now = () => real() + 31_000; })(Date.now.bind(Date))")
    two.until(lambda: two.waits() == 0)
    two.until(lambda: two.run("document.querySelector('#last > li').className") == "amber")
    assert two.run("felt") == [60]


def test_a_phone_whose_clock_is_an_hour_ahead_knows_what_it_has_read(db, people, door, phones):
    numbers = people(3)
    [phone] = phones(1, ahead=3600)
    phone.sign_in(door()[1])
    scan(phone, numbers[0])
    time.sleep(2)
    tone, word, lines = scan(phone, numbers[0])
    assert (tone, word) == ("amber", "Just scanned here") and re.fullmatch(r"[23] s ago", lines[0])
    phone.until(lambda: phone.waits() == 0)
    assert visits(db) == [("West", None)]
