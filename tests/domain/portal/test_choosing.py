"""Choosing a booth with a link: one hold at a time, in the window, of the types, and three holds at
most.
"""

import pytest

from eventapi.domain.portal import choosing, evidence
from eventapi.errors import Problem


@pytest.fixture
def hold(portal, clock):
    """Return a function that holds a booth, or moves the hold, and returns the own booths."""

    def choose(number, participant=None):
        me = portal.me(participant)
        with portal.db.write():
            choosing.choose(portal.db, me, portal.event, portal.pages, number)
        return choosing.own_booths(portal.db, me)

    return choose


def give_back(portal):
    with portal.db.write():
        me = portal.me()
        choosing.give_back(portal.db, me, choosing.own_booths(portal.db, me)[0])


def refused(action, *values):
    with pytest.raises(Problem) as caught:
        action(*values)
    return caught.value


def test_a_hold_has_an_end_and_a_price_and_shows_on_the_booth(portal, hold):
    (own,) = hold("A1")
    assert (own["booth_number"], own["expires_at"]) == ("A1", "2030-01-08T12:00:00Z")
    # 4 x 3 m at 100, and 19 %
    assert (own["price"], own["tax"], own["total"]) == (
        120000,
        22800,
        142800,
    )
    assert portal.organiser.data(f"/booths/{portal.booths['A1']}")["status"] == "reserved"


def test_the_tax_of_a_booth_is_that_of_its_invoice(portal, hold):
    """The amount binds the exhibitor who confirms: 0.50 at 19 % is 0.095 of tax, rounded to 0.10."""
    organiser, shown, billed = portal.organiser, {}, {}
    for cents in (1, 49, 50, 51):
        for rate in (5.5, 7, 19):
            organiser.patch(
                "/booths/types/1",
                {"price_model": "fixed", "price": cents / 100, "tax_rate": rate},
                status=200,
            )
            (own,) = hold("A1")
            shown[cents, rate] = own["price"], own["tax"], own["total"]
            give_back(portal)
            item = {"description": "Booth", "quantity": 1}
            item |= {"unit_price": cents / 100, "tax_rate": rate}
            draft = {"contact_id": portal.participant["contact_id"], "items": [item]}
            invoice = organiser.make("/invoices", draft)
            billed[cents, rate] = tuple(
                round(100 * invoice[name]) for name in ("subtotal", "tax_total", "total")
            )
    assert shown == billed
    assert shown[50, 19] == (50, 10, 60) and shown[49, 19] == (49, 9, 58)
    assert shown[1, 5.5] == (1, 0, 1)


def test_another_choice_moves_the_hold_and_keeps_its_end(portal, hold, clock):
    hold("A1")
    clock("2030-01-03T12:00:00Z")
    (own,) = hold("A3")
    assert (own["booth_number"], own["expires_at"], own["price"]) == (
        "A3",
        "2030-01-08T12:00:00Z",
        180000,
    )
    assert portal.organiser.data(f"/booths/{portal.booths['A1']}")["status"] == "available"


def test_giving_back_and_holding_again_keeps_the_end(portal, hold, clock):
    hold("A1")
    give_back(portal)
    clock("2030-01-04T00:00:00Z")
    (own,) = hold("A2")
    assert own["expires_at"] == "2030-01-08T12:00:00Z"


def test_after_a_hold_has_run_out_there_is_a_pause_and_then_a_new_end(portal, hold, clock):
    hold("A1")
    clock("2030-01-08T12:00:00Z")
    problem = refused(hold, "A1")
    assert (problem.code, problem.members["paused_until"]) == (
        "hold_paused",
        "2030-01-15T12:00:00Z",
    )
    clock("2030-01-15T12:00:00Z")
    (own,) = hold("A1")
    assert own["expires_at"] == "2030-01-22T12:00:00Z"


def test_three_holds_that_ran_out_are_the_last(portal, hold, clock):
    for day in ("01", "15", "29"):
        clock(f"2030-01-{day}T12:00:00Z")
        hold("A1")
    clock("2030-03-01T12:00:00Z")
    assert refused(hold, "A1").code == "holds_used_up"


