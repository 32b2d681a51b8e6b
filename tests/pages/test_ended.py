"""A save after the end of a session: what was typed stands under the labels of the form, in its
language, and is saved once somebody has signed in again.
"""

import re
from datetime import timedelta

import pytest
from bs4 import BeautifulSoup

from eventapi import app as application
from eventapi.config import option
from eventapi.domain.access import links, people
from eventapi.pages.desk import actions, kinds
from eventapi.plugins import sessions
from eventapi.web.html import ended as ended_page
from eventapi.web.html import page_requests, typed_fields
from tests.pages.conftest import Visitor
from tests.pages.desk.conftest import busy_fair, desk, fair, office, sign_in  # noqa: F401
from tests.pages.desk.test_scopes import PAGES
from tests.pages.my.conftest import My, clock, hidden, new_site, site  # noqa: F401
from tests.support import batches

PDF = b"%PDF-1.4\n%%EOF\n"
# Fields of forms that people see and that hold no text of theirs: ticks and choices of a record by
# its id.
CHOICES = {
    "ids",
    "keep_links",
    "letters",
    "agree",
    "draft",
    "auto",
    "booth_id",
    "contact_id",
    "event_participant_id",
    "plan_id",
    "own_device",
    "scope",
}


def ended(visitor, page, action, fields):
    """Sign out in another tab, then send a form of a page.

    Return [(label, text)] and the page that answers.
    """
    home = re.match(r"/(?:desk|(?:my|apply)/[a-z]{8})/", action)[0]
    visitor.submit(visitor.get(home), f"{home}sign-out", status=200)
    answer = visitor.submit(page, action, fields, 403)
    return shown(answer), answer


def shown(answer):
    """Return [(label, text)] of what was typed, as the page shows it."""
    page = BeautifulSoup(answer.text, "html.parser")
    return [(each.find("dt").text, each.find("dd").text) for each in page.select("dl > div")]


def hidden_of(answer):
    """Return [(name, text)] of the hidden fields of the only form of the page, but for the token of
    the sign-in. None without a form.

    The form has no action, so it is sent to the address of the page.
    """
    (form,) = BeautifulSoup(answer.text, "html.parser").find_all("form") or (None,)
    if form is None:
        return None
    assert form["method"] == "post" and not form.get("action") and not form.get("enctype")
    fields = form.find_all("input", type="hidden")
    return [(each["name"], each["value"]) for each in fields if each["name"] != "sign_in_token"]


def send_again(visitor, answer, action, status=303, **more):
    """Press the button of somebody who has signed in in another tab."""
    fields = [*hidden_of(answer), ("sign_in_done", "1"), *more.items()]
    return visitor.post(action, fields, status)


def open_again(site, my):  # noqa: F811
    """Open the link of an exhibitor in another tab of the browser."""
    with site.db.write():
        secret = links.add_secret(site.db, my.link, "shown")
    my.visitor.sign_in(secret)


PROFILE = {
    "is_listed": "1",
    "display_name": "Rosen & Söhne",
    "text_de": "Erste\nZweite",
    "text_en": "",
    "products": "Rosen",
    "website": "",
    "email": "",
    "phone": "",
    "links": "",
}


@pytest.mark.parametrize(
    "language, browser, labels, said",
    [
        (
            "en",
            "de",
            [
                "List us on the public pages",
                "Name on the pages",
                "Text in German",
                "Products and brands",
            ],
            "Nothing is lost.",
        ),
        (
            "de",
            "en",
            [
                "Uns auf den öffentlichen Seiten aufführen",
                "Name auf den Seiten",
                "Text auf Deutsch",
                "Produkte und Marken",
            ],
            "Nichts ist verloren.",
        ),
    ],
)
def test_what_was_typed_stands_under_its_labels_in_the_language_of_the_link(
    site,  # noqa: F811
    language,
    browser,
    labels,
    said,
):
    link, visitor = site.visitor(language=browser)
    site.db.connection.execute("UPDATE links SET language = ? WHERE id = ?", (language, link["id"]))
    my = My(link, visitor)
    page = my.get("profile")
    visitor.headers["Accept-Language"] = browser
    kept, answer = ended(
        visitor, page, f"{my.home}profile", {**hidden(page.text, "profile"), **PROFILE}
    )
    assert [label for label, _ in kept] == labels
    yes = {"en": "yes", "de": "ja"}[language]
    assert [text for _, text in kept] == [yes, "Rosen & Söhne", "Erste\nZweite", "Rosen"]
    assert f'<html lang="{language}">' in answer and said in answer
    assert not re.search(r"[0-9a-f]{8}", kept[0][1])


