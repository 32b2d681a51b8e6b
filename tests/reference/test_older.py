"""The document in OpenAPI 3.0: nothing of 3.1 is left, nothing but webhooks is missing, and the examples fit."""

import pytest

from eventapi.reference import document as openapi
from eventapi.reference.older import older, schema

ADDRESS = "https://api.example.org"
NULL = {"type": "object", "nullable": True, "enum": [None]}
REFERENCE = {"$ref": "#/components/schemas/Event"}
# a schema of OpenAPI 3.1 -> the same in 3.0.3
SCHEMAS = [
    (REFERENCE, REFERENCE),
    ({**REFERENCE, "description": "x"}, {"allOf": [REFERENCE], "description": "x"}),
    (
        {"anyOf": [REFERENCE, {"type": "null"}], "readOnly": True},
        {"anyOf": [REFERENCE, NULL], "readOnly": True},
    ),
    (
        {"type": ["string", "null"], "maxLength": 3},
        {"type": "string", "nullable": True, "maxLength": 3},
    ),
    (
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "nullable": True, "enum": ["a", None]},
    ),
    ({"type": ["string", "integer", "null"], "maxLength": 3, "title": "x"}, {"title": "x"}),
    ({"type": ["string", "object"], "properties": {"a": {"type": "string"}}}, {}),
    ({"type": "string", "const": "x"}, {"type": "string", "enum": ["x"]}),
    (
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9},
        {
            "type": "number",
            "minimum": 0,
            "exclusiveMinimum": True,
            "maximum": 9,
            "exclusiveMaximum": True,
        },
    ),
    ({"type": "integer", "examples": [1, 2]}, {"type": "integer", "example": 1}),
    (
        {"type": "object", "required": [], "propertyNames": {"pattern": "a"}, "x-note": 1},
        {"type": "object", "x-note": 1},
    ),
    (
        {"type": "object", "required": ["a"], "properties": {"a": {"type": ["integer", "null"]}}},
        {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"type": "integer", "nullable": True}},
        },
    ),
    (
        {"type": "array", "items": {"type": "string", "contentMediaType": "text/html"}},
        {"type": "array", "items": {"type": "string"}},
    ),
    ({"type": "array", "prefixItems": [{"type": "string"}]}, {"type": "array", "items": {}}),
    (
        {"type": "object", "additionalProperties": {"const": 1}, "if": {}, "then": {}},
        {"type": "object", "additionalProperties": {"enum": [1]}},
    ),
    (
        {"type": "object", "additionalProperties": False},
        {"type": "object", "additionalProperties": False},
    ),
    # a field may have the name of a keyword
    (
        {"type": "object", "properties": {"const": {"type": "string"}}},
        {"type": "object", "properties": {"const": {"type": "string"}}},
    ),
]


@pytest.fixture(scope="module")
def newer():
    return openapi.document(ADDRESS)


@pytest.fixture(scope="module")
def found(newer):
    return older(newer)


@pytest.mark.parametrize(("given", "expected"), SCHEMAS)
def test_a_schema_says_the_same_in_3_0(given, expected):
    assert schema(given) == expected


def test_the_document_has_all_paths_and_components(newer, found):
    def operations(document):
        return {
            (path, method): (
                operation["operationId"],
                operation["tags"],
                [parameter["name"] for parameter in operation["parameters"]],
                list(operation.get("requestBody", {}).get("content", ())),
                [*operation["responses"]],
            )
            for path, item in document["paths"].items()
            for method, operation in item.items()
        }

    assert found["openapi"] == "3.0.3"
    assert operations(found) == operations(newer)
    assert found["components"]["schemas"].keys() == newer["components"]["schemas"].keys()
    for name in ("info", "externalDocs", "servers", "security"):
        assert found[name] == newer[name]


def test_the_webhooks_are_not_in_3_0(found):
    assert "webhooks" not in found
    assert "webhook messages" not in [tag["name"] for tag in found["tags"]]
    assert [group["tags"] for group in found["x-tagGroups"] if group["name"] == "Integration"] == [
        ["me", "webhooks", "bulk-import"]
    ]


def test_the_document_of_3_1_stays_as_it_was(newer):
    assert "webhooks" in newer and newer["openapi"] == "3.1.0"
    types = [
        part.get("type") for part in newer["components"]["schemas"]["Event"]["properties"].values()
    ]
    assert ["string", "null"] in types


def test_the_examples_fit_the_schemas_of_3_0(found):
    """openapi-schema-validator judges. Null beside a reference and exclusive limits differ most."""
    judge = pytest.importorskip("openapi_schema_validator").OAS30ReadValidator
    validated = 0
    for path, item in found["paths"].items():
        for method, operation in item.items():
            for status, response in operation["responses"].items():
                media = response.get("content", {}).get("application/json", {})
                if "example" not in media:
                    continue
                whole = {**media["schema"], "components": found["components"]}
                error = next(judge(whole).iter_errors(media["example"]), None)
                assert error is None, (path, method, status, error.message[:300])
                validated += 1
    assert validated > 200
