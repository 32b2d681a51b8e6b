"""Attacks on signing in and on the own account: each is refused, or changes and tells nothing."""

import re

import pytest

from eventapi.domain.access import people
from tests.pages.office.conftest import EMAIL, PASSWORD, SECRET, code_now, field
from tests.pages.office.test_sign_in import make_link, rows

OTHER = "falter-41-Kommode"


@pytest.fixture
def carla(browser, person):
    """Return the browser of Carla, an owner with a second factor, who has signed in."""
    person(secret=SECRET)
    carla = browser()
    pending = field(carla.sign_in(), "pending")
    carla.send("sign-in/code", {"pending": pending, "code": code_now()}, 303)
    return carla


# Which addresses have an account


def test_two_cookies_of_a_known_browser_tell_nothing_about_the_address(browser, db, person):
    id = person()
    twice = {"Cookie": f"evs-known-{id}=a.b; evs-known-{id}=c.d"}.items()
    for email in (EMAIL, "nobody@messe.example"):
        fields = {"email": email, "password": "wrong"}
        browser().send("sign-in", fields, 401, twice)
    assert len(rows(db, "SELECT id FROM sign_in_tries")) == 2
    browser().send("sign-in", {"email": EMAIL, "password": PASSWORD}, 303, twice)


# A form after the end of its session


def test_a_form_signs_nobody_in_while_the_desk_is_switched_off(carla, db):
    token = field(carla.get("account"), "form_token")
    carla.submit(carla.get(""), "sign-out", status=200)
    typed = {"form_token": token, "name": "Carla", "language": ""}
    ended = carla.browser.post("/desk/account", typed, 403)
    typed["sign_in_token"] = re.search(r'name="sign_in_token" value="([^"]+)"', ended.text)[1]

    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = 'desk'")
    for password in (PASSWORD, "wrong"):
        signs_in = {"sign_in_email": EMAIL, "sign_in_password": password}
        answer = carla.browser.post("/desk/account", typed | signs_in, 403)
        assert "The feature “desk” is switched off." in answer and 'value="Carla"' in answer
    assert rows(db, "SELECT id FROM sign_in_tries") == []
    assert rows(db, "SELECT admin_id FROM pending_codes") == []


# A stolen session


def test_a_changed_password_ends_the_links_that_nobody_has_opened(carla, browser, db):
    secret = make_link(db, 1)
    page = carla.get("account")
    fields = {"old_password": PASSWORD, "new_password": OTHER}
    carla.submit(page, "account/password", fields, 303)
    browser().browser.post(f"/link/{secret}", {}, 404)


def test_an_owner_makes_no_link_for_itself(carla, db):
    """It would replace the password without the old one."""
    token = {"form_token": field(carla.get("account"), "form_token")}
    answer = carla.browser.post("/desk/team/1/invite", token, 303)
    assert answer.headers["Location"].endswith("desk/account")
    assert rows(db, "SELECT admin_id FROM link_secrets") == []


def test_an_owner_removes_its_second_factor_with_a_code_only(carla, db):
    page = carla.get("team/1")
    assert "team/1/factor" not in page
    token = {"form_token": field(carla.get("account"), "form_token")}
    answer = carla.browser.post("/desk/team/1/factor", token, 303)
    assert answer.headers["Location"].endswith("desk/account")
    assert people.get(db, 1)["has_factor"]
