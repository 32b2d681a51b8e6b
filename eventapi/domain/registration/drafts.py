"""Drafts of applications: what the form of a public page has sent, until its e-mail address is confirmed.

A draft is no application: no webhook, search or export has it. The link in the mail confirms the address and makes the
application. Only hashes of the secrets in links are stored; the worker makes a secret while it sends the mail.
"""
import hmac
import json
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network

from eventapi import times
from eventapi.domain.access import link_secrets, links, reach
from eventapi.domain.access.link_secrets import form_key
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications
from eventapi.domain.records import entities
from eventapi.domain.registration import visitors
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("drafts")

KIND = "application_confirmation"
TEXTS = {"apply": KIND, "visit": "visit_confirmation"}         # form -> name of the text of its mail
ENTITY = entities.APPLICATION_DRAFT.entity_type
LARGEST = 32_000                        # characters of the fields of a draft
PER_HOUR = 30                           # mails because of one network in an hour; further ones wait
SHARE = 30                              # of mails_per_minute: confirmations in an hour, half of what can be sent
CORRECTIONS = 3                         # of the address of a draft
MOST = 10_000                           # drafts that wait for confirmation
PER_DAY = 3                             # mails to an address in a day
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
WEEK, TWO_DAYS = timedelta(days=7), timedelta(days=2)
BATCH = 500


def store(db, event, form, fields, nonce, language, client, base_url):
    """Store a draft, queue the mail that asks to confirm its address, and return its id.

    The same form again changes nothing, and returns None. Without a mail server, nothing is queued.

    `form` is apply or visit, `fields` a complete body of POST /applications that `applications.check_form` has
    accepted, `nonce` that of the form, `client` the address of the client. Mails of a network that sends many wait, so
    that others do not; an address gets few a day. All of them leave room for the other mails of the office. Raise 413
    for fields that are too long.
    """
    if len(as_json(fields)) > LARGEST:
        raise Problem("body_too_large", f"All fields together may have at most {LARGEST} characters.")
    if db.value(sql.known, nonce=nonce):
        return None
    if db.value(sql.waiting) >= MOST:
        db.run(sql.drop_of_largest_network)
    return _add(db, event, form, fields, nonce, language, client, base_url)


def _add(db, event, form, fields, nonce, language, client, base_url):
    network, email_hash = _network(form_key(db), client), _address(db, fields["email"])
    wait = max(_hours(db, SHARE * db.config.mails_per_minute), _hours(db, PER_HOUR, network))
    daily = db.value(sql.of_address, email_hash=email_hash, since=times.after(db.now, -DAY))
    id = db.insert(sql.add, event_id=event["id"], form=form, nonce=nonce, fields=as_json(fields), email=fields["email"],
                   email_hash=email_hash, network=network, language=language, now=db.now)
    if daily >= PER_DAY or not mails.is_configured(db.config):
        return id
    subject = mail_words.WORDS[language][f"{TEXTS[form]}_subject"].format(title=event["title"])
    mails.add(db, KIND, ENTITY, id, fields["email"], subject, base_url=base_url, language=language,
              next_at=times.after(db.now, wait * HOUR) if wait else None)
    return id


def _hours(db, most, network=None):
    """Return how many hours a mail waits, so that not more than about `most` an hour are sent, however long."""
    given = {"network"} if network else set()
    if db.value(sql.made, frozenset(given), network=network, since=times.after(db.now, -HOUR)) < most:
        return 0
    return 1 + db.value(sql.postponed, frozenset(given), network=network, now=db.now) // most


