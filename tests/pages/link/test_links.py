"""Links and sessions: what opens a page, what does not, and what is stored of it."""

import re
from datetime import datetime, timedelta

import pytest

from eventapi import times
from eventapi.app import routes
from eventapi.domain.access import link_secrets, links, rights, sessions
from eventapi.pages.link import routes as pages_of_links
from eventapi.web import masking
from eventapi.web.html import tokens
from eventapi.worker.mail import message as mail_message
from tests.pages.conftest import Visitor

UNKNOWN = "/link/evl_" + "x" * 32


def text(page):
    """Return a page without its tokens and its request id."""
    return re.sub(r'value="[^"]{40,}"|req_\w+', "", page.text)


@pytest.fixture
def exhibitor(show):
    """Return the values of a link of the exhibitor."""
    return {
        "event_id": show["event"]["id"],
        "participant_id": show["exhibitor"]["id"],
        "name": "Ada",
        "email": "ada@keramia.example",
        "language": "en",
        "rights": rights.RIGHTS,
    }


def later(monkeypatch, seconds):
    """Let the service believe that it is so many seconds later."""
    now = times.text(datetime.fromisoformat(times.now()) + timedelta(seconds=seconds))
    monkeypatch.setattr(times, "now", lambda: now)


def mail_of(db):
    """Build the mail with a link that is queued. Return its text."""
    cursor = db.connection.execute(
        "SELECT * FROM mails WHERE kind = 'link' ORDER BY id DESC LIMIT 1"
    )
    row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    return mail_message.build(db, row)[1].decode().replace("=\r\n", "").replace("=3D", "=")


def test_a_link_shows_a_button_and_opens_a_session(open_link, exhibitor):
    link, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    for _ in range(3):  # a mail scanner opens the link, too
        page = visitor.get(f"/link/{secret}")
        assert (
            "Open your page" in page and "Keramia" not in page and "Set-Cookie" not in page.headers
        )
    assert (
        page.headers["Referrer-Policy"] == "no-referrer"
        and page.headers["Cache-Control"] == "no-store"
    )
    answer = visitor.sign_in(secret)
    assert answer.headers["Location"].endswith(f"my/{link['ref']}/")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"evs-{link['ref']}=evs_") and cookie.endswith(
        "; Path=/; HttpOnly; SameSite=Lax"
    )
    assert visitor.get(f"/link/{secret}", 303).headers["Location"].endswith(f"my/{link['ref']}/")


def test_an_own_device_stays_signed_in_for_sixty_days(open_link, exhibitor, db, monkeypatch):
    link, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    assert visitor.sign_in(secret, own_device="1").headers["Set-Cookie"].endswith("Max-Age=5184000")
    later(monkeypatch, 59 * 86400)
    assert visitor.post(f"/my/{link['ref']}/sign-out", status=403).text.count(
        "made for your session"
    )
    later(monkeypatch, 61 * 86400)
    assert "no session here" in visitor.post(f"/my/{link['ref']}/sign-out", status=403)


def test_by_https_the_cookie_belongs_to_this_host_only(open_link, exhibitor):
    link, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    visitor.app.extra_environ["wsgi.url_scheme"] = "https"
    cookie = visitor.sign_in(secret).headers["Set-Cookie"]
    assert cookie.startswith(f"__Host-evs-{link['ref']}=") and cookie.endswith("; Secure")


def test_by_http_a_session_opens_on_this_machine_only(open_link, exhibitor):
    _, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    visitor.app.extra_environ |= {"REMOTE_ADDR": "192.0.2.7", "HTTP_HOST": "show.example.org"}
    assert "secure address" in visitor.sign_in(secret, status=409)


def test_two_cookies_of_one_name_are_refused(open_link, exhibitor):
    link, visitor, _ = open_link("participant", **exhibitor, signs_in=False)
    name = f"evs-{link['ref']}"
    visitor.headers["Cookie"] = f"{name}=a; {name}=b"
    visitor.post(f"/my/{link['ref']}/sign-out", status=400)


