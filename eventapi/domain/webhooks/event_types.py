"""The types of all outgoing events, each with its scope and an example message, made from the
registry of kinds.
"""

from functools import lru_cache

from eventapi.domain.records import entities
from eventapi.errors import MAX_SUGGESTIONS, suggestion
from eventapi.validation import examples

AT = "2027-05-01T09:00:00Z"

# entity type -> description of the scope in the list of events, for kinds whose records have
# different scopes
SCOPES = {
    "note": "the scope of the record that the note is about",
    "bulk_import": "contacts or participants, depending on what is imported",
}


def names():
    """Return the types of all events."""
    return [name for kind in entities.KINDS.values() for name in kind.event_names()]


@lru_cache(maxsize=1)
def listed():
    """Return every event: type, scope and an example message."""
    return [
        {
            "type": name,
            "scope": SCOPES.get(kind.entity_type, kind.scope),
            "example": {"type": name, "timestamp": AT, "data": examples.event(schema, word)},
        }
        for name, schema, word, kind in described()
    ]


def described():
    """Yield `(type, name of the schema of the record, part of the type after the dot, Kind)` of
    every event.
    """
    for kind in entities.KINDS.values():
        for name, word in zip(kind.event_names(), kind.events, strict=True):
            yield name, kind.schema or kind.entity_type, word, kind


def patterns():
    """Return the types of all events and the patterns that match several of them."""
    return {"*", *(name.partition(".")[0] + ".*" for name in names()), *names()}


def unknown(wanted):
    """Yield (index, what is wrong as text) of those types and patterns that match no event."""
    known, count = sorted(patterns()), 0
    for index, pattern in enumerate(wanted):
        if pattern not in known:
            count += 1
            near = suggestion(pattern, known) if count <= MAX_SUGGESTIONS else ""
            yield (
                index,
                (
                    "is not an event type, nor a pattern such as payment.* or * (GET /webhooks/events lists all "
                    f"event types){near}"
                ),
            )
