"""The help of the desk: jobs in a few steps, whose links lead to pages that exist."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest

from eventapi.pages.desk import labels
from eventapi.pages.desk.help import JOBS
from eventapi.pages.office.menu import HELP
from eventapi.web.html.page_requests import words

TITLES = {
    "en": [
        "Create a new event",
        "Open the application form",
        "Decide on applications",
        "Give out booths",
        "Collect documents",
        "Give exhibitors access",
        "Send contracts",
        "Write and send invoices",
        "Book payments and send reminders",
        "Somebody moves or cancels",
        "Visitors, badges and doors",
    ],
    "de": [
        "Eine neue Veranstaltung anlegen",
        "Das Anmeldeformular öffnen",
        "Über Anmeldungen entscheiden",
        "Stände vergeben",
        "Unterlagen einsammeln",
        "Ausstellern Zugang geben",
        "Verträge schicken",
        "Rechnungen schreiben und senden",
        "Zahlungen buchen und mahnen",
        "Jemand zieht um oder sagt ab",
        "Besucher, Ausweise und Einlass",
    ],
}


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_job_has_at_most_eight_steps_and_each_link_leads_to_a_page(desk, fair, language):
    owner = desk(language=language)
    page = owner.get("/desk/help").text.partition("<main")[2]
    assert re.findall(r"<h2>(.*?)</h2>", page) == TITLES[language]
    lists = re.findall(r'<ol class="steps">(.*?)</ol>', page, re.S)
    assert len(lists) == len(TITLES[language])
    for steps in lists:
        assert 1 <= steps.count("<li>") <= 8
        for address in re.findall(r'href="([^"]*)"', steps):
            owner.get(urljoin("/desk/help", unescape(address)), status=(200, 308))


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_step_has_a_link_if_its_text_has_brackets(language):
    texts = words(labels.PACKAGE, language)
    for name, addresses in JOBS.items():
        for number, address in enumerate(addresses, start=1):
            assert ("[" in texts[f"job_{name}_{number}"]) == (address is not None), (name, number)


def test_everybody_at_the_desk_may_read_the_help(desk, fair):
    assert "Create a new event" in desk("checkins:read").get("/desk/help")


@pytest.mark.parametrize(
    ("address", "job"),
    [
        ("", None),
        ("log", None),
        ("help", None),
        ("search?q=rosen", None),
        ("applications/1", "applications"),
        ("exhibitors/1", "changes"),
        ("exhibitors/remind", "submissions"),
        ("booths/1", "booths"),
        ("hall/holds", "booths"),
        ("money?show=all", "invoices"),
        ("money/bank/rules", "bank"),
        ("setup", "show"),
        ("setup/details", "show"),
        ("setup/apply/texts", "form"),
        ("setup/website/picture", "show"),
        ("edit/categories", "form"),
        ("edit/contacts/1", None),
        ("company/taxes", "invoices"),
    ],
)
def test_a_page_leads_to_its_job(office, fair, address, job):
    page = office.get(f"/desk/{address}").text
    links = set(re.findall(r'<a class="job" href="([^"]*)">\s*How to: ([^<]*)</a>', page))
    titles = dict(zip(JOBS, TITLES["en"], strict=True))
    found = [(urljoin(f"/desk/{address}", link), label) for link, label in links]
    assert found == ([(f"/desk/help#{job}", titles[job])] if job else [])


def test_each_page_names_a_job_that_exists_and_no_job_is_without_a_page():
    assert set(HELP.values()) == set(JOBS)


@pytest.mark.parametrize(
    ("language", "quoted", "others"),
    [
        ("de", "„([^“]*)“", {"Handwerk", "Ausstellers"}),  # an example, and another case
        ("en", "“([^”]*)”", {"Crafts"}),
    ],
)
def test_what_a_step_quotes_or_links_stands_on_a_page(language, quoted, others):
    texts = words("eventapi.pages.office", language)
    steps = [text for name, text in texts.items() if name.startswith("job_")]
    known = {text for name, text in texts.items() if not name.startswith("job_")}
    named = set(re.findall(quoted, " ".join(steps)))
    named |= set(re.findall(r"\[(.*?)\]", " ".join(steps)))
    assert named - known == others
