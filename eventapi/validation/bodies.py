"""The door: JSON Schemas from schemas/, compiled once, and every fault of an input named at once.

One file per resource. Its `properties` are the members of the record: `readOnly` ones are accepted in a body and ignored,
`writeOnly` ones are not answered; `x-include` ones come with include only: `lists` on lists, `always` on single records too.
`x-required` says what POST and PUT must carry, a list in it standing for any one of its members
(PATCH: any one member). `$defs` holds parts, `query` (filters of the list), `one` (query of a single record) and the bodies
of actions. A name is `note` (the record itself) or `note.query` (an entry of its $defs).
"""
import json
import re
from decimal import Decimal
from functools import lru_cache

from jsonschema import Draft202012Validator

from eventapi import paths, times
from eventapi.errors import fault, invalid
from eventapi.validation import fast_path
from eventapi.validation.formats import CHECKER, CHECKS, FORMATS

# What to say about each keyword: keyword -> (code, text)

SAYINGS = {
    "enum": lambda value: "must be one of: " + ", ".join(map(str, value)),
    "minLength": lambda value: "must not be empty" if value == 1 else f"must have at least {value} characters",
    "maxLength": lambda value: f"must have at most {value} characters",
    "minimum": lambda value: f"must be at least {value}",
    "exclusiveMinimum": lambda value: f"must be greater than {value}",
    "maximum": lambda value: f"must be at most {value}",
    "exclusiveMaximum": lambda value: f"must be less than {value}",
    "minItems": lambda value: f"must have at least {value} entries" if value > 1 else "must have at least one entry",
    "maxItems": lambda value: f"must have at most {value} entries",
    "uniqueItems": lambda value: "must not hold an entry twice",
    "maxProperties": lambda value: f"must have at most {value} members",
    "minProperties": lambda value: "must have at least one member",
    "pattern": lambda value: f"must match {value}",
    "format": lambda value: FORMATS[value][1],
}


def _faults_of(path, error, place):
    """The faults that one jsonschema error stands for. `place(path)` names pointer or parameter."""
    keyword, value = error.validator, error.validator_value
    if keyword == "required":
        return [fault("required", "is required", **place([*path, name])) for name in value if name not in error.instance]
    if keyword == "additionalProperties":
        known, patterns = error.schema.get("properties", {}), error.schema.get("patternProperties", ())
        return [fault("unknown", _unknown(name, known), **place([*path, name])) for name in error.instance
                if name not in known and not any(re.search(pattern, name) for pattern in patterns)]
    if keyword == "anyOf":
        return [fault("any_of", error.schema["x-says"], **place([*path, *error.schema.get("x-at", ())]))]
    if keyword == "type":
        return [fault("type", f"must be {_types(value)}", **place(path))]
    return [fault(_snake(keyword), error.schema.get("x-says") or SAYINGS[keyword](value), **place(path))]


def _unknown(name, known):
    from difflib import get_close_matches
    near = get_close_matches(name, known, 1)
    return f"is not known here; did you mean {near[0]}?" if near else "is not known here"


def _types(value):
    kinds = [value] if isinstance(value, str) else [kind for kind in value if kind != "null"]
    words = {"integer": "an integer", "array": "an array", "object": "an object"}
    return " or ".join(words.get(kind, f"a {kind}") for kind in kinds) + (" or null" if "null" in value else "")


@lru_cache(maxsize=None)
def _snake(keyword):
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), keyword)


def pointer(path):
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


# Schemas

@lru_cache(maxsize=None)
def document(name):
    """A schema file, whole."""
    return json.loads((paths.folder("schemas") / f"{name}.json").read_text(encoding="utf-8"))


def resource_names():
    return sorted(file.stem for file in paths.folder("schemas").glob("*.json"))


def definition(name):
    """The schema of `note` or `note.query`."""
    resource, _, part = name.partition(".")
    return document(resource)["$defs"][part] if part else document(resource)


def body_schema(name, method="POST"):
    """What a body must look like: a record as POST, PUT or PATCH want it, or an action's."""
    resource, _, part = name.partition(".")
    whole = document(resource)
    if part:
        schema = {"type": "object", "additionalProperties": False, **whole["$defs"][part]}
    else:
        properties = {member: True if sub.get("readOnly") else sub
                      for member, sub in whole["properties"].items()}
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        required = whole.get("x-required", {}).get(method, [])
        either = [{**_any_of(members), "x-at": members[:1]} for members in required if isinstance(members, list)]
        if len(either) < len(required):
            schema["required"] = [member for member in required if isinstance(member, str)]
        if either:
            schema["allOf"] = either
        if method == "POST" and "x-any-of" in whole:
            schema.update(_any_of(whole["x-any-of"]))
        if method == "PATCH":
            schema["minProperties"] = 1
    return {**schema, "$defs": whole.get("$defs", {})}


