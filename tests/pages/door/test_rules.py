"""The rules of the page at the door (rules.js), run by node and compared with the rules of the
server.
"""

import json
import random
import shutil
import struct
import subprocess
from hashlib import sha256
from importlib.resources import files

import pytest

from eventapi.domain.entrance import badges, door_roster

NODE = shutil.which("node")
RULES = files("eventapi.pages.door").joinpath("rules.js")
needs_node = pytest.mark.skipif(not NODE, reason="needs node (apt install nodejs)")
pytestmark = needs_node


def run(script, given=None):
    """Return the JSON value that a script returns.

    It finds the exports of rules.js in `rules`, `given` as JSON.
    """
    program = f"""
        const rules = await import({json.dumps(RULES.as_uri())});
        const given = JSON.parse(await new Promise(resolve => {{
          let text = ""; process.stdin.on("data", piece => text += piece).on("end", () => resolve(text)); }}));
        const bytes = text => Uint8Array.from(Buffer.from(text, "hex")).buffer;
        const found = await (async () => {{ {script} }})();
        console.log(JSON.stringify(found));"""
    done = subprocess.run(
        [NODE, "--input-type=module", "--experimental-default-type=module", "-e", program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_page_and_the_server_agree_which_numbers_are_badges():
    rnd = random.Random(1)
    numbers = [badges.draw() for _ in range(200)]
    for number in numbers[:100]:  # one wrong character, two swapped ones
        place, other = rnd.sample(range(12), 2)
        wrong = list(number)
        wrong[place] = rnd.choice(badges.ALPHABET)
        swapped = list(number)
        swapped[place], swapped[other] = swapped[other], swapped[place]
        numbers += ["".join(wrong), "".join(swapped)]
    numbers += ["", "A2Y84P5EX7N", "A2Y84P5EX7NX2", "0OQD1ILBSGUV"]
    kinds = run("return given.map(rules.kindOf)", numbers)
    for number, kind in zip(numbers, kinds, strict=True):
        assert (kind == "badge") == badges.is_valid(number), number
        assert (kind == "other") == (
            len(number) != 12 or not set(number) <= set(badges.ALPHABET)
        ), number


def test_a_number_is_read_in_any_case_in_groups_and_from_a_scanner_with_another_keyboard():
    assert (
        run('return ["a2y8 4p5e-x7nx", " A2Z84P5EX7NX\\n"].map(rules.normal)')
        == ["A2Y84P5EX7NX"] * 2
    )
    assert run('return rules.grouped("A2Y84P5EX7NX")') == badges.grouped("A2Y84P5EX7NX")


def packed(
    kind, entries, *, event=7, salt=b"s" * 16, revision=3, seconds=1_800_000_000, colours=b""
):
    body = b"".join(sorted(entries))
    return (
        struct.pack(
            ">4sI16sQQ24sI",
            kind,
            event,
            salt,
            revision,
            seconds,
            colours.ljust(24, b"\0"),
            len(entries),
        )
        + body
    ).hex()


def entry(number, flags, salt=b"s" * 16):
    return sha256(salt + number.encode()).digest()[:5] + bytes((flags,))


def test_the_page_finds_every_badge_of_a_roster_and_no_other():
    flags = {
        badges.draw(): random.randrange(3) | random.randrange(7) << 2 | random.randrange(3) << 5
        for _ in range(500)
    }
    colours = bytes.fromhex("0000001d6f42a81f2b")
    roster = packed(
        b"EVR1", [entry(number, value) for number, value in flags.items()], colours=colours
    )
    script = """
        const roster = new rules.Roster(bytes(given.roster));
        const found = [];
        for (const number of given.numbers) found.push(roster.find(await roster.hashOf(number)));
        return {found, about: [roster.event, roster.revision, roster.time, roster.count, roster.isWhole]}"""
    others = [badges.draw() for _ in range(100)]
    result = run(script, {"roster": roster, "numbers": [*flags, *others]})
    assert result["about"] == [7, 3, 1_800_000_000_000, 500, True]
    assert (
        result["found"]
        == [
            {
                "status": ["ok", "cancelled", "replaced"][value & 3],
                "role": door_roster.ROLES[value >> 2 & 7],
                "colour": [None, "1d6f42", "a81f2b"][value >> 5],
            }
            for value in flags.values()
        ]
        + [None] * 100
    )
    assert (
        run("return new rules.Roster(bytes(given)).find(new Uint8Array(5))", packed(b"EVR1", []))
        is None
    )


def test_changes_replace_and_add_entries_and_move_revision_and_time():
    old, new = [badges.draw() for _ in range(300)], [badges.draw() for _ in range(50)]
    base = [entry(number, 0) for number in old]
    changed = [entry(number, 1) for number in old[:40]] + [entry(number, 0) for number in new]
    wanted = packed(b"EVR1", [*changed, *base[40:]], revision=9, seconds=1_800_000_060)
    script = """
        const [base, changes] = given.map(text => new rules.Roster(bytes(text)));
        return Buffer.from(base.merged(changes)).toString("hex")"""
    found = run(
        script, [packed(b"EVR1", base), packed(b"EVD1", changed, revision=9, seconds=1_800_000_060)]
    )
    assert found == wanted
    fits = "const [one, other] = given.map(text => new rules.Roster(bytes(text))); return one.fits(other)"
    assert run(fits, [packed(b"EVR1", base), packed(b"EVD1", changed)]) is True
    for other in ({"salt": b"t" * 16}, {"event": 8}, {"colours": b"abc" * 3}):
        assert run(fits, [packed(b"EVR1", base), packed(b"EVD1", changed, **other)]) is False


def test_a_damaged_roster_is_refused():
    script = "try { new rules.Roster(bytes(given)); return true } catch (error) { return false }"
    whole = packed(b"EVR1", [entry(badges.draw(), 0)])
    assert [run(script, text) for text in (whole, whole[:-2], whole + "00", "00" + whole[2:])] == [
        True,
        False,
        False,
        False,
    ]


def test_the_quickest_of_the_last_answers_sets_the_clock():
    script = """
        const clock = new rules.Clock();
        const ask = (at, trip, ahead) => {
          clock.add(at, at + trip, at + trip / 2 + 3_600_000 + ahead);
          return clock.offset };
        return [ask(0, 1000, 400), ask(2000, 100, 20), ask(4000, 3000, -900), ask(9000, 200, 60)]"""
    assert run(script) == [3_600_400, 3_600_020, 3_600_020, 3_600_020]


def test_a_clock_that_was_set_counts_at_once():
    script = """
        const clock = new rules.Clock(5000);
        clock.add(0, 10, 5 - 3_600_000);
        return [clock.offset, clock.now(10)]"""
    assert run(script) == [-3_600_000, -3_599_990]


@pytest.mark.parametrize(
    "readings, new",
    [
        ([("A", 0), ("A", 100), ("A", 200)], [True, False, False]),
        ([("A", 0), ("A", 1_499), ("A", 2_998)], [True, False, False]),  # it stays, however long
        ([("A", 0), ("A", 1_500)], [True, True]),
        # two badges in one picture
        (
            [("A", 0), ("B", 100), ("A", 200), ("B", 300)],
            [True, True, False, False],
        ),
        ([("A", 0), ("B", 1_400), ("A", 1_500), ("B", 1_600)], [True, True, True, False]),
    ],
)
def test_a_code_that_stays_or_is_lost_for_a_moment_is_nothing_new(readings, new):
    script = (
        "const held = new rules.Held(); return given.map(([code, now]) => held.isNew(code, now))"
    )
    assert run(script, readings) == new


OK, CANCELLED, REPLACED = {"status": "ok"}, {"status": "cancelled"}, {"status": "replaced"}


def seen(action, device, tone="green", word="welcome"):
    """Return what a device has stored of a scan; `device` is the time in ms, the server's is an
    hour later.
    """
    return {
        "action": action,
        "at": 3_600_000 + device,
        "device": device,
        "tone": tone,
        "word": word,
    }


@pytest.mark.parametrize(
    "action, found, before, tone, word",
    [
        ("check_in", OK, None, "green", "welcome"),
        ("check_in", OK, seen("check_out", 0), "green", "welcome"),
        ("check_in", OK, seen("check_in", 99_000), "amber", "just_here"),
        ("check_in", OK, seen("check_in", 40_001), "amber", "just_here"),
        ("check_in", OK, seen("check_in", 40_000), "amber", "scanned_here"),
        # the clock was set back
        (
            "check_in",
            OK,
            seen("check_in", 100_001),
            "amber",
            "scanned_here",
        ),
        # of an earlier version
        (
            "check_in",
            OK,
            {"action": "check_in", "at": 3_699_000},
            "amber",
            "scanned_here",
        ),
        ("check_in", OK, seen("check_in", 99_000, "red", "cancelled"), "red", "cancelled"),
        ("check_in", OK, seen("check_in", 40_000, "red", "cancelled"), "red", "cancelled"),
        ("check_in", None, seen("check_in", 40_000, "red", "unknown"), "red", "unknown"),
        ("check_out", OK, seen("check_in", 40_000, "red", "cancelled"), "green", "goodbye"),
        ("check_in", CANCELLED, None, "red", "cancelled"),
        ("check_in", CANCELLED, seen("check_in", 0), "red", "cancelled"),
        ("check_in", REPLACED, None, "red", "replaced"),
        ("check_in", REPLACED, seen("check_in", 0), "red", "replaced"),
        ("check_in", None, None, "amber", "not_here"),
        ("check_in", None, seen("check_in", 99_000), "amber", "just_here"),
        ("check_out", OK, seen("check_in", 99_000), "green", "goodbye"),
        ("check_out", OK, seen("check_out", 99_000), "amber", "just_here"),
        ("check_out", OK, seen("check_out", 0), "amber", "left_here"),
        ("check_out", CANCELLED, None, "green", "goodbye"),
        ("check_out", REPLACED, None, "red", "replaced"),
        ("check_out", None, None, "amber", "not_here"),
    ],
)
def test_what_a_device_shows_by_itself(action, found, before, tone, word):
    verdict = run("return rules.ownVerdict(...given)", [action, found, before, 100_000])
    assert (verdict["tone"], verdict["word"]) == (tone, word)


@pytest.mark.parametrize(
    "found, listed, tone, word",
    [
        (OK, 3_640_000, "red", "cancelled"),
        (OK, 3_640_001, "green", "welcome"),
        (None, 3_640_001, "red", "cancelled"),
        (CANCELLED, 3_640_001, "red", "cancelled"),
    ],
)
def test_only_a_newer_roster_takes_back_what_the_server_has_refused(found, listed, tone, word):
    """The badge was refused at 3,640,000 by the clock of the server."""
    refused = {
        "action": "check_in",
        "at": 3_640_000,
        "device": 40_000,
        "tone": "red",
        "word": "cancelled",
    }
    verdict = run(
        "return rules.ownVerdict(...given)", ["check_in", found, refused, 200_000, listed]
    )
    assert (verdict["tone"], verdict["word"]) == (tone, word)


@pytest.mark.parametrize("listed, tone", [(3_650_000, "red"), (3_651_000, "green")])
def test_the_roster_of_the_refusal_does_not_take_it_back_whatever_the_clock_says(listed, tone):
    """The clock of the device was ten seconds behind: its roster seems to be newer than the refusal."""
    refused = {**seen("check_in", 40_000), "tone": "red", "word": "cancelled", "listed": 3_650_000}
    given = ["check_in", OK, refused, 200_000, listed]
    assert run("return rules.ownVerdict(...given)", given)["tone"] == tone


def test_a_device_shows_the_first_verdict_of_a_badge_that_it_reads_again():
    verdict = run(
        "return rules.ownVerdict(...given)",
        ["check_in", {"status": "ok", "role": "press"}, seen("check_in", 96_300), 100_000],
    )
    assert verdict == {
        "tone": "amber",
        "word": "just_here",
        "age": 4,
        "since": 3_696_300,
        "again": 3_700_000,
        "first": "green",
        "role": "press",
    }


@pytest.mark.parametrize(
    "action, status, effect, since, tone, word, age",
    [
        ("check_in", 201, "opened", "01:00:00", "green", "welcome", None),
        ("check_in", 200, "opened", "01:00:00", "green", "welcome", None),
        ("check_out", 200, "closed", "00:10:00", "green", "goodbye", None),
        ("check_in", 200, "repeated", "00:59:56", "amber", "just_scanned", 4),
        ("check_in", 201, "repeated", "01:00:00", "amber", "just_scanned", 0),
        ("check_in", 201, "repeated", "01:00:05", "amber", "just_scanned", -5),
        ("check_in", 201, "repeated", "01:01:00", "amber", "already_inside", None),
        ("check_out", 200, "repeated", "00:59:56", "amber", "just_scanned", 4),
        ("check_out", 200, "repeated", "01:02:00", "amber", "already_left", None),
    ],
)
def test_what_the_server_says_of_a_scan_that_it_accepts(
    action, status, effect, since, tone, word, age
):
    """The scan was made at 01:00:00.9 of the server."""
    result = {"status": status, "effect": effect, "since": f"1970-01-01T{since}Z"}
    verdict = run("return rules.serverVerdict(...given)", [action, result, 3_600_900])
    assert (verdict["tone"], verdict["word"], verdict.get("age")) == (tone, word, age)


@pytest.mark.parametrize(
    "own, server, shown",
    [
        (
            {"tone": "amber", "word": "just_here", "since": 10_000, "first": "green"},
            {
                "tone": "amber",
                "word": "just_scanned",
                "since": 10_000,
                "name": "Ada",
                "station": "West",
            },
            {
                "tone": "amber",
                "word": "just_here",
                "since": 10_000,
                "first": "green",
                "name": "Ada",
                "station": None,
            },
        ),
        # out elsewhere, and in elsewhere
        (
            {"tone": "amber", "word": "scanned_here", "since": 10_000},
            {"tone": "amber", "word": "already_inside", "since": 12_001},
            None,
        ),
        (
            {"tone": "amber", "word": "left_here", "since": 10_000},
            {"tone": "amber", "word": "not_inside"},
            {"tone": "amber", "word": "left_here", "since": 10_000, "station": None},
        ),
        (
            {"tone": "amber", "word": "scanned_here", "since": 10_000},
            {"tone": "green", "word": "welcome"},
            None,
        ),
        (
            {"tone": "amber", "word": "scanned_here", "since": 10_000},
            {"tone": "red", "word": "cancelled"},
            None,
        ),
        (
            {"tone": "amber", "word": "not_here"},
            {"tone": "amber", "word": "already_inside", "since": 1},
            None,
        ),
        (
            {"tone": "green", "word": "welcome"},
            {"tone": "amber", "word": "just_scanned", "since": 1},
            None,
        ),
    ],
)
def test_the_words_of_the_device_are_shown_if_both_know_the_same(own, server, shown):
    assert run("return rules.agreed(...given)", [own, server]) == (shown or server)


def test_only_a_stricter_verdict_takes_the_place_of_another():
    """A badge that was read before is stricter than one that this device does not know."""
    verdicts = [
        ("green", "welcome"),
        ("amber", "not_here"),
        ("amber", "already_inside"),
        ("red", "cancelled"),
    ]
    script = """
        const verdicts = given.map(([tone, word]) => ({tone, word}));
        return verdicts.map(one => verdicts.filter(two => rules.isStricter(one, two)).map(two => two.word))"""
    assert run(script, verdicts) == [
        [],
        ["welcome"],
        ["welcome", "not_here"],
        ["welcome", "not_here", "already_inside"],
    ]


@pytest.mark.parametrize(
    "tone, word, stops",
    [
        ("green", "welcome", False),
        ("amber", "not_here", False),
        ("amber", "not_inside", False),
        ("amber", "just_scanned", True),
        ("amber", "already_left", True),
        ("red", "unknown", True),
    ],
)
def test_only_a_refusal_or_a_second_reading_stops_the_person(tone, word, stops):
    assert run("return rules.stops(given)", {"tone": tone, "word": word}) is stops


@pytest.mark.parametrize(
    "status, code, pointer, tone, fate",
    [
        (201, None, None, "green", "done"),
        (200, None, None, "green", "done"),
        (409, "already_checked_in", None, "amber", "done"),
        (409, "not_checked_in", None, "amber", "done"),
        (409, "participant_cancelled", None, "red", "done"),
        (409, "badge_replaced", None, "red", "done"),
        (409, "wrong_event", None, "red", "done"),
        (404, "unknown_badge", None, "red", "done"),
        (422, "validation_failed", "/scanned_at", "red", "clock"),
        (422, "validation_failed", "/station", "red", "person"),
        (409, "duplicate", None, "red", "person"),
        (409, "taken_back", None, "red", "person"),
        (409, "anonymized", None, "red", "person"),
    ],
)
def test_a_scan_leaves_the_device_only_with_a_result_that_settles_it(
    status, code, pointer, tone, fate
):
    result = {"status": status, "code": code, "pointer": pointer}
    script = """
        const [result] = given, scan = {offset: 0, is_corrected: false};
        return [rules.serverVerdict("check_in", result, 0).tone, rules.fateOf(scan, result, 3_600_000),
                rules.fateOf({...scan, is_corrected: true}, result, 3_600_000), rules.fateOf(scan, result, 500)]"""
    again = "person" if fate == "clock" else fate
    assert run(script, [result]) == [tone, fate, again, again]
