"""What the prices of categories end with in the form for exhibitors."""

import pytest

from eventapi.pages.show import fields

CATEGORY = {"parent_title": None, "title": "Plants", "base_price": 30000}


@pytest.mark.parametrize(
    ("is_small", "language", "label"),
    [
        (False, "de", "Plants · 300,00 EUR zzgl. USt"),
        (False, "en", "Plants · EUR 300.00 plus VAT"),
        (True, "de", "Plants · 300,00 EUR Endpreis, keine USt (§ 19 UStG)"),
    ],
)
def test_the_price_of_a_category_says_whether_vat_is_added(settings, is_small, language, label):
    if is_small:
        settings.small_business = (("0001-01-01", "no"), ("2027-05-03", "yes"))
    show = {"show_prices": True, "last_day": "2027-05-03"}
    assert fields.category_label(settings, show, CATEGORY, language) == label


def test_a_category_without_a_price_or_with_hidden_prices_says_nothing_about_vat(settings):
    show = {"show_prices": True, "last_day": None}
    assert fields.category_label(settings, show, {**CATEGORY, "base_price": 0}, "de") == "Plants"
    hidden = {**show, "show_prices": False}
    assert fields.category_label(settings, hidden, CATEGORY, "de") == "Plants"
