"""The faults of an input in words: jsonschema errors become entries of `errors` in a problem document."""
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from jsonschema import ValidationError

from eventapi.errors import fault, suggestion
from eventapi.validation.formats import FORMATS

# keyword of JSON Schema -> function of its value that returns the text
MESSAGES = {
    "enum": lambda value: "must be one of: " + ", ".join(map(str, value)),
    "minLength": lambda value: "must not be empty" if value == 1 else f"must have at least {value} characters",
    "maxLength": lambda value: f"must have at most {value} characters",
    "minimum": lambda value: f"must be at least {value}",
    "exclusiveMinimum": lambda value: f"must be greater than {value}",
    "maximum": lambda value: f"must be at most {value}",
    "exclusiveMaximum": lambda value: f"must be less than {value}",
    "minItems": lambda value: f"must have at least {value} items" if value > 1 else "must have at least one item",
    "maxItems": lambda value: f"must have at most {value} items",
    "uniqueItems": lambda value: "must not contain an item twice",
    "maxProperties": lambda value: f"must have at most {value} fields",
    "minProperties": lambda value: "must have at least one field",
    "pattern": lambda value: f"must match {value}",
    "format": lambda value: FORMATS[value][1],
}
ARTICLES = {"integer": "an integer", "array": "an array", "object": "an object"}


def faults_of(path: list, error: ValidationError, place: Callable[[list], dict]) -> list[dict]:
    """Return the faults of one jsonschema error. `place(path)` returns `{"pointer": …}` or `{"parameter": …}`."""
    keyword, value = error.validator, error.validator_value
    if keyword == "required":
        return [fault("required", "is required", **place([*path, name])) for name in value
                if name not in error.instance]
    if keyword == "additionalProperties":
        known, patterns = error.schema.get("properties", {}), error.schema.get("patternProperties", ())
        return [fault("unknown", "is unknown" + suggestion(name, known), **place([*path, name]))
                for name in error.instance
                if name not in known and not any(re.search(pattern, name) for pattern in patterns)]
    if keyword == "anyOf":
        return [fault("any_of", error.schema["x-says"], **place([*path, *error.schema.get("x-at", ())]))]
    if keyword == "type":
        return [fault("type", f"must be {_types(value)}", **place(path))]
    return [fault(_snake(keyword), error.schema.get("x-says") or MESSAGES[keyword](value), **place(path))]


def _types(value):
    kinds = [value] if isinstance(value, str) else [kind for kind in value if kind != "null"]
    return " or ".join(ARTICLES.get(kind, f"a {kind}") for kind in kinds) + (" or null" if "null" in value else "")


@lru_cache(maxsize=None)
def _snake(keyword):
    """Return a keyword in snake case: `minLength` becomes `min_length`."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), keyword)


def pointer(path: Iterable[str | int]) -> str:
    """Return a JSON pointer (RFC 6901) to a path of names and indexes."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def in_order(faults: list[dict]) -> list[dict]:
    """Return each fault once, sorted by place."""
    by_place = {(entry.get("pointer") or entry.get("parameter") or "", entry["code"], entry["detail"]): entry
                for entry in faults}
    return [by_place[place] for place in sorted(by_place)]
