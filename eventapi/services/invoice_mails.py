"""Mailing invoices and reminders to the contact they are for."""
from eventapi import mail_words
from eventapi.errors import Problem
from eventapi.services import invoice_pdf, invoices, mails


def refuse_unconfigured(db, mail):
    """409 where a mail is asked for and none can be sent."""
    if mail:
        mails.refuse_unconfigured(db.config)


def add(db, kind, row, mail):
    """Mails a sent invoice with its PDF. `mail`: True, False, or None: where mail is configured, and the contact has an address."""
    if mail is False or not mails.is_configured(db.config):
        return
    invoice = invoices.represent(row)
    buyer = invoices.buyer_as_sent(invoice)
    refusal = _refusal(db, row, buyer)
    if refusal and mail:
        raise refusal
    if not refusal:
        subject = mail_words.words(buyer["language"], db.config)[f"{kind if kind == 'invoice_reminder' else row['invoice_type']}_subject"]
        mails.add(db, kind, "invoice", row["id"], buyer["email"], subject.format(number=row["invoice_number"]))


def _refusal(db, row, buyer):
    """What stands against mailing it, or None."""
    if not buyer["email"]:
        return Problem("invoice_incomplete", f"{row['invoice_number']} cannot be mailed: the contact has no email.", missing=["contact.email"])
    if not (row["pdf_sha256"] or invoice_pdf.keep(db, row)):         # what was sent before a PDF could be drawn here
        return Problem("not_installed", f"{row['invoice_number']} cannot be mailed: its PDF needs reportlab (Debian: apt install python3-reportlab).")
    return None
