"""Newsletter subscribers with a record of each consent.

A subscription is pending until it is confirmed by mail. After unsubscribing, only a new
confirmation reactivates it.
"""

from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import contacts
from eventapi.domain.records import entities
from eventapi.errors import Faults, Problem, invalid_at
from eventapi.languages import choice
from eventapi.storage.statements import statements

sql = statements("newsletter")

KIND = "newsletter_confirmation"
ENTITY = entities.NEWSLETTER_SUBSCRIBER.entity_type
MAIL_INTERVAL = timedelta(minutes=10)  # shortest time between two confirmation mails to one address
INTERNAL = ("round", "asked_at")  # columns of a row that API objects do not have


def get(db, id):
    """Return the subscriber as the audit log stores it, or None.

    `unsubscribe_url` is a secret and only added to responses.
    """
    found = row(db, id)
    return found and represent(found)


def row(db, id):
    """Return the row of the subscriber, or None."""
    return db.one(sql.get, id=id)


def represent(row):
    """Return the API object of a row, without `unsubscribe_url`."""
    return {name: value for name, value in row.items() if name not in INTERNAL}


def by_email(db, email):
    """Return the subscriber with this address, compared without case, or None."""
    id = db.value(sql.by_email, email=email)
    return id and get(db, id)


def language(db, row, *others):
    """Return the language for a subscriber: its own, else the first of `others`, else that of its
    contact.
    """
    return choice.choose(
        db.config, row["language"], *others, contacts.language(db, row["contact_id"])
    )


def consents(db, id):
    """Return the consent records of a subscriber, oldest first."""
    return db.all(sql.consents, id=id)


# Subscribing


def subscribe(db, body, base_url):
    """Request a confirmation by mail, or record a consent that was given elsewhere.

    Return `(id, whether it is new)`.

    Links in the mail begin with `base_url`; without it no mail can be sent. Raise 422 for a
    missing, unneeded or future consent; 409 `mail_not_configured` or `has_unsubscribed`.
    """
    _check_consent(db, body)
    known = by_email(db, body["email"])
    if known and known["status"] == "confirmed":
        return known["id"], False
    if body["send_confirmation"]:
        _refuse_without_mail(db.config, base_url)
    elif known and known["status"] == "unsubscribed":
        raise Problem(
            "has_unsubscribed",
            f"{known['email']} has unsubscribed, so a new confirmation by mail is required: "
            "send `send_confirmation` as true.",
            newsletter_subscriber_id=known["id"],
        )
    if known and body["language"]:
        change(db, known, language=body["language"])
    id = known["id"] if known else _add(db, body)
    if body["send_confirmation"]:
        _request_confirmation(db, id, base_url)
    else:
        _record_given_consent(db, id, body["consent"])
    return id, known is None


def _refuse_without_mail(config, base_url):
    otherwise = ", or send `send_confirmation` as false and the `consent`"
    mails.refuse_unconfigured(config, otherwise)
    if not base_url:
        raise mails.unconfigured("base_url", otherwise)


def _check_consent(db, body):
    faults = Faults()
    if not body["send_confirmation"] and not body["consent"]:
        faults.add(
            "/consent",
            "required",
            "is required if `send_confirmation` is false: send `source` and `at` of the consent",
        )
    elif body["consent"] and body["send_confirmation"]:
        faults.add(
            "/consent",
            "forbidden",
            "must not be sent if `send_confirmation` is true, because the subscriber then consents by mail",
        )
    elif body["consent"] and body["consent"]["at"] > db.now:
        faults.add(
            "/consent/at",
            "maximum",
            f"must not be in the future: the time of the server is {db.now}",
        )
    faults.raise_any()


def _add(db, body):
    id = db.insert(
        sql.add, **{name: body[name] for name in ("email", "name", "language")}, now=db.now
    )
    new = get(db, id)
    journal.created(db, entities.NEWSLETTER_SUBSCRIBER, new)
    return id


