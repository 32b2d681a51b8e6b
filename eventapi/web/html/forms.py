"""HTML forms: the texts of their fields as values of JSON, and what the template of a field needs."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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
    "date": ("date", r"|\d{4}-\d\d-\d\d"),
    "day": ("date", r"|\d{4}-\d\d-\d\d"),
    "datetime-local": ("datetime-local", r"|\d{4}-\d\d-\d\dT\d\d:\d\d"),
    "time": ("time", r"|\d\d:\d\d"),
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
    a new row.
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

    def value(self, texts: dict[str, list[str]], language: str) -> object:
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

    def text(self, given: dict[str, list[str]]) -> str:
        """Return the text that an input of the field shows, or ""."""
        return "".join(given.get(self.name, [])[:1])

    def input_type(self, given: dict[str, list[str]]) -> str:
        """Return the type of the input of the field.

        It is `text` for a day or time that the browser's own field could not show.
        """
        if self.kind in ("email", "tel"):
            return self.kind
        known = OWN_INPUTS.get(self.kind)
        if known and re.fullmatch(known[1], self.text(given)):
            return known[0]
        return "text"

    def picked_color(self, given: dict[str, list[str]]) -> str:
        """Return what the browser's own field for colours shows."""
        return typed_values.picked_color(self.text(given))

    def may_be_empty(self, given: dict[str, list[str]]) -> bool:
        """Return whether the options of the field include an empty one."""
        return not self.is_required or not self.text(given)

    @property
    def input_mode(self) -> str:
        """Return the keyboard that a telephone shows for the field."""
        return INPUT_MODES.get(self.kind, "text")

    def offered(
        self, given: dict[str, list[str]], say: Callable[[str], str]
    ) -> list[tuple[str, str]]:
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


def values(schema: dict, texts: dict[str, list[str]], language: str) -> dict:
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


def faults_of(fields: list[Field], errors: list[dict], texts: dict[str, str]) -> dict[str, str]:
    """Return name of a field -> sentence about its fault, for errors of a problem document.

    `texts` has `fault_CODE` for the codes that occur, and `fault_other`.
    """
    places = {each.pointer: each.name for each in fields}
    found = {}
    for error in errors:
        pointer = error.get("pointer") or ""
        name = next(
            (places[place] for place in (pointer, pointer.rpartition("/")[0]) if place in places),
            fields[0].name,
        )
        found.setdefault(name, texts.get(f"fault_{error['code']}") or texts["fault_other"])
    return found
