"""The OpenAPI 3.1 document, generated from the routes and schemas that serve requests."""

import re
import sys
from functools import lru_cache

from eventapi import __version__
from eventapi.app import routes
from eventapi.reference import parameters
from eventapi.reference.common import (
    BINARY,
    HEADERS,
    SCHEMAS,
    TEXT,
    TOO_LONG,
    problem_response,
    ref,
)
from eventapi.reference.components import SUFFIX, Schemas
from eventapi.reference.descriptions import description, texts
from eventapi.reference.responses import codes_of, refused, responses
from eventapi.reference.webhooks import PARAMETERS, TAG, webhooks
from eventapi.validation import examples
from eventapi.validation.schema_files import body_schema
from eventapi.web.routes import JSON, Route

# Groups in the order of a show, with the tags in the order in which an integrator needs them. A
# resource that is not here fails a test.
GROUPS = {
    "Show": ("events", "event-pages", "categories", "schedules", "calendar-feed", "feeds"),
    "People": (
        "contacts",
        "applications",
        "participants",
        "profiles",
        "links",
        "newsletter",
        "newsletter-pages",
    ),
    "Money": (
        "invoices",
        "payments",
        "bank-statements",
        "bank-rules",
        "dunning",
        "dunning-levels",
        "services",
        "service-categories",
        "service-orders",
        "reports",
    ),
    "Halls": ("plans", "booths", "booth-types", "booth-formulas", "booth-reservations"),
    "Content": (
        "documents",
        "document-templates",
        "document-categories",
        "submissions",
        "submission-types",
        "tasks",
        "notes",
        "custom-fields",
    ),
    "Entrance": ("check-ins",),
    "Integration": ("me", "webhooks", TAG["name"], "bulk-import"),
    "Pages": ("shows",),
    "System": ("settings", "audit-log", "health", "metrics", "openapi", "docs", "problems"),
}
UNKNOWN = "https://YOUR-SERVER"  # the address of a service that nobody has told
INTRODUCTION = """\
API of eventapi: events, contacts, applications, participants, booths, services, invoices and payments of a trade show
organiser.

Every request below /api/v1 needs the header `Authorization: Bearer <API_KEY>`. Responses have the form `{"data": …,
"meta": {"request_id": …}}`. Every error is a problem document (RFC 9457) that lists all errors in the input. An
unknown field or parameter is an error. A parameter that is a list is separated by commas (`include=a,b`) or repeated
(`include=a&include=b`). A text in a body loses the blanks around it, and an empty one is null where null is allowed. A
whole number may be written 3.0. Timestamps are in UTC (`2026-11-20T17:30:00Z`); requests may
have any offset, as `+02:00`, `+0200` or `+02`. Amounts of money are numbers with the decimals of their currency.

HEAD works wherever GET does, and OPTIONS returns the allowed methods. In this document, x-scope is the scope that a
key needs (`name:read` is enough for reading), and x-flag is the feature that must be enabled."""


def document(base_url: str | None) -> dict:
    """Return the OpenAPI document for a service at this address.

    It is cached: copy before modifying.
    """
    return built(base_url)[0]


@lru_cache(maxsize=4)
def built(base_url: str | None) -> tuple[dict, set[str]]:
    """Return the document, and the components of responses of which it lists every field (see
    `Schemas.open`).
    """
    schemas = Schemas()
    problems = {}
    all_routes = [route for route in routes() if not route.options.page]
    paths = {}
    for route in all_routes:
        where = paths.setdefault(re.sub(r"<(\w+)[^<>]*>", r"{\1}", route.path), {})
        where[route.method.lower()] = operation(route, schemas, problems)
    whole = {
        "openapi": "3.1.0",
        "security": [{"key": []}],
        "tags": tags(all_routes),
        "x-tagGroups": groups(),
        "paths": paths,
        "webhooks": webhooks(schemas),
        "components": {
            "schemas": {**schemas.all, **SCHEMAS},
            "responses": {
                **{
                    name: problem_response(codes, base_url)
                    for name, codes in sorted(problems.items())
                },
                **{
                    name: {
                        "description": text,
                        "content": {"application/problem+json": {"schema": ref("Problem")}},
                    }
                    for name, (_, text) in TOO_LONG.items()
                },
            },
            "headers": HEADERS,
            "parameters": PARAMETERS,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, created with `eventapi key create`.",
                }
            },
        },
        **addressed(base_url or ""),
    }
    return whole, schemas.complete


