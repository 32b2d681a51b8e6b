"""Notes: texts of admins about other records. The scope is that of the record's kind."""

from eventapi.domain.attachments import cascade, notes
from eventapi.domain.attachments.notes import represent
from eventapi.domain.records import entities
from eventapi.plugins.access import require_scope
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes("notes", "note", scope="by_entity_type")
sql = statements("notes")


@routes.list("/notes", query="note.query")
def list_notes(db, who, query):
    allow(who, query["entity_type"], writes=False)
    return page(db, sql.list, query, represent)


@routes.post(
    "/notes", schema="note", desk=Desk(fields=("note_text",), fixed=("entity_type", "entity_id"))
)
def create_note(db, who, body):
    allow(who, body["entity_type"])
    return created(notes.create(db, body, who.admin_id), "/notes")


@routes.get("/notes/<id>")
def get_note(db, who, id):
    return get(db, who, id, writes=False)


@routes.update("/notes/<id>", schema="note")
def update_note(db, who, id, body):
    note = require_match(get(db, who, id))
    # to move a note, the key needs both scopes
    allow(who, body.get("entity_type", note["entity_type"]))
    return notes.update(db, note, body)


@routes.delete("/notes/<id>", desk=Desk(is_final=True))
def delete_note(db, who, id):
    cascade.delete_note(db, require_match(get(db, who, id)))


@routes.post("/notes/<id>/pin")
def pin_note(db, who, id):
    """Pin a note, or unpin it.

    Pinned notes come first in lists.
    """
    note = get(db, who, id)
    return notes.update(db, note, {"is_pinned": not note["is_pinned"]})


def get(db, who, id, *, writes=True):
    """Return the note. Raise 404, or 403 `insufficient_scope`."""
    note = found(notes.get(db, id), "note", id)
    allow(who, note["entity_type"], writes=writes)
    return note


def allow(who, entity_type, *, writes=True):
    """Raise 403 `insufficient_scope` unless the API key has the scope of the kind of record."""
    require_scope(who, entities.KINDS[entity_type].scope, writes=writes)
