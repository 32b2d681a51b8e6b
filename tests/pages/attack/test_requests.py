"""Requests that attack links, sessions, forms and uploads: no secret goes on, and nothing is done."""

import re
from contextlib import nullcontext
from urllib.parse import urljoin, urlsplit

import pytest
from bottle import request

from eventapi.domain.access import link_secrets
from eventapi.errors import Problem
from eventapi.web.html import form_bodies, tokens
from tests.pages.applicant.test_page import PDF, take_files
from tests.pages.conftest import Visitor
from tests.pages.conftest import token_of as session_token
from tests.pages.show.conftest import built, link_of, register, token_of  # noqa: F401

FORM = "application/x-www-form-urlencoded"


def count(db, statement):
    return db.connection.execute(statement).fetchone()[0]


@pytest.fixture
def secret(open_link, application, show):
    return open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=application["id"],
        email="ada@rosen.example",
        signs_in=False,
    )[2]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ("{}", {"Content-Type": "application/json"}, 415),
        ("a=%00", {}, 400),
        ("a=%ff", {}, 400),
        ("a=" + "x" * 600_000, {}, 413),
        ("a=1", {"Origin": "https://evil.example"}, 403),
        ("a=1", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("a=1", {}, 303),
        ("a=1", {"Cookie": "evs-{ref}=a; evs-{ref}=b"}, 400),
    ],
)
def test_no_response_at_the_address_of_a_link_lets_the_next_request_name_it(
    app, secret, db, body, headers, status
):
    """The next one is for the stylesheet, and nginx logs its referrer."""
    ref = count(db, "SELECT ref FROM links")
    headers = {name: value.replace("{ref}", ref) for name, value in headers.items()}
    answer = app.post(
        f"/link/{secret}",
        body,
        headers={"Accept": "text/html", "Content-Type": FORM, **headers},
        status=status,
    )
    assert secret not in answer.text + str(answer.headers)
    if status != 303:  # a redirection has the referrer of the page before it
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert app.get(f"/link/{secret}").headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "",
        "null",
        "https://evil.example",
        "http://localhost",
        "https://localhost",
        "https://localhost.evil.example",
        "https://localhost:444",
        "localhost",
        "//localhost",
    ],
)
@pytest.mark.parametrize(
    "site", [None, "none", "same-origin", "same-site", "cross-site", "anything"]
)
def test_a_form_comes_from_a_page_of_this_host_by_https(settings, origin, site):
    headers = {
        "HTTP_ORIGIN": origin,
        "HTTP_SEC_FETCH_SITE": site,
        "HTTP_HOST": "localhost",
        "HTTP_X_FORWARDED_PROTO": "https",
        "REMOTE_ADDR": "",
        "eventapi.config": settings,
    }
    environ = {name: value for name, value in headers.items() if value is not None}
    request.bind(environ)
    is_ours = origin in (None, "", "https://localhost") and site in (None, "none", "same-origin")
    with nullcontext() if is_ours else pytest.raises(Problem, match="origin_not_allowed"):
        form_bodies.refuse_foreign(environ)


def test_no_address_leads_to_another_site(app, show):
    """A browser reads `http:evil.example` and `//evil.example` as other sites."""
    evil = (
        "http:evil.example",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "%0d%0aX-Evil:1",
        "..%2f..%2f%2fevil.example",
    )
    for first in (
        "",
        "/e",
        "/e/fair",
        "/e/fair/exhibitors",
        "/e/fair/plan",
        "/link",
        "/my",
        "/apply",
        "/door",
        "/desk",
    ):
        for part in evil:
            for target in (
                f"{first}/{part}",
                f"{first}//{part}",
                f"{first}?q={part}&language={part}&next={part}&done={part}",
            ):
                answer = app.get(target, headers={"Accept": "text/html"}, expect_errors=True)
                assert "X-Evil" not in answer.headers and answer.status_int < 500
                where = urljoin(f"http://localhost{target}", answer.headers.get("Location", ""))
                assert urlsplit(where).hostname in ("localhost", "show.example.org"), (
                    target,
                    where,
                )


def test_the_host_of_a_request_is_in_no_page_file_or_mail(app, show, read, pages, register, db):  # noqa: F811
    evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Accept-Language": "en"}
    exhibitor = f"exhibitors/{show['exhibitor']['id']}-x"
    for path in (
        "",
        ".json",
        "/exhibitors",
        "/exhibitors.json",
        f"/{exhibitor}",
        f"/{exhibitor}.vcf",
        "/programme",
        "/calendar.ics",
        "/embed",
        "/apply",
        "/visit",
        "/colours.css",
        "/plan/hall-a.svg",
    ):
        answer = app.get(f"/e/fair{path}", headers=evil, expect_errors=True)
        assert b"evil.example" not in answer.body and "evil.example" not in str(answer.headers), (
            path
        )
        assert b"evil.example" not in app.get(f"/e/fair{path}", expect_errors=True).body
    register()
    assert all("evil.example" not in text for _, text in built(db, "application_confirmation"))
    for path in ("/robots.txt", "/imprint", "/my", "/apply", "/link/x"):
        assert "evil.example" not in app.get(path, headers=evil, expect_errors=True).text


