"""HTML forms made from the JSON Schema of an API body, lists and objects included, and the body
that their texts mean.

The name of a field is the JSON pointer of its value without the first slash: `events/0/base_price`.
So a fault of a problem document names the field that it stands beside.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from eventapi.languages import countries
from eventapi.languages.choice import AVAILABLE
from eventapi.validation.schema_files import body_schema, resolved
from eventapi.web.html import forms, typed_values
from eventapi.web.html.forms import Texts

LONG_TEXT = 501  # characters from which a text gets more than one line
SPARE = 3  # empty rows at the end of a list
MOST_ROWS = 60  # rows of a list that one form can have
# format of a text -> kind of its field
FORMATS = {
    "date": "date",
    "date-time": "datetime-local",
    "day-or-moment": "day",
    "clock": "time",
    "email": "email",
    "url": "url",
    "website": "url",
}
COLOR = "^#[0-9A-Fa-f]{6}$"  # pattern of a colour
# end of the name of a number with decimals -> kind of its field
MEASURES = {
    "price": "money",
    "amount": "money",
    "fee": "money",
    "area": "area",
    "width": "metres",
    "depth": "metres",
    "height": "metres",
    "gap": "metres",
    "x": "metres",
    "y": "metres",
}
UNITS = {
    "percent": "%",
    "metres": "m",
    "area": "m²",
}
ANCHORS = ("before", "after")  # keys of a due date that is counted from a date of the event


@dataclass
class Field(forms.Field):
    """A field of a form, as in forms.py; further kinds are `time`, `day` (a day, or a time as it is
    stored), `lines` (a list with one entry per line) and `choice` (yes, no, nothing, or a word).

    `parts` are the fields of a `group`, of a row of `rows`, or of a `due` date. Null is among the
    options of a choice that is spread.
    """

    @property
    def is_nullable(self) -> bool:
        """Return whether null is a value."""
        return "null" in _types(self.schema)

    def beyond(self, given: Texts) -> int:
        """Return how many rows of the list have no room in the form."""
        return max(0, _rows_of(self.name, given) - MOST_ROWS)

    def may_be_empty(self, given: Texts) -> bool:
        """Return whether the options of the field include an empty one."""
        return self.is_nullable or not (given.get(self.name) or self.default)


class Form:
    """The form of a body: `application.approve`, or a record such as `event`.

    `method` is that of the request. `label(path)` returns (label, help) of a field, whose path has
    no numbers of rows, and (title, sentence) of a group for `group:WORD`. `names` are the fields of
    the body that the form has, in their order; by default those of `groups` and `rare`, or all that
    can be written and whose parts are known, so without custom fields. `without` are paths of parts
    that it lacks. `choices` are the options of fields that name other records: path -> [(value,
    label)]. `spread` are the choices whose options a page shows one below the other. `currency` is
    that of all amounts of the form: it stands beside them and may be typed; None if they differ.

    A page shows the fields in `groups`: [(title, sentence, [(field, width of 12 columns)])]. Fields
    that no group names stand in one without a title. `rare` is [(field, width)] of the fields below
    "More", which groups may not name.
    """

    def __init__(
        self,
        body: str,
        method: str,
        label: Callable[[str], tuple[str, str]],
        *,
        names: Iterable[str] | None = None,
        without: Iterable[str] = (),
        choices: dict[str, list] | None = None,
        spread: Iterable[str] = (),
        groups: Iterable[forms.Group] = (),
        rare: str | Iterable[str] = (),
        currency: str | None = None,
        language: str = "en",
    ):
        self.root, self.method, self.language = body_schema(body, method), method, language
        self.label, self.choices, self.without = label, choices or {}, frozenset(without)
        self.spread, self.currency = frozenset(spread), currency
        properties = {
            name: sub
            for name, sub in self.root["properties"].items()
            if sub is not True and name != "custom_fields"
        }
        required = self.root.get("required", [])
        folded = forms.widths(rare)
        if names is None:
            grouped = [name for group in groups for name in forms.widths(group.names)]
            names = [*grouped, *folded] if grouped else properties
        self.fields = [
            self._field(name, properties[name], name in required) for name in dict.fromkeys(names)
        ]
        self.rare = self._placed(folded)
        self.groups = self._grouped(groups, folded)

    # Fields

    def _placed(self, widths):
        """Return [(field, width)] of the fields that the form has among these names."""
        by_name = {each.name: each for each in self.fields}
        return [(by_name[name], width) for name, width in widths.items() if name in by_name]

    def _grouped(self, groups, folded):
        found = []
        named = set(folded)
        for group in groups:
            widths = forms.widths(group.names)
            named |= set(widths)
            placed = self._placed(widths)
            if placed:
                found.append((*self.label(f"group:{group.word}"), placed))
        others = [(each, forms.COLUMNS) for each in self.fields if each.name not in named]
        if others or not found:
            found.append(("", "", others))
        return found

    def _field(self, path, schema, is_required):
        schema = {
            **resolved(schema, self.root),
            **{key: value for key, value in schema.items() if key != "$ref"},
        }
        label, help = self.label(path)
        kind = self._kind(path, schema)
        made = Field(
            path,
            f"/{path}",
            label,
            kind,
            is_required,
            currency=self.currency,
            unit=(self.currency or "") if kind == "money" else UNITS.get(kind, ""),
            schema=schema,
            default=_default(schema),
            example=self._example(path, schema),
            help=help,
            longest=schema.get("maxLength", 0),
            options=self._options(path, schema),
            is_spread=path in self.spread,
        )
        if made.kind == "group":
            made.parts = self._parts(path, schema)
        elif made.kind == "rows":
            made.parts = self._parts(path, resolved(schema["items"], self.root))
        elif made.kind == "due":
            made.parts = [
                Field(f"{path}/days", f"/{path}/days", self.label(f"{path}/days")[0], "integer"),
                Field(
                    f"{path}/anchor",
                    f"/{path}/anchor",
                    self.label(f"{path}/anchor")[0],
                    "select",
                    options=[
                        (f"{word} {date}", self.label(f"{path}/{word} {date}")[0])
                        for word in ANCHORS
                        for date in schema["properties"][word]["enum"]
                    ],
                ),
            ]
        return made

    def _example(self, path, schema):
        """Return an example of a value, of the schema or of that of the record; None without one."""
        items = resolved(schema.get("items", {}), self.root)
        examples = schema.get("examples") or items.get("examples")
        if examples:
            return examples[0]
        return next(iter(self.root.get("examples", ())), {}).get(path)

    def _parts(self, path, schema):
        """Return the fields of an object, a text in the language of the form before the others."""
        required = schema.get("required", [])
        parts = sorted(schema["properties"].items(), key=lambda part: part[0] != self.language)
        return [
            self._field(f"{path}/{name}", sub, name in required)
            for name, sub in parts
            if not sub.get("readOnly") and f"{path}/{name}" not in self.without
        ]

    def _kind(self, path, schema):
        types = _types(schema)
        if {"boolean", "null"} <= set(types):
            return "choice"
        if (
            path in self.choices
            or "enum" in schema
            or schema.get("format") in ("country", "available-language")
        ):
            return "checkboxes" if "array" in types else "select"
        if "array" in types:
            items = resolved(schema["items"], self.root)
            return "rows" if "properties" in items else "checkboxes" if "enum" in items else "lines"
        if "object" in types:
            return "due" if "string" in types else "group"
        if "boolean" in types:
            return "checkbox"
        if "number" in types:
            return _measure(path, schema)
        if "integer" in types:
            return "integer"
        return _text_kind(path, schema)

    def _options(self, path, schema):
        if path in self.choices:
            return self.choices[path]
        if schema.get("format") == "country":
            names = ((code, countries.name(code, self.language)) for code in countries.NAMES)
            return sorted(names, key=lambda pair: pair[1])
        if schema.get("format") == "available-language":
            return [(code, self.label(f"{path}={code}")[0]) for code in AVAILABLE]
        if path in self.spread:
            values = ["yes", "no"] if "boolean" in _types(schema) else schema["enum"]
            values = [value for value in values if value is not None]
            options = [(value, self.label(f"{path}={value}")[0]) for value in values]
            return [*options, ("", self.label(f"{path}=null")[0])]
        items = resolved(schema.get("items", {}), self.root)
        values = schema.get("enum") or schema.get("x-words") or items.get("enum") or ()
        return [
            (str(value), self.label(f"{path}={value}")[0])
            for value in values
            if value is not None and not isinstance(value, bool)
        ]

    # A record as texts

    def defaults(self) -> Texts:
        """Return the texts of a new record."""
        return self.texts(
            {each.name: each.schema["default"] for each in self.fields if "default" in each.schema}
        )

    def texts(self, record: dict) -> Texts:
        """Return the texts of the fields, for a record as the API returns it.

        Fields that it lacks are empty.
        """
        found = {}
        for each in self.fields:
            self._write(each, record.get(each.name), found)
        return found

    def _write(self, each, value, found):
        if each.kind == "group":
            for part in each.parts:
                self._write(part, (value or {}).get(part.name.rpartition("/")[2]), found)
        elif each.kind == "rows":
            for index, row in enumerate(value or []):
                for part in row_of(each, index):
                    self._write(part, row.get(part.name.rpartition("/")[2]), found)
        elif each.kind == "due" and isinstance(value, dict):
            word = next(word for word in ANCHORS if word in value)
            found[f"{each.name}/days"] = [str(value["days"])]
            found[f"{each.name}/anchor"] = [f"{word} {value[word]}"]
        elif isinstance(value, list):
            texts = [str(part) for part in value]
            found[each.name] = texts if each.kind == "checkboxes" else ["\n".join(texts)]
        elif value is not None and value is not False:
            found[each.name] = [self._text(each, value)]
        elif value is False and each.kind == "choice":
            found[each.name] = ["no"]

    def _text(self, each, value):
        if value is True:
            return "yes" if each.kind == "choice" else "1"
        return typed_values.shown(each.kind, value, self.language, self.currency)

    # Texts as a body

    def compact(self, given: Texts) -> Texts:
        """Return the texts of a form that was sent, with the empty rows of its lists left out, and
        with one text for each colour.

        So the numbers of rows are those of the body, and faults name the rows that the page shows
        again.
        """
        found = {name: texts for name, texts in given.items() if not self._list_of(name)}
        for each in self.fields:
            if each.kind == "color" and each.name in given:
                found[each.name] = [_chosen_color(each.name, given)]
            if each.kind == "rows":
                kept = [
                    index
                    for index in range(rows_in(each, given))
                    if not self._is_empty(each, index, given)
                ]
                for place, index in enumerate(kept):
                    for part in leaves(row_of(each, index)):
                        if part.name in given:
                            end = part.name.removeprefix(f"{each.name}/{index}/")
                            found[f"{each.name}/{place}/{end}"] = given[part.name]
        return found

    def _list_of(self, name):
        return next(
            (
                each
                for each in self.fields
                if each.kind == "rows" and name.startswith(f"{each.name}/")
            ),
            None,
        )

    def _is_empty(self, each, index, given):
        """Return whether a row has only what an empty row has: boxes and choices that have a value
        from the start.
        """
        return not any(
            text.strip()
            for part in leaves(row_of(each, index))
            for text in given.get(part.name, [])
            if part.kind != "checkbox" and "default" not in part.schema
        )

    def body(self, given: Texts) -> dict:
        """Return the body that compact texts mean.

        A field without a text is null. A POST leaves it out, so that its default applies, unless
        null is another value than the default (`x-unset`).
        """
        found = {}
        for each in self.fields:
            value = self._value(each, given)
            is_null_sent = "x-unset" in each.schema or self.method != "POST"
            if value is not None or (is_null_sent and each.name in self.root["properties"]):
                found[each.name] = value
        return found

    def _value(self, each, given):
        if each.kind == "group":
            return self._object(each.parts, given)
        if each.kind == "rows":
            return [
                self._object(row_of(each, index), given, in_row=True)
                for index in range(rows_in(each, given))
            ]
        if each.kind == "due":
            days = each.parts[0].value(given, self.language)
            anchor = each.parts[1].value(given, self.language)
            if days is not None or anchor is not None:
                word, _, date = (anchor or f"{ANCHORS[0]} date_from").partition(" ")
                return {word: date, "days": days if days is not None else ""}
            return each.value(given, self.language)
        texts = [text.strip() for text in given.get(each.name, []) if text.strip()]
        if each.kind == "lines":
            lines = [line.strip() for text in texts for line in text.split("\n") if line.strip()]
            kind = _text_kind(each.name, resolved(each.schema["items"], self.root))
            return [typed_values.read(kind, line, self.language) for line in lines]
        if each.kind == "choice":
            meant = {**{word: word for word, _ in each.options}, "yes": True, "no": False}
            return meant.get(texts[0]) if texts else None
        value = each.value(given, self.language)
        return (
            _whole(value) if "integer" in _types(each.schema) and each.kind != "integer" else value
        )

    def _object(self, parts, given, in_row=False):
        """Return an object of the fields that have a text.

        In a row of a list, empty ones that may be null are null.
        """
        values = {part.name.rpartition("/")[2]: (part, self._value(part, given)) for part in parts}
        return {
            name: value
            for name, (part, value) in values.items()
            if value not in (None, {}) or (in_row and value is None and part.is_nullable)
        }

    def beyond(self, record: dict) -> dict[str, list[dict]]:
        """Return the rows of each list of a record that have no room in the form, as in a body."""
        found = {}
        for each in self.fields:
            if each.kind == "rows":
                rest = (record.get(each.name) or [])[MOST_ROWS:]
                found[each.name] = [_stored_row(each, row) for row in rest]
        return found

    # Faults

    def faults(self, errors: list[dict], given: Texts, sentences: forms.Sentences) -> forms.Faults:
        """Return the sentences about errors of a problem document. `given` are compact texts."""
        return forms.faults_of(
            errors, self._all(given), given, sentences, lambda name: self.label(_pattern(name))[0]
        )

    def is_same(self, name: str, stored: Texts, given: Texts) -> bool:
        """Return whether a field means the same in two forms, such as 25 and 25,00."""
        for each in self._all(stored):
            if each.name == name:
                return each.value(stored, self.language) == each.value(given, self.language)
        return stored.get(name) == given.get(name)

    def _all(self, given):
        """Return the fields, and those within them."""
        return [part for each in self.fields for part in (each, *leaves(_all_parts(each, given)))]


def row_of(each: Field, index: int) -> list[Field]:
    """Return the fields of one row of a list."""

    def numbered(part):
        name = f"{each.name}/{index}/{part.name.removeprefix(_pattern(each.name) + '/')}"
        return replace(
            part, name=name, pointer=f"/{name}", parts=[numbered(inner) for inner in part.parts]
        )

    return [numbered(part) for part in each.parts]


def rows_in(each: Field, given: Texts) -> int:
    """Return how many rows of a list the texts have, at most MOST_ROWS."""
    return min(MOST_ROWS, _rows_of(each.name, given))


def _rows_of(name, given):
    """Return how many rows of a list the texts have."""
    found = (re.match(rf"{re.escape(name)}/([0-9]{{1,4}})/", text) for text in given)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def _stored_row(each, row):
    """Return a row of a list of a record as in a body: what a form of the list would send."""
    found = {}
    for part in each.parts:
        name = part.name.rpartition("/")[2]
        if row.get(name) is not None or part.is_nullable:
            found[name] = row.get(name)
    return found


def rows(each: Field, given: Texts) -> list[list[Field]]:
    """Return the rows of a list that a page shows: those of the texts, and SPARE empty ones."""
    return [row_of(each, index) for index in range(min(MOST_ROWS, rows_in(each, given) + SPARE))]


def leaves(fields: Iterable[Field]) -> Iterable[Field]:
    """Yield the fields that have a text of their own, also those within groups."""
    for each in fields:
        if each.kind != "group":
            yield each
        yield from leaves(each.parts if each.kind in ("group", "due") else ())


def _all_parts(each, given):
    if each.kind == "rows":
        return [part for index in range(rows_in(each, given)) for part in row_of(each, index)]
    return each.parts


def _pattern(name):
    return re.sub(r"/\d+(?=/|$)", "", name)


def _types(schema):
    types = schema.get("type", "string")
    return [types] if isinstance(types, str) else types


def _default(schema):
    default = schema.get("default")
    return "" if default is None else default


def _measure(path, schema):
    """Return the kind of a number with decimals: a measure by the end of its name, or `number`."""
    end = path.rpartition("/")[2].rpartition("_")[2]
    if end in ("rate", "percent") and schema.get("maximum") == 100:
        return "percent"
    return MEASURES.get(end, "number")


def _text_kind(path, schema):
    """Return the kind of a text."""
    if schema.get("pattern") == COLOR:
        return "color"
    if path.rpartition("_")[2] in ("phone", "mobile"):
        return "tel"
    kind = FORMATS.get(schema.get("format"), "text")
    return "textarea" if kind == "text" and schema.get("maxLength", 0) >= LONG_TEXT else kind


def _chosen_color(name, given):
    """Return the text of a colour.

    A form has it three times: as text, as the colour that the browser's own field shows, and as it
    was before. The browser's field counts if only it has changed.
    """
    text, picked, before = (
        given.get(each, [""])[0].strip() for each in (name, f"{name}.picked", f"{name}.before")
    )
    is_picked = picked and picked.lower() != typed_values.picked_color(before).lower()
    return picked if is_picked and text == before else text


def _whole(value):
    """Return the id that an option of a select means."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value) else value
