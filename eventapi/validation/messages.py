"""The faults of an input in words: jsonschema errors become entries of `errors` in a problem
document.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice

from eventapi.errors import MAX_FAULTS, MAX_SUGGESTIONS, fault, listed, suggestion
from eventapi.validation.formats import FORMATS, IDENTIFIERS, identifier_fault

LONGEST_SHOWN = 60  # characters of a value in an error text


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 character, 2 characters."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


# keyword of JSON Schema -> function of its value that returns the text
MESSAGES = {
    "enum": lambda values: "must be one of: " + ", ".join(map(str, values)),
    "minLength": lambda value: (
        f"must have at least {value} characters" if value > 1 else "must not be empty"
    ),
    "maxLength": lambda value: f"must have at most {counted(value, 'character')}",
    "minimum": lambda value: f"must be at least {value}",
    "exclusiveMinimum": lambda value: f"must be greater than {value}",
    "maximum": lambda value: f"must be at most {value}",
    "exclusiveMaximum": lambda value: f"must be less than {value}",
    "minItems": lambda value: (
        f"must have at least {value} items" if value > 1 else "must have at least one item"
    ),
    "maxItems": lambda value: f"must have at most {counted(value, 'item')}",
    "uniqueItems": lambda value: "must not contain an item twice",
    "maxProperties": lambda value: f"must have at most {counted(value, 'field')}",
    "minProperties": lambda value: "must have at least one field",
    "pattern": lambda value: f"must match {value}",
    "format": lambda value: FORMATS[value][1],
}
ARTICLES = {
    "integer": "an integer",
    "array": "an array",
    "object": "an object",
    "boolean": "true or false",
}
# the text is about a number of parts
SIZES = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
)


def faults_of(path: list, error: Exception, place: Callable[[list], dict]) -> list[dict]:
    """Return the faults of one ValidationError of jsonschema.

    `place(path)` returns `{"pointer": …}` or `{"parameter": …}`.
    """
    keyword, value = error.validator, error.validator_value
    if keyword == "required":
        return [
            fault("required", "is required", **place([*path, name]))
            for name in value
            if name not in error.instance
        ]
    if keyword == "additionalProperties":
        known = error.schema.get("properties", {})
        patterns = error.schema.get("patternProperties", ())
        names = islice(
            (
                name
                for name in error.instance
                if name not in known and not any(re.search(pattern, name) for pattern in patterns)
            ),
            MAX_FAULTS + 1,
        )
        missing = [name for name in error.schema.get("required", ()) if name not in error.instance]
        return [
            fault(
                "unknown",
                "is unknown"
                + (suggestion(name, known, missing) if count < MAX_SUGGESTIONS else ""),
                **place([*path, name]),
            )
            for count, name in enumerate(names)
        ]
    if keyword == "anyOf":
        return [
            fault(
                "any_of",
                error.schema["x-says"] + actual(error.instance),
                **place([*path, *error.schema.get("x-at", ())]),
            )
        ]
    if keyword == "type":
        return [fault("type", f"must be {_types(value)}{actual(error.instance)}", **place(path))]
    if keyword == "format" and value in IDENTIFIERS:
        return [
            fault(
                "format",
                f"must be {identifier_fault(value, error.instance)}{actual(error.instance)}",
                **place(path),
            )
        ]
    found = (
        f", but has {len(error.instance)}"
        if keyword in SIZES and error.instance
        else actual(error.instance)
    )
    return [
        fault(
            _snake(keyword),
            (error.schema.get("x-says") or MESSAGES[keyword](value)) + found,
            **place(path),
        )
    ]


def actual(value: object) -> str:
    """Return ", but is" with a value as it was sent, at most LONGEST_SHOWN characters; "" for
    lists, objects and "".
    """
    if isinstance(value, (list, dict)) or value == "":
        return ""
    return f", but is {shown(value)}"


def shown(value: object) -> str:
    """Return a value as it was sent, at most LONGEST_SHOWN characters."""
    text = str(value)
    if value is None:
        text = "null"
    elif isinstance(value, bool):
        text = text.lower()
    return f"{text[:LONGEST_SHOWN]}{'…' if len(text) > LONGEST_SHOWN else ''}"


def _types(value):
    kinds = [value] if isinstance(value, str) else [kind for kind in value if kind != "null"]
    nulls = ["null"] if "null" in value else []
    return listed([*(ARTICLES.get(kind, f"a {kind}") for kind in kinds), *nulls], "or")


@lru_cache(maxsize=None)
def _snake(keyword):
    """Return a keyword in snake case: `minLength` becomes `min_length`."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), keyword)


def pointer(path: Iterable[str | int]) -> str:
    """Return a JSON pointer (RFC 6901) to a path of names and indexes."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def in_order(faults: list[dict]) -> list[dict]:
    """Return each fault once, sorted by place."""
    by_place = {
        (
            entry.get("pointer") or entry.get("parameter") or "",
            entry["code"],
            entry["detail"],
        ): entry
        for entry in faults
    }
    return [by_place[place] for place in sorted(by_place)]