def test_quantities_stand_under_the_names_of_their_services(site):  # noqa: F811
    link, visitor = site.visitor()
    my, power = My(link, visitor), site.power["id"]
    page = my.get("orders")
    other = next(id for id in re.findall(r'name="q\.(\d+)"', page.text) if id != str(power))
    fields = {
        **hidden(page.text, "orders"),
        f"q.{power}": "3",
        f"s.{power}": "Left",
        f"q.{other}": "0",
        "q.999": "1",
    }
    kept, _ = ended(visitor, page, f"{my.home}orders", fields)
    assert kept == [
        (f"{site.power['service_name']}: Quantity", "3"),
        (f"{site.power['service_name']}: Details", "Left"),
    ]


def test_an_answer_of_an_applicant_is_kept(site, organiser):  # noqa: F811
    application = organiser.make(
        "/applications",
        {"event_keys": ["fair"], "last_name": "Rosen", "email": "ada@rosen.example"},
    )
    for action, body in (("review", None), ("request-info", {"question": "How large?"})):
        organiser.post(f"/applications/{application['id']}/{action}", body, status=200)
    link, visitor, _ = site.open_link(
        "application",
        event_id=site.event["id"],
        application_id=application["id"],
        email="ada@rosen.example",
        language="en",
    )
    page = visitor.get(f"/apply/{link['ref']}/")
    kept, _ = ended(visitor, page, f"/apply/{link['ref']}/answer", {"answer": "Twelve metres"})
    assert kept == [("Your answer", "Twelve metres")]


@pytest.mark.parametrize("form", ["orders", "profile"])
def test_a_form_that_is_sent_to_the_pages_of_another_kind_of_link_cannot_be_sent_again(
    site,  # noqa: F811
    organiser,
    form,
):
    application = organiser.make(
        "/applications",
        {"event_keys": ["fair"], "last_name": "Rosen", "email": "ada@rosen.example"},
    )
    link, visitor, _ = site.open_link(
        "application",
        event_id=site.event["id"],
        application_id=application["id"],
        email="ada@rosen.example",
        language="en",
    )
    page = visitor.get(f"/apply/{link['ref']}/")
    visitor.submit(page, f"/apply/{link['ref']}/sign-out", status=200)
    answer = visitor.submit(
        page, f"/my/{link['ref']}/{form}", {"q.1": "3", "display_name": "Rosen"}, 403
    )
    assert "Please open your link again" in answer and hidden_of(answer) is None
    texts = [("Name on the pages", "Rosen")]
    assert shown(answer) == (texts if form == "profile" else [])  # services are those of a link


def test_a_form_without_the_token_of_its_link_is_only_shown(site):  # noqa: F811
    link, visitor = site.visitor()
    my = My(link, visitor)
    page = my.get("profile")
    fields = {**hidden(page.text, "profile"), **PROFILE, "form_token": "A" * 43 + "="}
    kept, answer = ended(visitor, page, f"{my.home}profile", fields)
    assert ("Name on the pages", "Rosen & Söhne") in kept and hidden_of(answer) is None


def test_a_note_at_the_desk_is_kept_without_what_says_what_it_is_about(desk, fair):  # noqa: F811
    for language, label in (("en", "Note"), ("de", "Notiz")):
        visitor = desk(language=language)
        page = visitor.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
        fields = {
            "entity_type": "contact",
            "entity_id": "1",
            "note_text": "An hour of typing",
            "back": "tasks",
        }
        visitor.submit(page, "/desk/sign-out", status=200)
        answer = visitor.submit(page, "/desk/do/create_note", fields, 403)
        assert shown(answer) == [(label, "An hour of typing")]


def test_a_button_without_a_text_can_be_pressed_again(site):  # noqa: F811
    link, visitor = site.visitor()
    my = My(link, visitor)
    kept, answer = ended(visitor, my.get("booth"), f"{my.home}booth/hold", {"booth_number": "A1"})
    assert kept == [] and "Your session has ended" in answer and "What you typed" not in answer
    assert dict(hidden_of(answer))["booth_number"] == "A1"


