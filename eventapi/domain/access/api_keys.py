"""API keys, the admins they belong to, flags and plan tier: who may do what. Every change is journalled."""
import secrets
from datetime import datetime, timedelta, timezone
from hashlib import sha256

from eventapi import journal, times
from eventapi.domain.records import entities
from eventapi.errors import Problem, fault, invalid, invalid_parameter, not_found, suggestion
from eventapi.storage.statements import statements

sql = statements("api_keys")

SCOPES = tuple("events contacts participants applications categories invoices payments booths plans services service_orders "
               "documents submissions tasks checkins schedules calendar-feed custom_fields newsletter webhooks reports "
               "audit".split())
SCOPE_WORDS = (*SCOPES, *(f"{scope}:read" for scope in SCOPES))
TIERS = ("Starter", "Business", "Business+")
FIRST_ADMIN = "Administrator"


def key_hash(key):
    """Keys are random, so one fast hash is right. (latin-1: header bytes as WSGI gives them.)"""
    return sha256(key.encode("latin-1", "replace")).hexdigest()


# Keys

def create_key(db, name, scopes, *, admin_id=None, expires_at=None):
    """A new key: its id, and the key itself, which is kept nowhere."""
    name = _named(name, "key")
    scopes = checked_scopes(scopes)
    if expires_at is not None and expires_at <= db.now:
        raise invalid_parameter("expires", "past", f"the key would already be expired: {expires_at} is in the past")
    admin = _active(db, admin_id) if admin_id is not None else _first_admin(db)
    return _add_key(db, {"name": name, "scopes": " ".join(scopes), "admin_id": admin, "expires_at": expires_at}, "created")


def checked_scopes(words):
    """The scopes once each, in the order of the catalogue."""
    faults = [fault("unknown", f"unknown scope {word!r}{_nearest(word, SCOPE_WORDS)}", parameter="scope")
              for word in words if word not in SCOPE_WORDS]
    if faults:
        raise invalid(faults)
    return [word for word in SCOPE_WORDS if word in words]


def revoke_key(db, id):
    """The key opens nothing from the next request on; revoking it again changes nothing."""
    key = _key(db, id)
    if db.run(sql.revoke, id=id, now=db.now):
        journal.administered(db, entities.API_KEY, "revoked", id, title=key["name"], old={"revoked_at": None},
                             new={"revoked_at": db.now})


def rotate_key(db, id, *, grace_hours=0):
    """A new key in the place of one that works, also for its webhooks; that one goes on for the hours of grace."""
    old = _key(db, id)
    if old["revoked_at"] or old["expires_at"] and old["expires_at"] <= db.now:
        raise Problem("invalid_transition",
                      f"API key {id} is revoked or expired and cannot be rotated. Create a new key.")
    _active(db, old["admin_id"])
    new = _add_key(db, {name: old[name] for name in ("name", "scopes", "admin_id", "expires_at")}, "rotated", replaces=id)
    db.run(sql.hand_over_webhooks, id=id, new_id=new[0])
    ends = times.text(datetime.now(timezone.utc) + timedelta(hours=grace_hours))
    if grace_hours and (old["expires_at"] is None or ends < old["expires_at"]):
        db.run(sql.expire, id=id, expires_at=ends)
        journal.administered(db, entities.API_KEY, "updated", id, title=old["name"],
                             old={"expires_at": old["expires_at"]}, new={"expires_at": ends})
    elif not grace_hours:
        revoke_key(db, id)
    return new


def keys(db):
    """All keys with their state."""
    return [{**row, "scopes": row["scopes"].split(), "status": _status(row)} for row in db.all(sql.list)]


def _add_key(db, values, action, **more):
    key = "evk_" + secrets.token_urlsafe(32)
    id = db.insert(sql.add, **values, key_hash=key_hash(key), now=db.now)
    journal.administered(db, entities.API_KEY, action, id, title=values["name"], new={**values, **more})
    return id, key


def _key(db, id):
    key = db.one(sql.get, id=id)
    if key is None:
        raise not_found("API key", id)
    return key


def _status(key):
    if key["revoked_at"]:
        return "revoked"
    if key["expires_at"] and key["expires_at"] <= times.now():
        return "expired"
    return "active" if key["admin_is_active"] else "admin disabled"


# Admins

def add_admin(db, name, email=None):
    name = _named(name, "admin")
    if email is not None and ("@" not in email.strip()[1:-1] or " " in email.strip()):
        raise invalid_parameter("email", "format", f"{email!r} is not an email address")
    email = email and email.strip()
    id = db.insert(sql.add_admin, name=name, email=email, now=db.now)
    journal.administered(db, entities.ADMIN, "created", id, title=name, new={"name": name, "email": email})
    return id


def disable_admin(db, id):
    """The admin's keys open nothing from the next request on; disabling again changes nothing."""
    admin = _admin(db, id)
    if admin["is_active"]:
        db.run(sql.disable_admin, id=id, now=db.now)
        journal.administered(db, entities.ADMIN, "updated", id, title=admin["name"], old={"is_active": True},
                             new={"is_active": False})


def admins(db):
    return [{**row, "is_active": bool(row["is_active"])} for row in db.all(sql.admins)]


def _admin(db, id):
    admin = db.one(sql.admin, id=id)
    if admin is None:
        raise not_found("admin", id)
    return admin


def _active(db, id):
    if not _admin(db, id)["is_active"]:
        raise Problem("invalid_transition", f"Admin {id} is disabled. Choose another admin.")
    return id


def _first_admin(db):
    return db.value(sql.first_admin) or add_admin(db, FIRST_ADMIN)


# Flags and tier

def flags(db):
    return [{"name": row["name"], "enabled": bool(row["enabled"])} for row in db.all(sql.flags)]


def set_flag(db, name, enabled):
    """Switches a feature; running servers see it at the next request."""
    known = {flag["name"]: flag["enabled"] for flag in flags(db)}
    if name not in known:
        raise invalid_parameter("name", "unknown", f"unknown flag {name!r}{_nearest(name, sorted(known))}")
    if known[name] != enabled:
        db.run(sql.set_flag, name=name, enabled=int(enabled))
        journal.administered(db, entities.FLAG, "updated", title=name, old={"enabled": known[name]},
                             new={"enabled": enabled})


def tier(db):
    return db.value(sql.tier)


def set_tier(db, name):
    if name not in TIERS:
        raise invalid_parameter("name", "unknown", f"unknown plan tier {name!r}{_nearest(name, TIERS)}")
    old = tier(db)
    if old != name:
        db.run(sql.set_tier, tier=name)
        journal.administered(db, entities.TENANT, "updated", 1, title="tier", old={"tier": old}, new={"tier": name})


def _named(name, what):
    name = name.strip()
    if not 1 <= len(name) <= 200 or not name.isprintable():
        raise invalid_parameter("name", "format",
                                f"the name of the {what} must have 1 to 200 characters, all of them printable")
    return name


def _nearest(word, words):
    return suggestion(word, words) or "; use one of " + ", ".join(word for word in words if ":" not in word)
