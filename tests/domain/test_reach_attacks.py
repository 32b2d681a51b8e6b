"""Chains of requests by which links, badges and pages do not reach further than the rules say
(domain/access/reach.py).

Each key has only the scopes of the attack; `organiser` has all.
"""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from eventapi.domain.access import links
from eventapi.domain.mail.contents import Gone
from eventapi.worker.mail import message as mail_message
from tests.pages.conftest import Visitor
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
    mailed_secret,
    notices,
    opens,
    own_participant,
    queued,
    revoke,
    shown_secret,
    signed_in,
    states,
    visitor,
)

# Its first letter, the Kelvin sign, becomes k in the lower case of Python, and stays what it is in
# the database.
KELVIN = "\u212alara@rosen.example"


# R1: the page of the exhibitor


@pytest.fixture
def page_of(app, db):
    """Return a function that opens the page of an application by a mail.

    It returns (Visitor, link, page).
    """

    def opened(organiser, application):
        link = link_to(organiser, application=application)
        browser = signed_in(app, mailed_secret(db, link, application["email"]))
        return browser, link, browser.get(f"/apply/{link['ref']}")

    return opened


@pytest.mark.parametrize(
    "emails",
    [
        ["eve@evil.example"],
        ["x@x.example", "eve@evil.example"],
        [None, "eve@evil.example"],
        ["VICTIM@rosen.example", "eve@evil.example"],
    ],
)
def test_no_change_of_an_application_and_its_contact_opens_the_page(
    person, organiser, apply, db, emails
):
    application = apply(email="victim@rosen.example")
    approve(organiser, application)
    mine = own_participant(organiser, application)
    key = person("contacts applications")
    for email in emails:
        key.patch(f"/applications/{application['id']}", {"email": email}, status=200)
    key.patch(f"/contacts/{mine['contact_id']}", {"email": "eve@evil.example"}, status=200)
    second = apply(key, email="eve@evil.example")
    approve(key, second)
    eve = {"way": "mailed", "mailed_to": "eve@evil.example"}
    assert not opens(db, application, mine, eve)
    assert not opens(db, second, mine, eve)


def test_devices_that_open_the_page_at_the_same_time_make_one_link(
    organiser, app, apply, page_of, db
):
    application = apply()
    approve(organiser, application)
    first, link, _ = page_of(organiser, application)
    devices = [first] + [signed_in(app, mailed_secret(db, link)) for _ in range(3)]
    pages = [device.get(f"/apply/{link['ref']}") for device in devices]
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(
            lambda device, page: device.submit(page, f"/apply/{link['ref']}/my"), devices, pages
        )
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert len(organiser.data("/links?kind=participant")) == 1


def test_the_own_link_of_an_applicant_is_asked_for_by_a_form(organiser, apply, page_of, db):
    mine = exhibitor(organiser, "info@rosen.example")
    link_to(organiser, mine, email=ADA)
    application = apply()
    approve(organiser, application, contact_id=mine["contact_id"])
    browser, _, page = page_of(organiser, application)
    assert f"Ask for a new link to {ADA}" in page.text
    token = re.search(r'name="token" value="([^"]+)"', page.text)[1]
    browser.post("/my", {"token": token, "email": ADA}, status=200)
    links.handle_requests(db, 10)
    sent = [
        (links.get(db, mail["entity_id"])["kind"], mail["recipient"]) for mail in queued(db, "link")
    ]
    assert ("participant", ADA) in sent


def test_an_applicant_without_an_own_link_is_told_who_sends_it(organiser, apply, page_of):
    mine = exhibitor(organiser, "info@rosen.example")
    link_to(organiser, mine, email="boss@rosen.example")
    application = apply()
    approve(organiser, application, contact_id=mine["contact_id"])
    _, _, page = page_of(organiser, application)
    assert (
        "Your company has a page for the show already. visit@fair.example sends you the link."
        in page.text
    )
    assert "Ask for a new link" not in page.text


