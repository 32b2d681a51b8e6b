"""Definitions of custom fields: create, change and delete them. custom_fields.py has the values.

Every function that writes is called inside a write transaction and journals the change.
"""

import json
from contextlib import nullcontext

from eventapi import journal
from eventapi.domain.records import entities, slugs
from eventapi.domain.records.field_types import CHOICES, RULES, largest
from eventapi.errors import Faults, Problem, listed, quoted
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("custom_fields")

PIECE = 2000  # records whose values one transaction indexes or deletes
MAX_FIELDS = 200  # fields of one entity type
SWITCHES = ("is_required", "is_searchable", "is_active")
FIXED = ("entity_type", "field_key", "field_type")  # these do not change while there are values
ENCODED = ("field_options", "validation_rules", "field_labels", "field_help")  # columns with JSON
# a question that applicants answer, with the defaults of the schema
BLANK = {
    "form_id": None,
    "entity_type": "application",
    "field_key": None,
    "field_labels": {},
    "field_help": {},
    "field_type": "text",
    "section_key": None,
    "field_options": [],
    "validation_rules": {},
    "is_required": False,
    "is_searchable": False,
    "applicant_visibility": "editable",
    "is_active": True,
    "display_order": 0,
}
RESERVED = ("id", "created_at", "updated_at")


def get(db, id):
    """Return the custom field, or None."""
    row = db.one(sql.get, id=id)
    return row and represent(row)


def by_key(db, entity_type, field_key):
    """Return the custom field of a kind of record by its key, or None."""
    id = db.value(sql.key_taken, entity_type=entity_type, field_key=field_key)
    return get(db, id) if id else None


def represent(row):
    """Turn a row into the API object, in place, and return it."""
    for member in SWITCHES:
        row[member] = bool(row[member])
    for member in ENCODED:
        row[member] = json.loads(row[member])
    return row


def editable(db):
    """Return the fields of applications that applicants fill in: what a form needs to show them."""
    found = db.all(sql.editable)
    for row in found:
        row["is_required"] = bool(row["is_required"])
        for member in ENCODED:
            row[member] = json.loads(row[member])
    return found


def create(db, fields):
    """Create a custom field and return it.

    `fields` is a complete validated body; a missing `field_key` is made from the label.

    Raise 422 for options, rules and switches that do not fit the type; 409 `too_many_fields` or
    `duplicate`.
    """
    field = _completed(fields)
    _check(field)
    if db.value(sql.number_of, entity_type=field["entity_type"]) >= MAX_FIELDS:
        raise Problem(
            "too_many_fields",
            f"{field['entity_type']} has {MAX_FIELDS} custom fields, which is the maximum. "
            "Delete one that is no longer needed.",
        )
    field["field_key"] = field["field_key"] or _free_key(db, field)
    _claim_key(db, field)
    id = db.insert(sql.add, **_columns(field), now=db.now)
    new = get(db, id)
    journal.created(db, entities.CUSTOM_FIELD, new)
    return new


def update(db, old, fields):
    """Change a custom field and return it.

    Stored values stay as they are; the new rules apply to later writes.

    Raise 422 as `create` does; 409 `duplicate`, or `in_use` if stored values do not allow the
    change.
    """
    merged = _completed({**old, **fields})
    _check(merged)
    _refuse_in_use(db, old, merged)
    if (merged["entity_type"], merged["field_key"]) != (old["entity_type"], old["field_key"]):
        _claim_key(db, merged, but=old["id"])
    if merged != old:
        db.run(sql.change, **_columns(merged), now=db.now)
        # `index` was not called before
        if merged["is_searchable"] and not db.value(sql.is_indexed, id=old["id"]):
            index(lambda: nullcontext(db), old, fields)
    new = get(db, old["id"])
    journal.updated(db, entities.CUSTOM_FIELD, old, new)
    return new


def index(write, old, fields):
    """Index the values of the field `old`, in transactions of PIECE records, if `fields` makes it
    searchable.

    `write()` opens a transaction as a context manager. Values that change meanwhile are indexed by
    the triggers. Call this before `update`, which makes the field searchable. Raise 422 as that
    does. If it is interrupted, nobody sees a change, and the next call begins again.
    """
    merged = _completed({**old, **fields})
    if merged["is_searchable"] <= old["is_searchable"]:
        return
    _check(merged)
    values, after = {"id": old["id"], "entity_type": old["entity_type"], "size": PIECE}, 0
    with write() as db:
        db.run(sql.begin_index, id=old["id"])
    while after is not None:
        with write() as db:
            last = db.value(sql.last_of_piece, after=after, **values)
            db.run(sql.index_piece, after=after, **values)
            after = last
    with write() as db:
        db.run(sql.end_index, id=old["id"])


def purge(write, field):
    """Delete the values of a field, in transactions of PIECE records.

    Call `delete` with `purge` afterwards.

    If it is interrupted, the field has fewer values, and the next call deletes the others.
    """
    deleted = PIECE
    while deleted == PIECE:
        with write() as db:
            deleted = db.run(
                sql.purge_piece, id=field["id"], entity_type=field["entity_type"], size=PIECE
            )