def test_holds_that_were_given_back_late_count_and_early_ones_do_not(portal, hold, clock):
    for hour in range(3):
        clock(f"2030-01-02T{hour:02}:00:00Z")
        hold("A1")
        clock(f"2030-01-02T{hour:02}:59:00Z")
        give_back(portal)
    for hour in range(10, 16, 2):
        clock(f"2030-01-02T{hour}:00:00Z")
        hold("A1")
        clock(f"2030-01-02T{hour + 1}:00:01Z")
        give_back(portal)
    assert refused(hold, "A1").code == "holds_used_up"


def test_the_office_is_not_limited(portal, hold, clock):
    hold("A1")
    for number in ("A2", "A3"):
        portal.organiser.make(
            "/booth-reservations",
            {"booth_id": portal.booths[number], "event_participant_id": portal.participant["id"]},
        )
    assert len(choosing.own_booths(portal.db, portal.me())) == 3


def test_a_booth_that_the_office_holds_is_not_moved(portal, hold):
    """It may have a negotiated price, which would go along to any other booth."""
    portal.organiser.make(
        "/booth-reservations",
        {
            "booth_id": portal.booths["A1"],
            "final_price": 1,
            "event_participant_id": portal.participant["id"],
        },
    )
    assert refused(hold, "A3").code == "invalid_transition"
    give_back(portal)
    (own,) = hold("A3")
    assert own["price"] == 180000


def test_booths_are_chosen_in_the_window_only(portal, hold, clock):
    portal.change(booth_from="2030-02-01", booth_until="2030-02-02")
    assert refused(hold, "A1").code == "booth_closed"
    assert choosing.view(portal.db, portal.me(), portal.event, portal.pages).free == []
    clock("2030-02-02T22:59:00Z")  # 23:59 in Berlin
    hold("A1")
    clock("2030-02-02T23:00:00Z")
    assert refused(hold, "A2").code == "booth_closed"
    portal.change(booth_from=None)
    assert choosing.window(portal.pages, portal.event) is None


def test_only_booths_of_the_types_are_offered_and_accepted(portal, hold):
    portal.organiser.make(
        "/booths/types",
        {
            "booth_type_name": "Island",
            "booth_type_key": "island",
            "price": 100,
            "price_model": "per_m2",
        },
    )
    portal.change(booth_types=["island"])
    assert choosing.free_booths(portal.db, portal.me(), portal.pages) == []
    assert refused(hold, "A1").errors[0]["pointer"] == "/booth_number"
    assert refused(hold, "Z9").errors[0]["code"] == "unknown"


def test_a_booth_that_another_one_took_names_free_ones_of_the_same_size(portal, hold):
    portal.booth("A4", 4)
    hold("A1")
    other = portal.exhibitor("Second AG")
    problem = refused(hold, "A1", other)
    assert (problem.code, problem.members["near"]) == ("booth_unavailable", ["A2", "A4", "A3"])
    portal.act("participants", other, "cancel")
    assert refused(hold, "A2", other).code == "participant_cancelled"


def confirm(portal, way="mailed", shown=None):
    me = portal.me()
    (own,) = choosing.own_booths(portal.db, me)
    given = evidence.digest(shown or choosing.facts(portal.db, portal.event, own))
    with portal.db.write():
        choosing.confirm(
            portal.db,
            me,
            portal.event,
            portal.pages,
            own,
            evidence.Step(way, given, 7, "a@example.org"),
        )
    return own


def test_an_exhibitor_confirms_by_itself_only_if_it_may_and_with_evidence(
    portal, hold, monkeypatch
):
    hold("A1")
    assert refused(confirm, portal).code == "booth_closed"
    portal.change(booth_confirm="self")
    assert refused(confirm, portal).code == "booth_closed"  # the participation is not confirmed
    portal.act("participants", portal.participant, "confirm")
    assert refused(confirm, portal, "mailed", {"price": 1}).code == "precondition_failed"
    monkeypatch.setattr(portal.db.config, "smtp_host", "localhost")
    monkeypatch.setattr(portal.db.config, "smtp_sender", "office@example.org")
    assert refused(confirm, portal, "shown").code == "link_not_mailed"
    own = confirm(portal)
    assert portal.organiser.data(f"/booths/{portal.booths['A1']}")["status"] == "sold"
    (step,) = evidence.of(portal.db, "booth_reservation", own["id"])
    assert (step["way"], step["link_id"], step["mailed_to"]) == ("mailed", 7, "a@example.org")
    assert refused(give_back, portal).code == "invalid_transition"
