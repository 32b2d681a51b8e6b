"""Features that are switched off: no page of the desk leads to them."""

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest

# those that an administrator can switch off, but for the desk itself
FLAGS = (
    "booths",
    "documents",
    "door",
    "invoices",
    "pages",
    "plans",
    "schedules",
    "service_orders",
    "services",
    "tasks",
    "webhooks",
)


def links_of(page, address):
    """Return the addresses within the site that a page leads to."""
    found = re.findall(r'<(?:a|img|iframe)\b[^>]*?\s(?:href|src)="([^"]*)"', page.text)
    links = (urlsplit(urljoin(address, unescape(link))) for link in found)
    return [
        f"{link.path}?{link.query}" if link.query else link.path
        for link in links
        if not link.netloc and not link.scheme
    ]


def kind_of(address):
    """Return what the addresses of a page share for all records and all parameters."""
    return re.sub(r"\d+", "0", address.partition("?")[0])


def walk(visitor, start="/desk/?event=fair", within="/desk/"):
    """Return {(address of a page, link): status} of the links that lead to nothing, on all pages
    `within` that the first one leads to.
    """
    wrong, known, open_pages = {}, {}, [start]
    while open_pages:
        address = open_pages.pop(0)
        page = visitor.get(address, "*")
        if page.content_type != "text/html" or page.status_int != 200:
            continue
        for link in links_of(page, address):
            kind = kind_of(link)
            if kind not in known:
                known[kind] = visitor.get(link, "*").status_int
                # the trial of the form is a public page, whose links work once the show is public
                if link.startswith(within) and not kind.endswith("/trial"):
                    open_pages.append(link)
            if known[kind] in (403, 404):
                wrong[address, link] = known[kind]
    return wrong


@pytest.mark.parametrize("flag", [None, *FLAGS])
def test_no_page_leads_to_a_feature_that_is_off(desk, busy_fair, db, flag):
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = ?", (flag,))
    assert walk(desk()) == {}
