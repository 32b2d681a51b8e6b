"""Mails that tell applicants about their application: a decision, a question of the office, or the
badge of a visitor.

The worker makes a mail from the application as it is then, so of two decisions in a row only the
last one is mailed.
"""

from eventapi.domain.access import links, reach
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications, contacts
from eventapi.domain.records import entities
from eventapi.domain.shows import directory, settings
from eventapi.languages import choice
from eventapi.storage.statements import statements

sql = statements("applications")

DECISION, BADGE = "application_decision", "badge"  # kinds of mails
ENTITY = entities.APPLICATION.entity_type
# status of an application -> name of the text of its mail
TEXTS = {
    "approved": "application_approved",
    "rejected": "application_rejected",
    "waitlisted": "application_waitlisted",
    "info_requested": "application_question",
}


def check(db, mail):
    """Raise 409 `mail_not_configured` if `mail` is true and the server cannot send mail."""
    if mail:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")


def tell(db, before, application, mail, base_url=""):
    """Queue the mail about a decision and return its outcome, None unless `mail` is true.

    `before` is the application before the decision. The outcome is {"status": "queued"}, or
    {"status": "skipped", "reason"} with the reason `already_done` or `no_address`. Approved
    visitors, press and staff get their badge, as far as it is that of the applicant (reach.py,
    R1b).
    """
    if not mail:
        return None
    if application["status"] == before["status"]:
        return {"status": "skipped", "reason": "already_done"}
    if not application["email"]:
        return {"status": "skipped", "reason": "no_address"}
    queue(db, application, BADGE if gives_badge(db, application) else DECISION, base_url)
    return {"status": "queued"}


def gives_badge(db, application):
    """Return whether the mail about an application brings a badge: it is that of a person, and one
    is its own.
    """
    return applications.role_of(db, application) in applications.PEOPLE and bool(
        badges_by_mail(db, application, application["email"])
    )


def queue(db, application, kind, base_url):
    """Queue a mail of one of the two kinds to an applicant, in place of an earlier one that was not
    sent yet.
    """
    for each in (DECISION, BADGE):
        mails.withdraw(db, each, ENTITY, application["id"])
    link = _page(db, application)
    language = language_of(db, application)
    mails.add(
        db,
        kind,
        ENTITY,
        application["id"],
        application["email"],
        subject(kind, language, title(db, application)),
        base_url=base_url,
        language=language,
    )
    # as it is decided while the mail is sent
    if base_url and link and link["status"] == "active":
        links.handed_out(db, link, "mailed")


def _page(db, application):
    """Return the link to the page of an application, or None.

    Make it if the pages of its event are public.

    There is none for an address that the office has closed: the mail leaves without a link.
    """
    known = links.of_person(db, "application", application["id"], application["email"])
    show = None if known else _show(db, application)
    if show is None:
        return known
    return links.create(
        db,
        "application",
        event_id=show["id"],
        application_id=application["id"],
        email=application["email"],
        language=application["language"],
    )


def _show(db, application):
    """Return the event for whose public pages an application gets a link, or None."""
    if reach.is_closed(db, application["email"], application_id=application["id"]):
        return None
    for key in application["event_keys"]:
        show = directory.show(db, key)
        if show is not None:
            return show
    return None


def leads_to_page(db, application):
    """Return whether a mail about an application has a link now, as `queue` and `link_of` find it."""
    known = links.of_person(db, "application", application["id"], application["email"])
    if known:
        return known["status"] == "active"
    return bool(application["email"]) and _show(db, application) is not None


def link_of(db, id, recipient):
    """Return the id of the link to the page of an application, for a mail that is being sent.

    Return None if it has no page, or meanwhile another address than the `recipient` of the mail.
    """
    application = applications.get(db, id)
    if application is None or not reach.same(application["email"], recipient):
        return None
    link = links.of_person(db, "application", id, recipient)
    return link and link["id"]


