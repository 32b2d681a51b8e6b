"""Signing in on the pages: what they answer, which cookies they set, and where they lead."""

import logging
import re
from datetime import timedelta
from http.cookies import SimpleCookie

import pytest

from eventapi import times
from eventapi.domain.access import api_keys, link_secrets, passwords, people, sessions, signing_in
from eventapi.web import request_log
from tests.pages.office.conftest import EMAIL, PASSWORD, SECRET, code_now, field

MONTH = 30 * 24 * 3600
SAID = "Address or password is wrong."


def rows(db, text):
    return db.rows(text, {})


def cookies(answer):
    """Return {name: cookie} of what an answer sets."""
    found = SimpleCookie()
    for text in answer.headers.getall("Set-Cookie"):
        found.load(text)
    return found


def later(monkeypatch, **age):
    now = times.after(times.now(), timedelta(**age))
    monkeypatch.setattr(times, "now", lambda: now)


# The page


def test_the_page_has_one_address_field_and_leads_exhibitors_to_their_own_page(browser):
    page = browser().get("sign-in")
    assert page.text.count('name="email"') == 1 and 'href="../my"' in page
    assert 'name="password" type="password"' in page and 'name="key"' in page
    assert page.headers["Cache-Control"] == "no-store"


def test_without_a_mail_server_it_says_whom_to_ask(browser, person):
    page = browser().get("sign-in")
    assert "Send a link" not in page and "eventapi admin link" in page
    person(name="Ole Lindqvist")
    assert "Ask Ole Lindqvist for a new way in." in browser().get("sign-in")


def test_with_a_mail_server_it_offers_a_link(browser, mail_server):
    assert 'formaction="../desk/sign-in/link"' in browser().get("sign-in")


def test_the_head_of_each_page_leads_to_the_account(browser, person):
    carla = browser()
    person()
    carla.sign_in(status=303)
    assert 'href="../desk/account"' in carla.get("")


# Address and password


def test_signing_in_sets_two_cookies_and_leads_to_the_first_page(browser, person):
    id = person()
    answer = browser().sign_in(status=303)
    assert answer.headers["Location"] == "../desk/"
    found = cookies(answer)
    assert set(found) == {"evs-desk", f"evs-known-{id}"}
    assert found["evs-desk"]["max-age"] == "" and found["evs-desk"]["httponly"]
    assert found["evs-desk"]["samesite"] == "Lax" and found["evs-desk"]["path"] == "/"
    assert found[f"evs-known-{id}"]["max-age"] == str(400 * 24 * 3600)


def test_by_https_the_cookies_belong_to_this_host_only(browser, person):
    id = person()
    carla = browser()
    carla.browser.app.extra_environ["wsgi.url_scheme"] = "https"
    found = cookies(carla.sign_in(status=303))
    assert set(found) == {"__Host-evs-desk", f"__Host-evs-known-{id}"}
    assert all(cookie["secure"] for cookie in found.values())


def test_on_the_own_device_the_session_lasts_thirty_days(browser, person, monkeypatch):
    person()
    carla = browser()
    answer = carla.sign_in(stay="1", status=303)
    assert cookies(answer)["evs-desk"]["max-age"] == str(MONTH)
    later(monkeypatch, days=29, hours=23)
    carla.get("", 200)
    later(monkeypatch, hours=2)
    carla.get("", 303)


def test_elsewhere_it_ends_after_twelve_hours(browser, person, monkeypatch):
    person()
    carla = browser()
    carla.sign_in(status=303)
    later(monkeypatch, hours=13)
    carla.get("", 303)


def test_who_is_signed_in_already_is_led_to_the_first_page(browser, person):
    person()
    carla = browser()
    carla.sign_in(status=303)
    assert carla.get("sign-in", 303).headers["Location"] == "../desk/"


def answers(browser, db, person):
    """Yield the answer for each reason not to let somebody in."""
    person("wrong@messe.example", "Another-one-41")
    person("linkonly@messe.example", None)
    gone = person("gone@messe.example")
    with signing_in.transaction(db):
        people.disable(db, gone)
    for name in ("wrong", "linkonly", "gone", "nobody"):
        yield browser().sign_in(f"{name}@messe.example", status=401)


