"""Examples for the API reference, derived from those in the schema files.

The tests send the bodies and compare the responses.
"""

from eventapi.validation.event_schemas import event_schema
from eventapi.validation.schema_files import (
    definition,
    document,
    outcome_fields,
    resolved,
    response_schema,
)

SAMPLES = {
    "date": "2027-05-01",
    "date-time": "2027-05-01T09:00:00Z",
    "day-or-moment": "2027-05-01",
    "clock": "09:00",
    "timezone": "Europe/Berlin",
    "email": "ada@example.org",
    "url": "https://example.org/",
    "country": "DE",
    "currency": "EUR",
    "language": "de",
    "available-language": "de",
    "iban": "DE02120300000000202051",
    "bic": "BYLADEM1001",
    "vat-id": "DE136695976",
    "tax-id": "DE136695976",
    "leitweg-id": "04011000-1234512345-06",
    "gln": "4012345000009",
    "electronic-address": "0204:991-33333TEST-33",
    "creditor-reference": "RF18539007547034",
}
BY_TYPE = {"null": None, "integer": 1, "number": 1, "string": "text", "boolean": False, "array": []}


def body(name: str, method: str) -> dict | None:
    """Return a valid body: the first example of the schema, for PATCH one field of it.

    None if the schema has no example.
    """
    examples = definition(name).get("examples")
    if not examples:
        return None
    if method != "PATCH" or "." in name:
        return _writable(examples[0], definition(name), name)
    needed = required(name)
    field = next((field for field in examples[0] if field not in needed), next(iter(examples[0])))
    return {field: examples[0][field]}


def _writable(value, schema, name):
    """Return an example without the read-only fields of its parts."""
    schema = resolved(schema, document(name.partition(".")[0]))
    if isinstance(value, list):
        return [_writable(part, schema.get("items", {}), name) for part in value]
    if not isinstance(value, dict):
        return value
    fields = schema.get("properties", {})
    return {
        field: _writable(part, fields.get(field, {}), name)
        for field, part in value.items()
        if not fields.get(field, {}).get("readOnly")
    }


def required(name: str) -> set[str]:
    """Return the fields that creation requires, including all fields of alternatives."""
    entries = document(name).get("x-required", {}).get("POST", [])
    return {field for entry in entries for field in ([entry] if isinstance(entry, str) else entry)}


def response(name: str, *, listing: bool = False, secret: bool = False) -> dict | None:
    """Return the record that results from the example of the body, or None if the schema has no
    example.

    Unless `secret` is true, a field that is shown only once (`x-once`) is null, and those that say
    what the request did (`x-outcome`) are missing.
    """
    examples = definition(name).get("examples")
    if not examples:
        return None
    if "." in name:
        return examples[0]
    schema = response_schema(name, listing=listing)
    fields = schema["properties"]
    known = (
        examples[0]
        if secret
        else {**examples[0], **{field: None for field in fields if "x-once" in fields[field]}}
    )
    shown = [*schema["required"], *(outcome_fields(name) if secret else ())]
    return {
        field: known[field] if field in known else sample(fields[field], schema) for field in shown
    }


def event(name: str, word: str) -> dict | None:
    """Return the record in the message of an event; for the arguments see `event_schema`."""
    schema = event_schema(name, word)
    known = response(name)
    return {
        field: known[field] if field in known else sample(schema["properties"][field], schema)
        for field in schema["required"]
    }


def envelope(record: dict, *, listing: bool) -> dict:
    """Return the example of a whole response: `data` is the record, or a list of it."""
    meta = {"request_id": "req_0a1b2c3d4e5f6071"}
    if listing:
        return {
            "data": [record],
            "meta": {**meta, "page": 1, "per_page": 20, "total": 1, "total_pages": 1},
        }
    return {"data": record, "meta": meta}


def sample(schema: dict, root: dict) -> object:
    """Return a valid value: the example of the schema, its default, None where null is allowed, or
    a plain value.
    """
    if "$ref" in schema:
        return sample(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "examples" in schema:
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    kinds = schema.get("type", "object")
    if "null" in kinds:
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if kinds == "object":
        return {field: sample(part, root) for field, part in schema.get("properties", {}).items()}
    return SAMPLES.get(schema.get("format"), BY_TYPE[kinds if isinstance(kinds, str) else kinds[0]])
