"""The journal: the audit entry and the outgoing event of each change, written in the transaction of
the change.

Audit entries are chained. The hash of an entry covers its fixed columns, a salted digest of the
columns that may be erased (GDPR Art. 17), and the hash of the entry before it. Every `kind` is a
Kind of domain/records/entities.
"""

import secrets
from hashlib import sha256

from eventapi.storage.database import as_json
from eventapi.storage.maintenance import silent
from eventapi.storage.statements import statements

sql = statements("journal")

START = "0" * 64
VERIFYING = "audit log"  # the part of a job for `verify`
REPORT_EVERY = 1000  # entries between two reports
FIXED = (
    "id",
    "action",
    "entity_type",
    "entity_id",
    "admin_id",
    "api_key_id",
    "request_id",
    "created_at",
    "digest",
    "previous_hash",
)
ERASABLE = (
    "entity_title",
    "description",
    "old_values",
    "new_values",
    "admin_name",
    "ip_address",
    "user_agent",
)


def created(db, kind, new, *, title=None):
    """Journal a new record. `title` replaces the title of the kind."""
    _write(db, kind, "created", new, None, new, title)


def created_many(db, kind, records):
    """Journal many new records of one kind, in two statements."""
    entries, events = [], []
    for record in records:
        data = as_json(record)
        entries.append(_entry(db, kind, "created", record["id"], kind.title(record), None, data))
        events.append(_event(db, kind, "created", record, data))
    db.run_many(sql.add_entry, entries)
    db.run_many(sql.add_event, events)


def updated(db, kind, old, new, *, action="updated", title=None):
    """Journal the fields that differ between two representations of a record.

    Do nothing when none does.
    """
    changed = [name for name in new if old.get(name) != new[name] and name != "updated_at"]
    if changed:
        before, after = ({name: record.get(name) for name in changed} for record in (old, new))
        _write(db, kind, action, new, before, after, title)


def deleted(db, kind, old, *, title=None):
    """Journal the deletion of a record."""
    _write(db, kind, "deleted", old, old, None, title)


def erased(db, kind, id):
    """Journal the deletion of a record whose values must not be kept: the entry and the event have
    only its id.
    """
    record = {"id": id}
    _audit(db, kind, "deleted", id, None, as_json(record), None)
    _announce(db, kind, "deleted", record)


def acted(db, kind, action, record):
    """Journal an action that changes no field of the record, such as a new secret.

    Return the id of the event.
    """
    return _write(db, kind, action, record, None, None)


def announced(db, kind, action, record):
    """Write a further outgoing event for a change that is in the audit log already."""
    _announce(db, kind, action, record)


def administered(db, kind, action, entity_id=None, *, title=None, old=None, new=None):
    """Audit a change that has no outgoing event, such as a revoked key or a closed month."""
    _audit(db, kind, action, entity_id, title, old and as_json(old), new and as_json(new))


def _write(db, kind, action, record, old, new, title=None):
    """Write the audit entry and the outgoing event. Return the id of the event."""
    data = as_json(record)
    old, new = (data if values is record else values and as_json(values) for values in (old, new))
    _audit(db, kind, action, record["id"], title or kind.title(record), old, new)
    return _announce(db, kind, action, record, data)


def _announce(db, kind, action, record, data=None):
    return db.insert(sql.add_event, **_event(db, kind, action, record, data or as_json(record)))


def _event(db, kind, action, record, data):
    return {
        "name": kind.event_name(action),
        "entity_type": kind.entity_type,
        "entity_id": record["id"],
        "scope": kind.scope_of(record),
        "data": data,
        "now": db.now,
    }


def _audit(db, kind, action, entity_id, title, old, new):
    db.insert(sql.add_entry, **_entry(db, kind, action, entity_id, title, old, new))


def _entry(db, kind, action, entity_id, title, old, new):
    """Return the next entry of the chain. The caller must write it before it requests another one."""
    last = db.known.get("last entry") or db.one(sql.last) or {"id": 0, "hash": START}
    actor = db.actor
    entry = {
        "id": last["id"] + 1,
        "action": action,
        "entity_type": kind.entity_type,
        "entity_id": entity_id,
        "entity_title": title,
        "description": None,
        "old_values": old,
        "new_values": new,
        "admin_id": actor.admin_id,
        "admin_name": actor.admin_name,
        "api_key_id": actor.key_id,
        "request_id": actor.request_id,
        "ip_address": actor.address,
        "user_agent": actor.agent,
        "created_at": db.now,
        "salt": secrets.token_hex(16),
        "previous_hash": last["hash"],
    }
    entry["digest"] = digest(entry)
    entry["hash"] = chain_hash(entry)
    db.known["last entry"] = {"id": entry["id"], "hash": entry["hash"]}
    return entry


def digest(entry):
    """Return the hash of the salt and of the columns that may be erased."""
    return _sha256([entry["salt"], *(entry[name] for name in ERASABLE)])


def chain_hash(entry):
    """Return the hash of an entry, which the next entry contains as `previous_hash`."""
    return _sha256([entry[name] for name in FIXED])


def _sha256(values):
    return sha256(as_json(values).encode()).hexdigest()


def verify(db, report=silent):
    """Return a sentence for each fault of the chain: an entry that was changed, removed, swapped or
    added by hand.
    """
    anchor = db.one(sql.anchor) or {"last_id": 0, "hash": START}
    wrong = []
    if anchor["last_id"] and not db.value(sql.pruning, last_id=anchor["last_id"]):
        wrong.append(
            f"the audit log begins after entry {anchor['last_id']}, but no entry records that older entries "
            "were pruned"
        )
    expected, previous = anchor["last_id"] + 1, anchor["hash"]
    last_given = db.value(sql.last_given)
    for entry in db.iterate(sql.entries):
        if not entry["id"] % REPORT_EVERY:
            report(VERIFYING, entry["id"] - anchor["last_id"], last_given - anchor["last_id"])
        if entry["id"] != expected:
            wrong.append(f"audit entry {expected} is missing")
        elif entry["previous_hash"] != previous:
            wrong.append(f"audit entry {entry['id']} does not follow the entry before it")
        if chain_hash(entry) != entry["hash"]:
            wrong.append(f"audit entry {entry['id']} was changed")
        elif entry["salt"] is None:
            if any(entry[name] is not None for name in ERASABLE):
                wrong.append(f"audit entry {entry['id']} was anonymised, but still has values")
        elif digest(entry) != entry["digest"]:
            wrong.append(f"the values of audit entry {entry['id']} were changed")
        expected, previous = entry["id"] + 1, entry["hash"]
    if last_given >= expected:
        wrong.append(f"the audit log ends before entry {last_given}")
    return wrong


def last(db):
    """Return id and hash of the last entry.

    Noted elsewhere, they prove later that no entry up to it was changed.
    """
    entry = db.one(sql.last)
    return entry and (entry["id"], entry["hash"])


def verify_entry(db, id, hash):
    """Compare an entry with the id and hash that were noted elsewhere.

    Return a sentence for each difference.
    """
    found = db.one(sql.hash_of, id=id)
    if found is None:
        return [f"audit entry {id}, which was noted, no longer exists"]
    return (
        [] if found["hash"] == hash else [f"audit entry {id} differs from the entry that was noted"]
    )
