"""Issuing: an invoice is sent with its number, from then on locked, and may be cancelled, credited, reminded of."""
from eventapi import journal, money, times
from eventapi.domain.billing import drafts, invoices, ledger, mails, pdf
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.records import entities, numbering
from eventapi.errors import Faults, Problem
from eventapi.states import Transitions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("invoicing")

TRANSITIONS = Transitions("invoice", {
    "send": (("draft",), "sent"),
    "cancel": (("sent", "overdue"), "cancelled"),
    "credit": (("sent", "overdue", "partially_paid", "paid"), None),
    "remind": (("sent", "overdue", "partially_paid"), None),
})
OF_CREDIT_NOTES = Transitions("credit note", {
    "send": (("draft",), "sent"),
    "cancel": ((), "cancelled"),
    "credit": ((), None),
    "remind": ((), None),
})
CARRIED_OVER = ("contact_id", "event_participant_id", "event_id", "currency", "service_date", "buyer_reference",
                "is_reverse_charge")
SELLER = {name: f"organiser_{name}" for name in ("name", "street", "postal_code", "city", "country", "email", "vat_id",
                                                  "tax_number", "iban", "bic")}


def table(row):
    """The transitions of an invoice, or of a credit note."""
    return TRANSITIONS if row["invoice_type"] == "invoice" else OF_CREDIT_NOTES


def allowed_actions(invoice):
    """What may be done with an invoice, as it is answered: what was paid stands against cancelling."""
    actions = table(invoice).actions(invoice["status"])
    return [action for action in actions if action != "cancel" or not invoice["paid_amount"]]


def update(db, row, fields):
    """Change an invoice and return its row. `fields` holds the changed fields; a new `status` stands for an action.

    Call this inside a write transaction. Raise 422 for faults of a draft; 409 `invoice_locked`, `anonymized`,
    `invalid_transition`, and what `send` and `cancel` raise.
    """
    return bring_to(db, drafts.change(db, row, fields), fields.get("status", row["status"]))


def bring_to(db, row, status):
    """Does what `status` in a body asks for; gives the row."""
    if status in (row["status"], invoices.public_status(row)):
        return row
    asked = {"sent": send, "cancelled": cancel}.get(status)
    if asked is None:
        table(row).action_to(invoices.public_status(row), status)       # 409: no action leads there
    return asked(db, row)


def send(db, row, mail=None):
    """Gives a draft its number and locks it; gives the row."""
    mails.refuse_unconfigured(db, mail)
    if table(row).move("send", invoices.public_status(row)) is None:
        return row
    sent = issue(db, row)
    journal.updated(db, entities.INVOICE, invoices.represent(row), invoices.represent(sent), action="sent")
    if sent["invoice_type"] == "credit_note":
        ledger.settle(db, ledger.by_id(db, sent["related_invoice_id"]), credited=-sent["total"])
    elif sent["status"] == "paid":                      # there was nothing to pay
        journal.announced(db, entities.INVOICE, "paid", invoices.represent(sent))
    mails.add(db, "invoice", sent, mail)
    return sent


def cancel(db, row):
    """Voids an invoice by a credit note over all that is left of it; gives the row."""
    if row["invoice_type"] == "invoice" and row["paid_amount"]:
        raise Problem("has_payments", f"There are payments on {row['invoice_number']}: refund them first, or credit it.")
    if table(row).move("cancel", invoices.public_status(row)) is None:
        return row
    lines = invoice_lines.reversed_(db.all(sql.lines_left, id=row["id"]))
    note = issue_credit_note(db, row, lines)
    db.run(sql.cancel, id=row["id"], credit_note_id=note["id"], now=db.now)
    return drafts.changed(db, row, "cancelled")


def credit(db, row, items):
    """A credit note over a part of an invoice, sent at once; gives its row."""
    faults = Faults()
    lines = invoice_lines.lines(taxed_alike(items, row), row["currency"], db.config.tax_rate, faults,
                                reverse_charge=row["is_reverse_charge"])
    invoice_lines.refuse_foreign(db, lines, row["event_participant_id"], faults)
    if not faults and invoice_lines.totals(invoice_lines.taxes(lines))["total"] <= 0:
        faults.add("/items", "negative_total", "must come to more than 0")
    faults.raise_any()
    table(row).move("credit", invoices.public_status(row))
    note = issue_credit_note(db, row, invoice_lines.reversed_(lines))
    ledger.settle(db, ledger.by_id(db, row["id"]), credited=-note["total"])
    return note


def taxed_alike(items, invoice):
    """Items that say nothing of tax have that of the invoice, where it has just one."""
    if len(invoice["taxes"]) > 1:
        return items
    only = invoices.represent_tax(invoice["taxes"][0], invoice["currency"])
    known = {"tax_category": only["category"], "tax_rate": only["rate"], "exemption_reason": only["reason"]}
    return [item if {"tax_category", "tax_rate"} & item.keys() else {**item, **known} for item in items]


def remind(db, row, mail=None):
    """Notes that the customer was reminded, or does it; gives the row."""
    mails.refuse_unconfigured(db, mail)
    table(row).move("remind", invoices.public_status(row))
    db.run(sql.remind, id=row["id"], now=db.now)
    mails.add(db, "invoice_reminder", row, mail)
    return drafts.changed(db, row, "reminded")


def issue_credit_note(db, invoice, lines):
    """Makes and sends a credit note of these lines; gives its row."""
    note = issue(db, draft_credit_note(db, invoice, lines))
    journal.created(db, entities.INVOICE, invoices.represent(note))
    return note


