"""The audit log, hashed as the journal does it, and the events that webhooks receive."""

import json
from hashlib import sha256

from eventapi import journal
from eventapi.storage import database
from tests.load.seeding.tables import put
from tests.load.seeding.words import LAST_NAMES, SPAN, timestamp

ACTIONS = "created", "updated", "updated", "created", "updated"
COLUMNS = (
    "id,action,entity_type,entity_id,entity_title,description,old_values,new_values,admin_id,admin_name,"
    "api_key_id,request_id,ip_address,user_agent,created_at,salt,previous_hash,digest,hash"
)


def fill_audit_log(connection, show):
    put(connection, "audit_log", COLUMNS, audit_entries(show))


def audit_entries(show):
    kinds = (
        ("payment", show.payments),
        ("contact", show.contacts),
        ("event_participant", show.people),
        ("invoice", show.invoices),
        ("note", show.notes),
    )
    previous = journal.START
    for id in range(1, show.audit + 1):
        kind, last = kinds[id % 10 % 5]
        entry = audit_entry(
            id, kind, 1 + id * 7919 % last, timestamp(int(id / show.audit * (SPAN - 3600)))
        )
        entry["previous_hash"] = previous
        entry["digest"] = digest([entry["salt"], *(entry[name] for name in journal.ERASABLE)])
        previous = entry["hash"] = digest([entry[name] for name in journal.FIXED])
        yield tuple(entry.values())


def audit_entry(id, kind, entity_id, at):
    action = "deleted" if id % 200 == 4 else ACTIONS[id % 5]
    old = json.dumps(
        {"id": entity_id, "contact_id": entity_id, "email": f"m{id}@x.example", "status": "pending"}
    )
    new = json.dumps(
        {
            "id": entity_id,
            "amount": 12.5,
            "status": "completed",
            "notes": "bezahlt am Schalter",
            "x": "y" * 150,
        }
    )
    return {
        "id": id,
        "action": action,
        "entity_type": kind,
        "entity_id": entity_id,
        "entity_title": f"{LAST_NAMES[id % 180]} {id % 1000}",
        "description": None,
        "old_values": None if action == "created" else old,
        "new_values": None if action == "deleted" else new,
        "admin_id": 1 + id % 8,
        "admin_name": f"Admin {1 + id % 8}",
        "api_key_id": 1 + id % 8,
        "request_id": f"{id * 2654435761 % 2**64:016x}",
        "ip_address": "10.0.0.1",
        "user_agent": "loader/1",
        "created_at": at,
        "salt": f"{id:032x}",
    }


def digest(values):
    return sha256(database.as_json(values).encode()).hexdigest()


def fill_outgoing_events(connection, show):
    month = 29 * 86400
    put(
        connection,
        "outgoing_events",
        "name,entity_type,entity_id,scope,data,created_at",
        (
            (
                "payment.created",
                "payment",
                id,
                "payments",
                json.dumps(
                    {"id": id, "amount": 1.0, "invoice_number": f"INV-{id}", "x": "y" * 300}
                ),
                timestamp(SPAN - month + id * month // show.outgoing),
            )
            for id in range(1, show.outgoing + 1)
        ),
    )