def test_an_applicant_whose_own_link_has_expired_is_told_who_sends_a_new_one(
    organiser, apply, page_of
):
    application = apply()
    approve(organiser, application)
    link_to(organiser, own_participant(organiser, application), expires_at="2026-01-01T00:00:00Z")
    browser, link, page = page_of(organiser, application)
    assert "visit@fair.example sends you the link." in page.text
    assert "Ask for a new link" not in page.text
    assert "Open your exhibitor page" not in page.text
    browser.submit(page, f"/apply/{link['ref']}/my", status=404)


@pytest.mark.parametrize("changed", ["contact_id", "event_id"])
def test_a_participant_with_a_link_keeps_its_contact_and_its_event(
    person, organiser, fair, changed
):
    mine = exhibitor(organiser)
    link_to(organiser, mine)
    other = {
        "contact_id": organiser.make("/contacts", {"company_name": "Victim AG"}),
        "event_id": organiser.make(
            "/events", {"title": "Other", "date_from": "2027-06-01", "date_to": "2027-06-01"}
        ),
    }
    answer = person("participants").patch(
        f"/participants/{mine['id']}", {changed: other[changed]["id"]}, status=409
    )
    assert (answer.json["code"], answer.json["used_by"]) == ("in_use", ["links"])


# R1b: badges


def refuse_badge(app, link):
    """Open the link whose secret a response has shown, and look for the badge."""
    browser = signed_in(app, shown_secret(link))
    for page in ("badge", "badge.svg", "badge.pdf"):
        browser.get(f"/apply/{link['ref']}/{page}", status=404)


def test_a_link_that_a_key_has_made_opens_no_badge(person, organiser, app, apply):
    application = apply(category="guests")
    approve(organiser, application)
    refuse_badge(app, link_to(person("links applications"), application=application))


@pytest.mark.parametrize("way", ["show", "rotate"])
def test_a_link_that_a_key_was_shown_opens_no_badge(person, organiser, app, apply, way):
    application = apply(category="guests")
    approve(organiser, application)
    link = link_to(organiser, application=application)
    refuse_badge(
        app,
        person("links applications").post(f"/links/{link['id']}/{way}", status=200).json["data"],
    )


def test_a_link_that_a_key_has_made_opens_no_badge_of_an_imported_visitor(
    person, organiser, app, apply, db
):
    visitor(organiser, email=ADA)
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    refuse_badge(app, link_to(person("links applications"), application=application))


def test_an_address_in_letters_beyond_ascii_is_another_mailbox_for_the_badge_of_a_contact(
    person, organiser, apply, db
):
    victim = organiser.make("/contacts", {"last_name": "Victim", "email": "klara@rosen.example"})
    key = person("applications")
    application = apply(key, "guests", email=KELVIN)
    approve(key, application, contact_id=victim["id"])
    assert badges(db, application, KELVIN) == []


def test_a_key_that_changes_letters_beyond_ascii_proves_no_address(person, organiser, apply, db):
    victim = visitor(organiser, email="klara@rosen.example")
    person("contacts").patch(f"/contacts/{victim['contact_id']}", {"email": KELVIN}, status=200)
    application = apply(category="guests", email=KELVIN)
    approve(organiser, application)
    assert contact_of(organiser, application) == victim["contact_id"]
    confirm(db, application)
    assert badges(db, application, KELVIN) == []


def test_a_changed_address_proves_nothing_also_if_the_clock_goes_back(person, organiser, apply, db):
    victim = visitor(organiser, email="victim@rosen.example")
    with db.write():
        db.connection.execute("UPDATE participants SET created_at = '2027-01-01T00:00:00Z'")
    person("contacts").patch(f"/contacts/{victim['contact_id']}", {"email": ADA}, status=200)
    application = apply(category="guests")
    approve(organiser, application)
    confirm(db, application)
    assert badges(db, application) == []


