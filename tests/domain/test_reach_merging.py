"""What merging contacts does to links, and to what applications lead to (domain/access/reach.py,
R8).
"""

import re

import pytest

from eventapi import paths
from eventapi.domain.access import reach
from tests.resources.test_contacts import hand_overs
from tests.support.links import (
    ADA,
    approve,
    badges,
    confirm,
    contact_of,
    exhibitor,
    forget,
    lacking,
    link_to,
    merge,
    notices,
    opens,
    own_participant,
    participant_of,
    record,
    revoke,
    states,
    visitor,
)


def test_merging_contacts_without_participations_and_records_needs_contacts_only(person, organiser):
    kept, gone = (organiser.make("/contacts", {"last_name": name}) for name in ("A", "B"))
    person("contacts").post(
        f"/contacts/{kept['id']}/merge", {"duplicate_id": gone["id"]}, status=200
    )


@pytest.mark.parametrize(
    "kind, scopes",
    [
        ("participation", "contacts participants"),
        ("invoice", "contacts participants invoices"),
        ("document", "contacts participants documents"),
        ("booth", "contacts participants booths"),
        ("link", "contacts participants links"),
    ],
)
def test_merging_needs_the_scope_of_all_that_moves(person, organiser, pair, kind, scopes):
    kept, gone = pair(gone=[{"email": "a@x.example"}]) if kind == "link" else pair()
    if kind == "invoice":
        record(organiser, gone)
    elif kind == "document":
        organiser.make(
            "/documents",
            {"entity_type": "contact", "entity_id": gone["contact_id"], "filename": "letter.pdf"},
        )
    elif kind == "booth":
        plan = organiser.make(
            "/plans", {"event_key": "fair", "plan_name": "Hall", "width": 60, "height": 40}
        )
        booth = organiser.make(
            "/booths",
            {
                "plan_id": plan["id"],
                "booth_number": "A1",
                "width": 3,
                "depth": 3,
                "fixed_price": 10,
            },
        )
        organiser.make(
            "/booth-reservations", {"booth_id": booth["id"], "event_participant_id": gone["id"]}
        )
    for missing in scopes.split():
        key = person(" ".join(scope for scope in scopes.split() if scope != missing) or "events")
        answer = merge(key, kept, gone, status=403)
        assert (answer["code"], answer["scope"]) == ("insufficient_scope", missing)
    merge(person(scopes), kept, gone)


def test_a_merge_ends_the_links_of_the_duplicate_and_with_records_those_of_both(
    organiser, pair, db
):
    kept, gone = pair(kept=[{"email": "a@x.example"}], gone=[{"email": "b@x.example"}])
    merge(organiser, kept, gone)
    assert states(organiser, *kept["links"], *gone["links"]) == [
        ("active", None),
        ("revoked", "merge"),
    ]


def test_records_that_move_end_the_links_of_both(organiser, pair, db):
    kept, gone = pair(kept=[{"email": "a@x.example"}], gone=[{"email": "b@x.example"}])
    record(organiser, gone)
    forget(db)
    merge(organiser, kept, gone)
    assert states(organiser, *kept["links"], *gone["links"]) == [
        ("revoked", "merge"),
        ("revoked", "merge"),
    ]
    told = notices(db)
    assert set(told) == {"a@x.example", "b@x.example", "kept@x.example", "gone@x.example"}
    assert (
        "no longer open: a…@x.example, b…@x.example. visit@fair.example sends the new ones."
        in told["a@x.example"]
    )


def test_a_person_with_a_link_to_each_keeps_what_both_allow(organiser, pair):
    kept, gone = pair(
        kept=[{"email": "a@x.example", "rights": ["profile", "orders"]}],
        gone=[{"email": "A@x.example", "rights": ["orders", "invoices"]}],
    )
    record(organiser, gone)
    merge(organiser, kept, gone)
    assert states(organiser, *kept["links"], *gone["links"]) == [
        ("active", None),
        ("revoked", "merge"),
    ]
    assert organiser.data(f"/links/{kept['links'][0]['id']}")["rights"] == ["orders"]


def test_named_links_go_on_with_their_rights(person, organiser, pair):
    kept, gone = pair(
        kept=[{"email": "a@x.example"}], gone=[{"email": "b@x.example", "rights": ["orders"]}]
    )
    record(organiser, gone)
    keep = [gone["links"][0]["id"]]
    answer = merge(
        person("contacts participants invoices links"), kept, gone, status=403, keep_links=keep
    )
    assert answer["scope"] == "service_orders"
    merge(
        person("contacts participants invoices links service_orders"), kept, gone, keep_links=keep
    )
    assert states(organiser, *kept["links"], *gone["links"]) == [
        ("revoked", "merge"),
        ("active", None),
    ]
    assert organiser.data(f"/links/{keep[0]}")["participant_id"] == kept["id"]


