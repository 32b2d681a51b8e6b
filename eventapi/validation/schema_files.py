"""The files of schemas/, and the schemas of bodies, responses and queries that follow from them.

One file per resource. Its `properties` are the fields of the record: a body may contain a
`readOnly` field, which changes nothing (read_only.py), and no response contains a `writeOnly` field. `$defs` holds
shared parts, `query` (the filters of the list), `one` (the query of a single record), `message`
(see event_schemas.py), `batch`, and the bodies of actions. The name of a schema is `note` (the
record itself) or `note.query` (an entry of its `$defs`).

A text of at most LINE characters in a body is a name or a key, and must be one line: it gets
`format: line`. Longer texts, such as addresses and notes, may have line breaks.

Keywords of ours, and what they stand on:

| keyword | on | meaning |
| --- | --- | --- |
| `x-required` | record | method -> fields that its body must have; a list inside means at least one of these |
| `x-any-of` | record, query | POST, or the query, must have at least one of these fields, and not null |
| `x-include` | field | returned only with `include`: `lists` means on lists, `always` on single records too |
| `x-once` | field | a secret that only the response to POST contains; null in all others |
| `x-outcome` | field | says what a write did: only its response has it, and no list, file, message or ETag |
| `x-optional` | field | of an object in a response: some responses lack it |
| `x-changed-by` | field | value -> request that sets this read-only field to it; see read_only.py |
| `x-new` | field | read-only, but POST may contain the body of a new record of the schema `record` |
| `x-csv` | field | `day`: a CSV file shows the time as a date |
| `x-says` | any schema | error text in place of the usual one |
| `x-at` | made here | where the fault of an `anyOf` is reported, as a path |
| `x-component` | any schema | the component of the reference that describes the value |
| `x-unset` | field | a POST without it is not one with null: the handler does not receive the field |
| `x-words` | field | the texts that a field of several types may have, beside its other values; forms offer them |
| `x-custom-fields` | query | filters by custom fields (`cf.KEY`) are allowed |
| `x-actions` | batch | the actions that a batch may run; batch_schemas.py adds their fields |
| `x-whole` | batch | those of them that are all or nothing, and have no entries |
| `x-without` | batch, message | fields of the single request, or of the response, that are left out |
| `x-events` | field of a message | the events whose messages have the field; otherwise all |
| `x-erased` | message | that of `deleted` may hold only the id |
| `x-totals` | report | the columns that are added up; report_schemas.py adds rows and totals |
"""

import json
from functools import lru_cache

from eventapi import paths
from eventapi.validation.batch_schemas import batch_schema
from eventapi.validation.report_schemas import report_schema

LINE = 255  # characters

# The parameters of every list.
LIST_PARAMETERS = {
    "page": {
        "type": "integer",
        "minimum": 1,
        "maximum": 10**9,
        "default": 1,
        "description": "Page number, counted from 1.",
    },
    "per_page": {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 20,
        "description": "Number of records on a page.",
    },
    "order": {
        "type": "string",
        "enum": ["ASC", "DESC"],
        "default": "DESC",
        "description": "Sort direction, in any case.",
    },
    "sort": {
        "type": "string",
        "enum": ["id"],
        "default": "id",
        "description": "Field to sort by. Case and accents of texts make no difference: Ärzte comes between Arzt "
        "and Asche. Records with equal values are sorted by id.",
    },
    "updated_since": {
        "type": "string",
        "format": "date-time",
        "description": "Only records that changed at or after this time.",
    },
    "ids": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "maxItems": 100,
        "description": "Only the records with these ids, separated by commas.",
    },
    "after": {
        "type": "string",
        "maxLength": 1000,
        "description": "Cursor for reading a long list: empty for the first piece, then `meta.next` of the last "
        "response.",
    },
    "dialect": {
        "type": "string",
        "enum": ["rfc4180", "excel-de", "excel-en"],
        "default": "rfc4180",
        "description": "How a list as CSV is written. For Excel, UTF-8 with a byte order mark and labels as heads: "
        "`excel-de` with semicolons, decimal commas and days such as 28.11.2026, `excel-en` with commas and days "
        "such as 2026-11-28.",
    },
}


def resource_names() -> list[str]:
    """Return the names of all schema files, sorted."""
    return sorted(file.stem for file in paths.folder("schemas").glob("*.json"))


@lru_cache(maxsize=None)
def document(name: str) -> dict:
    """Return a whole schema file. It is cached: copy before modifying."""
    path = paths.folder("schemas") / f"{name}.json"
    file = json.loads(path.read_text(encoding="utf-8"))
    parts = file.get("$defs", {})

    if "x-actions" in parts.get("batch", {}):
        parts["batch"] = batch_schema(name, file)
    for part, schema in parts.items():
        if "x-totals" in schema:
            parts[part] = report_schema(part, file)

    _require_lines(file)
    for part, schema in parts.items():
        if part not in ("query", "one"):
            _require_lines(schema)
    return file


