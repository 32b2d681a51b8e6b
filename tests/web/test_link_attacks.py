"""The attacks by links that were found, one by one.

Each test also does what its attacker may do, which must work.
"""

import json

import pytest

from tests.support.reach import sessions
from tests.support.reach.steps import MAILBOXES, RIGHTS, X, application_body
from tests.support.reach.table import allowed
from tests.support.reach.walk import Finding
from tests.support.reach.world import address_of

MINE = "Own Ltd"  # in every record of the attacker


class Attack:
    """Somebody with a key of some scopes, who owns the mailboxes of the attacker and has a booth
    and a badge.
    """

    def __init__(self, bench, scopes):
        self.bench, self.world, self.scopes = bench, bench.world, scopes.split()
        self.person = bench.with_key(self.scopes)

    def __call__(self, method, path, body=None, status=200):
        """Send a request with the key, which must be answered with this status.

        None: it may be refused.
        """
        answer = self.person.api(method, path, body)
        assert status is None or answer.status == status, (
            f"{method} {path}: {answer.status} {answer.text}"
        )
        return answer

    def make(self, path, body):
        return self("POST", path, body, 201).data["id"]

    def open_mail(self):
        """Open the links in all mails that came, and those that were shown.

        Return the first page of the last one.
        """
        known = list(self.person.homes)
        self.person.open_all()
        new = [home for home in self.person.homes if home not in known]
        assert new, "no link came"
        return new[-1]

    def register(self, form, letter):
        """Fill in a public form, and confirm the address. Return the first page of the application."""
        self.person.fill_in(form, MAILBOXES[letter])
        return self.open_mail()

    def end(self):
        """Do all that is possible without the key, and refuse what the key cannot read itself."""
        sessions.exhaust(self.bench, self.person)
        too_far = {
            record: place
            for record, place in self.person.reached.items()
            if record not in allowed(self.scopes)
        }
        assert not too_far, str(Finding(f"key {' '.join(self.scopes)}", (), too_far))


@pytest.fixture
def attack(bench):
    """Return a function that begins an attack with a key of these scopes."""
    return lambda scopes: Attack(bench, scopes)


def test_an_application_approved_with_the_contact_of_an_exhibitor_opens_no_page_of_it(attack):
    """A key `applications` alone: the page of the victim with its invoices and contracts."""
    eve = attack("applications")
    own = eve.make("/applications", application_body("gold", X))
    eve(
        "POST",
        f"/applications/{own}/approve",
        {"contact_id": eve.world.contacts["B"], "mail": True},
    )
    home = eve.open_mail()
    assert home.startswith("/apply/") and MINE in eve.person.get(home).text
    eve.end()


def test_a_link_of_an_application_to_another_address_leads_to_no_page_of_an_exhibitor(attack):
    """A key `links applications`: all rights of the exhibitor, without their scopes."""
    eve = attack("links applications")
    eve.person.find_links(
        eve(
            "POST",
            "/links",
            {
                "kind": "application",
                "email": X,
                "name": "Eve",
                "application_id": eve.world.applications["A"],
            },
            201,
        ).data["url"]
    )
    home = eve.open_mail()
    assert home.startswith("/apply/") and ("A", "application") in eve.person.note_page(home)
    eve.end()


def test_a_revoked_link_does_not_come_back_by_the_page_of_the_application(bench):
    """The office has lowered the rights of the link, then revoked it.

    The page of the application stays.
    """
    person = sessions.applicant(bench, "A")
    person.cross()
    home, my = person.homes
    assert person.get(my).status == 200
    link = sessions.own_link(bench, "A")
    bench.world.office("PATCH", f"/links/{link}", {"rights": ["profile"]})
    bench.world.office.act(f"/links/{link}/revoke")
    assert person.get(my).status == 403
    person.reached = {}
    assert person.get(home).status == 200
    assert person.submit(home, f"{home}my").status == 409
    sessions.exhaust(bench, person)
    # Registering as a visitor is another matter: the badge of a new visit has the name of the
    # contact.
    assert set(person.reached) <= {("A", "application"), ("A", "contact")}
    live = bench.world.office.read(
        f"/links?participant_id={bench.world.participants['A']}&is_revoked=0"
    )
    assert [link["email"] for link in live] == ["colleague@victim.example"]


def test_an_application_with_the_changed_address_of_an_exhibitor_opens_no_page_of_it(attack):
    """A key `contacts applications`: it changes the address of the exhibitor to its own, and
    applies with it.
    """
    eve = attack("contacts applications")
    eve("PATCH", f"/contacts/{eve.world.contacts['B']}", {"email": X})
    own = eve.make("/applications", application_body("gold", X))
    eve("POST", f"/applications/{own}/approve", {"mail": True})
    home = eve.open_mail()
    assert home.startswith("/apply/") and MINE in eve.person.get(home).text
    eve.end()


def test_merging_an_own_exhibitor_with_another_one_shows_nothing_of_it(attack):
    """A key `contacts applications`: its own open session would show the records of both."""
    eve = attack("contacts applications")
    own = eve.make("/applications", application_body("gold", X))
    eve("POST", f"/applications/{own}/approve", {"mail": True})
    home = eve.open_mail()
    eve.person.cross()
    my = eve.person.homes[-1]
    assert my.startswith("/my/") and home != my and MINE in eve.person.get(my).text
    contact = eve("GET", f"/applications/{own}").data["contact_id"]
    for kept, gone in ((eve.world.contacts["B"], contact), (contact, eve.world.contacts["B"])):
        eve("POST", f"/contacts/{kept}/merge", {"duplicate_id": gone}, None)
        eve.person.look()
    eve.end()


