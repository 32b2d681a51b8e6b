"""Issuing: sending, cancelling, crediting and reminding of invoices.

A sent invoice has a number and is locked. Every public function that writes is called inside a
write transaction and takes and returns rows of invoices (see `invoices`).
"""

from eventapi import journal, money, times
from eventapi.domain.billing import (
    balance,
    claims,
    deposits,
    drafts,
    invoices,
    mails,
    sending,
    treatments,
)
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing.invoices import SHOWN_OPEN
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults, Problem, listed
from eventapi.languages import formats
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("invoicing")

TRANSITIONS = Transitions(
    "invoice",
    {
        "send": (("draft",), "sent"),
        "refresh": (("draft",), None),
        # an invoice for 0 is paid once it is sent
        "cancel": (
            ("sent", "overdue", "paid"),
            "cancelled",
        ),
        "credit": ((*SHOWN_OPEN, "paid"), None),
        "offset": (("paid",), None),
        "remind": (SHOWN_OPEN, None),
        "write_off": ((*SHOWN_OPEN, "paid", "refunded", "written_off"), None),
        "mail": ((*SHOWN_OPEN, "paid", "refunded", "cancelled", "written_off"), None),
        "dispute": (SHOWN_OPEN, None),
        "settle": ((*SHOWN_OPEN, "paid", "refunded", "cancelled", "written_off"), None),
    },
)
OF_CREDIT_NOTES = Transitions(
    "credit note",
    {
        "send": (("draft",), "sent"),
        "refresh": (("draft",), None),
        "cancel": ((), "cancelled"),
        "credit": ((), None),
        "offset": ((), None),
        "remind": ((), None),
        "write_off": ((), None),
        "mail": (("sent",), None),
        "dispute": ((), None),
        "settle": ((), None),
    },
)
PAST = {
    "cancel": "cancelled",
    "credit": "credited",
    "remind": "the subject of a reminder",
    "write_off": "written off",
    "dispute": "disputed",
    "settle": "settled",
}
CARRIED_OVER = (
    "contact_id",
    "event_participant_id",
    "event_id",
    "currency",
    "exchange_rate",
    "service_date",
    "service_date_to",
    "buyer_reference",
    "is_reverse_charge",
    "tax_treatment",
    "tax_decided_by",
    "language",
)


def table(row):
    """Return the state table of an invoice, or of a credit note."""
    return TRANSITIONS if row["invoice_type"] == "invoice" else OF_CREDIT_NOTES


def check_action(row, action):
    """Return the status that the action leads to, or None if nothing changes.

    Raise 409 `invalid_transition`.
    """
    state = invoices.public_status(row)
    if row["invoice_type"] == "credit_note" and action in PAST:
        raise Problem(
            "invalid_transition",
            f"A credit note cannot be {PAST[action]}. To correct "
            f"{row['invoice_number']}, issue a new invoice.",
            state=state,
            allowed_from=[],
            allowed_actions=OF_CREDIT_NOTES.actions(state),
        )
    return table(row).move(action, state)


def allowed_actions(invoice, today, *, is_deducted=False):
    """Return the actions that are possible now.

    `invoice` is an API object, `today` the date in the tenant's zone.

    An invoice with payments cannot be cancelled, and a deposit that a final invoice deducts
    (`is_deducted`) not even credited. A reminder is possible from the due date on, unless the
    invoice is disputed.
    """
    impossible = {"cancel"} if invoice["paid_amount"] else set()
    if (invoice["due_date"] or today) > today or invoice["is_disputed"]:
        impossible.add("remind")
    impossible |= set() if invoice["is_disputed"] else {"settle"}
    impossible |= set() if invoice["open_amount"] > 0 else {"write_off"}
    impossible |= set() if invoice["open_amount"] < 0 else {"offset"}
    impossible |= {"cancel"} if invoice["written_off"] else set()
    impossible |= {"cancel", "credit"} if is_deducted else set()
    return [
        action for action in table(invoice).actions(invoice["status"]) if action not in impossible
    ]


def update(db, row, fields):
    """Change an invoice. Return its row and the outcome of the mail (see `mails`).

    `fields` holds the changed fields; a new `status` runs the action that leads there.

    Call this inside a write transaction. Raise 422 for faults of a draft; 409 `invoice_locked`,
    `anonymized`, `invalid_transition`, and what `send` and `cancel` raise.
    """
    return apply_status(db, drafts.change(db, row, fields), fields.get("status", row["status"]))


