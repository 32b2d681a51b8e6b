"""Change the custom fields of a record without the rest of it.

`get(db, id)` returns the record as the journal receives it. The caller passes it, because the kinds
that have custom fields belong to packages above this one.
"""

from eventapi import journal
from eventapi.domain.records import anonymity, custom_fields, entities
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("field_values")

# entity type -> statement that sets updated_at of a record
TOUCH = {
    "contact": statements("contacts").touch,
    "application": statements("applications").touch,
    "event_participant": sql.touch_participant,
    "event": sql.touch_event,
    "booth": sql.touch_booth,
    "submission": sql.touch_submission,
}


def replace(db, entity_type, get, old, values):
    """Replace all values of the record `old` and return the record.

    Raise 422 for values that are not allowed.
    """
    faults = Faults()
    after = custom_fields.replaced(db, entity_type, values, old["custom_fields"], faults)
    faults.raise_any()
    return _change(db, entity_type, get, old, after)


def merge(db, entity_type, get, old, values):
    """Change some values of the record `old` and return the record; None removes one.

    Raise 422 as `replace` does.
    """
    faults, stored = Faults(), old["custom_fields"]
    after = custom_fields.merged(
        db, custom_fields.defined(db, entity_type), values, stored, stored, faults, ""
    )
    faults.raise_any()
    return _change(db, entity_type, get, old, after)


def _change(db, entity_type, get, old, values):
    """Store the values of a record and journal them as a change of the record. Return the record."""
    if values == old["custom_fields"]:
        return old
    anonymity.refuse(db, entity_type, old["id"])
    custom_fields.store(db, entity_type, old["id"], old["custom_fields"], values)
    db.run(TOUCH[entity_type], id=old["id"], now=db.now)
    new = get(db, old["id"])
    journal.updated(db, entities.KINDS[entity_type], old, new)
    return new
