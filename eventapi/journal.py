"""The journal: each change writes its audit entry and its outgoing event, in its own transaction.

Audit entries are chained: the hash of each covers its fixed columns, a salted digest of the columns that may be taken away
(GDPR Art. 17), and the hash of the entry before.
"""
import secrets
from hashlib import sha256

from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("journal")

START = "0" * 64
FIXED = ("id", "action", "entity_type", "entity_id", "admin_id", "api_key_id", "request_id", "created_at", "digest",
         "previous_hash")
TAKEN_AWAY = ("entity_title", "description", "old_values", "new_values", "admin_name", "ip_address", "user_agent")

# The noun of events and small answers, where it is not the entity type.
NOUNS = {"event_participant": "participant", "newsletter_subscriber": "newsletter"}
# The names of the reference API, where they are not entity.action.
EVENT_NAMES = {"participant.created": "participant.added", "participant.deleted": "participant.removed",
               "participant.cancelled": "participant.removed", "participant.reinstated": "participant.added"}


def created(db, entity_type, new, *, title=None, scope):
    _write(db, "created", entity_type, new["id"], title, None, new, new, scope)


def created_many(db, entity_type, records, *, title, scope):
    """`created` for many records, in two statements; `title` is a function of a record."""
    name, entries, events = event_name(entity_type, "created"), [], []
    for record in records:
        data = as_json(record)
        entries.append(_entry(db, "created", entity_type, record["id"], title(record), None, data))
        events.append({"name": name, "entity_type": entity_type, "entity_id": record["id"], "scope": scope, "data": data, "now": db.now})
    db.many(sql.add_entry, entries)
    db.many(sql.add_event, events)


def updated(db, entity_type, old, new, *, action="updated", title=None, scope):
    """Journals what differs between two representations; nothing when nothing does."""
    changed = [name for name in new if old.get(name) != new[name] and name != "updated_at"]
    if changed:
        _write(db, action, entity_type, new["id"], title, {name: old.get(name) for name in changed},
               {name: new[name] for name in changed}, new, scope)


def deleted(db, entity_type, old, *, title=None, scope):
    _write(db, "deleted", entity_type, old["id"], title, old, None, old, scope)


def acted(db, action, entity_type, record, *, title=None, scope):
    """An action that no member of the record shows, such as a new secret; gives the id of its outgoing event."""
    return _write(db, action, entity_type, record["id"], title, None, None, record, scope)


def told(db, name, entity_type, record, scope):
    """A further outgoing event for a change that is in the audit log already."""
    _tell(db, name, entity_type, record["id"], scope, as_json(record))


def administered(db, action, entity_type, entity_id=None, *, title=None, old=None, new=None):
    """A change made on the command line, such as a key or a flag: audited, and of no concern to webhooks."""
    _audit(db, action, entity_type, entity_id, title, old and as_json(old), new and as_json(new))


def event_name(entity_type, action):
    name = f"{NOUNS.get(entity_type, entity_type)}.{action}"
    return EVENT_NAMES.get(name, name)


def _write(db, action, entity_type, entity_id, title, old, new, record, scope):
    data = as_json(record)
    old, new = (data if values is record else values and as_json(values) for values in (old, new))
    _audit(db, action, entity_type, entity_id, title, old, new)
    return _tell(db, event_name(entity_type, action), entity_type, entity_id, scope, data)


def _tell(db, name, entity_type, entity_id, scope, data):
    return db.insert(sql.add_event, name=name, entity_type=entity_type, entity_id=entity_id, scope=scope, data=data, now=db.now)


def _audit(db, action, entity_type, entity_id, title, old, new):
    db.insert(sql.add_entry, **_entry(db, action, entity_type, entity_id, title, old, new))


def _entry(db, action, entity_type, entity_id, title, old, new):
    """The next entry of the chain, which has to be written next."""
    last = db.known.get("last entry") or db.one(sql.last) or {"id": 0, "hash": START}
    actor = db.actor
    entry = {
        "id": last["id"] + 1, "action": action, "entity_type": entity_type, "entity_id": entity_id, "entity_title": title,
        "description": None, "old_values": old, "new_values": new,
        "admin_id": actor.admin_id, "admin_name": actor.admin_name, "api_key_id": actor.key_id,
        "request_id": actor.request_id, "ip_address": actor.address, "user_agent": actor.agent,
        "created_at": db.now, "salt": secrets.token_hex(16), "previous_hash": last["hash"],
    }
    entry["digest"] = digest(entry)
    entry["hash"] = chain_hash(entry)
    db.known["last entry"] = {"id": entry["id"], "hash": entry["hash"]}
    return entry


def digest(entry):
    """Of the salt and the columns that may be taken away."""
    return _sha256([entry["salt"], *(entry[name] for name in TAKEN_AWAY)])


def chain_hash(entry):
    return _sha256([entry[name] for name in FIXED])


def _sha256(values):
    return sha256(as_json(values).encode()).hexdigest()


def verify(db):
    """What is wrong with the chain, as sentences: an entry that was changed, removed, swapped or added by hand."""
    anchor = db.one(sql.anchor) or {"last_id": 0, "hash": START}
    told = anchor["last_id"] == 0 or db.value(sql.pruning, last_id=anchor["last_id"])
    wrong = [] if told else [f"the audit log begins after entry {anchor['last_id']}, but no entry records that older "
                             "entries were pruned"]
    expected, previous = anchor["last_id"] + 1, anchor["hash"]
    for entry in db.iterate(sql.entries):
        if entry["id"] != expected:
            wrong.append(f"audit entry {expected} is missing")
        elif entry["previous_hash"] != previous:
            wrong.append(f"audit entry {entry['id']} does not follow the entry before it")
        if chain_hash(entry) != entry["hash"]:
            wrong.append(f"audit entry {entry['id']} was changed")
        elif entry["salt"] is None:
            if any(entry[name] is not None for name in TAKEN_AWAY):
                wrong.append(f"audit entry {entry['id']} was anonymised, but still has values")
        elif digest(entry) != entry["digest"]:
            wrong.append(f"the values of audit entry {entry['id']} were changed")
        expected, previous = entry["id"] + 1, entry["hash"]
    if db.value(sql.last_given) >= expected:
        wrong.append(f"the audit log ends before entry {db.value(sql.last_given)}")
    return wrong


def last(db):
    """Id and hash of the last entry. Noted elsewhere they prove later that all up to here is what it was, were the whole chain rewritten."""
    entry = db.one(sql.last)
    return entry and (entry["id"], entry["hash"])


def stands(db, id, hash):
    """What is wrong with an entry that was noted elsewhere, as sentences; one that was pruned proves nothing."""
    found = db.one(sql.hash_of, id=id)
    if found is None:
        return [f"audit entry {id}, which was noted, no longer exists"]
    return [] if found["hash"] == hash else [f"audit entry {id} differs from the entry that was noted"]