def test_the_answer_tells_nothing_about_the_address(browser, db, person):
    person()
    seen = set()
    for answer in answers(browser, db, person):
        text = re.sub(r'name="token" value="[^"]*"|[a-z]+@messe\.example', "", answer.text)
        headers = {name: value for name, value in answer.headers.items()}
        del headers["X-Request-ID"], headers["Content-Length"]
        seen.add((text, tuple(sorted(headers.items()))))
        assert SAID in answer and "Set-Cookie" not in headers
    assert len(seen) == 1


def test_a_refused_form_keeps_the_address_and_no_password(browser, person):
    person()
    page = browser().sign_in(password="wrong-wrong", stay="1", next="money", status=401)
    assert f'value="{EMAIL}"' in page and "wrong-wrong" not in page
    assert "checked" in page and field(page, "next") == "money"


@pytest.mark.parametrize("fields", [{"email": ""}, {"password": ""}, {"email": " "}])
def test_a_form_without_address_or_password_is_no_try(browser, db, person, fields):
    person()
    assert "Please enter address and password." in browser().sign_in(**fields, status=422)
    assert rows(db, "SELECT * FROM sign_in_tries") == []


def test_a_form_of_another_site_or_without_its_token_is_refused(browser, db, person):
    person()
    carla = browser()
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        fields = {"email": EMAIL, "password": PASSWORD}
        carla.send("sign-in", fields, 403, headers.items())
    assert "open for too long" in carla.sign_in(token="1.2.3", status=403)
    assert rows(db, "SELECT * FROM sign_in_tries") == rows(db, "SELECT * FROM sessions") == []


def test_a_cookie_that_comes_twice_is_refused(browser, db, person):
    """A neighbour host can set one beside ours, unless it is sent by https."""
    person()
    carla = browser()
    token = field(carla.get("sign-in"), "token")
    carla.browser.headers["Cookie"] = "evs-desk=evs_one; evs-desk=evs_two"
    fields = {"token": token, "email": EMAIL, "password": PASSWORD}
    carla.browser.post("/desk/sign-in", fields, 400)
    assert rows(db, "SELECT * FROM sessions") == []


def test_the_session_that_somebody_planted_is_not_used(browser, db, person):
    """Fixation: a sign-in makes a new secret, and ends the session of the old one."""
    person("eve@messe.example", name="Eve")
    eve, carla = browser(), browser()
    planted = cookies(eve.sign_in("eve@messe.example", status=303))["evs-desk"].value
    person()
    carla.browser.headers["Cookie"] = f"evs-desk={planted}"
    token = field(browser().get("sign-in"), "token")
    fields = {"token": token, "email": EMAIL, "password": PASSWORD}
    answer = carla.browser.post("/desk/sign-in", fields, 303)
    assert cookies(answer)["evs-desk"].value != planted
    eve.get("", 303)


def test_by_http_from_elsewhere_nobody_signs_in_and_no_try_is_counted(browser, db, person):
    person()
    carla = browser()
    carla.browser.app.extra_environ["REMOTE_ADDR"] = "192.0.2.7"
    assert "https" in carla.sign_in(status=409)
    assert rows(db, "SELECT * FROM sign_in_tries") == []


def test_the_desk_may_be_switched_off(browser, db, person):
    person()
    with db.write():
        api_keys.set_flag(db, "desk", False)
    browser().sign_in(status=403)
    assert rows(db, "SELECT * FROM sign_in_tries") == []


# Limits


def test_after_ten_tries_the_page_says_when_the_next_one_is_possible(
    browser, person, monkeypatch, settings
):
    monkeypatch.setattr(times, "now", lambda: "2027-05-01T09:19:30Z")
    person()
    carla = browser()
    for _ in range(10):
        carla.sign_in(password="wrong", status=401)
    refused = carla.sign_in(status=429)
    assert refused.headers["Retry-After"] == "900"
    assert "Please wait until 11:35." in refused
    assert f'value="{EMAIL}"' in refused and "Set-Cookie" not in refused.headers
    german = browser("de").sign_in(status=429)
    assert "Bitte warten Sie bis 11:35 Uhr." in german


