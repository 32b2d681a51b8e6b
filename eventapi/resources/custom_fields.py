"""Custom fields: what an organiser adds to contacts, applications, participants, events, booths and submissions, and the values."""
import json

from eventapi import journal
from eventapi.domain.records import custom_fields, customizable, slugs
from eventapi.domain.records.field_types import CHOICES, RULES, largest
from eventapi.errors import Faults, Problem
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web.rest import created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("custom-fields", "custom_field", scope="custom_fields")
sql = statements("custom_fields")

MOST = 200                                          # fields of one kind of record
SWITCHES = ("is_required", "is_searchable", "is_active")
FIXED = ("entity_type", "field_key", "field_type")  # while there are values
RESERVED = ("id", "created_at", "updated_at")


@routes.list("/custom-fields", query="custom_field.query")
def list_custom_fields(db, query):
    return page(db, sql.list, query, represent)


@routes.list("/custom-fields/definitions", query="custom_field.query")
def list_custom_field_definitions(db, query):
    """The same list as /custom-fields."""
    return page(db, sql.list, query, represent)


@routes.post("/custom-fields", schema="custom_field")
def create_custom_field(db, body):
    field = completed(body)
    check(field)
    if db.value(sql.number_of, entity_type=field["entity_type"]) >= MOST:
        raise Problem("too_many_fields", f"There are {MOST} custom fields for {field['entity_type']} already.")
    field["field_key"] = field["field_key"] or free_key(db, field)
    claim_key(db, field)
    id = db.insert(sql.add, **columns(field), now=db.now)
    new = get(db, id)
    journal.created(db, "custom_field", new, title=new["field_label"], scope="custom_fields")
    return created(new, f"/custom-fields/{id}")


@routes.get("/custom-fields/<id>")
def get_custom_field(db, id):
    return get(db, id)


@routes.update("/custom-fields/<id>", schema="custom_field")
def update_custom_field(db, id, body):
    """Changes a field. The values that are there stay as they are; the new rules judge what is written from now on."""
    old = unchanged(get(db, id))
    merged = completed({**old, **body})
    check(merged)
    refuse_in_use(db, old, merged)
    if (merged["entity_type"], merged["field_key"]) != (old["entity_type"], old["field_key"]):
        claim_key(db, merged, but=id)
    if merged != old:
        db.run(sql.change, **columns(merged), now=db.now)
    new = get(db, id)
    journal.updated(db, "custom_field", old, new, title=new["field_label"], scope="custom_fields")
    return new


@routes.delete("/custom-fields/<id>", query="custom_field.delete")
def delete_custom_field(db, id, query):
    """Deletes a field; with `purge=1` its values too, as one change."""
    old = unchanged(get(db, id))
    if not query["purge"] and db.value(sql.has_values, id=id):
        raise Problem("in_use", "There are values of this custom field; purge=1 deletes them with it, is_active false keeps them.",
                      used_by=["values"])
    db.run(sql.purge, id=id)
    db.run(sql.remove, id=id)
    journal.deleted(db, "custom_field", old, title=old["field_label"], scope="custom_fields")
    return deleted()


# Values

@routes.get("/custom-fields/<entity_type>/<id>", response="custom_field.values")
def get_custom_field_values(db, entity_type, id):
    """Gives the values of one record, by key."""
    return record(db, entity_type, id)["custom_fields"]


@routes.put("/custom-fields/<entity_type>/<id>", schema="custom_field.values", response="custom_field.values")
def replace_custom_field_values(db, entity_type, id, body):
    """Replaces all values of one record."""
    return write(db, entity_type, id, lambda stored, faults: custom_fields.replaced(db, entity_type, body, stored, faults))


@routes.patch("/custom-fields/<entity_type>/<id>", schema="custom_field.changed_values", response="custom_field.values")
def change_custom_field_values(db, entity_type, id, body):
    """Changes some values of one record; null takes one away."""
    return write(db, entity_type, id,
                 lambda stored, faults: custom_fields.merged(db, entity_type, body, stored, stored, faults, ""))


def record(db, entity_type, id):
    if entity_type not in customizable.KINDS:
        raise Problem("not_found", f"{entity_type[:40]} is none of the kinds of record that have custom fields: "
                      f"{', '.join(customizable.KINDS)}.")
    return found(customizable.get(db, entity_type, id), entity_type, id)