def forms(page):
    """Return the forms of a page that are sent, without those for files, whose texts are not kept."""
    return [
        form
        for form in BeautifulSoup(page.text, "html.parser").find_all("form", method="post")
        if not form.get("enctype")
    ]


def typed(form):
    """Return the names of the fields of a form into which people type."""
    return list(
        dict.fromkeys(
            field["name"]
            for field in form.find_all(["input", "textarea", "select"])
            if field.get("type") not in ("hidden", "file", "submit")
            and field.get("name")
            and field["name"] not in CHOICES
            and not field["name"].endswith(".picked")  # beside the text of a colour
        )
    )


def test_every_field_of_the_desk_into_which_people_type_has_a_label(office, busy_fair, monkeypatch):  # noqa: F811
    """The page says the label in both languages, and never the name of the field."""
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)
    found = set()
    for page in (
        # what is typed to try the form of exhibitors is never saved
        *(page for page in PAGES if not page.startswith("company") and not page.endswith("trial")),
        *(f"edit/{kind}{id}" for kind in kinds.KINDS for id in ("", "/1")),
        *(f"do/{name}{id}" for name in actions.buttons() for id in ("", "/1")),
    ):
        found.update(
            name for form in forms(office.get(f"/desk/{page}", "*")) for name in typed(form)
        )
    page = office.get("/desk/")
    office.submit(page, "/desk/sign-out", status=200)
    for language in ("en", "de"):
        office.headers["Accept-Language"] = language
        answer = office.submit(
            page, "/desk/company/company", {name: f"=typed {name}" for name in found}, 403
        )
        labels = {text: label for label, text in shown(answer)}
        assert {text.removeprefix("=typed ") for text in labels} == found
        assert [
            label for label in labels.values() if "_" in label or "/" in label or not label.strip()
        ] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_field_of_the_office_into_which_people_type_has_a_label(app, db, busy_fair, language):  # noqa: F811
    """Those of settings, of the team, and of a person's own account."""
    visitor = Visitor(app, language)
    with db.write():
        id = people.invite(db, "Carla Weiß", "carla@messe.example", "owner")
        secret = people.make_secret(db, id, way="shown", lasts=timedelta(minutes=30))
    visitor.sign_in(secret)
    texts = page_requests.words("eventapi.pages.office", language)
    found = {}
    for route in application.routes():
        is_page = route.method == "GET" and route.options.session == "admin"
        if is_page and route.handler.__module__.startswith("eventapi.pages.office"):
            for page in option.PAGES if "<page>" in route.path else ("",):
                path = route.path.replace("<page>", page).replace("<id>", str(id))
                answer = visitor.get(path, "*")
                if answer.content_type != "text/html":
                    continue
                for name in (name for form in forms(answer) for name in typed(form)):
                    found[name] = typed_fields.label_of(name, texts)
    assert {"payment_tolerance", "tax_basis/since", "email"} < found.keys()
    unlabelled = {name for name, label in found.items() if not label}
    assert {name for name in unlabelled if not ended_page.is_secret(name)} == set()


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_field_of_an_exhibitor_into_which_people_type_has_a_label(
    site,  # noqa: F811
    language,
    monkeypatch,
):
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)
    contract, checked = site.contract(), 0
    for name in (
        "profile",
        "orders",
        f"contract/{contract['id']}",
        "badges",
        "submissions/text",
        "submissions/textarea",
        "submissions/url",
        "submissions/checkbox",
    ):
        for form in forms(My(*site.visitor(language=language)).get(name)):
            if names := typed(form):
                my = My(*site.visitor(language=language))
                action = my.home + form["action"].partition("/my/")[2].partition("/")[2]
                kept, _ = ended(
                    my.visitor,
                    my.get(name),
                    action,
                    {each: f"7{place}" for place, each in enumerate(names)},
                )
                assert len(kept) == len(names), (name, kept)
                assert not [label for label, _ in kept if re.search(r"_|^[qs]\.|^value$", label)], (
                    kept
                )
                checked += 1
    assert checked >= 7


@pytest.mark.parametrize("language, other", [("en", "de"), ("de", "en")])
def test_a_page_about_a_problem_has_the_language_of_the_link(site, language, other):  # noqa: F811
    link, visitor = site.visitor(language=other)
    site.db.connection.execute("UPDATE links SET language = ? WHERE id = ?", (language, link["id"]))
    assert f'<html lang="{language}">' in visitor.get(f"/my/{link['ref']}/submissions/nothing", 404)


