"""Visitors who register with the form of a show: who has confirmed the address is admitted, and
gets a badge.

The office decides wherever a rule would have to guess: several contacts with the address, a full
category, a form that has closed meanwhile, a participation that the office has cancelled.
"""

from eventapi.domain.mail import queue as mails
from eventapi.domain.people import applications, contacts, decisions, participants
from eventapi.domain.public_forms import openings
from eventapi.storage.statements import statements

sql = statements("drafts")

APPROVAL = {
    "event_keys": None,
    "contact_id": None,
    "customer_number": None,
    "category_keys": None,
    "confirm": True,
}


def registered(db, email, event_id):
    """Return the id of the application with which an address has registered already, or None."""
    return db.value(sql.registered, email=email, event_id=event_id)


def admit(db, show, application, base_url):
    """Approve the application of a visitor whose address is confirmed, and queue the mail with the
    badge.

    Without a badge of its own (reach.py, R1b), the mail is that of the decision.

    `show` is the result of `directory.show`, None if the event is not public any more. An
    application that the office has to decide on stays `new`. Return the application. Call this
    inside a write transaction.
    """
    if application["status"] != "new" or not _is_automatic(db, show, application):
        return application
    approved, _ = applications.approve(db, application, APPROVAL, None)
    decisions.missing(db, approved)
    if mails.is_configured(db.config):
        kind = decisions.BADGE if decisions.gives_badge(db, approved) else decisions.DECISION
        decisions.queue(db, approved, kind, base_url)
    return approved


def _is_automatic(db, show, application):
    """Return whether no rule leaves the application to the office."""
    categories = db.all(sql.automatic, id=application["id"])
    if (
        openings.state(db, show, "visit") != "open"
        or len(categories) != 1
        or application["event_keys"] != [show["event_key"]]
    ):
        return False
    category = categories[0]
    if category["id"] not in [row["id"] for row in openings.categories(db, show, "visit")]:
        return False
    known = contacts.ids_by_email(db, application["email"])
    if len(known) > 1:
        return False
    id = known and participants.find(db, show["id"], known[0], category["role"])
    return not id or participants.get(db, id)["status"] != "cancelled"