def test_with_a_mail_server_the_page_offers_a_link_instead(browser, person, mail_server):
    person()
    carla = browser()
    for _ in range(10):
        carla.sign_in(password="wrong", status=401)
    assert "or have a link sent to you" in carla.sign_in(status=429)


def test_while_others_are_hashed_the_page_says_so_and_no_try_counts(
    browser, db, person, monkeypatch
):
    person()
    monkeypatch.setattr(passwords, "WAIT", 0.01)
    carla = browser()
    carla.get("sign-in")
    with passwords._turn:
        refused = carla.sign_in(status=503)
    assert refused.headers["Retry-After"] and "very busy" in refused
    assert rows(db, "SELECT * FROM sign_in_tries") == []


# The code of the second factor


def test_the_page_asks_for_the_code_and_signs_in(browser, person):
    person(secret=SECRET)
    carla = browser()
    page = carla.sign_in(stay="1", next="people", status=200)
    assert "Set-Cookie" not in page.headers and "6 digits" in page
    pending = field(page, "pending")
    wrong = carla.send("sign-in/code", {"pending": pending, "code": "000000"}, 401)
    assert "This code is wrong" in wrong and field(wrong, "pending") == pending
    answer = carla.send("sign-in/code", {"pending": pending, "code": code_now()}, 303)
    assert answer.headers["Location"] == "../../desk/people"
    assert cookies(answer)["evs-desk"]["max-age"] == str(MONTH)
    carla.get("")


def test_too_many_wrong_codes_lead_back_to_the_beginning(browser, person):
    person(secret=SECRET)
    carla = browser()
    pending = field(carla.sign_in(status=200), "pending")
    for _ in range(4):
        carla.send("sign-in/code", {"pending": pending, "code": "000000"}, 401)
    last = carla.send("sign-in/code", {"pending": pending, "code": "000000"}, 401)
    assert "Please sign in again." in last and 'name="password"' in last
    carla.send("sign-in/code", {"pending": pending, "code": code_now()}, 401)
    pending = field(carla.sign_in(status=200), "pending")
    for _ in range(4):
        carla.send("sign-in/code", {"pending": pending, "code": "000000"}, 401)
    pending = field(carla.sign_in(status=200), "pending")
    carla.send("sign-in/code", {"pending": pending, "code": "000000"}, 401)
    refused = carla.send("sign-in/code", {"pending": pending, "code": code_now()}, 429)
    assert refused.headers["Retry-After"] and "use a recovery code" in refused


def test_the_address_of_the_code_page_leads_to_the_beginning(browser):
    assert browser().get("sign-in/code", 303).headers["Location"] == "../../desk/sign-in"


def test_with_the_database_in_hand_nobody_makes_up_what_was_shown(browser, db, person):
    """The key of forms and the secret of the second factor lie in each backup."""
    id = person(secret=SECRET)
    carla = browser()
    carla.sign_in(status=200)
    (row,) = rows(db, "SELECT * FROM pending_codes")
    key = link_secrets.form_key(db)
    for guess in (row["secret_hash"], key.hex(), link_secrets.address_hash(db, EMAIL), str(id)):
        answer = carla.send("sign-in/code", {"pending": guess, "code": code_now()}, 401)
        assert "Set-Cookie" not in answer.headers


# An API key


def test_a_key_signs_in_as_before(browser, db, person):
    id = person()
    with db.write():
        _, key = api_keys.create_key(db, "test", ["events"], admin_id=id)
    carla = browser()
    wrong = carla.send("sign-in", {"key": "evk_wrong"}, 401)
    assert "This key is not valid" in wrong and "<details" in wrong and " open>" in wrong
    found = cookies(carla.send("sign-in", {"key": f" {key} "}, 303))
    assert set(found) == {"evs-desk"}
    carla.get("")


