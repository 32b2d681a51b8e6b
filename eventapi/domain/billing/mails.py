"""Mails with invoices, credit notes and payment reminders: queueing them, and what they contain.

The outcome of a request for a mail is `meta.mail` of the response: {"status": "queued"}, or
{"status": "skipped", "reason"} with one of the reasons `no_address`, `smtp_not_configured`,
`not_installed` (a package that draws the PDF, or a font with one of its letters), `fonts_missing`
(a font of an e-invoice) and `already_done` (the action has changed nothing). It is None if no mail
was asked for: `mail` is False, or POST.

A document whose mail is skipped must be printed, as one that is sent by post.
"""

from eventapi import money
from eventapi.domain.billing import invoices, pdf
from eventapi.domain.einvoices_sent import store
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail.contents import Contents, Gone, greeting, own_paragraphs
from eventapi.domain.mail.words import WORDS, closing
from eventapi.domain.records import anonymity
from eventapi.errors import Problem
from eventapi.languages import choice, formats
from eventapi.pictures.words import grouped
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("invoices")
sql_of_writing = statements("invoicing")
offsets = statements("offsets")

QUEUED = {"status": "queued"}
POST = "post"  # as `mail` of a request: the document is printed and posted


def refuse_unconfigured(db, mail):
    """Raise 409 `mail_not_configured` if `mail` is true and the server cannot send mail."""
    if mail is True:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")


def already_done(mail):
    """Return the outcome of an action that has changed nothing."""
    return _skipped("already_done") if mail is True else None


def deliver(db, row, mail):
    """Queue the mail with an invoice or credit note that was just sent, or have it printed.

    Return (its row, the outcome). `mail` is as in `add`, or POST. Raise as `add`.
    """
    outcome = add(db, "invoice", row, mail)
    is_skipped = outcome is not None and outcome != QUEUED
    if mail == POST or is_skipped:
        db.run(sql_of_writing.deliver, id=row["id"], for_post=1, mail_id=None)
    return invoices.row(db, row["id"]), outcome


def add(db, kind, row, mail):
    """Queue a mail with the PDF of a sent invoice, and return the outcome.

    `kind` is `invoice` or `invoice_reminder`.

    If `mail` is None, do so only if it is possible. Raise 409 `mail_not_configured` or
    `invoice_incomplete`, or 501 `not_installed` if `mail` is true and it is not possible,
    `anonymized` if the contact was anonymised.
    """
    if mail in (False, POST):
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
    id = mails.add(
        db,
        kind,
        "invoice",
        row["id"],
        to,
        subject.format(number=row["invoice_number"]),
        language=language,
        text=text,
    )
    if kind == "invoice":
        db.run(sql_of_writing.deliver, id=row["id"], for_post=0, mail_id=id)
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


# What the mails contain


def with_pdf(db, mail):
    """Store the PDF of the invoice unless it is stored already, and return the mail."""
    pdf.store(db, mail["entity_id"])
    return mail


def invoice(db, mail):
    """Return the contents of the mail with the PDF of an invoice. Raise Gone as `sent_invoice` does.

    If it has an open amount, the mail says when to pay, and of a credit note what becomes of its
    amount. A buyer that requires XRechnung or Peppol
    gets the e-invoice as a file of its own as well.
    """
    shown, attachments = sent_invoice(db, mail)
    xml = _xml_for_buyer(db, shown)
    if xml is not None:
        attachments.append(xml)

    language, texts, values = _localised(db, shown, mail["language"])
    kind = "deposit" if shown["is_deposit"] else shown["invoice_type"]
    text = texts[kind].format(**values)
    own = own_paragraphs(mail["text"])
    if own:
        # In German, the sentence after the greeting goes on in lower case. After another paragraph
        # it is a new sentence.
        text = text[0].upper() + text[1:]

    paragraphs = [greeting(texts, shown["buyer"]["contact_name"]), *own, text]
    if shown["invoice_type"] == "credit_note":
        paragraphs += _about_credit(db, shown, texts, language)
    else:
        paragraphs += _about_payment(db, shown, texts, values, language)
    paragraphs += closing(db.config, language)
    return Contents(
        name=shown["buyer"]["name"],
        language=language,
        paragraphs=paragraphs,
        attachments=attachments,
    )


def _about_payment(db, shown, texts, values, language):
    """Yield what the mail with an invoice says of its payment: the credit that it has counted, and what to pay."""
    counted = money.major(db.value(offsets.counted, id=shown["id"]), shown["currency"])
    if counted:
        amount = formats.money(counted, shown["currency"], language)
        yield texts["credit_counted"].format(amount=amount)
    if shown["open_amount"] > 0:
        yield texts["pay_by"].format(**values)


