"""HTML forms: fields, the texts of a record, the body that texts mean, and the sentences about
faults.

A form is a list of fields. Those of a body of the API are made from its schema (schema_forms.py),
others by the page that has them. The name of a field is that of its texts, its pointer the place of
its value in the body (RFC 6901). So a fault of a problem document names the field that it stands
beside.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from string import Formatter

from eventapi.languages import formats
from eventapi.web.html import typed_values

# types of custom fields -> kinds of fields
LABELS = {
    "text": "text",
    "textarea": "textarea",
    "integer": "integer",
    "number": "number",
    "boolean": "checkbox",
    "date": "date",
    "datetime": "datetime-local",
    "select": "select",
    "multiselect": "checkboxes",
    "email": "email",
    "url": "url",
}


# kind -> type of the browser's own input, and the texts that it can show
OWN_INPUTS = {
    "date": ("date", re.compile(r"|\d{4}-\d\d-\d\d")),
    "day": ("date", re.compile(r"|\d{4}-\d\d-\d\d")),
    "datetime-local": ("datetime-local", re.compile(r"|\d{4}-\d\d-\d\dT\d\d:\d\d")),
    "time": ("time", re.compile(r"|\d\d:\d\d")),
}
INPUT_MODES = {
    "number": "decimal",
    "money": "decimal",
    "percent": "decimal",
    "metres": "decimal",
    "area": "decimal",
    "integer": "numeric",
    "url": "url",
    "email": "email",
    "tel": "tel",
}
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
LONG_TEXT = 501  # characters from which a text gets more than one line
ANCHORS = ("before", "after")  # keys of a due date that is counted from a date of the event
COLUMNS = 12  # of a group of fields
SPARE = 3  # empty rows at the end of a list
MOST_ROWS = 60  # rows of a list that one form can have
LONGEST_SHOWN = 60  # characters of what was typed in a sentence about it
# Codes of faults that mean "required" if nothing was typed, but in fields without a text of their own
# or of an unknown kind.
EMPTY = frozenset(("type", "min_length", "enum", "format", "pattern"))
WITHOUT_TEXT = frozenset(("group", "rows", "due", ""))
Texts = dict[str, list[str]]  # name of a field -> its texts


@dataclass(frozen=True, slots=True)
class Group:
    """Fields of a form that stand together, beside a title and a sentence.

    `word` ends the names of these two texts, `group_WORD` and `help_group_WORD`. `names` are those
    of the fields, each with its width if that is not all COLUMNS: "venue:8 city:6 country".
    """

    word: str
    names: str


def widths(names: str | Iterable[str]) -> dict[str, int]:
    """Return name -> width of names such as "venue:8 city:6 country", or of a list of these."""
    found = {}
    for each in names.split() if isinstance(names, str) else names:
        name, _, width = each.partition(":")
        found[name] = int(width) if width else COLUMNS
    return found


@dataclass
class Field:
    """One field of a form.

    `kind` is a value of LABELS, `tel`, `color`, `time`, `day` (a day, or a time as it is stored),
    `lines` (a list with one entry per line), `choice` (yes, no, nothing, or a word), `group`,
    `rows`, `due`, or a measure: `money`, `percent`, `metres` or `area`. `options` are (value,
    label) of a choice, `unit` stands behind the text. `currency` is that of an amount, if it is
    known: its sign may be typed. `is_spread` is whether a page shows all options of a choice, one
    below the other; null is among them. `is_locked` is whether it can only be read. `parts` are the
    fields of a `group`, of a row of `rows`, or of a `due` date. `default` is its value in a new
    row, `schema` that of its value, `example` a value that it can have.
    """

    name: str
    pointer: str
    label: str
    kind: str = "text"
    is_required: bool = False
    options: list = field(default_factory=list)
    autocomplete: str = "off"
    longest: int = 0
    help: str = ""
    unit: str = ""
    currency: str | None = None
    is_spread: bool = False
    is_locked: bool = False
    parts: list["Field"] = field(default_factory=list)
    default: object = ""
    schema: dict = field(default_factory=dict)
    example: object = None

    def value(self, texts: Texts, language: str) -> object:
        """Return the value of JSON that the texts of a form mean.

        A text that is no number stays a text.
        """
        given = [text.strip() for text in texts.get(self.name, []) if text.strip()]
        if self.kind == "checkbox":
            return bool(given)
        if self.kind == "checkboxes":
            return given
        if not given:
            return None
        return typed_values.read(self.kind, given[0], language, self.currency)

    def text(self, given: Texts) -> str:
        """Return the text that an input of the field shows, or ""."""
        return "".join(given.get(self.name, [])[:1])

    def input_type(self, given: Texts) -> str:
        """Return the type of the input of the field.

        It is `text` for a day or time that the browser's own field could not show.
        """
        if self.kind in ("email", "tel"):
            return self.kind
        known = OWN_INPUTS.get(self.kind)
        if known and known[1].fullmatch(self.text(given)):
            return known[0]
        return "text"

    def picked_color(self, given: Texts) -> str:
        """Return what the browser's own field for colours shows."""
        return typed_values.picked_color(self.text(given))

    @property
    def is_nullable(self) -> bool:
        """Return whether null is a value: by its schema, or without one unless it is required."""
        return "null" in types_of(self.schema) if self.schema else not self.is_required

    def may_be_empty(self, given: Texts) -> bool:
        """Return whether the options of the field include an empty one."""
        return self.is_nullable or not (self.text(given).strip() or self.default)

    def beyond(self, given: Texts) -> int:
        """Return how many rows of the list have no room in the form."""
        return max(0, _rows_of(self.name, given) - MOST_ROWS)

    @property
    def format(self) -> str:
        """Return the format that its schema demands, or that of the parts of a list."""
        items = self.schema.get("items")
        return self.schema.get("format") or (items or {}).get("format", "")

    @property
    def input_mode(self) -> str:
        """Return the keyboard that a telephone shows for the field."""
        return INPUT_MODES.get(self.kind, "text")

    def offered(self, given: Texts, say: Callable[[str], str]) -> list[tuple[str, str]]:
        """Return the options of the field, and the values that it has and does not offer, so that
        saving a form loses none.

        `say` returns the words `yes` and `no`.
        """
        known = {value for value, _ in self.options}
        if self.kind == "choice" and "yes" not in known:
            return [("yes", say("yes")), ("no", say("no")), *self.options]
        others = [value for value in given.get(self.name, []) if value and value not in known]
        return [*self.options, *((value, value) for value in others)]