def test_only_live_links_of_the_two_can_be_named_and_one_for_each_address(organiser, pair, fair):
    kept, gone = pair(kept=[{"email": "a@x.example"}], gone=[{"email": "a@x.example"}])
    other = organiser.make("/contacts", {"last_name": "other"})
    third = organiser.make("/participants", {"event_key": "fair", "contact_id": other["id"]})
    foreign = organiser.make(
        "/links", {"kind": "participant", "participant_id": third["id"], "name": "x"}
    )
    errors = merge(
        organiser,
        kept,
        gone,
        status=422,
        keep_links=[kept["links"][0]["id"], gone["links"][0]["id"], foreign["id"]],
    )["errors"]
    assert [(error["pointer"], error["code"]) for error in errors] == [
        ("/keep_links/1", "duplicate"),
        ("/keep_links/2", "unknown"),
    ]


def test_an_address_that_is_closed_on_either_side_is_closed_after_a_merge(organiser, pair, db):
    kept, gone = pair(kept=[{"email": "a@x.example"}], gone=[{"email": "a@x.example"}])
    organiser.post(f"/links/{gone['links'][0]['id']}/revoke", {}, status=200)
    named = merge(organiser, kept, gone, status=409, keep_links=[kept["links"][0]["id"]])
    assert named["code"] == "link_revoked"
    merge(organiser, kept, gone)
    assert states(organiser, *kept["links"]) == [("revoked", "merge")]
    assert reach.is_closed(db, "a@x.example", participant_id=kept["id"])


def test_a_participation_that_gets_records_of_another_one_belongs_to_no_application(
    organiser, apply, pair, db
):
    application = apply()
    approve(organiser, application)
    contact_id = contact_of(organiser, application)
    mine, (_, gone) = participant_of(organiser, contact_id), pair()
    record(organiser, gone)
    merge(organiser, mine, gone)
    assert not opens(db, application, mine)


def test_a_participation_that_only_changes_its_contact_keeps_its_links(organiser, pair, fair):
    contact = organiser.make("/contacts", {"last_name": "kept"})
    _, gone = pair(gone=[{"email": "b@x.example"}])
    merge(organiser, {"contact_id": contact["id"]}, gone)
    assert states(organiser, *gone["links"]) == [("active", None)]


def test_a_merge_that_fills_the_address_of_a_contact_does_not_prove_it(
    person, organiser, apply, db
):
    victim = visitor(organiser)
    own = organiser.make("/contacts", {"last_name": "own", "email": "ada@rosen.example"})
    person("contacts").post(
        f"/contacts/{victim['contact_id']}/merge", {"duplicate_id": own["id"]}, status=200
    )
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    assert badges(db, application) == []


# What moves


def test_a_merge_names_the_links_that_it_has_ended(organiser, pair):
    kept, gone = pair(gone=[{"email": "b@x.example"}])
    (warning,) = merge(organiser, kept, gone)["meta"]["warnings"]
    assert warning["code"] == "links_ended"
    assert f"became one with another: {gone['links'][0]['id']}. Make new ones" in warning["detail"]


def test_a_name_on_a_badge_that_moves_ends_no_link(organiser, pair):
    kept, gone = pair(kept=[{"email": "a@x.example"}])
    organiser.patch(f"/participants/{gone['id']}", {"badge_name": "Ada"}, status=200)
    assert "warnings" not in merge(organiser, kept, gone)["meta"]
    assert organiser.data(f"/participants/{kept['id']}")["badge_name"] == "Ada"
    assert states(organiser, *kept["links"]) == [("active", None)]


def test_a_choice_of_a_booth_that_moves_ends_the_links_of_both(organiser, pair, db):
    kept, gone = pair(kept=[{"email": "eve@evil.example"}])
    with db.write():
        db.connection.execute(
            "INSERT INTO booth_choices (participant_id, ends_at) VALUES (?, '2027-01-01T00:00:00Z')",
            (gone["id"],),
        )
    merge(organiser, kept, gone)
    assert states(organiser, *kept["links"]) == [("revoked", "merge")]


