"""A badge that is read a second time is amber, on the same phone and on others, wherever that can be known."""
import re
import time

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
    """Scan a badge and return (tone, word, lines) of its verdict: that of the server, if it answers."""
    phone.feed([number], action)
    if phone.text("net") == "Connected":
        phone.until(lambda: phone.waits() == 0)
    return shown(phone)


def shown(phone):
    """Return (tone, word, lines) of the last scan. On a slow machine, the page shows it as a stop."""
    tone, word = phone.run("(row => [row.className, row.querySelector('b').textContent])"
                           "(document.querySelector('#last > li'))")
    lines = phone.run("[...document.getElementById('detail').children].map(line => line.textContent)")
    return tone, word, lines[1:] if phone.text("word") == "Stop" else lines


def visits(db):
    return [tuple(row) for row in db.connection.execute("SELECT station, closed_by FROM check_ins ORDER BY id")]


def test_a_phone_that_reads_a_badge_twice_shows_both_times(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")
    time.sleep(3)
    tone, word, lines = scan(phone, numbers[0])
    assert (tone, word) == ("amber", "Just scanned here")
    ago, both, *others = lines
    assert re.fullmatch(r"[34] s ago", ago) and others == [QUESTION, "Visitor 0", "visitor"]
    first, again = re.fullmatch(r"(\d\d:\d\d:\d\d) green, (\d\d:\d\d:\d\d) read again", both).groups()
    assert first != again
    phone.until(lambda: phone.waits() == 0)
    assert visits(db) == [("West", None)]
    assert phone.run("[...document.querySelectorAll('#last > li')].map(row => row.className)") == ["amber", "green"]


def test_a_phone_without_network_knows_what_it_has_read(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    phone.set_network(unheard)
    assert scan(phone, numbers[0])[:2] == ("green", "Welcome")
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("amber", "Just scanned here")
    phone.open()                                                    # it knows it after a reload, too
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
    assert two.run("[verdict.className, detail.firstChild.textContent]") == ["amber", "Just scanned"]
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
    assert phone.run("[...document.querySelectorAll('#last > li')].map(row => row.className)") == ["green"]


def test_a_scanner_that_types_a_code_twice_has_read_it_once(db, people, door, phone):
    numbers = people(3)
    phone.sign_in(door()[1])
    phone.feed(numbers[:1])
    phone.run(f"(() => {{ number.value = '{numbers[0]}'; typed.requestSubmit(); }})()")
    phone.feed(numbers[1:2])
    assert [(number, tone) for number, _, tone, *_ in phone.shown] == [(numbers[0], "green"), (numbers[1], "green")]
    assert phone.run("document.querySelectorAll('#last > li').length") == 2
    phone.until(lambda: phone.waits() == 0)
    assert db.connection.execute("SELECT count(*) FROM check_in_scans").fetchone() == (2,)


def test_what_the_server_has_refused_stays_red_for_a_minute(organiser, db, people, door, phone):
    """The list on the phone is older than the cancellation, and the network goes away after the first scan."""
    numbers = people(3)
    phone.sign_in(door()[1])
    id = db.connection.execute("SELECT id FROM participants WHERE badge_number = ?", [numbers[0]]).fetchone()[0]
    organiser.post(f"/participants/{id}/cancel", {}, status=200)
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled")
    phone.set_network(unheard)
    time.sleep(2)
    assert scan(phone, numbers[0])[:2] == ("red", "Cancelled")


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
