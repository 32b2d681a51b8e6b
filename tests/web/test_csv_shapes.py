"""CSV of every list, with records of every shape that the response schema allows, read back with
the csv module.
"""

import csv
import io
import json
from copy import deepcopy

import pytest

from eventapi import spreadsheet
from eventapi.domain.imports.fields import _parts
from eventapi.validation.schema_files import document
from tests.support.examples import all_routes, make
from tests.web.test_bad_input import kinds_of, resolved

NAMES = sorted({route.options.singular for route in all_routes() if route.options.listing})
TEXTS = [
    "text",
    "a|b",
    "=1+1",
    "back\\slash",
    "a\\|b|",
    'say "x", twice',
    "line\nbreak",
    "'=x",
    "ünï",
    "-1",
    "|",
    "\\",
]

# Values of fields that CSV shows as the day in Berlin -> that day.
DAYS = {"2027-05-01": "2027-05-01", "2027-05-01T22:30:00Z": "2027-05-02"}


def shapes(schema, root):
    """Return values of every type, and of every shape of its parts, that the schema allows."""
    schema, found = resolved(schema, root), []
    if schema is True:
        return [None, "text", {"a": 1}]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("x-csv") == "day":
        return [*DAYS, *([None] if "null" in kinds_of(schema) else [])]
    for kind in kinds_of(schema) or ["string", "null"]:
        found += {
            "null": lambda: [None],
            "boolean": lambda: [True, False],
            "integer": lambda: [0, 7, -3],
            "number": lambda: [0, 1.5, -2.25],
            "string": lambda: TEXTS,
            "array": lambda: arrays(schema, root),
            "object": lambda: objects(schema, root),
        }[kind]()
    return found


def arrays(schema, root):
    items = shapes(schema.get("items", {}), root)
    return [[], *([item] for item in items), items, items[::-1]]


def objects(schema, root):
    """Return objects: with every field in each of its shapes, without fields, and with one field
    only.
    """
    parts = {name: shapes(sub, root) for name, sub in schema.get("properties", {}).items()}
    if not parts:
        return [{}, {"a": 1, "b": ["x|y", None]}]
    most = max(map(len, parts.values()))
    whole = [
        {name: values[number % len(values)] for name, values in parts.items()}
        for number in range(most)
    ]
    return [*whole, {}, *({name: values[-1]} for name, values in parts.items())]


def records(name):
    """Return records as a list shows them: without what only a request has, or only the response to
    a write.
    """
    schema = document(name)
    visible = {
        "properties": {
            field: sub
            for field, sub in schema["properties"].items()
            if not sub.get("writeOnly") and "x-outcome" not in sub
        }
    }
    return objects(visible, schema)


def at(value, path):
    """Return the value at a path; of a list, the list of the values of its entries."""
    for step, name in enumerate(path):
        if isinstance(value, list):
            return [at(part, path[step:]) for part in value]
        value = value.get(name) if isinstance(value, dict) else None
    return value