def test_the_right_badges_brings_the_badge_with_the_decision(organiser, apply, db):
    victim = visitor(organiser, email="victim@rosen.example")
    application = apply(category="guests")
    link_to(organiser, application=application, rights=["badges"])
    approve(organiser, application, contact_id=victim["contact_id"], mail=True)
    assert kinds_of_mails(db) == ["badge"]


def kinds_of_mails(db):
    return [kind for (kind,) in db.connection.execute("SELECT kind FROM mails ORDER BY id")]


# Keys for links


def test_a_link_of_a_participant_needs_the_scope_participants_also_without_rights(
    person, organiser, fair
):
    body = {
        "kind": "participant",
        "participant_id": exhibitor(organiser)["id"],
        "rights": [],
        "email": "e@x.example",
    }
    answer = person("links").post("/links", body, status=403)
    assert answer.json["scope"] == "participants"
    person("links participants").post("/links", body, status=201)


def test_extending_a_link_needs_the_scopes_of_its_rights(person, organiser, app, fair, db):
    link = link_to(organiser, exhibitor(organiser), rights=["invoices"])
    browser = signed_in(app, mailed_secret(db, link))
    organiser.patch(f"/links/{link['id']}", {"expires_at": "2026-01-01T00:00:00Z"}, status=200)
    later = {"expires_at": "2027-06-01T00:00:00Z"}
    answer = person("links participants").patch(f"/links/{link['id']}", later, status=403)
    assert answer.json["scope"] == "invoices"
    browser.get(f"/my/{link['ref']}", status=403)
    person("links participants invoices").patch(f"/links/{link['id']}", later, status=200)
    browser.get(f"/my/{link['ref']}/invoices")


def test_a_repeated_request_shows_no_secret_again(person, apply):
    body = {"kind": "application", "application_id": apply()["id"]}
    key, headers = person("links applications"), {"Idempotency-Key": "k-1234567890"}
    first = key.post("/links", body, status=201, headers=headers).json["data"]
    again = key.post("/links", body, status=201, headers=headers).json["data"]
    assert again == {**first, "url": None}


# R2: who was revoked stays revoked


@pytest.mark.parametrize("kind", ["application", "participant"])
def test_a_revoked_applicant_stays_out_with_a_second_application(organiser, apply, page_of, kind):
    first = apply()
    approve(organiser, first)
    mine = own_participant(organiser, first)
    link = (
        link_to(organiser, mine) if kind == "participant" else link_to(organiser, application=first)
    )
    revoke(organiser, link)
    second = apply(email="ADA@rosen.example")
    approve(organiser, second)
    browser, link, page = page_of(organiser, second)
    assert "has been ended" in page.text
    assert "Open your exhibitor page" not in page.text
    assert "visit@fair.example" in browser.submit(page, f"/apply/{link['ref']}/my", status=409).text


@pytest.mark.parametrize("is_revoked", [False, True])
def test_a_participation_with_a_link_is_not_made_anew(person, organiser, fair, is_revoked):
    """A link that the office has revoked keeps its address closed."""
    mine = exhibitor(organiser)
    link = link_to(organiser, mine)
    if is_revoked:
        revoke(organiser, link)
    answer = (
        person("contacts")
        .patch(f"/contacts/{mine['contact_id']}", {"event_keys": []}, status=409)
        .json
    )
    assert (answer["code"], answer["used_by"]) == ("in_use", ["links"])


def test_erasing_all_links_of_a_person_erases_the_person_everywhere(organiser, apply):
    application = apply()
    approve(organiser, application)
    of_application = link_to(organiser, application=application)
    link = link_to(organiser, own_participant(organiser, application))
    organiser.delete(f"/links/{link['id']}?all=1&erase=1", status=204)
    assert [organiser.data(f"/links/{each['id']}")["email"] for each in (link, of_application)] == [
        None,
        None,
    ]


