"""Sending dunning letters, and their history.

A call sends at most BATCH letters in one write transaction, so that no other writer waits long;
`left` says how many more are due. The worker is not involved: the caller learns at once what was
sent, and to whom no mail could be sent. The unique index on invoice and level, and the write lock,
make sure that no level is sent twice, unless its letter was withdrawn. What is due and held back is
counted before the transaction, because that takes a quarter of a second with 30,000 open invoices.
"""

import json
from collections import Counter
from decimal import Decimal
from typing import NamedTuple

from eventapi import money, times
from eventapi.domain.billing import drafts, invoices, issuing
from eventapi.domain.billing import mails as invoice_mails
from eventapi.domain.books import bookings
from eventapi.domain.dunning import claims, letters
from eventapi.domain.mail import deliveries
from eventapi.domain.mail import queue as mails
from eventapi.domain.records import anonymity
from eventapi.errors import Problem
from eventapi.languages import choice
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("dunning")

BATCH = 40  # letters that one call sends; about 80 ms of the write lock
MOST = 200  # invoices that a request names, and those of a response that are held back
# Columns of a letter that a dry run has not sent. Its mail would be queued.
UNSENT = {
    **dict.fromkeys(("id", "mail", "mail_reason", "posted_on", "created_at")),
    **dict.fromkeys(("withdrawn_on", "withdrawn_reason")),
    "mail_state": "queued",
}
ENTRY = ("due_date", "level", "level_name", *claims.AMOUNTS, "days_overdue", "deadline")


class DueInvoices(NamedTuple):
    """What is due, as seen before a call sends it.

    left_out: ids of invoices whose money has arrived and only waits to be booked, as JSON. named: ids of what is due
    among those that the request names. count: number of all that is due. held_back: rows of the
    statement `list`, at most MOST. held_back_count: number of all that is held back.
    """

    left_out: str
    named: frozenset
    count: int
    held_back: list
    held_back_count: int


def find_due(db, ids=None, level=None, paid=()):
    """Return the DueInvoices for a request (see `send`).

    `paid`: ids of invoices that get no letter, because they are paid.

    Call this inside a snapshot, and outside of write transactions.
    """
    today, left_out = times.today(db.config.timezone), as_json(sorted(paid))
    ready = _due(db, today, ids, level, MOST, held_back=0, left_out=left_out)
    count = _count(db, ready, today, ids, level, held_back=0, left_out=left_out)
    arrived = sorted(set(paid) & set(ids) if ids else paid)
    rows = _due(db, today, arrived, level, MOST, held_back=0) if arrived else []
    held_back = _due(db, today, ids, level, MOST, held_back=1)
    held_back_count = _count(db, held_back, today, ids, level, held_back=1)
    return DueInvoices(
        left_out,
        frozenset(row["id"] for row in ready) if ids else frozenset(),
        count,
        held_back + [{**row, "held_back": "transfer_open"} for row in rows],
        held_back_count + len(rows),
    )


def send(db, due, ids=None, level=None, mail=None, dry_run=False):
    """Send the letters that are due, oldest due date first.

    Return {"sent", "skipped", "counts", "left", "dry_run"}.

    ids: ids of invoices; None for all. level: only this level. mail: False queues no mail; True refuses the call if no
    mail server is configured; None queues mails if possible; "post" has all letters printed. dry_run: store nothing.

    Call this inside a write transaction, or for a dry run inside a snapshot. Raise 409
    `mail_not_configured`, or `period_closed` if today lies in a closed month.
    """
    invoice_mails.refuse_unconfigured(db, mail)
    today = times.today(db.config.timezone, db.now)
    bookings.refuse_letter(db, "sent_on", today)
    ready = _due(db, today, ids, level, BATCH, held_back=0, left_out=due.left_out)
    sent = [_send_one(db, row, today, mail, dry_run) for row in ready]
    known = due.named.union(row["id"] for row in (*ready, *due.held_back))
    ways = Counter(letter["delivery"] for letter in sent)
    return {
        "sent": sent,
        "skipped": _skipped(db, known, due.held_back, ids, today),
        "counts": {
            **{name: ways[name] for name in ("queued", "to_print", "none")},
            "held_back": due.held_back_count,
        },
        "left": max(due.count - len(sent), 0),
        "dry_run": dry_run,
    }


def waiting_of_event(db, event_id):
    """Return how many invoices of an event, and of no event, are due for a letter, and the ids of the
    first three.

    Those whose money has arrived and only waits to be booked count as well. Call this inside a
    snapshot.
    """
    today = times.today(db.config.timezone)
    filters = {"held_back": 0, "show_id": event_id}
    given, values = _request(db, today, None, None, filters)
    first = _due(db, today, None, None, 3, **filters)
    return db.count(sql.list.count(given), values), [row["id"] for row in first]


def _due(db, today, ids, level, limit, **filters):
    """Return the first rows of the statement `list` for a request."""
    given, values = _request(db, today, ids, level, filters)
    return db.rows(sql.list.page(given, "due_date", "ASC"), {**values, "limit": limit, "offset": 0})


