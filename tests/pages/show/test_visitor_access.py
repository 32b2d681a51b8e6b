"""Who gets a badge by registering as a visitor, and who stays out."""

from eventapi.domain.access import links
from tests.pages.conftest import Visitor
from tests.pages.show.conftest import TYPED, built, confirmed, link_of, participants


def revoke(organiser):
    """Revoke the link of the only registration, with all others of its address."""
    (link,) = organiser.data("/links")
    organiser.post(f"/links/{link['id']}/revoke", {"all": True}, status=200)


def refused(visitor, db):
    """Open the link of the last confirmation, which is refused. Return the page."""
    return visitor.post(link_of(built(db, "application_confirmation")[-1][1]), status=409)


# Who was revoked


def test_a_revoked_visitor_who_registers_again_is_told_whom_to_ask(register, pages, organiser, db):
    visitor, _ = register()
    confirmed(visitor, db)
    revoke(organiser)
    other, _ = register(email="GRETA@mail.example")
    page = refused(other, db)
    assert "access has been ended" in page.text
    assert "visit@example.org" in page.text


def test_a_form_that_was_sent_before_the_revocation_does_not_bring_the_visitor_back(
    register, pages, organiser, db
):
    visitor, _ = register()
    other, _ = register(first_name="Eve")
    confirmed(visitor, db, 0)
    revoke(organiser)
    refused(other, db)


def test_a_revoked_visitor_stays_out_once_the_visit_is_removed(
    register, pages, organiser, person, db
):
    visitor, _ = register()
    confirmed(visitor, db)
    revoke(organiser)
    (mine,) = participants(organiser)
    person("contacts").patch(f"/contacts/{mine['contact_id']}", {"event_keys": []}, status=200)
    other, _ = register()
    refused(other, db)


def test_a_revoked_visitor_stays_out_once_the_visit_is_cancelled(register, pages, organiser, db):
    visitor, _ = register()
    confirmed(visitor, db)
    revoke(organiser)
    (mine,) = participants(organiser)
    organiser.post(f"/participants/{mine['id']}/cancel", status=200)
    other, _ = register()
    refused(other, db)


def test_a_revoked_visitor_stays_out_in_another_category(register, pages, organiser, db):
    """The other category has another role, so the form makes another application."""
    organiser.make(
        "/categories",
        {
            "title": "Press",
            "category_key": "press",
            "approval": "automatic",
            "role": "press",
            "event_keys": ["fair"],
        },
    )
    visitor, _ = register()
    confirmed(visitor, db)
    revoke(organiser)
    other, _ = register(category="press")
    refused(other, db)


# Who takes part already


def import_visitor(organiser, **contact):
    made = organiser.make("/contacts", contact)
    organiser.make(
        "/participants", {"event_key": "fair", "contact_id": made["id"], "role": "visitor"}
    )
    return made


def test_an_imported_visitor_who_registers_gets_the_badge(register, pages, organiser, db):
    import_visitor(organiser, first_name="Greta", last_name="Reißmann", email=TYPED["email"])
    visitor, _ = register()
    page, _ = confirmed(visitor, db)
    assert "Show the badge" in page.text
    assert len(built(db, "badge")) == 1


def test_an_address_that_a_key_for_contacts_has_set_gives_no_badge_that_exists(
    register, pages, organiser, person, db
):
    contact = import_visitor(organiser, last_name="Victim", email="victim@mail.example")
    person("contacts").patch(f"/contacts/{contact['id']}", {"email": TYPED["email"]}, status=200)
    visitor, _ = register()
    page, path = confirmed(visitor, db)
    assert "Show the badge" not in page.text
    assert built(db, "badge") == []
    visitor.get(f"{path}badge.pdf", status=404)
    assert len(organiser.data("/applications?lacks=badge")) == 1


def test_a_visitor_whose_typing_error_the_office_corrects_keeps_the_badge(
    register, pages, organiser, app, db
):
    """The office corrects the contact and the application, and mails the link again."""
    visitor, _ = register(email="grate@mail.example")
    confirmed(visitor, db)
    (application,), (mine,) = organiser.data("/applications"), participants(organiser)
    organiser.patch(f"/contacts/{mine['contact_id']}", {"email": TYPED["email"]}, status=200)
    organiser.patch(f"/applications/{application['id']}", {"email": TYPED["email"]}, status=200)
    link = organiser.make("/links", {"kind": "application", "application_id": application["id"]})
    with db.write():
        secret = links.add_secret(db, links.get(db, link["id"]), "mailed", TYPED["email"])
    browser = Visitor(app)
    browser.sign_in(secret)
    assert "Show the badge" in browser.get(f"/apply/{link['ref']}").text
    assert organiser.data("/applications?lacks=badge") == []
