"""Fixtures: people at the desk, with and without an account, and a show."""

import re

import pytest

from eventapi import times
from eventapi.domain.access import passwords, people, signing_in, totp
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import busy_fair, desk, fair, office  # noqa: F401
from tests.support.client import SCOPES, Client, add_key

EMAIL, PASSWORD = "carla@messe.example", "kommode-41-Falter"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def quick_hashes(monkeypatch):
    """Let a hash take no time."""
    for name, value in (("COST", 2), ("BLOCK_SIZE", 1), ("PARALLEL", 1)):
        monkeypatch.setattr(passwords, name, value)
    monkeypatch.setattr(passwords, "DUMMY", passwords.hashed("nobody has this one"))


@pytest.fixture
def mail_server(settings):
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://messe.example"


class Office:
    """A browser of a person of the office."""

    def __init__(self, app, db, language="en"):
        self.db, self.browser = db, Visitor(app, language)

    def get(self, path, status=200, **options):
        return self.browser.get(f"/desk/{path}", status, **options)

    def send(self, path, fields, status="*", headers=()):
        """Send a form of a page without a session."""
        token = field(self.get("sign-in"), "token")
        return self.browser.post(f"/desk/{path}", {"token": token, **fields}, status, headers)

    def sign_in(self, email=EMAIL, password=PASSWORD, status="*", **fields):
        return self.send("sign-in", {"email": email, "password": password, **fields}, status)

    def submit(self, page, path, fields=None, status="*"):
        return self.browser.submit(page, f"/desk/{path}", fields, status)


def field(page, name):
    """Return the value of a hidden field of a page."""
    return re.search(rf'name="{name}" value="([^"]*)"', page.text)[1]


def code_now(step=0):
    return totp.code_of(SECRET, times.unix(times.now()) // 30 + step)


@pytest.fixture
def organiser(app, db):
    """A client with all scopes: here, `person` makes accounts and no clients."""
    return Client(app, add_key(db, SCOPES))


@pytest.fixture
def person(db, quick_hashes):
    """Return a function that makes a person and returns its id."""

    def made(email=EMAIL, password=PASSWORD, *, secret=None, role="owner", seen=True, **values):
        with signing_in.transaction(db):
            id = people.invite(db, values.get("name", "Carla Weiß"), email, role)
            if seen:
                people.record_sign_in(db, id)
        stored = password and passwords.hashed(password)
        db.connection.execute(
            "UPDATE admins SET password_hash = ?, totp_secret = ? WHERE id = ?",
            (stored, secret, id),
        )
        return id

    return made


@pytest.fixture
def browser(app, db):
    """Return a function that makes a browser of a person of the office."""

    def made(language="en"):
        return Office(app, db, language)

    return made
