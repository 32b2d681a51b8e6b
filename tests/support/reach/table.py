"""What each start may reach, written down by hand.

A key may reach through links and mails what it can read with GET, and nothing else: READS says what
that is. The other starts are sessions; what they may reach is a set of (owner, kind).
"""

from tests.support.reach.world import KINDS, OWNERS

# scope -> kinds of records whose marks GET shows to a key with this scope alone
READS = {
    "events": "",
    "contacts": "contact",
    "participants": "contact badge profile booth",
    "applications": "application",
    "categories": "",
    "invoices": "invoice contact",
    "payments": "",
    "booths": "booth contact",
    "plans": "booth contact",
    "services": "",
    "service_orders": "order contact",
    "documents": "contract contact",
    "submissions": "submission contact",
    "tasks": "",
    "checkins": "",  # nobody has scanned a badge yet
    "schedules": "",
    "calendar-feed": "",
    "custom_fields": "",
    "newsletter": "",
    "webhooks": "",
    "reports": "",
    "audit": " ".join(KINDS),
    "links": "",
    "settings": "",
}


# role of a person -> kinds of records that the desk shows, by section 6 of the design. No page of
# the desk shows the text of a profile.
SEEN = " ".join(kind for kind in KINDS if kind != "profile")
ROLES = {
    "owner": SEEN,
    "office": SEEN,
    "finance": SEEN,
    "door": "contact badge booth",
    "reader": SEEN,
}
# The scopes of the door, without `:read`. The others may read all kinds, in the audit log.
DOOR = "checkins links events contacts participants schedules"


def allowed(scopes):
    """Return the pairs (owner, kind) that a key with these scopes may reach."""
    kinds = {kind for scope in scopes for kind in READS[scope].split()}
    return {(owner, kind) for owner in OWNERS for kind in kinds}


# start -> function of tests/support/reach/sessions.py, its arguments, and the kinds of records by
# owner that it may reach. A page says to which company it belongs, so the contact is among them.
SESSIONS = {
    "application of an exhibitor, shown": ("application_shown", ["A"], {"A": "application"}),
    "application of a visitor, shown": ("application_shown", ["R"], {"R": "application"}),
    "application of an exhibitor, mailed elsewhere": (
        "application_elsewhere",
        ["A"],
        {"A": "application"},
    ),
    "application of a visitor, mailed elsewhere": (
        "application_elsewhere",
        ["R"],
        {"R": "application"},
    ),
    "application of an exhibitor, mailed to its address": (
        "applicant",
        ["A"],
        {"A": " ".join(KINDS)},
    ),
    "application of a visitor, mailed to its address": (
        "applicant",
        ["R"],
        {"R": "application badge contact"},
    ),
    # The person may also register as a visitor: the badge of this new visit has the name of the
    # contact.
    "application that has found an exhibitor": (
        "applicant_of_known_exhibitor",
        ["B"],
        {"B": "application contact"},
    ),
    "application of an exhibitor, mailed to its changed address": (
        "applicant_with_changed_address",
        ["A"],
        {"A": "application contact"},
    ),
    "application of a visitor, mailed to its changed address": (
        "applicant_with_changed_address",
        ["R"],
        {"R": "application badge contact"},
    ),
    "application whose contact has got another address": (
        "applicant_of_readdressed_contact",
        ["A"],
        {"A": "application"},
    ),
    "applicant whose link to the exhibitor was revoked": ("revoked", ["A"], {"A": "application"}),
    "applicant all of whose links were revoked": ("all_revoked", ["A"], {}),
    "application of a visitor with the right badges, shown": (
        "application_with_badges",
        ["R"],
        {"R": "application badge contact"},
    ),
    "participant with profile": ("participant", ["A", "profile"], {"A": "contact profile"}),
    "participant with submissions": (
        "participant",
        ["A", "submissions"],
        {"A": "contact submission"},
    ),
    "participant with booth": ("participant", ["A", "booth"], {"A": "contact booth"}),
    "participant with orders": ("participant", ["A", "orders"], {"A": "contact order"}),
    "participant with contract": ("participant", ["A", "contract"], {"A": "contact contract"}),
    "participant with invoices": ("participant", ["A", "invoices"], {"A": "contact invoice"}),
    "participant with badges": ("participant", ["A", "badges"], {"A": "contact badge"}),
    "participant without rights": ("participant", ["A"], {"A": "contact"}),
    "applicant whose exhibitor was merged with another one": (
        "merged_applicant",
        ["A"],
        {"A": "application contact"},
    ),
    "participant of an exhibitor that has got the records of another one": (
        "merged_participant",
        ["A"],
        {},
    ),
    "participant of an exhibitor that was merged into another one": (
        "merged_participant",
        ["B"],
        {},
    ),
    "participant whose link has ended": ("ended", ["A"], {}),
    "door": ("door", ["search"], {owner: "badge contact" for owner in "ABRIE"}),
}


def pairs(kinds_by_owner):
    """Return the pairs (owner, kind) of a row of SESSIONS."""
    return {(owner, kind) for owner, kinds in kinds_by_owner.items() for kind in kinds.split()}


# function that makes a link, a secret or a session -> the modules that call it
GIVES = {
    "links.create": "cli/links.py demo/entrance.py demo/pages.py domain/people/decisions.py "
    "domain/portal/granting.py domain/public_forms/applicants.py domain/public_forms/drafts.py",
    "links.mail": "domain/access/links.py domain/portal/granting.py domain/portal/reminding.py "
    "domain/portal/sending.py domain/public_forms/applicants.py",
    "links.add_secret": "cli/links.py domain/access/links.py domain/portal/granting.py",
    "links.show": "cli/links.py demo/first_steps.py domain/portal/granting.py",
    "link_secrets.add": "domain/access/links.py domain/access/people.py domain/public_forms/drafts.py",
    "people.make_secret": "cli/people.py domain/access/invitations.py domain/access/people.py pages/office/team.py",
    "sessions.add": "domain/access/signing_in.py pages/link/routes.py",
    "routes.session_cookie": "pages/door/data.py pages/link/routes.py",
    "routes.signed_in": "pages/applicant/routes.py pages/link/routes.py",
}
# module that finds the link of a mail that is being sent, or makes its secret -> the kinds of mails
MAILED = {
    "access.office_mails": "sign_in",
    "people.mails": "application_decision badge",
    "portal.booth_mails": "booth_confirmed",
    "portal.mails": "booth_offer link todos",
    "portal.sending": "contract",
    "public_forms.mails": "application_confirmation",
}