def test_after_twenty_wrong_keys_the_page_says_how_long_to_wait(browser, mail_server, db):
    carla = browser()
    for _ in range(20):
        carla.send("sign-in", {"key": "evk_wrong"}, 401)
    refused = carla.send("sign-in", {"key": "evk_wrong"}, 429)
    assert "Please wait until" in refused and "link sent to you" not in refused


# A link to the address


def test_a_link_is_asked_for_without_a_look_at_the_address(browser, db, person, mail_server):
    person()
    seen = set()
    for email in (EMAIL, "nobody@messe.example"):
        answer = browser().send("sign-in/link", {"email": email, "password": "typed"}, 200)
        seen.add(re.sub(r'value="[^"]*"', "", answer.text))
    assert len(seen) == 1 and "on its way" in seen.pop()
    requests = rows(db, "SELECT * FROM link_requests")
    assert [row["purpose"] for row in requests] == ["desk", "desk"]
    assert EMAIL not in str(requests)


def test_a_second_request_within_ten_minutes_gets_the_same_answer(browser, db, mail_server):
    carla = browser()
    for _ in range(2):
        assert "on its way" in carla.send("sign-in/link", {"email": EMAIL}, 200)
    assert len(rows(db, "SELECT * FROM link_requests")) == 1


def test_a_link_needs_an_address_and_a_fresh_form(browser, db, mail_server):
    carla = browser()
    assert "name@example.com" in carla.send("sign-in/link", {"email": "carla"}, 422)
    carla.send("sign-in/link", {"email": EMAIL, "token": "x"}, 403)
    carla.send("sign-in/link", {"email": EMAIL}, 403, {"Origin": "https://evil.example"}.items())
    assert rows(db, "SELECT * FROM link_requests") == []


def test_without_a_mail_server_no_link_is_asked_for(browser, db):
    assert "eventapi admin link" in browser().send("sign-in/link", {"email": EMAIL}, 409)
    assert rows(db, "SELECT * FROM link_requests") == []
    assert "eventapi admin link" in browser().get("sign-in/link")


# The page of a link


def make_link(db, id, **values):
    with signing_in.transaction(db):
        values = {"way": "mailed", "lasts": timedelta(minutes=30)} | values
        return people.make_secret(db, id, **values)


def test_a_link_is_opened_by_a_button_and_once(browser, db, person):
    id = person(password=None, seen=False)
    secret = make_link(db, id)
    carla = browser()
    for _ in range(3):  # mail scanners open it
        page = carla.browser.get(f"/link/{secret}")
        assert "Sign in to the office" in page and 'name="stay"' in page
        assert page.headers["Referrer-Policy"] == "no-referrer" and secret not in page
    headers = {"Origin": "null"}.items()
    answer = carla.browser.post(f"/link/{secret}", {"stay": "1"}, 303, headers)
    assert answer.headers["Location"] == "../desk/account?done=welcome"
    assert cookies(answer)["evs-desk"]["max-age"] == str(MONTH)
    assert "Welcome to the office" in carla.get("account?done=welcome")
    other = browser()
    page = other.browser.post(f"/link/{secret}", {}, 404, headers)
    assert "used or is too old" in page and "Set-Cookie" not in page.headers
    assert "used or is too old" in other.browser.get(f"/link/{secret}", 404)
    second = browser().browser.post(f"/link/{make_link(db, id)}", {}, 303)
    assert second.headers["Location"] == "../desk/"


def test_a_dead_link_asks_for_a_new_one(browser, db, person, mail_server, monkeypatch):
    secret = make_link(db, person())
    later(monkeypatch, minutes=31)
    carla = browser()
    page = carla.browser.get(f"/link/{secret}", 404)
    assert 'action="../desk/sign-in/link"' in page
    assert page.headers["Referrer-Policy"] == "no-referrer"
    fields = {"token": field(page, "token"), "email": EMAIL}
    headers = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}.items()
    carla.browser.post("/desk/sign-in/link", fields, 200, headers)
    assert len(rows(db, "SELECT * FROM link_requests")) == 1
    headers = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}.items()
    carla.browser.post("/desk/sign-in/link", fields, 403, headers)


