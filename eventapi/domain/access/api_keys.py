"""API keys, the admins that own them, feature flags and the plan tier.

Every function that writes is called inside a write transaction and journals the change. Faults
carry the name of the command line option as `parameter`.
"""

import secrets
from datetime import datetime, timedelta, timezone
from hashlib import sha256

from eventapi import journal, times
from eventapi.domain.records import entities
from eventapi.errors import Problem, fault, invalid, invalid_parameter, not_found, suggestion
from eventapi.storage.statements import statements

sql = statements("api_keys")

SCOPES = tuple(
    "events contacts participants applications categories invoices payments booths plans services "
    "service_orders documents submissions tasks checkins schedules calendar-feed custom_fields newsletter "
    "webhooks reports audit links settings".split()
)
CREATE_APPLICATIONS = "applications:create"
OF_PEOPLE = "team"  # the scope that invites people and changes their rights: no API key has it
# The export of a contact does not need these, so that a key of an earlier version still reads it.
NOT_OF_CONTACTS = ("links", "settings", OF_PEOPLE)
NARROW_SCOPES = (CREATE_APPLICATIONS, "public")  # for keys on web pages: few routes
# `:read` allows reading only.
ALL_SCOPES = (*SCOPES, *(f"{scope}:read" for scope in SCOPES), *NARROW_SCOPES)
FLAGS = tuple(
    "invoices booths plans services service_orders tasks documents schedules webhooks pages door "
    "desk".split()
)
TIERS = ("Starter", "Business", "Business+")
FIRST_ADMIN = "Administrator"  # name of the admin that is created with the first key


def key_hash(key):
    """Return the SHA-256 of a key as hexadecimal text. Only this hash is stored.

    Keys are random, so one fast hash is safe. WSGI decodes header bytes as Latin-1, so `key` is
    encoded the same way.
    """
    return sha256(key.encode("latin-1", "replace")).hexdigest()


# Keys


def create_key(db, name, scopes, *, admin_id=None, expires_at=None):
    """Create an API key and return `(id, key)`. The key itself is not stored.

    `scopes` is a list of scope names, `expires_at` UTC text. Without `admin_id`, the key belongs to
    the first active admin, who is created if there is none. Raise 422 for a wrong name, scope or
    expiry, 404 for an unknown admin, 409 `invalid_transition` for a disabled admin.
    """
    name = checked_name(name, "key")
    scopes = checked_scopes(scopes)
    if expires_at is not None and expires_at <= db.now:
        raise invalid_parameter(
            "expires", "past", f"the expiry of a key must be in the future: {expires_at} has passed"
        )
    admin = _first_admin(db) if admin_id is None else active_admin(db, admin_id)
    values = {"name": name, "scopes": " ".join(scopes), "admin_id": admin, "expires_at": expires_at}
    return _add_key(db, values, "created")


def checked_scopes(scopes):
    """Return each scope once, in the order of ALL_SCOPES. Raise 422 with a fault for each unknown
    scope.
    """
    faults = []
    for scope in scopes:
        if scope == OF_PEOPLE:
            text = "only people have the scope team, and no API key; leave it out"
            faults.append(fault("not_allowed", text, parameter="scope"))
        elif scope not in ALL_SCOPES:
            text = f"unknown scope {scope!r}{_suggestion(scope, ALL_SCOPES)}"
            faults.append(fault("unknown", text, parameter="scope"))
    if faults:
        raise invalid(faults)
    return in_order(scopes)


def in_order(scopes):
    """Return each scope once, in the order of ALL_SCOPES."""
    return [scope for scope in ALL_SCOPES if scope in scopes]


def revoke_key(db, id):
    """Revoke a key from the next request on.

    A revoked key is not changed. Raise 404 for an unknown key.
    """
    key = _key(db, id)
    if db.run(sql.revoke, id=id, now=db.now):
        journal.administered(
            db,
            entities.API_KEY,
            "revoked",
            id,
            title=key["name"],
            old={"revoked_at": None},
            new={"revoked_at": db.now},
        )


def rotate_key(db, id, *, grace_hours=0):
    """Replace a valid key by a new one with the same name, scopes, admin and expiry.

    Return `(id, key)` of the new key.

    The webhooks of the old key move to the new one. The old key is valid for `grace_hours` more, or
    until it expires. Raise 404 for an unknown key, 409 `invalid_transition` if the key is not valid
    or its admin is disabled.
    """
    old = _key(db, id)
    if old["revoked_at"] or _is_expired(old, db.now):
        state = (
            f"was revoked at {old['revoked_at']}"
            if old["revoked_at"]
            else f"expired at {old['expires_at']}"
        )
        raise Problem(
            "invalid_transition",
            f"API key {id} cannot be rotated because it {state}. Create a new key.",
        )
    active_admin(db, old["admin_id"])
    values = {name: old[name] for name in ("name", "scopes", "admin_id", "expires_at")}
    new = _add_key(db, values, "rotated", replaces=id)
    db.run(sql.move_webhooks, id=id, new_id=new[0])
    ends = times.text(datetime.now(timezone.utc) + timedelta(hours=grace_hours))
    if grace_hours and (old["expires_at"] is None or ends < old["expires_at"]):
        db.run(sql.expire, id=id, expires_at=ends)
        journal.administered(
            db,
            entities.API_KEY,
            "updated",
            id,
            title=old["name"],
            old={"expires_at": old["expires_at"]},
            new={"expires_at": ends},
        )
    elif not grace_hours:
        revoke_key(db, id)
    return new


