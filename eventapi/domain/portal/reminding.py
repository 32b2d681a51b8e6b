"""Mails about what an exhibitor has to do.

The office sends that of all to-dos; that of an offered booth is automatic.

The worker writes a mail while it sends it, from the to-dos of that time. So a preview shows what is
sent now.
"""

from eventapi import times
from eventapi.domain.access import links, rights
from eventapi.domain.events import events
from eventapi.domain.mail import words as mail_words
from eventapi.domain.portal import granting, reading, todos
from eventapi.domain.shows import settings
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("event_pages")

SHOWN = ("kind", "state", "due", "page")


def due(db, link, kind=links.TODOS, language=None):
    """Return the to-dos of which a mail of a kind tells, the late ones first, each with {title,
    detail}.

    They are in the language of the link, unless another one is given. Call this inside a snapshot or a transaction.
    """
    pages, disabled = settings.get(db, link["event_id"]), db.values(sql.disabled_flags)
    participant = reading.participant(db, link["participant_id"])
    if (
        not pages["my_is_open"]
        or participant["anonymized_at"]
        or rights.is_over(link, db.now or times.now())
    ):
        return []
    event = events.get(db, link["event_id"])
    language = language or links.language_of(db, link)
    found = todos.of(db, participant, event, pages, rights.effective(link, pages, disabled))
    return [
        {**todo, **todos.said(todo, language, event["timezone"])}
        for todo in found
        if todo["state"] in ("late", "open") and (kind == links.TODOS or todo["kind"] == kind)
    ]


def listed(found):
    """Return the to-dos as a paragraph, a line for each."""
    return "\n".join(
        f"- {todo['title']}" + (f" ({todo['detail']})" if todo["detail"] else "") for todo in found
    )


def texts(db, link, kind, language):
    """Return what a mail of a kind says before its list: the organiser's own text, else the usual
    one.
    """
    own = settings.mail_text(db, link["event_id"], kind, language)
    return own or usual(kind, language, link["event_title"])


def usual(kind, language, title):
    """Return what a mail of a kind says before its list, unless the organiser has a text for it."""
    return mail_words.WORDS[language][kind].format(title=title)


def preview(db, link):
    """Return {email, subject, text, todos} of the mail that `remind` would queue now.

    `text` has no greeting and no address of the page. Raise 409 as `remind` does, except for what
    has been sent today.
    """
    found, language = _checked(db, link), links.language_of(db, link)
    return {
        "email": link["email"],
        "language": language,
        "subject": links.subject(link, links.TODOS, language),
        "text": f"{texts(db, link, links.TODOS, language)}\n\n{listed(found)}",
        "todos": [
            {"title": todo["title"], **{name: todo[name] for name in SHOWN}} for todo in found
        ],
    }


def remind(db, link, base_url):
    """Queue the mail with what is left to do.

    Raise 409 `nothing_to_do`, `link_incomplete`, `page_incomplete`, `mail_not_configured` or
    `invalid_transition`; 429 for the second mail of a day.
    """
    _checked(db, link)
    granting.refuse_unmailable(db, link, base_url)
    if links.mails_today(db, link, links.TODOS):
        raise Problem(
            "rate_limited",
            "The person was reminded in the last 24 hours. Try again tomorrow.",
            headers={"Retry-After": "86400"},
        )
    links.mail(db, link, base_url, links.TODOS)


def _checked(db, link):
    granting.refuse_ended(link)
    if link["kind"] != "participant":
        raise Problem(
            "nothing_to_do", "Only exhibitors have to-dos. Use the link of a participant instead."
        )
    found = due(db, link)
    if not found:
        raise Problem(
            "nothing_to_do", "Nothing is late or open on the page of this link. Choose another one."
        )
    return found
