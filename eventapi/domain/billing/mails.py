"""Mails with invoices, credit notes and payment reminders."""
from eventapi.domain.billing import invoices, pdf
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail.words import WORDS
from eventapi.errors import Problem
from eventapi.languages import choice


def refuse_unconfigured(db, mail):
    """Raise 409 `mail_not_configured` if `mail` is true and the server cannot send mail."""
    if mail:
        mails.refuse_unconfigured(db.config)


def add(db, kind, row, mail):
    """Queue a mail with the PDF of a sent invoice. `kind` is `invoice` or `invoice_reminder`.

    If `mail` is None, do so only if mail is configured, the buyer has an address and the PDF can be drawn. Raise 409
    `invoice_incomplete` or 501 `not_installed` if `mail` is true and this is not possible.
    """
    if mail is False or not mails.is_configured(db.config):
        return
    invoice = invoices.represent(row)
    buyer = invoices.buyer_as_sent(invoice)
    refusal = _refusal(db, kind, row, buyer)
    if refusal and mail:
        raise refusal
    if not refusal:
        name = kind if kind == "invoice_reminder" else row["invoice_type"]
        subject = WORDS[choice.choose(db.config, row["language"], buyer["language"])][f"{name}_subject"]
        mails.add(db, kind, "invoice", row["id"], buyer["email"], subject.format(number=row["invoice_number"]))


def _refusal(db, kind, row, buyer):
    """Return the problem that prevents mailing the invoice, or None."""
    if not buyer["email"]:
        # The buyer of a reminder and of a credit note is that of the invoice as it was sent.
        can_change = kind == "invoice" and row["invoice_type"] == "invoice"
        remedy = "Set `email` on the contact before you send the invoice, or send" if can_change else "Send"
        return Problem("invoice_incomplete", f"{row['invoice_number']} cannot be mailed: its buyer has no `email`. "
                       f"{remedy} `mail` as false.", missing=["contact.email"])
    if not (row["pdf_sha256"] or pdf.is_drawable()):
        return Problem("not_installed", f"{row['invoice_number']} cannot be mailed: its PDF cannot be drawn because a "
                       "package is missing on this server. A request for the PDF names the package. Install it, or "
                       "send `mail` as false.")
    return None