def write(db, entity_type, id, judged):
    """Stores the values that `judged(stored, faults)` gives; 422 first."""
    old, faults = record(db, entity_type, id), Faults()
    unchanged(old["custom_fields"])
    values = judged(old["custom_fields"], faults)
    faults.raise_any()
    return customizable.change(db, entity_type, old, values)["custom_fields"]


# The definition

def get(db, id):
    return represent(found(db.one(sql.get, id=id), "custom_field", id))


def represent(row):
    for member in SWITCHES:
        row[member] = bool(row[member])
    for member in ("field_options", "validation_rules"):
        row[member] = json.loads(row[member])
    return row


def columns(field):
    return {**field, "field_options": as_json(field["field_options"]), "validation_rules": as_json(field["validation_rules"])}


def completed(field):
    """With options that have a label, and only those rules that say something."""
    options = [{"value": option, "label": option} if isinstance(option, str) else
               {"value": option["value"], "label": option.get("label") or option["value"]} for option in field["field_options"]]
    rules = {name: json.loads(as_json(limit)) for name, limit in field["validation_rules"].items() if limit is not None}
    return {**field, "field_options": options, "validation_rules": rules}


def check(field):
    """What the schema cannot say: what goes with which type."""
    faults, kind = Faults(), field["field_type"]
    if field["field_key"] in RESERVED:
        faults.add("/field_key", "reserved", "is a member that every record has")
    if field["is_searchable"] and kind == "textarea":
        faults.add("/is_searchable", "not_searchable", "is not for textarea: a filter compares the whole value")
    check_options(field, faults)
    check_rules(kind, field["validation_rules"], faults)
    faults.raise_any()


def check_options(field, faults):
    values = [option["value"] for option in field["field_options"]]
    if field["field_type"] in CHOICES and not values:
        faults.add("/field_options", "required", f"is required of {field['field_type']}")
    elif values and field["field_type"] not in CHOICES:
        faults.add("/field_options", "unexpected", f"is not for {field['field_type']}; only for {' and '.join(CHOICES)}")
    for place, value in enumerate(values):
        if value in values[:place]:
            faults.add(f"/field_options/{place}", "repeated", "has the value of another option")


def check_rules(kind, rules, faults):
    for name, limit in rules.items():
        if kind not in RULES[name][0]:
            faults.add(f"/validation_rules/{name}", "unexpected", f"is not for {kind}; only for {', '.join(RULES[name][0])}")
        elif abs(limit) > largest(kind):
            faults.add(f"/validation_rules/{name}", "out_of_range", f"must not be beyond {largest(kind)} for {kind}")
    for least, most in (("minimum", "maximum"), ("min_length", "max_length")):
        if least in rules and most in rules and rules[least] > rules[most]:
            faults.add(f"/validation_rules/{most}", "less_than_minimum", f"must not be less than {least}")


def refuse_in_use(db, old, merged):
    """409 when values stand against the change."""
    changed = [name for name in FIXED if merged[name] != old[name]]
    if changed and db.value(sql.has_values, id=old["id"]):
        raise Problem("in_use", f"There are values of this custom field: {' and '.join(changed)} cannot change.", used_by=["values"])
    gone = {option["value"] for option in old["field_options"]} - {option["value"] for option in merged["field_options"]}
    chosen = gone and db.values(sql.chosen, id=old["id"], options=as_json(sorted(gone)))
    if chosen:
        raise Problem("in_use", f"Records have chosen {', '.join(chosen)}: these options stay.", used_by=["values"], options=chosen)


def claim_key(db, field, but=None):
    """409 when another field of the kind of record has the key."""
    taken = db.value(sql.key_taken, entity_type=field["entity_type"], field_key=field["field_key"])
    if taken not in (None, but):
        raise Problem("duplicate", f"There is a custom field {field['field_key']} for {field['entity_type']}.", member="field_key",
                      custom_field_id=taken)


def free_key(db, field):
    """Made from the label: letters, digits and underscores, with a suffix where it is taken."""
    wanted = slugs.slug(field["field_label"]).replace("-", "_")
    wanted = wanted if wanted[0].isalpha() and wanted not in RESERVED else f"field_{wanted}"[:60]
    key = slugs.free(wanted, lambda key: db.value(sql.key_taken, entity_type=field["entity_type"], field_key=key.replace("-", "_")))
    return key.replace("-", "_")