def _require_lines(schema):
    """Add `format: line` to the short texts in a schema that have no other rule."""
    if not isinstance(schema, dict) or schema.get("readOnly"):
        return
    is_short_text = "string" in schema.get("type", ()) and schema.get("maxLength", LINE + 1) <= LINE
    if is_short_text and not {"format", "pattern", "enum"} & schema.keys():
        schema["format"] = "line"
    for part in (*schema.get("properties", {}).values(), schema.get("items")):
        _require_lines(part)


def definition(name: str) -> dict:
    """Return the schema of `note` or `note.query`."""
    resource, _, part = name.partition(".")
    return document(resource)["$defs"][part] if part else document(resource)


def resolved(schema: dict | bool, root: dict) -> dict | bool:
    """Follow `$ref` to the entry of `$defs` in the root schema."""
    while isinstance(schema, dict) and "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def body_schema(name: str, method: str = "POST") -> dict:
    """Return the schema of a body: of a record as POST, PUT or PATCH require it, or of an action.

    Read-only fields have schema True.
    """
    resource, _, part = name.partition(".")
    file = document(resource)
    if part:
        schema = {"type": "object", "additionalProperties": False, **file["$defs"][part]}
    else:
        schema = _record_body(file, method)
    return {**schema, "$defs": file.get("$defs", {})}


def _record_body(file, method):
    properties = {}
    for field, sub in file["properties"].items():
        if "x-new" in sub and method == "POST":
            properties[field] = _new_record(sub["x-new"])
        else:
            properties[field] = True if sub.get("readOnly") else sub
    schema = {"type": "object", "properties": properties, "additionalProperties": False}

    required = []
    alternatives = []
    for entry in file.get("x-required", {}).get(method, ()):
        if isinstance(entry, list):
            alternatives.append(_any_of(entry, at=entry[:1]))
        else:
            required.append(entry)
    if required:
        schema["required"] = required
    if alternatives:
        schema["allOf"] = alternatives

    if method == "POST" and "x-any-of" in file:
        schema.update(_any_of(file["x-any-of"]))
    if method == "PATCH":
        schema["minProperties"] = 1
    return schema


def _new_record(new):
    """Return the schema of a record that is created together with the one that contains it.

    `new` has `record`, the name of its schema, and `description`.
    """
    return {
        **_record_body(document(new["record"]), "POST"),
        "type": ["object", "null"],
        "description": new["description"],
        "x-component": f"{new['record'].capitalize()}Create",
    }


def _any_of(fields, at=()):
    """Require one of the fields with a value other than null.

    A fault is reported at the path `at`.
    """
    not_null = {"not": {"type": "null"}}
    return {
        "anyOf": [{"required": [field], "properties": {field: not_null}} for field in fields],
        "x-says": "must have at least one of: " + ", ".join(fields),
        "x-at": at,
    }


def response_schema(name: str, *, listing: bool = False) -> dict:
    """Return the schema of a record in a response: alone, or in a list."""
    optional = ("lists", "always") if listing else ("always",)
    file = document(name)

    properties = {}
    required = []
    for field, sub in file["properties"].items():
        if sub.get("writeOnly"):
            continue
        properties[field] = sub
        if sub.get("x-include") not in optional and "x-outcome" not in sub:
            required.append(field)
    return {
        "type": "object",
        "title": file["title"],
        "description": file.get("description", ""),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
        "$defs": file.get("$defs", {}),
    }


def outcome_fields(name: str) -> list[str]:
    """Return the fields of a record that say what a write did."""
    return [field for field, sub in document(name)["properties"].items() if "x-outcome" in sub]


def query_schema(name: str | None, *, listing: bool) -> dict:
    """Return the schema of a query string: the parameters of `name`, and for a list the common
    parameters.
    """
    query = definition(name) if name else {}
    properties = dict(LIST_PARAMETERS) if listing else {}
    for field, sub in query.get("properties", {}).items():
        properties[field] = _of_any_text(sub)

    schema = {
        "type": "object",
        "properties": properties,
        "required": query.get("required", []),
        "additionalProperties": False,
    }
    if "x-any-of" in query:
        schema.update(_any_of(query["x-any-of"], at=query["x-any-of"][:1]))
    schema["x-custom-fields"] = query.get("x-custom-fields", False)
    schema["$defs"] = document(name.partition(".")[0]).get("$defs", {}) if name else {}
    return schema


def _of_any_text(schema):
    """Return the schema of a parameter without `format: line`: a filter may ask for any text."""
    if not isinstance(schema, dict) or schema.get("format") != "line":
        return schema
    return {key: value for key, value in schema.items() if key != "format"}