def _about_credit(db, note, texts, language):
    """Yield what becomes of the amount of a credit note: it was offset, is owed to the customer, or is less to pay.

    One that was taken over may be for no invoice of ours.
    """
    if note["related_invoice_id"] is None:
        return

    def written(units):
        amount = money.major(units, note["currency"])
        return formats.money(amount, note["currency"], language)

    invoice = invoices.row(db, note["related_invoice_id"])
    number = invoice["invoice_number"]
    left = invoice["open_amount"]
    paid = db.all(offsets.of_credit_note, id=invoice["id"], since=note["locked_at"])
    for other in paid:
        name = "credit_offset" if other["open_amount"] > 0 else "credit_pays"
        yield texts[name].format(
            amount=written(other["amount"]),
            number=other["invoice_number"],
            left=written(other["open_amount"]),
        )
    if left < 0:
        yield texts["credit_owed"].format(amount=written(-left))
    elif left > 0:
        yield texts["credit_left"].format(amount=written(left), number=number)
    elif not paid:
        yield texts["credit_settles"].format(number=number)


def reminder(db, mail):
    """Return the contents of the reminder of an open invoice, with its PDF.

    Raise Gone if it has no open amount, or as `sent_invoice` does.
    """
    shown, pdfs = sent_invoice(db, mail)
    if shown["open_amount"] <= 0:
        raise Gone("the invoice has no open amount")

    language, texts, values = _localised(db, shown, mail["language"])
    is_overdue = shown["status"] == "overdue"
    text = texts["invoice_reminder" if is_overdue else "invoice_reminder_early"]
    paragraphs = [
        greeting(texts, shown["buyer"]["contact_name"]),
        text.format(**values),
        texts["invoice_reminder_paid"],
        *closing(db.config, language),
    ]
    return Contents(
        name=shown["buyer"]["name"], language=language, paragraphs=paragraphs, attachments=pdfs
    )


def sent_invoice(db, mail):
    """Return (invoice as an API object, its PDFs as a list of (file name, bytes)).

    The PDF as sent comes first. A copy follows if the mail is in another language. Raise Gone if
    invoice or PDF is missing.
    """
    row = invoices.row(db, mail["entity_id"])
    if row is None or not row["buyer"] or not row["pdf_sha256"]:
        raise Gone("the invoice or its PDF no longer exists")
    try:
        pdfs = [(pdf.file_name(row), files.read(db.config, row["pdf_sha256"]))]
    except FileNotFoundError:
        raise Gone("the PDF of the invoice is missing in the file store") from None
    if pdf.is_copy(row, mail["language"]):
        copy = pdf.draw_sent(db, pdf.source(db, row), mail["language"])
        pdfs.append((pdf.file_name(row, mail["language"]), copy))
    return invoices.represent(row), pdfs


def _xml_for_buyer(db, invoice):
    """Return (file name, XML) for a buyer that requires XRechnung (in CII) or Peppol (in UBL),
    otherwise None.

    `invoice` is an API object.
    """
    profile = invoice["buyer"].get("e_invoice_profile")
    syntax = {"xrechnung": store.CII, "peppol": store.UBL}.get(profile)
    original = store.get(db, invoice["id"]) if syntax else None
    if not original:
        return None
    _, xml = store.derived(original, profile, syntax)
    return pdf.file_name(invoice, extension="xml", words=(profile,)), xml


def _localised(db, shown, language):
    """Return (language, texts, values for their placeholders): the language of the request, else of
    the invoice.

    The total of a credit note has no minus sign.
    """
    language = choice.choose(db.config, language, shown["language"], shown["buyer"].get("language"))
    texts = WORDS[language]
    total = -shown["total"] if shown["invoice_type"] == "credit_note" else shown["total"]
    values = {
        "number": shown["invoice_number"],
        "quoted": _quoted(shown, texts),
        "total": formats.money(total, shown["currency"], language),
        "open": formats.money(shown["open_amount"], shown["currency"], language),
    }
    for name in ("issue_date", "due_date"):
        if shown[name]:
            values[name] = formats.day(shown[name], language)
    return language, texts, values


def _quoted(invoice, texts):
    """Return what to quote with a payment: the invoice number, or the creditor reference in groups
    of four.
    """
    reference = invoice["payment_reference"]
    if reference in (None, invoice["invoice_number"]):
        return texts["quoted_number"].format(reference=invoice["invoice_number"])
    return texts["quoted_reference"].format(reference=grouped(reference))
