"""The mail with a dunning letter."""

from eventapi.domain.billing import mails as invoice_mails
from eventapi.domain.dunning import letters, sending
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, greeting, own_paragraphs


def letter(db, mail):
    """Return the contents of the mail with a dunning letter and the invoice.

    Raise Gone if nothing is open, the buyer disputes it, or the letter was withdrawn.
    """
    shown, pdfs = invoice_mails.sent_invoice(db, mail)
    entry = sending.of_mail(db, mail["id"])
    if entry is None or shown["open_amount"] <= 0 or shown["is_disputed"]:
        raise Gone("the invoice has no open amount or is disputed, or the letter was withdrawn")

    language = entry["language"]
    paragraphs = [
        greeting(mail_words.WORDS[language], shown["buyer"]["contact_name"]),
        *own_paragraphs(entry["text"]),
        *mail_words.closing(db.config, language),
    ]
    pdf = (letters.file_name(shown, entry), letters.draw(db, shown, entry))
    return Contents(
        name=shown["buyer"]["name"],
        language=language,
        paragraphs=paragraphs,
        attachments=[pdf, *pdfs],
    )
