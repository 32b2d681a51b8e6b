"""People of the office: admins who have an account.

An account has an address, a role and the scopes of the role. Who may change it is decided by what
db.actor may do itself: it needs the scope `team`, and every scope that the person has or gets. The
command line and the worker may do everything. Every function that writes is called inside a write
transaction and journals the change. Faults carry the name of the field as `parameter`.
"""

from datetime import timedelta

from eventapi import journal, times
from eventapi.domain.access import api_keys, attempts, link_secrets, notices, roles, sessions
from eventapi.domain.access.api_keys import SCOPES
from eventapi.domain.records import entities
from eventapi.errors import Problem, invalid_parameter, listed, not_found
from eventapi.languages import choice
from eventapi.storage.statements import statements
from eventapi.validation.formats import CHECKS

sql = statements("people")

OWNER = "owner"
LONGEST_ADDRESS = 254
# without rights of its own, a session of an admin without an account only reads
READING = tuple(f"{scope}:read" for scope in SCOPES)


def get(db, id):
    """Return a person as a dict, with `scopes` as a list, `has_password` and `has_factor`; or None.

    `role` is None for an admin without an account. `password_hash` is never shown to anybody.
    """
    row = db.one(sql.get, id=id)
    return _person(row) if row else None


def existing(db, id):
    """Return a person. Raise 404 if there is none."""
    person = get(db, id)
    if person is None:
        raise not_found("admin", id)
    return person


def all_people(db):
    """Return all admins as `get` does, also those without an account."""
    return [_person(row) for row in db.all(sql.every)]


def owners(db):
    """Return the active owners who have signed in: an invitation alone makes nobody an owner."""
    return [_person(row) for row in db.all(sql.owners)]


def has_owner(db):
    """Return whether there is an active owner, who may not have signed in yet."""
    return db.value(sql.has_owner) is not None


def by_address(db, email):
    """Return the person whose active account has this address, in any case, or None."""
    wanted = email.strip().lower()
    # SQLite knows the case of a to z only, and the links of Ü@ and ü@ would be those of one person.
    rows = (row for row in db.all(sql.accounts) if row["email"].lower() == wanted)
    return next(map(_person, rows), None)


def _person(row):
    row["scopes"] = row["scopes"].split()
    row["is_active"] = bool(row["is_active"])
    row["has_password"] = row["password_hash"] is not None
    row["has_factor"] = row.pop("totp_secret") is not None
    return row


# Who may


def lacking(db, person=None, scopes=()):
    """Return the scopes that db.actor lacks to change a person, or to give somebody `scopes`.

    It needs `team` and whatever the person has already, also by an API key. The command line lacks
    nothing.
    """
    mine = getattr(db.actor, "scopes", None)
    if mine is None:
        return []
    owned = []
    if person:
        owned = [*person["scopes"], *_scopes_of_keys(db, person["id"])]
    return roles.lacking(mine, [roles.TEAM], owned, scopes)


def _scopes_of_keys(db, id):
    """Return the scopes of the API keys of an admin that work."""
    texts = db.values(sql.scopes_of_keys, id=id, now=times.now())
    return [scope for text in texts for scope in text.split()]


def require(db, person=None, scopes=()):
    """Raise 403 `insufficient_scope` if db.actor lacks a scope, and name all that are missing."""
    missing = lacking(db, person, scopes)
    if missing:
        raise Problem(
            "insufficient_scope",
            f"Only somebody who has every scope of the person may do this. You lack "
            f"{listed(missing)}. Ask an owner.",
            scope=", ".join(missing),
        )


def is_oneself(db, id):
    """Return whether db.actor is this person. Somebody with an API key of the person is not."""
    return db.actor.admin_id == id and db.actor.key_id is None


def require_or_oneself(db, person):
    """Raise 403 unless db.actor is the person, or may change it."""
    if not is_oneself(db, person["id"]):
        require(db, person)


def _refuse_last_owner(db, person):
    """Raise 409 `last_owner` if nobody else is an owner who has signed in."""
    ids = [owner["id"] for owner in owners(db)]
    if ids == [person["id"]]:
        raise Problem(
            "last_owner",
            f"{person['name']} is the last owner. Make another person owner first.",
        )


