"""Mails with invoices, credit notes and payment reminders.

The outcome of a request for a mail is `meta.mail` of the response: {"status": "queued"}, or
{"status": "skipped", "reason"} with one of the reasons `no_address`, `smtp_not_configured`,
`not_installed` (a package that draws the PDF, or a font with one of its letters), `fonts_missing`
(a font of an e-invoice) and `already_done` (the action has changed nothing). It is None if no mail
was asked for.
"""

from eventapi.domain.billing import invoices, pdf
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail.words import WORDS
from eventapi.domain.records import anonymity
from eventapi.errors import Problem
from eventapi.languages import choice
from eventapi.storage.statements import statements

sql = statements("invoices")

QUEUED = {"status": "queued"}


def refuse_unconfigured(db, mail):
    """Raise 409 `mail_not_configured` if `mail` is true and the server cannot send mail."""
    if mail:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")


def require_match(mail):
    """Return the outcome of an action that has changed nothing."""
    return _skipped("already_done") if mail else None


def add(db, kind, row, mail):
    """Queue a mail with the PDF of a sent invoice, and return the outcome.

    `kind` is `invoice` or `invoice_reminder`.

    If `mail` is None, do so only if it is possible. Raise 409 `mail_not_configured` or
    `invoice_incomplete`, or 501 `not_installed` if `mail` is true and it is not possible,
    `anonymized` if the contact was anonymised.
    """
    if mail is False:
        return None
    refuse_unconfigured(db, mail)
    if not mails.is_configured(db.config):
        return _skipped("smtp_not_configured")
    to = address(db, row)
    if mail:
        anonymity.refuse(db, "contact", row["contact_id"])
        _refuse_impossible(row, to, "send `mail` as false")
    elif not to:
        return _skipped("no_address")
    elif problem := obstacle(row):
        return _skipped(problem.code)
    return _queue(db, kind, row, to)


def add_requested(db, row, to, language, text):
    """Queue a mail with an invoice that was sent before, and return the outcome.

    Each argument may be None: the address then is that of the buyer, the language that of the
    invoice. Raise as `add`.
    """
    mails.refuse_unconfigured(db.config)
    to = to or address(db, row)
    _refuse_impossible(row, to, "send an address as `to`")
    return _queue(db, "invoice", row, to, language, text)


def address(db, row):
    """Return the address to which an invoice is mailed: that of the contact, else that of the buyer
    as sent, or None.

    Raise 409 `anonymized` if the buyer was anonymised.
    """
    return recipient(db, row, invoices.buyer_as_sent(invoices.represent(row)))


def recipient(db, row, buyer):
    """Return that address, None for an anonymised contact. `buyer` is the buyer on the invoice."""
    contact = db.one(sql.buyer, id=row["contact_id"])
    if contact["anonymized_at"]:
        return None
    return contact["invoice_email"] or contact["email"] or buyer["email"]


def _queue(db, kind, row, to, language=None, text=None):
    name = (
        kind
        if kind == "invoice_reminder"
        else "deposit"
        if row["is_deposit"]
        else row["invoice_type"]
    )
    subject = WORDS[choice.choose(db.config, language, row["language"])][f"{name}_subject"]
    mails.add(
        db,
        kind,
        "invoice",
        row["id"],
        to,
        subject.format(number=row["invoice_number"]),
        language=language,
        text=text,
    )
    return QUEUED


def _skipped(reason):
    return {"status": "skipped", "reason": reason}


def obstacle(row):
    """Return the Problem that prevents drawing the PDF of a sent invoice, or None.

    A stored one need not be drawn.
    """
    return None if row["pdf_sha256"] else pdf.obstacle(is_hybrid=bool(row["xml_sha256"]))


def _refuse_impossible(row, to, remedy):
    """Raise the problem that prevents mailing the invoice, if there is one."""
    if not to:
        raise Problem(
            "invoice_incomplete",
            f"{row['invoice_number']} cannot be mailed: its buyer has no `email`. "
            f"Set `email` on the contact, or {remedy}.",
            missing=["contact.email"],
        )
    problem = obstacle(row)
    if problem:
        raise Problem(
            problem.code,
            f"{row['invoice_number']} cannot be mailed without its PDF. {problem.detail}",
        )
