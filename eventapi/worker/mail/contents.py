"""Contents of mails: built from the record at the time of sending, as text and HTML, with
attachments.
"""

import json
import re
from datetime import datetime, timezone
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime
from html import escape

from eventapi.domain.access import links, reach
from eventapi.domain.billing import invoices
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.billing import sending as invoice_sending
from eventapi.domain.dunning import letters, sending
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications, badge_sheets, decisions, newsletter
from eventapi.domain.portal import reminding
from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import settings
from eventapi.errors import Problem
from eventapi.languages import choice, formats
from eventapi.names import full_name
from eventapi.pictures.words import grouped
from eventapi.storage import files
from eventapi.worker.retry import retry_while_busy


class Gone(Exception):
    """The record of the mail no longer exists, or has changed so that the mail would be wrong.

    The mail is not sent.
    """


class Policy(EmailPolicy):
    """Write List-Unsubscribe unencoded.

    The library would encode long URLs, and mail programs would not find the link.
    """

    def fold_binary(self, name, value):
        if name == "List-Unsubscribe":
            return f"{name}: {value}\r\n".encode("ascii")
        return super().fold_binary(name, value)


ASCII = Policy(linesep=SMTP.linesep, cte_type="7bit")
UTF8 = ASCII.clone(utf8=True)
LINK = re.compile(r"[/@]|\w\.\w")  # text that a mail program may turn into a link


def build(db, mail):
    """Return (recipient, message as bytes).

    The domain of the recipient is in its ASCII form. Raise Gone if there is nothing to send.
    """
    recipient = envelope_address(mail["recipient"])
    if mail["kind"] in WITH_PDF:
        retry_while_busy(invoice_pdf.store, db, mail["entity_id"])
    if mail["kind"] == drafts.KIND:
        mail = {**mail, "secret": retry_while_busy(drafts.new_secret, db, mail["entity_id"])}
    if mail["kind"] in (links.KIND, links.TODOS, links.OFFER):
        mail = {**mail, "secret": retry_while_busy(links.new_secret, db, mail["entity_id"])}
    if mail["kind"] in (decisions.DECISION, decisions.BADGE):
        mail = {
            **mail,
            "secret": mail["base_url"]
            and retry_while_busy(decisions.new_secret, db, mail["entity_id"], mail["recipient"]),
        }
    with db.snapshot():
        contents = CONTENTS[mail["kind"]](db, mail)
    return recipient, compose(db.config, recipient, mail["message_id"], mail["subject"], *contents)


def compose(
    config, recipient, message_id, subject, name, language, paragraphs, headers=(), attachments=()
):
    """Return a message in bytes.

    The parameters from `name` on are what the functions in CONTENTS return.
    """
    message = EmailMessage(policy=ASCII if recipient.isascii() else UTF8)
    message["Message-ID"] = message_id
    message["Date"] = format_datetime(datetime.now(timezone.utc))
    message["From"] = address(config.organiser_name, config.smtp_sender)
    message["To"] = address(name, recipient)
    message["Subject"] = one_line(subject)
    message["Auto-Submitted"] = "auto-generated"
    for header, value in dict(headers).items():
        message[header] = value
    message.set_content(as_text(paragraphs), cte="quoted-printable")
    message.add_alternative(as_html(paragraphs, language), subtype="html", cte="quoted-printable")
    for filename, data in attachments:
        message.add_attachment(
            data, maintype="application", subtype=filename.rpartition(".")[2], filename=filename
        )
    message["Content-Language"] = language  # last: adding content removes headers of this kind
    return message.as_bytes()


