"""Signing in to the desk: with a password, a link, or an API key, and with the code of a second factor.

A password is hashed between two transactions: the first counts the try, the second opens the session.
Whatever is wrong with an address or a password has the same outcome, the same statements and the same
hash. The outcome is a session (Entered), a code that is missing (Pending), or a Refused.

- `by_password`, `by_code` and `by_key` open their transactions themselves.
- `by_link` is called inside one.
"""

import hmac
import secrets
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from eventapi import journal, times
from eventapi.domain.access import (
    api_keys,
    attempts,
    link_secrets,
    notices,
    passwords,
    people,
    sessions,
    totp,
)
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.database import Nobody
from eventapi.storage.statements import statements

sql = statements("signing_in")
keys = statements("api_keys")

CODE_IS_WAITED_FOR = timedelta(minutes=5)
CODES = 5  # wrong codes after one password or link
SESSIONS = 20  # of a person; the oldest ends
HOUR = timedelta(hours=1)
NOBODY = {"id": None, "name": None}  # who was refused: the address that was typed proves nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who signs in, as the request says it.

    `address` is the IP address, `agent` the browser. `session` is the secret of the session at the
    desk that the browser has already. `known` returns the value of its cookie `known` of an admin.
    """

    address: str | None
    agent: str | None
    request_id: str | None
    session: str | None = None
    known: Callable[[int], str | None] = lambda admin_id: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """The actor of the journal while a person signs in."""

    admin_id: int | None
    admin_name: str | None
    request_id: str | None
    address: str | None
    agent: str | None
    key_id: int | None = None
    scopes: frozenset = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A session that was opened.

    `session` and `known` are the values of two cookies; there is no `known` with an API key. `stay`
    says that the person stays signed in on this device, `next` is the page of the desk that follows.
    """

    admin_id: int
    session: str
    known: str | None = None
    stay: bool = False
    is_first: bool = False
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A code of the second factor is missing. `secret` names what was shown already, for `by_code`."""

    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nobody has signed in.

    `reason` is one of:
    - wrong: the address or the password; for a link, it opens nothing any more;
    - code_missing: the second factor needs a code, and none was sent with the password;
    - code_wrong: the code; what was shown before it still counts;
    - ended: the code comes too late, or too many were wrong; the person has to begin again;
    - key_wrong, key_narrow: the API key, or its scopes;
    - limit: there were too many tries; the next one is possible at `until`.
    """

    reason: str
    until: str | None = None


# Ways in


def by_password(writer, *, email, password, visitor, stay=False, next="", code=None):
    """Sign somebody in with address and password, and return Entered, Pending or Refused.

    The caller has checked the form's token and its Origin. `writer` is `connections.writer()`, and
    no transaction may be open: this opens two of its own, with a hash of 0.3 s between them. Without
    `code`, a person with a second factor gets Pending, for the page that asks for the code. A form
    that has a field for it sends its text, also an empty one: then the outcome is Entered or
    Refused, and all of it is one try. Raise 503 `unavailable` while others are hashed.
    """
    with transaction(writer) as db:
        person = db.one(sql.by_address, email=email.strip())
        attempt = count_password(db, email, person, visitor)
        if isinstance(attempt, Refused):
            return attempt

    stored = person and person["password_hash"]
    if not is_right_password(writer, attempt, stored, password):
        return Refused(reason="wrong")
    renewed = passwords.hashed(password) if passwords.needs_renewal(stored) else None

    with transaction(writer) as db:
        person = db.one(sql.active, id=person["id"])
        if person is None or person["password_hash"] != stored:
            return Refused(reason="wrong")  # changed meanwhile
        attempts.take_back(db, attempt)
        if renewed:
            db.run(sql.renew_password, id=person["id"], password_hash=renewed, old_hash=stored)
        shown = {"way": "password", "scopes": None, "stay": stay, "next": next}
        if person["totp_secret"] is None:
            return _enter(db, person, shown, visitor)
        if code is None:
            return _ask_for_code(db, person, shown)
        if not code.strip():
            return Refused(reason="code_missing")
        refused = _take_code(db, person, code, visitor)
        return refused or _enter(db, person, shown, visitor, with_code=True)


def by_code(writer, *, secret, code, visitor):
    """Sign somebody in with a code, after the password or the link, and return Entered or Refused.

    `secret` is that of Pending. It opens one transaction of its own.
    """
    with transaction(writer) as db:
        secret_hash = _hash(secret)
        shown = db.one(sql.pending, secret_hash=secret_hash, now=db.now)
        person = shown and db.one(sql.active, id=shown["admin_id"])
        if person is None or person["totp_secret"] is None:
            return Refused(reason="ended")
        refused = _take_code(db, person, code, visitor)
        if refused is None:
            db.run(sql.drop_pending, secret_hash=secret_hash)
            return _enter(db, person, shown, visitor, with_code=True)
        if refused.reason == "code_wrong":
            db.run(sql.count_pending, secret_hash=secret_hash)
            if shown["tries"] + 1 >= CODES:
                db.run(sql.drop_pending, secret_hash=secret_hash)
                return Refused(reason="ended")
        return refused


