"""Mails with a link to sign in at the desk: invitations, and links that people ask for.

The worker makes the secret while it sends the mail, so that neither the queue nor a backup has it.
Links begin with `base_url` only. office_mails.py has the contents.
"""

from datetime import timedelta

from eventapi import times
from eventapi.domain.access import attempts, link_secrets, notices, people
from eventapi.domain.mail.contents import harmless
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("invitations")

KIND = "sign_in"
# Of a mail of this kind, `text` is one of these -> how long its secret signs in.
INVITATION = "invitation"
LINK = "link"
LASTS = {INVITATION: timedelta(days=7), LINK: timedelta(minutes=30)}

HOUR = timedelta(hours=1)
LINKS_PER_HOUR = 60  # mails with a link that people ask for, of all persons


def invite_by_mail(db, admin_id):
    """Queue the invitation of a person, also once more, and record that the person is invited.

    Call this inside a write transaction. Raise 403 as `people.record_invitation`, 404 for an
    unknown or deactivated person, 409 `invalid_transition` for one without an address, 409
    `mail_not_configured`, and 429 if a limit of invitations is reached.
    """
    person = notices.reachable(db, admin_id)
    notices.refuse_unable(db.config)
    attempts.take(db, "invitation", attempts.of_person(db, admin_id, db.actor.address))
    people.record_invitation(db, admin_id, "mailed")

    inviter = harmless(notices.author(db.actor)["by"])
    subject = "invitation_subject" if inviter else "invitation_nobody_subject"
    details = {"by": inviter}
    notices.queue(db, KIND, person, subject, text=INVITATION, details=details, inviter=inviter)


def ask_for_link(db, email, client):
    """Store that somebody asks for a link. Whether the address has an account is not looked at here.

    `client` is the address of the client. Beyond the limits of an address or a network, and without
    a mail server or `base_url`, nothing is stored. Call this inside a write transaction.
    """
    if not notices.can_mail(db.config):
        return
    try:
        attempts.take(db, "mail", attempts.of_address(db, email, client))
    except Problem:  # the caller answers the same
        return
    email_hash = link_secrets.address_hash(db, email)
    db.run(sql.add_request, email_hash=email_hash, base_url=db.config.base_url, now=db.now)


def handle_requests(db, size):
    """Queue a mail for each active account whose address has asked for a link.

    Return the number of requests. Addresses without an account, and requests beyond LINKS_PER_HOUR,
    get no mail. Only mails count there: else requests for made-up addresses would keep the links of
    all persons back.
    """
    if not db.all(sql.waiting_requests, size=1):
        return 0
    with db.write():
        rows = db.all(sql.waiting_requests, size=size)
        ids = {
            link_secrets.address_hash(db, account["email"]): account["id"]
            for account in db.all(sql.accounts)
        }
        room = LINKS_PER_HOUR - db.value(sql.links_since, since=times.after(db.now, -HOUR))
        for row in rows:
            id = ids.get(row["email_hash"])
            if id and room > 0 and notices.can_mail(db.config):
                notices.queue(db, KIND, notices.addressee(db, id), "sign_in_subject", text=LINK)
                room -= 1
            db.run(sql.settle_request, id=row["id"], now=db.now)
    return len(rows)


def new_secret(db, mail):
    """Make the secret of a mail that is being sent, and return it.

    None if the person was deactivated, or has another address by now.
    """
    with db.write():
        person = notices.addressee(db, mail["entity_id"])
        if person is None or (person["email"] or "").lower() != mail["recipient"].lower():
            return None
        lasts = LASTS[mail["text"]]
        return people.make_secret(
            db, person["id"], way="mailed", lasts=lasts, mailed_to=person["email"]
        )
