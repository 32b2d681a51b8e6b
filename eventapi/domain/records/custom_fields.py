"""Custom fields: the values of the fields that an organiser adds to a kind of record.

The definitions of a kind are compiled to a JSON Schema, which checks the values.
"""

import json
from fractions import Fraction
from functools import lru_cache

from eventapi.domain.records import field_types
from eventapi.errors import fault, invalid, suggestion
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.checker import Checker
from eventapi.validation.messages import pointer

sql = statements("custom_fields")

HINTS = 20  # suggestions for unknown keys in one response: each takes long to find


class Fields:
    """The custom fields of one kind of record, compiled.

    `by_key` maps each key to the definition of the field; `checker` checks the values of all
    fields.
    """

    def __init__(self, definitions):
        self.by_key = {field["field_key"]: field for field in definitions}
        schemas = {key: field_types.schema(field) for key, field in self.by_key.items()}
        self.checker = Checker({"type": "object", "properties": schemas})

    def unknown(self, key):
        """Return the error text for an unknown key, with a suggestion if a known key is similar."""
        return "is not a custom field of this kind of record" + suggestion(key, self.by_key)


@lru_cache(maxsize=64)
def _compiled(text):
    return Fields(json.loads(text))


def defined(db, entity_type, *, editable=False):
    """Return the Fields of a kind of record, with `editable` only those that applicants fill in.

    The definitions are read each time, so that a change is effective in every process at once. They
    are compiled only if they have changed.
    """
    return _compiled(
        db.value(sql.defined, frozenset(["editable"] if editable else []), entity_type=entity_type)
    )


# Checking


def checked(db, entity_type, body, stored, faults, *, editable=False, asked=None):
    """Return the values of a record after the change that `body` requests: null in its
    `custom_fields` removes a value.

    `stored` are the present values. Add a fault at /custom_fields/KEY for each wrong value.
    Required fields are checked only if the body has `custom_fields`. With `editable`, only the
    fields that applicants fill in exist, and only those among the keys `asked` if a form asks for
    some of them.
    """
    sent = body.get("custom_fields")
    if sent is None:
        return stored
    fields = defined(db, entity_type, editable=editable)
    if asked is not None:
        fields = Fields([field for key, field in fields.by_key.items() if key in asked])
    return merged(db, fields, sent, stored, stored, faults, "/custom_fields")


def replaced(db, entity_type, sent, stored, faults):
    """Return the values of a record after all are replaced by those `sent`.

    Values of inactive fields stay.

    Add a fault at /KEY for each wrong value.
    """
    fields = defined(db, entity_type)
    inactive = {key: value for key, value in stored.items() if not fields.by_key[key]["is_active"]}
    return merged(db, fields, sent, stored, inactive, faults, "")


def merged(db, fields, sent, stored, base, faults, at):
    """Return the values `base` with those `sent`, each in its stored form. None removes a value.

    `stored` are the present values, which are returned if a value is wrong. Add each fault at a
    pointer below `at`.
    """
    found = {key: field_types.trimmed(value) for key, value in sent.items()}
    wrong = list(_faults(fields, found, stored, at))
    if wrong:
        faults.extend(wrong)
        return stored
    zone, after = db.config.timezone, dict(base)
    for key, value in found.items():
        field_type = fields.by_key[key]["field_type"]
        after[key] = None if value is None else field_types.stored(field_type, value, zone)
    after = {key: value for key, value in after.items() if value is not None}
    for key, field in fields.by_key.items():
        if field["is_required"] and field["is_active"] and key not in after:
            faults.add(f"{at}/{key}", "required", "is required")
    return after


def carried_over(db, entity_type, values, stored):
    """Return `(values, skipped)` of a record that takes values of a record of another kind.

    `stored` are its present values, which stay. It takes those `values` that it lacks and that are
    valid for its field of the same key. `skipped` lists `(field_key, code)` of each that is not
    valid.
    """
    fields, after, skipped = defined(db, entity_type), dict(stored), []
    for key in [key for key in values if key in fields.by_key and key not in stored]:
        wrong = next(_faults(fields, {key: values[key]}, stored, ""), None)
        if wrong:
            skipped.append((key, wrong["code"]))
        else:
            after[key] = field_types.stored(
                fields.by_key[key]["field_type"], values[key], db.config.timezone
            )
    return after, skipped


def faults_of(fields, sent, at):
    """Return the faults of the values in `sent` that belong to active fields, each at a pointer
    below `at`.
    """
    active = {
        key: field_types.trimmed(value)
        for key, value in sent.items()
        if key in fields.by_key and fields.by_key[key]["is_active"]
    }
    return list(_faults(fields, active, {}, at))