# Faults


@dataclass(frozen=True, slots=True)
class Faults:
    """The sentences about a form that was refused.

    `beside` are those of its fields, by their names; `top` those that no field is about.
    """

    beside: dict[str, str]
    top: list[str]


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences about faults, in the words of a part of the pages.

    The sentence about a code is that of `fault_CODE_NAME`, for the last part of the name of the
    field, else of `fault_CODE_KIND`, `fault_CODE_FORMAT`, `fault_CODE` or `fault_other`. It may
    contain {limit}, {example} and {value}. If that is not known, it is that of `fault_CODE_plain`.
    """

    texts: dict[str, str]
    language: str

    def about(self, code: str, field: Field | None = None, given: Texts | None = None) -> str:
        """Return the sentence about a fault. `given` are the texts of the form."""
        if field is None:
            return self._filled(code, self._first(code, ()), {})
        typed = [text.strip() for text in (given or {}).get(field.name, []) if text.strip()]
        if not typed and code in EMPTY and field.kind not in WITHOUT_TEXT:
            code = "required"
        ends = (field.name.rpartition("/")[2], field.kind, field.format)
        labels = dict(field.options)
        parts = {
            "limit": self._limit(code, field),
            "example": str(field.example or ""),
            "value": ", ".join(labels.get(text, text) for text in typed)[:LONGEST_SHOWN],
        }
        return self._filled(code, self._first(code, ends), parts)

    def _first(self, code, ends):
        for word in (*(f"fault_{code}_{end}" for end in ends if end), f"fault_{code}"):
            if word in self.texts:
                return self.texts[word]
        return self.texts["fault_other"]

    def _filled(self, code, text, parts):
        if any(not parts.get(name) for _, name, _, _ in Formatter().parse(text) if name):
            text = self.texts.get(f"fault_{code}_plain") or self.texts["fault_other"]
        return text.format(**parts)

    def _limit(self, code, field):
        """Return the value of the keyword of JSON Schema that a fault is about, as text: `max_length`
        is `maxLength`.
        """
        keyword = re.sub(r"_(\w)", lambda match: match[1].upper(), code)
        limit = field.schema.get(keyword, "")
        return formats.number(limit, self.language) if isinstance(limit, (int, float)) else ""


def faults_of(
    errors: list[dict],
    fields: list[Field],
    given: Texts,
    sentences: Sentences,
    label: Callable[[str], str],
) -> Faults:
    """Return the sentences for errors of a problem document, in the order of the fields.

    A fault stands beside the field with its pointer, or with the pointer of what contains it.
    `label(name)` returns the label of a value that no field has, or "".
    """
    places = {each.pointer: each for each in fields}
    beside, top = {}, []
    for error in errors:
        pointer = error.get("pointer") or f"/{error.get('parameter') or ''}"
        place = pointer
        while place and place not in places:
            place = place.rpartition("/")[0]
        field = places.get(place)
        sentence = sentences.about(error["code"], field, given)
        if field:
            beside.setdefault(field.name, sentence)
        elif name := label(pointer[1:]):
            top.append(f"{name}: {sentence}")
        else:
            top.append(sentence)
    in_order = {name: beside[name] for name in (each.name for each in fields) if name in beside}
    return Faults(in_order, top)


# Forms


class Form:
    """A form: its fields, and how a page shows them.

    `method` is that of the request. `label(name)` returns (label, help) of a value that no field
    has, and (title, sentence) of a group for `group:WORD`. `currency` is that of all amounts of the
    form: it stands beside them and may be typed; None if they differ.

    A page shows the fields in `groups`: [(title, sentence, [(field, width of 12 columns)])]. Fields
    that no group names stand in one without a title. `rare` is [(field, width)] of the fields below
    "More", which groups may not name.
    """

    def __init__(
        self,
        fields: list[Field],
        language: str,
        *,
        method: str = "POST",
        label: Callable[[str], tuple[str, str]] = lambda name: (name, ""),
        groups: Iterable[Group] = (),
        rare: str | Iterable[str] = (),
        currency: str | None = None,
    ):
        self.fields, self.language, self.method = fields, language, method
        self.label, self.currency = label, currency
        folded = widths(rare)
        self.rare = self._placed(folded)
        self.groups = self._grouped(groups, folded)

    def _placed(self, widths):
        """Return [(field, width)] of the fields that the form has among these names."""
        by_name = {each.name: each for each in self.fields}
        return [(by_name[name], width) for name, width in widths.items() if name in by_name]

    def _grouped(self, groups, folded):
        found = []
        named = set(folded)
        for group in groups:
            wide = widths(group.names)
            named |= set(wide)
            placed = self._placed(wide)
            if placed:
                found.append((*self.label(f"group:{group.word}"), placed))
        others = [(each, COLUMNS) for each in self.fields if each.name not in named]
        if others or not found:
            found.append(("", "", others))
        return found

    def field(self, name: str) -> Field:
        """Return the field of a name."""
        return next(each for each in self.fields if each.name == name)

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

    def empty(self, given: Texts) -> list[str]:
        """Return the pointers of the required fields without a text."""
        return [
            each.pointer
            for each in self.fields
            if each.is_required and not any(text.strip() for text in given.get(each.name, []))
        ]

    def body(self, given: Texts) -> dict:
        """Return the body that compact texts mean.

        A field without a text is null. A POST leaves it out, so that its default applies, unless
        null is another value than the default (`x-unset`).
        """
        found = {}
        for each in self.fields:
            value = self._value(each, given)
            if value is not None or self.method != "POST" or "x-unset" in each.schema:
                _put(found, each.pointer, value)
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
            kind = text_kind(each.name, each.schema["items"])
            return [typed_values.read(kind, line, self.language) for line in lines]
        if each.kind == "choice":
            meant = {**{word: word for word, _ in each.options}, "yes": True, "no": False}
            return meant.get(texts[0]) if texts else None
        value = each.value(given, self.language)
        return (
            _whole(value)
            if "integer" in types_of(each.schema) and each.kind != "integer"
            else value
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

    def faults(self, errors: list[dict], given: Texts, sentences: Sentences) -> Faults:
        """Return the sentences about errors of a problem document. `given` are compact texts."""
        return faults_of(
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


def _put(body, pointer, value):
    """Set the value at a pointer in a body. The objects that contain it are made."""
    *above, name = pointer[1:].split("/")
    for part in above:
        body = body.setdefault(part, {})
    body[name] = value


def left_out(body: dict, errors: list[dict]) -> tuple[dict, set[str]]:
    """Return a body without the fields that errors of a problem document are about, and their
    names: the rest can be checked once more, so that all faults are said in one round.
    """
    names = {(error.get("pointer") or "/").split("/")[1] for error in errors}
    return {name: value for name, value in body.items() if name not in names}, names


def further(errors: list[dict], names: set[str]) -> list[dict]:
    """Return the errors of a second check that are about fields which it did not leave out.

    What is about the whole body may only follow from what was left out.
    """
    return [
        error
        for error in errors
        if error.get("pointer") and error["pointer"].split("/")[1] not in names
    ]


def text_kind(path: str, schema: dict) -> str:
    """Return the kind of the field of a text, by its schema and the end of its path."""
    if schema.get("pattern") == COLOR:
        return "color"
    if path.rpartition("_")[2] in ("phone", "mobile"):
        return "tel"
    kind = FORMATS.get(schema.get("format"), "text")
    return "textarea" if kind == "text" and schema.get("maxLength", 0) >= LONG_TEXT else kind


def types_of(schema: dict) -> list[str]:
    """Return the types that a schema allows. One without a type is that of a text."""
    types = schema.get("type", "string")
    return [types] if isinstance(types, str) else types


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


# Hidden fields


def id_of(text: str) -> int | None:
    """Return the id that a text is, or None: a number above zero that the database can store."""
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,17}", text) else None


def id_or_text(name: str, text: str) -> int | str:
    """Return the value of a hidden field: the id that its text is, if its name ends in `_id`, else
    the text itself.
    """
    return id_of(text) or text if name.endswith("_id") else text
