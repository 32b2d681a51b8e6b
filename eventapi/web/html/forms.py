"""HTML forms: the texts of their fields as values of JSON, and what the template of a field needs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

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
    value of LABELS, or `tel`. `options` are (value, label) of a choice.
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
        if self.kind in ("number", "integer"):
            return number(given[0], language)
        if self.kind == "datetime-local":
            return given[0] if re.search(r"[zZ]|[+-]\d\d:\d\d$", given[0]) else f"{given[0]}:00Z"
        return given[0]


def number(text: str, language: str) -> int | float | str:
    """Return the number that a text means in a language: 1.234,5 in German, 1,234.5 in English.

    Else the text itself.

    A single point or comma before one or two digits, or more than three, is a decimal one in both.
    """
    plain = text.replace(" ", "").replace("\u00a0", "")
    if re.fullmatch(r"-?\d+[.,](\d{1,2}|\d{4,})", plain):
        plain = plain.replace(",", ".")
    elif language == "de":
        plain = plain.replace(".", "").replace(",", ".")
    else:
        plain = plain.replace(",", "")
    if re.fullmatch(r"-?\d{1,15}", plain):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", plain) else text


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