def apply_status(db, row, status):
    """Run the action that leads to `status`. Return the row and the outcome of the mail.

    Raise 409 `invalid_transition` if there is no such action.
    """
    if status in (row["status"], invoices.public_status(row)):
        return row, None
    if status == "sent":
        return send(db, row)
    if status == "cancelled":
        return cancel(db, row)
    # raises: no action leads to another status
    table(row).action_to(invoices.public_status(row), status)
    return row, None


def send(db, row, mail=None, payments=(), credits=()):
    """Send a draft: assign its number and lock it. Return its row and the outcome of the mail.

    `mail` is as in `mails.deliver`, but None means False for an invoice that was taken over: the
    other system has sent it. `payments` holds what was paid before, as the request contains it, and
    `credits` what of the customer's credit is counted as such, as (invoice number, minor units); the
    caller offsets it afterwards. Raise 422
    for faults of `payments`; 409 `invalid_transition`, `draft_outdated`, `invoice_incomplete`,
    `no_e_invoice`, `exceeds_invoice`, `deposit_open`, `in_use`, `duplicate`, `anonymized` or
    `mail_not_configured`.
    """
    mail = False if mail is None and row["taken_over"] else mail
    mails.refuse_unconfigured(db, mail)
    if check_action(row, "send") is None:
        _refuse_payments(row, payments)
        return row, mails.already_done(mail)
    refuse_outdated(db, row)
    whole = sending.deduct(db, row)
    issued = sending.issue(db, whole, mail, sending.prepaid(db, whole, payments), credits)
    sent, outcome = mails.deliver(db, issued, mail)
    journal.updated(
        db, entities.INVOICE, invoices.represent(row), invoices.represent(sent), action="sent"
    )
    if sent["invoice_type"] == "credit_note":
        balance.adjust(db, balance.by_id(db, sent["related_invoice_id"]), credited=-sent["total"])
    elif sent["status"] == "paid":  # its total is 0
        journal.announced(db, entities.INVOICE, "paid", invoices.represent(sent))
    if payments:
        sending.record(db, sent["invoice_number"], payments)
        sent = invoices.row(db, row["id"])
    return sent, outcome


def _refuse_payments(row, payments):
    """Raise 409 `invalid_transition` if payments are sent with an invoice that was sent before."""
    if payments:
        state = invoices.public_status(row)
        raise Problem(
            "invalid_transition",
            f"{row['invoice_number']} was sent before, so `payments` were not "
            "recorded. Record each of them with POST /payments.",
            state=state,
            allowed_from=["draft"],
            allowed_actions=table(row).actions(state),
        )


def refuse_outdated(db, row):
    """Raise 409 `draft_outdated` if a line of a draft no longer bills what is owed.

    `lines` names each such line.
    """
    lines = claims.outdated(db, row) or treatments.outdated(db, row)
    if lines:
        facts = " ".join(f"Line {line['position']}: {line['detail']}" for line in lines[:10])
        raise Problem(
            "draft_outdated",
            f"{row['invoice_number']} is outdated. {facts} Refresh, change or delete the draft.",
            lines=lines,
        )


def refresh(db, row):
    """Refresh a draft as `drafts.refresh` does. Raise also 409 `invalid_transition`."""
    check_action(row, "refresh")
    return drafts.refresh(db, row)


def cancel(db, row, reason=None, mail=None):
    """Cancel an invoice by a credit note for all that is left of it.

    Return its row and the outcome of the mail.

    The credit note is mailed as `mails.deliver` says, and `reason` is printed on it. Raise 409
    `has_payments`, `has_write_offs`, `in_use`, `invalid_transition`, `exceeds_invoice`,
    `anonymized` or `mail_not_configured`.
    """
    mails.refuse_unconfigured(db, mail)
    deposits.refuse_deducted(db, row["id"], row["invoice_number"])
    if row["invoice_type"] == "invoice" and row["paid_amount"]:
        raise Problem(
            "has_payments",
            f"{row['invoice_number']} cannot be cancelled because it has payments. "
            "Refund them first, or credit a part of the invoice.",
        )
    refuse_written_off(row, row["total"])
    if check_action(row, "cancel") is None:
        return row, mails.already_done(mail)
    lines = invoice_lines.negated(db.all(sql.lines_left, id=row["id"]))
    note, outcome = issue_credit_note(db, row, lines, mail, cancellation_reason=reason)
    db.run(sql.cancel, id=row["id"], credit_note_id=note["id"], reason=reason, now=db.now)
    deposits.release(db, row["id"])
    return drafts.journal_change(db, row, "cancelled"), outcome