def _faults(fields, found, stored, at):
    """Yield the faults of the values in `found`.

    The present value of an inactive field may be sent again.
    """
    known, unknown = {}, 0
    for key, value in found.items():
        field = fields.by_key.get(key)
        if field is None:
            unknown += 1
            yield fault("unknown", _unknown(fields, key, unknown), pointer=at + pointer([key]))
        elif not field["is_active"] and value != stored.get(key):
            yield fault(
                "inactive",
                "cannot change, because the custom field is inactive. Set `is_active` of it to true first",
                pointer=f"{at}/{key}",
            )
        elif value is not None and field["is_active"]:
            known[key] = value
    wrong = fields.checker.faults(known, lambda path: {"pointer": at + pointer(path)})
    yield from wrong
    if wrong:
        return
    for key, value in known.items():
        if field_types.has_too_many_decimals(fields.by_key[key]["field_type"], value):
            yield fault(
                "decimals",
                f"must have at most {field_types.DECIMALS} decimals",
                pointer=f"{at}/{key}",
            )


def _unknown(fields, key, count):
    """Return the error text for the unknown key with the number `count`: only the first HINTS get a
    suggestion.
    """
    return fields.unknown(key) if count <= HINTS else "is not a custom field of this kind of record"


# Values


def store(db, entity_type, entity_id, old, new):
    """Store the values that differ between `old` and `new`. Call this inside a write transaction."""
    changed = {
        key: as_json(value) for key, value in new.items() if key not in old or old[key] != value
    }
    removed = [key for key in old if key not in new]
    if changed:
        db.run(sql.put, entity_type=entity_type, entity_id=entity_id, values=as_json(changed))
    if removed:
        db.run(sql.take_away, entity_type=entity_type, entity_id=entity_id, keys=as_json(removed))


def copy(db, entity_type, old_id, new_id):
    """Copy the values of a record to a new record. Call this inside a write transaction."""
    db.run(sql.copy, entity_type=entity_type, entity_id=old_id, new_id=new_id)


def attach(db, entity_type, records):
    """Add the values of each record to it, as `custom_fields`."""
    ids = as_json([record["id"] for record in records])
    found = {
        row["entity_id"]: row["custom_fields"]
        for row in db.all(sql.of_several, entity_type=entity_type, ids=ids)
    }
    for record in records:
        record["custom_fields"] = json.loads(found.get(record["id"], "{}"))


def include(entity_type):
    """Return the function for `include=custom_fields` of a kind of record.

    Its attribute `columns` is a function of `db` that returns the keys, which a CSV uses as
    columns.
    """

    def add_values(db, records):
        attach(db, entity_type, records)

    add_values.columns = lambda db: list(defined(db, entity_type).by_key)
    return add_values


# Filters


def filters(db, entity_type, query):
    """Return the query with `cf_terms`, the parameter of the statements, in place of its parameters
    `cf.KEY`.

    Raise 422 for keys that are unknown or not searchable, and for texts that are not values of the
    field.
    """
    wanted = query.pop("cf", None)
    if not wanted:
        return query
    fields, faults = defined(db, entity_type), []
    terms = [_term(fields, key, text, db.config.timezone, faults) for key, text in wanted.items()]
    if faults:
        raise invalid(faults)
    return {**query, "cf_terms": as_json(terms)}


def _term(fields, key, text, zone, faults):
    """Return `[field id, value]` for the parameter `cf.KEY`.

    Add a fault and return None if there is no such value.
    """
    field, place = fields.by_key.get(key), {"parameter": f"cf.{key}"}
    if field is None:
        faults.append(fault("unknown", _unknown(fields, key, len(faults) + 1), **place))
    elif not field["is_searchable"]:
        faults.append(
            fault(
                "not_searchable",
                "is not searchable. Set `is_searchable` of the field to true first",
                **place,
            )
        )
    else:
        value = field_types.read(field, text, zone)
        if value is not None:
            return [field["id"], value]
        faults.append(fault("format", field_types.hint(field), **place))
    return None


# Formulas


def for_formulas(db, entities, keys):
    """Return key -> Fraction for each `{field:KEY}` of a booth formula that has a value.

    `entities` are pairs of entity type and id. The first of them that has a value decides. A
    boolean field is 1 or 0, and 0 without a value. A select field counts if the chosen option is a
    number.
    """
    values = {key: Fraction(0) for key in db.values(sql.checkboxes, keys=as_json(keys))}
    rows = db.all(sql.for_formulas, entities=as_json(entities), keys=as_json(keys))
    for entity_type, _ in reversed(entities):
        for row in rows:
            number = (
                _number(row["field_type"], json.loads(row["value"]))
                if row["entity_type"] == entity_type
                else None
            )
            if number is not None:
                values[row["field_key"]] = number
    return values


def _number(field_type, value):
    """Return a value as a Fraction, or None if it is not a number."""
    if field_type == "boolean":
        return Fraction(int(value))
    if field_type in ("integer", "number"):
        return Fraction(str(value))
    if field_type == "select":
        try:
            return (
                Fraction(value)
                if len(value) <= 30 and "/" not in value and "e" not in value.lower()
                else None
            )
        except ValueError:
            return None
    return None
