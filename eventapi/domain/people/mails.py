"""Mails to applicants: about the state of their application, and with their badges."""

from dataclasses import dataclass, replace

from eventapi.domain.access import links
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
from eventapi.domain.people import applications, badge_sheets, decisions, participants
from eventapi.domain.records import anonymity
from eventapi.domain.shows import directory, settings
from eventapi.errors import Problem, invalid_at
from eventapi.languages import choice
from eventapi.names import full_name

# name of a text -> name of the words on its button, beside that of the application
BUTTONS = {"application_question": "answer_button", "badge": "badge_button"}


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a mail to an applicant is about.

    name: of its text.
    person: name of the applicant, or "".
    title: of the events.
    own: the organiser's own text, or None.
    added: the reason of a rejection or the question, or None.
    link: address of the page of the application, or None.
    """

    name: str
    language: str
    person: str
    title: str
    own: str | None
    added: str | None
    link: str | None


def link_of(db, mail):
    """Return the id of the link to the page of an application, or None.

    There is none if the public address of the server is unknown, or as `decisions.link_of` says.
    """
    if not mail["base_url"]:
        return None
    return decisions.link_of(db, mail["entity_id"], mail["recipient"])


def decision(db, mail):
    """Return the contents of the mail about the state of an application: approved, rejected,
    waitlisted, or a question.

    Raise Gone if it has none of these states any more.
    """
    application = applications.get(db, mail["entity_id"])
    if application is None or application["status"] not in decisions.TEXTS:
        raise Gone("the application was deleted, or is not in the state that the mail is about")
    name = decisions.TEXTS[application["status"]]
    return _written(db.config, _about(db, application, name, mail))


def badge(db, mail):
    """Return the contents of the mail with the badges of an application, as PDF where it can be
    drawn.

    Raise Gone if there is none any more.
    """
    application = applications.get(db, mail["entity_id"])
    ids = application and decisions.badges_by_mail(db, application, mail["recipient"])
    if not ids:
        raise Gone("the application has no participant any more whose badge is for this address")
    pdfs = [_badge_pdf(db, id, mail["language"]) for id in ids]
    contents = _written(db.config, _about(db, application, decisions.BADGE, mail))
    return replace(contents, attachments=[pdf for pdf in pdfs if pdf is not None])


def _about(db, application, name, mail):
    """Return what a mail says about an application. `name` is that of its text."""
    language = mail["language"]
    added = {
        "application_rejected": application["decision_reason"],
        "application_question": application["question"],
    }
    return About(
        name=name,
        language=language,
        person=full_name(application),
        title=decisions.title(db, application),
        own=decisions.own_text(db, application, name, language),
        added=added.get(name),
        link=mail["secret"] and links.address(mail["base_url"], mail["secret"]),
    )


def _written(config, about):
    """Return the contents of a mail about an application, without files."""
    texts = mail_words.WORDS[about.language]
    usual = texts[about.name].format(title=about.title)
    paragraphs = [
        greeting(texts, harmless(about.person)),
        *(own_paragraphs(about.own) or [usual]),
        *own_paragraphs(about.added),
    ]
    if about.link:
        button = BUTTONS.get(about.name, "application_page_button")
        paragraphs.append((texts[button], about.link))
    elif about.name == "application_question":
        email = config.organiser_email or config.smtp_sender
        paragraphs.append(texts["answer_by_mail"].format(email=email))
    paragraphs += mail_words.closing(config, about.language)
    return Contents(language=about.language, paragraphs=paragraphs)


def _badge_pdf(db, id, language):
    """Return the badge of a participant as (file name, bytes), or None if no PDF can be drawn."""
    shown = badge_sheets.read(db, id, language)
    try:
        return f"badge-{shown['code']}.pdf", badge_sheets.draw(db.config, shown, badge_sheets.PDF)
    except Problem as problem:
        if problem.status != 501:
            raise
        return None


def preview(db, wanted):
    """Return the Preview of a mail to the applicant `wanted.record_id`, or to an invented one.

    The mail is that of `wanted.name`, whatever the state of the application. Raise 422 for an
    application that does not exist or is for other events, 409 `anonymized`.
    """
    if wanted.record_id is None:
        about = _sample(db, wanted)
    else:
        application = application_of_event(db, wanted)
        secret = None
        if wanted.base_url and decisions.leads_to_page(db, application):
            secret = SECRET
        language = choice.choose(db.config, wanted.language, decisions.language_of(db, application))
        mail = {"language": language, "base_url": wanted.base_url, "secret": secret}
        about = _about(db, application, wanted.name, mail)
    about = replace(about, own=wanted.own(about.own))
    kind = decisions.BADGE if wanted.name == decisions.BADGE else decisions.DECISION
    return Preview(
        subject=decisions.subject(kind, about.language, about.title),
        contents=_written(db.config, about),
        is_sample=wanted.record_id is None,
    )


def application_of_event(db, wanted):
    """Return the application of a preview. Raise 422 and 409 as `preview` does."""
    application = applications.get(db, wanted.record_id)
    if application is None or wanted.event["event_key"] not in application["event_keys"]:
        raise _unknown("application", wanted)
    anonymity.refuse(db, decisions.ENTITY, application["id"])
    return application


def participant_of_event(db, wanted):
    """Return the participant of a preview. Raise 422 and 409 as `preview` does."""
    participant = participants.get(db, wanted.record_id)
    if participant is None or wanted.event["id"] != participant["event_id"]:
        raise _unknown("participant", wanted)
    anonymity.refuse(db, "contact", participant["contact_id"])
    return participant


def _unknown(noun, wanted):
    return invalid_at(
        "/id",
        "unknown",
        f"is unknown: the event has no {noun} {wanted.record_id}. Send the id of one, or none for "
        "an invented one",
    )


def _sample(db, wanted):
    language = choice.choose(db.config, wanted.language)
    texts = mail_words.WORDS[language]
    is_public = directory.show(db, wanted.event["event_key"]) is not None
    has_link = is_public and wanted.base_url
    return About(
        name=wanted.name,
        language=language,
        person=texts["sample_person"],
        title=wanted.event["title"],
        own=settings.mail_text(db, wanted.event["id"], wanted.name, language),
        added=texts.get(f"sample_{wanted.name}"),
        link=links.address(wanted.base_url, SECRET) if has_link else None,
    )
