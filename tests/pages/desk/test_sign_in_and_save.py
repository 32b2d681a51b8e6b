"""A save at the desk after the end of a session, with address and password in the same form."""

import logging
import re
from collections import Counter, defaultdict
from datetime import timedelta

import pytest

from eventapi import times
from eventapi.domain.access import passwords, people, totp
from eventapi.storage.errors import Busy
from eventapi.web.html import tokens
from tests.pages.conftest import Visitor
from tests.pages.test_ended import hidden_of, send_again, shown

EMAIL, PASSWORD, WRONG = "carla@messe.example", "kommode-41-Falter", "falter-41-Kommode"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
NOTE = "/desk/do/create_note"


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch):
    """Let a hash take no time."""
    for name, value in (("COST", 2), ("BLOCK_SIZE", 1), ("PARALLEL", 1)):
        monkeypatch.setattr(passwords, name, value)
    monkeypatch.setattr(passwords, "DUMMY", passwords.hashed("nobody has this one"))


def add_person(db, email=EMAIL, name="Carla Weiß", password=PASSWORD, role="owner"):
    """Return the id of a person of the office with a password."""
    with db.write():
        id = people.invite(db, name, email, role)
        people.record_sign_in(db, id)
        values = {"id": id, "hash": passwords.hashed(password)}
        db.connection.execute("UPDATE admins SET password_hash = :hash WHERE id = :id", values)
    return id


@pytest.fixture
def carla(db):
    return add_person(db)


@pytest.fixture
def note(app, db, carla, fair):
    """Return (Visitor, page) of a note of Carla that was sent after the end of her session."""
    visitor = Visitor(app)
    return visitor, lost(visitor, db, carla, note_of(fair))


def note_of(fair):
    contact = str(fair.contact["id"])
    return {"entity_type": "contact", "entity_id": contact, "note_text": "An hour of typing"}


def enter(visitor, db, admin_id):
    """Open a link to the desk in a browser."""
    with db.write():
        secret = people.make_secret(db, admin_id, way="shown", lasts=timedelta(minutes=30))
    visitor.sign_in(secret)


def lost(visitor, db, admin_id, fields, action=NOTE):
    """Open a session, read a page, sign out in another tab, and send a form of the page.

    Return the answer.
    """
    enter(visitor, db, admin_id)
    page = visitor.get("/desk/")
    visitor.submit(visitor.get("/desk/"), "/desk/sign-out", status=200)
    return visitor.submit(page, action, fields, 403)


def sign_in(visitor, answer, status, action=NOTE, **fields):
    """Press "Sign in and save"."""
    token = re.search(r'name="sign_in_token" value="([^"]+)"', answer.text)
    fields = {"token": token[1] if token else "", **fields}
    typed = [(f"sign_in_{name}", text) for name, text in fields.items()]
    return visitor.post(action, [*hidden_of(answer), *typed], status)


def notes(organiser, fair):
    rows = organiser.data(f"/notes?entity_type=contact&entity_id={fair.contact['id']}")
    return [(row["note_text"], row["admin_name"]) for row in rows]


def count(db, table):
    return db.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


SAVED = [("An hour of typing", "Carla Weiß")]


def test_the_right_password_signs_in_and_saves(note, organiser, fair, db, carla):
    visitor, answer = note
    assert "Nothing is lost." in answer and shown(answer) == [("Note", "An hour of typing")]
    saved = sign_in(visitor, answer, 303, email=f" {EMAIL.upper()} ", password=PASSWORD)
    assert saved.headers["Location"].startswith("../../desk/?done=create_note")
    assert notes(organiser, fair) == SAVED
    cookies = saved.headers.getall("Set-Cookie")
    assert [re.match(r"[a-z0-9-]+", each)[0] for each in cookies] == [
        "evs-desk",
        f"evs-known-{carla}",
    ]
    assert "Max-Age" not in cookies[0] and cookies[1].endswith("Max-Age=34560000")
    assert "Carla Weiß" in visitor.get("/desk/")
    assert count(db, "sign_in_tries") == 0


def test_a_wrong_password_keeps_everything(note, organiser, fair, db):
    visitor, answer = note
    again = sign_in(visitor, answer, 401, email=EMAIL, password=WRONG)
    assert "The address or the password is wrong." in again and shown(again) == shown(answer)
    assert f'value="{EMAIL}"' in again and WRONG not in again
    assert again.headers.getall("Set-Cookie") == [] and count(db, "sign_in_tries") == 1
    assert notes(organiser, fair) == []
    sign_in(visitor, again, 303, email=EMAIL, password=PASSWORD)
    assert notes(organiser, fair) == SAVED


