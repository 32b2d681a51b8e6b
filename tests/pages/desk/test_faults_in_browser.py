"""A form that is refused and then saved, in a browser without scripts, on a phone and at a desk."""

import pytest

from tests.pages.desk.test_journey import address, enter, seen  # noqa: F401
from tests.pages.show.test_journey import follow, needs_browser, text
from tests.support.browser import SIZES

pytestmark = pytest.mark.processes
FOCUS = "document.activeElement.id"


@needs_browser
@pytest.mark.parametrize(("width", "dark"), SIZES)
def test_a_refused_form_says_what_to_type_and_is_saved_then(
    browser,
    address,  # noqa: F811
    organiser,
    width,
    dark,
):
    options = {"width": width, "dark": dark, "scripts": False}
    enter(browser, address, organiser.key, **options)
    browser.open(f"{address}/edit/booth_types?language=de", **options)
    fill(browser, booth_type_name="Ecke", price_model="fixed", price="ca. 18", color="rot")
    assert browser.run("document.title").startswith("Fehler: ")
    assert browser.run(FOCUS) == "faults"
    assert "Bitte prüfen Sie 2 Angaben" in text(browser, "#faults")
    assert text(browser, "#e-price") == "Bitte einen Betrag wie 25,00 eingeben."
    assert text(browser, "#e-color") == "Bitte eine Farbe wählen, etwa #23694a."
    browser.run("document.querySelector('details.more').open = true")
    seen(browser, width, "faults", refused=True)

    browser.run("document.querySelector('#faults a').click()")
    assert browser.run(FOCUS) == "f-price"
    fill(browser, price="1.234,50 EUR", color="23694A")
    [made] = [row for row in organiser.data("/booths/types") if row["booth_type_name"] == "Ecke"]
    assert (made["price"], made["color"]) == (1234.5, "#23694A")


def fill(browser, **values):
    """Type into fields, and send the form."""
    for name, value in values.items():
        browser.run(f"document.querySelector('#f-{name}').value = '{value}'")
    follow(browser, "document.querySelector('.savebar button').click()")
