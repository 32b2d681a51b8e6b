"""Delivery of mails. No mail is sent twice.

A mail is marked as `sending` and committed before it is sent, by the process that holds the mailing
lock. If that process dies, it loses the lock, and the mail becomes `uncertain`: an administrator
decides whether to send it again. A broken connection leaves at most one uncertain mail.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from eventapi import times
from eventapi.domain.attachments import notes
from eventapi.domain.billing import invoices
from eventapi.domain.mail import queue
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.people import applications, contacts
from eventapi.storage import process_locks
from eventapi.storage.statements import statements

sql = statements("mails")

# Minutes until the next attempt, after each temporary failure.
AGAIN_AFTER = (1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60, 24 * 60)
WINDOW = 60  # seconds to which mails_per_minute applies
BY_TIME = 4  # one of so many mails is the one that has been due longest
CUT_OFF = "the worker ended while it sent the mail"
taken = Counter()  # database -> mails that this process has taken from its queue


@dataclass
class Outcome:
    """Result of an attempt to send a mail.

    `state` is sent, failed, uncertain, or queued for another attempt.
    """

    state: str
    error: str | None = None
    refuses_recipient: bool = False  # the mailbox does not exist or accepts no mail
    is_connected: bool = True
    has_named_recipient: bool = True  # before that, the mail cannot be why the connection broke
    reply: str | None = None  # of the mail server, to a mail that it has accepted or refused


def seconds_until_next(db):
    """Return the seconds until the next mail may be sent, according to mails_per_minute.

    Return None if no mail is due.
    """
    now = times.now()
    if queue.next_due(db, now) is None:
        return None
    before = db.value(sql.recent_attempt, now=now, others=db.config.mails_per_minute - 1)
    return 0 if before is None else max(0, times.unix(before) + WINDOW - times.unix(now))


def step(db, lease, done=None, more=True):
    """Store the result `done`, a pair (mail, outcome).

    Return the next mail, or None if none may be sent now.
    """
    with db.write():
        if done:
            _settle(db, lease, *done)
        if not more or seconds_until_next(db) != 0:
            return None
        mail = _choose(db)
        db.run(sql.take, id=mail["id"], lease=lease, now=db.now)
        taken[db.path] += 1
        return mail


def _choose(db):
    """Return the mail to send now, of those that are due: the next one by priority, but each fourth
    one by its time.

    Otherwise those of high priority, which may be a flood, would leave none for the others. The
    mails are counted in this process, not in a connection: a connection may end after each of them.
    """
    is_by_time = taken[db.path] % BY_TIME == BY_TIME - 1
    choose = queue.longest_due if is_by_time else queue.next_due
    return choose(db, times.now())


def _settle(db, lease, mail, outcome):
    """Store the result of a mail, unless the mail has been queued again in the meantime."""
    state, next_at = _following(db, mail, outcome)
    is_settled = db.run(
        sql.settle,
        id=mail["id"],
        lease=lease,
        state=state,
        error=outcome.error,
        next_at=next_at,
        last_turn=queue.TURNS - 1,
        now=db.now,
    )
    if is_settled and outcome.refuses_recipient:
        _note_refusal(db, mail, outcome.error)


def _following(db, mail, outcome):
    """Return (state, next_at) of the mail after an attempt."""
    if outcome.state != "queued":
        return outcome.state, None
    if mail["attempts"] >= len(AGAIN_AFTER):
        return "failed", None
    return "queued", times.after(db.now, timedelta(minutes=AGAIN_AFTER[mail["attempts"]]))


def _note_refusal(db, mail, error):
    """Record on the subscriber, or as a note on the contact of the record, that the address accepts
    no mail.
    """
    if mail["entity_type"] == newsletter.ENTITY:
        newsletter.record_refusal(db, mail["entity_id"], error)
        return
    if mail["entity_type"] not in ("invoice", "application"):  # nobody has confirmed the others
        return
    record = (invoices if mail["entity_type"] == "invoice" else applications).get(
        db, mail["entity_id"]
    )
    contact = record and contacts.get(db, record["contact_id"])
    if contact and mail["admin_id"] and not contact["anonymized_at"]:
        text = (
            f"The mail “{mail['subject']}” to {mail['recipient']} could not be delivered: {error}"
        )
        note = {
            "entity_type": "contact",
            "entity_id": contact["id"],
            "note_type": "warning",
            "is_pinned": False,
            "note_text": text,
        }
        notes.create(db, note, mail["admin_id"])


def mark_cut_off(db):
    """Mark mails in state `sending` as uncertain if the process that sent them has ended."""
    if db.value(sql.is_any_sending):
        with suppress(process_locks.InUse), process_locks.mailing(db.config), db.write():
            db.run(sql.cut_off, error=CUT_OFF, now=db.now)