def _count(db, rows, today, ids, level, **filters):
    """Return how many rows the statement `list` has, the first of which are `rows`."""
    if len(rows) < MOST:
        return len(rows)
    given, values = _request(db, today, ids, level, filters)
    return db.count(sql.list.count(given), values)


def _request(db, today, ids, level, filters):
    """Return the optional lines and the values of the statement `list` for a request."""
    given = {"ids": ids and as_json(ids), "level": level, **filters}
    given = {name: value for name, value in given.items() if value is not None}
    return frozenset(given), {**given, **claims.parameters(db.config, today)}


def _skipped(db, known, held_back, ids, today):
    """Return what is not sent, with the reason: what is due and held back, and what else was asked
    for.

    `known`: ids of invoices that are due.
    """
    found = [
        {
            "invoice_id": row["id"],
            "invoice_number": row["invoice_number"],
            "reason": row["held_back"],
        }
        for row in held_back
    ]
    states = {row["id"]: row for row in db.all(sql.states, ids=as_json(ids or []))}
    for id in dict.fromkeys(ids or ()):
        if id not in known:
            number = states[id]["invoice_number"] if id in states else None
            found.append(
                {"invoice_id": id, "invoice_number": number, "reason": _why(states.get(id), today)}
            )
    return found


def _why(state, today):
    """Return why an invoice of a request is not due."""
    if state is None:
        return "unknown"
    if (
        state["invoice_type"] != "invoice"
        or state["status"] not in invoices.OPEN
        or state["open_amount"] <= 0
    ):
        return "not_open"
    return "deadline_running" if (state["last_deadline"] or "") >= today else "not_due"


def _send_one(db, row, today, mail, dry_run):
    """Send one letter, and return its entry of the history as an API object."""
    due = {**row, **claims.of(db.config, row, today)}
    claim, invoice = money.in_major_units(due, claims.AMOUNTS), invoices.row(db, row["id"])
    language = choice.choose(db.config, invoice["language"])
    entry = {
        **{name: due[name] for name in ENTRY},
        "calculation": as_json(due["calculation"]),
        "invoice_id": row["id"],
        "sent_on": today,
        "language": language,
        "title": letters.title(db.config, row, claim, language),
        "text": letters.text(db.config, row, claim, language),
    }
    reason, to = _way(db, invoice, mail)
    entry |= {"mail_reason": reason, "for_post": _for_post(mail, reason)}
    if dry_run:
        return represent({**entry, **UNSENT, "currency": row["currency"]})
    outcome = {"mail": "skipped" if reason else None, "mail_id": None}
    if to:
        outcome = {"mail": "queued", "mail_id": _queue(db, invoice, entry, to)}
    id = db.insert(sql.add, **entry, **outcome, now=db.now)
    if entry["claimed"]:
        db.run(
            sql.claim,
            invoice_id=row["id"],
            dunning_id=id,
            day=today,
            currency=row["currency"],
            amount=entry["claimed"],
        )
    db.run(
        sql.record,
        id=row["id"],
        level=row["level"],
        deadline=entry["deadline"],
        claimed=entry["claimed"],
        now=db.now,
    )
    drafts.journal_change(db, invoice, "dunned")
    return history(db, [row["id"]])[row["id"]][-1]


def _way(db, invoice, mail):
    """Return (why a letter cannot be mailed or None, the address that it is mailed to or None)."""
    if mail in (False, invoice_mails.POST):
        return None, None
    if not mails.is_configured(db.config):
        return "smtp_not_configured", None
    to = invoice_mails.address(db, invoice)
    if not to:
        return "no_address", None
    obstacle = invoice_mails.obstacle(invoice)
    return (obstacle.code, None) if obstacle else (None, to)


def _for_post(mail, reason):
    """Return the column for_post of a letter: one that cannot be mailed must be printed."""
    if mail is False:
        return None
    return int(mail == invoice_mails.POST or reason is not None)


def _queue(db, invoice, entry, to):
    """Queue the mail with a letter, and return its id."""
    subject = f"{entry['title']}: {invoice['invoice_number']}"
    return mails.add(
        db, "dunning", "invoice", invoice["id"], to, subject, language=entry["language"]
    )


# History


def history(db, ids):
    """Return {invoice id: entries of its history as API objects, oldest first, withdrawn ones too}."""
    found = {}
    for row in db.all(sql.of_invoices, ids=as_json(ids)):
        found.setdefault(row["invoice_id"], []).append(represent(row))
    return found


def represent(row):
    """Return the API object of an entry: amounts in major units, without the fields of the invoice."""
    stated = claims.calculation(
        row["calculation"] and json.loads(row["calculation"]), row["currency"]
    )
    shown = {**money.in_major_units(deliveries.represent(row), claims.AMOUNTS), **stated}
    return {name: shown[name] for name in FIELDS}


def represent_with_invoice(row):
    """Return the API object of a row of the statement `letters`."""
    return {**represent(row), **{name: row[name] for name in OF_INVOICE}}


