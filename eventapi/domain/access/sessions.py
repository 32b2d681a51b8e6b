"""Sessions: what the secret of a link, or an API key at the desk, opens in a browser.

Only hashes are stored.
"""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from eventapi import times
from eventapi.storage.statements import statements

sql = statements("sessions")

IDLE, OWN_DEVICE, WEEK = timedelta(hours=12), timedelta(days=60), timedelta(days=7)
ENDED = timedelta(days=7)  # how long ended ones are kept
HOUR = len("2026-05-01T09")  # the use of a session is recorded once per hour


def add(db, *, link_id=None, api_key_id=None, way=None, mailed_to=None, own_device=False):
    """Open a session of a link or of an API key.

    Return its secret, `evs_` and 192 random bits, for the cookie.
    """
    secret = f"evs_{secrets.token_urlsafe(24)}"
    db.insert(
        sql.add,
        session_hash=_hash(secret),
        link_id=link_id,
        api_key_id=api_key_id,
        way=way,
        mailed_to=mailed_to,
        own_device=int(own_device),
        now=db.now,
    )
    return secret


def find(db, secret):
    """Return the session with the plan and features of the tenant, and with its API key; or None."""
    return db.one(sql.find, session_hash=_hash(secret), now=times.now())


def _hash(secret):
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def is_open(session, kind):
    """Return whether a session has neither ended nor been idle for too long.

    That of a door ends with its link.
    """
    if session["ended_at"] or not session["key_is_valid"]:
        return False
    now, used, opened = map(
        datetime.fromisoformat, (times.now(), session["last_used_at"], session["created_at"])
    )
    if kind == "door":
        return True
    if kind == "admin" and now - opened > WEEK:
        return False
    return now - used <= (OWN_DEVICE if session["own_device"] and kind != "admin" else IDLE)


def is_first(db, link):
    """Return whether no session of a link was ever opened."""
    return db.value(sql.known_device, link_id=link["id"]) is None


def of_link(db, link):
    """Return the rows of the open sessions of a link."""
    return db.all(sql.of_link, link_id=link["id"])


def end(db, session):
    """End a session."""
    db.run(sql.end, id=session["id"], now=db.now)


def needs_touch(session):
    """Return whether the use of a session in this hour is not recorded yet."""
    return session["last_used_at"][:HOUR] != times.now()[:HOUR]


def touch(db, session):
    """Record the use of a session."""
    db.run(sql.touch, id=session["id"], now=db.now)


# Forms that were sent from a session


def sent_form(db, owner, form_id):
    """Return (fingerprint, location) of a form that was sent before, or None."""
    return db.one(sql.sent_form, owner=owner, form_id=form_id)


def keep_form(db, owner, form_id, fingerprint, location):
    """Remember where a form has led."""
    db.run(
        sql.keep_form,
        owner=owner,
        form_id=form_id,
        fingerprint=fingerprint,
        location=location,
        now=db.now,
    )


# Upkeep


def delete_old(db, size):
    """Delete sessions some days after their end, and forms a day after they were sent.

    Return their number.
    """
    with db.write():
        now = datetime.fromisoformat(db.now)
        ended, unused, day = (
            times.text(now - age) for age in (ENDED, OWN_DEVICE + ENDED, timedelta(days=1))
        )
        return db.run(sql.drop_old, ended=ended, unused=unused, size=size) + db.run(
            sql.drop_forms, before=day, size=size
        )
