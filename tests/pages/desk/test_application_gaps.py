"""The button of the desk that sends a page or a badge to which an approved application does not
lead.
"""

import pytest

from tests.support.links import lacking, link_to, revoke


@pytest.fixture
def shows(organiser, settings):
    """Make the shows `one` and `two`, whose pages are open, with categories of exhibitors and
    visitors.
    """
    settings.smtp_host, settings.smtp_sender = "mail.example.org", "news@messe.test"
    settings.base_url = "https://shows.example.org"
    for key in ("one", "two"):
        event = organiser.make(
            "/events",
            {"title": key, "event_key": key, "date_from": "2027-05-01", "date_to": "2027-05-01"},
        )
        organiser.patch(
            f"/events/{event['id']}/pages", {"is_public": True, "my_is_open": True}, status=200
        )
    for key, role in (("pots", "exhibitor"), ("guests", "visitor")):
        organiser.make(
            "/categories",
            {"title": key, "category_key": key, "role": role, "event_keys": ["one", "two"]},
        )


@pytest.fixture
def approved(organiser, shows):
    """Return a function that makes an application of Ada and approves it with a contact.

    It returns the application.
    """

    def made(
        contact, category="pots", event_keys=("one",), email="ada@rosen.example", client=organiser
    ):
        application = client.make(
            "/applications",
            {
                "last_name": "Rosen",
                "email": email,
                "event_keys": list(event_keys),
                "category_keys": [category],
            },
        )
        client.post(
            f"/applications/{application['id']}/approve", {"contact_id": contact["id"]}, status=200
        )
        return application

    return made


@pytest.fixture
def contact(organiser):
    return organiser.make("/contacts", {"company_name": "Rosen KG", "email": "info@rosen.example"})


def button(application):
    """Return how the form of the button names its address."""
    return f'applications/{application["id"]}/access"'


def press(office, application):
    page = office.get(f"/desk/applications/{application['id']}")
    assert button(application) in page.text
    office.submit(page, f"/desk/applications/{application['id']}/access")


def test_the_button_sends_the_links_to_the_pages_of_all_shows(organiser, office, approved, contact):
    application = approved(contact, event_keys=("one", "two"))
    assert lacking(organiser, "page") == [application["id"]]
    press(office, application)
    assert sorted(row["event_key"] for row in organiser.data("/links?kind=participant")) == [
        "one",
        "two",
    ]
    assert lacking(organiser, "page") == []


def test_the_desk_has_no_button_for_an_application_with_badges_at_two_shows(
    organiser, office, approved, contact
):
    """The link of an application belongs to one event."""
    for key in ("one", "two"):
        organiser.make(
            "/participants", {"event_key": key, "contact_id": contact["id"], "role": "visitor"}
        )
    application = approved(contact, "guests", ("one", "two"))
    assert lacking(organiser, "badge") == [application["id"]]
    page = office.get(f"/desk/applications/{application['id']}").text
    assert "This application does not lead to the badge" in page
    assert button(application) not in page


def test_the_desk_says_that_the_contact_has_another_address(person, office, approved, contact):
    application = approved(contact, client=person("applications"), email="eve@evil.example")
    page = office.get(f"/desk/applications/{application['id']}").text
    assert "Send the link to eve@evil.example" in page
    assert "The contact Rosen KG has another address: info@rosen.example." in page


@pytest.mark.parametrize(
    "scopes, is_shown",
    [
        ("applications", False),
        ("applications links", False),
        ("applications participants", True),
        ("applications contacts", True),
    ],
)
def test_the_other_address_of_the_contact_is_shown_only_with_a_scope_that_reads_it(
    organiser, desk, approved, contact, scopes, is_shown
):
    application = approved(contact, email="eve@evil.example")
    for language, hidden in (
        ("en", "The contact has another address. Your key does not show which one"),
        ("de", "Beim Kontakt steht eine andere Adresse. Welche, zeigt Ihr Schlüssel nicht"),
    ):
        page = desk(scopes, language=language).get(f"/desk/applications/{application['id']}").text
        assert ("info@rosen.example" in page, "Rosen KG" in page, hidden in page) == (
            is_shown,
            is_shown,
            not is_shown,
        )


def test_the_link_of_one_applicant_leaves_another_one_of_the_contact_waiting(
    organiser, office, approved, contact
):
    first = approved(contact)
    second = approved(contact, event_keys=("two",), email="bob@rosen.example")
    assert sorted(lacking(organiser, "page")) == [first["id"], second["id"]]
    press(office, first)
    assert lacking(organiser, "page") == [second["id"]]


def test_the_desk_has_no_button_for_an_applicant_whose_link_was_revoked(
    organiser, office, approved, contact
):
    application = approved(contact)
    (mine,) = organiser.data("/participants")
    revoke(organiser, link_to(organiser, mine, email="ada@rosen.example"))
    assert lacking(organiser, "page") == []
    assert button(application) not in office.get(f"/desk/applications/{application['id']}").text
