"""Check and normalise a JSON body by its schema."""

from collections.abc import Iterable

from eventapi.errors import invalid
from eventapi.validation.checker import MOST, Checker
from eventapi.validation.conversion import converter, trimmer
from eventapi.validation.messages import in_order, pointer
from eventapi.validation.schema_files import body_schema

EMPTY = {"type": "object", "properties": {}, "additionalProperties": False}


class Body:
    """The body of a method of a route.

    Text is trimmed, timestamps are in UTC, read-only fields are removed. For POST, every writable
    field is there: with its default, or None; one with `x-unset` only if it was sent. For PUT and
    PATCH, only the fields that were sent are there. A PATCH must contain a field; if all its fields
    are read-only, the body is empty. At most `most` errors are searched for. `without` names fields
    that must not be sent; for POST, they have their default.
    """

    def __init__(
        self,
        name: str | None,
        method: str,
        zone_name: str,
        most: int = MOST,
        without: Iterable[str] = (),
    ):
        schema = body_schema(name, method) if name else EMPTY
        self.defaults = {}
        if method == "POST":
            self.defaults = {
                field: sub.get("default")
                for field, sub in schema["properties"].items()
                if sub is not True and "x-unset" not in sub
            }
        known = {field: sub for field, sub in schema["properties"].items() if field not in without}
        self.schema = schema = {**schema, "properties": known}
        self.read_only = frozenset(field for field, sub in known.items() if sub is True)
        writable = {field: sub for field, sub in known.items() if sub is not True}
        self.trim = trimmer(schema, schema)
        self.convert = converter(schema, schema, zone_name)
        # Without the read-only fields, so that no error suggests one.
        self.checker = Checker({**schema, "properties": writable}, most)

    def __call__(self, body: object) -> dict:
        """Return the body as the handler receives it. Raise 422 with all faults."""
        if isinstance(body, dict) and not self.read_only.isdisjoint(body):
            body = {field: value for field, value in body.items() if field not in self.read_only}
            if not body and "minProperties" in self.schema:
                return {}
        body = self.trim(body)
        faults = self.checker.faults(body, lambda path: {"pointer": pointer(path)})
        if faults:
            raise invalid(in_order(faults))
        if self.convert:
            body = self.convert(body)
        return {**self.defaults, **body} if self.defaults else body
