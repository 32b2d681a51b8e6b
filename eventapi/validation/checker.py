"""Check an object against a JSON Schema with jsonschema."""

from collections.abc import Callable
from itertools import islice

from eventapi.errors import MAX_FAULTS
from eventapi.validation.messages import faults_of
from eventapi.validation.schema_files import resolved

MOST = MAX_FAULTS + 1  # one more than a response contains, so that the response can say so


class Checker:
    """A compiled schema of an object. It searches for at most `most` errors.

    jsonschema checks the object without its fields, and each field that was sent by itself: the
    same errors as those of the whole schema, in half of the time.
    """

    def __init__(self, schema: dict, most: int = MOST):
        # Not at the top: commands without a schema, such as --help, do not wait until jsonschema is
        # loaded.
        from eventapi.validation.validators import CHECKER, Validator

        self.most, fields = most, schema["properties"]
        self.shell = Validator(
            {**schema, "properties": dict.fromkeys(fields, True)}, format_checker=CHECKER
        )
        self.fields = {
            name: Validator(
                {**resolved(sub, schema), "$defs": schema.get("$defs", {})}, format_checker=CHECKER
            )
            for name, sub in fields.items()
            if sub is not True
        }

    def errors(self, value: object) -> list[tuple]:
        """Return (path, jsonschema error) for each error, [] for a valid value."""
        return list(islice(self._errors(value), self.most))

    def _errors(self, value):
        for error in self.shell.iter_errors(value):
            yield list(error.absolute_path), error
        for name in self.fields.keys() & value.keys() if isinstance(value, dict) else ():
            for error in self.fields[name].iter_errors(value[name]):
                yield [name, *error.absolute_path], error

    def faults(self, value: object, place: Callable[[list], dict]) -> list[dict]:
        """Return `errors` in words. `place(path)` returns `{"pointer": …}` or `{"parameter": …}`."""
        return [
            entry for path, error in self.errors(value) for entry in faults_of(path, error, place)
        ]
