"""Notes: what the staff writes down about another record. The scope is that of the record's kind."""
from bottle import request

from eventapi import journal
from eventapi.domain.attachments import cascade
from eventapi.domain.attachments.notes import represent
from eventapi.domain.records import anonymity, entities
from eventapi.errors import Faults
from eventapi.plugins.access import READS, require_scope
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("notes", "note", scope="by_entity_type")
sql = statements("notes")


@routes.list("/notes", query="note.query")
def list_notes(db, who, query):
    allow(who, query["entity_type"])
    return page(db, sql.list, query, represent)


@routes.post("/notes", schema="note")
def create_note(db, who, body):
    allow(who, body["entity_type"])
    check(db, body)
    anonymity.refuse(db, body["entity_type"], body["entity_id"])
    note = represent(db.one(sql.add, **body, admin_id=who.admin_id, now=db.now))
    journal.created(db, entities.NOTE, note)
    return created(note, f"/notes/{note['id']}")


@routes.get("/notes/<id>")
def get_note(db, who, id):
    return get(db, who, id)


@routes.update("/notes/<id>", schema="note")
def update_note(db, who, id, body):
    return change(db, who, unchanged(get(db, who, id)), body)


@routes.delete("/notes/<id>")
def delete_note(db, who, id):
    note = unchanged(get(db, who, id))
    db.run(sql.remove, id=id)
    cascade.delete_with(db, "note", id)
    journal.deleted(db, entities.NOTE, note)
    return deleted()


@routes.post("/notes/<id>/pin")
def pin_note(db, who, id):
    """Pins a note, or unpins it."""
    note = get(db, who, id)
    return change(db, who, note, {"is_pinned": not note["is_pinned"]})


def get(db, who, id):
    note = represent(found(db.one(sql.get, id=id), "note", id))
    allow(who, note["entity_type"])
    return note


def change(db, who, old, body):
    merged = {**old, **body}
    if (merged["entity_type"], merged["entity_id"]) != (old["entity_type"], old["entity_id"]):
        allow(who, merged["entity_type"])               # moving a note needs both scopes
        check(db, merged)
    if merged == old:
        return old
    anonymity.refuse(db, merged["entity_type"], merged["entity_id"])
    db.run(sql.change, **merged, now=db.now)
    new = get(db, who, old["id"])
    journal.updated(db, entities.NOTE, old, new)
    return new


def allow(who, entity_type):
    require_scope(who, entities.KINDS[entity_type].scope, writes=request.method not in READS)


def check(db, note):
    if not db.value(sql.entity_exists, entity_type=note["entity_type"], entity_id=note["entity_id"]):
        faults = Faults()
        faults.add("/entity_id", "unknown", f"names no {note['entity_type']}")
        faults.raise_any()