# Invitations and rights


def invite(db, name, email, role, scopes=None, language=None):
    """Make an account and return its id. `scopes` are those of the role custom.

    Nobody is told: see `record_invitation` and `make_secret`. Raise 403 if the actor
    may not give these rights, 422 for what is not valid, and `unique` for an address that an active
    account has already.
    """
    scopes = roles.scopes_of(role, scopes)
    require(db, scopes=scopes)
    values = {
        "name": api_keys.checked_name(name, "person"),
        "email": _checked_address(db, email),
        "role": role,
        "scopes": scopes,
        "language": choice.available(language),
    }
    id = db.insert(sql.add, **{**values, "scopes": " ".join(scopes)}, now=db.now, stamp=db.stamp)
    journal.administered(db, entities.ADMIN, "created", id, title=values["name"], new=values)
    return id


def open_account(db, id, role, scopes=None, email=None):
    """Make an account for an admin who has none. `email` replaces the address of the admin.

    Sessions and links that have rights of their own end. Raise 403 and 422 as `invite`, 404 for an
    unknown admin, 409 `invalid_transition` for one that is disabled or has an account.
    """
    person = _active(db, id)
    if person["role"]:
        raise Problem(
            "invalid_transition",
            f"{person['name']} has an account already. Change its rights, or invite the person again.",
        )
    scopes = roles.scopes_of(role, scopes)
    require(db, person, scopes)
    email = _checked_address(db, email or person["email"], but=id)
    db.run(
        sql.open_account,
        id=id,
        email=email,
        role=role,
        scopes=" ".join(scopes),
        now=db.now,
        stamp=db.stamp,
    )
    _end_own_rights(db, id)
    _journal_change(db, person)


def record_invitation(db, id, way):
    """Record that a person with an account is invited by a link, which is mailed or shown (`way`).

    The links of earlier invitations end. Raise 403, 404 and 409 as `make_secret`.
    """
    person = _with_account(db, id)
    require(db, person)
    db.run(sql.drop_secrets, id=id)
    db.run(sql.record_invitation, id=id, now=db.now, stamp=db.stamp)
    values = {"way": way, "role": person["role"]}
    journal.administered(db, entities.ADMIN, "invited", id, title=person["name"], new=values)
    details = {"person": person["name"], "role": person["role"]}
    notices.tell(db, "person_invited", details=details)


def change_rights(db, id, role, scopes=None):
    """Give a person another role. `scopes` are those of the role custom.

    Sessions and links that have rights of their own end, and links that were shown to somebody: an
    invitation that nobody has accepted is made anew. Raise 403 unless the actor has every scope
    of before and after, 404, 409 `last_owner`, and `invalid_transition` without an account, 422.
    """
    person = existing(db, id)
    if person["role"] is None:
        raise _without_account(person)
    scopes = roles.scopes_of(role, scopes)
    require(db, person, scopes)
    if (role, scopes) == (person["role"], person["scopes"]):
        return
    if person["role"] == OWNER and role != OWNER:
        _refuse_last_owner(db, person)
    # before the change, so that somebody who is no owner any more is told as well
    details = {"person": person["name"], "old_role": person["role"], "role": role}
    notices.tell(db, "rights_changed", details=details)
    db.run(sql.change_rights, id=id, role=role, scopes=" ".join(scopes), stamp=db.stamp)
    if _end_own_rights(db, id):
        db.run(sql.forget_invitation, id=id, stamp=db.stamp)
    _journal_change(db, person)


def _end_own_rights(db, id):
    """End what would give a person other rights than its own, and the links that somebody else has
    seen: they would grow with the rights. Return the number of links.
    """
    db.run(sql.end_own_rights, id=id, now=db.now)
    db.run(sql.drop_pending_codes, id=id)
    return db.run(sql.drop_own_secrets, id=id)


# What a person is called


