"""The marks: what a request to the big database may cost, in itself and against the same request to the small one.

A time is the smallest of some runs (timing.py), in milliseconds. Below FLOOR a ratio says nothing: a cache line more or
less doubles it.
"""
import re
from collections import namedtuple

from tests.load.exceptions import EXCEPTIONS

FLOOR = 1
LISTS = {"list", "filter", "sort", "include", "pair", "updated_since", "per_page=100", "csv", "after"}
COUNTED = {"list", "filter", "sort", "pair"}

Mark = namedtuple("Mark", "name limit unit")
RATIO = Mark("ratio of a list", 3, "x")
TIME = Mark("time of a list", 20, "ms")
DEEP = Mark("ratio of a deep page", 10, "x")
TOTAL = Mark("total after a commit", 5, "ms")
RECORD = Mark("ratio of a record", 3, "x")
REPORT = Mark("report", 300, "ms")
EVENT_REPORT = Mark("report on one event", 50, "ms")
CONTACT = Mark("anonymise or export", 50, "ms")
LOCK = Mark("write lock held", 100, "ms")
MIXED = Mark("throughput of the mixed load", 80, "%")
ALL = (RATIO, TIME, DEEP, TOTAL, RECORD, REPORT, EVENT_REPORT, CONTACT, LOCK, MIXED)


def judged(name, small, big):
    """Yield (mark, value, whether it is met) of a read. `small` and `big` have `first` and `again`."""
    kind, path = name.split()[0], name.split()[-1]
    ratio, worst = ratio_of(small, big), max(big["first"], big["again"])
    if kind in LISTS:
        yield RATIO, ratio, ratio <= RATIO.limit
        yield TIME, worst, worst <= TIME.limit
    if kind in COUNTED:
        total = big["first"] - big["again"]
        yield TOTAL, total, total <= TOTAL.limit
    if kind == "page":
        yield DEEP, ratio, ratio <= DEEP.limit
    if kind == "report":
        mark = EVENT_REPORT if "event_key=" in path else REPORT
        yield mark, worst, worst <= mark.limit
    if kind == "single" and path.endswith("/export"):
        if path != "/contacts/1/export":
            yield CONTACT, worst, worst <= CONTACT.limit
    elif kind == "single":
        yield RECORD, ratio, ratio <= RECORD.limit


def ratio_of(small, big):
    """Return the larger ratio of first and repeated reads; 1 if the big database answers below FLOOR."""
    ratios = [big[name] / small[name] for name in ("first", "again") if big[name] > FLOOR]
    return max(ratios, default=1)


def judged_write(name, big):
    """Yield (mark, value, whether it is met) of a write."""
    yield LOCK, big["lock"], big["lock"] <= LOCK.limit
    if re.search("anonymize|export", name):
        yield CONTACT, big["time"], big["time"] <= CONTACT.limit


def exception(name, mark, value):
    """Return why a request may miss a mark by that much, or None."""
    return next((reason for (pattern, missed), (reason, limit) in EXCEPTIONS.items()
                 if missed == mark.name and re.search(pattern, name) and is_within(value, limit, mark)), None)


def is_within(value, limit, mark):
    """Return whether a value keeps to a limit: a throughput is at least the limit, everything else at most."""
    return value >= limit if mark == MIXED else value <= limit