OF_INVOICE = ("invoice_number", "contact_id", "customer_number", "buyer_name", "updated_at")
FIELDS = (
    "id",
    "invoice_id",
    "level",
    "level_name",
    "sent_on",
    "due_date",
    "days_overdue",
    "currency",
    "total",
    "credited",
    "written_off",
    "payments",
    *claims.AMOUNTS,
    "interest_periods",
    "deadline",
    "language",
    "title",
    "text",
    "mail",
    "mail_reason",
    "delivery",
    "posted_on",
    "withdrawn_on",
    "withdrawn_reason",
    "created_at",
)


def by_ids(db, ids):
    """Return the letters with these ids as API objects, as the statement `letters` has them."""
    text = sql.letters.page(frozenset(("ids",)), "id", "ASC")
    values = {"ids": as_json(list(ids)), "limit": len(ids), "offset": 0}
    return [represent_with_invoice(row) for row in db.rows(text, values)]


def entry(db, invoice_id, id):
    """Return an entry of the history of an invoice as an API object, or None."""
    return next(
        (entry for entry in history(db, [invoice_id]).get(invoice_id, ()) if entry["id"] == id),
        None,
    )


def of_mail(db, mail_id):
    """Return the entry whose letter a mail contains, or None if it was withdrawn."""
    found = db.one(sql.by_mail, mail_id=mail_id)
    return found and entry(db, found["invoice_id"], found["id"])


def check(db):
    """Yield a sentence for each invoice whose dunning level, deadline or claims do not fit its
    history.
    """
    for wrong in db.all(sql.wrong_levels):
        if wrong["claims_total"] != wrong["claims"]:
            stored, sum_ = (
                money.major(wrong[name], wrong["currency"]) for name in ("claims_total", "claims")
            )
            yield f"{wrong['invoice_number']}: claims_total is {stored}, but its letters claim {sum_}"
        else:
            yield (
                f"{wrong['invoice_number']}: the dunning level is {wrong['stored']}, but its last letter is of "
                f"level {wrong['computed']}, or the deadline differs"
            )


def withdraw(db, row, entry, reason):
    """Withdraw the last letter of an invoice that stands, and return the row of the invoice.

    What the letter has claimed is taken back today. Level and deadline become those of the letter
    before it, so that the level can be sent again. `row` is the row of the invoice, `entry` an API
    object.

    Call this inside a write transaction. Raise 409 `invalid_transition`, `anonymized`, or `period_closed` if today
    lies in a closed month.
    """
    anonymity.refuse(db, "contact", row["contact_id"])
    last = db.value(sql.last_that_stands, invoice_id=row["id"])
    if entry["withdrawn_on"]:
        raise Problem(
            "invalid_transition",
            f"The letter {entry['id']} of {row['invoice_number']} was withdrawn on "
            f"{entry['withdrawn_on']}. Send POST /invoices/dunning/send to send its level again.",
            state="withdrawn",
            allowed_from=["sent"],
            allowed_actions=[],
        )
    if entry["id"] != last:
        raise Problem(
            "invalid_transition",
            f"The letter {entry['id']} of {row['invoice_number']} is not its last one. "
            f"Withdraw the letter {last} first.",
            state="superseded",
            allowed_from=["sent"],
            allowed_actions=[],
        )
    claimed = money.minor(Decimal(str(entry["claimed"])), entry["currency"])
    today = times.today(db.config.timezone, db.now)
    bookings.refuse_letter(db, "withdrawn_on", today)
    is_delivered = entry["delivery"] in ("mailed", "posted")
    statement = sql.withdraw if is_delivered else sql.withdraw_undelivered
    db.run(statement, id=entry["id"], today=today, reason=reason)
    if claimed:
        db.run(
            sql.claim,
            invoice_id=row["id"],
            dunning_id=entry["id"],
            day=today,
            currency=entry["currency"],
            amount=-claimed,
        )
    db.run(sql.record_withdrawal, id=row["id"], claimed=claimed, now=db.now)
    return drafts.journal_change(db, row, "dunning_withdrawn")


# Disputes: a disputed invoice gets no reminder and no dunning letter until the dispute is settled


def dispute(db, row, reason):
    """Record that the buyer disputes an invoice, or another reason. Return its row.

    Call this inside a write transaction. Raise 409 `invalid_transition` or `anonymized`.
    """
    issuing.check_action(row, "dispute")
    if row["disputed_at"] and row["dispute_reason"] == reason:
        return row
    anonymity.refuse(db, "contact", row["contact_id"])
    db.run(sql.dispute, id=row["id"], reason=reason, now=db.now)
    return drafts.journal_change(db, row, "disputed")


def settle(db, row):
    """Record that the dispute about an invoice is settled, and return its row.

    Change nothing without a dispute.
    """
    issuing.check_action(row, "settle")
    if not row["disputed_at"]:
        return row
    db.run(sql.settle, id=row["id"], now=db.now)
    return drafts.journal_change(db, row, "settled")
