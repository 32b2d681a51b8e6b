"""The page of a person about itself: password, second factor, recovery codes and devices."""

import re
from datetime import timedelta

import pytest

from eventapi import times
from eventapi.domain.access import api_keys, people, sessions, signing_in
from eventapi.pages.office import account
from tests.pages.office.conftest import EMAIL, PASSWORD, SECRET, code_now, field
from tests.pages.office.test_sign_in import cookies, make_link, rows

OTHER = "falter-41-Kommode"


@pytest.fixture
def carla(browser, person):
    """Return the browser of Carla, who has signed in."""
    person()
    carla = browser()
    carla.sign_in(status=303)
    return carla


def change(carla, path, fields, status):
    return carla.submit(carla.get("account"), f"account/{path}", fields, status)


# Name and language


def test_name_and_language_are_changed_and_used_at_once(carla, db):
    answer = carla.submit(
        carla.get("account"), "account", {"name": " Carla Schwarz ", "language": "de"}, 303
    )
    assert answer.headers["Location"] == "../desk/account?done=account_saved"
    page = carla.get("account?done=account_saved")
    assert "Carla Schwarz" in page and "Gespeichert." in page and "Mein Zugang" in page
    assert people.all_people(db)[0]["language"] == "de"


@pytest.mark.parametrize("fields", [{"name": ""}, {"name": "x" * 201}])
def test_a_wrong_name_is_shown_again_with_its_fault(carla, db, fields):
    page = carla.submit(carla.get("account"), "account", {"language": "", **fields}, 422)
    assert 'id="faults"' in page and f'value="{fields["name"]}"' in page
    assert people.all_people(db)[0]["name"] == "Carla Weiß"


def test_the_address_is_not_changed_here(carla, db):
    fields = {"name": "Carla", "language": "", "email": "new@messe.example", "role": "owner"}
    carla.submit(carla.get("account"), "account", fields, 303)
    assert people.all_people(db)[0]["email"] == EMAIL


# The password


def test_a_changed_password_signs_the_other_devices_out(carla, browser):
    other = browser()
    other.sign_in(status=303)
    fields = {"old_password": PASSWORD, "new_password": OTHER}
    answer = change(carla, "password", fields, 303)
    assert answer.headers["Location"] == "../../desk/account?done=password_set"
    assert [name for name in cookies(answer)] == ["evs-known-1"]
    assert "All other devices are signed out" in carla.get("account?done=password_set")
    other.get("", 303)
    browser().sign_in(status=401)
    browser().sign_in(password=OTHER, status=303)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("wrong", OTHER, "The current password is wrong."),
        (PASSWORD, "short", "at least 12 characters"),
        (PASSWORD, "aaaabbbbaaaabbbb", "5 different characters"),
        (PASSWORD, "x" * 201, "at most 200"),
        (PASSWORD, EMAIL, "too easy to guess"),
    ],
)
def test_a_refused_password_changes_nothing_and_is_not_shown(carla, browser, old, new, said):
    page = change(carla, "password", {"old_password": old, "new_password": new}, 422)
    assert said in page
    assert f'value="{new}"' not in page.text.replace(f'value="{EMAIL}"', "") and OTHER not in page
    browser().sign_in(status=303)


def test_the_old_password_cannot_be_guessed(carla):
    fields = {"old_password": "wrong", "new_password": OTHER}
    for _ in range(10):
        change(carla, "password", fields, 422)
    refused = change(carla, "password", {**fields, "old_password": PASSWORD}, 429)
    assert refused.headers["Retry-After"] and "Please wait until" in refused


def test_a_first_password_needs_no_old_one(browser, db, person):
    id = person(password=None)
    carla = browser()
    carla.browser.post(f"/link/{make_link(db, id)}", {}, 303)
    assert 'name="old_password"' not in carla.get("account")
    change(carla, "password", {"new_password": OTHER}, 303)
    browser().sign_in(password=OTHER, status=303)


def test_a_password_is_removed_where_mails_leave(carla, browser, mail_server):
    page = carla.get("account")
    assert 'name="remove"' in page
    change(carla, "password", {"old_password": "x", "remove": "1"}, 422)
    change(carla, "password", {"old_password": PASSWORD, "remove": "1"}, 303)
    browser().sign_in(status=401)


def test_without_a_mail_server_no_password_is_removed(carla, browser):
    assert 'name="remove"' not in carla.get("account")
    change(carla, "password", {"old_password": PASSWORD, "remove": "1"}, 409)
    browser().sign_in(status=303)


def test_no_hash_of_a_form_with_a_password_is_stored(carla, db):
    """A bare hash of the form would be faster to guess than scrypt."""
    change(carla, "password", {"old_password": PASSWORD, "new_password": OTHER}, 303)
    assert rows(db, "SELECT * FROM sent_forms") == []


# The second factor


def test_a_second_factor_is_set_up_and_asked_for(carla, browser, monkeypatch):
    monkeypatch.setattr(account.totp, "new_secret", lambda: SECRET)
    page = carla.get("account/factor")
    assert "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP" in page and "<svg" in page
    fields = {"secret": field(page, "secret"), "code": "000000"}
    again = carla.submit(page, "account/factor", fields, 422)
    assert "This code is wrong" in again and field(again, "secret") == SECRET
    code = code_now()
    done = carla.submit(page, "account/factor", {**fields, "code": code}, 200)
    codes = re.findall(r"<code class=\"num\">([^<]+)</code>", done.text)
    assert len(codes) == 10 and "shown this one time only" in done
    assert SECRET not in done and carla.get("account/factor", 303)
    assert "10 recovery codes are left" in carla.get("account")

    other = browser()
    pending = field(other.sign_in(status=200), "pending")
    # the code that has confirmed it is used up
    other.send("sign-in/code", {"pending": pending, "code": code}, 401)
    other.send("sign-in/code", {"pending": pending, "code": codes[0].lower()}, 303)
    assert "9 recovery codes are left" in other.get("account")


