"""Fast path: predicates compiled from the schemas, at a twentieth of the cost of jsonschema.

`compile_schema` is the only function that other modules call. Its predicates accept only valid values, but not every
valid value: anything that they do not accept goes to jsonschema, which decides and reports the errors. A schema with a
keyword that this module does not know accepts nothing. tests/validation/test_fast_path.py compares the predicates with
jsonschema on generated values.
"""
import re
from collections.abc import Callable
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
# keyword -> function of the keyword's value that returns a check for values of the type
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


def compile_schema(schema: dict | bool, formats: dict[str, Callable], root: dict | None = None) -> Callable:
    """Return a predicate: True only if the value is valid.

    `formats`: name -> check; `root`: the schema whose `$defs` apply, by default `schema`.
    """
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
    """Return the checks of a value of this type."""
    table = {"string": TEXT, "integer": NUMBER, "number": NUMBER, "array": ARRAY, "object": OBJECT}.get(kind, {})
    checks = [make(schema[keyword]) for keyword, make in table.items() if keyword in schema]
    if kind == "string" and "format" in schema:
        checks.append(formats[schema["format"]])
    if kind == "array" and "items" in schema:
        entry = compile_schema(schema["items"], formats, root)
        checks.append(lambda value: all(map(entry, value)))
    if kind == "object":
        checks.append(_fields(schema, formats, root))
    return tuple(checks)


def _fields(schema, formats, root):
    """Check each field of an object; `additionalProperties` applies to fields without a schema."""
    named = {name: compile_schema(sub, formats, root) for name, sub in schema.get("properties", {}).items()}
    other = compile_schema(schema.get("additionalProperties", True), formats, root)

    def accepts(value):
        return all(named.get(name, other)(part) for name, part in value.items())
    return accepts


def _accepting(checks, enum):
    """Return the predicate of a schema. `checks`: type -> checks of its values; `enum`: the allowed values, or None."""
    of_types = _of_types(tuple((TYPES[kind], kind_checks) for kind, kind_checks in checks.items()))
    if enum is None:
        return of_types
    is_allowed = _in_enum(enum)
    if not checks:
        return is_allowed
    return lambda value: is_allowed(value) and of_types(value)


def _of_types(tests):
    def accepts(value):
        for has_type, checks in tests:
            if has_type(value):
                for check in checks:
                    if not check(value):
                        return False
                return True
        return False
    return accepts


def _in_enum(enum):
    """Return a check that the value is in the list, with the same type: 1 is not True."""
    if all(type(entry) is str for entry in enum):
        texts = frozenset(enum)
        return lambda value: type(value) is str and value in texts
    types = frozenset(map(type, enum))
    return lambda value: type(value) in types and value in enum
