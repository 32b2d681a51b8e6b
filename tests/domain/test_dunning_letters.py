"""Letters of a random year, computed a second time from the requests.

`make books` runs longer ones.
"""

import pytest

from eventapi import times
from tests.books import letters


@pytest.mark.parametrize("option", ["due_date", "thirty_days"])
def test_letters_are_those_that_a_second_computation_expects(tmp_path, monkeypatch, option):
    monkeypatch.setattr(times, "now", times.now)  # the walk sets the clock
    monkeypatch.setattr(letters, "DAYS", 240)
    walk = letters.Walk(tmp_path / "data", option, 7).run()
    walk.check_claims()
    assert walk.wrong == [] and walk.letters > 50
