"""The sample of an invoice, as a PDF with the settings of now."""

import pytest

from eventapi import times
from eventapi.errors import Problem
from eventapi.languages import formats
from eventapi.pictures import fonts
from tests.pictures.test_invoice_pdf import texts

SAMPLE = "/desk/company/sample.pdf"


def lines(visitor):
    pytest.importorskip("reportlab")
    answer = visitor.get(SAMPLE)
    assert answer.content_type == "application/pdf"
    (page,) = texts(answer.body)
    return page.splitlines()


def test_the_sample_shows_the_settings_of_now(desk, settings):
    vars(settings).update(
        {"organiser_name": "Anger e. V.", "organiser_iban": "DE89370400440532013000"}
    )
    vars(settings).update({"organiser_footer": ["Seit 1987"], "payment_days": 21})
    found = lines(desk("settings:read", language="de"))
    assert "Rechnung MUSTER" in found and "MUSTER" in found
    assert {"Anger e. V.", "DE89 3704 0044 0532 0130 00", "Seit 1987"} <= set(found)
    due = times.add_days(times.today(settings.timezone), 21)
    assert any(formats.day(due, "de") in line for line in found)
    assert "Beispiel GmbH" in found and "Standfläche, Stand A12" in found
    # 12 x 95 + 185 + 4 x 12.50, and 19 % of it
    assert {"1.375,00", "261,25", "1.636,25"} <= set(found)


def test_an_english_sample_is_marked_on_its_page(desk):
    found = lines(desk("settings"))
    assert "Invoice SAMPLE" in found and "SAMPLE" in found and "Example Ltd" in found


@pytest.mark.parametrize(
    "changed",
    [
        {"organiser_name": "", "organiser_iban": "", "organiser_vat_id": ""},
        {"tax_rate": 0, "is_tax_rate_known": False},
        {"currency": "CHF", "organiser_country": "CH"},
    ],
)
def test_settings_that_lack_something_have_a_sample_all_the_same(desk, settings, changed):
    vars(settings).update(changed)
    assert "Invoice SAMPLE" in lines(desk())


def test_a_small_business_sees_its_sentence_and_no_tax(desk, settings):
    settings.small_business = [("", "yes")]
    found = lines(desk(language="de"))
    assert any("§ 19 UStG" in line for line in found)
    assert "1.375,00" in found and "1.636,25" not in found


def test_a_sample_takes_no_number_and_leaves_nothing(desk, db):
    visitor = desk()
    visitor.get("/desk/")
    before = list(db.connection.iterdump())
    lines(visitor)
    assert list(db.connection.iterdump()) == before and len(before) > 100


def test_only_those_who_may_see_the_settings_get_it(desk):
    assert "“settings:read”" in desk("invoices").get(SAMPLE, 403).text


def test_without_reportlab_the_page_says_so(desk, monkeypatch):
    def missing():
        raise Problem("not_installed", "PDF needs reportlab.", package="python3-reportlab")

    monkeypatch.setattr(fonts, "require", missing)
    assert "Dem Server fehlt ein Programm" in desk(language="de").get(SAMPLE, 501).text