def test_a_host_that_moves_ends_the_links_of_both(organiser, pair):
    kept, gone = pair(kept=[{"email": "eve@evil.example"}], role="co_exhibitor")
    host = exhibitor(organiser)
    organiser.patch(f"/participants/{gone['id']}", {"host_participant_id": host["id"]}, status=200)
    merge(organiser, kept, gone)
    assert organiser.data(f"/participants/{kept['id']}")["host_participant_id"] == host["id"]
    assert states(organiser, *kept["links"]) == [("revoked", "merge")]


def test_a_participation_that_a_merge_reinstates_loses_its_links(organiser, pair):
    kept, gone = pair(kept=[{"email": "eve@evil.example"}])
    organiser.post(f"/participants/{gone['id']}/confirm", status=200)
    organiser.post(f"/participants/{kept['id']}/cancel", status=200)
    merge(organiser, kept, gone)
    assert organiser.data(f"/participants/{kept['id']}")["status"] == "confirmed"
    assert states(organiser, *kept["links"]) == [("revoked", "merge")]


def test_the_links_of_a_person_to_two_roles_can_both_be_named(organiser, fair):
    kept, gone = (organiser.make("/contacts", {"company_name": name}) for name in ("kept", "gone"))
    links = []
    for role in ("exhibitor", "sponsor"):
        for contact in (kept, gone):
            part = organiser.make(
                "/participants", {"event_key": "fair", "contact_id": contact["id"], "role": role}
            )
        links.append(link_to(organiser, part, email="a@x.example"))
    merge(organiser, {"contact_id": kept["id"]}, part, keep_links=[link["id"] for link in links])
    assert states(organiser, *links) == [("active", None), ("active", None)]


def test_the_office_closes_the_address_of_a_link_that_a_merge_has_ended(organiser, pair):
    kept, gone = pair(gone=[{"email": "b@x.example"}])
    merge(organiser, kept, gone)
    assert revoke(organiser, gone["links"][0])["ended_by"] == "office"


# What a merge does not prove


def test_a_merge_by_the_office_does_not_prove_an_address_that_a_key_has_changed(
    person, organiser, apply, db
):
    """The key also makes a contact without an address, which the office finds among the duplicates."""
    victim, key = visitor(organiser, email="victim@rosen.example"), person("contacts")
    key.patch(f"/contacts/{victim['contact_id']}", {"email": ADA}, status=200)
    twin = key.make("/contacts", {"last_name": "Victim"})
    merge(organiser, {"contact_id": twin["id"]}, victim)
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    assert badges(db, application) == []


def test_a_merge_by_the_office_does_not_prove_the_address_of_the_contact_that_stays(
    person, organiser, apply, db
):
    victim = visitor(organiser, email="victim@rosen.example")
    twin = person("contacts").make("/contacts", {"last_name": "Victim", "email": ADA})
    merge(organiser, {"contact_id": twin["id"]}, victim)
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    assert badges(db, application) == []


def test_an_application_that_a_merge_moves_to_another_contact_gets_no_badge_of_it(
    person, organiser, apply, db
):
    victim, key = visitor(organiser), person("contacts")
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    own = contact_of(organiser, application)
    key.patch(f"/contacts/{own}", {"event_keys": []}, status=200)
    merge(key, victim, {"contact_id": own})
    assert contact_of(organiser, application) == victim["contact_id"]
    assert badges(db, application) == []


def test_a_visitor_who_loses_the_badge_by_a_merge_is_counted(organiser, apply, db):
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    merge(
        organiser,
        visitor(organiser, email="other@rosen.example"),
        own_participant(organiser, application),
    )
    assert badges(db, application) == []
    assert lacking(organiser, "badge") == [application["id"]]


def test_an_applicant_whose_exhibitor_gets_records_of_another_one_is_counted(
    organiser, apply, pair
):
    application, (_, gone) = apply(), pair()
    approve(organiser, application)
    record(organiser, gone)
    merge(organiser, own_participant(organiser, application), gone)
    assert lacking(organiser, "page") == [application["id"]]


def test_whatever_a_merge_moves_from_a_participant_ends_the_links_of_the_one_that_stays():
    folder = paths.folder("sql")
    text = (folder / "merging.sql").read_text() + hand_overs()
    moved = {*re.findall(r"UPDATE (\w+) SET \w*participant_id = :participant_id", text)}
    counted = (
        (folder / "reach.sql")
        .read_text()
        .partition("-- name: has_records")[2]
        .partition("-- name:")[0]
    )
    # A badge number stays valid, which is no record; scans come with their visits, and links are
    # what ends.
    assert moved - {"badge_aliases", "check_in_scans", "links"} <= {
        *re.findall(r"FROM (\w+)", counted)
    }
