"""Mails with the address of a link: the link itself, and what an exhibitor has to do.

They are here and not in `access`, since they contain texts of the event's public pages and to-dos.
"""

from eventapi.domain.access import links
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, greeting, harmless, own_paragraphs
from eventapi.domain.portal import reminding
from eventapi.domain.shows import settings


def with_secret(db, mail):
    """Return the mail with `secret`, a new one of its link, or None if the link has ended."""
    return {**mail, "secret": links.new_secret(db, mail["entity_id"])}


def link(db, mail):
    """Return the contents of the mail with the address of a link. It contains nothing that somebody
    has typed.

    Raise Gone if the link has ended.
    """
    if mail["secret"] is None:
        raise Gone("the link has ended, or has no address any more")

    language = mail["language"]
    texts = mail_words.WORDS[language]
    row = links.get(db, mail["entity_id"])
    own = own_paragraphs(settings.mail_text(db, row["event_id"], "link", language))
    usual = texts["link"].format(**settings.event_forms(db, row["event_id"], language))
    paragraphs = [
        texts["hello_nobody"],
        *(own or [usual]),
        (texts["link_button"], links.address(mail["base_url"], mail["secret"])),
        texts["link_ignore"],
        *mail_words.closing(db.config, language),
    ]
    return Contents(language=language, paragraphs=paragraphs)


def todos(db, mail):
    """Return the contents of the mail with the to-dos of an exhibitor, or with the booths that are
    offered to it.

    Raise Gone if the link has ended, or nothing of them is left.
    """
    row = links.get(db, mail["entity_id"]) if mail["secret"] else None
    due = reminding.due(db, row, mail["kind"]) if row else []
    if not due:
        raise Gone("the link has ended, or nothing is left to do")

    language = mail["language"]
    texts = mail_words.WORDS[language]
    paragraphs = [
        greeting(texts, harmless(row["name"])),
        *own_paragraphs(reminding.texts(db, row, mail["kind"], language)),
        reminding.listed(due),
        (texts["link_button"], links.address(mail["base_url"], mail["secret"])),
        texts["link_ignore"],
        *mail_words.closing(db.config, language),
    ]
    return Contents(language=language, paragraphs=paragraphs)
