"""Warnings about the tax at the desk: on the page of a draft and in the trial of "Send"."""

import pytest

from eventapi import times
from eventapi.languages import formats
from tests.domain.test_tax_warnings import BUYER, ITEM


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
        answer = office.submit(
            office.get("/desk/money?all=1"), "/desk/batch/invoices/send", {"ids": ids}, status=200
        )
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
        assert f'<p class="note bad">{sentence}' in office.get(page).text


def test_a_draft_says_that_it_names_no_account(draft, trial, settings):
    settings.organiser_iban = ""
    assert "Auf der Rechnung über 119,00 EUR steht kein Bankkonto" in trial(draft(), language="de")
    assert "The invoice for EUR 119.00 names no bank account" in trial(draft(), language="en")
