"""The OpenAPI 3.0 document, made from that of 3.1, for generators of clients that read only 3.0.

A schema leaves out what 3.0 cannot say, so it allows each value that the one of 3.1 allows. A value that may
have several types, such as that of a custom field, is any value.
"""

from eventapi.reference.webhooks import TAG

OPENAPI = "3.0.3"
# An alternative that only null fits. In 3.0, `nullable` means nothing without a type, so it cannot stand beside
# a reference.
NULL, NULL_3_0 = {"type": "null"}, {"type": "object", "nullable": True, "enum": [None]}
# Keywords of a schema that say nothing about the type of its value.
NOTES = frozenset(
    "title description enum default readOnly writeOnly example externalDocs deprecated".split()
)
# All keywords of a schema, without those that eventapi does not use (xml, discriminator).
KEYWORDS = NOTES.union(
    """type nullable format multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern
    items maxItems minItems uniqueItems properties required additionalProperties maxProperties minProperties
    allOf oneOf anyOf not""".split()
)


def older(document: dict) -> dict:
    """Return the document in OpenAPI 3.0.

    It has no `webhooks`: only the schemas of their messages are left.
    """
    kept = {name: part for name, part in document.items() if name != "webhooks"}
    components = {
        name: part for name, part in document["components"].items() if name != "parameters"
    }
    return {
        **_with_schemas(kept),
        "openapi": OPENAPI,
        "tags": [tag for tag in document["tags"] if tag != TAG],
        "x-tagGroups": [
            {**group, "tags": [name for name in group["tags"] if name != TAG["name"]]}
            for group in document["x-tagGroups"]
        ],
        "components": {
            **_with_schemas(components),
            "schemas": {name: schema(part) for name, part in components["schemas"].items()},
        },
    }


def _with_schemas(node):
    """Return a part of the document with each `schema` in it in the form of 3.0."""
    if isinstance(node, list):
        return [_with_schemas(part) for part in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for name, part in node.items():
        if name == "schema":
            found[name] = schema(part)
        elif name in ("example", "examples"):
            found[name] = part
        else:
            found[name] = _with_schemas(part)
    return found


def schema(newer: dict) -> dict:
    """Return a schema in the form of 3.0, with all its parts."""
    if newer.keys() == {"$ref"}:
        return newer
    found = {**newer}
    if "$ref" in found:  # in 3.0, a reference has no other keywords beside it
        found["allOf"] = [{"$ref": found.pop("$ref")}]
    if "const" in found:
        found["enum"] = [found.pop("const")]
    if found.get("examples"):
        found["example"] = found["examples"][0]
    if not found.get("required", True):
        del found["required"]
    _limit(found, "minimum", "exclusiveMinimum")
    _limit(found, "maximum", "exclusiveMaximum")
    if isinstance(found.get("type"), list):
        found = _of_types(found, found["type"])
    if found.get("type") == "array":
        found.setdefault("items", {})
    return {
        word: _part(word, value)
        for word, value in found.items()
        if word in KEYWORDS or word.startswith("x-")
    }


def _limit(found, limit, exclusive):
    """Write an exclusive limit as 3.0 does: the limit, and whether it is exclusive."""
    if exclusive in found:
        found[limit] = found[exclusive]
        found[exclusive] = True


def _of_types(found, types):
    """Return the schema with one type, or without any if its value may have several."""
    others = [name for name in types if name != "null"]
    if len(others) == 1:
        return {**found, "type": others[0], "nullable": "null" in types}
    return {word: value for word, value in found.items() if word in NOTES}


def _part(word, value):
    if word == "properties":
        return {name: schema(part) for name, part in value.items()}
    if word in ("allOf", "oneOf", "anyOf"):
        return [NULL_3_0 if part == NULL else schema(part) for part in value]
    if word in ("items", "additionalProperties", "not") and isinstance(value, dict):
        return schema(value)
    return value