def test_revoking_all_ends_the_link_of_the_application_that_has_found_the_participation(
    organiser, apply
):
    mine, application = exhibitor(organiser), apply()
    approve(organiser, application)
    of_application = link_to(organiser, application=application)
    revoke(organiser, link_to(organiser, mine), all=True)
    assert states(organiser, of_application) == [("revoked", "office")]


def test_a_revoked_address_gets_no_badge_by_mail(organiser, apply, db):
    application = apply(category="guests")
    revoke(organiser, link_to(organiser, application=application))
    approve(organiser, application, mail=True)
    assert kinds_of_mails(db) == ["application_decision"]


def test_a_mail_that_was_queued_before_the_revocation_brings_no_badge(organiser, apply, db):
    application = apply(category="guests")
    approve(organiser, application, mail=True)
    (link,) = organiser.data("/links")
    revoke(organiser, link)
    (mail,) = queued(db, "badge")
    with pytest.raises(Gone):
        mail_message.build(db, mail)


# R4: known addresses are told


def test_devices_do_not_use_up_the_notices_of_further_links(organiser, app, fair, db):
    mine = exhibitor(organiser)
    secret = mailed_secret(db, link_to(organiser, mine, email="mole@x.example"), "mole@x.example")
    for _ in range(6):
        signed_in(app, secret)
    with db.write():  # as if each device were from another second
        db.connection.execute(
            "UPDATE mails SET details = json_set(details, '$.changed_at', printf('2026-01-01T00:00:%02dZ', id))"
        )
    link_to(organiser, mine, email="eve@evil.example")
    assert "another person got access" in notices(db)[ADA]


def test_further_rights_of_a_link_are_told_to_the_others(organiser, fair, db):
    mine = exhibitor(organiser)
    link = link_to(organiser, mine, email="eve@evil.example", rights=[])
    link_to(organiser, mine, email="b@x.example")
    forget(db)
    organiser.patch(f"/links/{link['id']}", {"rights": ["invoices"]}, status=200)
    told = notices(db)
    assert set(told) == {ADA, "b@x.example"}
    assert "This access covers: invoices." in told[ADA]


def test_fewer_rights_of_a_link_are_told_to_nobody(organiser, fair, db):
    mine = exhibitor(organiser)
    link = link_to(organiser, mine, email="eve@evil.example")
    link_to(organiser, mine, email="b@x.example")
    forget(db)
    organiser.patch(f"/links/{link['id']}", {"rights": []}, status=200)
    assert notices(db) == {}


def test_all_addresses_before_are_told(person, organiser, fair, db):
    mine = exhibitor(organiser, "old@rosen.example")
    link_to(organiser, mine, email="a@x.example")
    organiser.patch(
        f"/contacts/{mine['contact_id']}", {"email": "victim@rosen.example"}, status=200
    )
    person("contacts").patch(
        f"/contacts/{mine['contact_id']}", {"email": "eve@evil.example"}, status=200
    )
    link_to(organiser, mine, email="b@x.example")
    assert set(notices(db)) == {
        "old@rosen.example",
        "victim@rosen.example",
        "eve@evil.example",
        "a@x.example",
    }


# R6: another address


def test_another_address_of_an_application_ends_the_sessions_of_the_former_one(
    person, organiser, app, apply, db
):
    application = apply(category="guests")
    approve(organiser, application)
    link = link_to(organiser, application=application)
    secret = mailed_secret(db, link)
    browser = signed_in(app, secret)
    person("applications").patch(
        f"/applications/{application['id']}", {"email": "new@x.example"}, status=200
    )
    browser.get(f"/apply/{link['ref']}", status=403)
    Visitor(app).sign_in(secret, status=404)


def test_a_change_to_letters_beyond_ascii_is_another_address(person, organiser, apply):
    application = apply(email="klara@rosen.example")
    link = link_to(organiser, application=application)
    person("applications").patch(
        f"/applications/{application['id']}", {"email": KELVIN}, status=200
    )
    assert states(organiser, link) == [("revoked", "address")]


