"""A loop inside a test names every case that fails."""

import pytest

from tests.support.each import check_each


def test_all_cases_that_fail_are_named_with_their_reasons():
    checked = []

    def check(value):
        checked.append(value)
        if value == 2:
            pytest.skip("not here")
        if value == 3:
            pytest.fail("never")
        assert value == 1, f"{value} is not 1"

    with pytest.raises(AssertionError) as caught:
        check_each({"one": 1, "two": 2, "three": 3, "four": 4, "again": 1}, check)
    lines = str(caught.value).splitlines()
    assert checked == [1, 2, 3, 4, 1]
    assert lines[:4] == [
        "3 of 5 fail",
        "two: Skipped: not here",
        "three: Failed: never",
        "four: AssertionError: 4 is not 1",
    ]
    check_each({"one": 1}, check)


def test_a_loop_without_a_case_fails():
    with pytest.raises(AssertionError, match="there is no case"):
        check_each({}, print)
