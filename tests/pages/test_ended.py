"""The page that says that a session has ended: what was typed stands under the labels of the form,
in its language.
"""

import re

import pytest
from bs4 import BeautifulSoup

from eventapi.pages.desk import actions, edit
from eventapi.plugins import sessions
from tests.pages.desk.conftest import busy_fair, desk, fair, office  # noqa: F401
from tests.pages.desk.test_scopes import PAGES
from tests.pages.my.conftest import My, clock, hidden, new_site, site  # noqa: F401

# Fields of forms that people see and that hold no text of theirs: ticks and choices of a record by
# its id.
CHOICES = {
    "ids",
    "letters",
    "agree",
    "draft",
    "auto",
    "booth_id",
    "contact_id",
    "event_participant_id",
    "plan_id",
    "own_device",
}


def ended(visitor, page, action, fields):
    """Sign out in another tab, then send a form of a page.

    Return [(label, text)] and the page that answers.
    """
    home = re.match(r"/(?:desk|(?:my|apply)/[a-z]{8})/", action)[0]
    visitor.submit(page, f"{home}sign-out", status=200)
    answer = visitor.submit(page, action, fields, 403)
    form = BeautifulSoup(answer.text, "html.parser")
    return [
        (form.find("label", attrs={"for": each["id"]}).text, each.text.removeprefix("\n"))
        for each in form.find_all("textarea")
    ], answer


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
            "Your session has ended, so nothing was stored. Here is what you typed.",
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
            "Ihre Sitzung ist beendet, deshalb wurde nichts gespeichert. Hier steht, was Sie eingegeben haben.",
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
    assert "etag" not in answer and not re.search(r"[0-9a-f]{8}", kept[0][1])


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
def test_a_form_that_is_sent_to_the_pages_of_another_kind_of_link_is_not_kept(
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
    assert (
        "Please open your link again" in answer
        and "Rosen" not in answer
        and "<textarea" not in answer
    )


def test_a_form_without_the_token_of_its_link_is_not_kept(site):  # noqa: F811
    link, visitor = site.visitor()
    my = My(link, visitor)
    page = my.get("profile")
    fields = {**hidden(page.text, "profile"), **PROFILE, "form_token": "A" * 43 + "="}
    kept, answer = ended(visitor, page, f"{my.home}profile", fields)
    assert kept == [] and "Here is what you typed" not in answer and "Rosen &" not in answer


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
        cookie = list(visitor.app.cookiejar)
        visitor.submit(page, "/desk/sign-out", status=200)
        for each in cookie:
            # the session has ended otherwise than by signing out
            visitor.app.cookiejar.set_cookie(each)
        answer = visitor.submit(page, "/desk/do/create_note", fields, 403)
        form = BeautifulSoup(answer.text, "html.parser")
        assert [
            (each.text, form.find(id=each["for"]).text.strip()) for each in form.find_all("label")
        ] == [(label, "An hour of typing")]


def test_a_form_without_a_text_says_only_that_nothing_was_stored(site):  # noqa: F811
    link, visitor = site.visitor()
    my = My(link, visitor)
    kept, answer = ended(visitor, my.get("booth"), f"{my.home}booth/hold", {"booth_number": "A1"})
    assert kept == [] and "Your session has ended, so nothing was stored." in answer
    assert "Here is what you typed" not in answer and "A1" not in answer


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
        )
    )


def test_every_field_of_the_desk_into_which_people_type_has_a_label(office, busy_fair, monkeypatch):  # noqa: F811
    """The page says the label in both languages, and never the name of the field."""
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)
    found = set()
    for page in (
        *PAGES,
        *(f"edit/{kind}{id}" for kind in edit.KINDS for id in ("", "/1")),
        *(f"do/{name}{id}" for name in actions.BUTTONS for id in ("", "/1")),
    ):
        found.update(
            name for form in forms(office.get(f"/desk/{page}", "*")) for name in typed(form)
        )
    page, cookies = office.get("/desk/"), list(office.app.cookiejar)
    office.submit(page, "/desk/sign-out", status=200)
    for language in ("en", "de"):
        office.headers["Accept-Language"] = language
        for each in cookies:
            office.app.cookiejar.set_cookie(each)
        answer = office.submit(
            page, "/desk/do/create_task", {name: f"=typed {name}" for name in found}, 403
        )
        form = BeautifulSoup(answer.text, "html.parser")
        labels = {
            each.text.removeprefix("\n"): form.find("label", attrs={"for": each["id"]}).text
            for each in form.find_all("textarea")
        }
        assert {text.removeprefix("=typed ") for text in labels} == found
        assert [
            label for label in labels.values() if "_" in label or "/" in label or not label.strip()
        ] == []


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
