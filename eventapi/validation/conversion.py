"""Normalise input by its schema: trim text, read whole numbers as integers, convert timestamps to
UTC, and identifiers to their canonical form.
"""

from collections.abc import Callable
from decimal import Decimal

from eventapi import times
from eventapi.validation.formats import IDENTIFIERS
from eventapi.validation.schema_files import resolved


def trimmer(schema: dict, root: dict) -> Callable:
    """Return a function that trims the text in a value, before the value is checked.

    Empty text becomes null where the schema allows null. A whole number such as 3.0 becomes an
    integer where the schema allows an integer and no other number.
    """
    schema = resolved(schema, root)
    fields = {
        name: trimmer(sub, root)
        for name, sub in schema.get("properties", {}).items()
        if sub is not True
    }
    items = trimmer(schema["items"], root) if "items" in schema else None
    kinds = schema.get("type", ())
    empty = None if "null" in kinds else ""
    is_integer = "integer" in kinds and "number" not in kinds

    def trim(value):
        if isinstance(value, str):
            return value.strip() or empty
        if isinstance(value, dict):
            return {
                name: fields[name](part) if name in fields else part for name, part in value.items()
            }
        if isinstance(value, list) and items:
            return [items(part) for part in value]
        return whole(value) if is_integer and type(value) is Decimal else value

    return trim


def whole(number: Decimal) -> int | Decimal:
    """Return a whole number that SQLite can store as an integer, any other number unchanged."""
    return int(number) if abs(number) < 2**63 and number == int(number) else number


def converter(
    schema: dict, root: dict, zone_name: str, ends: tuple[str, ...] | None = None
) -> Callable | None:
    """Return a function that converts a valid value: timestamps to UTC, identifiers to their
    canonical form.

    Return None if the schema has neither.

    `ends` is given for a query: a date then becomes the timestamp of its beginning, or of its end
    for the parameters in `ends`.
    """
    schema = resolved(schema, root)
    if schema is True:
        return None
    if schema.get("format") == "date-time":
        return lambda value: value and times.utc(value, zone_name)
    if identifier := IDENTIFIERS.get(schema.get("format")):
        return lambda value: value and identifier(value)
    if "items" in schema:
        items = converter(schema["items"], root, zone_name)
        return items and (lambda value: value and [items(part) for part in value])
    fields = {
        name: function
        for name, sub in schema.get("properties", {}).items()
        if (function := _date_filter(name, sub, zone_name, ends) or converter(sub, root, zone_name))
    }
    return _convert_fields(fields) if fields else None


def _convert_fields(fields):
    def convert(value):
        if value is not None:
            for name in fields.keys() & value.keys():
                value[name] = fields[name](value[name])
        return value

    return convert


def _date_filter(name, schema, zone_name, ends):
    if ends is None or schema is True or schema.get("format") != "day-or-moment":
        return None
    edge = times.end if name in ends else times.start
    return lambda value: edge(value, zone_name)
