"""A loop over many cases in one test. A case that fails does not hide those that follow.

pytest takes 1.4 ms for each parametrised case, which is more than most cases of a long table take.
"""

import pytest

# What `pytest.fail` and `pytest.skip` raise is no Exception. No case may skip the others.
FAILURES = (Exception, pytest.fail.Exception, pytest.skip.Exception)


def each_group(argument, cases):
    """Call a test once for each group of (group, name, value), with {name: value} as `argument`."""
    groups = {}
    for group, name, value in cases:
        groups.setdefault(group, {})[name] = value
    return pytest.mark.parametrize(argument, groups.values(), ids=groups.keys())


def check_each(cases, check):
    """Call `check(value)` for each of {name: value}.

    Raise AssertionError with the names and the reasons of all that fail, from the error of the
    first, whose lines pytest shows. Without any case, it fails, too.
    """
    assert cases, "there is no case to check"
    failures = {}
    for name, value in cases.items():
        try:
            check(value)
        except FAILURES as error:
            failures[name] = error

    if failures:
        lines = [f"{name}: {type(error).__name__}: {error}" for name, error in failures.items()]
        text = "\n".join([f"{len(failures)} of {len(cases)} fail", *lines])
        raise AssertionError(text) from next(iter(failures.values()))
