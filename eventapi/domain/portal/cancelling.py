"""Cancelling a participation: what was billed for it, and the mail that says what becomes of booth,
orders and invoices.

The mail is made from the facts of the cancellation, which its `details` keep: the booths are no
longer those of the participant when it leaves. A person with a link reads of booths, orders and
invoices only with the right to them.
"""

import json
from collections import Counter
from decimal import Decimal

from eventapi import money
from eventapi.domain.access import links, reach
from eventapi.domain.billing import bills
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.mail.contents import Contents, Gone, greeting, harmless, own_paragraphs
from eventapi.domain.people import contacts, participants
from eventapi.domain.records import anonymity, entities
from eventapi.languages import choice, formats
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("portal")

KIND = "participation_cancelled"
ENTITY = entities.EVENT_PARTICIPANT.entity_type
# fact of the mail -> right of a link that shows it
RIGHTS = {
    "booths": "booth",
    "cancelled_orders": "orders",
    "open_orders": "orders",
    "credited": "invoices",
    "standing": "invoices",
}


def cancel(db, old, *, reason=None, mail=False, credits=False):
    """Cancel a participation as `participants.move` does.

    Return (participant, API objects of the drafts of credit notes, outcome of the mail or None).

    `reason` is kept with the booths and orders that are released, and in the mail. `credits`: draft
    credit notes of what was billed and is owed no longer. The outcome is {"status": "queued"}, or
    {"status": "skipped", "reason"} with the reason `already_done` or `no_address`. Raise 409
    `mail_not_configured`, `anonymized` or `invalid_transition`.
    """
    if mail:
        mails.refuse_unconfigured(db.config, ", or send `mail` as false")
    if reason:
        anonymity.refuse(db, "contact", old["contact_id"])
    people = _recipients(db, old) if mail else []
    released = _released(db, old["id"])

    new = participants.move(db, old, "cancel", reason)
    notes = bills.credit_cancelled(db, new) if credits else []
    if not mail:
        return new, notes, None
    if new == old:
        return new, notes, {"status": "skipped", "reason": "already_done"}
    if not people:
        return new, notes, {"status": "skipped", "reason": "no_address"}

    facts = {"reason": reason, **released, **_invoices(db, old["id"])}
    facts["open_orders"] = db.values(sql.orders_left, participant_id=old["id"])
    for person in people:
        _queue(db, new, person, facts)
    return new, notes, {"status": "queued"}


def credited(notes):
    """Return what credit notes credit, as {currency, amount} of each currency.

    `notes` are API objects, whose totals are negative; amounts are JSON numbers.
    """
    sums = Counter()
    for note in notes:
        sums[note["currency"]] -= money.minor(Decimal(str(note["total"])), note["currency"])
    return [
        {"currency": currency, "amount": money.major(amount, currency)}
        for currency, amount in sums.items()
    ]


def _recipients(db, participant):
    """Return who gets the mail: {email, name, language, rights} of the contact, and of each further
    address with a live link.

    `rights` are None for the contact, who gets everything.
    """
    contact = contacts.get(db, participant["contact_id"])
    people = []
    if contact["email"]:
        people.append({**contact, "name": full_name(contact), "rights": None})
    known = {person["email"].casefold() for person in people}
    for id in db.values(sql.links_with_address, participant_id=participant["id"]):
        link = links.get(db, id)
        if link["status"] == "active" and link["email"].casefold() not in known:
            known.add(link["email"].casefold())
            people.append(link)
    return people


def _released(db, participant_id):
    """Return the numbers of booths and orders that cancelling the participation releases."""
    return {
        "booths": db.values(sql.booths_held, participant_id=participant_id, now=db.now),
        "cancelled_orders": db.values(sql.orders_to_cancel, participant_id=participant_id),
    }


def _invoices(db, participant_id):
    """Return the invoices of the participant that stand: {"credited": numbers, "standing": [{number,
    open, currency}]}.

    `credited` are those with a draft of a credit note, also one from before the cancellation: the
    mail must not ask for what is credited next. Amounts are minor units.
    """
    found = bills.standing(db, participant_id)
    return {
        "credited": [row["invoice_number"] for row in found if row["is_credited"]],
        "standing": [
            {
                "number": row["invoice_number"],
                "open": row["open_amount"],
                "currency": row["currency"],
            }
            for row in found
            if not row["is_credited"]
        ],
    }


def _queue(db, participant, person, facts):
    """Queue the mail to a person, with the facts that it may read."""
    rights = person["rights"]
    shown = {
        name: value
        for name, value in facts.items()
        if rights is None or name not in RIGHTS or RIGHTS[name] in rights
    }
    language = choice.choose(db.config, person["language"])
    event = reach.about(db, ENTITY, participant["id"])
    subject = mail_words.WORDS[language][f"{KIND}_subject"].format(title=event["title"])
    mails.add(
        db,
        KIND,
        ENTITY,
        participant["id"],
        person["email"],
        subject,
        language=language,
        details=as_json({**shown, "name": person["name"]}),
    )


def contents(db, mail):
    """Return the contents of the mail. Raise Gone if the participation was deleted or reinstated."""
    participant = participants.get(db, mail["entity_id"])
    if participant is None or participant["status"] != "cancelled":
        raise Gone("the participation was deleted or reinstated")

    facts = json.loads(mail["details"])
    event = reach.about(db, ENTITY, participant["id"])
    language = mail["language"]
    texts = mail_words.WORDS[language]
    paragraphs = [
        greeting(texts, harmless(facts["name"])),
        texts["participation_cancelled"].format(title=event["title"]),
        *own_paragraphs(facts["reason"]),
        *_effects(facts, texts, language),
        *mail_words.closing(db.config, language),
    ]
    reply_to = event["contact_email"] or db.config.organiser_email
    headers = {"Reply-To": reply_to} if reply_to else {}
    return Contents(language=language, paragraphs=paragraphs, headers=headers)


def _effects(facts, texts, language):
    """Yield what becomes of booths, orders and invoices, as far as the facts name them."""
    for name in ("booths", "cancelled_orders", "open_orders", "credited"):
        numbers = facts.get(name)
        if numbers:
            text = texts[f"cancelled_{name}_one" if len(numbers) == 1 else f"cancelled_{name}"]
            yield text.format(numbers=", ".join(numbers))
    for invoice in facts.get("standing", ()):
        amount = money.major(invoice["open"], invoice["currency"])
        shown = formats.money(amount, invoice["currency"], language)
        text = texts["cancelled_invoice_open" if invoice["open"] > 0 else "cancelled_invoice_paid"]
        yield text.format(number=invoice["number"], open=shown)
