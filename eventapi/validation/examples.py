"""Examples for the reference, made from those of the schema files. The tests send the bodies and compare the answers."""
from eventapi.validation.bodies import definition, document, response_schema

SAMPLES = {"date": "2027-05-01", "date-time": "2027-05-01T09:00:00Z", "day-or-moment": "2027-05-01", "clock": "09:00",
           "timezone": "Europe/Berlin", "email": "ada@example.org", "url": "https://example.org/", "country": "DE", "currency": "EUR",
           "language": "de"}
BY_TYPE = {"null": None, "integer": 1, "number": 1, "string": "text", "boolean": False, "array": []}


def body(name, method):
    """A body that the route takes, or None: the schema's first example; for PATCH one member of it."""
    examples = definition(name).get("examples")
    if not examples:
        return None
    if method != "PATCH" or "." in name:
        return examples[0]
    needed = required(name)
    member = next((member for member in examples[0] if member not in needed), next(iter(examples[0])))
    return {member: examples[0][member]}


def required(name):
    """The members that creation asks for, those of which any one does among them."""
    entries = document(name).get("x-required", {}).get("POST", [])
    return {member for entry in entries for member in ([entry] if isinstance(entry, str) else entry)}


def response(name, *, listing=False):
    """The record that the body's example becomes; None where the schema has no example."""
    examples = definition(name).get("examples")
    if not examples:
        return None
    if "." in name:
        return examples[0]
    schema = response_schema(name, listing=listing)
    return {member: examples[0][member] if member in examples[0] else sample(schema["properties"][member], schema)
            for member in schema["required"]}


def envelope(record, *, listing):
    meta = {"request_id": "req_0a1b2c3d4e5f6071"}
    if listing:
        return {"data": [record], "meta": {**meta, "page": 1, "per_page": 20, "total": 1, "total_pages": 1}}
    return {"data": record, "meta": meta}


def sample(schema, root):
    """A value that fits: the schema's own example, its default, nothing where that is allowed, or a plain one."""
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
        return {member: sample(part, root) for member, part in schema.get("properties", {}).items()}
    return SAMPLES.get(schema.get("format"), BY_TYPE[kinds if isinstance(kinds, str) else kinds[0]])
