"""The component schemas of the OpenAPI document: the schemas of schemas/ for readers and for
generators of clients.

Generators name a class after its component, so every object and every enumeration is a component
with a name of its own, and none has alternatives. What a request may omit has no `default` there,
because generators would require it. What every response contains is `required` there.
"""

import re

from eventapi.storage.database import as_json
from eventapi.validation.formats import FORMATS
from eventapi.validation.schema_files import body_schema, definition, document, response_schema

SUFFIX = {"POST": "create", "PUT": "put", "PATCH": "patch"}
READ_ONLY = (
    "Read-only fields may be sent as they were read. One with another value is named in `meta.ignored`, or is 422 "
    "`read_only` if an action changes it."
)
OF_BODIES = {
    "POST": f"The writable fields. {READ_ONLY}",
    "PUT": f"The writable fields. A field that is not sent stays as it was. {READ_ONLY}",
    "PATCH": f"The fields to change, at least one. {READ_ONLY}",
}
# Fields that hold the values of custom fields share a schema.
CUSTOM_VALUES = {
    "type": "object",
    "additionalProperties": {
        "type": ["string", "number", "boolean", "array", "null"],
        "items": {"type": "string"},
    },
    "description": "Values of custom fields by `field_key`: a text, a number, a boolean, or a list of texts.",
}