def draft_credit_note(db, invoice, lines):
    """Stores a credit note of these lines, not yet sent; gives its row."""
    draft = {**dict.fromkeys(("invoice_number", "issue_date", "due_date", "text", "notes")), "taken_over": 0,
             "invoice_type": "credit_note", "related_invoice_id": invoice["id"],
             **{name: invoice[name] for name in CARRIED_OVER}, **invoice_lines.totals(invoice_lines.taxes(lines))}
    return invoices.row(db, drafts.store(db, draft, lines))


def issue(db, row):
    """Number, snapshot, lock and picture of a draft; gives its new row."""
    day = times.today(db.config.timezone, db.now)
    seller, buyer = parties(db, row)
    refuse_incomplete(row, seller, buyer)
    issued = {**{name: row[name] for name in ("subtotal", "tax_total", "total", "invoice_number", "due_date")}, "series": None,
              "sequence": None, "issue_date": row["issue_date"] or day, "seller": as_json(seller), "buyer": as_json(buyer)}
    if row["invoice_type"] == "credit_note":
        issued.update(fit_into_invoice(db, row), status="sent")
    else:
        issued.update(status=ledger.status_of(row["total"], 0, 0),
                      due_date=row["due_date"] or times.add_days(issued["issue_date"], db.config.payment_days))
    if not row["taken_over"]:
        issued.update(numbering.number(db, row["invoice_type"], day[:4]))
    db.run(sql.send, id=row["id"], **issued, now=db.now)
    sent = invoices.row(db, row["id"])
    pdf.freeze(db, sent)
    return sent


def fit_into_invoice(db, note):
    """The totals of a credit note, its taxes fitted to what is left of the invoice; 409 when it is more than that."""
    invoice = ledger.by_id(db, note["related_invoice_id"])
    if invoice["status"] in ("draft", "cancelled"):
        raise Problem("exceeds_invoice", f"The invoice {invoice['invoice_number']} is {invoice['status']}: nothing of it is left "
                      "to credit.")
    taxes, left = taxes_of_credit(db, invoice["id"], note["items"])
    if taxes is None:
        left = [invoices.represent_tax(group, note["currency"]) for group in left if group["net"]]
        words = ", ".join(f"net {group['net']} in {group['category']} {group['rate']} %" for group in left) or "nothing"
        raise Problem("exceeds_invoice", f"Of {invoice['invoice_number']} is left to credit: {words}.", left=left)
    totals, open_total = invoice_lines.totals(taxes), invoice["total"] - invoice["credited"]
    if -totals["total"] > open_total:                   # a group may hold more than all of them, beside one that takes off
        open_total = money.major(open_total, note["currency"])
        raise Problem("exceeds_invoice", f"Of {invoice['invoice_number']} is left to credit: {open_total} with tax.",
                      left_total=open_total)
    drafts.store_taxes(db, note["id"], taxes)
    return totals


def taxes_of_credit(db, invoice_id, lines):
    """The taxes of a credit note, fitted to what is left of the invoice (None where they are more), and what that is."""
    left = db.all(sql.left_to_credit, id=invoice_id)
    rest = {(group["category"], group["rate"]): (group["net"], group["tax"]) for group in left}
    return invoice_lines.credited_taxes(invoice_lines.taxes(lines), rest), left


def totals_of_credit(db, invoice_id, lines):
    """What a credit note of these lines will come to."""
    taxes, _ = taxes_of_credit(db, invoice_id, lines)
    return invoice_lines.totals(taxes if taxes is not None else invoice_lines.taxes(lines))


# Who sends to whom

def parties(db, row):
    """Seller and buyer as they stand on the paper: as sent, or for a draft as they are now. A credit note goes to whom
    its invoice went."""
    if row["seller"]:
        shown = invoices.represent(row)
        return shown["seller"], shown["buyer"]
    seller = {name: getattr(db.config, option) or None for name, option in SELLER.items()}
    if row["invoice_type"] == "credit_note":
        return seller, invoices.buyer_as_sent(invoices.get(db, row["related_invoice_id"]))
    return seller, buyer(db.one(sql.contact, id=row["contact_id"]))


def buyer(contact):
    person = " ".join(filter(None, (contact["first_name"], contact["last_name"]))) or None
    return {"name": contact["company_name"] or person, "contact_name": person if contact["company_name"] else None,
            **{name: contact[name] for name in ("address", "postal_code", "city", "state", "country", "language")},
            "vat_id": contact["tax_id"], "customer_number": contact["customer_number"],
            "email": contact["invoice_email"] or contact["email"]}


def refuse_incomplete(row, seller, buyer):
    """409 naming what the law wants on an invoice and is not known yet."""
    missing = [] if seller["name"] else ["organiser_name"]
    if not (seller["vat_id"] or seller["tax_number"]):
        missing.append("organiser_vat_id or organiser_tax_number")
    wanted = {"name": "company_name or last_name", "address": "address", "city": "city"}
    if any(item["tax_category"] == "AE" for item in row["items"]):
        wanted["vat_id"] = "tax_id"                     # reverse charge names the one who owes the tax (BR-AE-02)
    missing += [f"contact.{member}" for name, member in wanted.items() if not buyer[name]]
    if missing:
        raise Problem("invoice_incomplete", f"The invoice cannot be sent without: {', '.join(missing)}. (organiser_… is set in "
                      "the configuration, the contact is changed at /contacts.)", missing=missing)