# Sending it again


def test_a_save_at_the_desk_is_sent_again_after_a_sign_in_in_another_tab(desk, fair, organiser):  # noqa: F811
    visitor = desk()
    action = f"/desk/edit/contacts/{fair.contact['id']}"
    page = visitor.get(action)
    form = next(form for form in page.forms.values() if "company_name" in form.fields)
    texts = dict(form.submit_fields())
    texts |= {"company_name": 'Papier & "Farbe"', "notes": "Erste\n\n  Zweite <b>"}
    _, answer = ended(visitor, page, action, texts)
    assert ("Company", 'Papier & "Farbe"') in shown(answer)
    # the tab was not left yet
    waits = send_again(visitor, answer, action, 403)
    assert "Nobody has signed in here yet" in waits and hidden_of(waits) == hidden_of(answer)
    sign_in(visitor, visitor.key)
    send_again(visitor, waits, action)
    stored = organiser.data(f"/contacts/{fair.contact['id']}")
    assert stored["company_name"] == 'Papier & "Farbe"'
    assert stored["notes"] == "Erste\n\n  Zweite <b>"


def test_what_somebody_else_has_changed_meanwhile_is_not_overwritten(desk, fair, organiser):  # noqa: F811
    visitor = desk()
    action = f"/desk/edit/contacts/{fair.contact['id']}"
    page = visitor.get(action)
    tag = re.search(r'name="tag" value="([^"]+)"', page.text)[1].replace("&quot;", '"')
    fields = {"tag": tag, "company_name": "Mine", "country": "DE"}
    _, answer = ended(visitor, page, action, fields)
    organiser.patch(f"/contacts/{fair.contact['id']}", {"company_name": "Theirs"}, status=200)
    sign_in(visitor, visitor.key)
    assert "Mine" in send_again(visitor, answer, action, 412)
    assert organiser.data(f"/contacts/{fair.contact['id']}")["company_name"] == "Theirs"


def test_a_save_of_an_exhibitor_is_sent_again_after_the_link_was_opened_again(site):  # noqa: F811
    my = My(*site.visitor())
    action = f"{my.home}profile"
    page = my.get("profile")
    fields = {**hidden(page.text, "profile"), **PROFILE}
    _, answer = ended(my.visitor, page, action, fields)
    assert "Nobody has signed in here yet" in send_again(my.visitor, answer, action, 403)
    open_again(site, my)
    send_again(my.visitor, answer, action)
    profile = site.organiser.data(f"/participants/{site.participant['id']}/profile")
    assert profile["display_name"] == "Rosen & Söhne"
    assert profile["texts"] == {"de": "Erste\nZweite"}


def test_an_answer_of_an_applicant_is_sent_again(site, organiser, db):  # noqa: F811
    application = organiser.make(
        "/applications",
        {"event_keys": ["fair"], "last_name": "Rosen", "email": "ada@rosen.example"},
    )
    for action, body in (("review", None), ("request-info", {"question": "How large?"})):
        organiser.post(f"/applications/{application['id']}/{action}", body, status=200)
    link, visitor, _ = site.open_link(
        "application",
        event_id=site.event["id"],
        application_id=application["id"],
        email="ada@rosen.example",
    )
    action = f"/apply/{link['ref']}/answer"
    page = visitor.get(f"/apply/{link['ref']}/")
    _, answer = ended(visitor, page, action, {"answer": "Twelve metres"})
    with db.write():
        secret = links.add_secret(db, link, "shown")
    visitor.sign_in(secret)
    send_again(visitor, answer, action)
    stored = organiser.data(f"/applications/{application['id']}")
    assert "Twelve metres" in str(stored)


def test_a_form_that_was_saved_already_leads_to_the_same_place(desk, fair, organiser):  # noqa: F811
    """The answer of the first time was lost, and the session ended before it was sent again."""
    visitor = desk()
    page = visitor.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    action = "/desk/do/create_note"
    fields = {
        "entity_type": "contact",
        "entity_id": str(fair.contact["id"]),
        "note_text": "Once",
        "back": "tasks",
    }
    first = visitor.submit(page, action, fields)
    _, answer = ended(visitor, page, action, fields)
    sign_in(visitor, visitor.key)
    again = send_again(visitor, answer, action)
    assert again.headers["Location"] == first.headers["Location"]
    assert len(organiser.data(f"/notes?entity_type=contact&entity_id={fair.contact['id']}")) == 1