def test_whatever_is_wrong_with_an_address_looks_the_same(app, note, db, organiser, fair):
    visitor, answer = note
    gone = add_person(db, "gone@messe.example", "Gone")
    add_person(db, "none@messe.example", "None")
    with db.write():
        people.disable(db, gone)
        db.connection.execute(
            "UPDATE admins SET password_hash = NULL WHERE email = 'none@messe.example'"
        )
    found = set()
    for email in (EMAIL, "gone@messe.example", "none@messe.example", "nobody@messe.example"):
        again = sign_in(visitor, answer, 401, email=email, password=WRONG)
        token = re.search(r'name="sign_in_token" value="([^"]+)"', again.text)[1]
        found.add(again.text.replace(email, "").replace(token, ""))
    assert len(found) == 1 and notes(organiser, fair) == []


def test_each_try_counts_as_at_the_sign_in_page(note, organiser, fair, db):
    visitor, answer = note
    for _ in range(10):
        answer = sign_in(visitor, answer, 401, email=EMAIL, password=WRONG)
    refused = sign_in(visitor, answer, 429, email=EMAIL, password=PASSWORD)
    assert int(refused.headers["Retry-After"]) > 0 and "Please wait until" in refused
    assert shown(refused) == shown(answer) and notes(organiser, fair) == []
    assert PASSWORD not in refused


def test_nothing_is_lost_while_others_sign_in_or_the_database_is_busy(
    note, organiser, fair, monkeypatch
):
    visitor, answer = note
    with monkeypatch.context() as patch, passwords._turn:
        patch.setattr(passwords, "WAIT", 0.01)
        waits = sign_in(visitor, answer, 503, email=EMAIL, password=PASSWORD)
    with monkeypatch.context() as patch:
        patch.setattr(passwords, "is_right", busy)
        again = sign_in(visitor, waits, 503, email=EMAIL, password=PASSWORD)
    for page in (waits, again):
        assert "very busy" in page and "Retry-After" in page.headers
        assert shown(page) == shown(answer) and PASSWORD not in page
    sign_in(visitor, again, 303, email=EMAIL, password=PASSWORD)
    assert notes(organiser, fair) == SAVED


def busy(*_):
    raise Busy()


def with_factor(db, id):
    with db.write():
        db.connection.execute(
            "UPDATE admins SET totp_secret = ?, totp_step = 0 WHERE id = ?", (SECRET, id)
        )


