"""A quick yes: schemas compiled to functions that accept what is surely valid, at a twentieth of what jsonschema costs.

jsonschema stays the judge: whatever is not accepted here, for whatever reason, it decides on and names the faults.
A keyword that is not known here accepts nothing. (tests/validation/test_fast_path.py holds the two against each other.)
"""
import re
from decimal import Decimal

NUMBERS = (int, float, Decimal)
TYPES = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in NUMBERS,
    "boolean": lambda value: type(value) is bool,
    "object": lambda value: type(value) is dict,
    "array": lambda value: type(value) is list,
    "null": lambda value: value is None,
}
# keyword -> the check it stands for, on a value that has the type it is about
TEXT = {
    "minLength": lambda limit: lambda value: len(value) >= limit,
    "maxLength": lambda limit: lambda value: len(value) <= limit,
    "pattern": lambda pattern: re.compile(pattern).search,
}
NUMBER = {
    "minimum": lambda limit: lambda value: value >= limit,
    "maximum": lambda limit: lambda value: value <= limit,
    "exclusiveMinimum": lambda limit: lambda value: value > limit,
    "exclusiveMaximum": lambda limit: lambda value: value < limit,
}
ARRAY = {
    "minItems": lambda limit: lambda value: len(value) >= limit,
    "maxItems": lambda limit: lambda value: len(value) <= limit,
}
OBJECT = {
    "minProperties": lambda limit: lambda value: len(value) >= limit,
    "maxProperties": lambda limit: lambda value: len(value) <= limit,
    "required": lambda names: lambda value: all(name in value for name in names),
}
ANNOTATIONS = {"description", "default", "title", "examples", "readOnly", "writeOnly", "$defs", "$schema"}
WHOLE = {"type", "enum", "properties", "additionalProperties", "items", "format"}


def compile_schema(schema, formats, root=None):
    """A function of a value: True when it is surely valid. `formats`: name -> check."""
    root = schema if root is None else root
    if type(schema) is bool:
        return lambda value: schema
    if "$ref" in schema:
        return compile_schema(root["$defs"][schema["$ref"].rpartition("/")[2]], formats, root)
    known = ANNOTATIONS | WHOLE | TEXT.keys() | NUMBER.keys() | ARRAY.keys() | OBJECT.keys()
    if any(keyword not in known and not keyword.startswith("x-") for keyword in schema):
        return lambda value: False
    kinds = schema.get("type", ())
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    checks = {kind: _checks(kind, schema, formats, root) for kind in kinds}
    return _accepting(checks, schema.get("enum"))


def _checks(kind, schema, formats, root):
    """What a value of this type must pass."""
    table = {"string": TEXT, "integer": NUMBER, "number": NUMBER, "array": ARRAY, "object": OBJECT}.get(kind, {})
    checks = [make(schema[keyword]) for keyword, make in table.items() if keyword in schema]
    if kind == "string" and "format" in schema:
        checks.append(formats[schema["format"]])
    if kind == "array" and "items" in schema:
        entry = compile_schema(schema["items"], formats, root)
        checks.append(lambda value: all(map(entry, value)))
    if kind == "object":
        checks.append(_members(schema, formats, root))
    return tuple(checks)


def _members(schema, formats, root):
    """What each member must pass, those that are not named by additionalProperties."""
    named = {name: compile_schema(sub, formats, root) for name, sub in schema.get("properties", {}).items()}
    other = compile_schema(schema.get("additionalProperties", True), formats, root)

    def accepts(value):
        return all(named.get(name, other)(part) for name, part in value.items())
    return accepts


def _accepting(checks, words):
    """Of the types in `checks`, with what each must pass, and one of the words where there are any."""
    tests = tuple((TYPES[kind], kind_checks) for kind, kind_checks in checks.items())
    text_words = words is not None and all(type(word) is str for word in words) and frozenset(words)

    def accepts(value):
        if words is not None:
            if text_words:
                if type(value) is not str or value not in text_words:
                    return False
                if not tests:
                    return True
            elif value not in words or type(value) not in map(type, words):
                return False
        for is_kind, kind_checks in tests:
            if is_kind(value):
                for check in kind_checks:
                    if not check(value):
                        return False
                return True
        return not tests and words is not None
    return accepts
