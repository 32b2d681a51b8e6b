"""The logo of the organiser: its form at the desk, and the pictures of where it appears."""

import re

import pytest

from eventapi import images
from eventapi.config import DEFAULT
from tests.support.images import png

LOGO = "/desk/company/look/logo"


def upload(visitor, data, status=303, name="logo.png"):
    return visitor.submit(visitor.get(LOGO), LOGO, status=status, upload=(name, data))


def address_of(answer):
    """Return the address that a redirection leads to."""
    return "/" + answer.location.lstrip("./")


def test_a_logo_is_sent_shown_replaced_and_removed(office, organiser):
    assert "No logo yet" in office.get(LOGO).text
    answer = upload(office, png(300, 100))
    page = office.get(address_of(answer))
    assert "The logo is saved." in page.text
    logo = organiser.data("/settings")["logo"]
    assert (logo["width"], logo["height"], logo["type"]) == (300, 100, "image/png")
    (address,) = set(re.findall(r'<image href="[./]*(/desk/[^"]+)"', page.text))
    picture = office.get(address)
    assert picture.content_type == "image/png"
    assert picture.body == organiser.get("/settings/logo").body

    upload(office, png(200, 200))
    assert organiser.data("/settings")["logo"]["width"] == 200
    page = office.get(LOGO)
    tag = re.search(r'name="tag" value="(\w+)"', page.text)[1]
    answer = office.submit(page, f"{LOGO}/remove", {"tag": tag})
    assert "The logo is removed." in office.get(address_of(answer)).text
    assert organiser.data("/settings")["logo"] is None


def test_the_pictures_show_the_logo_in_its_size(office):
    """A logo of 300 x 100 fills a box of 60 x 22, 26 x 9 and 44 x 15 mm in its width."""
    upload(office, png(300, 100))
    text = office.get(LOGO).text
    assert re.findall(r"(\d+ × \d+) mm", text) == ["60 × 20", "26 × 9", "44 × 15"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"%PDF-1.7", "Dieses Dateiformat geht hier nicht. Bitte speichern Sie das Bild"),
        (b"<svg/>", "Dieses Dateiformat geht hier nicht. Bitte speichern Sie das Bild"),
        (b"\0\0\0\x18ftypheic", "Dieses Dateiformat geht hier nicht. Bitte speichern Sie das Bild"),
        (png(30, 30)[:60], "lässt sich nicht öffnen. Bitte als PNG oder JPEG speichern."),
        (png(5000, 4000), "Dieses Bild ist zu groß. Bitte verkleinern Sie es"),
    ],
)
def test_a_refused_file_is_explained(desk, organiser, data, sentence):
    pytest.importorskip("PIL")
    page = upload(desk(language="de"), data, 422)
    assert sentence in page.text and "Logo hochladen" in page.text
    assert organiser.data("/settings")["logo"] is None


def test_a_form_without_a_file_says_so(office):
    assert "Please choose a file" in upload(office, b"", 422, name="").text


def test_a_logo_that_somebody_else_has_changed_is_neither_replaced_nor_removed(office, desk):
    upload(office, png(30, 30))
    page = office.get(LOGO)
    tag = re.search(r'name="tag" value="(\w+)"', page.text)[1]
    upload(desk(name="Ole Lindqvist"), png(40, 40))
    for path, options in ((f"{LOGO}/remove", {}), (LOGO, {"upload": ("a.png", png(50, 50))})):
        page = office.submit(page, path, {"tag": tag}, 412, **options)
        assert "changed meanwhile" in page.text
        assert tag not in page.text


def test_a_logo_of_the_administrator_stands_there_closed(desk, office, settings):
    settings.organiser_logo = images.load(png(60, 20))
    given = settings.live.given["organiser_logo"]
    assert given[1] == DEFAULT
    settings.live.given["organiser_logo"] = ("/etc/logo.png", "/etc/eventapi/eventapi.conf:7")
    page = office.get(LOGO).text
    assert "Set by the administrator" in page and "organiser_logo" in page
    assert 'type="file"' not in page and "Remove the logo" not in page
    refused = office.submit(office.get("/desk/"), LOGO, status=409, upload=("a.png", png(9, 9)))
    assert "The administrator sets this" in refused.text


def test_who_may_only_see_settings_gets_no_form(desk):
    page = desk("settings:read").get(LOGO).text
    assert "No logo yet" in page and 'type="file"' not in page
    desk("events").get(LOGO, 403)


def test_a_logo_with_a_large_file_says_that_plans_leave_it_out(office, monkeypatch):
    upload(office, png(300, 100))
    assert "Hall plans leave the logo out" not in office.get(LOGO).text
    monkeypatch.setattr("eventapi.pictures.style.SMALL", 10)
    page = office.get(LOGO).text
    assert "Hall plans leave the logo out" in page and page.count("<image ") == 2
