"""Contracts that the office sends: made from a template, requested to be signed, and mailed.

The mail goes to everybody who can accept the contract on the exhibitor's page, with a link to it. If
nobody can, the contact gets it, and returns the contract by mail or on paper.
"""

import json
from dataclasses import dataclass, field, replace

from eventapi.domain.access import links, reach
from eventapi.domain.attachments import content_types, contracts, document_rows, documents
from eventapi.domain.mail import queue as mails
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
from eventapi.domain.people import contacts, participants
from eventapi.domain.people import mails as people_mails
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.references import DOCUMENT_TEMPLATE
from eventapi.domain.shows import settings
from eventapi.errors import Faults, Problem
from eventapi.languages import choice
from eventapi.names import full_name
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("documents")

KIND = "contract"
RIGHT = "contract"  # of a link to whose person the mail goes
ENTITY = entities.EVENT_PARTICIPANT.entity_type
NOT_SENT = (
    "category_id",
    "category_key",
    "content",
    "filename",
    "is_contract",
    "language",
    "metadata",
    "template_id",
    "title",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the mail says.

    person: name of the recipient, or "".
    title, number: of the contract.
    own: the organiser's own text, or None.
    link: address of the page of the exhibitor, or None.
    is_sample: whether the contract is invented, in a preview.
    """

    language: str
    event_title: str
    person: str
    title: str
    number: str
    own: str | None
    link: str | None
    reply_to: str | None = None
    attachments: list = field(default_factory=list)
    is_sample: bool = False


def send(db, participant, template_key, *, mail, base_url):
    """Make a contract of a participant from a template, and request its signature.

    Return (row of the document, outcome of the mail or None). The outcome is {"status": "queued"}, or
    {"status": "skipped", "reason": "no_address"}. `base_url` is the public address of the server, or
    "". Raise 422 for an unknown template; 409 `no_contract` if it is no template of contracts,
    `duplicate` while such a contract waits or is active, `participant_cancelled`, `anonymized` or
    `mail_not_configured`.
    """
    if mail:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")
    faults = Faults()
    fields = {"template_key": template_key}
    template_id = references.resolve(db, fields, DOCUMENT_TEMPLATE, faults)
    faults.raise_any()
    template = db.one(sql.template, id=template_id)
    if not template["is_contract"]:
        raise Problem(
            "no_contract",
            f"The template {template_key} is no template of contracts. Set its `is_contract`, or send "
            "another `template_key`.",
        )
    if participant["status"] == "cancelled":
        raise anonymity.cancelled(participant["id"])
    _refuse_second(db, participant, template)

    asked = dict.fromkeys(NOT_SENT)
    asked |= {
        "entity_type": ENTITY,
        "entity_id": participant["id"],
        "template_key": template_key,
        "esign_status": "pending",
    }
    row = documents.create(db, asked)
    row = contracts.request_signature(db, row, db.actor.admin_id, None)
    return row, _mail(db, participant, row, base_url) if mail else None


def _refuse_second(db, participant, template):
    """Raise 409 `duplicate` while a contract of the template waits for its signature or is active."""
    found = db.one(
        sql.live_contract,
        participant_id=participant["id"],
        template_id=template["id"],
    )
    if found is None:
        return
    status = found["contract_status"].replace("_", " ")
    raise Problem(
        "duplicate",
        f"The participant has the contract {found['document_number']} of this template, which is "
        f"{status}. Use that one, or void or terminate it first.",
        document_id=found["id"],
        contract=found["document_number"],
    )


# The mail


def _mail(db, participant, row, base_url):
    """Queue the mails with a contract, and return the outcome."""
    found = links.active(db, participant["id"], RIGHT) if base_url else []
    for link in found:
        links.mail(db, link, base_url, KIND, as_json({"document_id": row["id"]}))
    if found:
        return {"status": "queued"}

    contact = contacts.get(db, participant["contact_id"])
    if not contact["email"]:
        return {"status": "skipped", "reason": "no_address"}
    language = choice.choose(db.config, contact["language"])
    event = reach.about(db, ENTITY, participant["id"])
    mails.add(
        db,
        KIND,
        ENTITY,
        participant["id"],
        contact["email"],
        subject(language, event["title"]),
        language=language,
        details=as_json({"document_id": row["id"], "name": full_name(contact)}),
    )
    return {"status": "queued"}


def subject(language, title):
    """Return the subject of the mail to a contact about an event."""
    return mail_words.WORDS[language][f"{KIND}_subject"].format(title=title)


def link_of(db, mail):
    """Return the id of the link in a mail, or None if it goes to the contact."""
    return mail["entity_id"] if mail["entity_type"] == entities.LINK.entity_type else None


def contents(db, mail):
    """Return the contents of the mail with a contract, whose PDF is attached.

    Raise Gone if the contract is not waiting any more, the participation was cancelled, or the link
    has ended.
    """
    details = json.loads(mail["details"])
    row = document_rows.row(db, details["document_id"])
    if row is None or row["contract_status"] != "pending_signature":
        raise Gone("the contract was deleted, withdrawn or signed")
    participant = participants.get(db, row["entity_id"])
    if participant is None or participant["status"] == "cancelled":
        raise Gone("the participation was deleted or cancelled")
    has_link = mail["entity_type"] == entities.LINK.entity_type
    if has_link and mail["secret"] is None:
        raise Gone("the link has ended, or has no address any more")

    event = reach.about(db, ENTITY, participant["id"])
    about = About(
        language=mail["language"],
        event_title=event["title"],
        person=links.get(db, mail["entity_id"])["name"] if has_link else details["name"],
        title=row["title"],
        number=row["document_number"],
        own=settings.mail_text(db, participant["event_id"], KIND, mail["language"]),
        link=links.address(mail["base_url"], mail["secret"]) if has_link else None,
        reply_to=event["contact_email"] or db.config.organiser_email,
        attachments=_attached(db.config, row),
    )
    return _written(db.config, about)


def _written(config, about):
    """Return the contents of the mail."""
    texts = mail_words.WORDS[about.language]
    usual = texts["contract"].format(
        title=about.event_title, contract=about.title, number=about.number
    )
    paragraphs = [
        greeting(texts, harmless(about.person)),
        *(own_paragraphs(about.own) or [usual]),
    ]
    if about.link:
        paragraphs += [
            texts["contract_page"],
            (texts["link_button"], about.link),
            texts["link_ignore"],
        ]
    else:
        email = config.organiser_email or config.smtp_sender
        paragraphs.append(texts["contract_return"].format(email=email))
    paragraphs += mail_words.closing(config, about.language)
    return Contents(
        language=about.language,
        paragraphs=paragraphs,
        headers={"Reply-To": about.reply_to} if about.reply_to else {},
        attachments=about.attachments,
    )


def preview(db, wanted):
    """Return the Preview of the mail with the contract of a participant that waits for its signature,
    or with an invented one if none does. It has no attachment.

    Raise 422 for a participant that does not exist or is of another event, 409 `anonymized`.
    """
    if wanted.record_id is None:
        about = _sample(wanted, choice.choose(db.config, wanted.language))
    else:
        about = _of_participant(db, wanted)
    usual = settings.mail_text(db, wanted.event["id"], KIND, about.language)
    about = replace(about, own=wanted.own(usual))
    return Preview(
        subject=subject(about.language, about.event_title),
        contents=_written(db.config, about),
        is_sample=about.is_sample,
    )


def _of_participant(db, wanted):
    """Return what the mail to a participant says: to the first of its people who can sign, or to its
    contact.
    """
    participant = people_mails.participant_of_event(db, wanted)
    found = links.active(db, participant["id"], RIGHT) if wanted.base_url else []
    contact = contacts.get(db, participant["contact_id"])
    person = found[0] if found else {**contact, "name": full_name(contact)}
    language = choice.choose(db.config, wanted.language, person["language"])
    about = replace(
        _sample(wanted, language),
        person=person["name"],
        link=links.address(wanted.base_url, SECRET) if found else None,
    )
    row = db.one(sql.waiting_contract, participant_id=participant["id"])
    if row is None:
        return about
    return replace(about, title=row["title"], number=row["document_number"], is_sample=False)


def _sample(wanted, language):
    """Return what the mail to an invented person says about an invented contract."""
    texts = mail_words.WORDS[language]
    return About(
        language=language,
        event_title=wanted.event["title"],
        person=texts["sample_person"],
        title=texts["sample_contract"],
        number="DOC-00001",
        own=None,
        link=links.address(wanted.base_url, SECRET) if wanted.base_url else None,
        is_sample=True,
    )


def _attached(config, row):
    """Return the file that is to be signed as (name, bytes) in a list, which is empty for a page: a
    mail program would show it without its style.
    """
    file = contracts.sent_file(config, row)
    if file["content_type"] != content_types.PDF:
        return []
    return [(f"{row['document_number']}.pdf", files.read(config, file["sha256"]))]
