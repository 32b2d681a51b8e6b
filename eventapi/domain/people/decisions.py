"""Mails that tell applicants about their application: a decision, a question of the office, or the badge of a visitor.

The worker makes a mail from the application as it is then, so of two decisions in a row only the last one is mailed.
"""
from eventapi.domain.access import links
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications, contacts
from eventapi.domain.records import entities
from eventapi.domain.shows import directory, settings
from eventapi.languages import choice
from eventapi.storage.statements import statements

sql = statements("applications")

DECISION, BADGE = "application_decision", "badge"           # kinds of mails
ENTITY = entities.APPLICATION.entity_type
# status of an application -> name of the text of its mail
TEXTS = {"approved": "application_approved", "rejected": "application_rejected",
         "waitlisted": "application_waitlisted", "info_requested": "application_question"}


def check(db, mail):
    """Raise 409 `mail_not_configured` if `mail` is true and the server cannot send mail."""
    if mail:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")


def tell(db, before, application, mail, base_url=""):
    """Queue the mail about a decision and return its outcome, None unless `mail` is true.

    `before` is the application before the decision. The outcome is {"status": "queued"}, or {"status": "skipped",
    "reason"} with the reason `already_done` or `no_address`. Approved visitors, press and staff get their badge.
    """
    if not mail:
        return None
    if application["status"] == before["status"]:
        return {"status": "skipped", "reason": "already_done"}
    if not application["email"]:
        return {"status": "skipped", "reason": "no_address"}
    is_badge = application["status"] == "approved" and applications.role_of(db, application) in applications.PEOPLE
    queue(db, application, BADGE if is_badge else DECISION, base_url)
    return {"status": "queued"}


def queue(db, application, kind, base_url):
    """Queue a mail of one of the two kinds to an applicant, in place of an earlier one that was not sent yet."""
    for each in (DECISION, BADGE):
        mails.withdraw(db, each, ENTITY, application["id"])
    _ensure_page(db, application)
    language = language_of(db, application)
    subject = mail_words.WORDS[language][f"{kind}_subject"].format(title=title(db, application))
    mails.add(db, kind, ENTITY, application["id"], application["email"], subject, base_url=base_url, language=language)


def _ensure_page(db, application):
    """Make the link to the page of an application, if it has none and the pages of its event are public."""
    show = next(filter(None, (directory.show(db, key) for key in application["event_keys"])), None)
    if show and not links.of_person(db, "application", application["id"], application["email"]):
        links.create(db, "application", event_id=show["id"], application_id=application["id"],
                     email=application["email"], language=application["language"])


def new_secret(db, id):
    """Make the secret of the link in a mail that is being sent, and return it. None if the application has no page."""
    with db.write():
        application = applications.get(db, id)
        link = application and application["email"] and links.of_person(db, "application", id, application["email"])
        return links.add_secret(db, link, "mailed", link["email"]) if link and link["status"] == "active" else None


def language_of(db, application):
    """Return the language of mails to an applicant: that of the application, else of its contact, else the option."""
    return choice.choose(db.config, application["language"], contacts.language(db, application["contact_id"]))


def title(db, application):
    """Return the titles of the events of an application."""
    return " · ".join(db.values(sql.titles, id=application["id"]))


def own_text(db, application, name, language):
    """Return the organiser's own text of a mail, or None: that of the first event of the application that has one."""
    found = (settings.mail_text(db, id, name, language) for id in db.values(sql.event_ids, id=application["id"]))
    return next(filter(None, found), None)


def badges(db, application):
    """Return the ids of the participants that an approved application has made or found, without cancelled ones."""
    return db.values(sql.badges, id=application["id"], role=applications.role_of(db, application))
