"""HTML forms: the texts of their fields as values of JSON, what the template of a field needs, and
the sentences about faults.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from string import Formatter

from eventapi.languages import formats
from eventapi.web.html import typed_values
from eventapi.web.html.typed_values import number

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
COLUMNS = 12  # of a group of fields
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

    `name` is that of the texts, `pointer` the place of its value in the body (RFC 6901), `kind` a
    value of LABELS, `tel`, `color`, or a measure: `money`, `percent`, `metres` or `area`. `options`
    are (value, label) of a choice, `unit` stands behind the text. `currency` is that of an amount,
    if it is known: its sign may be typed. `is_spread` is whether a page shows all options of a
    choice, one below the other, `parts` are the fields within the field, `default` is its value in
    a new row, `schema` that of its value, `example` a value that it can have.
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

    def may_be_empty(self, given: Texts) -> bool:
        """Return whether the options of the field include an empty one."""
        return not self.is_required or not self.text(given)

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


def id_of(text: str) -> int | None:
    """Return the id that a text is, or None: a number above zero that the database can store."""
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,17}", text) else None


def id_or_text(name: str, text: str) -> int | str:
    """Return the value of a hidden field: the id that its text is, if its name ends in `_id`, else
    the text itself.
    """
    return id_of(text) or text if name.endswith("_id") else text


def values(schema: dict, texts: Texts, language: str) -> dict:
    """Return the values of JSON that the texts of a form mean, by the schema of its body.

    Others stay texts.

    A checkbox that is not ticked is false. An empty text is null where the schema allows it, else
    it is missing.
    """
    found = {name: given for name, given in texts.items() if name not in schema["properties"]}
    found = {name: given[0] for name, given in found.items()}
    for name, part in schema["properties"].items():
        types = part.get("type", "string")
        given = [text.strip() for text in texts.get(name, []) if text.strip()]
        if "boolean" in types:
            found[name] = bool(given)
        elif "array" in types:
            found[name] = given
        elif given:
            is_number = "integer" in types or "number" in types
            found[name] = number(given[0], language) if is_number else given[0]
        elif "null" in types and name in texts:
            found[name] = None
    return found


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
    `label(name)` returns the label of a value that no field has.
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
        elif pointer == "/":
            top.append(sentence)
        else:
            top.append(f"{label(pointer[1:])}: {sentence}")
    in_order = {name: beside[name] for name in (each.name for each in fields) if name in beside}
    return Faults(in_order, top)
