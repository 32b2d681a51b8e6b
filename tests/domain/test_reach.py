"""How far links lead: one rule after the other (domain/access/reach.py). tests/web/test_reach.py
walks the chains.
"""

import json
import re

import pytest

from eventapi.domain.access import links, reach
from tests.support.links import (
    approve,
    badges,
    confirm,
    contact_of,
    exhibitor,
    notices,
    opens,
    own_participant,
    participant_of,
    shown_secret,
    signed_in,
    visitor,
)

# R1: from an application to the page of the exhibitor


def test_the_application_that_made_a_participation_opens_its_page(organiser, apply, db):
    application = apply()
    assert approve(organiser, application) == []
    mine = own_participant(organiser, application)
    assert opens(db, application, mine)


@pytest.mark.parametrize(
    "session",
    [
        {"way": "shown", "mailed_to": None},
        {"way": "mailed", "mailed_to": "eve@evil.example"},
        {"way": "mailed", "mailed_to": None},
    ],
)
def test_a_session_that_was_not_mailed_to_the_applicant_opens_no_page(
    organiser, apply, db, session
):
    application = apply()
    approve(organiser, application)
    mine = own_participant(organiser, application)
    assert not opens(db, application, mine, session)


def test_an_application_opens_no_page_of_a_participation_that_it_has_found(organiser, apply, db):
    mine = exhibitor(organiser)
    application = apply()
    assert approve(organiser, application) == ["applicant_without_page"]
    assert organiser.data(f"/participants/{mine['id']}")["application_id"] == application["id"]
    assert not opens(db, application, mine)


def test_the_page_of_a_contact_with_another_address_opens_for_nobody(person, organiser, apply, db):
    contact = organiser.make(
        "/contacts", {"company_name": "Victim", "email": "victim@rosen.example"}
    )
    key = person("applications")
    application = apply(key)
    assert approve(key, application, contact_id=contact["id"]) == ["applicant_without_page"]
    theirs = participant_of(organiser, contact["id"])
    assert not opens(db, application, theirs)
    # The office, with the scope participants, sends a link.
    assert organiser.data("/applications?lacks=page")[0]["id"] == application["id"]
    organiser.make(
        "/links",
        {"kind": "participant", "participant_id": theirs["id"], "email": "ada@rosen.example"},
    )
    assert organiser.data("/applications?lacks=page") == []


def test_a_changed_address_of_the_contact_or_the_application_closes_the_way(organiser, apply, db):
    application = apply()
    approve(organiser, application)
    contact_id = contact_of(organiser, application)
    mine = participant_of(organiser, contact_id)
    organiser.patch(f"/contacts/{contact_id}", {"email": "new@rosen.example"}, status=200)
    assert not opens(db, application, mine)
    organiser.patch(f"/contacts/{contact_id}", {"email": "ADA@rosen.example"}, status=200)
    assert opens(db, application, mine)
    for email in ("other@rosen.example", "ada@rosen.example"):
        answer = organiser.patch(
            f"/applications/{application['id']}", {"email": email}, status=200
        ).json
    assert [warning["code"] for warning in answer["meta"]["warnings"]] == ["applicant_without_page"]
    assert not opens(db, application, mine)


def test_without_a_mail_server_each_approval_of_an_exhibitor_warns(organiser, apply, settings, db):
    application = apply()
    settings.smtp_host = ""
    assert approve(organiser, application) == ["applicant_without_page"]


# R1b: badges


def test_the_badge_that_an_application_has_made_is_for_its_address_only(organiser, apply, db):
    application = apply(category="guests")
    assert approve(organiser, application) == []
    assert len(badges(db, application)) == 1 and badges(db, application, "eve@evil.example") == []


def test_the_badge_of_another_contact_is_not_given(person, organiser, apply, db):
    victim, key = visitor(organiser, email="victim@rosen.example"), person("applications")
    application = apply(key, "guests")
    assert approve(key, application, contact_id=victim["contact_id"], mail=True) == [
        "applicant_without_badge"
    ]
    assert badges(db, application) == []
    (text,) = notices(db, "application_decision").values()
    assert "accepted" in text and notices(db, "badge") == {}
    assert badges(db, application, rights=["badges"]) == [victim["id"]]


