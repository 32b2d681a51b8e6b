"""The stylesheet of the desk: its colours are readable, and it is loaded by the desk only."""

import re

import pytest

from eventapi import paths
from eventapi.pictures import style
from eventapi.web.html import shell

FOLDER = paths.folder("eventapi") / "pages"
# Colour of a text -> the grounds that it stands on.
INKS = {
    "good": "good-soft paper",
    "wait": "wait-soft",
    "late": "late-soft paper",
    "info": "info-soft paper",
    "held-ink": "held",
    "desk-free-ink": "free paper",
    "ink": "rail hover paper",
    "quiet": "rail hover paper",
    "accent": "rail hover paper",
    "taken-ink": "taken",
}


def colours(file):
    """Return the colours of a stylesheet by their variables, in light and in dark."""
    parts = re.findall(r":root \{(.*?)\}", file.read_text(encoding="utf-8"), re.S)[:2]
    return [
        {
            name: value if len(value) == 7 else "#" + "".join(letter * 2 for letter in value[1:])
            for name, value in re.findall(r"--([\w-]+): (#\w+)", part)
        }
        for part in parts
    ]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_of_the_desk_is_readable_on_its_grounds(scheme):
    """WCAG 2.2, 1.4.3: a contrast of 4.5."""
    found = {}
    for file in (FOLDER / "style.css", FOLDER / "desk" / "desk.css"):
        light, dark = colours(file)
        found |= {**light, **(dark if scheme else {})}
    for ink, grounds in INKS.items():
        for ground in grounds.split():
            assert style.contrast(found[ink], found[ground]) >= 4.5, (ink, ground)


def test_the_stylesheet_has_one_rule_a_line():
    lines = (FOLDER / "desk" / "desk.css").read_text(encoding="utf-8").splitlines()
    crowded = [line for line in lines if line.count("{") > 1]
    assert crowded == []


def test_the_desk_has_its_own_stylesheet_and_public_pages_do_not(office, fair):
    address = f"pages/{shell.style('desk')[0]}"
    assert address in office.get("/desk/").text
    assert ".phonebar" in office.get(f"/{address}").text
    assert address not in office.get("/imprint").text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("people", "../desk/search"),
        ("people?q=rosen&event=fair", "../desk/search?q=rosen&event=fair"),
    ],
)
def test_the_old_address_of_the_search_leads_to_the_new_one(office, fair, old, new):
    assert office.get(f"/desk/{old}", 308).headers["Location"] == new
