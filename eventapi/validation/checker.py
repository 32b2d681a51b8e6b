"""Check an object against a JSON Schema: the fast path first, jsonschema for what the fast path does not accept."""
from collections.abc import Callable, Iterator
from itertools import islice

from jsonschema import Draft202012Validator, ValidationError

from eventapi.errors import MAX_FAULTS
from eventapi.validation import fast_path
from eventapi.validation.formats import CHECKER, CHECKS
from eventapi.validation.messages import faults_of
from eventapi.validation.schema_files import resolved

SIZES = {list: "maxItems", dict: "maxProperties"}
MOST = MAX_FAULTS + 1               # one more than a response contains, so that the response can say so
TOLERANCE = 100                     # parts beyond the limit that are still checked, so that all faults are reported


class Checker:
    """A compiled schema of an object.

    A value that the fast path accepts is valid. Otherwise jsonschema checks the object without its fields, and those
    fields that the fast path does not accept. Together this finds the same errors as jsonschema on the whole, except
    that it finds no more than `most`, and does not check the parts of an array or object with far too many parts.
    """

    def __init__(self, schema: dict, most: int = MOST):
        self.accepts, self.most = fast_path.compile_schema(schema, CHECKS), most
        self.shell = Shell({**schema, "properties": dict.fromkeys(schema["properties"], True)}, schema)
        self.fields = {name: Part(sub, schema) for name, sub in schema["properties"].items() if sub is not True}

    def errors(self, value: object) -> list[tuple[list, ValidationError]]:
        """Return (path, jsonschema error) for each error, [] for a valid value."""
        return [] if self.accepts(value) else list(islice(self._errors(value), self.most))

    def _errors(self, value):
        for error in self.shell.errors(value):
            yield list(error.absolute_path), error
        for name in self.fields.keys() & value.keys() if isinstance(value, dict) else ():
            for path, error in self.fields[name].errors(value[name]):
                yield [name, *path], error

    def faults(self, value: object, place: Callable[[list], dict]) -> list[dict]:
        """Return `errors` in words. `place(path)` returns `{"pointer": …}` or `{"parameter": …}`."""
        return [entry for path, error in self.errors(value) for entry in faults_of(path, error, place)]


class Part:
    """The compiled schema of a field. jsonschema checks only those items of an array that the fast path refuses."""

    def __init__(self, schema: dict, root: dict):
        schema = resolved(schema, root)
        self.accepts = fast_path.compile_schema(schema, CHECKS, root)
        self.shell = Shell({name: value for name, value in schema.items() if name != "items"}, root)
        self.items = Part(schema["items"], root) if "items" in schema else None

    def errors(self, value: object) -> Iterator[tuple[list, ValidationError]]:
        """Yield (path, jsonschema error) for each error."""
        if self.accepts(value):
            return
        for error in self.shell.errors(value):
            yield list(error.absolute_path), error
        for index, item in enumerate(value) if self.items and self.shell.fits(value) else ():
            for path, error in self.items.errors(item):
                yield [index, *path], error


class Shell:
    """A schema that jsonschema checks, unless the value has far too many parts, which is then the only error."""

    def __init__(self, schema: dict, root: dict):
        self.most = {kind: schema[keyword] + TOLERANCE for kind, keyword in SIZES.items() if keyword in schema}
        self.size = _validator({keyword: schema[keyword] for keyword in SIZES.values() if keyword in schema}, root)
        self.whole = _validator(schema, root)

    def fits(self, value: object) -> bool:
        """Return whether the value is a list whose items are to be checked."""
        return type(value) is list and len(value) <= self.most.get(list, len(value))

    def errors(self, value: object) -> Iterator[ValidationError]:
        """Yield the errors of jsonschema."""
        most = self.most.get(type(value))
        too_many = most is not None and len(value) > most
        return (self.size if too_many else self.whole).iter_errors(value)


def _validator(schema, root):
    return Draft202012Validator({**schema, "$defs": root.get("$defs", {})}, format_checker=CHECKER)