def person_of_link(db, row):
    """Return the person whom the secret of a link lets in, or None.

    `row` is what link_secrets.find returns, and the secret must not have expired.
    """
    if row is None or row["admin_id"] is None or not link_secrets.is_live(row, times.now()):
        return None
    person = db.one(sql.active, id=row["admin_id"])
    if person is None or (person["role"] is None and row["scopes"] is None):
        return None
    return person


def by_link(db, row, *, visitor, stay=False):
    """Use the secret of a link up, and return Entered, Pending or Refused.

    Call this inside a write transaction. `row` is what link_secrets.find returns inside it.
    """
    person = person_of_link(db, row)
    if person is None:
        return Refused(reason="wrong")
    link_secrets.use_up(db, row)
    shown = {"way": row["way"], "scopes": row["scopes"], "stay": stay, "next": ""}
    if person["totp_secret"] is not None:
        return _ask_for_code(db, person, shown)
    return _enter(db, person, shown, visitor)


def by_key(writer, *, key, visitor):
    """Sign the admin of an API key in, and return Entered or Refused.

    It opens one transaction of its own. Keys that stand in web pages, and everybody can read, open
    nothing. There is no second factor: a key is for programs and emergencies.
    """
    with transaction(writer) as db:
        return _enter_by_key(db, key, visitor)


def _enter_by_key(db, key, visitor):
    tried = attempts.of_person(db, "", visitor.address)
    until = attempts.free_at(db, "key", tried)
    if until:
        return Refused(reason="limit", until=until)
    row = db.one(keys.identify, key_hash=api_keys.key_hash(key), now=db.now) if key else None
    if row is None:
        attempts.take(db, "key", tried)
        return Refused(reason="key_wrong")
    if _is_narrow(row["scopes"].split()):
        return Refused(reason="key_narrow")

    person = {"id": row["admin_id"], "name": row["admin_name"]}
    db.actor = acting(person, visitor, key_id=row["id"])
    _end_session_of_browser(db, visitor)
    secret = sessions.add(db, api_key_id=row["id"], way="shown", agent=visitor.agent)
    _journal(db, person, "signed_in", way="key", code=False)
    return Entered(admin_id=person["id"], session=secret)


def _is_narrow(scopes):
    """Return whether a key may only create, or read what is public."""
    return all(scope == "public" or scope.endswith(":create") for scope in scopes)


def sign_out(db, session):
    """End a session at the desk, and journal that. Call this inside a write transaction."""
    sessions.end(db, session)
    person = {"id": session["admin_id"], "name": session["admin_name"]}
    _journal(db, person, "signed_out")


def is_right_password(writer, attempt, stored, password):
    """Return whether a password is the stored one, for a try that was counted.

    Raise 503 `unavailable` while others are hashed: nothing was tried then, and nothing counts.
    """
    try:
        return passwords.is_right(stored, password)
    except Problem:
        with transaction(writer) as db:
            attempts.take_back(db, attempt)
        raise


def count_password(db, email, person, visitor):
    """Count a try with an address, and return its id, or Refused. `person` has the address, if
    anybody has.
    """
    tried = attempts.of_address(db, email, visitor.address)
    return _count(db, "password", tried, person, visitor)


def _count(db, kind, tried, person, visitor):
    is_known = _is_known(db, visitor, person)
    until = attempts.free_at(db, kind, tried, is_known=is_known)
    if until:
        _record_refusal(db, person, visitor)
        return Refused(reason="limit", until=until)
    return attempts.take(db, kind, tried, is_known=is_known)


# The second factor


def _ask_for_code(db, person, shown):
    """Keep for some minutes what somebody has shown, and return Pending.

    Only the hash of its secret is stored: nobody can make one from a backup.
    """
    secret = secrets.token_urlsafe(24)
    db.run(
        sql.add_pending,
        secret_hash=_hash(secret),
        admin_id=person["id"],
        stay=int(shown["stay"]),
        way=shown["way"],
        scopes=shown["scopes"],
        next=shown["next"],
        expires_at=times.after(db.now, CODE_IS_WAITED_FOR),
    )
    return Pending(secret=secret)


def _take_code(db, person, code, visitor):
    """Use up a code of a person, or a recovery code. Return Refused if it is not right, else None."""
    kind = "recovery" if totp.is_recovery_code(code) else "code"
    tried = attempts.of_person(db, person["id"], visitor.address)
    is_known = _is_known(db, visitor, person)
    attempt = _count(db, kind, tried, person, visitor)
    if isinstance(attempt, Refused):
        return attempt

    if kind == "recovery":
        is_right = _take_recovery_code(db, person, code, visitor)
    else:
        step = totp.matching_step(person["totp_secret"], code, db.now)
        is_right = step is not None and db.run(
            sql.take_step, id=person["id"], secret=person["totp_secret"], step=step
        )
    if is_right:
        attempts.take_back(db, attempt)
        return None
    if attempts.free_at(db, kind, tried, is_known=is_known):
        _record_refusal(db, person, visitor, tells=True)
    return Refused(reason="code_wrong")


