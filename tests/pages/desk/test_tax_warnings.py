"""Warnings about the tax at the desk: on the page of a draft and in the trial of "Send"."""

import json
from importlib.resources import files

import pytest

from eventapi import times
from eventapi.domain.billing import tax_warnings
from eventapi.languages import formats
from eventapi.pages.desk import labels
from eventapi.pages.desk.writing import Writer
from tests.domain.test_tax_warnings import BUYER, FACTS, ITEM, SENTENCES
from tests.support import batches


@pytest.fixture
def draft(organiser):
    """Return a function that makes a draft: draft({fields of the contact}, service_date=…)."""

    def make(contact=(), **fields):
        buyer = organiser.make("/contacts", {**BUYER, **dict(contact)})
        return organiser.make("/invoices", {"contact_id": buyer["id"], "items": [ITEM], **fields})

    return make


@pytest.fixture
def trial(desk):
    """Return a function that returns the page of a trial of "Send", in a language."""

    def page(*drafts, language="en"):
        office = desk(language=language)
        ids = [each["id"] for each in drafts]
        answer = batches.tried(office, office.get("/desk/money?all=1"), "invoices/send", ids)
        return " ".join(answer.text.split())

    return page


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "gilt der Rechnungstag, {day}, als Tag der Leistung"),
        ("en", "the day of issue, {day}, counts as the day of the supply"),
    ],
)
def test_page_and_trial_of_a_draft_say_a_warning_in_the_language_of_the_office(
    desk, draft, trial, language, sentence
):
    one = draft()
    day = formats.day(times.today("Europe/Berlin"), language)
    page = desk(language=language).get(f"/desk/invoices/{one['id']}").text
    assert sentence.format(day=day) in page
    assert sentence.format(day=day) in trial(one, language=language)


def test_the_page_of_a_draft_says_what_is_missing_and_the_warnings_as_well(office, draft):
    one = draft({"city": None}, items=[{**ITEM, "unit_price": 1000}])  # no small invoice
    page = office.get(f"/desk/invoices/{one['id']}").text
    assert "This is missing before the invoice can be sent:" in page
    assert "counts as the day of the supply" in page
    assert page.count("Complete the contact") == 1


def test_a_draft_without_a_warning_has_none_in_the_trial(draft, trial):
    assert "tag late" not in trial(draft(service_date=times.today("Europe/Berlin")))


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Auf Ihren Rechnungen steht kein Bankkonto"),
        ("en", "Your invoices name no bank account"),
    ],
)
def test_today_and_set_up_say_that_invoices_name_no_account(
    desk, fair, settings, language, sentence
):
    office = desk(language=language)
    for page in ("/desk/", "/desk/setup"):
        assert sentence not in office.get(page).text
    settings.organiser_iban = ""
    for page in ("/desk/", "/desk/setup"):
        assert sentence in office.get(page).text


def test_a_draft_says_that_it_names_no_account(draft, trial, settings):
    settings.organiser_iban = ""
    assert "Auf der Rechnung über 119,00 EUR steht kein Bankkonto" in trial(draft(), language="de")
    assert "The invoice for EUR 119.00 names no bank account" in trial(draft(), language="en")


# The trial of "Send"


def test_the_trial_shows_drafts_with_warnings_first_beside_customer_and_amount(draft, trial):
    today = times.today("Europe/Berlin")
    fine = draft({"company_name": "Astern KG"}, service_date=today)
    doubtful = draft({"company_name": "Nelken KG"})
    page = trial(fine, doubtful)
    assert "Trial: 2 are possible, 1 of them with a note, 0 are not." in page
    assert ">Send 2, 1 with a note</button>" in page
    rows = page[page.index("<tbody>") : page.index("</tbody>")].split("<tr>")[1:]
    assert ["Nelken KG" in row for row in rows] == [True, False]
    assert ["chip bad" in row for row in rows] == [True, False]
    for row in rows:
        assert "EUR 119.00" in row
    german = trial(fine, doubtful, language="de")
    assert ">2 senden, 1 mit Hinweis</button>" in german
    assert "Probelauf: 2 sind möglich, davon 1 mit Hinweis, 0 nicht." in german


def test_drafts_are_sent_in_the_order_of_the_list_and_warnings_refuse_none(
    office, organiser, draft, trial
):
    today = times.today("Europe/Berlin")
    drafts = [draft(service_date=today), draft()]
    ids = [each["id"] for each in drafts]
    done = batches.done(office, office.get("/desk/money?all=1"), "invoices/send", ids)
    assert "2 invoices are sent, EUR 238.00 in total." in " ".join(done.text.split())
    numbers = [organiser.data(f"/invoices/{each['id']}")["invoice_number"] for each in drafts]
    assert [number[-5:] for number in numbers] == ["00001", "00002"]


@pytest.mark.parametrize("language", ["de", "en"])
def test_each_warning_has_a_sentence_at_the_desk_that_has_the_same_facts(language):
    texts = json.loads(
        files("eventapi.pages.desk").joinpath(f"words/{language}.json").read_text(encoding="utf-8")
    )
    write = Writer(language, "Europe/Berlin")
    for each in tax_warnings.findings(set(SENTENCES), FACTS):
        sentence = labels.finding(texts, write, each)
        assert sentence != labels.finding(texts, write, {**each, "code": None}), each["code"]
        assert "{" not in sentence and "None" not in sentence
        for name in ("vat_id", "law"):
            if name in each["values"]:
                assert FACTS[name] in sentence
    abroad = {"code": "event_abroad", "field": "event_id", "values": FACTS}
    name = {"de": "Schweiz", "en": "Switzerland"}[language]
    assert f"({name})" in labels.finding(texts, write, abroad)
