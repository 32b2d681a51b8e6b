"""A hostile exhibitor, a link in the wrong hands, and two colleagues who do the same thing at once."""

import re

import pytest

from eventapi.domain.access import links
from tests.pages.attack.test_texts import EVIL, LINE, Judge
from tests.pages.conftest import Visitor, token_of
from tests.pages.desk.conftest import sign_in
from tests.pages.my.conftest import My, hidden
from tests.pages.my.test_foreign import ROUTES
from tests.pages.my.test_pages import PAGES, PDF
from tests.support.client import SCOPES, add_key


@pytest.fixture
def mailing(site, settings, monkeypatch):
    """Let the server mail, so that binding steps need a mailed link.

    Return a function that adds a mailed secret.
    """
    monkeypatch.setattr(settings, "smtp_host", "localhost")
    monkeypatch.setattr(settings, "smtp_sender", "office@example.org")

    def mailed(link):
        with site.db.write():
            return links.add_secret(
                site.db, links.get(site.db, link["id"]), "mailed", mailed_to="anna@muster.example"
            )

    return mailed


def held(my, number="A1"):
    """Hold a booth and return the id of the reservation."""
    return hidden(my.send("booth", "booth/hold", {"booth_number": number}).text, "booth/give-back")[
        "reservation_id"
    ]


def filled(my, site, **quantities):
    """Fill the basket, and return the check page."""
    return my.send("orders", "orders", {f"q.{site.power['id']}": "1", **quantities})


def steps(db):
    return db.connection.execute("SELECT entity_type, way FROM binding_steps").fetchall()


# Links and sessions


def test_a_mailed_link_takes_the_place_of_the_session_of_a_shown_one(my, site, mailing):
    """Somebody whom the office has shown an address asks for a mail, opens it in the same browser,
    and may sign.
    """
    address = f"contract/{site.contract()['id']}"
    assert "Accept with binding effect" not in my.get(address).text
    secret = mailing(my.link)
    my.visitor.get(f"/link/{secret}", 200)  # the button, and no way back to the weaker session
    my.visitor.sign_in(secret)
    assert "Accept with binding effect" in my.get(address).text
    with site.db.write():
        shown = links.add_secret(site.db, links.get(site.db, my.link["id"]), "shown")
    my.visitor.get(f"/link/{shown}", 303)  # a weaker address does not replace the stronger session
    assert "Accept with binding effect" in my.get(address).text


def test_no_binding_step_is_taken_in_a_session_of_a_shown_link(my, site, mailing):
    """With forms as the page of a mailed link would have them, and nothing is stored."""
    site.change(booth_confirm="self")
    site.act("participants", site.participant, "confirm")
    contract, reservation = site.contract(), held(my)
    filled(my, site)
    for page, action, fields in (
        (f"contract/{contract['id']}", f"contract/{contract['id']}/accept", {"signer_name": "Eve"}),
        (
            f"booth/confirm/{reservation}",
            f"booth/confirm/{reservation}",
            {"reservation_id": reservation},
        ),
        ("orders/check", "orders/check", {}),
    ):
        strong = My(my.link, Visitor(site.organiser.app))
        strong.visitor.sign_in(mailing(my.link))
        shown = re.search(r'name="shown" value="(\w+)"', strong.get(page).text)[1]
        my.send("", action, {**fields, "shown": shown, "agree": "1"}, 409)
    assert steps(site.db) == []
    assert site.organiser.data("/service-orders")[0]["status"] == "draft"
    assert site.organiser.data("/booth-reservations")[0]["status"] == "pending"
    assert (
        site.organiser.data(f"/documents/{contract['id']}")["contract_status"]
        == "pending_signature"
    )


@pytest.mark.parametrize("path", [path for method, path in ROUTES if method == "POST"])
def test_forms_with_a_foreign_or_forged_token_do_nothing(my, site, path):
    other = My(*site.visitor(site.exhibitor("Other AG")))
    good = token_of(my.get())
    target = (
        re.sub(r"<\w+:int>", "1", path).replace("<ref>", my.link["ref"]).replace("<key>", "text")
    )
    for token in (token_of(other.get()), "", "x", "é", good[:-2], good[::-1], "A" * len(good)):
        answer = my.visitor.app.post(
            target,
            {"form_token": token, "booth_number": "A1"},
            headers=my.visitor.headers,
            expect_errors=True,
        )
        assert answer.status_int in (403, 415), token  # 415: a form with a file
        assert "Muster AG" not in answer.text
    assert site.organiser.data("/booth-reservations") == []