def test_unknown_and_revoked_links_look_the_same(open_link, exhibitor, app, db):
    link, visitor, secret = open_link("participant", **exhibitor)
    with db.write():
        links.revoke(db, link)
    wrong = text(Visitor(app).get(UNKNOWN, 404))
    assert text(visitor.get(f"/link/{secret}", 404)) == wrong == text(visitor.sign_in(secret, 404))
    assert "no session here" in visitor.post(f"/my/{link['ref']}/sign-out", status=403)
    assert db.connection.execute("SELECT count(*) FROM link_secrets").fetchone()[0] == 0


def test_an_expired_secret_offers_a_new_one_with_one_button(open_link, exhibitor, db, monkeypatch):
    _, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    later(monkeypatch, 15 * 86400)
    assert "Send a new link to a…@keramia.example" in visitor.get(f"/link/{secret}", 404)
    assert "on the way" in visitor.post(f"/link/{secret}", status=200)
    assert links.handle_requests(db, 10) == 1
    new = re.search(r"/link/(evl_[\w-]{32})", mail_of(db))[1]
    assert visitor.sign_in(new)


def test_an_ended_link_says_for_whom_it_was(open_link, exhibitor, db, monkeypatch):
    _, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    db.connection.execute("UPDATE events SET over_at = '2020-01-01T00:00:00Z'")
    assert "made for a…@keramia.example" in visitor.get(f"/link/{secret}", 404)


def test_the_answer_to_a_wish_for_a_link_is_the_same_for_all(open_link, exhibitor, app, db):
    open_link("participant", **exhibitor, signs_in=False)
    visitor, pages = Visitor(app), []
    for email in ("ada@keramia.example", "nobody@keramia.example"):
        token = re.search(r'name="token" value="([^"]+)"', visitor.get("/my/").text)[1]
        pages.append(visitor.post("/my/", {"email": email, "token": token}, 200).text)
    assert pages[0] == pages[1]
    assert "keramia" not in str(db.connection.execute("SELECT * FROM link_requests").fetchall())
    assert links.handle_requests(db, 10) == 2 and links.handle_requests(db, 10) == 0
    sent = [
        row[0] for row in db.connection.execute("SELECT recipient FROM mails WHERE kind = 'link'")
    ]
    assert sent == ["ada@keramia.example"]


def test_an_address_gets_few_mails(open_link, exhibitor, db):
    open_link("participant", **exhibitor, signs_in=False)
    for _ in range(3):
        with db.write():
            links.ask_for_mail(db, "Ada@keramia.example", "https://show.example.org")
    assert links.handle_requests(db, 10) == 1


@pytest.mark.parametrize(
    ("email", "status", "says"),
    [("", 422, "such as name@example.com"), ("x", 422, "such as name@example.com")],
)
def test_a_wrong_address_is_asked_again(show, app, email, status, says):
    visitor = Visitor(app)
    token = re.search(r'name="token" value="([^"]+)"', visitor.get("/my/").text)[1]
    assert says in visitor.post("/my/", {"email": email, "token": token}, status)


def test_the_mail_has_a_secret_that_nothing_else_has(open_link, exhibitor, db):
    link, _, _ = open_link("participant", **exhibitor, signs_in=False)
    with db.write():
        links.mail(db, link, "https://show.example.org")
    mail = mail_of(db)
    secret = re.search(r"https://show.example.org/link/(evl_[\w-]{32})", mail)[1]
    assert "Ada" not in mail and secret not in "\n".join(db.connection.iterdump())
    assert masking.path(f"/link/{secret}") == "/link/***"


def test_the_mail_greets_the_contact_at_its_own_address_only(open_link, exhibitor, organiser, db):
    contact = organiser.data(f"/participants/{exhibitor['participant_id']}")["contact_id"]
    names = {"email": "ADA@keramia.example", "first_name": "Ada", "last_name": "Kern"}
    organiser.patch(f"/contacts/{contact}", names, status=200)
    link, _, _ = open_link("participant", **exhibitor, signs_in=False)
    with db.write():
        links.mail(db, link, "https://show.example.org")
    assert "Dear Ada Kern," in mail_of(db)
    organiser.patch(f"/contacts/{contact}", {"last_name": "see www.win.example"}, status=200)
    assert "Hello," in mail_of(db) and "win.example" not in mail_of(db)
    organiser.patch(f"/contacts/{contact}", {**names, "email": "boss@keramia.example"}, status=200)
    assert "Hello," in mail_of(db) and "Kern" not in mail_of(db)


