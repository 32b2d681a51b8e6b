"""Lists as CSV (RFC 4180): parts as dotted columns, lists joined with |, what has no columns of its own as JSON, formulas defused."""
import csv
import io
import re

from eventapi.storage.database import as_json
from eventapi.validation.schema_files import response_schema

FORMULA = re.compile(r"'*[=+\-@\t\r]")       # what has an apostrophe already gets another, so that `unguarded` gives back what was there
HARMLESS = re.compile(r"[+-]?[\s().,/-]*\d[\d\s().,/-]*")        # numbers and phone numbers; the first digit can be one only: linear time


def defuse(text):
    """Text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return f"'{text}" if FORMULA.match(text) and not HARMLESS.fullmatch(text) else text


def unguarded(text):
    """Without the apostrophe that `defuse` put there."""
    return text[1:] if text[:1] == "'" and FORMULA.match(text[1:]) else text


def columns(name, asked, parts=None):
    """(header, path) of each column of a record, from its schema; `parts`: member -> its parts, where the schema does not name them."""
    schema, parts = response_schema(name), parts or {}
    return [column for member, sub in schema["properties"].items() if not sub.get("x-include") or member in asked
            for column in ([(f"{member}.{part}", (member, part)) for part in parts[member]] if member in parts
                           else _columns((member,), sub, schema))]


def _columns(path, sub, root):
    sub = root["$defs"][sub["$ref"].rpartition("/")[2]] if "$ref" in sub else sub
    parts = _parts(sub, root)
    return [column for name, part in parts.items() for column in _columns((*path, name), part, root)] if parts else [
        (".".join(path), path)]


def _parts(sub, root):
    items = sub.get("items", {})
    items = root["$defs"][items["$ref"].rpartition("/")[2]] if "$ref" in items else items
    return sub.get("properties") or items.get("properties")


def lines(name, asked, pieces, parts=None):
    """The bytes of the CSV, a chunk for each piece of records."""
    shape = columns(name, asked, parts)
    yield _written([[header for header, _ in shape]])
    for records in pieces:
        yield _written([[_cell(record, path) for _, path in shape] for record in records])


def table(headers, rows):
    """The bytes of the CSV of flat rows, in one chunk."""
    return _written([headers, *([_text(row[name]) for name in headers] for row in rows)])


def _written(rows):
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()


def cell(value):
    """A value as it stands in a cell."""
    return _cell(value, ())


def _cell(value, path):
    for step, name in enumerate(path):
        if isinstance(value, list):
            return "|".join(_cell(part, path[step:]) for part in value)
        value = value.get(name) if value else None
    if isinstance(value, list):
        alone = len(value) == 1 and isinstance(value[0], str) and "," in value[0]      # whoever reads it would part it at the comma
        return "|".join([_text(part) for part in value] + [""] * alone)
    return _text(value)


def _text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return as_json(value)
    return defuse(value) if isinstance(value, str) else str(value)