def _request_confirmation(db, id, base_url):
    """Queue a confirmation mail and make the subscription pending. Journal the change.

    A pending subscriber gets at most one mail in MAIL_INTERVAL: a further request within it does
    nothing. To a subscriber that has unsubscribed, the next mail is sent at the end of that
    interval.
    """
    row = db.one(sql.get, id=id)
    next_at = db.now
    if row["asked_at"]:
        next_at = max(db.now, times.after(row["asked_at"], MAIL_INTERVAL))
    if row["status"] == "pending" and (next_at > db.now or mails.is_waiting(db, KIND, ENTITY, id)):
        return
    old = represent(row)
    db.run(sql.ask, id=id, at=next_at, now=db.now)
    _record(db, id, "asked", db.now, "api", address=db.actor.address, agent=db.actor.agent)
    chosen = language(db, row)
    subject = mail_words.WORDS[chosen][f"{KIND}_subject"].format(
        sender=mail_words.sender(db.config)
    )
    mails.add(db, KIND, ENTITY, id, row["email"], subject, next_at, base_url, chosen)
    journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, get(db, id))
    journal.administered(db, entities.NEWSLETTER_SUBSCRIBER, "mailed", id)


def _record_given_consent(db, id, consent):
    """Confirm a subscription with a consent that was given elsewhere: a dict with `at`, `source`
    and perhaps `text`.
    """
    old = get(db, id)
    _record(db, id, "imported", consent["at"], consent["source"], consent.get("text"))
    mails.withdraw(db, KIND, ENTITY, id)
    db.run(sql.confirm, id=id, at=consent["at"], now=db.now)
    journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, get(db, id), action="confirmed")


def update(db, old, fields):
    """Change name and language of a subscriber.

    Raise 422 for another address: a consent belongs to one address.
    """
    if fields.get("email", old["email"]).lower() != old["email"].lower():
        raise invalid_at(
            "/email",
            "fixed",
            "cannot change, because the consent belongs to this address. "
            "Subscribe the other address instead",
        )
    change(
        db,
        get(db, old["id"]),
        **{name: fields[name] for name in ("name", "language") if name in fields},
    )


def change(db, old, **fields):
    """Change and journal name or language of a subscriber, unless they stay the same."""
    changed = {name: fields.get(name, old[name]) for name in ("name", "language")}
    if any(changed[name] != old[name] for name in changed):
        db.run(sql.change, id=old["id"], **changed, now=db.now)
        journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, get(db, old["id"]))


def hand_over(db, contact_id, duplicate_id):
    """Assign the subscribers of the duplicate to the contact, which may have another address."""
    for id in db.values(sql.to_hand_over, duplicate_id=duplicate_id):
        old = get(db, id)
        db.run(sql.hand_over, id=id, contact_id=contact_id, now=db.now)
        journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, get(db, id))


def record_refusal(db, id, error):
    """Record that the mail server refuses this address."""
    old = get(db, id)
    db.run(sql.refused, id=id, error=error, now=db.now)
    journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, get(db, id))


# Actions of the links in the mails


def confirm(db, row, consent_text, address, agent):
    """Confirm the subscription: the button on the page of the confirmation link was pressed."""
    if row["status"] != "pending":
        return
    _record(db, row["id"], "confirmed", db.now, "mail", consent_text, address, agent)
    db.run(sql.confirm, id=row["id"], at=db.now, now=db.now)
    journal.updated(
        db, entities.NEWSLETTER_SUBSCRIBER, represent(row), get(db, row["id"]), action="confirmed"
    )


def unsubscribe(db, subscriber, source, address=None, agent=None):
    """End the subscription and keep the record. Do nothing if it has already ended."""
    if subscriber["status"] == "unsubscribed":
        return
    id, old = subscriber["id"], get(db, subscriber["id"])
    mails.withdraw(db, KIND, ENTITY, id)
    _record(db, id, "unsubscribed", db.now, source, address=address, agent=agent)
    db.run(sql.unsubscribe, id=id, now=db.now)
    journal.updated(db, entities.NEWSLETTER_SUBSCRIBER, old, get(db, id), action="unsubscribed")


def _record(db, id, action, at, source, text=None, address=None, agent=None):
    """Add a consent record. `action` is `asked`, `confirmed`, `imported` or `unsubscribed`."""
    db.run(
        sql.prove,
        id=id,
        action=action,
        at=at,
        consent_text=text,
        source=source,
        ip_address=address,
        user_agent=agent,
        now=db.now,
    )