# Values that no page offers


@pytest.mark.parametrize("id", [0, 2**63 - 1, 2**63, 10**30])
@pytest.mark.parametrize(
    "path", [path for method, path in ROUTES if method == "GET" and ":int>" in path]
)
def test_an_id_of_any_size_is_not_found(my, path, id):
    my.send("submissions/file", "submissions/file/file", {"draft": "1"}, upload=("a.pdf", PDF))
    path = re.sub(r"<\w+:int>", str(id), path.removeprefix("/my/<ref>/").replace("<key>", "file"))
    my.get(path, 404)


@pytest.mark.parametrize(
    "path", [path for method, path in ROUTES if method == "POST" and "sign-out" not in path]
)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"etag": ""},
        {
            name: "\u202e\ud7ff'\"<"
            for name in (
                "etag",
                "shown",
                "value",
                "action",
                "reservation_id",
                "booth_number",
                "language",
                "agree",
                "signer_name",
            )
        },
    ],
)
def test_a_form_without_its_fields_or_with_nonsense_is_refused_and_never_an_error(
    my, site, path, given
):
    target = (
        re.sub(r"<\w+:int>", "1", path).replace("<ref>", my.link["ref"]).replace("<key>", "text")
    )
    answer = my.visitor.app.post(
        target,
        {"form_token": token_of(my.get()), **given},
        headers=my.visitor.headers,
        expect_errors=True,
    )
    assert answer.status_int in (200, 303, 404, 409, 412, 415, 422)


@pytest.mark.parametrize(
    "quantity", ["-1", "1.5", "1,5", "1e3", "0x10", "NaN", "inf", "1000001", "9" * 30, "1;2"]
)
def test_a_quantity_is_a_whole_number_in_bounds(my, site, quantity):
    my.send("orders", "orders", {f"q.{site.power['id']}": quantity}, 422)
    assert site.organiser.data("/service-orders") == []


def test_no_form_sets_a_price(my, site):
    wanted = {
        f"{name}.{site.power['id']}": "0" for name in ("p", "price", "unit_price", "discount")
    }
    filled(my, site, **wanted, price="0", total="0", status="confirmed", currency="XTS")
    (order,) = site.organiser.data("/service-orders")
    assert (order["status"], order["total"], order["currency"]) == ("draft", 95.2, "EUR")
    my.send("booth", "booth/hold", {"booth_number": "A1", "final_price": "1"}, 422)
    assert site.organiser.data("/booth-reservations") == []


# The same thing twice, or after it has changed


def test_the_last_piece_is_ordered_once(my, site):
    site.organiser.patch(
        f"/services/{site.power['id']}", {"events": [{"event_key": "fair", "stock": 1}]}, status=200
    )
    other = My(*site.visitor(site.exhibitor("Other AG")))
    pages = [(each, filled(each, site)) for each in (my, other)]
    answers = [
        each.visitor.submit(
            page,
            f"{each.home}orders/check",
            {**hidden(page.text, "orders/check"), "agree": "1"},
            "*",
        )
        for each, page in pages
    ]
    assert [answer.status_int for answer in answers] == [303, 409]
    assert sorted(row["status"] for row in site.organiser.data("/service-orders")) == [
        "draft",
        "submitted",
    ]


def test_a_step_is_recorded_once_however_often_it_is_sent(my, site):
    """Once with the same form, as after a double click, and once with the page of a second tab."""
    site.change(booth_confirm="self")
    site.act("participants", site.participant, "confirm")
    contract, reservation = site.contract(), held(my)
    filled(my, site)
    for path, action, fields in (
        (
            f"contract/{contract['id']}",
            f"contract/{contract['id']}/accept",
            {"signer_name": "Anna"},
        ),
        (
            f"booth/confirm/{reservation}",
            f"booth/confirm/{reservation}",
            {"reservation_id": reservation},
        ),
        ("orders/check", "orders/check", {}),
    ):
        tabs = [my.get(path), my.get(path)]
        shown = re.search(r'name="shown" value="(\w+)"', tabs[0].text)[1]
        fields = {**fields, "shown": shown, "agree": "1"}
        places = [
            my.visitor.submit(tabs[0], my.home + action, fields).headers["Location"]
            for _ in range(2)
        ]
        assert places[0] == places[1], action
        late = my.visitor.submit(tabs[1], my.home + action, fields, "*")
        if action == "orders/check":
            assert (
                late.status_int == 409
                and "something has changed" in late.text
                and "submitted" in late.text
            )
        else:
            assert late.headers["Location"] == places[0]
    assert sorted(kind for kind, _ in steps(site.db)) == [
        "booth_reservation",
        "document",
        "service_order",
    ]
    assert "obligation" not in my.get(f"booth/confirm/{reservation}", 303).text


