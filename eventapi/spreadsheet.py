"""Lists of records as CSV (RFC 4180).

The columns follow from the schema of the record. Parts of an object are columns such as
`seller.name`; a field that may also be a plain value has a column of its own for that. The values
of an array are joined with |, and a | or backslash inside a value has a backslash before it. Other
objects are JSON. A field with `"x-csv": "day"` is shown as a date. Text that a spreadsheet program
would run as a formula is escaped.

The dialects `excel-de` and `excel-en` are for Excel, which opens them with a click: they begin with
a byte order mark, and their heads are labels. German ones have semicolons, decimal commas and
German days.
"""

import csv
import io
import itertools
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from pathlib import Path

from eventapi import times
from eventapi.storage.database import as_json
from eventapi.validation.schema_files import response_schema

# Text with an apostrophe already matches as well, so that escaping it can be undone. Spreadsheet
# programs in East Asian languages read the signs of full width as = + - @.
FORMULA = re.compile(r"'*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
# Numbers and phone numbers. Only one character can match the first \d, so that matching takes
# linear time.
NUMBER = re.compile(r"[+-]?[\s().,/-]*\d[\d\s().,/-]*")
SPECIAL = re.compile(r"[|\\]")
# of a cell with an array: a character, or one after a backslash
TOKEN = re.compile(r"\\[|\\]|.", re.S)
PLAIN = None  # as the last part of a path: the value itself, unless it is an object


# field -> {language: names of its column}; the first is the label of lists. Imports know them all.
NAMES = Path(__file__).with_name("domain") / "imports" / "names.json"
MARK = b"\xef\xbb\xbf"  # by which Excel recognises UTF-8
DAY = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written.

    Attributes:
        delimiter: between two cells.
        language: of the heads, None for the names of the fields.
        is_german: decimal commas, and days as 28.11.2026.
    """

    delimiter: str = ","
    language: str | None = None
    is_german: bool = False


RFC4180 = Dialect()
DIALECTS = {
    "rfc4180": RFC4180,
    "excel-de": Dialect(delimiter=";", language="de", is_german=True),
    "excel-en": Dialect(language="en"),
}


@cache
def names():
    """Return field -> {language: [names of its column]}."""
    return json.loads(NAMES.read_text(encoding="utf-8"))


def label(head, language):
    """Return the label of a column: `Verkäufer: Name` of `seller.name`.

    A part that has no label, such as the key of a custom field, stays as it is.
    """
    known = names()
    parts = [known[part][language][0] if part in known else part for part in head.split(".")]
    return ": ".join(parts)


def escape_formula(text):
    """Put an apostrophe before a text that a spreadsheet program would run as a formula."""
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def unescape_formula(text):
    """Remove the apostrophe that `escape_formula` added."""
    return text[1:] if text[:1] == "'" and FORMULA.match(text[1:]) else text


def split_list(text, separator="|"):
    """Return the values of an array from the text of its cell, as `_joined` writes it.

    People who write lists by hand may use another separator.
    """
    if "\\" not in text:
        return text.split(separator)
    values = [""]
    for token in TOKEN.findall(text):
        if token == separator:
            values.append("")
        else:
            values[-1] += token[-1]
    return values


def columns(name, included, parts=None):
    """Return (header, path, schema) of each column of a kind of record, from the schema of the
    record.

    included: optional fields that the request includes.
    parts: field -> names of its parts, for objects whose parts the schema does not list.
    """
    schema, parts = response_schema(name), parts or {}
    found = []
    for field, sub in schema["properties"].items():
        if "x-outcome" in sub or (sub.get("x-include") and field not in included):
            continue
        if field in parts:
            found += [(f"{field}.{part}", (field, part), {}) for part in parts[field]]
        else:
            found += _columns((field,), sub, schema)
    return found


def _columns(path, sub, root):
    """Return the columns of a field: one for each of its parts, or one for itself."""
    sub = _resolved(sub, root)
    parts = _parts(sub, root)
    if not parts:
        return [(".".join(path), path, sub)]
    itself = [(".".join(path), (*path, PLAIN), {})] if _has_plain_values(sub, root) else []
    return itself + [
        column for name, part in parts.items() for column in _columns((*path, name), part, root)
    ]


def _has_plain_values(sub, root):
    """Return whether a field with parts, or an entry of its array, may also be text, a number or a
    boolean.
    """
    kinds = {"object"}
    for schema in (sub, _resolved(sub.get("items", {}), root)):
        named = schema.get("type", ())
        kinds |= {named} if isinstance(named, str) else {*named}
    return bool(kinds - {"object", "array", "null"})


def _parts(sub, root):
    """Return the properties of an object or of the objects in an array, or None."""
    return sub.get("properties") or _resolved(sub.get("items", {}), root).get("properties")


def _resolved(sub, root):
    return root["$defs"][sub["$ref"].rpartition("/")[2]] if "$ref" in sub else sub


def lines(name, included, batches, zone, parts=None, dialect=RFC4180):
    """Yield the table as bytes: the header, then a chunk for each batch of records.

    For the arguments see `columns`.

    `zone`: name of the time zone of days.
    """
    shape = columns(name, included, parts)
    days = [
        path for _, path, schema in shape if schema is not True and schema.get("x-csv") == "day"
    ]
    text = partial(_german, zone=zone) if dialect.is_german else _text
    heads = [header for header, *_ in shape]
    if dialect.language:
        heads = [label(header, dialect.language) for header in heads]
    yield (MARK if dialect.language else b"") + _encoded([heads], dialect.delimiter)
    for records in batches:
        for record, path in itertools.product(records, days):
            _show_day(record, path, zone)
        rows = [[_cell(record, path, text) for _, path, _ in shape] for record in records]
        yield _encoded(rows, dialect.delimiter)


def _show_day(value, path, zone):
    """Replace the date or timestamp at `path` by its date in the time zone, in place."""
    if isinstance(value, list):
        for part in value:
            _show_day(part, path, zone)
    elif len(path) > 1:
        _show_day(value.get(path[0]) or [], path[1:], zone)
    elif value.get(path[0]):
        value[path[0]] = times.local_date(value[path[0]], zone)


def sheet(heads, rows, zone, dialect):
    """Return a table of plain values as bytes, in a dialect for Excel.

    `rows` are lists of values in the order of the heads, `zone` is the time zone of timestamps.
    """
    text = partial(_german, zone=zone) if dialect.is_german else _text
    cells = [[text(value) for value in row] for row in rows]
    return MARK + _encoded([[escape_formula(head) for head in heads], *cells], dialect.delimiter)


def table(headers, rows):
    """Return the CSV of flat rows as bytes."""
    return _encoded([headers, *([_text(row[name]) for name in headers] for row in rows)])


def _encoded(rows, delimiter=","):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()


def _text(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return escape_formula(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return as_json(value)
    if isinstance(value, float | Decimal):
        return number(value)
    return str(value)


def _german(value, zone):
    """Return the text of a value with a decimal comma, and of a day or moment as 28.11.2026 14:30."""
    if isinstance(value, float | Decimal):
        return number(value).replace(".", ",")
    if isinstance(value, str) and MOMENT.fullmatch(value):
        return f"{_german_day(times.local_date(value, zone))} {times.local_time(value, zone)}"
    if isinstance(value, str) and DAY.fullmatch(value):
        return _german_day(value)
    return _text(value)


def _german_day(day):
    return ".".join(reversed(day.split("-")))


def cell(value):
    """Return the text of a cell for a value of a record."""
    return _cell(value, ())


def _cell(value, path, text_of=_text):
    """Return the text of the value at `path`. Values in an array are joined.

    `text_of` returns the text of one value.
    """
    for step, name in enumerate(path):
        if isinstance(value, list):
            return _joined(_cell(part, path[step:], text_of) for part in value)
        if name is PLAIN:
            value = None if isinstance(value, dict) else value
        else:
            value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, list):
        text = _joined(_cell(part, (), text_of) for part in value)
        if len(value) == 1 and isinstance(value[0], str) and "," in value[0]:
            text += "|"  # without a |, an import would split the text at the comma
        return text
    return text_of(value)


def _joined(texts):
    """Join the texts of the values in an array. `split_list` undoes this."""
    return "|".join(SPECIAL.sub(r"\\\g<0>", text) for text in texts)


def number(value):
    """Return a float or a Decimal as text without an exponent, which an import would refuse.

    A Decimal keeps its decimals: 714.00.
    """
    text = str(value)
    return f"{Decimal(text):f}" if "e" in text.lower() else text
