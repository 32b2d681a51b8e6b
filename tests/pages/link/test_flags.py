"""Features that are switched off, and parts that are empty: no public page, and no page of an exhibitor
leads to them.
"""

import pytest

from eventapi.domain.access import rights
from tests.pages.conftest import Visitor
from tests.pages.desk.test_flags import FLAGS, walk


def switch_off(db, flag):
    """Switch a feature off, or none."""
    with db.write():
        db.connection.execute("UPDATE flags SET enabled = 0 WHERE name = ?", (flag,))


def tabs(page):
    """Return the names of the entries of the menu of a page."""
    return [each.text.strip() for each in page.html.select("nav.tabs a, nav a")]


@pytest.fixture
def exhibitor(show, organiser, open_link):
    """Return (link, visitor) of somebody who is signed in to the page of the exhibitor."""
    organiser.patch(f"/events/{show['event']['id']}/pages", {"my_is_open": True}, status=200)
    link, visitor, _ = open_link(
        "participant",
        event_id=show["event"]["id"],
        participant_id=show["exhibitor"]["id"],
        name="Ada",
        email="ada@keramia.example",
        language="en",
        rights=rights.RIGHTS,
    )
    return link, visitor


@pytest.mark.parametrize("flag", [None, *[flag for flag in FLAGS if flag != "pages"]])
def test_no_page_leads_to_a_feature_that_is_off(app, show, exhibitor, db, flag):
    switch_off(db, flag)
    link, visitor = exhibitor
    root = f"/e/{show['event']['event_key']}"
    assert walk(Visitor(app), root, "/e/") == {}
    mine = f"/my/{link['ref']}/"
    assert visitor.get(mine, 200)
    assert walk(visitor, mine, mine) == {}


def test_an_empty_programme_is_in_no_menu(app, show, organiser):
    root = f"/e/{show['event']['event_key']}"
    slots = organiser.data(f"/schedules?event_id={show['event']['id']}")
    for slot in slots:
        organiser.patch(f"/schedules/{slot['id']}", {"is_public": False}, status=200)
    assert "Programme" not in tabs(Visitor(app).get(root))
    made = organiser.make(
        "/schedules",
        {
            "event_key": show["event"]["event_key"],
            "title": "Talk",
            "slot_date": show["event"]["date_from"][:10],
            "start_time": "10:00",
            "end_time": "11:00",
            "is_public": True,
        },
    )
    assert "Programme" in tabs(Visitor(app).get(root))
    assert "Talk" in Visitor(app).get(f"{root}/programme")
    organiser.patch(f"/schedules/{made['id']}", {"is_public": False}, status=200)
    assert "Programme" not in tabs(Visitor(app).get(root))