def test_an_imported_visitor_who_confirms_the_address_gets_the_badge(organiser, apply, db):
    victim, application = visitor(organiser, email="ada@rosen.example"), apply(category="guests")
    approve(organiser, application)
    assert badges(db, application) == []
    confirm(db, application)
    with db.write():
        db.connection.execute("UPDATE participants SET created_at = '2026-01-01T00:00:00Z'")
    assert badges(db, application) == [victim["id"]]


@pytest.mark.parametrize("scopes, given", [("contacts", False), ("contacts participants", True)])
@pytest.mark.parametrize("way", ["patch", "import"])
def test_a_key_without_participants_proves_no_address_of_a_contact(
    person, organiser, apply, db, scopes, given, way
):
    victim, key = visitor(organiser, email="victim@rosen.example", external_id="V1"), person(scopes)
    place, email = f"/contacts/{victim['contact_id']}", "ada@rosen.example"
    if way == "import":
        key.post(
            "/bulk-import/contacts",
            {
                "mode": "update",
                "match_field": "external_id",
                "records": [{"external_id": "V1", "email": email}],
            },
            status=201,
        )
    else:
        key.patch(place, {"email": email}, status=200)
    assert organiser.data(place)["email"] == email
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    assert (badges(db, application) == [victim["id"]]) == given


def test_a_changed_address_of_an_application_gives_no_badge_made_before(
    person, organiser, apply, db
):
    application = apply(category="guests")
    approve(organiser, application)
    person("applications").patch(
        f"/applications/{application['id']}", {"email": "eve@evil.example"}, status=200
    )
    assert badges(db, application, "eve@evil.example") == badges(db, application) == []


@pytest.mark.parametrize(
    "scopes, status", [("links applications", 403), ("links applications participants", 200)]
)
def test_the_right_to_badges_needs_the_scope_participants(person, organiser, apply, scopes, status):
    application, key = apply(category="guests"), person(scopes)
    link = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    key.patch(f"/links/{link['id']}", {"rights": ["badges"]}, status=status)
    body = {
        "kind": "application",
        "application_id": application["id"],
        "email": "b@x.example",
        "rights": ["badges"],
    }
    key.post("/links", body, status=201 if status == 200 else status)


# R2: who was revoked stays revoked


def test_a_revoked_address_gets_no_link_until_the_office_makes_one(organiser, apply, db):
    application = apply()
    link = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    organiser.post(f"/links/{link['id']}/revoke", {}, status=200)
    answer = organiser.post(
        f"/applications/{application['id']}/approve", {"mail": True}, status=200
    ).json
    assert "link_revoked" in [warning["code"] for warning in answer["meta"]["warnings"]]
    (text,) = notices(db, "application_decision").values()
    assert "accepted" in text and "/link/" not in text
    with db.write(), pytest.raises(Exception, match="revoked") as refused:
        reach.refuse_closed(db, "ADA@rosen.example", 1, application_id=application["id"])
    assert (refused.value.status, refused.value.code) == (409, "link_revoked")
    made = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    assert not reach.is_closed(db, "ada@rosen.example", application_id=application["id"])
    assert (
        organiser.data(f"/links/{link['id']}")["ended_by"] == "office" and made["ended_by"] is None
    )


def test_a_link_that_is_taken_back_leaves_its_address_as_it_was(organiser, apply, db):
    fields = {"kind": "application", "application_id": apply()["id"]}

    def is_closed():
        return reach.is_closed(db, "ada@rosen.example", application_id=fields["application_id"])

    def end(link, **body):
        organiser.post(f"/links/{link['id']}/revoke", body, status=200)

    end(organiser.make("/links", fields), undo=True)
    assert not is_closed()
    end(organiser.make("/links", fields))
    for _ in range(2):
        link = organiser.make("/links", fields)
        assert not is_closed()
        end(link, undo=True)
        assert is_closed()


