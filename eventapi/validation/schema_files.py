"""The JSON Schemas in schemas/, and the schemas of bodies, responses and queries that are derived
from them.

One file per resource. Its `properties` are the fields of the record. `readOnly` fields are accepted
in a body and ignored; `writeOnly` fields are not returned; `x-include` fields are returned only
with `include`: `lists` means on lists, `always` on single records too. `x-once` marks a secret that
only the response to POST contains; it is null in all others. `x-outcome` marks a field that says
what a write did: only its response contains it, and no list, file, message or ETag. `x-required`
lists the fields that POST and PUT require; a list inside it means at least one of these fields.
PATCH requires at least one field. `$defs` holds shared parts, `query` (the filters of the list),
`one` (the query of a single record) and the bodies of actions.

A text of at most LINE characters in a body is a name or a key, and must be one line: it gets
`format: line`. Longer texts, such as addresses and notes, may have line breaks.

The name of a schema is `note` (the record itself) or `note.query` (an entry of its `$defs`). The
entry `batch` lists the actions of POST /NAME/batch in `x-actions`; `document` adds its fields. In
report.json, the entry of a report lists the columns of `NAME_row` that are added up in `x-totals`;
`document` adds the rest.
"""

import json
from functools import lru_cache

from eventapi import paths

LINE = 255  # characters


@lru_cache(maxsize=None)
def document(name: str) -> dict:
    """Return a whole schema file. It is cached: copy before modifying."""
    whole = json.loads((paths.folder("schemas") / f"{name}.json").read_text(encoding="utf-8"))
    if "x-actions" in whole.get("$defs", {}).get("batch", {}):
        whole["$defs"]["batch"] = _batch_schema(name, whole)
    for part, own in whole.get("$defs", {}).items():
        if "x-totals" in own:
            whole["$defs"][part] = _report_schema(part, own, whole)
    for schema in (
        whole,
        *(sub for part, sub in whole.get("$defs", {}).items() if part not in ("query", "one")),
    ):
        _require_lines(schema)
    return whole


FRAME = ("action", "ids", "items", "dry_run")  # fields of a batch beside those of its action
ENTRIES = {"type": "array", "minItems": 1, "maxItems": 200}


def batch_fields(whole: dict, action: str) -> dict:
    """Return field -> schema of the body of an action, without the fields that only a single
    request has.
    """
    own, part = whole["$defs"]["batch"], whole["$defs"].get(action.replace("-", "_"), {})
    return {
        field: sub
        for field, sub in part.get("properties", {}).items()
        if field not in own.get("x-without", ())
    }


def _batch_schema(name, whole):
    """Return the schema of a batch: FRAME, and the fields of all its actions."""
    own = whole["$defs"]["batch"]
    actions, as_a_whole = own["x-actions"], own.get("x-whole", ())
    fields = {
        "action": {"type": "string", "enum": actions, "description": "What to do with each record."}
    }
    if set(actions) - {"create", *as_a_whole}:
        fields["ids"] = {
            **ENTRIES,
            "items": {"type": "integer", "minimum": 1, "maximum": 2**63 - 1},
            "description": "Ids of the records, each once. Required unless `action` creates records.",
        }
    if "create" in actions:
        component = "".join(word.capitalize() for word in name.split("_"))
        item = {"type": "object", "maxProperties": 1000, "x-component": f"{component}Create"}
        fields["items"] = {
            **ENTRIES,
            "items": item,
            "description": "Bodies of the single requests. Required with `create`.",
        }
    fields["dry_run"] = {
        "type": "boolean",
        "default": False,
        "description": "Return what would happen, and change nothing.",
    }
    with_field = {}
    for action in actions:
        for field, sub in batch_fields(whole, action).items():
            with_field.setdefault(field, []).append(f"`{action}`")
            only = f"With {' or '.join(with_field[field])}."
            fields[field] = {**sub, "description": f"{only} {sub.get('description', '')}".strip()}
    return {**own, "properties": fields, "required": ["action"]}


def _report_schema(part, own, whole):
    """Return the schema of a report with the rows `NAME_row`: with its totals, which have fields of
    a row.

    `x-totals` lists the fields that are added up, `properties` has what the report contains besides
    rows and totals.
    """
    row = whole["$defs"][f"{part}_row"]["properties"]
    has_currency = "currency" in row
    totals = {field: row[field] for field in (*["currency"] * has_currency, *own["x-totals"])}
    says = (
        "The totals of the rows, one entry for each currency."
        if has_currency
        else "The totals of all rows, as one entry."
    )
    data = {
        "rows": {"type": "array", "items": {"$ref": f"#/$defs/{part}_row"}},
        "totals": {
            "type": "array",
            "description": says,
            "items": {"type": "object", "properties": totals},
        },
        **own.get("properties", {}),
    }
    return {
        **own,
        "type": "object",
        "properties": {
            "report_type": {"type": "string", "enum": [part.replace("_", "-")]},
            "filters": {"$ref": "#/$defs/filters"},
            "data": {"type": "object", "properties": data},
            "generated_at": {"type": "string", "format": "date-time"},
        },
    }