def test_the_link_of_a_person_who_is_deactivated_is_dead(browser, db, person):
    id = person()
    secret = make_link(db, id)
    db.connection.execute("UPDATE admins SET is_active = 0")
    carla = browser()
    for page in (
        carla.browser.get(f"/link/{secret}", 404),
        carla.browser.post(f"/link/{secret}", {}, 404),
    ):
        assert "used or is too old" in page
    assert rows(db, "SELECT * FROM sessions") == []


def test_a_link_asks_for_the_code_too(browser, db, person):
    id = person(secret=SECRET)
    carla = browser()
    secret = make_link(db, id)
    page = carla.browser.post(f"/link/{secret}", {"stay": "1"}, 200)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert 'action="../desk/sign-in/code"' in page
    fields = {
        "token": field(page, "token"),
        "pending": field(page, "pending"),
        "code": code_now(),
    }
    headers = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}.items()
    answer = carla.browser.post("/desk/sign-in/code", fields, 303, headers)
    assert cookies(answer)["evs-desk"]["max-age"] == str(MONTH)


# Signing out


def test_signing_out_ends_the_session_and_keeps_the_browser_known(browser, db, person):
    person()
    carla = browser()
    carla.sign_in(status=303)
    page = carla.submit(carla.get(""), "sign-out", status=200)
    assert "You are signed out" in page and 'href="../desk/sign-in"' in page
    assert cookies(page)["evs-desk"]["max-age"] == "0" and len(cookies(page)) == 1
    carla.get("", 303)
    assert sessions.at_desk(db) == []


# Secrets


def everything(browser, db, person):
    """Sign in by link, password and code. Return the secrets, and all texts of the pages."""
    id = person(secret=SECRET)
    secret = make_link(db, id)
    carla = browser()
    pages = [
        carla.browser.get(f"/link/{secret}"),
        carla.sign_in(password="wrong-wrong", status=401),
    ]
    page = carla.sign_in(status=200)
    pending, code = field(page, "pending"), code_now()
    answer = carla.send("sign-in/code", {"pending": pending, "code": code}, 303)
    pages += [carla.get(""), carla.get("account")]
    cookie = cookies(answer)["evs-desk"].value
    return [PASSWORD, "wrong-wrong", pending, cookie, secret], [page.text for page in pages]


def test_no_secret_is_stored_or_shown(browser, db, person):
    """Neither password nor code nor the secrets of sessions, links and what waits for a code."""
    secrets, pages = everything(browser, db, person)
    tables = [
        row["name"] for row in rows(db, "SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    stored = "".join(str(rows(db, f'SELECT * FROM "{table}"')) for table in tables)
    for text in (*secrets, "otpauth"):
        assert text not in stored
        assert not [page for page in pages if text in page]
    assert stored.count(SECRET) == 1 and not [page for page in pages if SECRET in page]


def test_no_secret_is_logged(browser, db, person, caplog):
    caplog.set_level(logging.DEBUG)
    secrets, _ = everything(browser, db, person)
    request_log.flush()
    for text in (*secrets, SECRET, EMAIL):
        assert text not in caplog.text


def test_no_page_names_the_host_of_a_forged_header(browser, person, mail_server, settings):
    person()
    carla = browser()
    carla.browser.app.extra_environ["HTTP_HOST"] = "evil.example"
    for page in (carla.get("sign-in"), carla.sign_in(password="x", status=401)):
        assert "evil" not in page and "evil" not in str(page.headers)
    assert "evil" not in str(carla.sign_in(status=303).headers)
    carla.browser.app.extra_environ["REMOTE_ADDR"] = "192.0.2.7"
    assert carla.get("sign-in", 308).headers["Location"] == "https://messe.example/desk/sign-in"
    carla.browser.post("/desk/sign-in", {"email": EMAIL, "password": PASSWORD}, 403)
    carla.browser.post("/desk/sign-in/link", {"email": EMAIL}, 403)
