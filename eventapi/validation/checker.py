"""Check an object against a JSON Schema: the fast path first, jsonschema for what the fast path does not accept."""
from collections.abc import Callable

from jsonschema import Draft202012Validator, ValidationError

from eventapi.validation import fast_path
from eventapi.validation.formats import CHECKER, CHECKS
from eventapi.validation.messages import faults_of


class Checker:
    """A compiled schema of an object.

    A value that the fast path accepts is valid. Otherwise jsonschema checks the object without its fields, and those
    fields that the fast path does not accept. Together this finds the same errors as jsonschema on the whole.
    """

    def __init__(self, schema: dict):
        self.accepts = fast_path.compile_schema(schema, CHECKS)
        self.shell = Draft202012Validator({**schema, "properties": dict.fromkeys(schema["properties"], True)})
        self.fields = {
            name: (fast_path.compile_schema(sub, CHECKS, schema),
                   Draft202012Validator({**sub, "$defs": schema.get("$defs", {})}, format_checker=CHECKER))
            for name, sub in schema["properties"].items() if sub is not True}

    def errors(self, value: object) -> list[tuple[list, ValidationError]]:
        """Return (path, jsonschema error) for each error, [] for a valid value."""
        if self.accepts(value):
            return []
        errors = [(list(error.absolute_path), error) for error in self.shell.iter_errors(value)]
        for name in self.fields.keys() & value.keys() if isinstance(value, dict) else ():
            accepts, validator = self.fields[name]
            if not accepts(value[name]):
                errors += [([name, *error.absolute_path], error) for error in validator.iter_errors(value[name])]
        return errors

    def faults(self, value: object, place: Callable[[list], dict]) -> list[dict]:
        """Return `errors` in words. `place(path)` returns `{"pointer": …}` or `{"parameter": …}`."""
        return [entry for path, error in self.errors(value) for entry in faults_of(path, error, place)]