def test_a_link_has_at_most_twenty_secrets(open_link, exhibitor, db):
    link, visitor, first = open_link("participant", **exhibitor, signs_in=False)
    with db.write():
        for _ in range(20):
            links.add_secret(db, link, "shown")
    visitor.get(f"/link/{first}", 404)
    assert db.connection.execute("SELECT count(*) FROM link_secrets").fetchone()[0] == 20


def test_the_link_of_a_door_signs_in_at_the_entrance(open_link, show):
    values = {"event_id": show["event"]["id"], "station": "West", "devices": 1}
    _, visitor, secret = open_link("door", signs_in=False, **values)
    page = visitor.get(f"/link/{secret}")
    assert "<h1>Sign in at the entrance</h1>" in page and "own_device" not in page


def test_only_a_fault_of_the_server_has_a_number_for_the_technician(app, monkeypatch):
    def fail(_):
        raise RuntimeError("out of order")

    said = "Number for your technician: "
    assert said not in Visitor(app).get("/my/nobody/nothing", 404)
    monkeypatch.setattr(pages_of_links, "entry", fail)
    page = Visitor(app).get("/my", 500)
    assert said + page.headers["X-Request-ID"] in page


def test_a_door_opens_for_as_many_devices_as_it_may(open_link, show, app, db):
    link, _, secret = open_link("door", event_id=show["event"]["id"], station="West", devices=1)
    Visitor(app).get(f"/link/{secret}", 404)  # used up
    with db.write():
        another = links.add_secret(db, link, "shown")
    assert "open on 1 devices" in Visitor(app).sign_in(another, 409)


# Forms


def test_a_form_needs_the_token_of_the_link(open_link, exhibitor, db):
    link, visitor, _ = open_link("participant", **exhibitor)
    other, _, _ = open_link("participant", **{**exhibitor, "email": "eve@keramia.example"})
    of_other = tokens.session_token(link_secrets.form_key(db), f"link {other['id']}")
    for token in ("", "x", "A" * 44, "ä", of_other):
        visitor.post(f"/my/{link['ref']}/sign-out", {"form_token": token}, 403)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_is_refused(open_link, exhibitor, headers, app):
    link, visitor, _ = open_link("participant", **exhibitor)
    assert "another web site" in visitor.post(
        f"/my/{link['ref']}/sign-out", {}, 403, headers.items()
    )


def test_the_page_of_a_link_may_send_no_referrer(open_link, exhibitor):
    _, visitor, secret = open_link("participant", **exhibitor, signs_in=False)
    visitor.post(f"/link/{secret}", {}, 403, {"Origin": "https://evil.example"}.items())
    visitor.post(
        f"/link/{secret}", {}, 403, {"Origin": "null", "Sec-Fetch-Site": "cross-site"}.items()
    )
    visitor.post(f"/link/{secret}", {}, 303, {"Origin": "null"}.items())


# The form on the page of a link that has ended: the page sends no referrer, so its Origin is `null`

NULL = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def dead(app, settings):
    """Return (Visitor, fields of the form) of the page of a link that is none."""
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://show.example.org"
    visitor = Visitor(app)
    page = visitor.get(f"/link/evl_{'A' * 32}", 404)
    assert 'action="../link/new"' in page.text and page.headers["Referrer-Policy"] == "no-referrer"
    return visitor, {
        "token": re.search(r'name="token" value="([^"]+)"', page.text)[1],
        "email": "ada@rosen.example",
    }


def requests(db):
    return db.connection.execute("SELECT count(*) FROM link_requests").fetchone()[0]


@pytest.mark.parametrize("headers", [NULL, {"Origin": "null"}, {}])
def test_the_form_of_a_dead_link_asks_for_a_new_one(dead, headers, db):
    visitor, fields = dead
    page = visitor.post("/link/new", fields, 200, headers.items())
    assert "look into your mailbox" in page.text and requests(db) == 1