def code_now():
    return totp.code_of(SECRET, times.unix(times.now()) // 30)


def test_a_second_factor_is_asked_for_on_the_same_page(note, organiser, fair, db, carla):
    visitor, answer = note
    with_factor(db, carla)
    asks = sign_in(visitor, answer, 403, email=EMAIL, password=PASSWORD)
    assert "your authenticator app shows" in asks and shown(asks) == shown(answer)
    assert "sign_in_password" not in asks and PASSWORD not in asks
    assert notes(organiser, fair) == [] and asks.headers.getall("Set-Cookie") == []
    empty = sign_in(visitor, asks, 403, code="")
    assert 'name="sign_in_code"' in empty and "sign_in_password" not in empty
    wrong = sign_in(visitor, empty, 401, code="000000")
    assert "The code is wrong." in wrong and 'name="sign_in_code"' in wrong
    sign_in(visitor, wrong, 303, code=code_now())
    assert notes(organiser, fair) == SAVED


def test_password_and_code_may_be_typed_at_once(note, organiser, fair, db, carla):
    visitor, answer = note
    with_factor(db, carla)
    wrong = sign_in(visitor, answer, 401, email=EMAIL, password=PASSWORD, code="000000")
    assert "The code is wrong." in wrong and 'name="sign_in_password"' in wrong
    assert notes(organiser, fair) == []
    sign_in(visitor, wrong, 303, email=EMAIL, password=PASSWORD, code=code_now())
    assert notes(organiser, fair) == SAVED


def test_after_five_wrong_codes_the_password_is_asked_for_again(note, organiser, fair, db, carla):
    visitor, answer = note
    with_factor(db, carla)
    answer = sign_in(visitor, answer, 403, email=EMAIL, password=PASSWORD)
    for _ in range(5):
        answer = sign_in(visitor, answer, 401, code="000000")
    assert "enter address and password again" in answer and 'name="sign_in_password"' in answer
    assert notes(organiser, fair) == [] and shown(answer) == [("Note", "An hour of typing")]


def test_another_person_signs_in_and_saves_nothing(note, organiser, fair, db):
    visitor, answer = note
    add_person(db, "eve@messe.example", "Eve")
    refused = sign_in(visitor, answer, 403, email="eve@messe.example", password=PASSWORD)
    assert "Somebody else has begun this" in refused and shown(refused) == shown(answer)
    assert notes(organiser, fair) == [] and hidden_of(refused) is None
    assert "Eve" in visitor.get("/desk/")


def test_a_forged_or_missing_token_of_the_form_saves_nothing(note, organiser, fair):
    visitor, answer = note
    for token in ("", "forged", "A" * 43 + "="):
        sign_in(visitor, answer, 403, email=EMAIL, password=PASSWORD, token=token)
        fields = dict(hidden_of(answer))
        fields["form_token"] = token
        fields |= {"sign_in_email": EMAIL, "sign_in_password": PASSWORD}
        visitor.post(NOTE, fields, 403)
        visitor.app.cookiejar.clear()
    assert notes(organiser, fair) == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_foreign_page_neither_signs_in_nor_saves(note, organiser, fair, db, headers):
    visitor, answer = note
    fields = {**dict(hidden_of(answer)), "sign_in_email": EMAIL, "sign_in_password": PASSWORD}
    refused = visitor.post(NOTE, fields, 403, headers)
    assert "another web site" in refused and refused.headers.getall("Set-Cookie") == []
    assert notes(organiser, fair) == [] and count(db, "sign_in_tries") == 0


def test_a_form_that_was_saved_already_is_not_saved_again(app, organiser, fair, db, carla):
    visitor, fields = Visitor(app), note_of(fair)
    answer = lost(visitor, db, carla, fields)
    first = sign_in(visitor, answer, 303, email=EMAIL, password=PASSWORD)
    visitor.app.cookiejar.clear()
    second = sign_in(visitor, answer, 303, email=EMAIL, password=PASSWORD)
    assert second.headers["Location"] == first.headers["Location"]
    assert notes(organiser, fair) == SAVED


def test_what_is_refused_after_the_sign_in_is_shown_again_in_the_new_session(
    app, fair, db, carla, organiser
):
    visitor = Visitor(app)
    action = "/desk/edit/categories"
    answer = lost(visitor, db, carla, {"title": "", "color": "typed"}, action)
    again = sign_in(visitor, answer, 422, action, email=EMAIL, password=PASSWORD)
    assert 'value="typed"' in again and len(again.headers.getall("Set-Cookie")) == 2
    visitor.submit(again, action, {"title": "Tools", "color": "#aa0000"})


def test_who_lacks_the_right_is_signed_in_and_told_so(app, fair, db, organiser):
    reader = add_person(db, "reader@messe.example", "Reader", role="reader")
    visitor = Visitor(app)
    answer = lost(visitor, db, reader, note_of(fair))
    refused = sign_in(visitor, answer, 403, email="reader@messe.example", password=PASSWORD)
    assert "“" in refused and len(refused.headers.getall("Set-Cookie")) == 2
    assert notes(organiser, fair) == []


def test_with_an_open_session_what_is_typed_to_sign_in_is_ignored(app, db, carla, fair, organiser):
    visitor = Visitor(app)
    enter(visitor, db, carla)
    page = visitor.get("/desk/")
    typed = {"sign_in_email": EMAIL, "sign_in_password": WRONG, "sign_in_code": "1"}
    saved = visitor.submit(page, NOTE, {**note_of(fair), **typed})
    assert saved.headers.getall("Set-Cookie") == [] and notes(organiser, fair) == SAVED
    assert count(db, "sign_in_tries") == 0


def test_who_has_signed_in_elsewhere_is_not_asked_for_the_password_that_the_browser_filled_in(
    note, organiser, fair, db, carla
):
    visitor, answer = note
    again = send_again(visitor, answer, NOTE, 403, sign_in_email=EMAIL, sign_in_password=PASSWORD)
    assert "Nobody has signed in here yet" in again and count(db, "sign_in_tries") == 0
    enter(visitor, db, carla)
    send_again(visitor, again, NOTE, sign_in_email=EMAIL, sign_in_password=WRONG)
    assert notes(organiser, fair) == SAVED and count(db, "sign_in_tries") == 0


def test_a_session_that_has_expired_is_followed_by_a_new_one(
    app, db, carla, fair, organiser, monkeypatch
):
    """Its cookie is still there."""
    visitor = Visitor(app)
    enter(visitor, db, carla)
    page = visitor.get("/desk/")
    later = times.after(times.now(), timedelta(hours=13))
    monkeypatch.setattr(times, "now", lambda: later)
    answer = visitor.submit(page, NOTE, note_of(fair), 403)
    sign_in(visitor, answer, 303, email=EMAIL, password=PASSWORD)
    assert notes(organiser, fair) == SAVED


BATCHES = (
    "/desk/batch/applications/reject",
    "/desk/money/dunning",
    "/desk/money/to_print",
    "/desk/badges",
)


@pytest.mark.parametrize("action", BATCHES)
def test_a_batch_is_sent_after_a_sign_in_in_another_tab(app, db, carla, fair, organiser, action):
    visitor = Visitor(app)
    answer = lost(visitor, db, carla, {"ids": "1", "reason": "No room", "sure": "1"}, action)
    assert "sign_in_password" not in answer
    again = sign_in(visitor, answer, 403, action, email=EMAIL, password=PASSWORD)
    assert "sign_in_password" not in again and again.headers.getall("Set-Cookie") == []
    assert dict(hidden_of(again)) == dict(hidden_of(answer))
    assert organiser.data(f"/applications/{fair.application['id']}")["status"] == "new"


def test_pages_of_exhibitors_ask_for_no_password(app, organiser, db, carla):
    visitor = Visitor(app)
    typed = {"sign_in_email": EMAIL, "sign_in_password": PASSWORD, "form_token": "x"}
    for place in ("my/abcdefgh/profile", "apply/abcdefgh/answer"):
        answer = visitor.post(f"/{place}", typed, 403)
        assert "sign_in_password" not in answer and answer.headers.getall("Set-Cookie") == []
    assert count(db, "sign_in_tries") == 0


def test_over_http_from_elsewhere_no_password_is_asked_for(note):
    visitor, answer = note
    visitor.app.extra_environ |= {"REMOTE_ADDR": "192.0.2.7"}
    again = sign_in(visitor, answer, 403, email=EMAIL, password=PASSWORD)
    assert "sign_in_password" not in again and again.headers.getall("Set-Cookie") == []


def test_a_page_that_was_open_for_days_asks_once_more(note, organiser, fair, monkeypatch):
    visitor, answer = note
    now = tokens.time.time()
    monkeypatch.setattr(tokens.time, "time", lambda: now + 25 * 3600)
    again = sign_in(visitor, answer, 403, email=EMAIL, password=PASSWORD)
    assert "open for too long" in again
    sign_in(visitor, again, 303, email=EMAIL, password=PASSWORD)
    assert notes(organiser, fair) == SAVED


def stored_texts(db):
    """Return (table, column) -> the texts of all rows and how often each is stored."""
    found = defaultdict(Counter)
    tables = db.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    for (table,) in tables.fetchall():
        rows = db.connection.execute(f"SELECT * FROM {table}")
        if table.startswith("sqlite_"):
            continue
        names = [column[0] for column in rows.description]
        for row in rows:
            for name, value in zip(names, row, strict=True):
                if isinstance(value, str):
                    found[table, name][value] += 1
    return found


def test_no_stored_text_changes_with_the_password_that_was_typed(app, db, carla, fair, monkeypatch):
    """The same form is saved three times, the last time with another password. What was the same in
    the first two is the same in the third: all but random bits.
    """
    frozen = times.now()
    monkeypatch.setattr(times, "now", lambda: frozen)
    visitor = Visitor(app)
    runs = []
    for password in (PASSWORD, PASSWORD, "an entirely different password, and a longer one"):
        with db.write():
            values = (passwords.hashed(password), carla)
            db.connection.execute("UPDATE admins SET password_hash = ? WHERE id = ?", values)
        answer = lost(visitor, db, carla, note_of(fair))
        before = stored_texts(db)
        sign_in(visitor, answer, 401, email=EMAIL, password=f"{password} wrong")
        sign_in(visitor, answer, 303, email=EMAIL, password=password)
        after = stored_texts(db)
        runs.append({place: after[place] - before[place] for place in after})
        assert not any(password in text for texts in after.values() for text in texts)
    first, second, third = runs
    same = {place for place in first if first[place] == second[place]}
    assert {("notes", "note_text"), ("sent_forms", "fingerprint"), ("sign_in_tries", "who")} < same
    assert ("sessions", "session_hash") not in same
    assert {place for place in same if third[place] != first[place]} == set()


def test_the_log_at_debug_has_no_password(note, caplog):
    visitor, answer = note
    with caplog.at_level(logging.DEBUG):
        sign_in(visitor, answer, 401, email=EMAIL, password=WRONG, code="735172")
        sign_in(visitor, answer, 303, email=EMAIL, password=PASSWORD)
    for text in (WRONG, PASSWORD, "735172"):
        assert text not in caplog.text


def test_no_field_of_a_password_is_in_the_answer(note):
    visitor, answer = note
    for status, password in ((401, WRONG), (401, f'{WRONG}"><b>')):
        answer = sign_in(visitor, answer, status, email=EMAIL, password=password, code="735172")
        assert WRONG not in answer and "735172" not in answer
        assert not re.search(r'type="password"[^>]*value=', answer.text)
