"""Custom fields: what an organiser adds to the records of a kind. The definitions are compiled to a JSON Schema that judges values."""
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

MANY = 1000         # records: from here on a list is walked in its order rather than looked up and sorted


class Fields:
    """The fields of one kind of record, as they are defined at a moment."""

    def __init__(self, definitions):
        self.by_key = {field["field_key"]: field for field in definitions}
        self.checker = Checker({"type": "object", "properties": {key: field_types.schema(field) for key, field in self.by_key.items()}})

    def unknown(self, key):
        return "is no custom field here" + suggestion(key, self.by_key)


@lru_cache(maxsize=64)
def _compiled(text):
    return Fields(json.loads(text))


def defined(db, entity_type):
    """The fields of a kind. They are compiled once for each state of the definitions, which are read each time: so no process can
    judge by those of yesterday."""
    return _compiled(db.value(sql.defined, entity_type=entity_type))


# Checking

def checked(db, entity_type, body, stored, faults):
    """The values of a record after a body: those `stored`, with what its custom_fields bring; null takes one away.

    Adds a fault at /custom_fields/key for each that is wrong. What is required is asked for only when custom_fields are sent.
    """
    sent = body.get("custom_fields")
    return stored if sent is None else merged(db, entity_type, sent, stored, stored, faults, "/custom_fields")


def replaced(db, entity_type, sent, stored, faults):
    """The values when all are replaced; those of fields that are switched off stay."""
    fields = defined(db, entity_type).by_key
    stays = {key: value for key, value in stored.items() if not fields[key]["is_active"]}
    return merged(db, entity_type, sent, stored, stays, faults, "")


def merged(db, entity_type, sent, stored, stays, faults, at):
    """`stays` with what is sent, each value as it is kept. Adds the faults, at pointers below `at`."""
    fields, found = defined(db, entity_type), {key: field_types.trimmed(value) for key, value in sent.items()}
    wrong = list(_faults(fields, found, stored, at))
    if wrong:
        faults.extend(wrong)
        return stored
    zone = db.config.timezone
    after = {**stays, **{key: value if value is None else field_types.kept(fields.by_key[key]["field_type"], value, zone)
                         for key, value in found.items()}}
    after = {key: value for key, value in after.items() if value is not None}
    for key, field in fields.by_key.items():
        if field["is_required"] and field["is_active"] and key not in after:
            faults.add(f"{at}/{key}", "required", "is required")
    return after


def _faults(fields, found, stored, at):
    """The faults of what is sent; a value that is there already may be sent back even where its field is switched off."""
    known, asked = {}, 0
    for key, value in found.items():
        field = fields.by_key.get(key)
        if field is None:
            asked += 1
            told = fields.unknown(key) if asked <= 20 else "is no custom field here"
            yield fault("unknown", told, pointer=at + pointer([key]))
        elif not field["is_active"] and value != stored.get(key):
            yield fault("inactive", "is switched off: its values are kept and do not change", pointer=f"{at}/{key}")
        elif value is not None and field["is_active"]:
            known[key] = value
    wrong = fields.checker.faults(known, lambda path: {"pointer": at + pointer(path)})
    yield from wrong
    for key, value in known.items() if not wrong else ():
        if field_types.has_decimals_left(fields.by_key[key]["field_type"], value):
            yield fault("decimals", f"must have at most {field_types.DECIMALS} decimals", pointer=f"{at}/{key}")


# Values

def of(db, entity_type, entity_id):
    """The values of a record."""
    return json.loads(db.value(sql.of, entity_type=entity_type, entity_id=entity_id))


def store(db, entity_type, entity_id, old, new):
    """Writes what differs."""
    changed = {key: as_json(value) for key, value in new.items() if key not in old or old[key] != value}
    gone = [key for key in old if key not in new]
    if changed:
        db.run(sql.put, entity_type=entity_type, entity_id=entity_id, values=as_json(changed))
    if gone:
        db.run(sql.take_away, entity_type=entity_type, entity_id=entity_id, keys=as_json(gone))


def copy(db, entity_type, old_id, new_id):
    """Gives a new record the values of another."""
    db.run(sql.copy, entity_type=entity_type, entity_id=old_id, new_id=new_id)


def attach(db, entity_type, records):
    """For `include`: puts its values into each record."""
    ids = as_json([record["id"] for record in records])
    found = {row["entity_id"]: row["custom_fields"] for row in db.all(sql.of_several, entity_type=entity_type, ids=ids)}
    for record in records:
        record["custom_fields"] = json.loads(found.get(record["id"], "{}"))


def include(entity_type):
    """The function of `include=custom_fields` for a kind of record; it knows which columns a CSV has for them."""
    def bring(db, records):
        attach(db, entity_type, records)
    bring.columns = lambda db: list(defined(db, entity_type).by_key)
    return bring


# Filters

def filters(db, entity_type, query):
    """The query with what `cf.KEY` asks for as the statements want it; 422 names each that asks for what cannot be found.

    What few records have is looked up; where many have it, the list is walked in its order, and most are soon found.
    """
    asked = query.pop("cf", None)
    if not asked:
        return query
    fields, faults = defined(db, entity_type), []
    terms = [_term(fields, key, text, db.config.timezone, faults) for key, text in asked.items()]
    if faults:
        raise invalid(faults)
    numbers = [db.value(sql.number_with, field_id=field_id, term=term, limit=MANY) for field_id, term in terms]
    (number, (query["cf_field"], query["cf_term"])), *rest = sorted(zip(numbers, terms), key=lambda pair: pair[0])
    query["cf_few" if number < MANY else "cf_many"] = 1
    if rest:
        query["cf_rest"] = as_json([term for _, term in rest])
    return query


def _term(fields, key, text, zone, faults):
    """[field, value] that a parameter asks for; None after a fault."""
    field, place = fields.by_key.get(key), {"parameter": f"cf.{key}"}
    if field is None:
        faults.append(fault("unknown", fields.unknown(key) if len(faults) < 20 else "is no custom field here", **place))
    elif not field["is_searchable"]:
        faults.append(fault("not_searchable", "is not searchable; set is_searchable of the custom field first", **place))
    else:
        value = field_types.read(field, text, zone)
        if value is not None:
            return [field["id"], value]
        faults.append(fault("format", field_types.hint(field), **place))
    return None


# Formulas

def for_formulas(db, entities, keys):
    """What {field:KEY} stands for: key -> fraction, the value of the first of the entities that has one.

    A checkbox is 1 or 0, and 0 where nobody touched it; of a select the chosen value counts where it is a number.
    """
    values = {key: Fraction(0) for key in db.values(sql.checkboxes, keys=as_json(keys))}
    rows = db.all(sql.for_formulas, entities=as_json(entities), keys=as_json(keys))
    for entity_type, _ in reversed(entities):
        for row in rows:
            number = _number(row["field_type"], json.loads(row["value"])) if row["entity_type"] == entity_type else None
            if number is not None:
                values[row["field_key"]] = number
    return values


def _number(field_type, value):
    """A value as formulas count it; None where it is no number."""
    if field_type == "boolean":
        return Fraction(int(value))
    if field_type in ("integer", "number"):
        return Fraction(str(value))
    if field_type == "select":
        try:
            return Fraction(value) if len(value) <= 30 and "/" not in value and "e" not in value.lower() else None
        except ValueError:
            return None
    return None
