"""Small things of the desk: what a page offers, and which entry of the menu it marks."""

import re

import pytest

from eventapi.pages.desk import kinds
from tests.pages.desk.test_office import fields_of


def marked(page):
    """Return the label of the entry of the menu that a page marks."""
    menu = page.partition('<nav class="rail"')[2].partition("</nav>")[0]
    found = re.findall(r'<a [^>]*aria-current="page"[^>]*>\s*([^<]+?)\s*<', menu)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("address", "entry"),
    [
        ("edit/categories", "Categories"),
        ("edit/services", "Services"),
        ("edit/service_categories", "Services"),
        ("edit/submission_types", "Documents"),
        ("edit/booth_types", "Booths and prices"),
        ("edit/plans", "Halls"),
        ("edit/schedules", "Programme"),
        ("edit/dunning_levels", "Dunning levels"),
        ("edit/events", "Set up"),
        ("edit/contacts", "Search"),
        ("edit/applications", "Applications"),
    ],
)
def test_the_form_of_a_record_marks_its_own_page_in_the_menu(office, fair, address, entry):
    assert marked(office.get(f"/desk/{address}").text) == entry


def test_a_contact_that_takes_part_is_not_offered_to_be_added(office, organiser, fair):
    words = "Add to “Garden Fair · May 2027”"
    other = organiser.make("/contacts", {"company_name": "Astern KG"})
    assert words in office.get(f"/desk/contacts/{other['id']}").text
    assert words not in office.get(f"/desk/contacts/{fair.contact['id']}").text


@pytest.mark.parametrize("language", ["de-AT", "fr"])
def test_a_contact_keeps_a_language_that_the_form_does_not_offer(office, organiser, fair, language):
    address = f"/desk/edit/contacts/{fair.contact['id']}"
    offered = re.search(r'<select id="f-language".*?</select>', office.get(address).text, re.S)[0]
    labels = re.findall(r"<option[^>]*>([^<]*)", offered)
    assert labels == ["Language of the organiser", "English", "German"]
    organiser.patch(f"/contacts/{fair.contact['id']}", {"language": language}, status=200)
    form = office.get(address)
    office.submit(form, address, {**fields_of(form), "city": "Halle"})
    stored = organiser.data(f"/contacts/{fair.contact['id']}")
    assert (stored["language"], stored["city"]) == (language, "Halle")


def test_the_card_of_applications_names_weeks_only_beside_a_chart(office, organiser, fair, db):
    assert "per week · 0 approved" in office.get("/desk/").text
    db.connection.execute("UPDATE applications SET created_at = '2020-01-01T00:00:00.000Z'")
    page = office.get("/desk/").text
    assert "per week" not in page
    assert "0 approved" in page


def test_each_list_of_set_up_is_the_page_of_its_forms():
    for page, names in kinds.LISTS.items():
        for name in names:
            assert kinds.KINDS[name].back == f"setup/{page}", name


def test_the_list_of_booth_types_names_their_usual_size(office, organiser, fair):
    body = {"booth_type_name": "Table", "price_model": "fixed", "price": 60}
    organiser.make("/booths/types", {**body, "usual_width": 2.5, "usual_depth": 1})
    page = office.get("/desk/setup/stands?event=fair")
    assert "EUR 60.00 fixed · 2.5 × 1 m" in " ".join(page.html.text.split())