def rename(db, id, name):
    """Change the name of a person, who may do that as well. Raise 403, 404 and 422."""
    person = existing(db, id)
    require_or_oneself(db, person)
    db.run(sql.rename, id=id, name=api_keys.checked_name(name, "person"), stamp=db.stamp)
    _journal_change(db, person)


def set_language(db, id, language):
    """Change the language of a person, who may do that as well; None: that of the organiser.

    Raise 403, 404, and 422 for a language that is not available.
    """
    person = existing(db, id)
    require_or_oneself(db, person)
    if language is not None and language not in choice.AVAILABLE:
        raise invalid_parameter(
            "language", "enum", f"unknown language; use {listed(choice.AVAILABLE, 'or')}"
        )
    db.run(sql.set_language, id=id, language=language, stamp=db.stamp)
    _journal_change(db, person)


def change_email(db, id, email):
    """Change the address of a person. Links that were mailed to the old one end.

    Raise 403, 404 and 422.
    """
    person = existing(db, id)
    require(db, person)
    is_open = person["is_active"] and person["role"] is not None
    email = _checked_address(db, email, but=id, is_unique=is_open)
    if email == person["email"]:
        return
    if person["email"]:
        notices.tell(db, "email_changed", admin_id=id, to=person["email"])
    db.run(sql.change_email, id=id, email=email, stamp=db.stamp)
    db.run(sql.drop_secrets, id=id)
    db.run(sql.drop_pending_codes, id=id)
    _journal_change(db, person)


def _checked_address(db, email, *, but=None, is_unique=True):
    """Return an e-mail address. Raise 422 if it is not valid, or that of another active account."""
    email = (email or "").strip()
    if not email:
        raise invalid_parameter(
            "email", "required", "an account needs an e-mail address; enter one"
        )
    if len(email) > LONGEST_ADDRESS or not CHECKS["email"](email):
        raise invalid_parameter(
            "email",
            "format",
            f"{email[:LONGEST_ADDRESS]!r} is not an e-mail address. Use the form name@example.com",
        )
    other = by_address(db, email) if is_unique else None
    if other and other["id"] != but:
        raise invalid_parameter(
            "email", "unique", f"{email} is the address of {other['name']} (admin {other['id']})"
        )
    return email


# Deactivating


def disable(db, id):
    """Disable an admin: sessions and links end, and the admin's API keys are refused.

    A disabled admin is not changed. Raise 403, 404, 409 `last_owner`.
    """
    person = existing(db, id)
    require(db, person)
    if not person["is_active"]:
        return
    if person["role"] == OWNER:
        _refuse_last_owner(db, person)
    db.run(sql.set_active, id=id, is_active=0, stamp=db.stamp)
    _close(db, id)
    _journal_change(db, person)
    _tell_of_access(db, person, is_active=False)


def enable(db, id):
    """Enable an admin, whose API keys are accepted again.

    Raise 403, 404, 422 `unique` if another account has its address now.
    """
    person = existing(db, id)
    require(db, person)
    if person["is_active"]:
        return
    if person["role"]:
        _checked_address(db, person["email"], but=id)
    db.run(sql.set_active, id=id, is_active=1, stamp=db.stamp)
    _journal_change(db, person)
    _tell_of_access(db, person, is_active=True)


def _tell_of_access(db, person, *, is_active):
    if person["role"]:
        details = {"person": person["name"], "is_active": is_active}
        notices.tell(db, "rights_changed", details=details)


def _close(db, id):
    """End all sessions and links of a person, and sign-ins that wait for a code."""
    sessions.end_of_admin(db, id)
    db.run(sql.drop_secrets, id=id)
    db.run(sql.drop_pending_codes, id=id)


# Signing in


def reset(db, id, *, password=True, factor=True):
    """Remove password and second factor of a person, or one of them. Sessions and links end.

    Raise 403 and 404.
    """
    person = existing(db, id)
    require(db, person)
    if password:
        db.run(sql.forget_password, id=id, stamp=db.stamp)
    if factor:
        db.run(sql.forget_factor, id=id, stamp=db.stamp)
        db.run(sql.drop_recovery_codes, id=id)
        attempts.forget(db, id)
    _close(db, id)
    if password and person["has_password"]:
        notices.tell(db, "password_changed", admin_id=id, details={"is_removed": True})
        journal.administered(db, entities.ADMIN, "password_removed", id, title=person["name"])
    if factor and person["has_factor"]:
        notices.tell(db, "factor_removed", admin_id=id)
        journal.administered(db, entities.ADMIN, "factor_removed", id, title=person["name"])