def test_with_an_open_session_the_fields_of_the_sign_in_are_no_part_of_the_form(
    desk,  # noqa: F811
    fair,  # noqa: F811
    organiser,
    db,
):
    visitor = desk()
    page = visitor.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    fields = {"entity_type": "contact", "entity_id": str(fair.contact["id"]), "note_text": "Plain"}
    places = [
        visitor.submit(page, "/desk/do/create_note", {**fields, **more}).headers["Location"]
        for more in (
            {},
            {"sign_in_email": "eve@mail.example", "sign_in_password": "a password of 20"},
            {"sign_in_password": "another", "sign_in_code": "123456", "sign_in_token": "x"},
        )
    ]
    assert len(set(places)) == 1
    assert len(organiser.data(f"/notes?entity_type=contact&entity_id={fair.contact['id']}")) == 1
    assert "a password of 20" not in "\n".join(db.connection.iterdump())


def test_what_another_person_has_begun_is_shown_and_not_saved(desk, fair, organiser):  # noqa: F811
    visitor, eve = desk(), desk(name="Eve")
    page = visitor.get(f"/desk/exhibitors/{fair.exhibitor['id']}")
    fields = {
        "entity_type": "contact",
        "entity_id": str(fair.contact["id"]),
        "note_text": "An hour of typing",
    }
    _, answer = ended(visitor, page, "/desk/do/create_note", fields)
    sign_in(visitor, eve.key)
    for token in (dict(hidden_of(answer))["form_token"], "", "A" * 43 + "=", None):
        sent = dict(hidden_of(answer))
        sent.pop("form_token")
        if token is not None:
            sent["form_token"] = token
        refused = visitor.post("/desk/do/create_note", {**sent, "sign_in_done": "1"}, 403)
        assert "Somebody else has begun this" in refused and hidden_of(refused) is None
        assert shown(refused) == [("Note", "An hour of typing")]
    assert organiser.data(f"/notes?entity_type=contact&entity_id={fair.contact['id']}") == []


def test_what_another_exhibitor_has_begun_is_shown_and_not_saved(site):  # noqa: F811
    my, other = My(*site.visitor()), My(*site.visitor(site.exhibitor("Other AG"), language="de"))
    page = other.get("profile")
    fields = {**hidden(page.text, "profile"), **PROFILE}
    refused = my.visitor.submit(page, f"{my.home}profile", fields, 403)
    assert "Somebody else has begun this" in refused and hidden_of(refused) is None
    assert ("Name on the pages", "Rosen & Söhne") in shown(refused)
    assert site.organiser.data(f"/participants/{site.participant['id']}/profile")["texts"] == {}


FOREIGN = (
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
)


@pytest.mark.parametrize("place", ["desk/do/create_note", "my/abcdefgh/profile"])
@pytest.mark.parametrize("headers", FOREIGN)
def test_a_form_of_another_site_is_neither_shown_nor_sent_again(app, organiser, place, headers):
    fields = {"note_text": "SECRET", "display_name": "SECRET", "sign_in_done": "1"}
    answer = Visitor(app).post(f"/{place}", fields, 403, headers)
    assert "another web site" in answer and "SECRET" not in answer


def test_passwords_and_codes_are_neither_shown_nor_sent_again(desk, fair):  # noqa: F811
    visitor = desk()
    page = visitor.get("/desk/")
    secrets = {
        name: "HIDDEN-" + name
        for name in (
            "password",
            "old_password",
            "new_password",
            "code",
            "pending",
            "secret",
            "totp_secret",
            "sign_in_password",
            "sign_in_code",
            "sign_in_token",
        )
    }
    fields = {"note_text": "Kept", "postal_code": "01097", "sign_in_email": "a@b.example"}
    fields |= secrets
    _, answer = ended(visitor, page, "/desk/do/create_note", fields)
    assert "HIDDEN" not in answer
    assert {"note_text", "postal_code", "form_token"} == {name for name, _ in hidden_of(answer)}


