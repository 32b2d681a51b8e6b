"""Signing in many times at once: limits hold, and what is used up is used once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import webtest

from eventapi.app import App
from eventapi.domain.access import passwords, sessions
from tests.pages.conftest import Visitor
from tests.pages.office.conftest import EMAIL, SECRET, Office, code_now, field
from tests.pages.office.test_sign_in import make_link, rows

THREADS = 32


def at_once(function, values):
    """Call a function with each of the values, all at once. Return the results."""
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(function, values))


def statuses(answers):
    return sorted(answer.status_int for answer in answers)


def test_of_many_tries_at_once_no_more_than_the_limit_are_hashed(
    app, browser, db, person, monkeypatch
):
    person()
    hashed = []
    inner = passwords._scrypt
    monkeypatch.setattr(passwords, "_scrypt", lambda *all: hashed.append(1) or inner(*all))
    monkeypatch.setattr(passwords, "WAIT", 60)
    monkeypatch.setattr(passwords, "_places", threading.Semaphore(THREADS))
    token = field(browser().get("sign-in"), "token")

    def tried(_):
        fields = {"token": token, "email": EMAIL, "password": "wrong"}
        return Visitor(app).post("/desk/sign-in", fields, "*")

    assert statuses(at_once(tried, range(THREADS))) == [401] * 10 + [429] * 22
    assert len(hashed) == 10
    assert len(rows(db, "SELECT * FROM sign_in_tries")) == 10


def test_a_restart_forgets_no_try(settings, browser, db, person):
    person()
    carla = browser()
    for _ in range(10):
        carla.sign_in(password="wrong", status=401)
    new = App(settings)
    again = Office(webtest.TestApp(new), db)
    again.sign_in(status=429)
    new.connections.close()


def test_a_link_that_is_opened_twice_at_once_signs_in_once(app, db, person):
    secret = make_link(db, person())
    answers = at_once(lambda _: Visitor(app).post(f"/link/{secret}", {}, "*"), range(8))
    assert statuses(answers) == [303] + [404] * 7
    assert len(sessions.at_desk(db)) == 1


def test_a_code_that_is_sent_twice_at_once_signs_in_once(app, browser, db, person):
    person(secret=SECRET)
    carla = browser()
    pages = [carla.sign_in(status=200) for _ in range(8)]
    code = code_now()

    def sent(page):
        fields = {"token": field(page, "token"), "pending": field(page, "pending"), "code": code}
        return Visitor(app).post("/desk/sign-in/code", fields, "*")

    assert statuses(at_once(sent, pages)) == [303] + [401] * 7
    assert len(sessions.at_desk(db)) == 1


def test_other_writes_do_not_wait_for_a_hash(browser, db, person, monkeypatch):
    """While a password is hashed, the write lock is free."""
    person()
    inner, free = passwords._scrypt, []

    def slow(*values):
        with db.write(wait=0):
            free.append(True)
        return inner(*values)

    monkeypatch.setattr(passwords, "_scrypt", slow)
    browser().sign_in(status=303)
    assert free == [True]


def test_a_flood_of_tries_leaves_the_threads_to_others(app, browser, db, person, monkeypatch):
    """Two of them are in the process at once; the others are told to come back, and count nothing."""
    person()
    token = field(browser().get("sign-in"), "token")
    begun, go_on = threading.Semaphore(0), threading.Event()

    def slow(*_, **__):
        begun.release()
        go_on.wait(30)
        return b"x" * 32

    monkeypatch.setattr(passwords, "scrypt", slow)
    monkeypatch.setattr(passwords, "WAIT", 30)

    def tried(number):
        fields = {"token": token, "email": f"{number}@messe.example", "password": "wrong"}
        return Visitor(app).post("/desk/sign-in", fields, "*")

    with ThreadPoolExecutor(THREADS) as threads:
        first = [threads.submit(tried, number) for number in range(THREADS)]
        begun.acquire(timeout=30)
        while sum(each.done() for each in first) < THREADS - 2:
            time.sleep(0.01)
        go_on.set()
        answers = [each.result() for each in first]
    assert statuses(answers) == [401] * 2 + [503] * (THREADS - 2)
    assert len(rows(db, "SELECT * FROM sign_in_tries")) == 2