def test_a_failed_mail_that_is_sent_again_goes_to_the_new_address(organiser, apply, db):
    application = apply()
    organiser.post(
        f"/applications/{application['id']}/reject", {"reason": "Full", "mail": True}, status=200
    )
    with db.write():
        db.connection.execute("UPDATE mails SET state = 'failed'")
    organiser.patch(
        f"/applications/{application['id']}", {"email": "new@rosen.example"}, status=200
    )
    assert [mail["recipient"] for mail in queued(db, "application_decision")] == [
        "new@rosen.example"
    ]


def test_a_mail_with_a_badge_tells_the_new_address_the_decision_only(organiser, apply, db):
    application = apply(category="guests", email="tpyo@rosen.example")
    approve(organiser, application, mail=True)
    organiser.patch(
        f"/applications/{application['id']}", {"email": "typo@rosen.example"}, status=200
    )
    assert queued(db, "badge") == []
    assert set(notices(db, "application_decision")) == {"typo@rosen.example"}


# What an application does not lead to


def test_an_exhibitor_with_a_link_of_anybody_is_not_counted(organiser, apply, fair):
    mine, application = exhibitor(organiser, "info@rosen.example"), apply()
    assert approve(organiser, application, contact_id=mine["contact_id"]) == [
        "applicant_without_page"
    ]
    assert lacking(organiser, "page") == [application["id"]]
    link_to(organiser, mine, email="boss@rosen.example")
    assert lacking(organiser, "page") == []


def test_approving_warns_of_an_applicant_without_page_also_if_a_colleague_has_a_link(
    organiser, apply, fair
):
    mine = exhibitor(organiser, "info@rosen.example")
    link_to(organiser, mine, email="boss@rosen.example")
    assert approve(organiser, apply(), contact_id=mine["contact_id"]) == ["applicant_without_page"]


def test_an_applicant_without_page_is_counted_also_if_a_colleague_was_revoked(
    organiser, apply, fair
):
    mine, application = exhibitor(organiser, "info@rosen.example"), apply()
    approve(organiser, application, contact_id=mine["contact_id"])
    revoke(organiser, link_to(organiser, mine, email="boss@rosen.example"))
    assert lacking(organiser, "page") == [application["id"]]


def test_an_applicant_without_badge_is_counted_also_if_a_colleague_was_revoked(organiser, apply):
    victim, application = visitor(organiser, email="victim@rosen.example"), apply(category="guests")
    approve(organiser, application, contact_id=victim["contact_id"])
    revoke(organiser, link_to(organiser, application=application, email="boss@rosen.example"))
    assert lacking(organiser, "badge") == [application["id"]]


def test_an_applicant_is_counted_once_the_contact_has_another_address(organiser, apply):
    application = apply()
    approve(organiser, application)
    assert lacking(organiser, "page") == []
    organiser.patch(
        f"/contacts/{contact_of(organiser, application)}",
        {"email": "office@rosen.example"},
        status=200,
    )
    assert lacking(organiser, "page") == [application["id"]]


def test_an_applicant_is_counted_once_the_participation_was_made_anew(organiser, apply):
    application = apply()
    approve(organiser, application)
    for event_keys in ([], ["fair"]):
        organiser.patch(
            f"/contacts/{contact_of(organiser, application)}",
            {"event_keys": event_keys},
            status=200,
        )
    assert lacking(organiser, "page") == [application["id"]]


def test_a_badge_that_is_reached_by_confirming_is_not_counted_any_more(organiser, app, apply, db):
    visitor(organiser, email=ADA)
    application = apply(category="guests")
    approve(organiser, application)
    assert lacking(organiser, "badge") == [application["id"]]
    signed_in(app, mailed_secret(db, link_to(organiser, application=application)))
    assert len(badges(db, application)) == 1
    assert lacking(organiser, "badge") == []


def test_a_visitor_without_an_address_is_not_counted(organiser, apply):
    approve(organiser, apply(category="guests", email=None))
    assert lacking(organiser, "badge") == []