def test_without_reportlab_the_page_has_the_text_only(carla, monkeypatch):
    def missing(text):
        raise account.Problem("not_installed", "no reportlab")

    monkeypatch.setattr(account, "drawn", missing)
    page = carla.get("account/factor")
    assert "<svg" not in page.text.partition("<main")[2] and "Enter this key in the app" in page


@pytest.mark.parametrize("secret", ["", "x", "jbswy3dpehpk3pxpjbswy3dpehpk3pxp", f"{SECRET}A"])
def test_a_secret_that_is_none_is_refused(carla, secret):
    page = carla.get("account/factor")
    carla.submit(page, "account/factor", {"secret": secret, "code": "1"}, 303)
    assert "Set up a second factor" in carla.get("account")


@pytest.fixture
def guarded(browser, person, monkeypatch):
    """Return the browser of Carla, who has a second factor, and has used the code of now, which stays
    the code of now.
    """
    now = times.now()
    monkeypatch.setattr(times, "now", lambda: now)
    person(secret=SECRET)
    carla = browser()
    pending = field(carla.sign_in(status=200), "pending")
    carla.send("sign-in/code", {"pending": pending, "code": code_now()}, 303)
    return carla


def test_new_codes_and_the_end_of_the_factor_need_a_code(guarded, browser):
    for path in ("codes", "factor/remove"):
        for code in ("", "000000", code_now()):
            assert "This code is wrong" in change(guarded, path, {"code": code}, 422)
    page = change(guarded, "codes", {"code": code_now(step=1)}, 200)
    codes = re.findall(r"<code class=\"num\">([^<]+)</code>", page.text)
    assert len(codes) == 10
    change(guarded, "factor/remove", {"code": codes[3]}, 303)
    assert "Set up a second factor" in guarded.get("account?done=factor_removed")
    browser().sign_in(status=303)


def test_a_session_does_not_guess_codes(guarded):
    for _ in range(30):
        answer = change(guarded, "factor/remove", {"code": "000000"}, "*")
    assert answer.status_int == 422  # the browser is known: it has 30 a day of its own
    assert change(guarded, "factor/remove", {"code": code_now(step=1)}, 429)


# Devices


def test_other_devices_are_listed_and_signed_out(carla, browser, db):
    others = [browser() for _ in range(3)]
    for other in others:
        other.browser.headers["User-Agent"] = "Mozilla/5.0 (Windows NT 10.0) Firefox/128.0"
        other.sign_in(status=303)
    page = carla.get("account")
    assert page.text.count("Firefox, Windows") == 3 and page.text.count("this device") == 1
    ids = [row["id"] for row in sessions.at_desk(db)]
    change(carla, "sessions", {"id": str(ids[1])}, 303)
    others[0].get("", 303)
    others[1].get("")
    change(carla, "sessions", {"others": "1"}, 303)
    others[1].get("", 303)
    others[2].get("", 303)
    assert "this device" in carla.get("account")


def test_nobody_ends_the_session_of_somebody_else(carla, browser, person, db):
    person("ole@messe.example", role="reader", name="Ole")
    ole = browser()
    ole.sign_in("ole@messe.example", status=303)
    ids = {row["admin_name"]: row["id"] for row in sessions.at_desk(db)}
    change(ole, "sessions", {"id": str(ids["Carla Weiß"])}, 404)
    change(ole, "sessions", {"others": "1"}, 303)
    carla.get("")


# Sessions that have fewer rights than the person


def narrow(browser, db, person):
    """Yield browsers whose sessions must not open a way to all rights of Carla."""
    id = person()
    with signing_in.transaction(db):
        _, key = api_keys.create_key(db, "test", ["events"], admin_id=id)
    by_key, by_link = browser(), browser()
    by_key.send("sign-in", {"key": key}, 303)
    secret = make_link(db, id, way="shown", scopes=["events:read"], lasts=timedelta(minutes=5))
    by_link.browser.post(f"/link/{secret}", {}, 303)
    yield from (by_key, by_link)


def test_a_session_with_fewer_rights_changes_no_account(browser, db, person):
    before = rows(db, "SELECT password_hash, totp_secret FROM admins")
    for visitor in narrow(browser, db, person):
        before = rows(db, "SELECT name, password_hash, totp_secret FROM admins")
        page = visitor.get("account")
        assert "with fewer rights" in page and 'name="new_password"' not in page
        visitor.get("account/factor", 403)
        for path, fields in {
            "account": {"name": "Eve", "language": ""},
            "account/password": {"old_password": PASSWORD, "new_password": OTHER},
            "account/factor": {"secret": SECRET, "code": code_now()},
            "account/factor/remove": {"code": code_now()},
            "account/codes": {"code": code_now()},
            "account/sessions": {"others": "1"},
        }.items():
            visitor.submit(page, path, fields, 403)
        assert rows(db, "SELECT name, password_hash, totp_secret FROM admins") == before