def test_a_form_that_is_nearly_too_large_is_shown_and_cannot_be_sent_again(desk):  # noqa: F811
    """What somebody types to sign in must fit beside it."""
    visitor = desk()
    page = visitor.get("/desk/")
    visitor.submit(page, "/desk/sign-out", status=200)
    for size, can_be_sent in ((400_000, True), (520_000, False)):
        answer = visitor.submit(page, "/desk/do/create_note", {"note_text": "a" * size}, 403)
        assert shown(answer) == [("Note", "a" * size)]
        assert (hidden_of(answer) is not None) == can_be_sent
        assert ("too much to be saved" in answer) != can_be_sent
    for count, can_be_sent in ((2980, True), (2995, False)):
        fields = [("ids", str(place)) for place in range(count)]
        fields.append(("form_token", "x"))
        answer = visitor.post("/desk/batch/invoices/send", fields, 403)
        assert (hidden_of(answer) is not None) == can_be_sent


def test_a_batch_loses_nothing(desk, fair, organiser):  # noqa: F811
    visitor = desk()
    ids = [fair.application["id"], 999]
    page = batches.tried(visitor, visitor.get("/desk/applications"), "applications/reject", ids)
    action = "/desk/batch/applications/reject"
    fields = [*(batches.form_of(page) | {"reason": "No room", "sure": "1"}).items()]
    visitor.submit(page, "/desk/sign-out", status=200)
    answer = visitor.post(action, fields, 403)
    assert shown(answer) == [("Reason", "No room")] and hidden_of(answer) == fields
    assert "sign_in_password" not in answer
    sign_in(visitor, visitor.key)
    send_again(visitor, answer, action, 303)
    stored = organiser.data(f"/applications/{fair.application['id']}")
    assert (stored["status"], stored["decision_reason"]) == ("rejected", "No room")


def test_a_file_is_chosen_again_beside_the_texts_of_its_form(site):  # noqa: F811
    my = My(*site.visitor())
    page = my.get("submissions/file")
    action = f"{my.home}submissions/file/file"
    my.visitor.submit(page, f"{my.home}sign-out", status=200)
    fields = {**hidden(page.text, "submissions/file/file"), "draft": "1"}
    answer = my.visitor.submit(page, action, fields, 403, ("plan.pdf", b"%PDF-1.7 SECRET"))
    assert "Please choose the file again" in answer and "SECRET" not in answer
    assert dict(hidden_of(answer)).keys() == {"form_token", "etag", "draft"}
    open_again(site, my)
    form = send_again(my.visitor, answer, action, 422)
    assert re.search(r'name="draft" value="1"\s+checked', form.text) and 'id="e-file"' in form
    my.send("submissions/file", "submissions/file/file", {"draft": "1"}, upload=("a.pdf", PDF))


def test_a_bank_statement_is_chosen_again_at_the_desk(desk):  # noqa: F811
    visitor = desk()
    page = visitor.get("/desk/money/bank")
    visitor.submit(page, "/desk/sign-out", status=200)
    action = "/desk/money/statement"
    answer = visitor.submit(page, action, {"ask": "1"}, 403, ("a.csv", b"SECRET"))
    assert "Please choose the file again" in answer and "SECRET" not in answer
    assert "sign_in_password" not in answer
    sign_in(visitor, visitor.key)
    form = send_again(visitor, answer, action, 422)
    assert re.search(r'name="ask" value="1"\s+checked', form.text)
    assert not re.search(r'name="auto" value="1"\s+checked', form.text)


def test_signing_out_after_the_end_keeps_no_form(desk):  # noqa: F811
    visitor = desk()
    page = visitor.get("/desk/")
    visitor.submit(page, "/desk/sign-out", status=200)
    answer = visitor.submit(page, "/desk/sign-out", status=403)
    assert hidden_of(answer) is None and "There is no session here" in answer


def test_the_hash_that_is_stored_of_a_form_knows_nothing_of_a_password(desk, fair, db):  # noqa: F811
    """Neither its texts nor its length."""
    visitor = desk()
    fields = {"entity_type": "contact", "entity_id": str(fair.contact["id"]), "note_text": "Same"}
    for password in ("short", "a much longer password"):
        page = visitor.get("/desk/")
        visitor.submit(page, "/desk/do/create_note", {**fields, "sign_in_password": password})
    stored = db.connection.execute("SELECT count(*), count(DISTINCT fingerprint) FROM sent_forms")
    assert tuple(stored.fetchone()) == (2, 1)