def delete(db, field, *, purge):
    """Delete a custom field, and with `purge` its values.

    Raise 409 `in_use` if there are values and `purge` is false.
    """
    if not purge and db.value(sql.has_values, id=field["id"]):
        raise Problem(
            "in_use",
            f"Records have values of the custom field {field['field_key']}. Delete it with `purge=1` to "
            "delete the values too, or set `is_active` to false to keep them.",
            used_by=["values"],
        )
    db.run(sql.purge, id=field["id"])
    db.run(sql.remove, id=field["id"])
    journal.deleted(db, entities.CUSTOM_FIELD, field)


def _columns(field):
    return {**field, **{member: as_json(field[member]) for member in ENCODED}}


def _completed(field):
    """Return the field with a label for each option, and without the rules that are null."""
    options = [_completed_option(option) for option in field["field_options"]]
    rules = {
        name: json.loads(as_json(limit))
        for name, limit in field["validation_rules"].items()
        if limit is not None
    }
    return {**field, "field_options": options, "validation_rules": rules}


def _completed_option(option):
    """Return an option with its label, and with its labels by language if it has any."""
    if isinstance(option, str):
        return {"value": option, "label": option}
    found = {"value": option["value"], "label": option.get("label") or option["value"]}
    if option.get("labels"):
        found["labels"] = option["labels"]
    return found


def _check(field):
    """Raise 422 for options, rules and switches that do not fit the type."""
    faults, kind = Faults(), field["field_type"]
    if field["field_key"] in RESERVED:
        faults.add("/field_key", "reserved", "is reserved: every record has a field of this name")
    if field["is_searchable"] and kind == "textarea":
        faults.add(
            "/is_searchable",
            "not_searchable",
            "is not allowed for type textarea, because a filter compares whole values",
        )
    _check_options(field, faults)
    _check_rules(kind, field["validation_rules"], faults)
    faults.raise_any()


def _check_options(field, faults):
    """Add faults for options that are missing, not allowed for the type, or repeated."""
    values = [option["value"] for option in field["field_options"]]
    if field["field_type"] in CHOICES and not values:
        faults.add("/field_options", "required", f"is required for type {field['field_type']}")
    elif values and field["field_type"] not in CHOICES:
        faults.add(
            "/field_options",
            "unexpected",
            f"is not allowed for type {field['field_type']}, only for {listed(CHOICES)}",
        )
    for place, value in enumerate(values):
        if value in values[:place]:
            faults.add(
                f"/field_options/{place}",
                "repeated",
                f"repeats the value {value} of another option",
            )


def _check_rules(kind, rules, faults):
    """Add faults for rules that are not allowed for the type `kind`, out of range, or contradict
    each other.
    """
    for name, limit in rules.items():
        if kind not in RULES[name][0]:
            faults.add(
                f"/validation_rules/{name}",
                "unexpected",
                f"is not allowed for type {kind}, only for {listed(RULES[name][0])}",
            )
        elif abs(limit) > largest(kind):
            faults.add(
                f"/validation_rules/{name}",
                "out_of_range",
                f"is out of range: the largest absolute value for type {kind} is {largest(kind)}",
            )
    for least, most in (("minimum", "maximum"), ("min_length", "max_length")):
        if least in rules and most in rules and rules[least] > rules[most]:
            faults.add(
                f"/validation_rules/{most}", "less_than_minimum", f"must not be less than `{least}`"
            )


def _refuse_in_use(db, old, merged):
    """Raise 409 `in_use` if stored values do not allow the change."""
    changed = [name for name in FIXED if merged[name] != old[name]]
    if changed and db.value(sql.has_values, id=old["id"]):
        raise Problem(
            "in_use",
            f"Records have values of the custom field {old['field_key']}, so {quoted(changed)} cannot "
            "change. Create a new custom field instead.",
            used_by=["values"],
        )
    before, after = (
        {option["value"] for option in field["field_options"]} for field in (old, merged)
    )
    removed = before - after
    chosen = removed and db.values(sql.chosen, id=old["id"], options=as_json(sorted(removed)))
    if chosen:
        raise Problem(
            "in_use",
            f"`field_options` must contain {listed(chosen)}, because records have "
            f"{'this value' if len(chosen) == 1 else 'these values'}. Change those records first.",
            used_by=["values"],
            options=chosen,
        )


def _claim_key(db, field, but=None):
    """Raise 409 `duplicate` if another field of the entity type has the key."""
    taken = db.value(sql.key_taken, entity_type=field["entity_type"], field_key=field["field_key"])
    if taken not in (None, but):
        raise Problem(
            "duplicate",
            f"The custom field {taken} of {field['entity_type']} has the key {field['field_key']} already. "
            "Choose another `field_key`.",
            member="field_key",
            custom_field_id=taken,
        )


def _free_key(db, field):
    """Return a free key made from the label: letters, digits and underscores, with a suffix if it
    is taken.
    """
    wanted = slugs.slug(field["field_label"]).replace("-", "_")
    wanted = wanted if wanted[0].isalpha() and wanted not in RESERVED else f"field_{wanted}"[:60]
    entity_type = field["entity_type"]
    key = slugs.free(
        wanted,
        lambda key: db.value(
            sql.key_taken, entity_type=entity_type, field_key=key.replace("-", "_")
        ),
    )
    return key.replace("-", "_")