def end_sessions(db, id, *, but=None):
    """End the sessions of a person at the desk, also those of its API keys, but that with the id
    `but`. Return their number.

    Sign-ins that wait for a code end as well. Raise 403 and 404.
    """
    person = existing(db, id)
    require_or_oneself(db, person)
    db.run(sql.drop_pending_codes, id=id)
    ended = [row for row in sessions.at_desk(db, admin_id=id) if row["id"] != but]
    for row in ended:
        sessions.end_at_desk(db, row)
    return len(ended)


def end_links(db, id):
    """End the links of a person that nobody has opened yet. The caller has checked the rights."""
    db.run(sql.drop_secrets, id=id)


def shut_out_all(db):
    """End all sessions of the desk, all links of people and all sign-ins that wait for a code.

    A backup that is restored must not bring back what was ended after it.
    """
    db.run(sql.end_all_sessions, now=db.now)
    db.run(sql.drop_all_secrets)
    db.run(sql.drop_all_pending_codes)


def make_link(db, id, scopes=None, minutes=15):
    """Make a secret that is shown to the administrator, and signs an admin in within some minutes.

    Without scopes, the session has the rights of the person; that of an admin without an account
    only reads. Return the secret. Raise as `make_secret`.
    """
    if scopes is None and existing(db, id)["role"] is None:
        scopes = READING
    return make_secret(db, id, way="shown", lasts=timedelta(minutes=minutes), scopes=scopes)


def make_secret(db, id, *, way, lasts, scopes=None, mailed_to=None):
    """Make a secret that signs a person in once, and return it.

    `way` is mailed or shown, `lasts` a timedelta. The session has `scopes`, or without them the
    rights of the person at each request. Raise 403, 404, 409 `invalid_transition` for an admin who
    is disabled, or has neither an account nor `scopes`, and 422 for an unknown scope.
    """
    person = _active(db, id)
    if scopes is None:
        person = _with_account(db, id)
    else:
        scopes = roles.checked(scopes)
    require(db, person, scopes or ())
    if way == "shown":
        ends = times.after(db.now, lasts)
        journal.administered(
            db,
            entities.ADMIN,
            "shown",
            id,
            title=person["name"],
            new={"scopes": scopes, "expires_at": ends},
        )
    return link_secrets.add(
        db, way=way, admin_id=id, scopes=scopes, mailed_to=mailed_to, lasts=lasts
    )


def record_sign_in(db, id):
    """Record that a person has signed in with its own rights, which accepts an invitation."""
    db.run(sql.record_sign_in, id=id, now=db.now)


def _active(db, id):
    """Return a person that is active. Raise 404, or 409 `invalid_transition`."""
    person = existing(db, id)
    if not person["is_active"]:
        raise Problem(
            "invalid_transition",
            f"Admin {id} ({person['name']}) is disabled and can have no link. Enable the admin first.",
        )
    return person


def _with_account(db, id):
    """Return a person that is active and has an account. Raise 404, or 409 `invalid_transition`."""
    person = _active(db, id)
    if person["role"] is None:
        raise _without_account(person)
    return person


def _without_account(person):
    return Problem(
        "invalid_transition",
        f"Admin {person['id']} ({person['name']}) has no account. Invite the person first.",
    )


def _journal_change(db, old):
    """Journal what differs between a person and what is stored now."""
    new = existing(db, old["id"])
    names = ("name", "email", "role", "scopes", "language", "is_active")
    changed = [name for name in names if old[name] != new[name]]
    if changed:
        journal.administered(
            db,
            entities.ADMIN,
            "updated",
            old["id"],
            title=new["name"],
            old={name: old[name] for name in changed},
            new={name: new[name] for name in changed},
        )
