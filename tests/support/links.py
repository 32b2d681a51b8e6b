"""People with links: participants and applications, what these open, and the mails that are queued
for them.
"""

import re
from email import message_from_bytes, policy

from eventapi.domain.access import links, reach
from eventapi.domain.people import applications
from eventapi.worker.mail import message as mail_message
from tests.pages.conftest import Visitor

ADA = "ada@rosen.example"
MAILED = {"way": "mailed", "mailed_to": ADA}
DAY = re.compile(r"(On|am) .*?, ")


# Applications


def approve(client, application, **body):
    """Approve an application and return the codes of the warnings."""
    answer = client.post(f"/applications/{application['id']}/approve", body, status=200).json
    return [warning["code"] for warning in answer["meta"]["warnings"]]


def confirm(db, application):
    """Confirm the address of an application, as its applicant does."""
    with db.write():
        applications.confirm_email(db, application["id"])


def contact_of(organiser, application):
    return organiser.data(f"/applications/{application['id']}")["contact_id"]


def lacking(organiser, what):
    """Return the ids of the applications that lack a page or a badge."""
    return [row["id"] for row in organiser.data(f"/applications?lacks={what}")]


def opens(db, application, participant, session=MAILED):
    return reach.opens_own_page(
        db, applications.get(db, application["id"]), participant["id"], session
    )


def badges(db, application, address=ADA, rights=()):
    return reach.badges(
        db, applications.get(db, application["id"]), "visitor", address, rights=rights
    )


# Participants


def participant_of(organiser, contact_id):
    (found,) = organiser.data(f"/participants?contact_id={contact_id}")
    return found


def own_participant(organiser, application):
    """Return the participant of the contact of an application."""
    return participant_of(organiser, contact_of(organiser, application))


def exhibitor(organiser, email=ADA, **contact):
    """Make an exhibitor as the office does, and return the participant."""
    made = organiser.make("/contacts", {"company_name": "Rosen KG", "email": email, **contact})
    return organiser.make("/participants", {"event_key": "fair", "contact_id": made["id"]})


def visitor(organiser, **contact):
    """Make a visitor as the office does, and return the participant."""
    made = organiser.make("/contacts", {"last_name": "Victim", **contact})
    return organiser.make(
        "/participants", {"event_key": "fair", "contact_id": made["id"], "role": "visitor"}
    )


def record(organiser, participant):
    """Give a participant an invoice, which moves."""
    organiser.make(
        "/invoices",
        {
            "event_participant_id": participant["id"],
            "items": [{"description": "Booth", "quantity": 1, "unit_price": 10}],
        },
    )


def merge(client, kept, gone, status=200, **body):
    return client.post(
        f"/contacts/{kept['contact_id']}/merge",
        {"duplicate_id": gone["contact_id"], **body},
        status=status,
    ).json


# Links


def link_to(client, participant=None, application=None, **values):
    """Make a link of a participant or an application."""
    if participant:
        return client.make(
            "/links", {"kind": "participant", "participant_id": participant["id"], **values}
        )
    return client.make(
        "/links", {"kind": "application", "application_id": application["id"], **values}
    )


def revoke(organiser, link, **body):
    return organiser.post(f"/links/{link['id']}/revoke", body, status=200).json["data"]


def states(organiser, *links_):
    return [
        (each["status"], each["ended_by"])
        for each in (organiser.data(f"/links/{link['id']}") for link in links_)
    ]


def mailed_secret(db, link, address=ADA):
    """Return a new secret of a link, as a mail to an address brings it."""
    with db.write():
        return links.add_secret(db, links.get(db, link["id"]), "mailed", address)


def shown_secret(link):
    """Return the secret in the address that a response shows."""
    return link["url"].rpartition("/")[2]


def signed_in(app, secret):
    """Return a Visitor who has opened a link."""
    browser = Visitor(app)
    browser.sign_in(secret)
    return browser


# Mails


def queued(db, kind):
    """Return the queued mails of a kind, as the worker reads them."""
    cursor = db.connection.execute("SELECT * FROM mails WHERE kind = ? ORDER BY id", (kind,))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def notices(db, kind=reach.NOTICE):
    """Build the queued mails of a kind. Return {recipient: text} without the day."""
    found = {}
    for mail in queued(db, kind):
        recipient, data = mail_message.build(db, mail)
        text = message_from_bytes(data, policy=policy.default).get_body(("plain",)).get_content()
        found[recipient] = DAY.sub("On DAY, ", text.replace("\r\n", "\n").replace("\n", " "))
    return found


def forget(db):
    """Delete the queued mails."""
    with db.write():
        db.connection.execute("DELETE FROM mails")
