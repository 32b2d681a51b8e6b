"""Sessions: what the secret of a link opens in a browser, and at the desk a person or an API key.

Only hashes are stored.
"""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from eventapi import journal, times
from eventapi.domain.records import entities
from eventapi.errors import not_found
from eventapi.storage.statements import statements

sql = statements("sessions")

IDLE, OWN_DEVICE = timedelta(hours=12), timedelta(days=60)
# at the desk, after signing in: elsewhere, and on the own device
WEEK, MONTH = timedelta(days=7), timedelta(days=30)
ENDED = timedelta(days=7)  # how long ended ones are kept
HOUR = len("2026-05-01T09")  # the use of a session is recorded once per hour


def add(
    db,
    *,
    link_id=None,
    api_key_id=None,
    admin_id=None,
    scopes=None,
    way=None,
    mailed_to=None,
    own_device=False,
    agent=None,
):
    """Open a session of a link, of an API key or of a person.

    `scopes` are those of the session of a person; None: the rights of the person at each request.
    `way` is password, mailed or shown, `agent` the browser. Return its secret, `evs_` and 192
    random bits, for the cookie.
    """
    secret = f"evs_{secrets.token_urlsafe(24)}"
    db.insert(
        sql.add,
        session_hash=_hash(secret),
        link_id=link_id,
        api_key_id=api_key_id,
        admin_id=admin_id,
        scopes=None if scopes is None else " ".join(scopes),
        way=way,
        mailed_to=mailed_to,
        own_device=int(own_device),
        agent=agent,
        now=db.now,
    )
    return secret


def find(db, secret):
    """Return the session with the plan and features of the tenant; or None.

    One at the desk has `admin_id`, `admin_name`, `admin_language`, and `scopes`: what it may do at
    this moment, as text.
    """
    return db.one(sql.find, session_hash=_hash(secret), now=times.now())


def _hash(secret):
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def is_open(session, kind):
    """Return whether a session has neither ended nor lasted or been idle for too long.

    That of a door ends with its link. On the own device, that of a person ends 30 days after
    signing in, whether it is used or not.
    """
    if session["ended_at"] or not session["key_is_valid"]:
        return False
    now, used, opened = map(
        datetime.fromisoformat, (times.now(), session["last_used_at"], session["created_at"])
    )
    if kind == "door":
        return True
    if kind == "admin":
        if session["own_device"]:
            return now - opened <= MONTH
        return now - opened <= WEEK and now - used <= IDLE
    return now - used <= (OWN_DEVICE if session["own_device"] else IDLE)


def is_first(db, link):
    """Return whether no session of a link was ever opened."""
    return db.value(sql.known_device, link_id=link["id"]) is None


def of_link(db, link):
    """Return the rows of the open sessions of a link."""
    return db.all(sql.of_link, link_id=link["id"])


def at_desk(db, admin_id=None):
    """Return the open sessions of the desk, or those of an admin there, as rows.

    Each has id, `admin_id`, `admin_name`, `opened_by` (key, link or password), `way`, `agent` and
    times.
    """
    given = frozenset() if admin_id is None else frozenset({"admin_id"})
    rows = db.all(sql.at_desk, given, admin_id=admin_id, now=times.now())
    return [row for row in rows if is_open(row, "admin")]


def of_admin(db, admin_id):
    """Return the open sessions that a person has opened, not those of its API keys, as `at_desk`
    does.
    """
    return [row for row in at_desk(db, admin_id) if row["api_key_id"] is None]


def end_by_id(db, id):
    """End a session of the desk, and journal that. Raise 404 if no such session is open."""
    row = next((row for row in at_desk(db) if row["id"] == id), None)
    if row is None:
        raise not_found("session of the desk", id)
    end_at_desk(db, row)


def end_at_desk(db, row):
    """End a session of the desk, a row of `at_desk`, and journal that."""
    end(db, row)
    kind, id = entities.ADMIN, row["admin_id"]
    if row["api_key_id"]:
        kind, id = entities.API_KEY, row["api_key_id"]
    title = f"session {row['id']} of {row['admin_name']}"
    journal.administered(db, kind, "session_ended", id, title=title)


def end_of_admin(db, admin_id):
    """End all sessions of an admin at the desk, also those of its API keys."""
    db.run(sql.end_of_admin, admin_id=admin_id, now=db.now)


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
        ended = db.run(
            sql.drop_old,
            ended=times.after(db.now, -ENDED),
            unused=times.after(db.now, -(OWN_DEVICE + ENDED)),
            begun=times.after(db.now, -(MONTH + ENDED)),
            begun_elsewhere=times.after(db.now, -(WEEK + ENDED)),
            size=size,
        )
        a_day_ago = times.after(db.now, -timedelta(days=1))
        return ended + db.run(sql.drop_forms, before=a_day_ago, size=size)
