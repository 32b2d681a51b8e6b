"""The list of pages below "Set up", and its tab in the menu."""

import re

import pytest

GROUPS = {
    "This show": ["setup", "settings/1"],
    "Organiser": [
        f"company/{page}"
        for page in ("company", "bank", "taxes", "invoices", "dunning", "mails", "look", "datev")
    ],
}


def groups(page):
    """Return {heading: addresses below /desk/} of the list beside a page."""
    text = page.text.partition('<nav class="card broad"')[2].partition("</nav>")[0]
    _, *parts = re.split(r"<h2[^>]*>([^<]+)</h2>", text)
    return {
        heading: re.findall(r'href="[./]*/desk/([^"?]*)', links)
        for heading, links in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize(
    ("scopes", "shown"),
    [
        ("events:read", ["This show"]),
        ("events settings:read", ["This show", "Organiser"]),
        ("events settings", ["This show", "Organiser"]),
    ],
)
def test_the_list_has_what_the_person_may_read(desk, fair, scopes, shown):
    found = groups(desk(scopes).get("/desk/setup"))
    assert found == {heading: GROUPS[heading] for heading in shown}


def test_the_list_stands_beside_the_pages_of_a_show_as_well(office, fair):
    page = office.get("/desk/settings/1")
    assert list(groups(page)) == ["This show", "Organiser"]
    assert re.search(r'href="[^"]*settings/1[^"]*"\s+aria-current="page"', page.text)


def test_a_phone_has_the_list_folded_with_the_name_of_the_page(desk):
    page = desk(language="de").get("/desk/setup").text
    folded = page.partition('<details class="card narrow">')[2].partition("</details>")[0]
    assert "<summary>Einrichten: Schritt für Schritt</summary>" in folded
    assert "Ihre Firma" in folded and "Steuerberater" in folded


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({}, {}),
        ({"organiser_iban": ""}, {"bank": "1"}),
        (
            {"organiser_name": "", "organiser_city": "", "organiser_iban": ""},
            {"company": "2", "bank": "1"},
        ),
        ({"organiser_vat_id": "", "organiser_tax_number": ""}, {"taxes": "1"}),
        ({"smtp_host": "", "base_url": ""}, {}),
    ],
)
def test_the_list_counts_what_is_missing_on_each_page(office, settings, changed, shown):
    vars(settings).update(changed)
    text = office.get("/desk/setup").text.partition('<nav class="card broad"')[2]
    found = re.findall(
        r'desk/company/(\w+)[^>]*>\s*<span>\s*[\w ]+\s*<span class="tag late">(\d+)<', text
    )
    assert dict(found) == shown


def test_the_tab_leads_to_the_first_page_that_the_person_may_read(desk):
    def tab(scopes):
        page = desk(scopes).get("/desk/").text
        return re.findall(r'href="(?:[./]*desk/)?([^"]*)"\s*>Set up<', page)

    assert tab("events:read settings") == ["setup"]
    assert tab("settings:read") == ["company/company"]
    assert tab("contacts") == []
