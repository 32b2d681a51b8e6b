"""The preview of a mail: subject and body as they would be sent, without a secret.

The contents come from the functions with which the worker sends (`domain/SUBJECT/mails.py`). A
preview writes nothing, and the secret of its link is SECRET.
"""

from eventapi.domain.access import links, rights
from eventapi.domain.mail import bodies
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail.contents import Gone
from eventapi.domain.subjects import MAILS, SUBJECTS
from eventapi.errors import Faults, listed
from eventapi.markup import PLACEHOLDER

PREVIEWS = {name: preview for subject in SUBJECTS for name, preview in subject.previews.items()}
OF_APPLICATIONS = (  # names of texts whose `id` is that of an application
    "application_confirmation",
    "application_approved",
    "application_rejected",
    "application_waitlisted",
    "application_question",
    "badge",
)
# name of a text -> scopes of what its mail tells of, beside that of `OF_APPLICATIONS` or `participants`:
# prices, contracts, and names of people with a link
TELLS_OF = {
    "booth_confirmed": ("booths", "links"),
    "booth_offer": ("booths",),
    "contract": ("documents", "links"),
    "todos": ("links", *rights.scopes("participant", rights.RIGHTS)),
}


def scopes(name):
    """Return the scopes that a key needs to preview a mail about a record. `name` is that of its text."""
    own = "applications" if name in OF_APPLICATIONS else "participants"
    return (own, *TELLS_OF.get(name, ()))


def of_text(db, wanted, subject=None):
    """Return {subject, text, html, language, about} of a mail of an event. `wanted` is a Wanted.

    `subject` stands in place of the usual one, unless it is None or empty. `about` is `record`, or
    `sample` if the record is invented. Raise 422 `unknown_placeholder` for a placeholder, which
    mails do not have, and for a record that does not exist; 409 `anonymized`. Call this inside a
    snapshot.
    """
    _refuse_placeholders({"/subject": subject, "/text": wanted.text})
    found = PREVIEWS[wanted.name](db, wanted)
    body = bodies.rendered(subject or found.subject, found.contents)
    return {**body, "about": "sample" if found.is_sample else "record"}


def of_queued(db, last):
    """Return {subject, text, html, language} of the first mail that was queued after the mail with the
    id `last`. None if there is no such mail, or nothing to send any more.

    A booth that becomes free is offered to somebody else: that mail is left out.

    Call this inside the transaction that has queued it and is rolled back.
    """
    mail = mails.first_after(db, last, links.OFFER)
    if mail is None:
        return None
    kind = MAILS[mail["kind"]]
    if kind.link_of:
        mail = links.with_sample_secret(db, mail, kind.link_of)
    try:
        return bodies.rendered(mail["subject"], kind.contents(db, mail))
    except Gone:
        return None


def _refuse_placeholders(texts):
    faults = Faults()
    for pointer, text in texts.items():
        names = ["{{%s}}" % name.strip()[:50] for name in PLACEHOLDER.findall(text or "")]
        if names:
            noun = "placeholders" if len(names) > 1 else "placeholder"
            faults.add(
                pointer,
                "unknown_placeholder",
                f"contains the unknown {noun} {listed(names[:5])}. The texts of mails have no "
                "placeholders: write the text itself",
            )
    faults.raise_any()
