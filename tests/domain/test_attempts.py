"""Limits of tries, with a clock that is moved."""

from datetime import timedelta

import pytest

from eventapi import times
from eventapi.domain.access import attempts
from eventapi.errors import Problem

START = "2027-05-01T09:00:00Z"
NOW = timedelta()
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
# what is tried, again and again -> how often it is possible at once, and when the next one is
TRIES = {
    "password of one address from one network": (("password", "who", "network"), 10, 15 * MINUTE),
    "password of many addresses from one network": (("password", None, "network"), 40, 15 * MINUTE),
    "password of one address from many networks": (("password", "who", None), 100, DAY),
    "code of a person": (("code", "who", None), 10, HOUR),
    "code in a known browser": (("code", "who", "known"), 30, DAY),
    "recovery code of a person": (("recovery", "who", None), 10, DAY),
    "API key from one network": (("key", None, "network"), 20, 15 * MINUTE),
    "mail to one address": (("mail", "who", None), 1, 10 * MINUTE),
    "mails because of one network": (("mail", None, "network"), 10, HOUR),
    "invitation of a person": (("invitation", "who", "network"), 1, 10 * MINUTE),
    "invitations": (("invitation", None, "network"), 50, DAY),
    "test mail of a person": (("test", "who", "network"), 5, HOUR),
}


@pytest.fixture
def clock(monkeypatch):
    """Return a function that sets the clock to a time after START."""

    def to(age):
        monkeypatch.setattr(times, "now", lambda: times.after(START, age))

    to(NOW)
    return to


class Trying:
    """Somebody who tries; each try is of another address or network unless these are fixed."""

    def __init__(self, db):
        self.db, self.count = db, 0

    def take(self, kind, who=None, network=None):
        self.count += 1
        other = f"10.{self.count // 65536}.{self.count // 256 % 256}.{self.count % 256}"
        email = "carla@messe.example" if who else f"{self.count}@messe.example"
        with self.db.write():
            tried = attempts.of_address(self.db, email, "192.0.2.7" if network else other)
            return attempts.take(self.db, kind, tried, is_known=network == "known")

    def until_refused(self, *tried):
        """Try until it is refused. Return how often it was possible, and the Problem."""
        for count in range(1000):
            try:
                self.take(*tried)
            except Problem as problem:
                return count, problem
        raise AssertionError("it is never refused")


@pytest.mark.parametrize("tried, most, pause", TRIES.values(), ids=TRIES)
def test_the_limits_are_those_of_the_list(db, clock, tried, most, pause):
    somebody = Trying(db)
    count, problem = somebody.until_refused(*tried)
    assert (count, problem.code, problem.status) == (most, "rate_limited", 429)
    assert problem.members["until"] == times.after(START, pause)
    assert problem.headers["Retry-After"] == str(int(pause.total_seconds()))

    clock(pause - timedelta(seconds=1))
    with pytest.raises(Problem):
        somebody.take(*tried)
    clock(pause)
    somebody.take(*tried)


@pytest.mark.parametrize(
    "tried, each, most",
    [
        (("password", None, "network"), 20 * MINUTE / 40, 200),
        (("code", "who", None), HOUR / 10, 30),
        (("mail", "who", None), 10 * MINUTE, 5),
        (("invitation", "who", "network"), 10 * MINUTE, 5),
    ],
)
def test_those_who_wait_each_time_have_a_limit_of_a_day(db, clock, tried, each, most):
    somebody, first = Trying(db), times.now()
    for number in range(most):
        clock(number * each)
        somebody.take(*tried)
    clock(most * each)
    with pytest.raises(Problem) as refused:
        somebody.take(*tried)
    assert refused.value.members["until"] == times.after(first, DAY)


def test_a_known_browser_is_not_shut_out_by_tries_of_others(db, clock):
    somebody = Trying(db)
    somebody.until_refused("password", "who", None)
    somebody.take("password", "who", "known")
    somebody.until_refused("code", "who", None)
    somebody.take("code", "who", "known")


def test_other_kinds_other_addresses_and_other_networks_are_free(db, clock):
    somebody = Trying(db)
    somebody.until_refused("password", "who", "network")
    somebody.take("password", "who", None)
    somebody.take("password", None, "network")
    somebody.take("code", "who", "network")


def test_a_refused_try_is_not_counted_so_the_time_that_is_named_is_right(db, clock):
    somebody = Trying(db)
    _, problem = somebody.until_refused("password", "who", "network")
    for minute in range(1, 15):
        clock(minute * MINUTE)
        count, again = somebody.until_refused("password", "who", "network")
        assert (count, again.members["until"]) == (0, problem.members["until"])


def test_a_try_that_succeeds_is_taken_back(db, clock):
    somebody = Trying(db)
    for _ in range(30):
        id = somebody.take("password", "who", "network")
        with db.write():
            attempts.take_back(db, id)
    assert somebody.until_refused("password", "who", "network")[0] == 10


def test_a_clock_that_was_wrong_shuts_nobody_out(db, clock):
    somebody = Trying(db)
    clock(400 * DAY)
    somebody.until_refused("password", "who", "network")
    clock(NOW)
    assert somebody.until_refused("password", "who", "network")[0] == 10


def test_the_networks_of_one_64_are_one_network(db):
    def tried(email, client):
        return attempts.of_address(db, email, client)

    same = tried("a@x.example", "2001:db8:0:1::1")
    assert same == tried(" A@X.example", "2001:db8:0:1:ffff::7")
    assert same["network"] != tried("a@x.example", "2001:db8:0:2::1")["network"]
    assert (
        tried("a@x.example", "192.0.2.1")["network"] != tried("a@x.example", "192.0.2.2")["network"]
    )
    assert tried("a@x.example", None)["network"]


def test_what_is_stored_names_nobody_and_goes_after_a_day(db, clock):
    somebody = Trying(db)
    somebody.take("password", "who", "network")
    (row,) = db.rows("SELECT * FROM sign_in_tries", {})
    assert "carla" not in str(row) and "192.0.2" not in str(row)
    clock(DAY - MINUTE)
    somebody.take("password", "who", "network")
    assert attempts.delete_old(db, 100) == 0
    clock(DAY + MINUTE)
    assert attempts.delete_old(db, 100) == 1
    assert len(db.rows("SELECT * FROM sign_in_tries", {})) == 1


def test_the_codes_of_a_person_are_forgotten_when_its_factor_is_removed(db, clock):
    with db.write():
        for kind in ("code", "recovery"):
            for _ in range(10):
                attempts.take(db, kind, attempts.of_person(db, 3, None))
        attempts.take(db, "code", attempts.of_person(db, 4, None))
        attempts.take(db, "test", attempts.of_person(db, 3, None))
        attempts.forget(db, 3)
        assert attempts.free_at(db, "code", attempts.of_person(db, 3, None)) is None
        assert attempts.free_at(db, "recovery", attempts.of_person(db, 3, None)) is None
    assert len(db.rows("SELECT * FROM sign_in_tries", {})) == 2