def _any_of(members):
    return {"anyOf": [{"required": [member], "properties": {member: {"not": {"type": "null"}}}} for member in members],
            "x-says": "must have at least one of: " + ", ".join(members)}


def response_schema(name, *, listing=False):
    """What a record looks like when it is answered, alone or in a list."""
    optional = ("lists", "always") if listing else ("always",)
    whole = document(name)
    properties = {member: sub for member, sub in whole["properties"].items() if not sub.get("writeOnly")}
    return {"type": "object", "title": whole["title"], "description": whole.get("description", ""), "properties": properties,
            "required": [member for member, sub in properties.items() if sub.get("x-include") not in optional],
            "additionalProperties": False, "$defs": whole.get("$defs", {})}


LIST_PARAMETERS = {
    "page": {"type": "integer", "minimum": 1, "maximum": 10 ** 9, "default": 1, "description": "Page number, counted from 1."},
    "per_page": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "Number of records on a page."},
    "order": {"type": "string", "enum": ["ASC", "DESC"], "default": "DESC", "description": "Sort direction, in any case."},
    "sort": {"type": "string", "enum": ["id"], "default": "id", "description": "Field to sort by. Records with equal values are sorted by id."},
    "updated_since": {"type": "string", "format": "date-time", "description": "Only records that changed at or after this time."},
    "ids": {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 100,
            "description": "Only the records with these ids, separated by commas."},
    "after": {"type": "string", "maxLength": 1000,
              "description": "Cursor for reading a long list: empty for the first piece, then `meta.next` of the last response."},
}


def query_schema(name, *, listing):
    """What the query may hold; a list takes the common parameters besides its own."""
    own = definition(name) if name else {}
    properties = {**(LIST_PARAMETERS if listing else {}), **own.get("properties", {})}
    either = {**_any_of(own["x-any-of"]), "x-at": own["x-any-of"][:1]} if "x-any-of" in own else {}
    return {"type": "object", "properties": properties, "required": own.get("required", []), "additionalProperties": False, **either,
            "x-custom-fields": own.get("x-custom-fields", False),
            "$defs": document(name.partition(".")[0]).get("$defs", {}) if name else {}}


class Judge:
    """What is wrong with an object: jsonschema's errors, each with its path. Members that are surely valid are not judged."""

    def __init__(self, schema):
        self.accepts = fast_path.compile_schema(schema, CHECKS)
        self.shell = Draft202012Validator({**schema, "properties": dict.fromkeys(schema["properties"], True)})
        self.members = {
            name: (fast_path.compile_schema(sub, CHECKS, schema),
                   Draft202012Validator({**sub, "$defs": schema.get("$defs", {})}, format_checker=CHECKER))
            for name, sub in schema["properties"].items() if sub is not True}

    def errors(self, value):
        if self.accepts(value):
            return []
        errors = [(list(error.absolute_path), error) for error in self.shell.iter_errors(value)]
        for name in self.members.keys() & value.keys() if isinstance(value, dict) else ():
            accepts, validator = self.members[name]
            if not accepts(value[name]):
                errors += [([name, *error.absolute_path], error) for error in validator.iter_errors(value[name])]
        return errors

    def faults(self, value, place):
        """What `errors` finds, in words; `place(path)` names pointer or parameter."""
        return [entry for path, error in self.errors(value) for entry in _faults_of(path, error, place)]


class Body:
    """Checks and cleans a JSON body: text trimmed, moments in UTC, read-only members gone, on creation every member there."""

    def __init__(self, name, method, zone_name):
        schema = body_schema(name, method) if name else {"type": "object", "properties": {}, "additionalProperties": False}
        self.schema, self.properties = schema, schema["properties"]
        self.read_only = frozenset(member for member, sub in self.properties.items() if sub is True)
        self.defaults = {}
        if method == "POST":
            self.defaults = {member: sub.get("default") for member, sub in self.properties.items() if sub is not True}
        self.trim = _trimmer(schema, schema)
        self.convert = _converter(schema, schema, zone_name)
        self.judge = Judge(schema)

    def __call__(self, body):
        if isinstance(body, dict) and not self.read_only.isdisjoint(body):
            body = {member: value for member, value in body.items() if member not in self.read_only} or {}
        body = self.trim(body)
        faults = self.judge.faults(body, lambda path: {"pointer": pointer(path)})
        if faults:
            raise invalid(_sorted(faults))
        if self.convert:
            body = self.convert(body)
        return {**self.defaults, **body} if self.defaults else body