class Schemas:
    """The component schemas. A reference to one adds it, with all schemas that it refers to."""

    def __init__(self):
        self.all, self.origins, self.complete = {}, {}, set()

    def body(self, name: str, method: str) -> dict:
        """Return a reference to the schema of a body: its writable fields."""
        schema = {key: value for key, value in body_schema(name, method).items() if key != "$defs"}
        if "." in name:
            return self.ref(name, schema, is_body=True)
        fields = {
            field: sub
            for field, sub in document(name)["properties"].items()
            if not sub.get("readOnly")
        }
        for field, sub in document(name)["properties"].items():
            if "x-new" in sub and method == "POST":
                fields[field] = schema["properties"][field]
        if method != "POST":  # what is not sent stays as it was
            fields = {field: _without(sub, "default") for field, sub in fields.items()}
        alternatives = [part for part in (schema, *schema.pop("allOf", [])) if "anyOf" in part]
        texts = [OF_BODIES[method], *(_alternatives_in_words(part) for part in alternatives)]
        return self.ref(
            f"{name}.{SUFFIX[method]}",
            {**_without(schema, "anyOf"), "properties": fields, "description": " ".join(texts)},
            is_body=True,
            parent=name,
        )

    def response(self, name: str, listing: bool) -> dict:
        """Return a reference to the schema of `data` in a response, in a list to that of one
        record.
        """
        if "." in name:
            whole = definition(name)
            if whole.get("properties"):
                whole = {**whole, "required": always_returned(whole["properties"])}
            return self.ref(name, {"type": "object", **whole})
        single, listed = response_schema(name), response_schema(name, listing=True)
        if listing and listed != single:
            return self.ref(f"{name}.list_item", listed, parent=name)
        return self.ref(name, single)

    def ref(self, name: str, schema: dict, *, is_body: bool = False, parent: str = "") -> dict:
        """Return a reference to the component of a schema.

        Add the component first if it is missing.

        `parent` begins the names of the parts, where it is not `name`.
        """
        title = camel(name)
        schema = _without(schema, "$defs")
        if self.origins.setdefault(title, (name, schema)) != (name, schema):
            raise ValueError(
                f"two schemas would be called {title}: {name} and {self.origins[title][0]}. Rename one "
                "of these fields or entries in schemas/"
            )
        if title not in self.all:
            self.all[title] = None  # a schema may refer to itself
            typed = {"type": "object", **schema} if "properties" in schema else schema
            found = self.public(typed, parent or name, is_body)
            self.all[title] = {**(found if is_body else self.open(title, found)), "title": title}
        return {"$ref": f"#/components/schemas/{title}"}

    def open(self, title: str, schema: dict) -> dict:
        """Return the schema of a response without `additionalProperties: false`: later versions may
        return more.

        `complete` keeps the names of the components that list all their fields, so that tests find
        fields that are not documented today. `additionalProperties: true` marks the others.
        """
        if "properties" not in schema or schema.get("additionalProperties", False) is not False:
            return schema
        self.complete.add(title)
        return _without(schema, "additionalProperties")

    def ready(self, name: str, schema: dict) -> dict:
        """Return a reference to the component of a schema that is for readers already.

        Add it if it is missing.
        """
        title = camel(name)
        schema = self.open(title, schema)
        if self.all.setdefault(title, {"title": title, **schema}) != {"title": title, **schema}:
            raise ValueError(f"two schemas would be called {title}: rename one")
        return {"$ref": f"#/components/schemas/{title}"}

    def public(self, schema: dict, name: str, is_body: bool) -> dict:
        """Return a schema for readers: without `x-…`, with references to components, and with
        formats in words.
        """
        clean = _without(described(schema), "default", "writeOnly", "patternProperties")
        if "properties" in clean:
            clean["properties"] = {
                field: self.value(sub, f"{name}.{field}", is_body)
                for field, sub in schema["properties"].items()
                if not (is_body and sub.get("readOnly"))
            }
        if "items" in clean:
            clean["items"] = self.value(clean["items"], singular(name), is_body)
        if "patternProperties" in schema:
            clean["additionalProperties"] = CUSTOM_VALUES["additionalProperties"]
        elif isinstance(clean.get("additionalProperties"), dict):
            clean["additionalProperties"] = self.value(
                clean["additionalProperties"], f"{name}.value", is_body
            )
        elif clean.get("type") == "object" and "properties" not in clean:
            clean.setdefault("additionalProperties", True)
        return clean

    def value(self, schema: dict, name: str, is_body: bool) -> dict:
        """Return the schema of a field or an item.

        Objects and enumerations of texts become components.
        """
        worded = with_default_in_words(schema) if is_body else schema
        if "$ref" in schema:
            name = f"{name.partition('.')[0]}.{schema['$ref'].rpartition('/')[2]}"
            return self.part(
                definition(name), name, is_body, described(_without(worded, "$ref", "default"))
            )
        beside = _without(
            described({key: value for key, value in worded.items() if key in BESIDE}), "default"
        )
        if name.endswith(".custom_fields"):
            return {**beside, **self.ref("custom_fields", CUSTOM_VALUES)}
        if "x-component" in schema:
            return self.nullable(
                {"$ref": f"#/components/schemas/{schema['x-component']}"}, _types(schema), beside
            )
        inner = {
            key: value for key, value in schema.items() if key not in BESIDE or key == "description"
        }
        if set(_types(schema)) - {"null"} == {"object"}:
            return self.part(inner, name, is_body, beside)
        if is_enumeration(schema):
            return self.nullable(self.enumeration(schema, name), _types(schema), beside)
        return self.public(worded, name, is_body)

    def enumeration(self, schema: dict, name: str) -> dict:
        """Return a reference to the component of an enumeration of texts, without null."""
        words = [word for word in schema["enum"] if word is not None]
        text = {"description": schema["description"]} if "description" in schema else {}
        return self.ref(_without_repetition(name), {"type": "string", "enum": words, **text})

    def part(self, schema: dict, name: str, is_body: bool, beside: dict) -> dict:
        """Return a reference to a part of a record, with the keywords `beside` it.

        In a body, the part has only writable fields, and may omit fields: `invoice.item` becomes
        InvoiceItemInput there if that makes a difference.
        """
        types = _types(schema)
        if len(types) == 2 and "null" in types:
            schema = {
                **_without(schema, "examples"),
                "type": next(word for word in types if word != "null"),
            }
        is_input = is_body and not _is_alike(schema, name.partition(".")[0])
        if "properties" in schema and not is_input:
            schema = {**schema, "required": always_returned(schema["properties"])}
        reference = self.ref(
            f"{name}.input" if is_input else name, schema, is_body=is_body, parent=name
        )
        return self.nullable(reference, types if len(types) == 2 else [], beside)

    def nullable(self, reference: dict, types: list[str], beside: dict) -> dict:
        """Return a reference with the keywords `beside` it.

        If null is among the types, it allows null.
        """
        return {
            **beside,
            **({"anyOf": [reference, {"type": "null"}]} if "null" in types else reference),
        }


