"""Issuing: sending, cancelling, crediting and reminding of invoices.

A sent invoice has a number and is locked. Every public function that writes is called inside a write transaction and
takes and returns rows of invoices (see `invoices`).
"""
from eventapi import journal, money, times
from eventapi.domain.billing import claims, drafts, invoices, ledger, mails, pdf
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.records import anonymity, entities, numbering
from eventapi.errors import Faults, Problem
from eventapi.languages import choice, formats
from eventapi.states import Transitions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("invoicing")

TRANSITIONS = Transitions("invoice", {
    "send": (("draft",), "sent"),
    "refresh": (("draft",), None),
    "cancel": (("sent", "overdue", "paid"), "cancelled"),       # an invoice for 0 is paid once it is sent
    "credit": (("sent", "overdue", "partially_paid", "paid"), None),
    "remind": (("sent", "overdue", "partially_paid"), None),
    "mail": (("sent", "overdue", "partially_paid", "paid", "refunded", "cancelled"), None),
})
OF_CREDIT_NOTES = Transitions("credit note", {
    "send": (("draft",), "sent"),
    "refresh": (("draft",), None),
    "cancel": ((), "cancelled"),
    "credit": ((), None),
    "remind": ((), None),
    "mail": (("sent",), None),
})
PAST = {"cancel": "cancelled", "credit": "credited", "remind": "the subject of a reminder"}
CARRIED_OVER = ("contact_id", "event_participant_id", "event_id", "currency", "service_date", "service_date_to",
                "buyer_reference", "is_reverse_charge", "language")


def table(row):
    """Return the state table of an invoice, or of a credit note."""
    return TRANSITIONS if row["invoice_type"] == "invoice" else OF_CREDIT_NOTES


def check_action(row, action):
    """Return the status that the action leads to, or None if nothing changes. Raise 409 `invalid_transition`."""
    state = invoices.public_status(row)
    if row["invoice_type"] == "credit_note" and action in PAST:
        raise Problem("invalid_transition", f"A credit note cannot be {PAST[action]}. To correct "
                      f"{row['invoice_number']}, issue a new invoice.", state=state, allowed_from=[],
                      allowed_actions=OF_CREDIT_NOTES.actions(state))
    return table(row).move(action, state)


def allowed_actions(invoice, today):
    """Return the actions that are possible now. `invoice` is an API object, `today` the date in the tenant's zone.

    An invoice with payments cannot be cancelled. A reminder is possible from the due date on.
    """
    impossible = {"cancel"} if invoice["paid_amount"] else set()
    if (invoice["due_date"] or today) > today:
        impossible.add("remind")
    return [action for action in table(invoice).actions(invoice["status"]) if action not in impossible]


