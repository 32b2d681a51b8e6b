"""Nobody sees or changes what belongs to another exhibitor: every route, every kind of session,
every id.
"""

import re

import pytest

from eventapi.app import routes
from eventapi.domain.access import links
from tests.pages.conftest import Visitor
from tests.pages.my.conftest import My

ROUTES = sorted(
    {(route.method, route.path) for route in routes() if route.path.startswith("/my/<ref>")}
)
# The ids of records in addresses; those of submission types are keys of the event, and show the own
# submission.
IDS = re.compile(r"<(?:reservation_)?id:int>")


@pytest.fixture
def two(site):
    """Fill the pages of a second exhibitor.

    Return the ids of its records, by the part of the address.
    """
    other = site.exhibitor("SECRET AG")
    site.act("participants", other, "confirm")
    site.organiser.patch(
        f"/participants/{other['id']}/profile", {"texts": {"en": "SECRET profile"}}, status=200
    )
    site.organiser.make(
        "/submissions",
        {"event_participant_id": other["id"], "type_key": "text", "value": "SECRET text"},
    )
    reservation = site.organiser.make(
        "/booth-reservations",
        {
            "booth_id": site.booths["A2"],
            "event_participant_id": other["id"],
            "notes": "SECRET notes",
        },
    )
    site.organiser.make(
        "/service-orders",
        {
            "event_participant_id": other["id"],
            "status": "submitted",
            "items": [
                {
                    "service_id": site.power["id"],
                    "quantity": 1,
                    "specification": "SECRET specification",
                }
            ],
        },
    )
    theirs = My(*site.visitor(other))
    theirs.send("badges", "badges", {"first_name": "SECRET", "last_name": "Person"})
    person = re.search(r"badges/(\d+)/issue", theirs.get("badges").text)[1]
    return {
        "other": other,
        "booth/confirm": reservation["id"],
        "contract": site.contract(other)["id"],
        "invoices": site.send(site.bill(other)[0])["id"],
        "badges": person,
        "theirs": theirs,
    }


def address(path, ref, ids):
    """Return the address of a route with the ids of the second exhibitor."""
    part = next((name for name in ids if f"/{name}/" in path), None)
    return (
        IDS.sub(str(ids.get(part, 1)), path)
        .replace("<ref>", ref)
        .replace("<key>", "text")
        .replace("<hash>", "0" * 16)
        .replace("<revision:int>", "1")
    )


@pytest.mark.parametrize("method, path", ROUTES)
def test_the_records_of_another_exhibitor_do_not_exist(my, site, two, method, path):
    """With the own session, ids of others are 404, and no page contains a text of theirs."""
    if "sign-out" in path:
        return
    target = address(path, my.link["ref"], two)
    if method == "GET":
        answer = my.visitor.app.get(target, headers=my.visitor.headers, expect_errors=True)
    else:
        fields = {
            "form_token": re.search(r'name="form_token" value="([^"]+)"', my.get().text)[1],
            "reservation_id": two["booth/confirm"],
            "shown": "0" * 64,
            "agree": "1",
            "signer_name": "Eve",
            "first_name": "Eve",
            "last_name": "Eve",
            "booth_number": "A2",
            "action": "draft",
            "etag": "x",
            "language": "en",
        }
        answer = my.visitor.app.post(target, fields, headers=my.visitor.headers, expect_errors=True)
    if IDS.search(path):
        assert answer.status_int in (404, 422, 415), f"{method} {path}: {answer.status}"
    assert b"SECRET" not in answer.body, f"{method} {path}"
    assert two["theirs"].get("contract").text.count("please accept") == 1


@pytest.mark.parametrize("method, path", ROUTES)
def test_a_session_opens_its_own_link_only(site, my, two, method, path):
    """Without a session, with that of another exhibitor, and once the link is revoked, nothing is
    shown or done.
    """
    target = address(path, my.link["ref"], two)
    foreign, nobody = two["theirs"].visitor, Visitor(site.organiser.app)
    with site.db.write():
        links.revoke(site.db, links.get(site.db, my.link["id"]))
    for visitor in (foreign, nobody, my.visitor):
        call = visitor.app.get if method == "GET" else visitor.app.post
        answer = call(target, headers=visitor.headers, expect_errors=True)
        assert answer.status_int in (403, 415), f"{method} {path}: {answer.status}"
        assert "Muster AG" not in answer.text