def test_a_contract_that_was_withdrawn_or_replaced_is_not_accepted(my, site):
    contract = site.contract()
    address = f"contract/{contract['id']}"
    old = my.get(address)
    fields = {**hidden(old.text, f"{address}/accept"), "signer_name": "Anna", "agree": "1"}
    site.act("documents", contract, "void")
    my.visitor.submit(old, f"{my.home}{address}/accept", fields, "*")
    assert site.organiser.data(f"/documents/{contract['id']}")["contract_status"] == "draft"
    site.organiser.patch(
        f"/documents/{contract['id']}", {"content": "<p>We pay double.</p>"}, status=200
    )
    site.act("documents", contract, "request-signature")
    page = my.send(address, f"{address}/accept", {**fields}, 412)
    assert "We pay double." in page.text
    assert (
        site.organiser.data(f"/documents/{contract['id']}")["contract_status"]
        == "pending_signature"
    )
    assert steps(site.db) == []


def test_what_is_not_asked_for_any_more_takes_no_draft(my, site):
    page = "submissions/text"
    my.send(page, page, {"value": "Draft", "action": "draft"})
    fields = hidden(my.get(page).text, page)
    site.organiser.patch(
        f"/submissions/types/{site.kinds['text']['id']}", {"is_active": False}, status=200
    )
    my.send("", page, {**fields, "value": "Other", "action": "submit"}, 422)
    my.send("", f"{page}/submit", fields, 422)
    (stored,) = site.organiser.data("/submissions")
    assert (stored["status"], stored["value"]) == ("pending", "Draft")


# Two colleagues


def colleague(site):
    return My(*site.visitor(name="Bela Nagy"))


def test_the_second_of_two_colleagues_sees_what_the_first_has_written(my, site):
    page, other = "submissions/textarea", colleague(site)
    mine, theirs = my.get(page), other.get(page)
    fields = {**hidden(mine.text, page), "value": "From Anna", "action": "draft"}
    my.visitor.submit(mine, my.home + page, fields)
    refused = other.visitor.submit(
        theirs, other.home + page, {**fields, "value": "From Bela"}, 412
    ).text
    assert "Changed: Content, Status." in refused and "From Anna" in refused
    assert re.search(r"<textarea[^>]*>From Bela</textarea>", refused)
    fields = {**hidden(refused, page), "value": "From both", "action": "submit"}
    theirs = other.visitor.submit(
        theirs, other.home + page, {**fields, "form_token": token_of(other.get())}
    )
    last = my.visitor.submit(
        mine, my.home + page, {"form_token": token_of(my.get()), **fields, "value": "Too late"}, 412
    ).text
    assert "What you typed:" in last and "Too late" in last and "From both" in last
    assert site.organiser.data("/submissions")[0]["value"] == "From both"


def test_two_colleagues_do_not_overwrite_files_or_baskets_unseen(my, site):
    page, other = "submissions/file", colleague(site)
    old = hidden(other.get(page).text, f"{page}/file")
    my.send(page, f"{page}/file", {"draft": "1"}, upload=("first.pdf", PDF))
    refused = other.send(
        page, f"{page}/file", {"draft": "1", **old}, 412, upload=("second.pdf", PDF)
    ).text
    assert "Changed: File, Status." in refused and "first.pdf" in refused
    old = hidden(other.get(page).text, f"{page}/submit")
    my.send(page, f"{page}/file", {"draft": "1"}, upload=("third.pdf", PDF))
    assert "Changed: File." in other.send(page, f"{page}/submit", old, 412).text
    old = hidden(other.get("orders").text, "orders")
    filled(my, site)
    refused = other.send("orders", "orders", {**old, f"q.{site.book['id']}": "2"}, 412).text
    assert "Changed: Basket." in refused and re.search(
        rf'name="q.{site.book["id"]}"[^>]* value="2"', refused
    )
    assert site.organiser.data("/service-orders")[0]["total"] == 95.2


