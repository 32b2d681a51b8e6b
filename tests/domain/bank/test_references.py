"""Texts of transfers: what `domain/bank/references.py` finds in them is tested in tests/resources."""
import time

import pytest

from eventapi.domain.bank import references


@pytest.mark.parametrize("text", [
    "x" * 900 + " " + "ab1 " * 270, "x" * 1500 + " " + "a1-" * 160, "x" * 1600 + "-" + "R1-R2-" * 60, "1 " * 1000,
    "RF12 " + "1 " * 990, "_" * 1000 + "1_" * 500])
def test_any_text_is_searched_in_linear_time(text):
    """A payer decides on the text. Backtracking of a regular expression is no function call, so the time is tested."""
    began = time.process_time()
    references.candidates(text, {"inv", "re"}, 1900)
    references.creditor_references(text)
    assert time.process_time() - began < 0.5


def test_a_number_behind_a_long_word_is_no_introduced_one():
    word = "x" * 30 + "rechnung"
    (found,) = [one for one in references.candidates(f"{word}INV-17", {"inv"}) if one.key == "inv17"]
    (introduced,) = [one for one in references.candidates("RechnungINV-17", {"inv"}) if one.key == "inv17"]
    assert (found.is_whole, introduced.is_whole) == (False, True)
