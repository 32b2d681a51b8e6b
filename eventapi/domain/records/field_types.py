"""Types of custom fields: their JSON Schemas, and how values are normalised, stored and read from a
query.

A rule is never a regular expression of the client, which could take too long to match.
"""

import re
from decimal import Decimal

from eventapi import times

# a JSON number with DECIMALS decimals is exact up to here
LARGEST = {
    "integer": 10**15,
    "number": 10**9,
}
DECIMALS = 6
NUMBERS = ("integer", "number")
TEXTS = ("text", "textarea", "email", "url")
CHOICES = ("select", "multiselect")
SCHEMAS = {
    "text": {"type": "string", "maxLength": 1000},
    "textarea": {"type": "string", "maxLength": 20000},
    "integer": {"type": "integer", "minimum": -LARGEST["integer"], "maximum": LARGEST["integer"]},
    "number": {"type": "number", "minimum": -LARGEST["number"], "maximum": LARGEST["number"]},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "select": {"type": "string"},
    "multiselect": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "email": {"type": "string", "format": "email", "maxLength": 254},
    "url": {"type": "string", "format": "url", "maxLength": 2000},
}
# field of validation_rules -> (the types that allow it, keyword of JSON Schema)
RULES = {
    "minimum": (NUMBERS, "minimum"),
    "maximum": (NUMBERS, "maximum"),
    "min_length": (TEXTS, "minLength"),
    "max_length": (TEXTS, "maxLength"),
}


def largest(field_type):
    """Return the largest limit allowed in `validation_rules`: the largest number, or the length of
    the longest text.
    """
    return LARGEST.get(field_type) or SCHEMAS[field_type]["maxLength"]


def schema(field):
    """Return the JSON Schema of a value of the field."""
    rules = {RULES[name][1]: limit for name, limit in field["validation_rules"].items()}
    result = {**SCHEMAS[field["field_type"]], **rules}
    options = [option["value"] for option in field["field_options"]]
    if field["field_type"] == "select":
        return {**result, "enum": options}
    if field["field_type"] == "multiselect":
        return {**result, "items": {"type": "string", "enum": options}}
    return result


def trimmed(value):
    """Return a value without surrounding blanks, and a Decimal as float.

    An empty text becomes None.
    """
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return [part.strip() if isinstance(part, str) else part for part in value]
    return value


def stored(field_type, value, zone):
    """Return a valid value as it is stored: timestamps in UTC, whole numbers without decimals, an
    empty choice as None.

    `zone` is the time zone of a timestamp without offset.
    """
    if field_type == "datetime":
        return times.utc(value, zone)
    if field_type in NUMBERS:
        return int(value) if value == int(value) else float(value)
    return None if value == [] else value


def has_too_many_decimals(field_type, value):
    """Return whether a number has more than DECIMALS decimals."""
    number = Decimal(str(value)) if field_type == "number" else 0
    return number != round(number, DECIMALS)


def read(field, text, zone):
    """Return the value that a text of a query means, or None if it is not a value of this field."""
    kind, text = field["field_type"], text.strip()
    if kind in NUMBERS:
        fits = re.fullmatch(
            r"-?\d{1,16}" if kind == "integer" else r"-?\d{1,10}(\.\d{1,6})?", text, re.ASCII
        )
        return stored("number", Decimal(text), zone) if fits else None
    if kind == "boolean":
        return {"1": True, "0": False, "true": True, "false": False}.get(text.lower())
    if kind in CHOICES:
        return text if text in [option["value"] for option in field["field_options"]] else None
    if kind == "date":
        return text if times.is_date(text) else None
    if kind == "datetime":
        return times.utc(text, zone) if times.is_timestamp(text) else None
    return text or None


HINTS = {
    "integer": "must be an integer",
    "number": f"must be a number with at most {DECIMALS} decimals",
    "boolean": "must be 0 or 1",
    "date": "must be a date such as 2026-05-01",
    "datetime": "must be a date-time such as 2026-05-01T09:00:00Z",
}


def hint(field):
    """Return the error text for a text of a query that is not a value of the field."""
    if field["field_type"] in CHOICES:
        return "must be one of: " + ", ".join(option["value"] for option in field["field_options"])
    return HINTS.get(field["field_type"], "must not be empty")
