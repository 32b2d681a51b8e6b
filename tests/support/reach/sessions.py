"""The starts that are sessions: what the office gives to somebody, or has taken from somebody
again.

Each function takes the Bench and returns the Person. `exhaust` then does all that such a person can
do without a key.
"""

from datetime import timedelta

from eventapi.domain.access import people
from tests.support.client import add_key
from tests.support.reach.person import Person
from tests.support.reach.steps import RIGHTS, X
from tests.support.reach.world import address_of


def begin(bench, mailboxes, key=None):
    """Return a person without any session, in the world as all walks begin with it."""
    person = Person(bench.service, bench.world, mailboxes, key)
    bench.restore(bench.begin, person)
    person.cookies, person.homes, person.secrets, person.opened = {}, [], [], 0
    return person


def application_shown(bench, owner):
    """Somebody whom the office has shown the address of the page of an application, such as a
    colleague.
    """
    person = begin(bench, [X])
    link = bench.world.link_of(owner)
    person.find_links(bench.world.office.act(f"/links/{link}/show")["url"])
    person.open_all()
    return person


def application_elsewhere(bench, owner):
    """Somebody to whom the office has mailed the page of an application of another address."""
    person = begin(bench, [X])
    link = bench.world.office.make(
        "/links",
        kind="application",
        email=X,
        name="Eve",
        application_id=bench.world.applications[owner],
    )
    bench.world.office("POST", f"/links/{link['id']}/mail", None, 202)
    person.open_all()
    return person


def applicant(bench, owner):
    """The applicant, who reads the mails to the address of the application."""
    person = begin(bench, [address_of(owner)])
    bench.world.office("POST", f"/links/{bench.world.link_of(owner)}/mail", None, 202)
    person.open_all()
    return person


def applicant_of_known_exhibitor(bench, owner):
    """Somebody who reads the mails to the contact of an exhibitor, has applied again and was
    approved.

    The pages of the exhibitor belong to a colleague with another address.
    """
    person, world = begin(bench, [address_of(owner)]), bench.world
    world.applications[owner] = world.apply(owner, "gold")
    world.office.act(
        f"/applications/{world.applications[owner]}/approve",
        mail=True,
        contact_id=world.contacts[owner],
    )
    person.open_all()
    del world.applications[owner]
    return person


def applicant_with_changed_address(bench, owner):
    """Somebody to whom the office has mailed the page of an application after it has changed the
    address everywhere.
    """
    person, world = begin(bench, [X]), bench.world
    world.office("PATCH", f"/applications/{world.applications[owner]}", {"email": X})
    world.office("PATCH", f"/contacts/{world.contacts[owner]}", {"email": X})
    link = world.office.make("/links", kind="application", application_id=world.applications[owner])
    world.office("POST", f"/links/{link['id']}/mail", None, 202)
    person.open_all()
    return person


def applicant_of_readdressed_contact(bench, owner):
    """The applicant, after the contact of the company has got the address of somebody else."""
    person = applicant(bench, owner)
    bench.world.office(
        "PATCH", f"/contacts/{bench.world.contacts[owner]}", {"email": "next@victim.example"}
    )
    return person


def participant(bench, owner, *rights):
    """A colleague with some rights at the page of an exhibitor."""
    person, office = begin(bench, [X]), bench.world.office
    link = office.make(
        "/links",
        kind="participant",
        participant_id=bench.world.participants[owner],
        email=X,
        name="Eve",
        rights=list(rights),
    )
    office("POST", f"/links/{link['id']}/mail", None, 202)
    person.open_all()
    return person


def application_with_badges(bench, owner):
    """Somebody whom the office has shown a link of an application that it has given the right to
    badges.
    """
    person, office = begin(bench, [X]), bench.world.office
    link = office.make(
        "/links",
        kind="application",
        email=X,
        name="Eve",
        rights=["badges"],
        application_id=bench.world.applications[owner],
    )
    person.find_links(link["url"])
    person.open_all()
    return person


def revoked(bench, owner, body=None):
    """An applicant whose link to the page of the exhibitor has got fewer rights, and then was
    revoked.
    """
    person, office = applicant(bench, owner), bench.world.office
    person.cross()
    link = own_link(bench, owner)
    office("PATCH", f"/links/{link}", {"rights": ["profile"]})
    office("POST", f"/links/{link}/revoke", body)
    person.reached = {}
    return person


def own_link(bench, owner):
    """Return the id of the link to the page of an exhibitor that its applicant has got by the
    application.
    """
    return bench.world.office.read(f"/links?kind=participant&email={address_of(owner)}")[0]["id"]


def all_revoked(bench, owner):
    """The same, but the office has ended the page of the application, too."""
    return revoked(bench, owner, {"all": True})


def merge(bench, person):
    """Let the office merge the exhibitor B into A, whose records are those of both from now on."""
    contacts = bench.world.contacts
    bench.world.office.act(f"/contacts/{contacts['A']}/merge", duplicate_id=contacts["B"])
    person.reached = {}
    return person


def merged_applicant(bench, owner):
    """An applicant with the own page, whose participation has got the records of another exhibitor."""
    person = applicant(bench, owner)
    person.cross()
    return merge(bench, person)


def merged_participant(bench, owner):
    """A colleague with all rights at an exhibitor that is one with another one now."""
    return merge(bench, participant(bench, owner, *RIGHTS))


def ended(bench, owner):
    """A colleague whose link has ended by its day."""
    person = participant(bench, owner, "profile", "invoices")
    link = bench.world.office.read(f"/links?email={X}")[0]
    bench.clock.tick()
    bench.world.office("PATCH", f"/links/{link['id']}", {"expires_at": bench.clock.now})
    bench.clock.tick()
    person.reached = {}
    return person


def door(bench, *rights):
    """Somebody at the door of the running event."""
    person = begin(bench, [X])
    link = bench.world.office.make(
        "/links", kind="door", event_key="fair", name="Door", rights=list(rights)
    )
    person.find_links(link["url"])
    person.open_all()
    return person


def desk(bench, scope):
    """Somebody of the office, who has signed in at the desk with a key of one scope."""
    person = begin(bench, [X])
    person.sign_in(add_key(bench.db, scope))
    return person


def colleague(bench, role):
    """A person of the office with a role, who has opened the link of the invitation."""
    person = begin(bench, [X])
    with bench.db.write():
        id = people.invite(bench.db, "Eve", X, role)
        secret = people.make_secret(bench.db, id, way="shown", lasts=timedelta(days=7))
    person.open(secret)
    return person


def exhaust(bench, person):
    """Do all that somebody without a key can do, and look at all pages after each of it."""
    person.look()
    person.cross()
    person.look()
    for email in sorted(person.mailboxes):
        for form in ("visit", "apply"):
            person.fill_in(form, email)
            person.open_all()
    bench.approve_all(person.mailboxes)
    person.open_all()
    person.cross()
    for home in [home for home in person.homes if home.startswith("/my/")]:
        person.submit(home, f"{home}mail-me")
    for email in sorted(person.mailboxes):
        person.ask_for_link(email)
    person.open_all()
    for secret in list(person.secrets):
        person.open(secret)
    person.cross()
    person.open_all()
    person.look()