def test_an_erased_link_keeps_its_address_closed(organiser, apply, db):
    application = apply()
    link = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    organiser.delete(f"/links/{link['id']}?erase=1", status=204)
    assert links.get(db, link["id"])["email"] is None
    assert reach.is_closed(db, "ada@rosen.example", application_id=application["id"])


@pytest.mark.parametrize("way", ["post", "delete"])
def test_revoking_all_ends_the_links_of_the_address_for_participant_and_application(
    organiser, apply, way
):
    application = apply()
    approve(organiser, application)
    mine = own_participant(organiser, application)
    of_application = organiser.make(
        "/links", {"kind": "application", "application_id": application["id"]}
    )
    of_participant = organiser.make("/links", {"kind": "participant", "participant_id": mine["id"]})
    other = organiser.make(
        "/links", {"kind": "participant", "participant_id": mine["id"], "email": "b@x.example"}
    )
    if way == "post":
        organiser.post(f"/links/{of_participant['id']}/revoke", {"all": True}, status=200)
    else:
        organiser.delete(f"/links/{of_application['id']}?all=1", status=204)
    states = [
        organiser.data(f"/links/{link['id']}")["status"]
        for link in (of_application, of_participant, other)
    ]
    assert states == ["revoked", "revoked", "active"]


# R4: known addresses are told


def test_known_addresses_are_told_of_a_further_link_and_not_of_the_first(organiser, fair, db):
    contact = organiser.make(
        "/contacts", {"company_name": "Rosen KG", "email": "old@rosen.example"}
    )
    organiser.patch(f"/contacts/{contact['id']}", {"email": "ada@rosen.example"}, status=200)
    mine = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    body = {"kind": "participant", "participant_id": mine["id"], "rights": ["profile", "invoices"]}
    organiser.make("/links", {**body, "email": "first@rosen.example"})
    assert notices(db) == {}
    organiser.make("/links", {**body, "email": "eve@evil.example", "name": "typed.example"})
    told = notices(db)
    assert set(told) == {"first@rosen.example", "ada@rosen.example", "old@rosen.example"}
    text = told["first@rosen.example"]
    assert (
        "another person got access to your exhibitor page for Garden Fair: e…@evil.example." in text
    )
    assert "entry in the list of exhibitors, invoices." in text
    assert "Is this not right? Then please write to visit@fair.example at once." in text
    assert "/link/" not in text and "typed.example" not in text


def test_a_further_link_is_told_in_the_language_of_each_address(organiser, fair, db):
    contact = organiser.make(
        "/contacts", {"company_name": "R", "email": "ada@rosen.example", "language": "de"}
    )
    mine = organiser.make("/participants", {"event_key": "fair", "contact_id": contact["id"]})
    body = {"kind": "participant", "participant_id": mine["id"], "rights": ["orders"]}
    organiser.make("/links", {**body, "email": "first@rosen.example", "language": "en"})
    organiser.make("/links", {**body, "email": "eve@evil.example"})
    told = notices(db)
    assert "Dieser Zugang umfasst: Bestellungen." in told["ada@rosen.example"]
    assert "This access covers: orders." in told["first@rosen.example"]


def test_at_most_five_occasions_a_day_are_told(organiser, fair, db):
    mine = exhibitor(organiser)
    for number in range(8):
        organiser.make(
            "/links",
            {"kind": "participant", "participant_id": mine["id"], "email": f"n{number}@x.example"},
        )
    count = db.connection.execute(
        "SELECT count(DISTINCT details) FROM mails WHERE kind = 'link_notice'"
    ).fetchone()[0]
    assert count == 5


