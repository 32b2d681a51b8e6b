"""What the prices on the pages of an exhibitor end with: VAT is added, or there is none."""

import re

import pytest

from tests.pages.my.conftest import My

SMALL = (("0001-01-01", "yes"),)
# the show of the fixtures is in May 2099
UNTIL_THEN = (("0001-01-01", "yes"), ("2099-01-01", "no"))


def page(site, address, language):
    return My(*site.visitor(language=language)).get(address).text


@pytest.mark.parametrize("address", ["booth", "orders"])
@pytest.mark.parametrize(
    ("country", "language", "option", "note"),
    [
        ("DE", "de", (("0001-01-01", "no"),), "zzgl. USt"),
        ("DE", "en", (("0001-01-01", "no"),), "plus VAT"),
        ("DE", "de", UNTIL_THEN, "zzgl. USt"),
        ("CH", "de", (("0001-01-01", "no"),), "zzgl. MWST"),
        ("DE", "de", SMALL, "Endpreis, keine USt (§ 19 UStG)"),
        ("DE", "en", SMALL, "Final price, no VAT (§ 19 UStG)"),
        ("AT", "de", SMALL, "Endpreis, keine USt (§ 6 Abs. 1 Z 27 UStG 1994)"),
        ("LI", "de", SMALL, "Endpreis, keine MWST (Art. 10 Abs. 2 MWSTG)"),
    ],
)
def test_a_list_of_prices_says_whether_vat_is_added(
    site, settings, address, country, language, option, note
):
    settings.organiser_country, settings.small_business = country, option
    text = page(site, address, language)
    assert f'<p class="small quiet">{note}</p>' in text
    head = {"de": "Preis netto", "en": "Net price"}[language]
    assert (f">{head}<" in text) is (option is not SMALL)


def test_a_booth_of_a_small_business_costs_its_price(my, site, settings):
    settings.small_business = SMALL
    site.change(booth_confirm="self")
    site.act("participants", site.participant, "confirm")
    held = my.send("booth", "booth/hold", {"booth_number": "A1"}).text
    assert "Final price, no VAT (§ 19 UStG)" in held and "19%" not in held
    id = re.search(r'name="reservation_id" value="(\d+)"', held)[1]
    check = my.get(f"booth/confirm/{id}").text
    assert check.count("EUR 1,200.00") == 1 and "19%" not in check and "Net<" not in check
    assert "Final price, no VAT (§ 19 UStG)" in check
    shown = re.search(r'name="shown" value="(\w+)"', check)[1]
    fields = {"reservation_id": id, "shown": shown, "agree": "1"}
    done = my.send(f"booth/confirm/{id}", f"booth/confirm/{id}", fields).text
    assert "The booth is yours." in done


def test_the_check_page_of_an_order_at_a_small_business_has_no_tax(my, site, settings):
    settings.small_business = SMALL
    power, book = site.power["id"], site.book["id"]
    check = my.send("orders", "orders", {f"q.{power}": "2", f"q.{book}": "1"}).text
    total = check[check.index("Total") :]
    assert "EUR 193.33" in total and "19%" not in check and "7%" not in check
    assert "Final price, no VAT (§ 19 UStG)" in check
    shown = re.search(r'name="shown" value="(\w+)"', check)[1]
    done = my.send("orders/check", "orders/check", {"shown": shown, "agree": "1"}).text
    assert "your order is submitted" in done
    assert "Total EUR 193.33" in done
