"""The fields of a form, from the JSON Schema of an API body, lists and objects included.

The name of a field is the JSON pointer of its value without the first slash: `events/0/base_price`.
"""

from collections.abc import Callable, Iterable

from eventapi.languages import countries
from eventapi.languages.choice import AVAILABLE
from eventapi.validation.schema_files import body_schema, resolved
from eventapi.web.html import forms
from eventapi.web.html.forms import ANCHORS, Field, types_of

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


class Form(forms.Form):
    """The form of a body: `application.approve`, or a record such as `event`.

    `method` is that of the request. `label(path)` returns (label, help) of a field, whose path has
    no numbers of rows, and (title, sentence) of a group for `group:WORD`. `names` are the fields of
    the body that the form has, in their order; by default those of `groups` and `rare`, or all that
    can be written and whose parts are known, so without custom fields. `without` are paths of parts
    that it lacks. `choices` are the options of fields that name other records: path -> [(value,
    label)]. `spread` are the choices whose options a page shows one below the other.
    `autocomplete` is name -> what a browser may fill in; it fills in nothing else.
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
        autocomplete: dict[str, str] | None = None,
        currency: str | None = None,
        language: str = "en",
    ):
        self.root = body_schema(body, method)
        self.label, self.choices, self.without = label, choices or {}, frozenset(without)
        self.spread, self.autocomplete = frozenset(spread), autocomplete or {}
        self.currency, self.language = currency, language
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
        fields = [
            self._field(name, properties[name], name in required) for name in dict.fromkeys(names)
        ]
        super().__init__(
            fields,
            language,
            method=method,
            label=label,
            groups=groups,
            rare=rare,
            currency=currency,
        )

    def _field(self, path, schema, is_required):
        schema = {
            **resolved(schema, self.root),
            **{key: value for key, value in schema.items() if key != "$ref"},
        }
        if "items" in schema:
            schema["items"] = resolved(schema["items"], self.root)
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
            autocomplete=self.autocomplete.get(path, "off"),
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
            if sub is not True and not sub.get("readOnly") and f"{path}/{name}" not in self.without
        ]

    def _kind(self, path, schema):
        types = types_of(schema)
        if {"boolean", "null"} <= set(types):
            return "choice"
        if "boolean" in types:
            return "checkbox"
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
        if "number" in types:
            return _measure(path, schema)
        if "integer" in types:
            return "integer"
        return forms.text_kind(path, schema)

    def _options(self, path, schema):
        if path in self.choices:
            return self.choices[path]
        if schema.get("format") == "country":
            names = ((code, countries.name(code, self.language)) for code in countries.NAMES)
            return sorted(names, key=lambda pair: pair[1])
        if schema.get("format") == "available-language":
            return [(code, self.label(f"{path}={code}")[0]) for code in AVAILABLE]
        if path in self.spread:
            values = ["yes", "no"] if "boolean" in types_of(schema) else schema["enum"]
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


def _default(schema):
    default = schema.get("default")
    return "" if default is None else default


def _measure(path, schema):
    """Return the kind of a number with decimals: a measure by the end of its name, or `number`."""
    end = path.rpartition("/")[2].rpartition("_")[2]
    if end in ("rate", "percent") and schema.get("maximum") == 100:
        return "percent"
    return MEASURES.get(end, "number")
