"""What an attacker tries: every route that makes, mails, shows or rotates a secret, or changes
whose a record is.

EDGES is the literal list. Each entry yields the requests that a Scene allows: with the ids of one
victim, which are small numbers that anybody can guess, and with what the attacker has already.
"""

from eventapi.validation.schema_files import document
from tests.support.reach.world import address_of

RIGHTS = ("profile", "submissions", "booth", "orders", "contract", "invoices", "badges")
# The mailboxes of the attacker: m has a booth of its own, w is registered as a visitor, n belongs
# to a contact that its key has made, v and y to applications that its key has made. x is not known
# to the service yet.
MAILBOXES = {letter: f"{letter}@evil.example" for letter in "mwnvyx"}
X = MAILBOXES["x"]


class Scene:
    """The ids that a walk uses: those of one victim, and those of the attacker."""

    def __init__(self, world, person, victim):
        self.person, self.victim, self.address = person, victim, address_of(victim)
        # The contact of C is that of A, with whose steps it is tried.
        self.contact = world.contacts.get(victim) if victim != "C" else None
        self.participant = world.participants.get(victim)
        self.application, self.links = world.applications.get(victim), world.links.get(victim, [])
        self.own_links = world.links["M"]
        self.own_contact, self.own_participant = world.contacts["M"], world.participants["M"]
        self.visitor_contact = world.contacts["W"]
        self.visitor_participant = world.participants["W"]

    def involved(self, chain):
        """Return the letters of the attacker's mailboxes whose records the steps of a chain name."""
        named, made = set(), self.person.made
        of = {
            ("contacts", self.own_contact): "m",
            ("participants", self.own_participant): "m",
            ("contacts", self.visitor_contact): "w",
            ("participants", self.visitor_participant): "w",
        }
        of |= {("links", id): "m" for id in self.own_links}
        of |= {("contacts", id): "n" for id in made("contacts")[:1]}
        of |= {
            ("applications", id): letter
            for id, letter in zip(made("applications"), "vy", strict=False)
        }
        for _, path, body in chain:
            kind, _, rest = path.strip("/").partition("/")
            values = {name.removesuffix("_id"): value for name, value in (body or {}).items()}
            named |= (
                {of.get((kind, int(rest.split("/")[0])))}
                if rest.split("/")[0].isdecimal()
                else set()
            )
            named |= {of.get(("contacts", values.get(name))) for name in ("duplicate", "contact")}
            named |= {of.get(("applications", id)) for id in values.get("ids", ())}
            named |= {letter for letter, address in MAILBOXES.items() if address in str(body)}
        return named - {None}

    @property
    def own_contacts(self):
        return [self.own_contact, self.visitor_contact, *self.person.made("contacts")]

    @property
    def own_applications(self):
        return self.person.made("applications")


def merges(scene):
    if scene.contact is None:
        return
    keeps = "keep_links" in document("contact")["$defs"]["merge"]["properties"]
    for own in scene.own_contacts:
        for kept, gone in ((own, scene.contact), (scene.contact, own)):
            yield f"/contacts/{kept}/merge", {"duplicate_id": gone}
            if keeps and own == scene.own_contact:
                yield (
                    f"/contacts/{kept}/merge",
                    {"duplicate_id": gone, "keep_links": scene.own_links[:1]},
                )


def new_contacts(scene):
    yield "/contacts", {"company_name": "Own too", "email": scene.address}


def changed_contacts(scene):
    if scene.contact:
        yield f"/contacts/{scene.contact}", {"email": X}
        yield f"/contacts/{scene.contact}", {"email": MAILBOXES["n"]}
        yield f"/contacts/{scene.contact}", {"event_keys": ["fair", "over"]}
    for own in scene.person.made("contacts")[:1]:
        yield f"/contacts/{own}", {"email": scene.address}
        yield f"/contacts/{own}", {"event_keys": ["fair"]}


def replaced_contacts(scene):
    if scene.contact:
        yield f"/contacts/{scene.contact}", {"company_name": "Seen in the list", "email": X}


def imported_contacts(scene):
    if scene.contact:
        record = {"customer_number": f"K-{scene.victim}", "email": X}
        yield (
            "/bulk-import/contacts",
            {"records": [record], "match_field": "customer_number", "mode": "update"},
        )


def new_applications(scene):
    for category, address in (("gold", X), ("guests", X), ("gold", scene.address)):
        yield "/applications", application_body(category, address)


def application_body(category, address):
    return {
        "company_name": "Own Ltd",
        "last_name": "Attacker",
        "email": address,
        "country": "DE",
        "late": True,
        "event_keys": ["fair"],
        "category_keys": [category],
    }