# Keywords that belong to a field and not to the component of its value.
BESIDE = {"description", "default", "readOnly", "writeOnly", "examples", "x-include"}


def is_enumeration(schema: dict) -> bool:
    """Return whether a schema lists several texts, with or without null."""
    words = schema.get("enum", ())
    return len(words) > 1 and all(isinstance(word, str | None) for word in words)


def always_returned(properties: dict) -> list[str]:
    """Return the fields that every response contains.

    `x-optional` and `x-outcome` mark fields that some lack.
    """
    missing = {"x-include", "x-optional", "x-outcome", "writeOnly"}
    return [field for field, sub in properties.items() if not missing & sub.keys()]


def _is_alike(schema, resource):
    """Return whether a part has and requires the same fields in bodies as in responses."""
    if "$ref" in schema:
        schema = definition(f"{resource}.{schema['$ref'].rpartition('/')[2]}")
    fields = schema.get("properties", {})
    parts = [*fields.values(), *([schema["items"]] if "items" in schema else [])]
    return (
        set(schema.get("required", ())) == set(always_returned(fields))
        and not any({"readOnly", "writeOnly", "x-include"} & sub.keys() for sub in fields.values())
        and all(_is_alike(sub, resource) for sub in parts)
    )


def _types(schema):
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _without(schema, *keys):
    return {key: value for key, value in schema.items() if key not in keys}


def with_default_in_words(sub: dict) -> dict:
    """Return a field or parameter without `default`.

    The description names the default unless it is null.
    """
    rest = _without(sub, "default")
    if sub.get("default") is None or "default" in sub.get("description", "").lower():
        return rest
    words = f"Default: `{as_json(sub['default'])}`."
    return {
        **rest,
        "description": f"{sub['description']} {words}" if sub.get("description") else words,
    }


def _alternatives_in_words(schema):
    """Return the text of a schema that requires at least one of several fields."""
    return (
        "Required: at least one of "
        + ", ".join(f"`{part['required'][0]}`" for part in schema["anyOf"])
        + "."
    )


def described(schema: dict) -> dict:
    """Return the schema without `x-…` and `$defs`.

    Their meaning, and that of formats, is in its description.
    """
    clean = {
        key: value for key, value in schema.items() if not key.startswith("x-") and key != "$defs"
    }
    hints = [
        schema.get("description"),
        FORMAT_HINTS.get(schema.get("format")),
        INCLUDE_HINTS.get(schema.get("x-include")),
    ]
    if any(hints):
        clean["description"] = " ".join(filter(None, hints))
    return clean


FORMAT_HINTS = {
    form: f"{says.removeprefix('must be ')}.".capitalize()[:1]
    + f"{says.removeprefix('must be ')}."[1:]
    for form, (_, says) in FORMATS.items()
}
INCLUDE_HINTS = {
    "always": "Returned only on request.",
    "lists": "On lists, returned only with `include`.",
}


def inlined(sub: dict, name: str) -> dict:
    """Return the schema of a parameter without references."""
    while "$ref" in sub:
        part = sub["$ref"].rpartition("/")[2]
        sub = {**definition(f"{name.partition('.')[0]}.{part}"), **_without(sub, "$ref")}
    return described(sub)


def camel(name: str) -> str:
    """Return a name in camel case: `note.pin` becomes `NotePin`."""
    return "".join(word.capitalize() for word in re.split(r"[._-]", name))


def singular(name: str) -> str:
    """Return the name of an item: `check_in.stats.hours` becomes `check_in.stats.hour`."""
    for ending, other in (("ies", "y"), ("ses", "s"), ("s", "")):
        if name.endswith(ending):
            return name.removesuffix(ending) + other
    return f"{name}.item"


def _without_repetition(name):
    """Return `invoice.type` for `invoice.invoice_type`."""
    parent, _, field = name.rpartition(".")
    return f"{parent}.{field.removeprefix(parent.rpartition('.')[2] + '_')}"