def correct(db, event, form, nonce, email, client, base_url):
    """Replace the address of the draft of a form. Return (whether that is possible, the id of the new draft or None).

    The links in mails to the wrong address open nothing any more. An address can be corrected CORRECTIONS times.
    Nothing changes if the address is the same, or if the draft is confirmed or was deleted.
    """
    draft = db.one(sql.latest, nonce=nonce, event_id=event["id"], form=form)
    if draft is None or draft["fields"] is None or draft["email"] == email:
        return True, None
    number = int(draft["nonce"].partition(".")[2] or 0) + 1
    if number > CORRECTIONS:
        return False, None
    db.run(sql.replace, id=draft["id"])
    db.run(sql.drop_secrets, id=draft["id"])
    mails.withdraw(db, KIND, ENTITY, draft["id"])
    fields = {**json.loads(draft["fields"]), "email": email}
    return True, _add(db, event, form, fields, f"{nonce}.{number}", draft["language"], client, base_url)


def _address(db, email):
    """Return a keyed hash of an address without its tag: ada+fair@example.org is ada@example.org."""
    name, _, domain = email.rpartition("@")
    return link_secrets.address_hash(db, f"{name.partition('+')[0] or name}@{domain}")


def _network(key, client):
    """Return a keyed hash of the network of a client: its IPv4 address, or the /64 of its IPv6 address."""
    address = ip_address(client) if client else ip_address("0.0.0.0")
    network = str(address) if address.version == 4 else str(ip_network(f"{address}/64", strict=False))
    return hmac.new(key, network.encode(), sha256).hexdigest()[:32]


# The link in the mail

def new_secret(db, id):
    """Make a secret for the link of a draft, store its hash and return it. None if there is nothing to confirm."""
    with db.write():
        draft = db.one(sql.get, id=id)
        if draft is None or draft["confirmed_at"] or draft["fields"] is None:
            return None
        return add_secret(db, id)


def add_secret(db, id, way="mailed"):
    """Make a secret for the link of a draft, store its hash and return it. Call this inside a write transaction.

    `way` is shown if the page shows the link, since this server cannot send mail. That proves no address.
    """
    return link_secrets.add(db, way=way, draft_id=id)


def get(db, id):
    """Return the draft of a link with its `event_key`, or None."""
    return db.one(sql.get, id=id)


def confirm(db, draft, show, base_url, *, way="mailed"):
    """Make the application of a draft whose address is confirmed, and return (its link, whether it is a new one).

    The secrets of the draft become those of the link. `show` is the result of `directory.show` or None, `base_url` the
    public address, `way` that of the secret: one that was shown confirms no address. An address that has applied or
    registered already gets the link of that application. Raise 422 or 409 if the form has changed so that the
    application is not valid any more, and 409 `link_revoked` if the office has revoked a link of the address at this
    event.
    """
    email, fields = draft["email"], json.loads(draft["fields"])
    reach.refuse_closed_at_event(db, email, draft["event_id"])
    id, is_new = draft["form"] == "visit" and visitors.registered(db, email, draft["event_id"]), False
    if not id:
        try:
            asked = fields["custom_fields"].keys() if draft["form"] == "visit" else None
            id = applications.create(db, {**fields, "late": True}, by_form=True, asked=asked)["id"]
            is_new = True
        except Problem as problem:
            if problem.code != "duplicate":
                raise
            id = problem.members["application_id"]
    if way == "mailed":
        applications.confirm_email(db, id)
    application = applications.get(db, id)
    link = links.of_person(db, "application", id, email) or links.create(
        db, "application", event_id=draft["event_id"], application_id=id, email=email, language=draft["language"],
        name=" ".join(filter(None, (application["first_name"], application["last_name"]))) or None)
    ends = times.after(db.now, link_secrets.MAILED)
    db.run(sql.hand_over, id=draft["id"], link_id=link["id"], email=email, expires_at=ends)
    db.run(sql.confirm, id=draft["id"], application_id=id, now=db.now)
    if is_new and draft["form"] == "visit":
        visitors.admit(db, show, application, base_url)
    return link, is_new


# Upkeep

def delete_old(db):
    """Delete confirmed drafts after two days and others after a week, with their secrets. Return their number."""
    with db.write():
        return db.run(sql.drop_old, week=times.after(db.now, -WEEK), two_days=times.after(db.now, -TWO_DAYS),
                      size=BATCH)