def changed_applications(scene):
    if scene.application:
        yield f"/applications/{scene.application}", {"email": X}
        for category in ("gold", "guests"):
            yield f"/applications/{scene.application}", {"category_keys": [category]}
    for own in scene.own_applications:
        yield f"/applications/{own}", {"email": scene.address}
        yield f"/applications/{own}", {"email": X}


def replaced_applications(scene):
    if scene.application:
        yield (
            f"/applications/{scene.application}",
            {
                "company_name": "Seen in the list",
                "email": X,
                "event_keys": ["fair"],
                "country": "DE",
            },
        )


def approvals(scene):
    for own in scene.own_applications:
        yield f"/applications/{own}/approve", {"mail": True}
        if scene.contact:
            yield f"/applications/{own}/approve", {"contact_id": scene.contact, "mail": True}
    if scene.application:
        yield f"/applications/{scene.application}/approve", {"mail": True}
        for own in scene.own_contacts[:1]:
            yield f"/applications/{scene.application}/approve", {"contact_id": own, "mail": True}


def application_batches(scene):
    ids = [*scene.own_applications, *([scene.application] if scene.application else [])]
    if ids:
        yield "/applications/batch", {"action": "approve", "ids": ids, "mail": True}


def questions(scene):
    for id in open_applications(scene):
        yield f"/applications/{id}/waitlist", {"mail": True}


def refusals(scene):
    for id in open_applications(scene):
        yield f"/applications/{id}/reject", {"mail": True, "reason": "No."}


def open_applications(scene):
    return [scene.application] if scene.victim == "O" else []


def changed_participants(scene):
    if scene.participant:
        path = f"/participants/{scene.participant}"
        for own in scene.own_contacts:
            yield path, {"contact_id": own}
        yield path, {"event_id": 2}
        yield path, {"role": "visitor"}
        yield path, {"role": "exhibitor"}
        yield path, {"role": "staff", "host_participant_id": scene.own_participant}
    if scene.contact:
        for own in (scene.own_participant, scene.visitor_participant):
            yield f"/participants/{own}", {"contact_id": scene.contact}


def replaced_participants(scene):
    if scene.participant:
        yield (
            f"/participants/{scene.participant}",
            {"event_id": 1, "contact_id": scene.own_contact, "role": "visitor"},
        )


def new_participants(scene):
    if scene.contact:
        for event, role in (("fair", "visitor"), ("fair", "exhibitor"), ("over", "exhibitor")):
            yield "/participants", {"event_key": event, "contact_id": scene.contact, "role": role}


def participant_batches(scene):
    if scene.contact:
        item = {"event_key": "fair", "contact_id": scene.contact, "role": "press"}
        yield "/participants/batch", {"action": "create", "items": [item]}
    if scene.participant:
        yield "/participants/batch", {"action": "link", "ids": [scene.participant]}


def given_access(scene):
    if scene.participant:
        for mail in (True, False):
            yield f"/participants/{scene.participant}/link", {"mail": mail}


def sent_contracts(scene):
    if scene.participant:
        body = {"template_key": "second", "mail": True}
        yield f"/participants/{scene.participant}/contract", body


def cancellations(scene):
    if scene.participant:
        yield f"/participants/{scene.participant}/cancel", None


def reinstatements(scene):
    if scene.participant:
        yield f"/participants/{scene.participant}/reinstate", None


def imported_participants(scene):
    records = [{"email": X, "last_name": "Attacker", "role": "exhibitor"}]
    if scene.contact:
        records.append({"contact_id": scene.contact, "role": "visitor", "email": X})
    for record in records:
        yield (
            "/bulk-import/participants",
            {"event_key": "fair", "mode": "upsert", "records": [record]},
        )


def new_links(scene):
    if scene.participant:
        for rights in (None, [], *([right] for right in RIGHTS)):
            body = {
                "kind": "participant",
                "participant_id": scene.participant,
                "email": X,
                "name": "Eve",
            }
            if rights is not None:
                body["rights"] = rights
            yield "/links", body
    if scene.application:
        body = {
            "kind": "application",
            "application_id": scene.application,
            "email": X,
            "name": "Eve",
        }
        yield "/links", body
        yield "/links", {**body, "rights": ["badges"]}
    yield "/links", {"kind": "door", "event_key": "fair", "name": "Door", "rights": ["search"]}


def changed_links(scene):
    for id in (*scene.own_links, *scene.person.made("links")):
        yield f"/links/{id}", {"rights": list(RIGHTS)}
        yield f"/links/{id}", {"rights": ["badges"]}


def known_links(scene):
    return [*scene.links, *scene.person.made("links")]


def shown_links(scene):
    for id in known_links(scene):
        yield f"/links/{id}/show", None


