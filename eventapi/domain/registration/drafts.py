"""Drafts of applications: what the form of a public page has sent, until its e-mail address is confirmed.

A draft is no application: no webhook, search or export has it. The link in the mail confirms the address and makes the
application. Only hashes of the secrets in links are stored; the worker makes a secret while it sends the mail.
"""
import hmac
import json
from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network

from eventapi import times
from eventapi.domain.access import link_secrets
from eventapi.domain.access.link_secrets import form_key
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail import words as mail_words
from eventapi.domain.people import applications
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("drafts")

KIND = "application_confirmation"
ENTITY = entities.APPLICATION_DRAFT.entity_type
LARGEST = 32_000                        # characters of the fields of a draft
PER_HOUR = 30                           # drafts of a network in an hour, after which their mails wait
PER_DAY = 3                             # mails to an address in a day
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
WEEK, TWO_DAYS = timedelta(days=7), timedelta(days=2)
BATCH = 500


def state(db, pages, event):
    """Return whether the application form of an event is `open`, `closed` since its deadline, or `full`.

    Return None if it is not meant to be open.
    """
    if not pages["apply_is_open"]:
        return None
    if (event["deadline_at"] or event["over_at"]) < times.now():
        return "closed"
    capacity = pages["apply_capacity"]
    return "full" if capacity and db.value(sql.applications, event_id=event["id"]) >= capacity else "open"


def store(db, event, fields, nonce, language, client, base_url):
    """Store a draft, queue the mail that asks to confirm its address, and return its id.

    The same form again changes nothing, and returns None. Without a mail server, nothing is queued.

    `fields` is a complete body of POST /applications that `applications.check_form` has accepted, `nonce` that of the
    form, `client` the address of the client. Mails of a network that sends many wait, so that others do not; an
    address gets few a day. Raise 413 for fields that are too long.
    """
    text = as_json(fields)
    if len(text) > LARGEST:
        raise Problem("body_too_large", f"All fields together may have at most {LARGEST} characters.")
    network = _network(form_key(db), client)
    hourly = db.value(sql.of_network, network=network, since=_before(db, HOUR))
    daily = db.value(sql.of_address, email=fields["email"], since=_before(db, DAY))
    if db.value(sql.known, nonce=nonce):
        return None
    id = db.insert(sql.add, event_id=event["id"], nonce=nonce, fields=text, email=fields["email"], network=network,
                   language=language, now=db.now)
    if daily >= PER_DAY or not mails.is_configured(db.config):
        return id
    subject = mail_words.WORDS[language][f"{KIND}_subject"].format(title=event["title"])
    wait = timedelta(hours=hourly // PER_HOUR)
    mails.add(db, KIND, ENTITY, id, fields["email"], subject, base_url=base_url, language=language,
              next_at=times.text(datetime.fromisoformat(db.now) + wait) if wait else None)
    return id


def _before(db, age):
    return times.text(datetime.fromisoformat(db.now) - age)


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
        if draft is None or draft["confirmed_at"]:
            return None
        return add_secret(db, id)


def add_secret(db, id):
    """Make a secret for the link of a draft, store its hash and return it. Call this inside a write transaction."""
    return link_secrets.add(db, way="mailed", draft_id=id)


def get(db, id):
    """Return the draft of a link with its `event_key`, or None."""
    return db.one(sql.get, id=id)


def confirm(db, draft):
    """Make the application of a draft, and return its id. A confirmed draft returns the one that it has.

    The deadline counts when the form is sent. An open application of the same address stays as it is, and its id is
    returned. Raise 422 if the event or a category cannot be chosen any more.
    """
    if draft["confirmed_at"]:
        return draft["application_id"]
    try:
        id = applications.create(db, {**json.loads(draft["fields"]), "late": True}, by_form=True)["id"]
    except Problem as problem:
        if problem.code != "duplicate":
            raise
        id = problem.members["application_id"]
    db.run(sql.confirm, id=draft["id"], application_id=id, now=db.now)
    return id


# Upkeep

def delete_old(db):
    """Delete confirmed drafts after two days and others after a week, with their secrets. Return their number."""
    with db.write():
        return db.run(sql.drop_old, week=_before(db, WEEK), two_days=_before(db, TWO_DAYS), size=BATCH)
