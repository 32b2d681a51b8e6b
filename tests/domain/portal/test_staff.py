"""Badges for the people at a booth: how many, and what can change once one was issued."""

import pytest

from eventapi.domain.portal import staff
from eventapi.errors import Problem


@pytest.fixture
def team(portal):
    """Return a function that calls one of staff for the exhibitor in a transaction."""

    def call(action, *values):
        with portal.db.write():
            return action(portal.db, portal.me(), *values)

    return call


def code(action, *values):
    with pytest.raises(Problem) as caught:
        action(*values)
    return caught.value.code


def test_two_badges_are_free_and_more_are_ordered(portal, team):
    portal.change(badge_service_id=portal.power["id"])
    for name in ("Anna", "Bela"):
        made = team(staff.add, name, "Gärtner")
    assert (made["role"], made["host_participant_id"], made["is_confirmed"]) == (
        "staff",
        portal.participant["id"],
        False,
    )
    assert code(team, staff.add, "Carl", "Gärtner") == "badges_used_up"
    order = portal.order((portal.power, 1), confirm=False)
    assert code(team, staff.add, "Carl", "Gärtner") == "badges_used_up"
    portal.act("service-orders", order, "confirm")
    team(staff.add, "Carl", "Gärtner")
    include = portal.organiser.data(f"{portal.address}?include=badge_quota")
    assert include["badge_quota"] == {"free": 2, "ordered": 1, "used": 3}


def test_a_person_is_a_contact_of_its_own_with_the_company(portal, team):
    team(staff.add, " Anna ", "Gärtner")
    (person,) = staff.people(portal.db, portal.me())
    contact = portal.organiser.data(f"/contacts/{person['contact_id']}")
    assert (
        contact["first_name"],
        contact["last_name"],
        contact["company_name"],
        contact["email"],
    ) == ("Anna", "Gärtner", "Muster AG", None)


def test_a_badge_that_was_not_issued_is_renamed_and_removed_freely(portal, team):
    made = team(staff.add, "Anna", "Gärtner")
    for name in ("Bela", "Carl", "Dora"):
        team(staff.rename, staff.person(portal.db, portal.me(), made["id"]), name, "Gärtner")
    team(staff.remove, staff.person(portal.db, portal.me(), made["id"]))
    assert (
        staff.people(portal.db, portal.me()) == []
        and staff.quota(portal.db, portal.me())["used"] == 0
    )
    assert staff.person(portal.db, portal.me(), made["id"]) is None


def test_an_issued_badge_counts_for_ever_and_is_renamed_once_with_a_new_number(portal, team):
    made = team(staff.add, "Anna", "Gärtner")
    team(staff.issue, staff.person(portal.db, portal.me(), made["id"]))
    team(staff.rename, staff.person(portal.db, portal.me(), made["id"]), "Bela", "Gärtner")
    renamed = staff.person(portal.db, portal.me(), made["id"])
    assert (renamed["first_name"], renamed["can_rename"]) == ("Bela", False)
    assert renamed["badge_number"] != made["badge_number"]
    assert code(team, staff.rename, renamed, "Carl", "Gärtner") == "badge_fixed"
    team(staff.remove, renamed)
    assert staff.quota(portal.db, portal.me())["used"] == 1


def test_a_scanned_badge_is_issued(portal, team):
    portal.act("participants", portal.participant, "confirm")
    made = team(staff.add, "Anna", "Gärtner")
    assert made["is_confirmed"]
    portal.organiser.post(
        "/check-ins", {"badge_number": made["badge_number"], "event_key": "fair"}, status=201
    )
    assert staff.person(portal.db, portal.me(), made["id"])["is_issued"]


def test_both_names_are_needed_and_nobody_else_is_reached(portal, team):
    assert code(team, staff.add, "Anna", " ") == "validation_failed"
    made = team(staff.add, "Anna", "Gärtner")
    other = portal.exhibitor("Second AG")
    assert staff.person(portal.db, portal.me(other), made["id"]) is None
    assert staff.person(portal.db, portal.me(), other["id"]) is None
