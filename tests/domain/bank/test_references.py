"""Texts of transfers: what `domain/bank/references.py` finds in them is tested in tests/resources."""

import sys
import time

import pytest

from eventapi.domain.bank import references


@pytest.mark.parametrize(
    "text",
    [
        "x" * 900 + " " + "ab1 " * 270,
        "x" * 1500 + " " + "a1-" * 160,
        "x" * 1600 + "-" + "R1-R2-" * 60,
        "1 " * 1000,
        "RF12 " + "1 " * 990,
        "_" * 1000 + "1_" * 500,
        "a-" * 1000,
        "a-" * 30 + "1-" + "a-" * 960,
        "a1a1a1a1a1 " * 180,
        ("a-" * 62 + "1 ") * 16,
        "1-" * 1000,
    ],
)
def test_any_text_is_searched_in_linear_time(text):
    """A payer decides on the text.

    Backtracking of a regular expression is no function call, so the time is tested.
    """
    began = time.process_time()
    references.candidates(text, {"inv", "re"}, 1900)
    references.creditor_references(text)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "\ufdfa" * 2000,
        "a " * 1000,
        "\ufdfa" * 1999 + "1",
        "a " * 999 + "1",
        "1 " * 1000,
        "a1" * 1000,
        "a-" * 1000,
        "a1a1a1a1a1 " * 180,
        ("a-" * 62 + "1 ") * 16,
    ],
)
def test_a_text_costs_few_calls_of_functions(text):
    """2,000 characters may fold to 36,000: sixty such entries would cost what 20,000 ordinary ones
    do.
    """
    count = 0

    def counted(*_):
        nonlocal count
        count += 1

    sys.setprofile(counted)
    references.candidates(text, {"inv"}, 1900)
    sys.setprofile(None)
    assert count < 150_000


def test_a_number_at_the_end_of_a_long_text_is_found():
    text = "a " * 990 + "inv 2026 17"
    assert "inv202617" in [one.key for one in references.candidates(text)]
    (found,) = [one for one in references.candidates("x" * 1995 + " 20269999") if one.is_cut]
    assert found.letters == "2026", (
        "no more than 2,000 characters are searched, and the rest may be cut off"
    )


def test_a_word_of_many_groups_is_a_candidate_as_a_whole_before_its_parts():
    first, *others = references.candidates("Rechnung ALT-2a78c3c1be vom 3.4.2026")
    assert (first.key, first.is_whole, first.is_one_word) == ("alt2a78c3c1be", True, True)
    assert all(
        len(one.groups) <= 8 for one in others if one.end <= first.end and one.start >= first.start
    )


def test_a_text_full_of_long_words_counts_as_cut_off():
    found = [one for one in references.candidates("a-1-" * 500) if len(one.groups) > 8]
    assert len(found) == 25 and all(one.is_cut for one in found)


def test_a_number_behind_a_long_word_is_no_introduced_one():
    word = "x" * 30 + "rechnung"
    (found,) = [
        one for one in references.candidates(f"{word}INV-17", {"inv"}) if one.key == "inv17"
    ]
    (introduced,) = [
        one for one in references.candidates("RechnungINV-17", {"inv"}) if one.key == "inv17"
    ]
    assert (found.is_whole, introduced.is_whole) == (False, True)


@pytest.mark.parametrize(
    "number, found",
    [
        ("INV-2026-00065", ["202665", "65"]),
        ("R-17", ["17"]),
        ("R-7", []),
        ("20260017", ["20260017"]),
        ("K4711/A", ["4711"]),
        ("2026/65", ["65"]),
        ("GH-2026-R-5", ["2026r5", "r5"]),
    ],
)
def test_the_ends_of_a_number_lack_its_beginning(number, found):
    assert references.ends(number) == found
