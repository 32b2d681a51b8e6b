"""The mail that asks an applicant or a visitor to confirm the address.

It contains nothing that somebody has typed.
"""

from eventapi.domain.access import links
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, own_paragraphs
from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import settings


def with_secret(db, mail):
    """Return the mail with `secret`, a new one of its draft, or None if there is nothing to confirm."""
    return {**mail, "secret": drafts.new_secret(db, mail["entity_id"])}


def confirmation(db, mail):
    """Return the contents of the mail that asks to confirm the address.

    Raise Gone if the application is confirmed already, or was deleted.
    """
    if mail["secret"] is None:
        raise Gone("the application is confirmed already, or its draft was deleted")

    language = mail["language"]
    texts = mail_words.WORDS[language]
    draft = drafts.get(db, mail["entity_id"])
    name = drafts.TEXTS[draft["form"]]
    own = own_paragraphs(settings.mail_text(db, draft["event_id"], name, language))
    paragraphs = [
        texts["hello_nobody"],
        *(own or [texts[name]]),
        (texts[f"{name}_button"], links.address(mail["base_url"], mail["secret"])),
        texts[f"{name}_ignore"],
        *mail_words.closing(db.config, language),
    ]
    return Contents(language=language, paragraphs=paragraphs)