def update(db, row, fields):
    """Change an invoice. Return its row and the outcome of the mail (see `mails`).

    `fields` holds the changed fields; a new `status` runs the action that leads there.

    Call this inside a write transaction. Raise 422 for faults of a draft; 409 `invoice_locked`, `anonymized`,
    `invalid_transition`, and what `send` and `cancel` raise.
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
    table(row).action_to(invoices.public_status(row), status)           # raises: no action leads to another status
    return row, None


def send(db, row, mail=None):
    """Send a draft: assign its number and lock it. Return its row and the outcome of the mail.

    `mail` is as in `mails.add`, but None means False for an invoice that was taken over: the other system has sent it.
    Raise 409 `invalid_transition`, `draft_outdated`, `invoice_incomplete`, `exceeds_invoice`, `duplicate`, `anonymized`
    or `mail_not_configured`.
    """
    mail = False if mail is None and row["taken_over"] else mail
    mails.refuse_unconfigured(db, mail)
    if check_action(row, "send") is None:
        return row, mails.unchanged(mail)
    refuse_outdated(db, row)
    sent = issue(db, row, mail)
    journal.updated(db, entities.INVOICE, invoices.represent(row), invoices.represent(sent), action="sent")
    if sent["invoice_type"] == "credit_note":
        ledger.adjust(db, ledger.by_id(db, sent["related_invoice_id"]), credited=-sent["total"])
    elif sent["status"] == "paid":                      # its total is 0
        journal.announced(db, entities.INVOICE, "paid", invoices.represent(sent))
    return sent, mails.add(db, "invoice", sent, mail)


def refuse_outdated(db, row):
    """Raise 409 `draft_outdated` if a line of a draft no longer bills what is owed. `lines` of the problem names each.
    """
    lines = claims.outdated(db, row)
    if lines:
        facts = " ".join(f"Line {line['position']}: {line['detail']}" for line in lines[:10])
        raise Problem("draft_outdated", f"{row['invoice_number']} is outdated. {facts} Refresh, change or "
                      "delete the draft.", lines=lines)


def refresh(db, row):
    """Rebuild the generated lines of a draft as `drafts.refresh` does. Raise also 409 `invalid_transition`."""
    check_action(row, "refresh")
    return drafts.refresh(db, row)


def cancel(db, row, reason=None, mail=None):
    """Cancel an invoice by a credit note for all that is left of it. Return its row and the outcome of the mail.

    The credit note is mailed as `mails.add` says, and `reason` is printed on it. Raise 409 `has_payments`,
    `invalid_transition`, `exceeds_invoice`, `anonymized` or `mail_not_configured`.
    """
    mails.refuse_unconfigured(db, mail)
    if row["invoice_type"] == "invoice" and row["paid_amount"]:
        raise Problem("has_payments", f"{row['invoice_number']} cannot be cancelled because it has payments. "
                      "Refund them first, or credit a part of the invoice.")
    if check_action(row, "cancel") is None:
        return row, mails.unchanged(mail)
    lines = invoice_lines.negated(db.all(sql.lines_left, id=row["id"]))
    note = issue_credit_note(db, row, lines, mail, cancellation_reason=reason)
    db.run(sql.cancel, id=row["id"], credit_note_id=note["id"], reason=reason, now=db.now)
    return drafts.journal_change(db, row, "cancelled"), mails.add(db, "invoice", note, mail)


def credit(db, row, items, text=None, mail=None):
    """Create and send a credit note for a part of an invoice. Return its row and the outcome of the mail.

    `items` are those of the request, `text` is printed on the credit note, `mail` is as in `mails.add`. Raise 422 for
    faults of the items; 409 `invalid_transition`, `exceeds_invoice`, `anonymized` or `mail_not_configured`.
    """
    mails.refuse_unconfigured(db, mail)
    faults = Faults()
    lines = invoice_lines.lines(with_tax_of(items, row), row["currency"], db.config.tax_rate, faults,
                                reverse_charge=row["is_reverse_charge"])
    invoice_lines.check_billed_records(db, lines, row["event_participant_id"], faults, row)
    if not faults and invoice_lines.totals(invoice_lines.taxes(lines))["total"] <= 0:
        faults.add("/items", "negative_total", "must total more than 0")
    faults.raise_any()
    check_action(row, "credit")
    note = issue_credit_note(db, row, invoice_lines.negated(lines), mail, text=text)
    ledger.adjust(db, ledger.by_id(db, row["id"]), credited=-note["total"])
    return note, mails.add(db, "invoice", note, mail)


def with_tax_of(items, invoice):
    """Return the items. Those without tax fields get the tax of the invoice, if it has only one."""
    if len(invoice["taxes"]) > 1:
        return items
    only = invoices.represent_tax(invoice["taxes"][0], invoice["currency"])
    known = {"tax_category": only["category"], "tax_rate": only["rate"], "exemption_reason": only["reason"]}
    return [item if {"tax_category", "tax_rate"} & item.keys() else {**item, **known} for item in items]


def remind(db, row, mail=None, force=False):
    """Record a reminder and queue its mail as `mails.add` does. Return the row and the outcome of the mail.

    `force` allows a second reminder on the same day. Raise 409 `invalid_transition`, `not_due`, `already_reminded` or
    `mail_not_configured`.
    """
    mails.refuse_unconfigured(db, mail)
    check_action(row, "remind")
    refuse_early_reminder(db, row, force)
    db.run(sql.remind, id=row["id"], now=db.now)
    return drafts.journal_change(db, row, "reminded"), mails.add(db, "invoice_reminder", row, mail)


def mail(db, row, to=None, language=None, text=None):
    """Mail an invoice or credit note that was sent before. Return its row and the outcome of the mail.

    See `mails.add_requested`. Raise 409 `invalid_transition`, `invoice_incomplete`, `mail_not_configured` or
    `anonymized`; 501 `not_installed`.
    """
    check_action(row, "mail")
    anonymity.refuse(db, "contact", row["contact_id"])
    outcome = mails.add_requested(db, row, to, language, text)
    journal.acted(db, entities.INVOICE, "mailed", invoices.represent(row))
    return row, outcome


def refuse_early_reminder(db, row, force):
    """Raise 409 `not_due` before the due date; 409 `already_reminded` on the day of a reminder, unless `force`.

    Days are those of the tenant's time zone.
    """
    today = times.today(db.config.timezone, db.now)
    if (row["due_date"] or today) > today:
        raise Problem("not_due", f"{row['invoice_number']} is due on {row['due_date']}. Repeat the "
                      "request on that date or later.", due_date=row["due_date"])
    if row["reminder_sent_at"] and not force and times.local_date(row["reminder_sent_at"], db.config.timezone) == today:
        raise Problem("already_reminded", f"A reminder of {row['invoice_number']} was recorded today, at "
                      f"{row['reminder_sent_at']}. Send `force` as true to record another one.",
                      reminder_sent_at=row["reminder_sent_at"])


def issue_credit_note(db, invoice, lines, mail, **texts):
    """Create and send a credit note with these lines and texts (`text`, `cancellation_reason`). Return its row.

    `mail` is as in `mails.add`. Raise 409 `anonymized` for a mail to an anonymised buyer or a text, and as `issue`.
    """
    if mail or any(texts.values()):
        anonymity.refuse(db, "contact", invoice["contact_id"])
    note = issue(db, draft_credit_note(db, invoice, lines, **texts), mail)
    journal.created(db, entities.INVOICE, invoices.represent(note))
    return note


def draft_credit_note(db, invoice, lines, **texts):
    """Store a draft of a credit note with these lines, and return its row."""
    draft = {**dict.fromkeys(("invoice_number", "issue_date", "due_date", "text", "notes")), **texts, "taken_over": 0,
             "invoice_type": "credit_note", "related_invoice_id": invoice["id"],
             **{name: invoice[name] for name in CARRIED_OVER}, **invoice_lines.totals(invoice_lines.taxes(lines))}
    return invoices.row(db, drafts.store(db, draft, lines))


def issue(db, row, mail=None):
    """Lock a draft: store its number, parties and PDF source. Return its new row. Raise 409 `invoice_incomplete`."""
    day = times.today(db.config.timezone, db.now)
    seller, buyer = invoices.parties(db, row)
    invoices.refuse_incomplete(row, seller, buyer, email_missing=mail and not mails.recipient(db, row, buyer))
    issued = {**{name: row[name] for name in ("subtotal", "tax_total", "total", "invoice_number", "due_date",
                                            "service_date")},
              "language": row["language"] or choice.choose(db.config, buyer["language"]),
              "series": None, "sequence": None, "issue_date": row["issue_date"] or day,
              "seller": as_json(seller), "buyer": as_json(buyer)}
    if row["invoice_type"] == "credit_note":
        issued.update(fit_into_invoice(db, row), status="sent")
    else:
        issued.update(status=ledger.status_of(row["total"], 0, 0),
                      service_date=row["service_date"] or issued["issue_date"],
                      due_date=row["due_date"] or times.add_days(issued["issue_date"], db.config.payment_days))
    faults = Faults()
    drafts.check_due_date({**row, **issued}, faults)
    faults.raise_any()
    if not row["taken_over"]:
        issued.update(numbering.number(db, row["invoice_type"], day[:4]))
    db.run(sql.send, id=row["id"], **issued, now=db.now)
    sent = invoices.row(db, row["id"])
    pdf.freeze(db, sent)
    return sent


def fit_into_invoice(db, note):
    """Store the taxes of a credit note, fitted to what is left of its invoice, and return its totals.

    Raise 409 `exceeds_invoice`.
    """
    invoice = ledger.by_id(db, note["related_invoice_id"])
    if invoice["status"] in ("draft", "cancelled"):
        raise Problem("exceeds_invoice",
                      f"{invoice['invoice_number']} is {invoice['status']}. Nothing of it is left to credit. Delete "
                      "this draft.")
    taxes, left = taxes_of_credit(db, invoice["id"], note["items"])
    if taxes is None:
        left = [invoices.represent_tax(group, note["currency"]) for group in left if group["net"]]
        amounts = "; ".join(f"{formats.money(group['net'], note['currency'], 'en')} net in category "
                            f"{group['category']} at {formats.percent(group['rate'], 'en')}" for group in left)
        raise Problem("exceeds_invoice", f"The credit note exceeds the rest of {invoice['invoice_number']}. Left to "
                      f"credit: {amounts or 'nothing'}.", left=left)
    totals, open_total = invoice_lines.totals(taxes), invoice["total"] - invoice["credited"]
    if -totals["total"] > open_total:                   # possible if a tax group of the invoice is negative
        open_total = money.major(open_total, note["currency"])
        raise Problem("exceeds_invoice", f"The credit note exceeds the rest of {invoice['invoice_number']}. Left to "
                      f"credit: {formats.money(open_total, note['currency'], 'en')} with tax.", left_total=open_total)
    drafts.store_taxes(db, note["id"], taxes)
    return totals


def taxes_of_credit(db, invoice_id, lines):
    """Return the result of `lines.credited_taxes`, and the rows of what is left of the invoice."""
    left = db.all(sql.left_to_credit, id=invoice_id)
    rest = {(group["category"], group["rate"]): (group["net"], group["tax"]) for group in left}
    return invoice_lines.credited_taxes(invoice_lines.taxes(lines), rest), left


def totals_of_credit(db, invoice_id, lines):
    """Return the totals that a credit note with these lines will have."""
    taxes, _ = taxes_of_credit(db, invoice_id, lines)
    return invoice_lines.totals(taxes if taxes is not None else invoice_lines.taxes(lines))