def test_a_session_that_somebody_has_planted_is_replaced(open_link, application, show, app):
    """The cookie of a stranger, or of an own ended session, opens nothing after the sign-in."""
    link, visitor, secret = open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=application["id"],
        email="ada@rosen.example",
    )
    name = f"evs-{link['ref']}"
    first = next(cookie.value for cookie in visitor.app.cookiejar if cookie.name == name)
    for planted in ("evs_" + "a" * 32, "", "x" * 5000, first):
        other = Visitor(app)
        other.headers = {**other.headers, "Cookie": f"{name}={planted}"}
        (given,) = re.findall(rf"{name}=([^;]*)", other.sign_in(secret).headers["Set-Cookie"])
        assert re.fullmatch(r"evs_[\w-]{32}", given) and given != planted
    # the last sign-in has ended the first session
    Visitor.get(visitor, f"/apply/{link['ref']}/", 403)


def test_a_confirmation_that_is_repeated_makes_one_application(register, pages, db, organiser, app):  # noqa: F811
    register()
    ((_, mail),) = built(db, "application_confirmation")
    places = {Visitor(app).post(link_of(mail)).headers["Location"] for _ in range(20)}
    assert len(places) == 1 and len(organiser.data("/applications")) == 1
    assert count(db, "SELECT count(*) FROM links WHERE kind = 'application'") == 1
    assert count(db, "SELECT count(*) FROM mails WHERE kind = 'badge'") == 1


@pytest.mark.parametrize(
    "address",
    ["known@farn.example", "unknown@farn.example", "blocked@farn.example", "ada@rosen.example"],
)
def test_no_form_tells_whether_an_address_is_known(
    register,  # noqa: F811
    pages,
    organiser,
    db,
    application,
    show,
    app,
    address,
):
    organiser.make("/contacts", {"company_name": "Farn", "email": "known@farn.example"})
    contact = organiser.make("/contacts", {"company_name": "Farn", "email": "blocked@farn.example"})
    organiser.post(f"/contacts/{contact['id']}/block", {"reason": "SECRET"})
    _, page = register(email=address)
    shown = re.sub(r'value="\d+\.[^"]+"', "", page.text.replace(address, "ADDRESS"))
    _, other = register(email="nobody@nowhere.example")
    assert shown == re.sub(
        r'value="\d+\.[^"]+"', "", other.text.replace("nobody@nowhere.example", "ADDRESS")
    )
    assert count(db, "SELECT count(*) FROM application_drafts") == 2
    token = token_of(app.get("/my"))
    said = {
        app.post("/my", {"email": each, "token": token}, headers={"Accept-Language": "en"}).text
        for each in (address, "nobody@nowhere.example")
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    ("name", "content", "stored"),
    [
        ("plan.pdf", PDF, "plan.pdf"),
        ("../../etc/plan.pdf", PDF, "plan.pdf"),
        ("C:\\temp\\plan.pdf", PDF, "plan.pdf"),
        ("fdp.\u202eexe.pdf", PDF, "fdp._exe.pdf"),
        ("a" * 300 + ".pdf", PDF, None),
        (".pdf", PDF, None),
        ("..", PDF, None),
        ("x/", PDF, None),
        ("plan.pdf.exe", PDF, None),
        ("plan.pdf", b"MZ\x90\0" + PDF, None),
        ("plan.pdf", b"<svg onload='x'/>", None),
        ("plan.png", b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\xff" * 8, "plan.png"),
        ("plan.svg", b"<svg/>", None),
        ("plan.html", b"<script>", None),
        ("plan.PDF", PDF, "plan.PDF"),
    ],
)
def test_a_file_is_what_its_name_says_and_its_name_is_no_path(
    applicant, organiser, show, name, content, stored
):
    take_files(organiser, show)
    path, visitor = applicant
    page = visitor.get(path)
    answer = visitor.submit(page, f"{path}/files", upload=(name, content), status="*")
    files = organiser.data("/documents?entity_type=application")
    assert [file["filename"] for file in files] == ([stored] if stored else []), answer.status
    assert answer.status_int == (303 if stored else 422) or (
        len(name) > 255 and answer.status_int == 400
    )


def test_a_form_of_one_link_is_none_of_another(open_link, application, organiser, show):
    other = organiser.make(
        "/applications", {"event_keys": ["fair"], "company_name": "Farn", "email": "b@farn.example"}
    )
    mine, thief, _ = open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=other["id"],
        email="b@farn.example",
    )
    link, victim, _ = open_link(
        "application",
        event_id=show["event"]["id"],
        application_id=application["id"],
        email="ada@rosen.example",
    )
    token = session_token(thief.get(f"/apply/{mine['ref']}/"))
    for given in (token, "", "x", "é", "=" * 44, token[:-4], token * 2):
        page = victim.post(f"/apply/{link['ref']}/withdraw", {"form_token": given}, 403)
        assert "Rosen" not in page.text
    assert organiser.data(f"/applications/{application['id']}")["status"] == "new"


def test_tokens_of_forms_are_guessed_by_nobody(db):
    key = link_secrets.form_key(db)
    good = tokens.form_token(key, "apply 1")
    made, nonce, hashed = good.split(".")
    for bad in (
        "",
        ".",
        "..",
        f"{made}.{nonce}.",
        f"{made}.{nonce}.{hashed[:-1]}",
        f"1.{nonce}.{hashed}",
        f"{made}..{hashed}",
        f"-1.x.{hashed}",
        "\udc80.x.y",
        good.upper(),
        f"{good}0",
    ):
        assert tokens.checked(key, "apply 1", bad) == ("wrong", None), bad
    assert (
        tokens.checked(key, "visit 1", good)[0]
        == tokens.checked(key, "apply 11", good)[0]
        == "wrong"
    )