def test_the_owner_of_a_link_is_told_of_a_further_device(organiser, app, fair, db):
    mine = exhibitor(organiser)
    link = organiser.make(
        "/links", {"kind": "participant", "participant_id": mine["id"], "email": "b@x.example"}
    )
    secret = shown_secret(link)
    signed_in(app, secret).sign_in(secret)
    assert notices(db) == {}
    signed_in(app, secret)
    assert {
        address: "opened on a further device" in text for address, text in notices(db).items()
    } == {"b@x.example": True}


def test_notices_have_no_secret_and_nothing_that_was_typed_in_their_details(organiser, pair, db):
    pair(
        kept=[
            {"email": "a@x.example", "name": "Typed Name"},
            {"email": "b@x.example", "name": "Typed Name"},
        ]
    )
    for (details,) in db.connection.execute("SELECT details FROM mails WHERE kind = 'link_notice'"):
        assert (
            "Typed" not in details
            and "evl_" not in details
            and json.loads(details)["address"] == "b…@x.example"
        )


# R6: another address


def test_another_address_of_an_application_ends_its_links_and_is_told_to_the_former_one(
    organiser, apply, db
):
    application = apply()
    link = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    other = organiser.make(
        "/links",
        {
            "kind": "application",
            "application_id": application["id"],
            "email": "colleague@rosen.example",
        },
    )
    organiser.post(f"/applications/{application['id']}/waitlist", {"mail": True}, status=200)
    place = f"/applications/{application['id']}"
    organiser.patch(place, {"email": "Ada@rosen.example"}, status=200)  # the same one
    assert organiser.data(f"/links/{link['id']}")["status"] == "active"
    organiser.patch(place, {"email": "new@rosen.example"}, status=200)
    assert [organiser.data(f"/links/{each['id']}")["ended_by"] for each in (link, other)] == [
        "address",
        None,
    ]
    told = notices(db)
    assert (
        set(told) == {"Ada@rosen.example"}
        and "The new one is n…@rosen.example." in told["Ada@rosen.example"]
    )
    # The decision that was queued goes to the new address, and proves it.
    (row,) = db.connection.execute(
        "SELECT recipient FROM mails WHERE kind = 'application_decision'"
    ).fetchall()
    assert row == ("new@rosen.example",)


def test_opening_the_mail_to_the_new_address_confirms_it(organiser, app, apply, db):
    application = apply()
    organiser.patch(
        f"/applications/{application['id']}", {"email": "new@rosen.example"}, status=200
    )
    organiser.post(f"/applications/{application['id']}/waitlist", {"mail": True}, status=200)
    shown = organiser.make(
        "/links",
        {"kind": "application", "application_id": application["id"], "email": "eve@evil.example"},
    )
    signed_in(app, shown_secret(shown))
    place = f"/applications/{application['id']}"
    assert organiser.data(place)["email_confirmed_at"] is None
    (text,) = notices(db, "application_decision").values()
    signed_in(app, re.search(r"evl_[\w-]{32}", text)[0])
    assert organiser.data(place)["email_confirmed_at"] is not None


def test_an_address_that_was_never_used_is_not_told(organiser, apply, db):
    application = apply(email="tpyo@rosen.example")
    organiser.patch(
        f"/applications/{application['id']}", {"email": "typo@rosen.example"}, status=200
    )
    assert notices(db) == {}


def test_former_addresses_are_kept_for_a_month(organiser, fair, db):
    contact = organiser.make("/contacts", {"company_name": "R", "email": "one@rosen.example"})
    for email in ("two@rosen.example", "three@rosen.example"):
        organiser.patch(f"/contacts/{contact['id']}", {"email": email}, status=200)
    assert organiser.data(f"/contacts/{contact['id']}/export")["contact"]["email_before"] == [
        "one@rosen.example",
        "two@rosen.example",
    ]
    assert reach.forget_former_addresses(db, 10) == 0
    with db.write():
        db.connection.execute("UPDATE contacts SET email_changed_at = '2026-01-01T00:00:00Z'")
    assert reach.forget_former_addresses(db, 10) == 1
    assert "email_before" not in organiser.data(f"/contacts/{contact['id']}/export")["contact"]
