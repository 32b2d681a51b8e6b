"""Compare a response with the OpenAPI document. The clients of the tests do so for every response."""

import json
import re
from functools import lru_cache

from jsonschema import Draft202012Validator

from eventapi.reference import document as openapi

# Statuses without an operation: OPTIONS, an unknown path or method, and refusals before the
# operation is known.
WITHOUT_OPERATION = (204, 400, 401, 403, 404, 405, 406, 422)
# What the schema of an array or object may contain if each item or field can be judged by itself.
TEXTS = {"type", "title", "description", "examples", "readOnly"}
ARRAY, OBJECT = TEXTS | {"items"}, TEXTS | {"properties", "required", "additionalProperties"}
# The body of a response to a request with `Prefer: return=minimal`.
MINIMAL = {"properties": {"data": {"$ref": "#/components/schemas/Minimal"}}}


# Fields that are null in the response to a dry run, as the description of `dry_run` says.
NULL_IN_DRY_RUN = ("id", "invoice_number")


def check_response(config, method, address, response, *, is_dry_run=False):
    """Raise AssertionError unless status, problem code and body of the response are documented."""
    document_of(config.base_url).check(method, address, response, is_dry_run=is_dry_run)


def check_message(name, data):
    """Raise AssertionError unless the `data` of an event is as documented.

    Each shape of an event is checked once.
    """
    document = document_of("https://api.example.org")
    shape = name, tuple((field, type(value)) for field, value in data.items())
    if shape not in document.shapes:
        media = document.whole["webhooks"][name]["post"]["requestBody"]["content"]
        message = {"type": name, "timestamp": "2027-05-01T09:00:00Z", "data": data}
        validator = document.validator(name, {"content": media}, "application/json")
        error = next(validator.iter_errors(message), None)
        reason = error and next(
            (part.message[-300:] for part in error.context if part.schema_path[0] == 0), ""
        )
        assert not error, (
            f"the message of {name} is not as documented: {reason}. `$defs.message` of the schema file "
            "names differences between the record in a response and in a message"
        )
        document.shapes.add(shape)


@lru_cache(maxsize=None)
def document_of(base_url):
    return Document(*openapi.built(base_url))


def closed(whole, complete):
    """Return the document with `complete` components that allow no other fields.

    Clients must allow them.
    """
    schemas = whole["components"]["schemas"]
    more = {name: {**schemas[name], "additionalProperties": False} for name in complete}
    return {**whole, "components": {**whole["components"], "schemas": {**schemas, **more}}}


class Document:
    """An OpenAPI document with compiled paths and schemas."""

    def __init__(self, whole, complete):
        self.whole, self.found, self.shapes = closed(whole, complete), {}, set()
        self.validators, self.parts, self.valid = {}, {}, {}
        self.paths = [(_pattern(path), path) for path in whole["paths"]]

    def path_of(self, address):
        """Return the path in the document that matches an address, or None.

        The one with the fewest parameters wins.
        """
        address = address.partition("?")[0]
        if address not in self.found:
            bare = address[:-1] if len(address) > 1 and address.endswith("/") else address
            matching = [path for pattern, path in self.paths if pattern.fullmatch(bare)]
            self.found[address] = min(matching, key=lambda path: path.count("{"), default=None)
        return self.found[address]

    def check(self, method, address, response, *, is_dry_run=False):
        """Raise AssertionError unless status, problem code and body of the response are documented."""
        path, method = self.path_of(address), "get" if method == "HEAD" else method.lower()
        operation = self.whole["paths"].get(path, {}).get(method)
        if operation is None:
            assert response.status_int in WITHOUT_OPERATION, (
                f"{method} {address}: {response.status}"
            )
            return
        where = f"{operation['operationId']} {response.status_int}"
        documented = operation["responses"].get(str(response.status_int))
        assert documented, f"{where} is not in /openapi.json: {response.text[:500]}"
        if "$ref" in documented:
            documented = self.whole["components"]["responses"][
                documented["$ref"].rpartition("/")[2]
            ]
            assert not response.body or response.json["code"] in documented["x-codes"], (
                f"{where}: /openapi.json lacks the code {response.json['code']}; run 'make reference'"
            )
        # that leaves fields out
        if "Preference-Applied" in response.headers and not path.endswith("/batch"):
            documented = {"content": {"application/json": {"schema": MINIMAL}}}
            where += " minimal"
        emptied = "Idempotency-Replayed" in response.headers  # without secrets and anonymised data
        if response.body and response.content_type.endswith("json") and not emptied:
            validator = self.validator(where, documented, response.content_type)
            self.check_body(where, validator, response.json, NULL_IN_DRY_RUN if is_dry_run else ())

    def check_body(self, where, validator, body, nullable=()):
        """Raise AssertionError unless the body is valid. Fields `nullable` may be null."""
        if self.is_valid(validator.schema, body):
            return
        errors = (
            error
            for error in validator.iter_errors(body)
            if error.instance is not None or error.absolute_path[-1] not in nullable
        )
        error = next(errors, None)
        assert not error, (
            f"{where} does not match /openapi.json: {list(error.absolute_path)}: "
            f"{error.message[:500]}"
        )

    def is_valid(self, schema, value):
        """Return whether a value matches a schema.

        Each field with each value is judged once, by jsonschema.
        """
        while set(schema) <= {"$ref", "components"} and "$ref" in schema:
            schema = self.whole["components"]["schemas"][
                schema["$ref"].removeprefix("#/components/schemas/")
            ]
        if isinstance(value, list) and schema.get("type") == "array" and not schema.keys() - ARRAY:
            return all(self.is_valid(schema["items"], item) for item in value)
        if (
            isinstance(value, dict)
            and schema.get("type") == "object"
            and not schema.keys() - OBJECT
        ):
            known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
            if isinstance(others, bool) and value.keys() >= set(schema.get("required", ())):
                return (others or value.keys() <= known.keys()) and all(
                    self.is_valid(known[name], item)
                    for name, item in value.items()
                    if name in known
                )
        key = id(schema), json.dumps(value, sort_keys=True)
        if key not in self.valid:
            self.valid[key] = self.compiled(schema).is_valid(value)
        return self.valid[key]

    def compiled(self, schema):
        """Return the validator of a part of the document; it is compiled once."""
        if id(schema) not in self.parts:
            self.parts[id(schema)] = Draft202012Validator(
                {**schema, "components": self.whole["components"]}
            )
        return self.parts[id(schema)]

    def validator(self, where, documented, media_type):
        """Return the validator of a response body; it is compiled once."""
        if (where, media_type) not in self.validators:
            assert media_type in documented.get("content", {}), (
                f"{where} is {media_type}, which is not in /openapi.json"
            )
            schema = documented["content"][media_type].get("schema", {})
            self.validators[where, media_type] = Draft202012Validator(
                {**schema, "components": self.whole["components"]}
            )
        return self.validators[where, media_type]


def _pattern(path):
    return re.compile("".join(_part(part) for part in re.split(r"(\{\w+\})", path)))


def _part(part):
    if not part.startswith("{"):
        return re.escape(part)
    return r"[1-9]\d{0,17}" if part in ("{id}", "{item_id}", "{refund_id}") else "[^/]+"