def credit(db, row, items, text=None, mail=None):
    """Create and send a credit note for a part of an invoice.

    Return its row and the outcome of the mail.

    `items` are those of the request, and None credits all that is left. `text` is printed on the
    credit note, `mail` is as in `mails.deliver`. Raise 422 for faults of the items; 409
    `invalid_transition`, `in_use`, `exceeds_invoice`, `anonymized` or `mail_not_configured`.
    """
    mails.refuse_unconfigured(db, mail)
    deposits.refuse_deducted(db, row["id"], row["invoice_number"])
    if items is None:
        lines = db.all(sql.lines_left, id=row["id"])
    else:
        lines = _lines_of_request(db, row, items)
    amount = invoice_lines.totals(invoice_lines.taxes(lines))["total"]
    refuse_written_off(row, amount)
    check_action(row, "credit")
    if amount <= 0:
        raise Problem(
            "exceeds_invoice",
            f"Nothing of {row['invoice_number']} is left to credit. Pay back what the "
            "customer has paid, or leave it as a credit.",
            left=[],
        )
    note, outcome = issue_credit_note(db, row, invoice_lines.negated(lines), mail, text=text)
    balance.adjust(db, balance.by_id(db, row["id"]), credited=-note["total"])
    return note, outcome


def _lines_of_request(db, row, items):
    """Return the lines of a credit note that a request names. Raise 422 for their faults."""
    faults = Faults()
    items = with_tax_of(items, row, faults)
    faults.raise_any()
    lines = invoice_lines.lines(items, row["currency"], db.config.tax_rate, faults)
    invoice_lines.check_mixed(lines, faults)
    invoice_lines.check_discounts(lines, faults)
    invoice_lines.check_billed_records(db, lines, row["event_participant_id"], faults, row)
    if not faults and invoice_lines.totals(invoice_lines.taxes(lines))["total"] <= 0:
        faults.add("/items", "negative_total", "must total more than 0")
    faults.raise_any()
    return lines


def items_or_whole(items, is_whole):
    """Return the items that a request credits, None for all that is left of the invoice.

    Raise 422 unless it names exactly one of both.
    """
    faults = Faults()
    if items is None and not is_whole:
        faults.add("/items", "required", "is required unless `whole` is true")
    if items is not None and is_whole:
        faults.add(
            "/items", "excluded", "must not be sent with `whole`, which credits all that is left"
        )
    faults.raise_any()
    return items


def refuse_written_off(row, amount):
    """Raise 409 `has_write_offs` if an invoice was written off, or if crediting `amount` would
    credit what was.

    What was paid can be credited: the money is returned.
    """
    is_too_much = row["written_off"] and amount > max(row["open_amount"], 0) + row["paid_amount"]
    if row["status"] == "written_off" or is_too_much:
        raise Problem(
            "has_write_offs",
            f"{row['invoice_number']} has write-offs, so it cannot be cancelled or "
            "credited. Delete them with DELETE /invoices/{id}/write-offs/{write_off_id} first.",
        )


def with_tax_of(items, invoice, faults):
    """Return the items. Those without tax fields get the tax of the invoice, if it has only one.

    If it has several, add a fault for each: a rate that is guessed would credit tax that was never
    charged.
    """
    if len(invoice["taxes"]) > 1:
        rates = listed(
            [f"{group['category']} {group['rate'] / 100:g} %" for group in invoice["taxes"]]
        )
        for place, item in enumerate(items):
            if item.get("tax_rate") is None and item.get("tax_category") in (None, "S"):
                faults.add(
                    f"/items/{place}/tax_rate",
                    "required",
                    f"is required, because {invoice['invoice_number']} has several rates: {rates}",
                )
        return items
    only = invoices.represent_tax(invoice["taxes"][0], invoice["currency"])
    known = {
        "tax_category": only["category"],
        "tax_rate": only["rate"],
        "exemption_reason": only["reason"],
        "exemption_code": only["reason_code"],
    }
    if only["category"] == "AE":
        return [{**item, **known} for item in items]
    return [
        item if {"tax_category", "tax_rate"} & item.keys() else {**item, **known} for item in items
    ]


