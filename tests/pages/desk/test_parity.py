"""What the desk changes, a program can change: each form of the desk sends to a route of the API.

The routes of the API are refused here, so a form that changes something by itself is seen.
"""

import hashlib
import re

import pytest

from eventapi import app as application
from eventapi.calls import desk as calls
from eventapi.errors import Problem
from eventapi.plugins import sessions
from tests.pages.desk.test_scopes import ADDRESSES, send
from tests.support.people import open_settings, signed_in

# Forms of the desk that no route of the API has, with the reason.
OF_THE_DESK = {
    "sign-in": "a session",
    "sign-in/link": "a session",
    "sign-in/code": "a session",
    "sign-out": "a session",
    "account": "the own account",
    "account/password": "the own account",
    "account/factor": "the own account",
    "account/factor/remove": "the own account",
    "account/codes": "the own account",
    "account/sessions": "the own account",
    "team/new": "the team",
    "team/<id>": "the team",
    "team/<id>/disable": "the team",
    "team/<id>/enable": "the team",
    "team/<id>/factor": "the team",
    "team/<id>/invite": "the team",
    "team/<id>/sessions": "the team",
    "company/mails/test": "a mail to oneself",
    "badges": "a PDF",
    "setup/apply/trial": "nothing is stored",
    "setup/apply/preview": "nothing is stored",
}
# Routes whose path has a name: the tests below send each name.
NAMED = (
    "do/<name>",
    "do/<name>/<id>",
    "do/<name>/<id>/<id>",
    "edit/<name>",
    "edit/<name>/<id>",
    "batch/<resource>/<action>",
    "company/<page>",
    "links/<id>/<what>",
    "setup/<page>",
    "setup/<page>/<part>",
)
# Forms that call the API only in a state that `busy_fair` lacks, and the test that has it.
ELSEWHERE = {
    "applications/1/access": "an approval gave no link: tests/pages/desk/test_office.py",
    "money/statement/1": "a file waits for its columns: tests/pages/desk/test_statement_asking.py",
    "start": "no invoice was sent: tests/pages/office/test_start.py",
}
# What a form has to say before the API is called.
FIELDS = {
    "money/to_print": {"invoices": "2"},
    "contacts/1/merge": {"duplicate_id": "2"},
    "company/company": {"organiser_name": "Markt GmbH"},
    "company/bank": {"organiser_bic": "BYLADEM1001", "sure": "1"},
    "company/taxes": {"tax_rate": "19"},
    "company/invoices": {"payment_days": "10"},
    "company/dunning": {"dunning_minimum": "5"},
    "company/mails": {"mail_signature": "Markt GmbH"},
    "company/look": {"organiser_color": "#23694a"},
    "company/datev": {"datev_adviser": "29098"},
}

# Where a batch keeps its trial: ids and codes, which change no record. The time of the last change of
# the database goes on with it.
TRIALS = {"desk_batches", "desk_batch_entries", "last_stamp"}


@pytest.fixture(autouse=True)
def no_pace(monkeypatch):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)


@pytest.fixture
def called(monkeypatch):
    """Refuse the changes of the API, and return the paths of those that were called."""
    found, real = [], calls.call

    def call(route, ids, **options):
        only_reads = route.method == "GET" or route.options.reads
        if only_reads or (options.get("body") or {}).get("dry_run"):
            if route.options.batch:
                found.append(route.path)
            return real(route, ids, **options)
        found.append(route.path)
        raise Problem("unavailable", "This test refuses all changes.")

    monkeypatch.setattr(calls, "call", call)
    return found


def tables(db):
    """Return name -> digest of the rows of a table, of all tables."""
    rows = db.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    names = [name for (name,) in rows if not name.startswith("sqlite_")]
    return {
        name: hashlib.sha256(
            repr(db.connection.execute(f'SELECT * FROM "{name}"').fetchall()).encode()
        ).digest()
        for name in names
    }


def test_each_form_of_the_desk_is_known():
    paths = {
        route.path.removeprefix("/desk/").replace("<item_id>", "<id>")
        for route in application.routes()
        if route.path.startswith("/desk/") and route.method == "POST"
    }
    sent = {re.sub(r"\d+", "<id>", address) for address in (*ADDRESSES, *ELSEWHERE)}
    assert paths - set(NAMED) - set(OF_THE_DESK) <= sent
    assert set(OF_THE_DESK) <= paths


def test_each_form_of_the_desk_sends_to_the_api(app, db, busy_fair, settings, called):
    """With all changes of the API refused, no form changes anything."""
    open_settings(settings)
    owner = signed_in(app, db, language="en")
    page = owner.get("/desk/")
    before, silent = tables(db), []
    for address in sorted(set(ADDRESSES) - set(OF_THE_DESK) - set(ELSEWHERE)):
        called.clear()
        send(owner, page, address, FIELDS.get(address))
        if not called:
            silent.append(address)
    after = tables(db)
    changed = {name for name in after if after[name] != before.get(name)}
    assert (silent, changed - TRIALS) == ([], set())
