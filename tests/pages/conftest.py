"""Fixtures: the reference in a browser, and people who open the pages of links."""

import re
from html import unescape
from http.cookiejar import CookieJar, DefaultCookiePolicy

import pytest
import webtest

from eventapi.domain.access import links
from tests.support.browser import Browser
from tests.support.served import served


@pytest.fixture(scope="module")
def address(shared):
    """Return the address of the reference on a server with the app `shared`."""
    with served(shared.app.app, []) as url:
        yield f"{url}/docs"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


# What an attribute contains if a template has written a value of Python that is no text.
PYTHON = re.compile(r"[{\[]'|\bobject at 0x|^(None|True|False)$")
ATTRIBUTE = re.compile(r'\s([a-z-]+)="([^"]*)"')


class Pages(webtest.TestApp):
    """An app whose pages are looked at: no attribute contains a dict, a list or None of Python."""

    def do_request(self, req, status=None, expect_errors=None):
        response = super().do_request(req, status, expect_errors)
        if response.content_type == "text/html":
            assert python_in(response.text) == [], f"{req.method} {req.path_qs}"
        return response


def python_in(page):
    """Return (name, value) of the attributes of a page that are no text."""
    return [
        (name, value) for name, value in ATTRIBUTE.findall(page) if PYTHON.search(unescape(value))
    ]


@pytest.fixture
def app(app):
    """The app of each test of pages, whose pages are looked at."""
    return Pages(app.app)


class Visitor:
    """A browser of somebody with a link: it keeps its cookies and sends the forms of pages."""

    def __init__(self, app, language="en"):
        self.app = Pages(app.app, cookiejar=CookieJar(policy=DefaultCookiePolicy(rfc2965=False)))
        self.headers = {"Accept": "text/html", "Accept-Language": language}

    def get(self, path, status=200, **options):
        return self.app.get(path, headers=self.headers, status=status, **options)

    def post(self, path, fields=None, status=303, headers=()):
        """Send a form as it is."""
        return self.app.post(
            path, fields or {}, headers={**self.headers, **dict(headers)}, status=status
        )

    def submit(self, page, action, fields=None, status=303, upload=None):
        """Send a form with the token of a page.

        `action` is its path, `upload` is (name of the file, bytes).
        """
        fields = {"form_token": token_of(page), **(fields or {})}
        if upload is None:
            return self.app.post(action, fields, headers=self.headers, status=status)
        body = b"".join(
            b'--limit\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
            % (name.encode(), value.encode())
            for name, value in fields.items()
        )
        body += (
            b'--limit\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s'
            % (upload[0].encode(), upload[1])
            + b"\r\n--limit--\r\n"
        )
        kind = {"Content-Type": "multipart/form-data; boundary=limit"}  # that of WebTest has a $
        return self.app.post(action, body, headers={**self.headers, **kind}, status=status)

    def sign_in(self, secret, status=303, **fields):
        return self.post(f"/link/{secret}", fields, status)


def token_of(page):
    """Return the form_token of a page."""
    return re.search(r'name="form_token" value="([^"]+)"', page.text)[1]


@pytest.fixture
def open_link(app, db):
    """Return a function that makes a link of a kind with these values, and returns (link, Visitor,
    secret).

    `way` is that of the secret, shown or mailed.
    """

    def opened(kind, language="en", signs_in=True, way="shown", **values):
        with db.write():
            link = links.create(db, kind, **values)
            secret = links.add_secret(db, link, way, link["email"] if way == "mailed" else None)
        visitor = Visitor(app, language)
        if signs_in:
            visitor.sign_in(secret)
        return link, visitor, secret

    return opened