def remind(db, row, mail=None, force=False):
    """Record a reminder and queue its mail as `mails.add` does.

    Return the row and the outcome of the mail.

    `force` allows a second reminder on the same day, and one while the contact has credit. Raise 409
    `invalid_transition`, `disputed`, `not_due`, `already_reminded`, `credit_open` or
    `mail_not_configured`.
    """
    mails.refuse_unconfigured(db, mail)
    check_action(row, "remind")
    if row["disputed_at"]:
        raise Problem(
            "disputed",
            f"{row['invoice_number']} is disputed since {row['disputed_at']}. Settle the dispute "
            "before you send a reminder.",
            disputed_at=row["disputed_at"],
        )
    refuse_early_reminder(db, row, force)
    if not force:
        refuse_credit(db, row)
    db.run(sql.remind, id=row["id"], now=db.now)
    return drafts.journal_change(db, row, "reminded"), mails.add(db, "invoice_reminder", row, mail)


def mail(db, row, to=None, language=None, text=None):
    """Mail an invoice or credit note that was sent before.

    Return its row and the outcome of the mail.

    See `mails.add_requested`. Raise 409 `invalid_transition`, `invoice_incomplete`,
    `mail_not_configured` or `anonymized`; 501 `not_installed`.
    """
    check_action(row, "mail")
    anonymity.refuse(db, "contact", row["contact_id"])
    outcome = mails.add_requested(db, row, to, language, text)
    mailed = invoices.row(db, row["id"])
    journal.acted(db, entities.INVOICE, "mailed", invoices.represent(mailed))
    return mailed, outcome


def refuse_early_reminder(db, row, force):
    """Raise 409 `not_due` before the due date; 409 `already_reminded` on the day of a reminder,
    unless `force`.

    Days are those of the tenant's time zone.
    """
    today = times.today(db.config.timezone, db.now)
    if (row["due_date"] or today) > today:
        raise Problem(
            "not_due",
            f"{row['invoice_number']} is due on {row['due_date']}. Repeat the "
            "request on that date or later.",
            due_date=row["due_date"],
        )
    if (
        row["reminder_sent_at"]
        and not force
        and times.local_date(row["reminder_sent_at"], db.config.timezone) == today
    ):
        raise Problem(
            "already_reminded",
            f"A reminder of {row['invoice_number']} was recorded today, at "
            f"{row['reminder_sent_at']}. Send `force` as true to record another one.",
            reminder_sent_at=row["reminder_sent_at"],
        )


def refuse_credit(db, row):
    """Raise 409 `credit_open` if the contact has credit in the currency of an invoice."""
    credit, is_enough = balance.credit_of(db, row)
    if is_enough:
        amount = money.major(credit, row["currency"])
        raise Problem(
            "credit_open",
            f"The contact of {row['invoice_number']} has a credit of "
            f"{formats.money(amount, row['currency'], 'en')} on other invoices. Offset it with POST "
            "/invoices/{id}/offset, or send `force` as true.",
            credit=amount,
        )


def issue_credit_note(db, invoice, lines, mail, **texts):
    """Create and send a credit note with these lines and texts (`text`, `cancellation_reason`).

    Return its row and the outcome of the mail.

    `mail` is as in `mails.deliver`. Raise 409 `anonymized` for a mail to an anonymised buyer or a text,
    and as `sending.issue`.
    """
    if mail is True or any(texts.values()):
        anonymity.refuse(db, "contact", invoice["contact_id"])
    issued = sending.issue(db, draft_credit_note(db, invoice, lines, **texts), mail)
    note, outcome = mails.deliver(db, issued, mail)
    journal.created(db, entities.INVOICE, invoices.represent(note))
    return note, outcome


def draft_credit_note(db, invoice, lines, **texts):
    """Store a draft of a credit note with these lines, and return its row."""
    draft = {
        **dict.fromkeys(("invoice_number", "issue_date", "due_date", "text", "notes")),
        **texts,
        "taken_over": 0,
        "invoice_type": "credit_note",
        "related_invoice_id": invoice["id"],
        **{name: invoice[name] for name in CARRIED_OVER},
        **invoice_lines.totals(invoice_lines.taxes(lines)),
    }
    return invoices.row(db, drafts.store(db, draft, lines))
