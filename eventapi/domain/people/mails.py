"""Mails to applicants: about the state of their application, and with their badges."""

from eventapi.domain.access import links
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, greeting, harmless, own_paragraphs
from eventapi.domain.people import applications, badge_sheets, decisions
from eventapi.errors import Problem
from eventapi.names import full_name


def with_secret(db, mail):
    """Return the mail with `secret`, a new one of the page of the application, or None.

    It has none if the public address of the server is unknown, or as `decisions.new_secret` says.
    """
    secret = None
    if mail["base_url"]:
        secret = decisions.new_secret(db, mail["entity_id"], mail["recipient"])
    return {**mail, "secret": secret}


def decision(db, mail):
    """Return the contents of the mail about the state of an application: approved, rejected,
    waitlisted, or a question.

    Raise Gone if it has none of these states any more.
    """
    application = applications.get(db, mail["entity_id"])
    if application is None or application["status"] not in decisions.TEXTS:
        raise Gone("the application was deleted, or is not in the state that the mail is about")

    language = mail["language"]
    texts = mail_words.WORDS[language]
    status = application["status"]
    is_question = status == "info_requested"
    paragraphs = [
        greeting(texts, harmless(full_name(application))),
        *_own_or_usual(db, application, decisions.TEXTS[status], language),
    ]
    if status == "rejected":
        paragraphs += own_paragraphs(application["decision_reason"])
    elif is_question:
        paragraphs += own_paragraphs(application["question"])

    if mail["secret"]:
        button = texts["answer_button" if is_question else "application_page_button"]
        paragraphs.append((button, links.address(mail["base_url"], mail["secret"])))
    elif is_question:
        email = db.config.organiser_email or db.config.smtp_sender
        paragraphs.append(texts["answer_by_mail"].format(email=email))

    paragraphs += mail_words.closing(db.config, language)
    return Contents(language=language, paragraphs=paragraphs)


def badge(db, mail):
    """Return the contents of the mail with the badges of an application, as PDF where it can be
    drawn.

    Raise Gone if there is none any more.
    """
    application = applications.get(db, mail["entity_id"])
    ids = application and decisions.badges_by_mail(db, application, mail["recipient"])
    if not ids:
        raise Gone("the application has no participant any more whose badge is for this address")

    language = mail["language"]
    texts = mail_words.WORDS[language]
    paragraphs = [
        greeting(texts, harmless(full_name(application))),
        *_own_or_usual(db, application, "badge", language),
    ]
    if mail["secret"]:
        address = links.address(mail["base_url"], mail["secret"])
        paragraphs.append((texts["badge_button"], address))
    paragraphs += mail_words.closing(db.config, language)

    pdfs = [_badge_pdf(db, id, language) for id in ids]
    return Contents(
        language=language,
        paragraphs=paragraphs,
        attachments=[pdf for pdf in pdfs if pdf is not None],
    )


def _badge_pdf(db, id, language):
    """Return the badge of a participant as (file name, bytes), or None if no PDF can be drawn."""
    shown = badge_sheets.read(db, id, language)
    try:
        return f"badge-{shown['code']}.pdf", badge_sheets.draw(db.config, shown, badge_sheets.PDF)
    except Problem as problem:
        if problem.status != 501:
            raise
        return None


def _own_or_usual(db, application, name, language):
    """Return the paragraphs of a mail in a language: the organiser's own ones, else the usual one."""
    own = own_paragraphs(decisions.own_text(db, application, name, language))
    if own:
        return own
    return [mail_words.WORDS[language][name].format(title=decisions.title(db, application))]