def addressed(root: str) -> dict:
    """Return the parts of the document that contain the address of the service.

    They are its last ones: what comes before them is the same in each response without `base_url`.
    """
    return {
        "info": {
            "title": "eventapi",
            "version": __version__,
            "description": INTRODUCTION,
            "contact": {"name": "The organiser who runs this service", "url": f"{root}/docs"},
            "license": {"name": "MIT", "url": "https://spdx.org/licenses/MIT.html"},
        },
        "externalDocs": {
            "url": f"{root}/docs",
            "description": "The reference as a page of this server.",
        },
        "servers": [{"url": root or "/"}],
    }


# Operations


def operation(route: Route, schemas: Schemas, problems: dict[str, list[str]]) -> dict:
    """Return the operation of a route. Add its schemas and problem responses to the components."""
    options, name = route.options, route.handler.__name__
    if name.startswith("update_"):
        name = f"{name}_{route.method.lower()}"  # PUT and PATCH share a handler
    possible = codes_of(route)
    found = {
        "tags": [options.resource],
        "operationId": name,
        "summary": texts(route.handler)[0],
        "description": description(route),
        "deprecated": True if options.deprecated else None,
        "parameters": [
            *parameters.of_path(route),
            *parameters.of_query(options, schemas),
            *parameters.of_headers(route, possible),
        ],
        "requestBody": request_body(route, schemas),
        "responses": {**responses(route, schemas), **refused(possible, problems)},
        "security": [] if options.public else None,
        "x-scope": options.scope,
        "x-flag": options.flag,
    }
    return {name: value for name, value in found.items() if value is not None and value != ""}


def request_body(route, schemas):
    """Return the request body of a route, None if it has none. Add its schema to the components."""
    options, name = route.options, route.options.schema
    if options.raw_body:
        content = {
            kind: {"schema": {**(TEXT if kind.startswith("text/") else BINARY), "minLength": 1}}
            for kind in options.raw_body
        }
        if name and JSON in content:
            content[JSON] = _json_body(name, route.method, schemas)
        return {"required": True, "content": content}
    if not name or route.method not in SUFFIX:
        return None
    schema = body_schema(name, route.method)
    return {
        "required": not schema.keys().isdisjoint(("required", "minProperties", "anyOf", "allOf")),
        "content": {JSON: _json_body(name, route.method, schemas)},
    }


def _json_body(name, method, schemas):
    media, example = {"schema": schemas.body(name, method)}, examples.body(name, method)
    return media if example is None else {**media, "example": example}


def tags(routes: list[Route]) -> list[dict]:
    """Return one tag per resource and that of the messages of webhooks, in the order of GROUPS.

    The description is the docstring of its module. `x-displayName` is the name in words, and
    `x-transitions` has the state tables.
    """
    first = {}
    for route in routes:
        first.setdefault(route.options.resource, route)
    order = [name for names in GROUPS.values() for name in names]
    found = [TAG, *(_tag(name, route) for name, route in first.items())]
    return sorted(found, key=lambda tag: order.index(tag["name"]))


def _tag(name, route):
    text = sys.modules[route.handler.__module__].__doc__
    text = " ".join(text.partition(": ")[2].split() or text.split())
    tag = {
        "name": name,
        "x-displayName": name.replace("-", " ").capitalize(),
        "description": text[:1].upper() + text[1:],
    }
    if route.options.states:
        tag["x-transitions"] = {
            states.noun: _transitions(states.table) for states in route.options.states
        }
    return tag


def _transitions(table):
    """Return a state table as JSON: action -> the states `from` which it starts, and the state `to`
    which it leads.
    """
    return {action: {"from": list(starts), "to": end} for action, (starts, end) in table.items()}


def groups() -> list[dict]:
    """Return GROUPS as `x-tagGroups`, which Redoc and Scalar read."""
    return [{"name": name, "tags": list(names)} for name, names in GROUPS.items()]
