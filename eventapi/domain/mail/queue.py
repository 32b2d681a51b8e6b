"""The mail queue.

A mail is queued in the transaction of the change that causes it, and kept for 90 days.
"""

import secrets
from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("mails")

KEPT = timedelta(days=90)  # how long mails are kept
STATES = ("queued", "sending", "sent", "failed", "uncertain")
CAN_BE_SENT_AGAIN = ("failed", "uncertain")

# Kind of mail -> priority. Of the mails that are due, those with the lowest number leave first: -1
# if somebody of the office waits to get in, 0 if somebody else waits for the mail in front of a
# page, 2 if it is usually one of hundreds. So that none waits for ever, the worker sends some by
# their time alone.
PRIORITIES = {
    "sign_in": -1,
    "application_confirmation": 0,
    "link": 0,
    "newsletter_confirmation": 0,
    "application_decision": 1,
    "badge": 1,
    "booth_confirmed": 1,
    "booth_offer": 1,
    "contract": 2,
    "link_notice": 1,
    "mail_test": 0,
    "notice": 1,
    "participation_cancelled": 1,
    "invoice": 2,
    "invoice_reminder": 2,
    "dunning": 2,
    "todos": 2,
}
# the same, if an admin has caused the mail: the office sends links in batches
OF_OFFICE = {"link": 1}
TURNS = 30  # `turn` of a mail is below this
# All pairs of priority and turn, in the order in which mails leave.
PLACES = as_json(
    [(priority, turn) for priority in sorted(set(PRIORITIES.values())) for turn in range(TURNS)]
)


def last(db):
    """Return the id of the last mail, or 0."""
    return db.value(sql.last)


def first_after(db, id, but):
    """Return the first mail after that with this id, with what its contents are made of, or None.

    Those of the kind `but` are left out.
    """
    return db.one(sql.first_after, id=id, but=but)


def is_configured(config):
    """Return whether the configuration names a mail server and a sender."""
    return bool(config.smtp_host and config.smtp_sender)


def refuse_unconfigured(config, otherwise=""):
    """Raise 409 `mail_not_configured` if the configuration lacks the mail server or the sender.

    `otherwise` says what the caller can do without mail, such as ", or send `mail` as false".
    """
    if not is_configured(config):
        raise unconfigured("smtp_sender" if config.smtp_host else "smtp_host", otherwise)


def unconfigured(option, otherwise):
    """Return the 409 `mail_not_configured` for a missing option.

    `otherwise` is as for `refuse_unconfigured`.
    """
    return Problem(
        "mail_not_configured",
        f"This server cannot send mail, because its configuration lacks the option {option}. Set the "
        f"option{otherwise}.",
    )


def add(
    db,
    kind,
    entity_type,
    entity_id,
    recipient,
    subject,
    next_at=None,
    base_url="",
    language=None,
    text=None,
    details=None,
    turn=0,
):
    """Queue a mail and return its id.

    The worker sends it after the running transaction, and not before `next_at`.

    `base_url` is the public address with which links in the mail begin. `language` and `text` are
    those that a request has named, `details` is JSON that says what the mail tells beside its
    record. Of mails with the same priority, those with a lower `turn` leave first. Call this inside
    a write transaction.
    """
    priority = PRIORITIES[kind]
    if db.actor.admin_id is not None:
        priority = OF_OFFICE.get(kind, priority)
    domain = db.config.smtp_sender.rpartition("@")[2]
    return db.insert(
        sql.add,
        kind=kind,
        priority=priority,
        turn=turn,
        entity_type=entity_type,
        entity_id=entity_id,
        admin_id=db.actor.admin_id,
        recipient=recipient,
        language=language,
        text=text,
        details=details,
        subject=subject,
        base_url=base_url,
        next_at=next_at or db.now,
        message_id=f"<{secrets.token_hex(16)}@{domain}>",
        now=db.now,
    )


def next_due(db, now):
    """Return the mail that leaves next by priority and turn, as a row, or None if none is due."""
    return db.one(sql.due, now=now, places=PLACES)


def longest_due(db, now):
    """Return the mail that has been due longest, as `next_due` does."""
    return db.one(sql.longest_due, now=now)


def is_waiting(db, kind, entity_type, entity_id):
    """Return whether such a mail is queued or being sent."""
    return (
        db.value(sql.waiting, kind=kind, entity_type=entity_type, entity_id=entity_id) is not None
    )


def withdraw(db, kind, entity_type, entity_id):
    """Delete a queued mail, unless it is being sent. Return how many mails were deleted."""
    return db.run(sql.withdraw, kind=kind, entity_type=entity_type, entity_id=entity_id)


def redirect(db, entity_type, entity_id, recipient):
    """Send the mails about a record that are queued or have failed to another address, None: to
    nobody.

    Notices to former addresses stay.
    """
    statement = sql.drop_redirected if recipient is None else sql.redirect
    db.run(statement, entity_type=entity_type, entity_id=entity_id, recipient=recipient)


def turn_into(db, kind, entity_type, entity_id, other_kind, subject):
    """Let a queued mail about a record be one of another kind, with another subject."""
    db.run(
        sql.turn_into,
        kind=kind,
        entity_type=entity_type,
        entity_id=entity_id,
        other_kind=other_kind,
        subject=subject,
    )


# Upkeep


def by_state(db, state):
    """Return the rows of all mails in a state, one of STATES."""
    return db.all(sql.in_state, state=state)


def send_again(db, id):
    """Queue a failed or uncertain mail again.

    Return the mail as it was before, or None if it does not exist.
    """
    mail = db.one(sql.get, id=id)
    if mail and db.run(sql.send_again, id=id, now=db.now):
        journal.administered(
            db, entities.KINDS[mail["entity_type"]], "mail_sent_again", mail["entity_id"]
        )
    return mail


def backlog(db):
    """Return the number of mails by state, and the age in seconds of the oldest mail that is due."""
    counts = {row["state"]: row["count"] for row in db.all(sql.states)}
    oldest = db.value(sql.oldest, now=times.now())
    return {
        "states": {state: counts.get(state, 0) for state in STATES},
        "oldest": oldest and max(0, times.unix(times.now()) - times.unix(oldest)),
    }


def delete_old(db, size):
    """Delete at most `size` sent, failed and uncertain mails older than KEPT, in a transaction.

    The last test mail of the office that was sent is kept.

    Return their number.
    """
    before = times.after(times.now(), -KEPT)
    with db.write():
        return db.run(sql.forget, before=before, size=size)


def bring_forward(db, latest):
    """Make mails due whose next attempt is later than the timestamp `latest`. Return their number."""
    return db.run(sql.bring_forward, now=db.now, latest=latest)


def check(db):
    """Yield a sentence for each uncertain mail. `eventapi check` prints them."""
    for mail in by_state(db, "uncertain"):
        yield (
            f"mail {mail['id']} to {mail['recipient']} may or may not have been sent: "
            f"check the log of the mail server; 'eventapi mail retry {mail['id']}' sends it again"
        )