def test_back_and_resend_does_the_thing_once_and_another_value_is_refused(my, site):
    page = my.get("badges")
    fields = {"first_name": "Bela", "last_name": "Nagy"}
    for _ in range(3):
        my.visitor.submit(page, f"{my.home}badges", fields)
    refused = my.visitor.submit(
        page, f"{my.home}badges", {**fields, "first_name": "Cara"}, 422
    ).text
    assert 'value="Cara"' in refused
    assert (
        len(site.organiser.data(f"/participants?host_participant_id={site.participant['id']}")) == 1
    )


# What the exhibitor types, as others see it


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../etc/a.pdf", "a.pdf"),
        ("C:\\temp\\a.pdf", "a.pdf"),
        ("fdp.\u202eexe.pdf", "fdp._exe.pdf"),
        ("a\x07.pdf", "a_.pdf"),
        ("<b>.pdf", "<b>.pdf"),
        ("a.pdf.exe", None),
        ("", None),
        ("..", None),
        ("x/", None),
    ],
)
def test_the_name_of_a_file_is_harmless(my, site, name, stored):
    my.send(
        "submissions/file",
        "submissions/file/file",
        {"draft": "1"},
        303 if stored else 422,
        (name, PDF),
    )
    assert [
        each["filename"]
        for each in site.organiser.data(
            f"/documents?entity_type=event_participant&entity_id={site.participant['id']}"
        )
    ] == ([stored] if stored else [])


def test_texts_of_an_exhibitor_are_texts_on_all_pages(my, site):
    """On its own pages, on those of the office, and on the public ones."""
    site.change(is_public=True)
    for kind, value in (("text", LINE), ("textarea", EVIL), ("url", "https://x.example/'\"><xss")):
        my.send(f"submissions/{kind}", f"submissions/{kind}", {"value": value, "action": "submit"})
    my.send("submissions/file", "submissions/file/file", upload=("<xss onx=1>'.pdf", PDF))
    my.send(
        "profile",
        "profile",
        {
            "is_listed": "1",
            "display_name": LINE,
            "text_en": EVIL,
            "text_de": EVIL,
            "products": LINE,
            "phone": LINE[:40],
        },
    )
    site.organiser.patch(
        f"/services/{site.power['id']}", {"requires_specification": True}, status=200
    )
    page = my.send(
        "orders", "orders", {f"q.{site.power['id']}": "1", f"s.{site.power['id']}": EVIL}
    )
    my.send("orders/check", "orders/check", {"agree": "1", **hidden(page.text, "orders/check")})
    contract = f"contract/{site.contract()['id']}"
    my.send(contract, f"{contract}/accept", {"signer_name": LINE, "agree": "1"})
    declined = f"contract/{site.contract()['id']}"
    my.send(declined, f"{declined}/decline", {"reason": EVIL})
    my.send("badges", "badges", {"first_name": LINE, "last_name": LINE})
    site.act("participants", site.participant, "confirm")
    own = [my.get(page) for page in (*PAGES, contract, "submissions/textarea", "submissions/url")]
    public = [
        site.organiser.app.get(f"/e/fair/exhibitors{path}", headers={"Accept": "text/html"})
        for path in ("", f"/{site.participant['id']}-x")
    ]
    desk = office(site)
    seen = [Judge(page.text) for page in (*own, *public, *desk)]
    assert {str(wrong) for judge in seen for wrong in judge.wrong} <= {
        "progress",
        "small",
        "tfoot",
        "time",
    }
    assert sum("7*7" in "".join(judge.texts) for judge in seen) > 8
    assert all("X-Evil" not in page.headers for page in (*own, *public, *desk))


def office(site):
    """Return the pages of the desk that show what the exhibitor has typed."""
    visitor, me = Visitor(site.organiser.app), site.participant
    sign_in(visitor, add_key(site.db, SCOPES))
    (staff,) = site.organiser.data(f"/participants?host_participant_id={me['id']}")
    pages = (
        "",
        "exhibitors",
        f"exhibitors/{me['id']}",
        f"exhibitors/{staff['id']}",
        "exhibitors/submissions",
        "exhibitors/orders",
        "exhibitors/new",
        "money",
        "hall",
        "search",
        f"contacts/{me['contact_id']}",
        f"contacts/{staff['contact_id']}",
        "tasks",
    )
    return [visitor.get(f"/desk/{page}") for page in pages]
