"""The test mail: its button on the page of mails, and what became of it."""

from datetime import timedelta

import pytest

from eventapi import times
from eventapi.languages import formats
from eventapi.worker.mail import job
from tests.support.mail_server import Inbox, Server
from tests.support.people import signed_in
from tests.worker.test_mail import configure, fresh  # noqa: F401  a fixture

PAGE, TEST = "/desk/company/mails", "/desk/company/mails/test"


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def post(settings, inbox):
    """A mail server that the administrator has configured."""
    server = Server(inbox).start()
    configure(settings, server)
    yield server
    server.stop()


@pytest.fixture
def carla(app, db):
    return signed_in(app, db)


def press(visitor, status=303):
    return visitor.submit(visitor.get(PAGE), TEST, status=status)


def mails_in(db):
    return db.connection.execute("SELECT count(*) FROM mails").fetchone()[0]


def work(db):
    """Let the worker send what waits."""
    job.run(db, lambda: False)
    job.finish()


def said(visitor):
    """Return what the page says of the last test mail."""
    text = " ".join(visitor.get(PAGE).text.split())
    return text.partition("Letzte Probe-Mail: ")[2].partition("</p>")[0]


def test_a_test_mail_waits_and_is_sent(carla, db, post, inbox):
    assert "Probe-Mail an carla@fair.example" in carla.get(PAGE) and said(carla) == ""
    answer = press(carla)
    assert "Die Probe-Mail geht gleich hinaus." in carla.get("/" + answer.location.lstrip("./"))
    assert said(carla) == "wartet"
    work(db)
    at = db.connection.execute("SELECT updated_at FROM mails").fetchone()[0]
    assert said(carla) == f"gesendet, {formats.moment(at, 'Europe/Berlin', 'de')}"
    (message,) = inbox.messages
    assert message["To"] == "Carla Weiß <carla@fair.example>"


def test_a_refusal_shows_what_the_server_has_answered(carla, db, post, inbox):
    inbox.data_answer = "550 5.7.1 Relaying <denied>"
    press(carla)
    work(db)
    assert said(carla).startswith("abgelehnt: ") and "Relaying &lt;denied&gt;" in said(carla)


def test_the_sixth_within_an_hour_is_refused_with_the_time(carla, db, post):
    for _ in range(5):
        press(carla)
    first = db.connection.execute("SELECT min(created_at) FROM sign_in_tries").fetchone()[0]
    page = press(carla, 429).text
    until = formats.moment(times.after(first, timedelta(hours=1)), "Europe/Berlin", "de")
    assert f"Bitte warten Sie bis {until}" in page and "Probe-Mail an carla@" in page
    assert mails_in(db) == 5


def test_without_a_mail_server_there_is_no_button_and_none_is_queued(carla, db, settings):
    settings.smtp_host = ""
    page = carla.get(PAGE)
    assert "Probe-Mail an" not in page and "sendet noch keine Mails" in page
    refused = carla.submit(page, TEST, status=409).text
    assert "kann keine Mails schicken" in refused and mails_in(db) == 0


def test_who_may_only_see_settings_sends_none(app, db, post):
    reader = signed_in(app, db, "reader", "Mehmet Aydın")
    page = reader.get(PAGE)
    assert "Probe-Mail an" not in page
    reader.submit(page, TEST, status=403)
    assert mails_in(db) == 0


def test_a_key_without_an_account_is_told_who_gets_one(office, db, post):
    page = office.get(PAGE)
    assert "A test mail goes to those who are in the team" in page
    office.submit(page, TEST, status=404)
    assert mails_in(db) == 0
