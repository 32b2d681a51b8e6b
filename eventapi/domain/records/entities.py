"""Entities: the records that documents and tasks may be about, of whatever resource."""
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("entities")


def check(db, record, faults):
    """Adds a fault unless entity_type and entity_id name a record."""
    if not short(db, [(record["entity_type"], record["entity_id"])]):
        faults.add("/entity_id", "unknown", f"names no {record['entity_type']}")


def short(db, pairs):
    """(entity_type, entity_id) -> {entity_type, id, title, event_id} of those that are there; event_id where it is of one event."""
    return {(row["entity_type"], row["entity_id"]): {"entity_type": row["entity_type"], "id": row["entity_id"], "title": row["title"],
                                                     "event_id": row["event_id"]}
            for row in db.all(sql.short, pairs=as_json(list(pairs)))}