def means(cell, value):
    """Return whether a cell is the written form of a value."""
    if isinstance(value, list):
        parts = split(cell)
        if value and len(parts) == len(value) + 1 and parts[-1] == "":
            parts.pop()  # a single value with a comma is written with | at its end
        if not value or value == [None]:
            return cell == ""
        return len(parts) == len(value) and all(map(means, parts, value))
    if value is None or isinstance(value, bool):
        return cell == {None: "", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return json.loads(cell) == value
    if isinstance(value, str):
        return spreadsheet.unescape_formula(cell) == value and not cell.startswith(("=", "@"))
    return float(cell) == value


def split(cell):
    """Return the parts of a cell, character by character: a backslash takes the next backslash or |
    literally.
    """
    parts, index = [""], 0
    while index < len(cell):
        if cell[index] == "\\" and cell[index + 1 : index + 2] in ("\\", "|"):
            parts[-1] += cell[index + 1]
            index += 1
        elif cell[index] == "|":
            parts.append("")
        else:
            parts[-1] += cell[index]
        index += 1
    return parts


def leaves(value, path=()):
    """Yield the paths of all values in a record that are no objects with documented fields."""
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for part in value:
            yield from leaves(part, path)
    elif value not in (None, [], {}):
        yield path


@pytest.mark.parametrize("name", NAMES)
def test_every_record_of_a_list_can_be_read_back(name):
    made, included = records(name), list(document(name)["properties"])
    text = b"".join(spreadsheet.lines(name, included, [deepcopy(made)], "Europe/Berlin")).decode()
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert len(rows) == len(made) and all(len(row) == len(header) for row in rows)
    assert len(set(header)) == len(header)
    for record, row in zip(made, rows, strict=True):
        for column, cell in zip(header, row, strict=True):
            value = at(record, column.split("."))
            value = as_day(value) if is_day(column, document(name)) else value
            if any(other.startswith(f"{column}.") for other in header):
                value = without_objects(value)  # the fields of an object have columns of their own
            assert means(cell, value), (column, value, cell)
        for path in leaves(record):
            assert any(".".join(path[:end]) in header for end in range(1, len(path) + 1)), path


def is_day(column, root):
    """Return whether CSV shows the field of a column as a day."""
    schema = root
    for part in column.split("."):
        schema = resolved(schema, root)
        schema = resolved(schema.get("items", schema), root).get("properties", {}).get(part, {})
    return resolved(schema, root).get("x-csv") == "day"


def as_day(value):
    return [as_day(part) for part in value] if isinstance(value, list) else DAYS.get(value)


def without_objects(value):
    if isinstance(value, list):
        return [without_objects(part) for part in value]
    return None if isinstance(value, dict) else value


def test_a_list_with_due_dates_as_rules_and_as_text_is_csv(shared):
    event = make(shared.organiser, "event")
    for due in ("2027-04-01", {"before": "date_from", "days": 30}, None):
        shared.organiser.make(
            "/tasks",
            {"title": "x", "due_date": due, "entity_type": "event", "entity_id": event["id"]},
        )
    answer = shared.organiser.get(
        f"/tasks?entity_type=event&entity_id={event['id']}&order=ASC",
        headers={"Accept": "text/csv"},
        status=200,
    )
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [(row["due_date"], row["due_date.before"], row["due_date.days"]) for row in rows] == [
        ("2027-04-01", "", ""),
        ("", "date_from", "30"),
        ("", "", ""),
    ]


@pytest.mark.parametrize(
    "tags",
    [
        ["a|b"],
        ["a|b", "c"],
        ["a", "b|"],
        ["|"],
        ["\\"],
        ["a\\", "b"],
        ["a\\|b", "x,y"],
        ["x,y"],
        ["=1|2", "'q"],
        ["\\|", "|\\"],
    ],
)
def test_tags_survive_export_and_import(shared, tags):
    contact = shared.organiser.make("/contacts", {"last_name": "Lovelace", "tags": tags})
    path = f"/contacts?ids={contact['id']}"
    text = shared.organiser.get(path, headers={"Accept": "text/csv"}, status=200).text
    shared.organiser.patch(f"/contacts/{contact['id']}", {"tags": []}, status=200)
    row = next(csv.DictReader(io.StringIO(text, newline="")))
    sheet = io.StringIO()
    csv.writer(sheet).writerows(
        [["customer_number", "tags"], [row["customer_number"], row["tags"]]]
    )
    answer = shared.organiser.post(
        "/bulk-import/contacts?mode=update&match_field=customer_number",
        raw=sheet.getvalue().encode(),
        headers={"Content-Type": "text/csv"},
        status=201,
    )
    assert answer.json["data"]["updated"] == 1, answer.text
    assert shared.organiser.data(path)[0]["tags"] == sorted(tags)


@pytest.mark.parametrize(
    "cell, parts",
    [
        ("a, b", ["a", "b"]),
        ("a|b, c", ["a", "b, c"]),
        (r"a\b, c", [r"a\b", "c"]),
        (r"a\\b", [r"a\b"]),
        ("x,y|", ["x,y"]),
        ("", []),
    ],
)
def test_a_cell_written_by_hand_is_a_list_too(cell, parts):
    assert _parts(cell, "|" if "|" in cell else ",") == parts