def keys(db):
    """Return all keys as rows, with `scopes` as a list and `status`: active, expired, revoked or
    admin disabled.
    """
    return [
        {
            **row,
            "scopes": row["scopes"].split(),
            "status": _status(row),
            "admin_is_active": bool(row["admin_is_active"]),
        }
        for row in db.all(sql.list)
    ]


def _add_key(db, values, action, **more):
    """Store and journal a new key with these columns and return `(id, key)`.

    `more` goes to the audit entry only.
    """
    key = "evk_" + secrets.token_urlsafe(32)
    id = db.insert(sql.add, **values, key_hash=key_hash(key), now=db.now)
    journal.administered(
        db, entities.API_KEY, action, id, title=values["name"], new={**values, **more}
    )
    return id, key


def _key(db, id):
    """Return the row of a key. Raise 404 if it does not exist."""
    key = db.one(sql.get, id=id)
    if key is None:
        raise not_found("API key", id)
    return key


def _is_expired(key, now):
    """Return whether the row of a key has an expiry that is not after `now` (UTC text)."""
    return key["expires_at"] is not None and key["expires_at"] <= now


def _status(key):
    """Return the status of the row of a key, as `keys` lists it."""
    if key["revoked_at"]:
        return "revoked"
    if _is_expired(key, times.now()):
        return "expired"
    return "active" if key["admin_is_active"] else "admin disabled"


# Admins


def add_admin(db, name, email=None):
    """Create an admin and return the id. Raise 422 for a wrong name or e-mail address."""
    name = checked_name(name, "admin")
    if email is not None and ("@" not in email.strip()[1:-1] or " " in email.strip()):
        raise invalid_parameter(
            "email", "format", f"{email!r} is not an e-mail address. Use the form name@example.com"
        )
    email = email and email.strip()
    id = db.insert(sql.add_admin, name=name, email=email, now=db.now)
    journal.administered(
        db, entities.ADMIN, "created", id, title=name, new={"name": name, "email": email}
    )
    return id


def _admin(db, id):
    """Return the row of an admin. Raise 404 if it does not exist."""
    admin = db.one(sql.admin, id=id)
    if admin is None:
        raise not_found("admin", id)
    return admin


def active_admin(db, id):
    """Return the id of an active admin.

    Raise 404 if it does not exist, 409 `invalid_transition` if it is disabled.
    """
    if not _admin(db, id)["is_active"]:
        raise Problem(
            "invalid_transition",
            f"Admin {id} is disabled and can have no new key or link. Create it for another admin.",
        )
    return id


def _first_admin(db):
    """Return the id of the first active admin. Create FIRST_ADMIN if there is none."""
    return db.value(sql.first_admin) or add_admin(db, FIRST_ADMIN)


# Flags and tier


def flags(db):
    """Return all feature flags as `{name, enabled}`."""
    return [{"name": row["name"], "enabled": bool(row["enabled"])} for row in db.all(sql.flags)]


def require_flag(db, name):
    """Raise 403 `feature_disabled` unless a feature is enabled."""
    if not all(flag["enabled"] for flag in flags(db) if flag["name"] == name):
        raise Problem("feature_disabled", f"The feature {name} is disabled.", flag=name)


def set_flag(db, name, enabled):
    """Enable or disable a feature.

    Running servers use it from the next request on. Raise 422 for an unknown flag.
    """
    known = {flag["name"]: flag["enabled"] for flag in flags(db)}
    if name not in known:
        raise invalid_parameter(
            "name", "unknown", f"unknown flag {name!r}{_suggestion(name, sorted(known))}"
        )
    if known[name] != enabled:
        db.run(sql.set_flag, name=name, enabled=int(enabled))
        journal.administered(
            db,
            entities.FLAG,
            "updated",
            title=name,
            old={"enabled": known[name]},
            new={"enabled": enabled},
        )


def tier(db):
    """Return the plan tier, one of TIERS."""
    return db.value(sql.tier)


def set_tier(db, name):
    """Set the plan tier. Raise 422 for a name that is not one of TIERS."""
    if name not in TIERS:
        raise invalid_parameter(
            "name", "unknown", f"unknown plan tier {name!r}{_suggestion(name, TIERS)}"
        )
    old = tier(db)
    if old != name:
        db.run(sql.set_tier, tier=name)
        journal.administered(
            db, entities.TENANT, "updated", 1, title="tier", old={"tier": old}, new={"tier": name}
        )


def checked_name(name, noun):
    """Return the name without outer spaces.

    Raise 422 if it is empty, too long or not printable. `noun`: its owner.
    """
    name = name.strip()
    if not 1 <= len(name) <= 200 or not name.isprintable():
        raise invalid_parameter(
            "name",
            "format",
            f"the name of the {noun} must have 1 to 200 printable characters: "
            f"{name[:200]!r} has {len(name)}{'' if name.isprintable() else ', not all printable'}",
        )
    return name


def _suggestion(name, known):
    """Return the end of an error text: the known name that is most like `name`, else all names
    without `:read`.
    """
    return suggestion(name, known) or "; use one of " + ", ".join(
        word for word in known if ":" not in word
    )