def _require_lines(schema):
    """Add `format: line` to the short texts in a schema that have no other rule."""
    if not isinstance(schema, dict) or schema.get("readOnly"):
        return
    if (
        "string" in schema.get("type", ())
        and schema.get("maxLength", LINE + 1) <= LINE
        and not ({"format", "pattern", "enum"} & schema.keys())
    ):
        schema["format"] = "line"
    for part in (*schema.get("properties", {}).values(), schema.get("items")):
        _require_lines(part)


def resource_names() -> list[str]:
    """Return the names of all schema files, sorted."""
    return sorted(file.stem for file in paths.folder("schemas").glob("*.json"))


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
    whole = document(resource)
    if part:
        schema = {"type": "object", "additionalProperties": False, **whole["$defs"][part]}
    else:
        schema = _record_schema(whole, method)
    return {**schema, "$defs": whole.get("$defs", {})}


def _record_schema(whole, method):
    properties = {
        field: True if sub.get("readOnly") else sub for field, sub in whole["properties"].items()
    }
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    required = whole.get("x-required", {}).get(method, [])
    alternatives = [_any_of(fields, fields[:1]) for fields in required if isinstance(fields, list)]
    if len(alternatives) < len(required):
        schema["required"] = [field for field in required if isinstance(field, str)]
    if alternatives:
        schema["allOf"] = alternatives
    if method == "POST" and "x-any-of" in whole:
        schema.update(_any_of(whole["x-any-of"]))
    if method == "PATCH":
        schema["minProperties"] = 1
    return schema


def _any_of(fields, at=()):
    """Require one of the fields with a value other than null.

    A fault is reported at the path `at`, with the text `x-says`.
    """
    return {
        "anyOf": [
            {"required": [field], "properties": {field: {"not": {"type": "null"}}}}
            for field in fields
        ],
        "x-says": "must have at least one of: " + ", ".join(fields),
        "x-at": at,
    }


def response_schema(name: str, *, listing: bool = False) -> dict:
    """Return the schema of a record in a response: alone, or in a list."""
    optional = ("lists", "always") if listing else ("always",)
    whole = document(name)
    properties = {
        field: sub for field, sub in whole["properties"].items() if not sub.get("writeOnly")
    }
    return {
        "type": "object",
        "title": whole["title"],
        "description": whole.get("description", ""),
        "properties": properties,
        "required": [
            field
            for field, sub in properties.items()
            if sub.get("x-include") not in optional and "x-outcome" not in sub
        ],
        "additionalProperties": False,
        "$defs": whole.get("$defs", {}),
    }


def event_schema(name: str, word: str) -> dict:
    """Return the schema of a record in the message of an event; `word` is the part of its type
    after the dot.

    It is that of a response, unless `$defs.message` names differences: `x-without` lists fields
    that messages lack, and `properties` has further fields, those with `x-events` only in these
    events. With `x-erased`, `deleted` may mean that only the id is left.
    """
    schema, own = response_schema(name), document(name).get("$defs", {}).get("message", {})
    properties = {
        field: sub
        for field, sub in schema["properties"].items()
        if field not in own.get("x-without", ()) and "x-outcome" not in sub
    }
    more = {
        field: sub
        for field, sub in own.get("properties", {}).items()
        if word in sub.get("x-events", (word,))
    }
    return {
        **schema,
        "properties": {**properties, **more},
        "required": list(
            dict.fromkeys([*(field for field in schema["required"] if field in properties), *more])
        ),
    }


def may_be_erased(name: str, word: str) -> bool:
    """Return whether the message of an event may hold only the id of a record, because its data had
    to be erased.
    """
    return word == "deleted" and document(name).get("$defs", {}).get("message", {}).get(
        "x-erased", False
    )


def outcome_fields(name: str) -> list[str]:
    """Return the fields of a record that say what a write did."""
    return [field for field, sub in document(name)["properties"].items() if "x-outcome" in sub]


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
}


def _any_text(schema):
    """Return the schema of a field for a query: a filter may ask for any text."""
    is_line = isinstance(schema, dict) and schema.get("format") == "line"
    return {key: value for key, value in schema.items() if key != "format"} if is_line else schema


def query_schema(name: str | None, *, listing: bool) -> dict:
    """Return the schema of a query string: the parameters of `name`, and for a list the common
    parameters.
    """
    own = definition(name) if name else {}
    properties = {
        **(LIST_PARAMETERS if listing else {}),
        **{field: _any_text(sub) for field, sub in own.get("properties", {}).items()},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": own.get("required", []),
        "additionalProperties": False,
        **(_any_of(own["x-any-of"], own["x-any-of"][:1]) if "x-any-of" in own else {}),
        "x-custom-fields": own.get("x-custom-fields", False),
        "$defs": document(name.partition(".")[0]).get("$defs", {}) if name else {},
    }
