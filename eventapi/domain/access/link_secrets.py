"""Secrets of links.

Only their hashes are stored, so neither the database nor a backup opens anything.

A secret is `evl_` and 192 random bits. It belongs to a link, to the draft of an application, or to a
person of the office, and was mailed to an address or shown to somebody of the office.
"""

import hmac
import re
import secrets
from datetime import timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network

from eventapi import times
from eventapi.storage.statements import statements

sql = statements("links")

SECRET = re.compile(r"evl_[A-Za-z0-9_-]{32}")
MOST = 20  # secrets of a link, or of a person; the oldest goes
MAILED = timedelta(days=14)  # how long a secret opens its link
SHOWN = timedelta(minutes=10)  # the same for a door whose QR code is on a screen


def form_key(db):
    """Return the key of the tokens in forms and of hashes of addresses, 32 random bytes."""
    return db.value(sql.form_key)


def address_hash(db, email):
    """Return a keyed hash of an e-mail address, in lower case."""
    return hmac.new(form_key(db), email.strip().lower().encode(), sha256).hexdigest()


def networks(key, client):
    """Return keyed hashes of two networks of a client: its IPv4 address and None, or the /64 and
    /48 of its IPv6.
    """
    address = ip_address(client) if client else ip_address("0.0.0.0")
    if address.version == 4:
        return _keyed(key, str(address)), None
    return tuple(
        _keyed(key, str(ip_network(f"{address}/{bits}", strict=False))) for bits in (64, 48)
    )


def _keyed(key, text):
    return hmac.new(key, text.encode(), sha256).hexdigest()[:32]


def hash_of(secret):
    """Return what is stored of a secret."""
    return sha256(secret.encode()).hexdigest()


def add(
    db, *, way, link_id=None, draft_id=None, admin_id=None, scopes=None, mailed_to=None, lasts=None
):
    """Make a secret, store its hash and return it. Call this inside a write transaction.

    `way` is mailed or shown, `lasts` a timedelta; None: as long as its link or its draft. `scopes`
    are those of the session of a person; None: the rights of the person.
    """
    secret = f"evl_{secrets.token_urlsafe(24)}"
    ends = lasts and times.after(db.now, lasts)
    db.run(
        sql.add_secret,
        secret_hash=hash_of(secret),
        link_id=link_id,
        draft_id=draft_id,
        admin_id=admin_id,
        scopes=None if scopes is None else " ".join(scopes),
        way=way,
        mailed_to=mailed_to,
        expires_at=ends,
        now=db.now,
    )
    if link_id is not None:
        db.run(sql.surplus_secrets, link_id=link_id, most=MOST)
    if admin_id is not None:
        db.run(sql.surplus_secrets_of_admin, admin_id=admin_id, most=MOST)
    return secret


def find(db, secret):
    """Return the row of a secret, also of one that has expired, or None."""
    return db.one(sql.secret, secret_hash=hash_of(secret)) if SECRET.fullmatch(secret) else None


def is_live(row, now):
    """Return whether a secret opens its link at a time."""
    return row["expires_at"] is None or row["expires_at"] > now


def use_up(db, row):
    """End a secret that may be used once only. Its page offers a new one, as that of an old one."""
    db.run(sql.use_up_secret, secret_hash=row["secret_hash"], now=db.now)


def drop(db, row):
    """Delete a secret that may be used once only."""
    db.run(sql.drop_secret, secret_hash=row["secret_hash"])
