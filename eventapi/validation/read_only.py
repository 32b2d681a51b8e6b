"""The read-only fields of a body, compared with the record before and after the request (contract, section 9).

A client may send back what it read. A read-only field that was sent with a value of the record, before the request or
after it, is accepted. Another value is a fault if a request changes the field (`x-changed-by` in its schema), so that
nobody believes to have approved an application. Other fields are ignored, and the response names them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from eventapi import times
from eventapi.errors import fault, invalid, listed
from eventapi.validation.messages import pointer, shown
from eventapi.validation.schema_files import document, resolved

# The server sets them at each change, or follows the state with them: they are never named.
UNNAMED = ("id", "created_at", "updated_at", "allowed_actions")


@dataclass(frozen=True)
class Sent:
    """A read-only field of a body: its path, its schema and the value that was sent."""

    path: tuple[str | int, ...]
    schema: dict
    value: object


class ReadOnlyFields:
    """The read-only fields of a record, with those of its parts.

    `name` is that of the schema. `names` are the fields of the record that are read-only, or have
    such parts.
    """

    def __init__(self, name: str):
        self.schema = document(name)
        self.noun = self.schema["title"].lower()
        fields = self.schema["properties"].items()
        self.names = {field for field, sub in fields if _has_read_only(field, sub, self.schema)}

    def sent_in(self, body: object) -> list[Sent]:
        """Return the read-only fields in a body, in the order of the schema."""
        if not isinstance(body, dict) or self.names.isdisjoint(body):
            return []
        return list(_sent_in(body, self.schema, self.schema, ()))

    def compared(
        self, sent: list[Sent], before: dict | None, after: dict, *, refuses: bool = True
    ) -> list[str]:
        """Return JSON pointers to the fields that were ignored: their value is neither that before
        nor that after the request.

        `before` is None for a new record, whose fields may be null. Raise 422 `read_only` for
        fields that another request changes, unless `refuses` is false.
        """
        faults, ignored, known = [], [], {}
        for field in sent:
            # the same for each item of a list, which may have a thousand
            names = tuple(0 if isinstance(part, int) else part for part in field.path)
            if names not in known:
                known[names] = [*_values_at(before, names), *_values_at(after, names)]
            if any(_is_same(field.value, value) for value in known[names]):
                continue
            place = pointer(field.path)
            if refuses and "x-changed-by" in field.schema:
                detail = self._remedy(field, before, after)
                faults.append(fault("read_only", detail, pointer=place))
            else:
                ignored.append(place)
        if faults:
            raise invalid(faults)
        return ignored

    def _remedy(self, field, before, after):
        """Return the error text, with the request that sets the field to the value that was sent,
        or with all that change it.
        """
        requests = field.schema["x-changed-by"]
        value = shown(field.value)
        if value in requests:
            way = requests[value]
        else:
            way = listed(dict.fromkeys(requests.values()), "or")

        if before is None:
            now = shown(after[field.path[0]])
            return (
                f"of a new {self.noun} is {now} and cannot be set to {value}. "
                f"Create it without `{field.path[-1]}`, then send {way}"
            )
        return f"cannot be set to {value}. Send {way.replace('{id}', str(after['id']))}"


def _has_read_only(name: str, schema: dict, root: dict) -> bool:
    """Return whether a field is read-only, and named when it is ignored, or has such a part."""
    if schema.get("readOnly"):
        return _is_named(name, schema)
    schema = resolved(schema, root)
    if "items" in schema:
        return _has_read_only("", schema["items"], root)
    parts = schema.get("properties", {}).items()
    return any(_has_read_only(part, sub, root) for part, sub in parts)


def _is_named(name: str, schema: dict) -> bool:
    """Return whether a read-only field is named if it is ignored.

    Fields that not every response has are not: nobody expects to change them.
    """
    return name not in UNNAMED and "x-include" not in schema and "x-outcome" not in schema


def _sent_in(value: object, schema: dict, root: dict, path: tuple) -> Iterator[Sent]:
    """Yield the read-only fields of an object or of the objects in an array."""
    if isinstance(value, list) and "items" in schema:
        items = resolved(schema["items"], root)
        for index, part in enumerate(value):
            yield from _sent_in(part, items, root, (*path, index))
    if not isinstance(value, dict):
        return
    for name, sub in schema.get("properties", {}).items():
        if name not in value:
            continue
        if not sub.get("readOnly"):
            yield from _sent_in(value[name], resolved(sub, root), root, (*path, name))
        elif _is_named(name, sub):
            yield Sent((*path, name), sub, value[name])


def _values_at(value: object, path: tuple) -> list:
    """Return the values at a path: one, or in place of an index those of each item, because items
    are moved and removed. None stands for a value that is missing.
    """
    if not path:
        return [value]
    if isinstance(value, list):
        return [found for item in value for found in _values_at(item, path[1:])] or [None]
    part = value.get(path[0]) if isinstance(value, dict) else None
    return _values_at(part, path[1:])


def _is_same(sent: object, value: object) -> bool:
    """Return whether a value that was sent means the value of a record.

    The same time in another form, empty text in place of null, and a part that is missing in place
    of one that is null mean the same.
    """
    if isinstance(sent, list) and isinstance(value, list):
        return len(sent) == len(value) and all(map(_is_same, sent, value))
    if isinstance(sent, dict) and isinstance(value, dict):
        return all(_is_same(sent.get(name), value.get(name)) for name in sent.keys() | value.keys())
    if isinstance(sent, str):
        text = sent.strip() or None
        return text == value or (isinstance(value, str) and times.is_same(sent.strip(), value))
    return sent == value