def one_line(text):
    """Return text for a header: without line breaks and control characters, at most 200 characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())[:200]


def envelope_address(email):
    """Return the address with its domain in ASCII form. Raise Gone if it is not valid."""
    local, _, domain = email.rpartition("@")
    try:
        domain = domain.encode("idna").decode()
    except UnicodeError:
        raise Gone(f"the domain of the address {email!r} is not valid") from None
    if not local.isprintable() or re.search(r"[\s<>]", local):
        raise Gone(
            f"the part of the address {email!r} before the @ contains a character that is not allowed"
        )
    return f"{local}@{domain}"


def address(name, email):
    """Return the address of a header, with the name on one line. `name` may be None."""
    local, _, domain = email.rpartition("@")
    return Address(one_line(name or ""), local, domain)


# Paragraphs: text, or (text, address) of a link


def as_text(paragraphs):
    """Return the paragraphs as plain text. A link is shown as its address."""
    return "\n\n".join(part if isinstance(part, str) else part[1] for part in paragraphs) + "\n"


def as_html(paragraphs, language):
    """Return the paragraphs as an HTML page."""
    inside = "\n".join(
        f"<p>{line_breaks(escape(part))}</p>"
        if isinstance(part, str)
        else f'<p><a href="{escape(part[1])}">{escape(part[0])}</a></p>'
        for part in paragraphs
    )
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"></head>'
        '<body style="font:16px/1.5 sans-serif">\n'
        f"{inside}\n</body></html>\n"
    )


def line_breaks(html):
    return html.replace("\n", "<br>\n")


def greeting(texts, name):
    """Return the first paragraph, with the name if there is one."""
    return texts["hello"].format(name=one_line(name)) if name else texts["hello_nobody"]


def harmless(name):
    """Return the name of a subscriber, or None if it contains something like a link: anybody may
    have entered it.
    """
    return None if LINK.search(name or "") else name


# One function for each kind of mail. It returns (name of the recipient, language, paragraphs,
# headers, attachments).


def newsletter_confirmation(db, mail):
    """Return the mail that asks a subscriber to confirm.

    Raise Gone if the subscription is no longer pending.
    """
    row = newsletter.row(db, mail["entity_id"])
    if row is None or row["status"] != "pending":
        raise Gone("the subscription is no longer pending")
    language = mail["language"] or newsletter.language(db, row)  # that of the subject
    texts, secret = mail_words.WORDS[language], newsletter.secret(db)
    name = harmless(row["name"])
    values = {"sender": mail_words.sender(db.config), "email": row["email"]}
    stop = newsletter.unsubscribe_url(secret, mail["base_url"], row)
    kind = "newsletter_confirmation"
    confirm = newsletter.confirm_url(secret, mail["base_url"], row)
    paragraphs = [
        greeting(texts, name),
        texts[kind].format(**values),
        (texts[f"{kind}_button"], confirm),
        texts[f"{kind}_ignore"],
        texts[f"{kind}_stop"],
        (texts[f"{kind}_stop_button"], stop),
        *mail_words.closing(db.config, language),
    ]
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return name, language, paragraphs, headers, []


def application_confirmation(db, mail):
    """Return the mail that asks an applicant to confirm the address.

    It contains nothing that somebody has typed.

    Raise Gone if the application is confirmed already, or was deleted.
    """
    if mail["secret"] is None:
        raise Gone("the application is confirmed already, or its draft was deleted")
    draft, texts = drafts.get(db, mail["entity_id"]), mail_words.WORDS[mail["language"]]
    kind = drafts.TEXTS[draft["form"]]
    own = own_paragraphs(settings.mail_text(db, draft["event_id"], kind, mail["language"]))
    link = f"{mail['base_url']}/link/{mail['secret']}"
    return (
        None,
        mail["language"],
        [
            texts["hello_nobody"],
            *(own or [texts[kind]]),
            (texts[f"{kind}_button"], link),
            texts[f"{kind}_ignore"],
            *mail_words.closing(db.config, mail["language"]),
        ],
        {},
        [],
    )


def application_decision(db, mail):
    """Return the mail about the state of an application: approved, rejected, waitlisted, or a
    question.

    Raise Gone if it has none of these states any more.
    """
    application = applications.get(db, mail["entity_id"])
    name = application and decisions.TEXTS.get(application["status"])
    if name is None:
        raise Gone("the application was deleted, or is not in the state that the mail is about")
    texts, middle = own_or_usual(db, application, name, mail["language"])
    more = {"rejected": application["decision_reason"], "info_requested": application["question"]}
    paragraphs = [
        greeting(texts, harmless(full_name(application))),
        *middle,
        *own_paragraphs(more.get(application["status"])),
    ]
    is_question = application["status"] == "info_requested"
    if mail["secret"]:
        button = texts["answer_button" if is_question else "application_page_button"]
        paragraphs.append((button, links.address(mail["base_url"], mail["secret"])))
    elif is_question:
        paragraphs.append(
            texts["answer_by_mail"].format(email=db.config.organiser_email or db.config.smtp_sender)
        )
    return (
        None,
        mail["language"],
        [*paragraphs, *mail_words.closing(db.config, mail["language"])],
        {},
        [],
    )


def badge(db, mail):
    """Return the mail with the badges of an application, as PDF where it can be drawn.

    Raise Gone if there is none any more.
    """
    application = applications.get(db, mail["entity_id"])
    ids = application and decisions.badges_by_mail(db, application, mail["recipient"])
    if not ids:
        raise Gone("the application has no participant any more whose badge is for this address")
    texts, middle = own_or_usual(db, application, "badge", mail["language"])
    page = (
        [(texts["badge_button"], links.address(mail["base_url"], mail["secret"]))]
        if mail["secret"]
        else []
    )
    paragraphs = [
        greeting(texts, harmless(full_name(application))),
        *middle,
        *page,
        *mail_words.closing(db.config, mail["language"]),
    ]
    return (
        None,
        mail["language"],
        paragraphs,
        {},
        [pdf for id in ids for pdf in badge_pdf(db, id, mail["language"])],
    )


def badge_pdf(db, id, language):
    """Return the badge of a participant as a list of one (file name, bytes), empty if no PDF can be
    drawn.
    """
    shown = badge_sheets.read(db, id, language)
    try:
        return [
            (f"badge-{shown['code']}.pdf", badge_sheets.draw(db.config, shown, badge_sheets.PDF))
        ]
    except Problem as problem:
        if problem.status != 501:
            raise
        return []


def own_or_usual(db, application, name, language):
    """Return the texts of a language, and the paragraphs of a mail: the organiser's own ones, else
    the usual one.
    """
    texts = mail_words.WORDS[language]
    own = own_paragraphs(decisions.own_text(db, application, name, language))
    return texts, own or [texts[name].format(title=decisions.title(db, application))]


def link(db, mail):
    """Return the mail with the address of a link. It contains nothing that somebody has typed.

    Raise Gone if the link has ended.
    """
    if mail["secret"] is None:
        raise Gone("the link has ended, or has no address any more")
    texts, row = mail_words.WORDS[mail["language"]], links.get(db, mail["entity_id"])
    own = own_paragraphs(settings.mail_text(db, row["event_id"], "link", mail["language"]))
    return (
        None,
        mail["language"],
        [
            texts["hello_nobody"],
            *(own or [texts["link"]]),
            (texts["link_button"], links.address(mail["base_url"], mail["secret"])),
            texts["link_ignore"],
            *mail_words.closing(db.config, mail["language"]),
        ],
        {},
        [],
    )


def link_notice(db, mail):
    """Return the mail that tells of a change of somebody's access.

    It has no secret, and nothing that was typed.
    """
    details, language = json.loads(mail["details"]), mail["language"]
    texts, notice = mail_words.WORDS[language], details["notice"]
    event = reach.about(db, mail["entity_type"], mail["entity_id"])
    if event is None:
        raise Gone("the participant or the application was deleted")
    contact = event["contact_email"] or db.config.organiser_email or mail_words.sender(db.config)
    values = {
        "title": event["title"],
        "contact": contact,
        "address": details.get("address"),
        "day": formats.moment(details["changed_at"], event["timezone"], language),
    }
    lacks_address = notice in ADDRESSED and not values["address"]
    paragraphs = [
        texts["hello_nobody"],
        texts[ADDRESSED[notice] if lacks_address else notice].format(**values),
    ]
    if details.get("rights"):
        named = ", ".join(texts[f"right_{right}"] for right in details["rights"])
        paragraphs.append(texts["further_link_rights"].format(rights=named))
    if details.get("ended"):
        paragraphs.append(
            texts["merged_ended"].format(addresses=", ".join(details["ended"]), contact=contact)
        )
    paragraphs.append(texts["notice_wrong"].format(**values))
    return None, language, [*paragraphs, *mail_words.closing(db.config, language)], {}, []


def todos(db, mail):
    """Return the mail with the to-dos of an exhibitor, or with the booths that are offered to it.

    Raise Gone if the link has ended, or nothing of them is left.
    """
    row = mail["secret"] and links.get(db, mail["entity_id"])
    found = row and reminding.due(db, row, mail["kind"])
    if not found:
        raise Gone("the link has ended, or nothing is left to do")
    texts, kind, language = mail_words.WORDS[mail["language"]], mail["kind"], mail["language"]
    return (
        None,
        language,
        [
            greeting(texts, harmless(row["name"])),
            *own_paragraphs(reminding.texts(db, row, kind, language)),
            reminding.listed(found),
            (texts["link_button"], links.address(mail["base_url"], mail["secret"])),
            texts["link_ignore"],
            *mail_words.closing(db.config, language),
        ],
        {},
        [],
    )


def invoice(db, mail):
    """Return the mail with the PDF of an invoice.

    If it has an open amount, the mail says when to pay.

    A buyer that requires XRechnung or Peppol gets the e-invoice as a file of its own as well.
    """
    shown, pdfs = sent_invoice(db, mail)
    xml = invoice_sending.xml_for_buyer(db, shown)
    language, texts, values = localised(db, shown, mail["language"])
    kind = "deposit" if shown["is_deposit"] else shown["invoice_type"]
    own, subject = own_paragraphs(mail["text"]), texts[kind].format(**values)
    # In German, the sentence after the greeting goes on in lower case. After another paragraph it
    # is a new sentence.
    paragraphs = [
        greeting(texts, shown["buyer"]["contact_name"]),
        *own,
        subject[0].upper() + subject[1:] if own else subject,
    ]
    if shown["invoice_type"] == "invoice" and shown["open_amount"] > 0:
        paragraphs.append(texts["pay_by"].format(**values))
    paragraphs += mail_words.closing(db.config, language)
    return shown["buyer"]["name"], language, paragraphs, {}, [*pdfs, *([xml] if xml else [])]


def invoice_reminder(db, mail):
    """Return the reminder of an open invoice, with its PDF. Raise Gone if it has no open amount."""
    shown, pdfs = sent_invoice(db, mail)
    if shown["open_amount"] <= 0:
        raise Gone("the invoice has no open amount")
    language, texts, values = localised(db, shown, mail["language"])
    text = texts["invoice_reminder" if shown["status"] == "overdue" else "invoice_reminder_early"]
    paragraphs = [
        greeting(texts, shown["buyer"]["contact_name"]),
        text.format(**values),
        texts["invoice_reminder_paid"],
        *mail_words.closing(db.config, language),
    ]
    return shown["buyer"]["name"], language, paragraphs, {}, pdfs


def dunning(db, mail):
    """Return the mail with a dunning letter and the invoice.

    Raise Gone if nothing is open, the buyer disputes it, or the letter was withdrawn.
    """
    shown, pdfs = sent_invoice(db, mail)
    entry = sending.of_mail(db, mail["id"])
    if entry is None or shown["open_amount"] <= 0 or shown["is_disputed"]:
        raise Gone("the invoice has no open amount or is disputed, or the letter was withdrawn")
    texts = mail_words.WORDS[entry["language"]]
    paragraphs = [
        greeting(texts, shown["buyer"]["contact_name"]),
        *own_paragraphs(entry["text"]),
        *mail_words.closing(db.config, entry["language"]),
    ]
    letter = (letters.file_name(shown, entry), letters.draw(db, shown, entry))
    return shown["buyer"]["name"], entry["language"], paragraphs, {}, [letter, *pdfs]


def sent_invoice(db, mail):
    """Return (invoice as an API object, its PDFs as (file name, bytes)).

    Raise Gone if invoice or PDF is missing.

    The PDF as sent comes first. A copy follows if the mail is in another language.
    """
    row = invoices.row(db, mail["entity_id"])
    if row is None or not row["buyer"] or not row["pdf_sha256"]:
        raise Gone("the invoice or its PDF no longer exists")
    try:
        pdfs = [(invoice_pdf.file_name(row), files.read(db.config, row["pdf_sha256"]))]
    except FileNotFoundError:
        raise Gone("the PDF of the invoice is missing in the file store") from None
    if invoice_pdf.is_copy(row, mail["language"]):
        copy = invoice_pdf.draw_sent(db, invoice_pdf.source(db, row), mail["language"])
        pdfs.append((invoice_pdf.file_name(row, mail["language"]), copy))
    return invoices.represent(row), pdfs


def own_paragraphs(text):
    """Return the paragraphs of a text that the organiser has written for this mail, or None."""
    if not text:
        return []
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return [paragraph.strip() for paragraph in re.split(r"\n\n+", lines)]


def localised(db, shown, language):
    """Return (language, texts, values for their placeholders): the language of the request, else of
    the invoice.

    The total of a credit note has no minus sign.
    """
    language = choice.choose(db.config, language, shown["language"], shown["buyer"].get("language"))
    total = -shown["total"] if shown["invoice_type"] == "credit_note" else shown["total"]
    amounts = {
        name: formats.money(amount, shown["currency"], language)
        for name, amount in (("total", total), ("open", shown["open_amount"]))
    }
    days = {
        name: formats.day(shown[name], language)
        for name in ("issue_date", "due_date")
        if shown[name]
    }
    texts = mail_words.WORDS[language]
    return (
        language,
        texts,
        {"number": shown["invoice_number"], "quoted": quoted(shown, texts), **amounts, **days},
    )


def quoted(invoice, texts):
    """Return what to quote with a payment: the invoice number, or the creditor reference in groups
    of four.
    """
    reference = invoice["payment_reference"]
    if reference in (None, invoice["invoice_number"]):
        return texts["quoted_number"].format(reference=invoice["invoice_number"])
    return texts["quoted_reference"].format(reference=grouped(reference))


# notices that name an address -> name of the text without one
ADDRESSED = {"further_link": "further_link_shown", "address_changed": "address_removed"}
WITH_PDF = ("invoice", "invoice_reminder", "dunning")
CONTENTS = {
    "newsletter_confirmation": newsletter_confirmation,
    "invoice": invoice,
    "invoice_reminder": invoice_reminder,
    "dunning": dunning,
    "application_confirmation": application_confirmation,
    decisions.DECISION: application_decision,
    decisions.BADGE: badge,
    links.KIND: link,
    links.TODOS: todos,
    links.OFFER: todos,
    reach.NOTICE: link_notice,
}
