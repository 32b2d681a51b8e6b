"""Mails with the address of a link: the link itself, and what an exhibitor has to do.

They are here and not in `access`, since they contain texts of the event's public pages and to-dos.
"""

from dataclasses import dataclass

from eventapi.domain.access import links, reach
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import (
    SECRET,
    Contents,
    Gone,
    Preview,
    greeting,
    harmless,
    own_paragraphs,
)
from eventapi.domain.people import mails as people_mails
from eventapi.domain.portal import granting, reminding, todo_words
from eventapi.domain.shows import settings
from eventapi.languages import choice
from eventapi.storage.statements import statements

sql = statements("links")
SAMPLE_BOOTH = "A12"  # number of the booth of an invented exhibitor


@dataclass(frozen=True, slots=True)
class About:
    """What a mail about to-dos says: to whom, the text before the list, the list, and the address of
    the page.
    """

    name: str
    text: str
    listed: str
    address: str


def link_of(db, mail):
    """Return the id of the link that a mail is about."""
    return mail["entity_id"]


def link(db, mail):
    """Return the contents of the mail with the address of a link. It greets the contact of a
    participant by name at its own address, and contains nothing else that somebody has typed.

    Raise Gone if the link has ended.
    """
    if mail["secret"] is None:
        raise Gone("the link has ended, or has no address any more")

    row = links.get(db, mail["entity_id"])
    own = settings.mail_text(db, row["event_id"], links.KIND, mail["language"])
    address = links.address(mail["base_url"], mail["secret"])
    return _link(db, row["event_id"], mail["language"], own_name(db, row), own, address)


def _link(db, event_id, language, name, own, address):
    """Return the contents of the mail with a link. `name` is whom it greets, or None, and `own` the
    organiser's own text, or None.
    """
    texts = mail_words.WORDS[language]
    usual = texts["link"].format(**settings.event_forms(db, event_id, language))
    paragraphs = [
        greeting(texts, name),
        *(own_paragraphs(own) or [usual]),
        (texts["link_button"], address),
        texts["link_ignore"],
        *mail_words.closing(db.config, language),
    ]
    return Contents(language=language, paragraphs=paragraphs)


def own_name(db, row):
    """Return the name of the contact of a link, or None unless the link has the address of the
    contact.
    """
    if row["participant_id"] is None:
        return None
    contact = db.one(sql.participant, id=row["participant_id"])
    return harmless(contact["name"]) if reach.same(contact["email"], row["email"]) else None


def todos(db, mail):
    """Return the contents of the mail with the to-dos of an exhibitor, or with the booths that are
    offered to it.

    Raise Gone if the link has ended, or nothing of them is left.
    """
    row = links.get(db, mail["entity_id"]) if mail["secret"] else None
    due = reminding.due(db, row, mail["kind"]) if row else []
    if not due:
        raise Gone("the link has ended, or nothing is left to do")
    text = reminding.texts(db, row, mail["kind"], mail["language"])
    address = links.address(mail["base_url"], mail["secret"])
    about = About(row["name"], text, reminding.listed(due), address)
    return _todos(db.config, mail["language"], about)


def _todos(config, language, about):
    """Return the contents of the mail about to-dos or an offered booth."""
    texts = mail_words.WORDS[language]
    paragraphs = [
        greeting(texts, harmless(about.name)),
        *own_paragraphs(about.text),
        about.listed,
        (texts["link_button"], about.address),
        texts["link_ignore"],
        *mail_words.closing(config, language),
    ]
    return Contents(language=language, paragraphs=paragraphs)


def preview(db, wanted):
    """Return the Preview of the mail with the link of an exhibitor, `link`, or with what it has to
    do: `todos` and `booth_offer`.

    If nothing of that is open, the to-do is invented. Raise 422 for a participant that does not
    exist or is of another event, 409 `anonymized`.
    """
    link = _link_of(db, wanted)
    language = choice.choose(db.config, wanted.language, link["language"])
    event_id = wanted.event["id"]
    address = links.address(wanted.base_url, SECRET)
    own = wanted.own(settings.mail_text(db, event_id, wanted.name, language))
    is_sample = wanted.record_id is None
    if wanted.name == links.KIND:
        sample = mail_words.WORDS[language]["sample_person"]
        name = sample if is_sample else own_name(db, link)
        contents = _link(db, event_id, language, name, own, address)
    else:
        found = [] if is_sample else reminding.due(db, link, wanted.name, language)
        is_sample = not found
        listed = reminding.listed(found) if found else _sample_todo(wanted.name, language)
        name = link["name"] or mail_words.WORDS[language]["sample_person"]
        text = own or reminding.usual(wanted.name, language, wanted.event["title"])
        contents = _todos(db.config, language, About(name, text, listed, address))
    return Preview(
        subject=links.subject(link, wanted.name, language), contents=contents, is_sample=is_sample
    )


def _link_of(db, wanted):
    """Return the live link of the contact of a participant, or the one that it would get, as far as
    mails use it; without a participant an invented one.
    """
    title = wanted.event["title"]
    if wanted.record_id is None:
        return {"name": None, "language": None, "event_title": title}
    participant = people_mails.participant_of_event(db, wanted)
    pages = settings.get(db, wanted.event["id"])
    link = granting.of_person(db, participant["id"])
    return link or {
        **granting.contact(db, participant["id"]),
        "participant_id": participant["id"],
        "rights": pages["my_rights"],
        "event_title": title,
        "over_at": None,
    }


def _sample_todo(name, language):
    todo = "booth_offer_open" if name == links.OFFER else "profile_open"
    return f"- {todo_words.WORDS[language][todo].format(number=SAMPLE_BOOTH)}"