def language_of(db, application):
    """Return the language of mails to an applicant: that of the application, else of its contact,
    else the option.
    """
    return choice.choose(
        db.config, application["language"], contacts.language(db, application["contact_id"])
    )


def subject(kind, language, titles):
    """Return the subject of a mail of one of the two kinds. `titles` are those of the events."""
    return mail_words.WORDS[language][f"{kind}_subject"].format(title=titles)


def title(db, application):
    """Return the titles of the events of an application."""
    return " · ".join(db.values(sql.titles, id=application["id"]))


def own_text(db, application, name, language):
    """Return the organiser's own text of a mail, or None: that of the first event of the
    application that has one.
    """
    found = (
        settings.mail_text(db, id, name, language)
        for id in db.values(sql.event_ids, id=application["id"])
    )
    return next(filter(None, found), None)


def badges(db, application, address, *, rights=(), event_id=None):
    """Return the ids of the participants whose badges a link of an application to an address gives.

    `rights` are those of the link. `event_id` leaves out other events.
    """
    return reach.badges(
        db,
        application,
        applications.role_of(db, application),
        address,
        rights=rights,
        event_id=event_id,
    )


def badges_by_mail(db, application, address):
    """Return the ids of the participants whose badges a mail about an application brings to an
    address.
    """
    link = links.of_person(db, "application", application["id"], address)
    return badges(db, application, address, rights=link["rights"] if link else ())


def readdress(db, application):
    """Let a queued mail with a badge tell the decision only, if the new address of an application
    gets no badge.
    """
    if mails.is_waiting(db, BADGE, ENTITY, application["id"]) and not gives_badge(db, application):
        language = language_of(db, application)
        text = subject(DECISION, language, title(db, application))
        mails.turn_into(db, BADGE, ENTITY, application["id"], DECISION, text)


# What an application does not lead to


def missing(db, application):
    """Return a warning for each page or badge that an approved application does not lead to, and
    note it for the desk.

    `applicant_without_page`: the exhibitor's own page; `applicant_without_badge`: a badge. The
    office sends a link.
    """
    if application["status"] != "approved":
        return []
    if applications.role_of(db, application) in applications.PEOPLE:
        return _without_badge(db, application)
    return _without_page(db, application)


def _without_badge(db, application):
    wanted = db.values(
        sql.participants, id=application["id"], role=applications.role_of(db, application)
    )
    given = badges_by_mail(db, application, application["email"])
    lacking = [id for id in wanted if id not in given]
    if lacking:
        reach.suspect_gap(db, application["id"])
    detail = (
        "The application does not lead to this badge: the participant existed before, the address was changed, "
        "or there is none. Make a link with POST /links: `kind` application, `application_id` "
        f'{application["id"]} and `rights` ["badges"].'
    )
    return [
        {"code": "applicant_without_badge", "event_participant_id": id, "detail": detail}
        for id in lacking
    ]


def _without_page(db, application):
    found = []
    for event_id in db.values(sql.event_ids, id=application["id"]):
        id = reach.exhibitor(db, application["id"], event_id)
        if id is None or not settings.get(db, event_id)["my_is_open"]:
            continue
        has_link = application["email"] and links.of_person(
            db, "participant", id, application["email"]
        )
        if not has_link and not reach.opens_own_page(db, application, id):
            found.append(
                {
                    "code": "applicant_without_page",
                    "event_participant_id": id,
                    "detail": "The application does not lead to the page of this exhibitor: the participant existed "
                    "before, the address was changed, or this server cannot send mail. Make a link with POST "
                    f"/links: `kind` participant and `participant_id` {id}.",
                }
            )
    return found


def closed(db, application):
    """Return a warning if the mail about a decision has no link, because the office has revoked
    that of the address.
    """
    if not reach.is_closed(db, application["email"], application_id=application["id"]):
        return []
    return [
        {
            "code": "link_revoked",
            "detail": "The link of this address for the application was revoked, so the mail "
            "has none. Make another one with POST /links, or tell the applicant how to go on.",
        }
    ]