@pytest.mark.parametrize(
    "headers",
    [
        *({**NULL, "Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none")),
        {"Origin": "https://evil.example"},
    ],
)
def test_the_form_of_a_dead_link_is_refused_from_elsewhere(dead, headers, db):
    visitor, fields = dead
    visitor.post("/link/new", fields, 403, headers.items())
    assert requests(db) == 0


@pytest.mark.parametrize("token", ["", "x", "evl_"])
def test_the_form_of_a_dead_link_needs_its_token(dead, token, db):
    visitor, fields = dead
    visitor.post("/link/new", {**fields, "token": token}, 403, NULL.items())
    assert requests(db) == 0


# The forms on pages that send no referrer: the page of a link, that of a link that has ended, and
# the page that asks for a code after the link of a person
WITHOUT_REFERRER = {
    "/link/<secret>",
    "/link/new",
    "/desk/sign-in/link",
    "/desk/sign-in/code",
}
FORMS = sorted(
    {route.path for route in routes() if route.options.page and route.method == "POST"}
    - WITHOUT_REFERRER
)


@pytest.mark.parametrize("path", FORMS)
def test_no_other_form_accepts_the_origin_null(app, pages, path):
    address = re.sub(r"<.*?>", "1", path.replace("<event_key>", "fair"))
    said = "This did not work" if path.startswith("/e/") else "another web site"
    assert said in Visitor(app).post(address, {}, 403, NULL.items())


# Upkeep


def test_persons_of_ended_links_are_forgotten_after_a_month(open_link, exhibitor, db):
    link, _, _ = open_link("participant", **exhibitor)
    assert links.delete_old(db, 500) == 0
    db.connection.execute("UPDATE events SET over_at = '2020-01-01T00:00:00Z'")
    assert links.delete_old(db, 500) == 1 and links.delete_old(db, 500) == 0
    assert links.get(db, link["id"])["email"] is None


def test_a_link_lives_while_an_invoice_is_open(open_link, exhibitor, organiser, db, show):
    link, _, _ = open_link("participant", **exhibitor)
    db.connection.execute("UPDATE events SET over_at = '2020-01-01T00:00:00Z'")
    assert links.get(db, link["id"])["status"] == "expired"
    invoice = organiser.make(
        "/invoices",
        {
            "contact_id": show["exhibitor"]["contact_id"],
            "event_participant_id": show["exhibitor"]["id"],
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 100, "tax_rate": 0}],
        },
    )
    db.connection.execute(
        "UPDATE invoices SET locked_at = created_at WHERE id = ?", (invoice["id"],)
    )
    assert links.get(db, link["id"])["status"] == "active"


def test_ended_sessions_are_deleted(open_link, exhibitor, db):
    open_link("participant", **exhibitor)
    db.connection.execute("UPDATE sessions SET ended_at = '2020-01-01T00:00:00Z'")
    assert sessions.delete_old(db, 500) == 1
    assert not db.connection.execute("SELECT 1 FROM sessions").fetchone()


def test_secrets_are_found_by_their_form_only(db):
    assert (
        link_secrets.find(db, "evl_' OR 1=1 --") is None and sessions.find(db, "evs_\udc80") is None
    )


def test_relative_addresses_of_a_page_fit_its_address_with_and_without_a_slash(show, app):
    for path, up in (("/my", ""), ("/my/", "../"), ("/e/fair", "../"), ("/e/fair/", "../../")):
        assert f'href="{up}pages/style-' in Visitor(app).get(path), path


def test_who_has_no_link_learns_whom_to_ask(show, app, organiser):
    other = organiser.make(
        "/events", {"title": "Closed Fair", "date_from": "2027-07-01", "date_to": "2027-07-02"}
    )
    organiser.patch(
        f"/events/{show['event']['id']}/pages", {"my_is_open": True, "contact_phone": "+49 341 77"}
    )
    organiser.patch(f"/events/{other['id']}/pages", {"contact_phone": "+49 341 88"})
    for address, status in (("/my", 200), ("/apply", 200), (f"/link/evl_{'x' * 32}", 404)):
        text = Visitor(app).get(address, status).text
        assert "+49 341 77" in text and "Closed Fair" not in text and "+49 341 88" not in text, (
            address
        )
