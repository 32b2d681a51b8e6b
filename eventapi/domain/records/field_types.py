"""Types of custom fields: as JSON Schema, how a value is cleaned, and how it is read from a query. No rule is a pattern of the client's."""
import re
from decimal import Decimal

from eventapi import times

LARGEST = {"integer": 10 ** 15, "number": 10 ** 9}          # with its decimals a number is exact as JSON has it
DECIMALS = 6
NUMBERS, TEXTS, CHOICES = ("integer", "number"), ("text", "textarea", "email", "url"), ("select", "multiselect")
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
# Member of validation_rules -> the types that it is for, and its keyword.
RULES = {"minimum": (NUMBERS, "minimum"), "maximum": (NUMBERS, "maximum"), "min_length": (TEXTS, "minLength"), "max_length": (TEXTS, "maxLength")}


def largest(field_type):
    """How far a limit in validation_rules may go: the largest number, or the length of the longest text."""
    return LARGEST.get(field_type) or SCHEMAS[field_type]["maxLength"]


def schema(field):
    """What a value of the field must look like."""
    found = {**SCHEMAS[field["field_type"]], **{RULES[name][1]: limit for name, limit in field["validation_rules"].items()}}
    words = [option["value"] for option in field["field_options"]]
    if field["field_type"] == "select":
        return {**found, "enum": words}
    if field["field_type"] == "multiselect":
        return {**found, "items": {"type": "string", "enum": words}}
    return found


def trimmed(value):
    """A value as JSON has it, without the blanks around it; None where nothing is left."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return [part.strip() if isinstance(part, str) else part for part in value]
    return value


def kept(field_type, value, zone):
    """A value that fits its schema as it is stored: moments in UTC, whole numbers without decimals; None where nothing was chosen."""
    if field_type == "datetime":
        return times.utc(value, zone)
    if field_type in NUMBERS:
        return int(value) if value == int(value) else float(value)
    return None if value == [] else value


def has_decimals_left(field_type, value):
    """Whether a number has more decimals than are kept."""
    number = Decimal(str(value)) if field_type == "number" else 0
    return number != round(number, DECIMALS)


def read(field, text, zone):
    """The value that a text of a query stands for; None where it can be none of this field."""
    kind, text = field["field_type"], text.strip()
    if kind in NUMBERS:
        fits = re.fullmatch(r"-?\d{1,16}" if kind == "integer" else r"-?\d{1,10}(\.\d{1,6})?", text, re.ASCII)
        return kept("number", Decimal(text), zone) if fits else None
    if kind == "boolean":
        return {"1": True, "0": False, "true": True, "false": False}.get(text.lower())
    if kind in CHOICES:
        return text if text in [option["value"] for option in field["field_options"]] else None
    if kind == "date":
        return text if times.is_day(text) else None
    if kind == "datetime":
        return times.utc(text, zone) if times.is_moment(text) else None
    return text or None


HINTS = {"integer": "must be an integer", "number": f"must be a number with at most {DECIMALS} decimals", "boolean": "must be 0 or 1",
         "date": "must be a day such as 2026-05-01", "datetime": "must be a date-time such as 2026-05-01T09:00:00Z"}


def hint(field):
    """What to say of a text that `read` finds no value in."""
    if field["field_type"] in CHOICES:
        return "must be one of: " + ", ".join(option["value"] for option in field["field_options"])
    return HINTS.get(field["field_type"], "must not be empty")
