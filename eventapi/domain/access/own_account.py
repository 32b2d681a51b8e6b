"""What people of the office change about their own account: the password and the second factor.

They do it in a session with their own rights. A session of an API key, or one with fewer rights, must
not open a way to more.
"""

from dataclasses import dataclass
from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.access import attempts, notices, passwords, people, signing_in, totp
from eventapi.domain.access.signing_in import Refused, transaction
from eventapi.domain.records import entities
from eventapi.errors import Problem
from eventapi.storage.statements import statements

sql = statements("signing_in")

BY_LINK = ("mailed", "shown")  # ways into a session
FORGOTTEN = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The account was changed.

    `known` is the new value of the cookie `known`, `codes` are new recovery codes, which nobody can
    read again.
    """

    known: str | None = None
    codes: tuple[str, ...] = ()


def is_own(db, session):
    """Return whether a session at the desk has the rights of its person, and may change the account."""
    return db.value(sql.is_own, id=session["id"]) is not None


def require_own(db, session):
    """Raise 403 unless the session may change the account of its person."""
    if not is_own(db, session):
        raise Problem(
            "insufficient_scope",
            "This session was opened with an API key or with fewer rights than yours. Sign in "
            "with your address to change your account.",
            scope="account",
        )


# The password


def needs_old_password(session, person, now):
    """Return whether the person of a session types the old password to change it.

    It does if there is one, but for half an hour after it came in by a link: that is the way of
    people who have forgotten theirs.
    """
    is_fresh = session["way"] in BY_LINK and times.after(session["created_at"], FORGOTTEN) > now
    return person["password_hash"] is not None and not is_fresh


def set_password(writer, *, session, old, new, visitor):
    """Set or change the password of the person of a session, and end its other sessions.

    Links that were not opened yet end as well. Return Changed or Refused; its reason is one of
    passwords.fault as well. Changing one may need the old one. As signing_in.by_password, this
    opens its own transactions. Raise 403, 503.
    """
    return _replace_password(writer, session, old, new, visitor)


def remove_password(writer, *, session, old, visitor):
    """Remove the password of the person of a session, who signs in with mailed links from now on.

    Return Changed or Refused. Its other sessions end. Raise 403, 503, and 409 without a mail server.
    """
    if not notices.can_mail(writer.config):
        raise Problem(
            "mail_not_configured",
            "Without a mail server, nobody could sign in without a password. Change it instead.",
        )
    return _replace_password(writer, session, old, None, visitor)


def _replace_password(writer, session, old, new, visitor):
    with transaction(writer) as db:
        person = _person(db, session, visitor)
        stored = person["password_hash"]
        is_asked = needs_old_password(session, person, db.now)
        if new is not None and (fault := _fault(db, person, new)):
            return Refused(reason=fault)
        attempt = None
        if is_asked:
            attempt = signing_in.count_password(db, person["email"], person, visitor)
        if isinstance(attempt, Refused):
            return attempt

    if is_asked and not signing_in.is_right_password(writer, attempt, stored, old):
        return Refused(reason="wrong")
    password_hash = None if new is None else passwords.hashed(new)

    with transaction(writer) as db:
        person = _person(db, session, visitor)
        is_set = db.run(
            sql.set_password, id=person["id"], password_hash=password_hash, old_hash=stored
        )
        if not is_set:
            return Refused(reason="wrong")  # changed meanwhile
        if attempt:
            attempts.take_back(db, attempt)
        people.end_sessions(db, person["id"], but=session["id"])
        people.end_links(db, person["id"])
        _journal(db, person, "password_removed" if new is None else "password_set")
        details = {"is_removed": True} if new is None else None
        notices.tell(db, "password_changed", admin_id=person["id"], details=details)
        return Changed(known=signing_in.known_value(db, person["id"]))


def _fault(db, person, password):
    return passwords.fault(
        password,
        name=person["name"],
        email=person["email"],
        organiser=db.config.organiser_name,
    )


# The second factor. These functions are called inside a write transaction.


def add_factor(db, *, session, secret, code, visitor):
    """Add a second factor, which a code of it confirms, and return Changed with recovery codes.

    Return Refused if the code is not right: it counts as used. Raise 403, and 409
    `invalid_transition` if there is one already.
    """
    person = _person(db, session, visitor)
    if person["totp_secret"] is not None:
        raise Problem(
            "invalid_transition",
            "The account has a second factor already. Remove it first.",
        )
    step = totp.matching_step(secret, code, db.now) if totp.is_secret(secret) else None
    if step is None or not db.run(sql.set_factor, id=person["id"], secret=secret, step=step):
        return Refused(reason="code_wrong")
    db.run(sql.drop_pending_of_admin, admin_id=person["id"])
    _journal(db, person, "factor_added")
    notices.tell(db, "factor_added", admin_id=person["id"])
    return Changed(codes=_new_recovery_codes(db, person))


def remove_factor(db, *, session, code, visitor):
    """Remove the second factor, and return Changed, or Refused unless the code is right. Raise 403."""
    refused = _refused(db, session, code, visitor)
    if refused:
        return refused
    person = _person(db, session, visitor)
    db.run(sql.remove_factor, id=person["id"])
    db.run(sql.drop_recovery_codes, admin_id=person["id"])
    db.run(sql.drop_pending_of_admin, admin_id=person["id"])
    _journal(db, person, "factor_removed")
    notices.tell(db, "factor_removed", admin_id=person["id"])
    return Changed()


def renew_recovery_codes(db, *, session, code, visitor):
    """Make new recovery codes, which void the old ones, and return Changed with them.

    Return Refused unless the code is right: they open the account without the second factor. Raise
    403.
    """
    refused = _refused(db, session, code, visitor)
    if refused:
        return refused
    person = _person(db, session, visitor)
    _journal(db, person, "recovery_codes_made")
    return Changed(codes=_new_recovery_codes(db, person))


def _refused(db, session, code, visitor):
    """Use a code up, and return Refused if it is not right, else None. Raise 403."""
    person = _person(db, session, visitor)
    return signing_in.take_code(db, person["id"], code, visitor)


def _new_recovery_codes(db, person):
    db.run(sql.drop_recovery_codes, admin_id=person["id"])
    codes = totp.new_recovery_codes()
    for code in codes:
        db.run(sql.add_recovery_code, admin_id=person["id"], code_hash=totp.recovery_hash(code))
    return tuple(codes)


def recovery_codes_left(db, admin_id):
    """Return how many recovery codes of a person have not been used."""
    return db.value(sql.recovery_codes_left, admin_id=admin_id)


def _person(db, session, visitor):
    """Return the person of a session, who acts from now on. Raise 403 unless the session is its own."""
    require_own(db, session)
    person = db.one(sql.active, id=session["admin_id"])
    db.actor = signing_in.acting(person, visitor)
    return person


def _journal(db, person, action):
    journal.administered(db, entities.ADMIN, action, person["id"], title=person["name"])
