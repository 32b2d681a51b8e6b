"""The mail that asks an applicant or a visitor to confirm the address.

It contains nothing that somebody has typed.
"""

from eventapi.domain.access import links
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import SECRET, Contents, Gone, Preview, own_paragraphs
from eventapi.domain.people import contacts, decisions
from eventapi.domain.people import mails as people_mails
from eventapi.domain.public_forms import drafts
from eventapi.domain.shows import settings
from eventapi.languages import choice


def with_secret(db, mail):
    """Return the mail with `secret`, a new one of its draft, or None if there is nothing to confirm."""
    return {**mail, "secret": drafts.new_secret(db, mail["entity_id"])}


def confirmation(db, mail):
    """Return the contents of the mail that asks to confirm the address.

    Raise Gone if the application is confirmed already, or was deleted.
    """
    if mail["secret"] is None:
        raise Gone("the application is confirmed already, or its draft was deleted")

    draft = drafts.get(db, mail["entity_id"])
    name = drafts.TEXTS[draft["form"]]
    own = settings.mail_text(db, draft["event_id"], name, mail["language"])
    address = links.address(mail["base_url"], mail["secret"])
    return _written(db.config, name, mail["language"], own, address)


def _written(config, name, language, own, address):
    """Return the contents of a mail. `own` is the organiser's own text, or None."""
    texts = mail_words.WORDS[language]
    paragraphs = [
        texts["hello_nobody"],
        *(own_paragraphs(own) or [texts[name]]),
        (texts[f"{name}_button"], address),
        texts[f"{name}_ignore"],
        *mail_words.closing(config, language),
    ]
    return Contents(language=language, paragraphs=paragraphs)


def preview(db, wanted):
    """Return the Preview of a mail. Only the language is that of a record.

    `application_confirmation` is about an application, `visit_confirmation` about a participant.
    Raise 422 for a record that does not exist or is of another event, 409 `anonymized`.
    """
    language = choice.choose(db.config, wanted.language, _language(db, wanted))
    name = wanted.name
    own = wanted.own(settings.mail_text(db, wanted.event["id"], name, language))
    address = links.address(wanted.base_url, SECRET)
    return Preview(
        subject=drafts.subject(name, language, wanted.event["title"]),
        contents=_written(db.config, name, language, own, address),
        is_sample=wanted.record_id is None,
    )


def _language(db, wanted):
    if wanted.record_id is None:
        return None
    if wanted.name == drafts.KIND:
        return decisions.language_of(db, people_mails.application_of_event(db, wanted))
    return contacts.language(db, people_mails.participant_of_event(db, wanted)["contact_id"])
