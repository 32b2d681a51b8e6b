"""Summary and description of each operation: the docstring of its handler, and what routes, states
and events say.
"""

import re
from collections.abc import Callable, Iterator
from inspect import cleandoc

from eventapi.domain.access.api_keys import NOT_OF_CONTACTS
from eventapi.domain.records import entities
from eventapi.errors import quoted
from eventapi.plugins.access import READS, writes
from eventapi.reference import problem_codes
from eventapi.validation.schema_files import query_schema
from eventapi.web.routes import Route

# Method of a path that ends in <id> -> words of the events that the write of a record sends, one of
# which its kind has
CHANGES = {
    "POST": ("created", "added"),
    "PUT": ("updated",),
    "PATCH": ("updated",),
    "DELETE": ("deleted", "removed"),
}
# Handlers of DELETE that keep the record -> the word of the event
KEEPING = {"delete_newsletter_subscriber": "unsubscribed", "delete_booth_reservation": "cancelled"}
# Actions that lead to their state only in the end -> how the sentence about that state begins
ENDS = {"refund": "once nothing is left, it is", "assign": "once nothing is left, it is"}


def texts(handler: Callable) -> tuple[str, str]:
    """Return summary and description of a handler: from its docstring, or else from its name."""
    first, _, more = cleandoc(handler.__doc__ or _from_name(handler.__name__)).partition("\n\n")
    summary, *rest = re.split(r"\.\s+(?=[A-Z`])", " ".join(first.split()), maxsplit=1)
    return summary.rstrip("."), "\n\n".join(filter(None, [*rest, more]))


def _from_name(name):
    """Return `Create an event` for create_event, `List events` for list_events."""
    verb, _, noun = name.replace("_", " ").partition(" ")
    return f"{verb.capitalize()} {noun if verb == 'list' else _article(noun)}"


def description(route: Route) -> str:
    """Return the description of an operation in paragraphs."""
    own = texts(route.handler)[1]
    return "\n\n".join(
        filter(None, [own, " ".join(facts(route)), required_access(route), deprecation(route)])
    )


def facts(route: Route) -> Iterator[str]:
    """Yield sentences about an operation that the code of its route implies."""
    options, noun = route.options, route.options.singular.replace("_", " ")
    is_record = not options.response and route.path.endswith("/<id>")
    if options.public:
        return
    if options.listing:
        yield _of_list(options)
    elif route.method == "GET" and is_record:
        yield f"Returns the {noun} with all its fields, and an `ETag` for `If-Match` and `If-None-Match`."
    elif route.method in ("PUT", "PATCH") and is_record:
        yield f"With `If-Match`, the change is refused (412) if the {noun} has changed since you read it."
    elif route.method == "POST" and options.schema and "." not in options.schema:
        yield f"Returns the new {noun} with its id, defaults and computed fields."
    if route.method == "DELETE" and is_record and "in_use" in problem_codes.codes(route.handler):
        yield f"Refused with 409 `in_use` while other records depend on the {noun}."
    if len(options.offered) > 1 and not options.listing and not options.ranges:
        yield f"The header `Accept` chooses the form: {quoted(options.offered, 'or')}."
    yield from _transitions(route)
    if name := event(route):
        yield f"Webhooks receive `{name}`."


def _of_list(options):
    parameters = query_schema(options.query, listing=True)["properties"]
    order = {"ASC": "ascending", "DESC": "descending"}[parameters["order"]["default"]]
    return (
        f"Sorted by `{parameters['sort']['default']}`, {order}, unless `sort` and `order` say otherwise. `after` "
        "reads a long list piece by piece."
    )


def _transitions(route):
    """Yield in which states the action of a route is possible, and which state follows."""
    for states in tables(route):
        allowed, end = states.table[action(route)]
        if allowed:
            then = (
                f"{ENDS.get(action(route), 'it is then')} `{end}`"
                if end
                else "the state does not change"
            )
            yield f"Possible for {_article(states.noun)} in the state {quoted(allowed, 'or')}; {then}."


def _article(noun):
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def action(route: Route) -> str:
    """Return the action of a route: `approve` for /applications/<id>/approve."""
    return route.path.rpartition("/")[2]


def tables(route: Route) -> list:
    """Return the state tables that have the action of a route: for a part of a record those of
    parts.
    """
    is_part = "/items/" in route.path
    return [
        states
        for states in route.options.states
        if route.method == "POST"
        and ">/" in route.path
        and action(route) in states.table
        and (states.noun == "item") == is_part
    ]


def event(route: Route) -> str | None:
    """Return the type of the event that a successful write sends, None if there is none or it
    depends on the fields.
    """
    kind = next(
        (
            kind
            for kind in entities.KINDS.values()
            if (kind.schema or kind.entity_type) == route.options.singular
        ),
        None,
    )
    if not kind or route.method in READS or "/items/" in route.path:
        return None
    if route.method == "POST" and "<" in route.path:
        words = [
            kind.event_words.get(past, past)
            for past in (states.past(action(route)) for states in tables(route))
        ]
    elif route.path.endswith("<id>") == (route.method != "POST") and not route.options.response:
        words = (KEEPING.get(route.handler.__name__), *CHANGES[route.method])
    else:
        words = []
    word = next((word for word in words if word in kind.events), None)
    return word and f"{kind.noun or kind.entity_type}.{word}"


def required_access(route: Route) -> str:
    """Return a sentence about the scope and the feature that a request needs."""
    options = route.options
    if options.public:
        return "No API key is required."
    if options.scope == "none":
        return "Every valid API key is enough, without a scope."
    if options.scope == "all":
        others = quoted(NOT_OF_CONTACTS)
        return f"The API key needs every scope but {others}, at least for reading."
    if options.scope == "by_entity_type":
        return "The API key needs the scope of the record's kind."
    suffix = "" if writes(route.method, options) else ":read"
    scopes = [f"`{options.scope}{suffix}`", *(f"`{scope}`" for scope in options.narrow_scopes)]
    feature = f" The feature `{options.flag}` must be enabled." if options.flag else ""
    if options.further_scopes:
        needed = quoted(f"{scope}{suffix}" for scope in (options.scope, *options.further_scopes))
        return f"The API key needs the scopes {needed}.{feature}"
    return f"The API key needs the scope {' or '.join(scopes)}.{feature}"


def deprecation(route: Route) -> str:
    """Return a sentence about the end of a deprecated route, otherwise ""."""
    end = route.options.deprecated
    return (
        f"Deprecated since {end.since}. It may be removed from {end.sunset} on. {end.link} names the replacement."
        if end
        else ""
    )
