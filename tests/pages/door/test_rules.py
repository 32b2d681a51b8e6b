"""The rules of the page at the door (rules.js), run by node and compared with the rules of the server."""
import json
import random
import shutil
import struct
import subprocess
from hashlib import sha256
from importlib.resources import files

import pytest

from eventapi.domain.entrance import badges, door_roster, visits

NODE = shutil.which("node")
RULES = files("eventapi.pages.door").joinpath("rules.js")
needs_node = pytest.mark.skipif(not NODE, reason="needs node (apt install nodejs)")
pytestmark = needs_node


def run(script, given=None):
    """Return the JSON value that a script returns. It finds the exports of rules.js in `rules`, `given` as JSON."""
    program = f"""
        const rules = await import({json.dumps(RULES.as_uri())});
        const given = JSON.parse(await new Promise(resolve => {{
          let text = ""; process.stdin.on("data", piece => text += piece).on("end", () => resolve(text)); }}));
        const bytes = text => Uint8Array.from(Buffer.from(text, "hex")).buffer;
        const found = await (async () => {{ {script} }})();
        console.log(JSON.stringify(found));"""
    done = subprocess.run([NODE, "--input-type=module", "--experimental-default-type=module", "-e", program],
                          input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_page_and_the_server_agree_which_numbers_are_badges():
    rnd = random.Random(1)
    numbers = [badges.draw() for _ in range(200)]
    for number in numbers[:100]:                    # one wrong character, two swapped ones
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
        assert (kind == "other") == (len(number) != 12 or not set(number) <= set(badges.ALPHABET)), number


def test_a_number_is_read_in_any_case_in_groups_and_from_a_scanner_with_another_keyboard():
    assert run('return ["a2y8 4p5e-x7nx", " A2Z84P5EX7NX\\n"].map(rules.normal)') == ["A2Y84P5EX7NX"] * 2
    assert run('return rules.grouped("A2Y84P5EX7NX")') == badges.grouped("A2Y84P5EX7NX")


def packed(kind, entries, *, event=7, salt=b"s" * 16, revision=3, seconds=1_800_000_000, colours=b""):
    body = b"".join(sorted(entries))
    return (struct.pack(">4sI16sQQ24sI", kind, event, salt, revision, seconds, colours.ljust(24, b"\0"),
                        len(entries)) + body).hex()


def entry(number, flags, salt=b"s" * 16):
    return sha256(salt + number.encode()).digest()[:5] + bytes((flags,))


def test_the_page_finds_every_badge_of_a_roster_and_no_other():
    flags = {badges.draw(): random.randrange(3) | random.randrange(7) << 2 | random.randrange(3) << 5
             for _ in range(500)}
    colours = bytes.fromhex("0000001d6f42a81f2b")
    roster = packed(b"EVR1", [entry(number, value) for number, value in flags.items()], colours=colours)
    script = """
        const roster = new rules.Roster(bytes(given.roster));
        const found = [];
        for (const number of given.numbers) found.push(roster.find(await roster.hashOf(number)));
        return {found, about: [roster.event, roster.revision, roster.time, roster.count, roster.isWhole]}"""
    others = [badges.draw() for _ in range(100)]
    result = run(script, {"roster": roster, "numbers": [*flags, *others]})
    assert result["about"] == [7, 3, 1_800_000_000_000, 500, True]
    assert result["found"] == [
        {"status": ["ok", "cancelled", "replaced"][value & 3], "role": door_roster.ROLES[value >> 2 & 7],
         "colour": [None, "1d6f42", "a81f2b"][value >> 5]} for value in flags.values()] + [None] * 100
    assert run("return new rules.Roster(bytes(given)).find(new Uint8Array(5))", packed(b"EVR1", [])) is None


def test_changes_replace_and_add_entries_and_move_revision_and_time():
    old, new = [badges.draw() for _ in range(300)], [badges.draw() for _ in range(50)]
    base = [entry(number, 0) for number in old]
    changed = [entry(number, 1) for number in old[:40]] + [entry(number, 0) for number in new]
    wanted = packed(b"EVR1", [*changed, *base[40:]], revision=9, seconds=1_800_000_060)
    script = """
        const [base, changes] = given.map(text => new rules.Roster(bytes(text)));
        return Buffer.from(base.merged(changes)).toString("hex")"""
    found = run(script, [packed(b"EVR1", base), packed(b"EVD1", changed, revision=9, seconds=1_800_000_060)])
    assert found == wanted
    fits = "const [one, other] = given.map(text => new rules.Roster(bytes(text))); return one.fits(other)"
    assert run(fits, [packed(b"EVR1", base), packed(b"EVD1", changed)]) is True
    for other in ({"salt": b"t" * 16}, {"event": 8}, {"colours": b"abc" * 3}):
        assert run(fits, [packed(b"EVR1", base), packed(b"EVD1", changed, **other)]) is False


def test_a_damaged_roster_is_refused():
    script = "try { new rules.Roster(bytes(given)); return true } catch (error) { return false }"
    whole = packed(b"EVR1", [entry(badges.draw(), 0)])
    assert [run(script, text) for text in (whole, whole[:-2], whole + "00", "00" + whole[2:])] == [
        True, False, False, False]


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


@pytest.mark.parametrize("action, found, seen, tone, word", [
    ("check_in", {"status": "ok"}, None, "green", "welcome"),
    ("check_in", {"status": "ok"}, {"action": "check_out", "at": 0}, "green", "welcome"),
    ("check_in", {"status": "ok"}, {"action": "check_in", "at": 50_000}, "green", "welcome"),
    ("check_in", {"status": "ok"}, {"action": "check_in", "at": 49_999}, "amber", "scanned_here"),
    ("check_in", {"status": "cancelled"}, None, "red", "cancelled"),
    ("check_in", {"status": "replaced"}, None, "red", "replaced"),
    ("check_in", None, None, "amber", "not_here"),
    ("check_out", {"status": "ok"}, {"action": "check_in", "at": 0}, "green", "goodbye"),
    ("check_out", {"status": "ok"}, {"action": "check_out", "at": 0}, "amber", "left_here"),
    ("check_out", {"status": "cancelled"}, None, "green", "goodbye"),
    ("check_out", {"status": "replaced"}, None, "red", "replaced"), ("check_out", None, None, "amber", "not_here")])
def test_what_a_device_shows_by_itself(action, found, seen, tone, word):
    assert visits.SAME == 10
    verdict = run("return rules.ownVerdict(...given)", [action, found, seen, 60_000])
    assert (verdict["tone"], verdict["word"]) == (tone, word)


@pytest.mark.parametrize("status, code, pointer, tone, fate", [
    (201, None, None, "green", "done"), (200, None, None, "green", "done"),
    (409, "already_checked_in", None, "amber", "done"), (409, "not_checked_in", None, "amber", "done"),
    (409, "participant_cancelled", None, "red", "done"), (409, "badge_replaced", None, "red", "done"),
    (409, "wrong_event", None, "red", "done"), (404, "unknown_badge", None, "red", "done"),
    (422, "validation_failed", "/scanned_at", "red", "clock"), (422, "validation_failed", "/station", "red", "person"),
    (409, "duplicate", None, "red", "person"), (409, "taken_back", None, "red", "person"),
    (409, "anonymized", None, "red", "person")])
def test_a_scan_leaves_the_device_only_with_a_result_that_settles_it(status, code, pointer, tone, fate):
    result = {"status": status, "code": code, "pointer": pointer}
    script = """
        const [result] = given, scan = {offset: 0, is_corrected: false};
        return [rules.serverVerdict("check_in", result).tone, rules.fateOf(scan, result, 3_600_000),
                rules.fateOf({...scan, is_corrected: true}, result, 3_600_000), rules.fateOf(scan, result, 500)]"""
    again = "person" if fate == "clock" else fate
    assert run(script, [result]) == [tone, fate, again, again]
