"""Schemas of the OpenAPI document: which one an operation uses, and what it says in words."""

import json
from html import escape

from eventapi.reference.components import FORMAT_HINTS

LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "multipleOf": "a multiple of {}",
}
LARGEST = 2**63 - 1  # the limit of every integer, which needs no mention


def resolved(schema, openapi):
    """Return the schema that a `$ref` refers to, with the other keywords beside it.

    An `anyOf` is a reference or null: null is then among the types.
    """
    while "$ref" in schema or "anyOf" in schema:
        beside = {key: value for key, value in schema.items() if key not in ("$ref", "anyOf")}
        if "anyOf" in schema:
            part = resolved(schema["anyOf"][0], openapi)
            schema = {**part, "type": [part["type"], "null"], **beside}
        else:
            schema = {
                **openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]],
                **beside,
            }
    return schema


def success(operation):
    """Return (status, response) of a successful request: the first one that is documented."""
    return next(iter(operation["responses"].items()))


def data_of(openapi, operation):
    """Return the schema of `data` in the response, for a list that of one record.

    Outside the root, of the response.
    """
    content = success(operation)[1].get("content", {}).get("application/json", {})
    whole = resolved(content.get("schema", {}), openapi)
    data = resolved(whole.get("properties", {}).get("data", whole), openapi)
    return resolved(data.get("items", data), openapi)


def is_list(operation):
    """Return whether the response is a list with pages. The feed of events is none: it has no end."""
    return any(
        parameter["name"] == "per_page" for parameter in operation.get("parameters", ())
    ) and any(parameter["name"] == "page" for parameter in operation["parameters"])


def body_of(openapi, operation):
    """Return the schema of the JSON request body, {} if there is none."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return resolved(content.get("schema", {}), openapi)


def example_of(operation):
    """Return the example of the JSON request body, None if there is none."""
    return (
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("example")
    )


def record(openapi, operations):
    """Return the schema of a resource's record: the response of reading one by id.

    `operations` are tuples of (path, method, operation).
    """
    reads = sorted(
        ("{" not in path, path, operation["operationId"], operation)
        for path, method, operation in operations
        if method == "get"
    )
    schemas = (data_of(openapi, operation) for *_, operation in reads)
    return next((schema for schema in schemas if schema.get("properties")), {})


def kind(schema, openapi):
    """Describe type, format, allowed values and limits of a value, as HTML."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds and "items" in schema:
        items = resolved(schema["items"], openapi)
        inner = "objects" if items.get("properties") else kind(items, openapi)
        kinds = [f"array of {inner}" if word == "array" else word for word in kinds]
    texts = [" or ".join(kinds)] if kinds else []
    if schema.get("format"):
        texts.append(form(schema["format"]))
    if "enum" in schema:
        words = [f"<code>{escape(str(word))}</code>" for word in schema["enum"] if word is not None]
        texts.append("one of " + ", ".join(words))
    return ", ".join([*texts, *_limits(schema)])


def form(name):
    """Return the name of a format, with a link to its meaning."""
    return f'<a href="#format-{name}">{name}</a>' if name in FORMAT_HINTS else escape(name)


def description(schema):
    """Return the description of a value without the meaning of its format, which stands in one
    place.
    """
    hint = FORMAT_HINTS.get(schema.get("format"), "")
    return (
        " ".join(schema.get("description", "").replace(hint, "").split())
        if hint
        else schema.get("description", "")
    )


def _limits(schema):
    for key, text in LIMITS.items():
        if key in schema and (key, schema[key]) not in (("minLength", 1), ("maximum", LARGEST)):
            yield text.format(schema[key])
    if schema.get("minLength") == 1:
        yield "not empty"
    if schema.get("default") is not None and schema["default"] != []:
        yield f"default <code>{escape(json.dumps(schema['default'], ensure_ascii=False))}</code>"