def test_an_application_approved_with_the_contact_of_a_visitor_gets_no_badge_of_it(attack):
    """A key `applications` alone: the badge is mailed, and shown on the page of the own
    application.
    """
    eve = attack("applications")
    own = eve.make("/applications", application_body("guests", X))
    eve(
        "POST",
        f"/applications/{own}/approve",
        {"contact_id": eve.world.contacts["I"], "mail": True},
    )
    home = eve.open_mail()
    assert MINE in eve.person.get(home).text
    eve.end()


def test_merging_a_visitor_into_an_own_contact_and_registering_gets_no_badge_of_it(attack):
    """A key `contacts` alone."""
    eve = attack("contacts")
    own, other = (
        eve.make("/contacts", {"company_name": MINE, "email": email})
        for email in (X, "z@evil.example")
    )
    eve("POST", f"/contacts/{own}/merge", {"duplicate_id": other})
    eve("POST", f"/contacts/{own}/merge", {"duplicate_id": eve.world.contacts["R"]}, None)
    home = eve.register("visit", "x")
    assert MINE in eve.person.get(home).text
    eve.end()


def test_a_contact_whose_address_the_key_has_chosen_registers_and_gets_a_badge_of_its_own(attack):
    """A key `contacts` alone. The same as before without the merge: what arises is a new visit."""
    eve = attack("contacts")
    own = eve.make("/contacts", {"company_name": MINE, "email": "z@evil.example"})
    eve("PATCH", f"/contacts/{own}", {"email": X})
    home = eve.register("visit", "x")
    badge = eve.person.get(f"{home}badge")
    assert badge.status == 200 and "Eve Attacker" in badge.text
    eve.end()


def test_changing_the_address_of_a_visitor_who_was_approved_and_registering_gets_no_badge_of_it(
    attack,
):
    """A key `applications` alone."""
    eve = attack("applications")
    changed = eve("PATCH", f"/applications/{eve.world.applications['R']}", {"email": X})
    assert changed.data["email"] == X
    home = eve.register("visit", "x")
    assert eve.person.get(home).status == 200
    eve.end()


@pytest.mark.parametrize("category", ["guests", "gold"])
@pytest.mark.parametrize("victim", ["A", "I"])
def test_approving_with_a_contact_shows_no_name_of_it(attack, victim, category):
    """A key `applications` alone: the new participation has the name of any contact that the key
    can count to.
    """
    eve = attack("applications")
    own = eve.make("/applications", application_body(category, X))
    eve(
        "POST",
        f"/applications/{own}/approve",
        {"contact_id": eve.world.contacts[victim], "mail": True},
    )
    home = eve.open_mail()
    assert MINE in eve.person.get(home).text
    eve.end()


def test_a_link_of_an_application_to_another_address_has_no_badge(attack):
    """A key `links applications`: it mails the page of a visitor elsewhere, without the scope
    `participants`.
    """
    eve = attack("links applications")
    link = eve.make(
        "/links",
        {
            "kind": "application",
            "email": X,
            "name": "Eve",
            "application_id": eve.world.applications["R"],
        },
    )
    eve("POST", f"/links/{link}/mail", None, 202)
    home = eve.open_mail()
    assert ("R", "application") in eve.person.note_page(home)
    eve.end()


def test_an_application_in_the_name_of_a_visitor_shows_no_badge_of_it(attack):
    """A key `links applications`: it applies with the address of the visitor, and is shown the link
    itself.
    """
    eve = attack("links applications")
    own = eve.make("/applications", application_body("guests", address_of("I")))
    eve("POST", f"/applications/{own}/approve", {})
    link = eve("POST", "/links", {"kind": "application", "application_id": own}, 201).data
    assert link["email"] == address_of("I")
    home = eve.open_mail()
    assert MINE in eve.person.get(home).text
    eve.end()


def test_a_link_without_rights_shows_nothing(attack):
    """A key `links` alone gets a link without rights for any participant, since no right needs a
    scope.
    """
    eve = attack("links")
    for right in RIGHTS:
        eve(
            "POST",
            "/links",
            {
                "kind": "participant",
                "participant_id": eve.world.participants["B"],
                "email": X,
                "name": "Eve",
                "rights": [right],
            },
            403,
        )
    eve(
        "POST",
        "/links",
        {
            "kind": "participant",
            "participant_id": eve.world.participants["B"],
            "email": X,
            "name": "Eve",
            "rights": [],
        },
        None,
    )
    eve.end()


def test_an_applicant_whose_participation_arose_from_the_application_reaches_all_of_it(bench):
    """The way from the page of an application to that of the exhibitor stays open where it belongs."""
    person = sessions.applicant(bench, "A")
    assert person.submit(person.homes[0], f"{person.homes[0]}my").where.startswith("/my/")
    person.look()
    kinds = {kind for owner, kind in person.reached if owner == "A"}
    assert {"contract", "invoice", "order"} <= kinds


@pytest.mark.parametrize(
    "scopes", ["applications", "contacts", "contacts applications", "links applications"]
)
def test_the_keys_of_these_attacks_do_not_read_what_they_are_after(attack, scopes):
    """So none of the tests above can pass because its key may read everything anyway."""
    eve = attack(scopes)
    for path in ("/invoices", "/participants", "/documents", "/service-orders", "/submissions"):
        assert json.loads(eve("GET", path, None, 403).body)["code"] == "insufficient_scope"