def mailed_links(scene):
    for id in known_links(scene):
        yield f"/links/{id}/mail", None


def reminded_links(scene):
    for id in known_links(scene):
        yield f"/links/{id}/remind", None


def rotated_links(scene):
    for id in known_links(scene):
        yield f"/links/{id}/rotate", None


def link_batches(scene):
    if scene.participant:
        yield (
            "/links/batch",
            {
                "action": "create",
                "items": [
                    {
                        "kind": "participant",
                        "participant_id": scene.participant,
                        "email": X,
                        "name": "Eve",
                    }
                ],
            },
        )
    if known_links(scene):
        yield "/links/batch", {"action": "mail", "ids": known_links(scene)}


# route -> function of a Scene that yields (path, body) of its requests
EDGES = {
    "POST /contacts/<id>/merge": merges,
    "POST /contacts": new_contacts,
    "PATCH /contacts/<id>": changed_contacts,
    "PUT /contacts/<id>": replaced_contacts,
    "POST /bulk-import/contacts": imported_contacts,
    "POST /applications": new_applications,
    "PATCH /applications/<id>": changed_applications,
    "PUT /applications/<id>": replaced_applications,
    "POST /applications/<id>/approve": approvals,
    "POST /applications/batch": application_batches,
    "POST /applications/<id>/waitlist": questions,
    "POST /applications/<id>/reject": refusals,
    "PATCH /participants/<id>": changed_participants,
    "PUT /participants/<id>": replaced_participants,
    "POST /participants": new_participants,
    "POST /participants/batch": participant_batches,
    "POST /participants/<id>/link": given_access,
    "POST /participants/<id>/contract": sent_contracts,
    "POST /participants/<id>/cancel": cancellations,
    "POST /participants/<id>/reinstate": reinstatements,
    "POST /bulk-import/participants": imported_participants,
    "POST /links": new_links,
    "PATCH /links/<id>": changed_links,
    "POST /links/<id>/show": shown_links,
    "POST /links/<id>/mail": mailed_links,
    "POST /links/<id>/remind": reminded_links,
    "POST /links/<id>/rotate": rotated_links,
    "POST /links/batch": link_batches,
}
# What the attacker does without a key: see Walk.follow, Walk.harvest and sessions.exhaust.
OPEN = (
    "POST /e/<event_key>/apply",
    "POST /e/<event_key>/visit",
    "POST /link/<secret>",
    "POST /my",
    "POST /apply/<ref>/my",
    "POST /my/<ref>/mail-me",
    "POST /desk/sign-in",
    "POST /door/sign-in",
)
ENDS = "ends something, and gives nothing"
OWN = "changes a record of its own session, and gives nothing"
TEAM = (
    "needs the scope team, which no key has; tests/pages/office/test_team.py has who may give what"
)
SAME = "runs the route of the API with the scopes of the person; tests/pages/desk/test_scopes.py compares them"
FIELDS = "changes fields that lead nowhere"
# Routes of the same parts that are no steps -> the reason
LEFT_OUT = {
    "DELETE /api/v1/contacts/<id>": ENDS,
    "POST /api/v1/contacts/<id>/anonymize": ENDS,
    "POST /api/v1/contacts/<id>/vat-checks": FIELDS,
    "DELETE /api/v1/participants/<id>": ENDS,
    "POST /api/v1/participants/<id>/confirm": "a link leads to a participation whether it is confirmed or not",
    "POST /api/v1/participants/<id>/unconfirm": "a link leads to a participation whether it is confirmed or not",
    "POST /api/v1/participants/<id>/badge/replace": "the scope reads every badge, the old one and the new one",
    "POST /api/v1/participants/<id>/invoice": "needs the scope invoices, which reads all invoices",
    "PUT /api/v1/participants/<id>/profile": FIELDS,
    "PATCH /api/v1/participants/<id>/profile": FIELDS,
    "PUT /api/v1/participants/<id>/profile/logo": FIELDS,
    "DELETE /api/v1/participants/<id>/profile/logo": FIELDS,
    "DELETE /api/v1/links/<id>": ENDS,
    "POST /api/v1/links/<id>/revoke": ENDS,
    "DELETE /api/v1/links/<id>/devices/<item_id>": ENDS,
    "DELETE /api/v1/applications/<id>": ENDS,
    "POST /api/v1/applications/<id>/review": "no mail leaves, and nothing but the status changes",
    "POST /api/v1/applications/<id>/request-info": "mails the page of the application, as waitlist does",
    "POST /api/v1/applications/<id>/answer": FIELDS,
    "POST /api/v1/applications/<id>/withdraw": ENDS,
    "POST /e/<event_key>/apply/address": "stores the form anew with another address, as a new form does",
    "POST /e/<event_key>/visit/address": "stores the form anew with another address, as a new form does",
    "POST /apply": "the same function as POST /my",
    "POST /link/new": "the same function as POST /my",
    "POST /my/<ref>/language": OWN,
    "POST /my/<ref>/profile": OWN,
    "POST /my/<ref>/profile/logo": OWN,
    "POST /my/<ref>/profile/logo/remove": OWN,
    "POST /my/<ref>/submissions/<key>": OWN,
    "POST /my/<ref>/submissions/<key>/file": OWN,
    "POST /my/<ref>/submissions/<key>/submit": OWN,
    "POST /my/<ref>/booth/hold": OWN,
    "POST /my/<ref>/booth/give-back": OWN,
    "POST /my/<ref>/booth/confirm/<reservation_id:int>": OWN,
    "POST /my/<ref>/orders": OWN,
    "POST /my/<ref>/orders/check": OWN,
    "POST /my/<ref>/orders/cancel": OWN,
    "POST /my/<ref>/contract/<id:int>/accept": OWN,
    "POST /my/<ref>/contract/<id:int>/decline": OWN,
    "POST /my/<ref>/badges": OWN,
    "POST /my/<ref>/badges/<id:int>": OWN,
    "POST /my/<ref>/badges/<id:int>/remove": OWN,
    "POST /my/<ref>/badges/<id:int>/issue": OWN,
    "POST /my/<ref>/sign-out": ENDS,
    "POST /apply/<ref>/sign-out": ENDS,
    "POST /apply/<ref>/answer": OWN,
    "POST /apply/<ref>/withdraw": OWN,
    "POST /apply/<ref>/files": OWN,
    "POST /door/scans": OWN,
    "POST /door/sign-out": ENDS,
    "POST /desk/sign-out": ENDS,
    "POST /desk/sign-in/link": "mails a person of the office, whom no record leads to; tests/pages/office has it",
    "POST /desk/sign-in/code": "needs the second factor of a person of the office; tests/pages/office has it",
    "POST /desk/account": OWN,
    "POST /desk/account/password": OWN,
    "POST /desk/account/factor": OWN,
    "POST /desk/account/factor/remove": OWN,
    "POST /desk/account/codes": OWN,
    "POST /desk/account/sessions": OWN,
    "POST /desk/hall/layout/<id>": SAME,
    "POST /desk/money/dunning": SAME,
    "POST /desk/money/to_print": SAME,
    "POST /desk/money/statement": SAME,
    "POST /desk/money/statement/<id>": SAME,
    "POST /desk/badges": SAME,
    "POST /desk/exhibitors/new": SAME,
    "POST /desk/visitors/new": SAME,
    "POST /desk/exhibitors/<id>/logo": SAME,
    "POST /desk/exhibitors/<id>/logo/remove": SAME,
    "POST /desk/exhibitors/<id>/hand_in/<item_id>": SAME,
    "POST /desk/exhibitors/<id>/hand_in/<item_id>/file": SAME,
    "POST /desk/edit/<name>/<id>": SAME,
    "POST /desk/edit/<name>": SAME,
    "POST /desk/setup/<page>": SAME,
    "POST /desk/setup/apply": SAME,
    "POST /desk/setup/apply/preview": SAME,
    "POST /desk/setup/apply/trial": SAME,
    "POST /desk/setup/<page>/<part>": SAME,
    "POST /desk/setup/visitors/category": SAME,
    "POST /desk/setup/website/picture": SAME,
    "POST /desk/setup/website/picture/remove": SAME,
    "POST /desk/company/look/logo": SAME,
    "POST /desk/company/look/logo/remove": SAME,
    "POST /desk/company/<page>": SAME,
    "POST /desk/start": "changes the formats of numbers, by the route of the API, for owners only",
    "POST /desk/team/new": TEAM,
    "POST /desk/team/<id>": TEAM,
    "POST /desk/team/<id>/disable": TEAM,
    "POST /desk/team/<id>/enable": TEAM,
    "POST /desk/team/<id>/factor": TEAM,
    "POST /desk/team/<id>/invite": TEAM,
    "POST /desk/team/<id>/sessions": TEAM,
    "POST /desk/company/mails/test": "mails the person itself, and the mail has no secret",
    "POST /desk/links/<id>/<what>": SAME,
    "POST /desk/contacts/<id>/merge": SAME,
    "POST /desk/applications/<id>/access": SAME,
    "POST /desk/links": SAME,
    "POST /desk/batch/<resource>/<action>": SAME,
    "POST /desk/do/<name>": SAME,
    "POST /desk/do/<name>/<id>/<item_id>": SAME,
    "POST /desk/do/<name>/<id>": SAME,
}