class Query:
    """Reads a query string by its schema: numbers, 0 and 1, lists with commas; an unknown parameter is a fault.

    Where the schema says x-custom-fields, `cf.KEY` is known too: their texts are given as `cf`, by KEY, for the handler to check.
    """

    def __init__(self, name, *, listing, zone_name):
        self.schema = query_schema(name, listing=listing)
        self.takes_fields = self.schema["x-custom-fields"]
        self.requires = bool(self.schema["required"] or "anyOf" in self.schema)
        self.properties = {member: _resolved(sub, self.schema) for member, sub in self.schema["properties"].items()}
        self.defaults = {member: sub["default"] for member, sub in self.properties.items() if "default" in sub}
        self.convert = _converter(self.schema, self.schema, zone_name, days=("date_to", "to_date", "to"))
        self.judge = Judge(self.schema)

    def __call__(self, pairs):
        """`pairs`: (name, text) as they stand in the query string."""
        query, fields, faults = {}, {}, []
        for name, text in pairs:
            of_field = self.takes_fields and name.startswith("cf.")
            place, member = (fields, name[3:]) if of_field else (query, name)
            if member in place:
                faults.append(fault("repeated", "is given twice", parameter=name))
            place[member] = text if of_field else self._typed(name, text)
        faults += self.judge.faults(query, lambda path: {"parameter": str(path[0]) if path else ""})
        if faults:
            raise invalid(_sorted(faults))
        return {**self.defaults, **(self.convert(query) if self.convert else query), **({"cf": fields} if fields else {})}

    def _typed(self, name, text):
        sub = self.properties.get(name, {})
        kind = sub.get("type")
        if kind == "integer":
            return _integer(text)
        if kind == "number":
            return Decimal(text) if re.fullmatch(r"-?\d{1,15}(\.\d{1,6})?", text, re.ASCII) else text
        if kind == "array":
            whole = sub["items"].get("type") == "integer"
            return [_integer(part.strip()) if whole else part.strip() for part in text.split(",")]
        return text.upper() if name == "order" else text


def _integer(text):
    return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else text


def _sorted(faults):
    """In the order of the places, each fault once."""
    by_place = {(entry.get("pointer") or entry.get("parameter") or "", entry["code"], entry["detail"]): entry for entry in faults}
    return [by_place[place] for place in sorted(by_place)]


def _resolved(sub, root):
    while isinstance(sub, dict) and "$ref" in sub:
        sub = root["$defs"][sub["$ref"].rpartition("/")[2]]
    return sub


def _nullable(sub):
    return "null" in sub.get("type", ())


def _trimmer(sub, root):
    """A function that trims the text in a value: empty text becomes null where null is allowed."""
    sub = _resolved(sub, root)
    members = {name: _trimmer(part, root) for name, part in sub.get("properties", {}).items() if part is not True}
    items = _trimmer(sub["items"], root) if "items" in sub else None
    empty = None if _nullable(sub) else ""

    def trim(value):
        if isinstance(value, str):
            return value.strip() or empty
        if isinstance(value, dict):
            return {name: members[name](part) if name in members else part for name, part in value.items()}
        if isinstance(value, list) and items:
            return [items(part) for part in value]
        return value
    return trim


def _converter(sub, root, zone_name, days=()):
    """A function that turns moments into UTC, or None where there are none. In `days` a bare day means its end."""
    sub = _resolved(sub, root)
    if sub is True:
        return None
    form = sub.get("format")
    if form == "date-time":
        return lambda value: value and times.utc(value, zone_name)
    members = {name: function for name, part in sub.get("properties", {}).items()
               if (function := _day_filter(name, part, zone_name, days) or _converter(part, root, zone_name))}
    items = _converter(sub["items"], root, zone_name) if "items" in sub else None
    if items:
        return lambda value: value and [items(part) for part in value]
    if not members:
        return None

    def convert(value):
        if value is not None:
            for name in members.keys() & value.keys():
                value[name] = members[name](value[name])
        return value
    return convert


def _day_filter(name, part, zone_name, days):
    """In a query a day-or-moment becomes the instant it begins at, or for date_to the last one of it."""
    if not days or part is True or part.get("format") != "day-or-moment":
        return None
    edge = times.end if name in days else times.start
    return lambda value: edge(value, zone_name)