def _take_recovery_code(db, person, code, visitor):
    code_hash = totp.recovery_hash(code)
    if not db.run(sql.take_recovery_code, admin_id=person["id"], code_hash=code_hash, now=db.now):
        return False
    left = db.value(sql.recovery_codes_left, admin_id=person["id"])
    db.actor = acting(person, visitor)
    _journal(db, person, "recovery_code_used", left=left)
    notices.tell(db, "recovery_code_used", admin_id=person["id"], details={"left": left})
    return True


def take_code(db, person_id, code, visitor):
    """Use up a code of a person who is signed in, as a proof. Return Refused or None.

    Call this inside a write transaction. A person without a second factor has no right code.
    """
    person = db.one(sql.active, id=person_id)
    if person is None or person["totp_secret"] is None:
        return Refused(reason="code_wrong")
    return _take_code(db, person, code, visitor)


# The session


def _enter(db, person, shown, visitor, *, with_code=False):
    """Open the session of a person. Its earlier one in this browser ends, and the oldest beyond
    SESSIONS.
    """
    db.actor = acting(person, visitor)
    _end_session_of_browser(db, visitor)
    scopes = shown["scopes"]
    secret = sessions.add(
        db,
        admin_id=person["id"],
        scopes=None if scopes is None else scopes.split(),
        way=shown["way"],
        own_device=bool(shown["stay"]),
        agent=visitor.agent,
    )
    for row in sessions.of_admin(db, person["id"])[:-SESSIONS]:
        sessions.end_at_desk(db, row)
    way = "password" if shown["way"] == "password" else "link"
    _journal(db, person, "signed_in", way=way, code=with_code)

    # by the password that it had at the beginning: its hash may have been renewed in between
    if person["last_seen_at"] and not _is_known(db, visitor, person):
        details = {"agent": visitor.agent, "address": visitor.address}
        notices.tell(db, "new_device", admin_id=person["id"], details=details)
    if scopes is None:
        people.record_sign_in(db, person["id"])
    return Entered(
        admin_id=person["id"],
        session=secret,
        known=known_value(db, person["id"]),
        stay=bool(shown["stay"]),
        is_first=scopes is None and person["last_seen_at"] is None,
        next=shown["next"],
    )


def _end_session_of_browser(db, visitor):
    old = sessions.find(db, visitor.session) if visitor.session else None
    if old:
        sessions.end(db, old)


# Browsers in which a person has signed in before


def known_value(db, admin_id):
    """Return a new value of the cookie `known` of an admin: a nonce, and a keyed hash of it.

    It proves nothing but that this browser is not a new one. A changed password voids it.
    """
    nonce = secrets.token_urlsafe(12)
    password_hash = db.one(sql.active, id=admin_id)["password_hash"]
    return f"{nonce}.{_known_hash(link_secrets.form_key(db), admin_id, nonce, password_hash)}"


def _is_known(db, visitor, person):
    value = (visitor.known(person["id"]) if person else None) or ""
    nonce, _, given = value.partition(".")
    key = link_secrets.form_key(db)
    admin_id, password_hash = (person["id"], person["password_hash"]) if person else (0, None)
    right = _known_hash(key, admin_id, nonce, password_hash)
    return hmac.compare_digest(right.encode(), given.encode("utf-8", "replace"))


def _known_hash(key, admin_id, nonce, password_hash):
    of_password = _hash(password_hash or "")
    text = f"known {admin_id} {nonce} {of_password}"
    return hmac.new(key, text.encode("utf-8", "replace"), sha256).hexdigest()


# What is written


@contextmanager
def transaction(writer):
    """Open a write transaction in which nobody acts yet."""
    with writer.write() as db:
        db.actor = Nobody
        try:
            yield db
        finally:
            db.actor = Nobody


def _record_refusal(db, person, visitor, *, tells=False):
    """Journal that a limit has stopped somebody, once an hour and person, and never for an address
    that nobody has.

    `tells`: who knows codes that are wrong knows the password. The person is told.
    """
    since = times.after(db.now, -HOUR)
    if person is None or db.value(sql.was_refused, id=person["id"], since=since):
        return
    db.actor = acting(NOBODY, visitor)
    _journal(db, person, "sign_in_refused")
    if tells:
        notices.tell(
            db, "code_guessing", admin_id=person["id"], details={"address": visitor.address}
        )


def _journal(db, person, action, **new):
    journal.administered(
        db, entities.ADMIN, action, person["id"], title=person["name"], new=new or None
    )


def acting(person, visitor, *, key_id=None):
    """Return a person as the actor of the journal."""
    return Acting(
        admin_id=person["id"],
        admin_name=person["name"],
        request_id=visitor.request_id,
        address=visitor.address,
        agent=visitor.agent,
        key_id=key_id,
    )


def _hash(text):
    return sha256(text.encode("utf-8", "replace")).hexdigest()


# Upkeep


def delete_old(db, size):
    """Delete what somebody has shown and never completed with a code, at most `size`."""
    with db.write():
        return db.run(sql.drop_old_pending, now=db.now, size=size)
