"""Custom fields: definitions and values of fields that organisers add to contacts, applications,
participants, events, booths and submissions.
"""

from eventapi.domain.events import events
from eventapi.domain.halls import booth_rows
from eventapi.domain.people import applications, contacts, participants
from eventapi.domain.records import field_definitions as definitions
from eventapi.domain.records import field_values
from eventapi.domain.records.field_definitions import represent
from eventapi.domain.submissions import submissions
from eventapi.errors import Problem
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("custom-fields", "custom_field", scope="custom_fields")
sql = statements("custom_fields")

# entity type -> function that returns the record by id, as the journal receives it
RECORDS = {
    "contact": contacts.state,
    "application": applications.get,
    "event_participant": participants.get,
    "event": events.get,
    "booth": booth_rows.stored,
    "submission": submissions.get,
}


@routes.list("/custom-fields", query="custom_field.query")
def list_custom_fields(db, query):
    return page(db, sql.list, query, represent)


@routes.list("/custom-fields/definitions", query="custom_field.query")
def list_custom_field_definitions(db, query):
    """List custom fields. The same list as /custom-fields."""
    return page(db, sql.list, query, represent)


@routes.post("/custom-fields", schema="custom_field")
def create_custom_field(db, body):
    return created(definitions.create(db, body), "/custom-fields")


@routes.get("/custom-fields/<id>")
def get_custom_field(db, id):
    return get(db, id)


def index_values(write, db, values):
    """Index the values of a field that becomes searchable, before the transaction of the request."""
    definitions.index(write, require_match(get(db, values["id"])), values["body"])


def purge_values(write, db, values):
    """Delete the values of a field with `purge=1`, before the transaction of the request."""
    field = require_match(get(db, values["id"]))
    if values["query"]["purge"]:
        definitions.purge(write, field)


@routes.update("/custom-fields/<id>", schema="custom_field", in_pieces=index_values)
def update_custom_field(db, id, body):
    """Change a custom field. Stored values stay as they are; the new rules apply to later writes."""
    return definitions.update(db, require_match(get(db, id)), body)


@routes.delete("/custom-fields/<id>", query="custom_field.delete", in_pieces=purge_values)
def delete_custom_field(db, id, query):
    """Delete a custom field. With `purge=1`, delete its values too."""
    definitions.delete(db, require_match(get(db, id)), purge=query["purge"])


# Values


@routes.get("/custom-fields/<entity_type>/<id>", response="custom_field.values")
def get_custom_field_values(db, entity_type, id):
    """Return the values of one record, by key.

    The same values are in `custom_fields` of the record.
    """
    return record(db, entity_type, id)["custom_fields"]


@routes.put(
    "/custom-fields/<entity_type>/<id>",
    schema="custom_field.values",
    response="custom_field.values",
)
def replace_custom_field_values(db, entity_type, id, body):
    """Replace all values of one record.

    A field that is not sent loses its value; PATCH keeps it.
    """
    old = record(db, entity_type, id)
    require_match(old["custom_fields"])
    return field_values.replace(db, entity_type, RECORDS[entity_type], old, body)["custom_fields"]


@routes.patch(
    "/custom-fields/<entity_type>/<id>",
    schema="custom_field.changed_values",
    response="custom_field.values",
)
def change_custom_field_values(db, entity_type, id, body):
    """Change some values of one record. Null removes a value."""
    old = record(db, entity_type, id)
    require_match(old["custom_fields"])
    return field_values.merge(db, entity_type, RECORDS[entity_type], old, body)["custom_fields"]


def record(db, entity_type, id):
    """Return the record as the journal receives it. Raise 404 for an unknown record or entity type."""
    if entity_type not in RECORDS:
        raise Problem(
            "not_found",
            f"Records of type {entity_type[:40]} have no custom fields. "
            f"These types have: {', '.join(RECORDS)}.",
        )
    return found(RECORDS[entity_type](db, id), entity_type, id)


def get(db, id):
    return found(definitions.get(db, id), "custom_field", id)
