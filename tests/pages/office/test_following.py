"""The page that follows a sign-in: only pages of the desk, whatever the address says."""

from itertools import product
from urllib.parse import quote, urljoin

import pytest
from bottle import request

from eventapi import app as application
from eventapi.web.html import following
from tests.pages.office.conftest import field

# What an attacker wants the browser to open.
ATTACKS = (
    "https://evil.example",
    "http:evil.example",
    "//evil.example",
    "///evil.example/%2f..",
    "/\\evil.example",
    "\\\\evil.example",
    "../../evil",
    "..",
    "./../x",
    "a/../../x",
    "javascript:alert(1)",
    "data:text/html,x",
    "money/../../link/evl_x",
    "@evil.example",
    "evil.example",
    "/evil",
    "?next=//evil.example/../",
    "sign-in",
    "sign-in?next=money",
    "sign-out",
    "now",
    "do/../../docs",
    "money\r\nSet-Cookie: x=1",
    "money\n",
    "money\tx",
    "money\x00",
    "money#evil",
    "money;x",
    "money'x",
    'money"x',
    "money<x>",
    "möney",
    "\uff4doney",
    "\u202emoney",
    " money",
    "money ",
    "mon ey",
    "money/",
    "/money",
    "money//bank",
    "link/evl_x",
    "api/v1/contacts",
    "x" * 501,
    "money?" + "x" * 500,
)
# How it is written.
ENCODINGS = {
    "plain": lambda text: text,
    "percent": lambda text: quote(text, safe=""),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "percent in lower case": lambda text: quote(text, safe="").lower(),
    "each character": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "slashes only": lambda text: text.replace("/", "%2F").replace("\\", "%5C"),
    "dots only": lambda text: text.replace(".", "%2e"),
    "overlong": lambda text: text.replace("/", "%c0%af").replace(".", "%c0%ae"),
    "behind a page": lambda text: f"money/{text}",
}
HOSTILE = [
    pytest.param(write(attack), id=f"{name} {number}")
    for (name, write), (number, attack) in product(ENCODINGS.items(), enumerate(ATTACKS))
]


def test_there_are_enough_of_them():
    assert len(HOSTILE) >= 300


@pytest.fixture(scope="module")
def checked(shared):
    """Return the function that checks an address, as within a request."""
    route, _ = application.router().match({"REQUEST_METHOD": "GET", "PATH_INFO": "/desk/sign-in"})

    def check(text):
        request.bind({"bottle.route": route, "PATH_INFO": "/desk/sign-in"})
        return following.checked(text)

    return check


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_page_of_the_desk_leads_to_the_first_page(checked, text):
    assert checked(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "money",
        "money/bank?show=ignored",
        "applications?status=new&event=fair",
        "people?q=M%C3%BCller",
        "invoices/12",
        "setup/details",
        "account",
        "company/bank",
    ],
)
def test_a_page_of_the_desk_follows(checked, text):
    assert checked(text) == text
    assert urljoin("https://messe.example/desk/sign-in", f"../desk/{text}").startswith(
        "https://messe.example/desk/"
    )


def test_the_page_that_was_wanted_follows_the_sign_in(browser, person):
    person()
    carla = browser()
    wanted = carla.get("money?show=overdue&event=fair", 303).headers["Location"]
    assert wanted == "../desk/sign-in?next=money%3Fshow%3Doverdue%26event%3Dfair"
    page = carla.get("sign-in?next=money%3Fshow%3Doverdue%26event%3Dfair")
    assert field(page, "next") == "money?show=overdue&amp;event=fair"
    assert 'href="?next=money%3Fshow%3Doverdue%26event%3Dfair&amp;language=de"' in page
    answer = carla.sign_in(next="money?show=overdue&event=fair", status=303)
    assert answer.headers["Location"] == "../desk/money?show=overdue&event=fair"


@pytest.mark.parametrize(
    "path, location",
    [
        ("", "../desk/sign-in"),
        ("money/bank", "../../desk/sign-in?next=money%2Fbank"),
        ("people?q=%3Cscript%3E", "../desk/sign-in?next=people%3Fq%3D%253Cscript%253E"),
        ("people?q=<x>", "../desk/sign-in?next=people"),
        ("people?q=//evil.example", "../desk/sign-in?next=people"),
        ("people?" + "x" * 600, "../desk/sign-in?next=people"),
    ],
)
def test_a_page_without_a_session_names_itself(browser, path, location):
    assert browser().get(path, 303).headers["Location"] == location


@pytest.mark.parametrize("text", ["//evil.example", "https://evil.example", "../../x"])
def test_a_hostile_address_is_dropped_everywhere(browser, person, text):
    person()
    carla = browser()
    assert field(carla.get(f"sign-in?next={quote(text, safe='')}"), "next") == ""
    refused = carla.sign_in(password="wrong", next=text, status=401)
    assert field(refused, "next") == ""
    assert carla.sign_in(next=text, status=303).headers["Location"] == "../desk/"