RIGHT_OF = {
    "profile": "profile",
    "booth": "booth",
    "submissions": "submissions",
    "orders": "orders",
    "contract": "contract",
    "invoices": "invoices",
    "badges": "badges",
}


@pytest.mark.parametrize("kind", ["cookie twice", "wrong kind", "ended", "lacking right"])
def test_no_page_opens_with_a_session_that_does_not_fit(site, my, two, open_link, kind):
    """Each route of /my, also those that change something, and with the ids of its own and of
    another exhibitor.
    """
    ref = my.link["ref"]
    secret = next(
        cookie.value for cookie in my.visitor.app.cookiejar if cookie.name == f"evs-{ref}"
    )
    value = secret
    wanted = {"cookie twice": 400, "wrong kind": 403, "ended": 403, "lacking right": 404}[kind]
    token = re.search(r'name="form_token" value="([^"]+)"', my.get().text)[1]
    if kind == "wrong kind":
        _, door, _ = open_link("door", event_id=site.event["id"], name="West", rights=("search",))
        value = next(cookie.value for cookie in door.app.cookiejar)
    elif kind == "ended":
        my.send("", "sign-out", status=200)
    elif kind == "lacking right":
        with site.db.write():
            links.update(site.db, links.get(site.db, my.link["id"]), {"rights": []})
    cookie = f"evs-{ref}={value}" + (f"; evs-{ref}={value}" if kind == "cookie twice" else "")
    app = Visitor(site.organiser.app).app
    for method, path in ROUTES:
        part = path.removeprefix("/my/<ref>").strip("/").partition("/")[0]
        if kind == "lacking right" and part not in RIGHT_OF:
            continue
        headers = {"Accept": "text/html", "Cookie": cookie}
        target = address(path, ref, two)
        answer = (
            app.get(target, headers=headers, expect_errors=True)
            if method == "GET"
            else app.post(
                target,
                {
                    "form_token": token,
                    "first_name": "Eve",
                    "last_name": "Eve",
                    "booth_number": "A1",
                    "etag": "x",
                    "reservation_id": "1",
                    "shown": "0" * 64,
                    "agree": "1",
                    "signer_name": "Eve",
                    "action": "draft",
                    "language": "de",
                },
                headers=headers,
                expect_errors=True,
            )
        )
        assert answer.status_int in (wanted, 415, *((422,) if kind == "lacking right" else ())), (
            f"{method} {path}"
        )
        assert "Muster AG" not in answer.text and "SECRET" not in answer.text, f"{method} {path}"
    assert (
        site.organiser.data(f"/booth-reservations?event_participant_id={site.participant['id']}")
        == []
    )
    assert site.organiser.data(f"/participants?host_participant_id={site.participant['id']}") == []


def test_twenty_exhibitors_choose_one_booth(site):
    """One gets it, and each other one reads that it was taken.

    In turns, since WebTest has one thread.
    """
    visitors = [My(*site.visitor(site.exhibitor(f"Company {number}"))) for number in range(20)]
    pages = [my.get("booth") for my in visitors]
    answers = [
        my.visitor.app.post(
            f"{my.home}booth/hold",
            {
                "booth_number": "A1",
                "form_token": re.search(r'name="form_token" value="([^"]+)"', page.text)[1],
            },
            headers=my.visitor.headers,
            expect_errors=True,
        )
        for my, page in zip(visitors, pages, strict=True)
    ]
    assert sorted(answer.status_int for answer in answers) == [303, *[409] * 19]
    assert all(
        "has just been taken" in answer.text for answer in answers if answer.status_int == 409
    )
    assert len(site.organiser.data("/booth-reservations")) == 1
