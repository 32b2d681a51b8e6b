"""The prices in the form for exhibitors: with the tax that they contain, or with the note that it is
added.
"""

import pytest

from eventapi.pages.show import fields, prices
from eventapi.web.html import page_requests

CATEGORY = {"parent_title": None, "title": "Plants", "base_price": 30000, "tax_rate": None}
SHOW = {"last_day": "2027-05-03"}


def shown(settings, language="de", display="gross"):
    words = page_requests.words("eventapi.pages.show", language)
    return prices.of_show(settings, SHOW, {"price_display": display}, language, words)


@pytest.mark.parametrize(
    ("is_small", "language", "display", "label"),
    [
        (False, "de", "gross", "Plants · 357,00 EUR inkl. 19 % USt"),
        (False, "en", "gross", "Plants · EUR 357.00 incl. 19 % VAT"),
        (False, "de", "net", "Plants · 300,00 EUR zzgl. USt"),
        (False, "en", "net", "Plants · EUR 300.00 plus VAT"),
        (True, "de", "gross", "Plants · 300,00 EUR Endpreis, keine USt (§ 19 UStG)"),
        (True, "de", "net", "Plants · 300,00 EUR Endpreis, keine USt (§ 19 UStG)"),
    ],
)
def test_the_price_of_a_category_says_what_becomes_of_vat(
    settings, is_small, language, display, label
):
    if is_small:
        settings.small_business = (("0001-01-01", "no"), ("2027-05-03", "yes"))
    assert fields.category_label(CATEGORY, shown(settings, language, display)) == label


def test_a_category_without_a_price_or_with_hidden_prices_says_nothing_about_vat(settings):
    free = {**CATEGORY, "base_price": 0}
    assert fields.category_label(free, shown(settings)) == "Plants"
    assert fields.category_label(CATEGORY, None) == "Plants"


@pytest.mark.parametrize(
    ("net", "rate", "text"),
    [
        (5000, None, "59,50 EUR inkl. 19 % USt"),
        (5000, 700, "53,50 EUR inkl. 7 % USt"),
        (5000, 810, "54,05 EUR inkl. 8,1 % USt"),
        (5000, 0, "50,00 EUR"),
        # 19 % of 0.13 is 0.0247
        (13, None, "0,15 EUR inkl. 19 % USt"),
    ],
)
def test_a_price_contains_the_tax_of_its_own_rate(settings, net, rate, text):
    assert shown(settings).text(net, rate) == text


@pytest.mark.parametrize(
    ("lines", "display", "expected"),
    [
        ([(2500, 1900), (9500, 1900)], "gross", ("142,80 EUR", "inkl. 19 % USt")),
        # the tax of 0.26 is 0.0494, that of 0.13 twice would be 0.04
        ([(13, 1900), (13, 1900)], "gross", ("0,31 EUR", "inkl. 19 % USt")),
        ([(10000, 1900), (10000, 700)], "gross", ("226,00 EUR", "inkl. USt")),
        ([(10000, 1900), (10000, 0)], "gross", ("219,00 EUR", "inkl. USt")),
        ([(10000, 0)], "gross", ("100,00 EUR", "")),
        ([(10000, 1900), (10000, 700)], "net", ("200,00 EUR", "zzgl. USt")),
    ],
)
def test_the_sum_has_the_tax_that_an_invoice_would_have(settings, lines, display, expected):
    assert shown(settings, display=display).total(lines) == expected
