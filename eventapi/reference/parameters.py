"""The parameters of operations: those of the path, of the query string, and request headers."""

import re
from collections.abc import Iterator

from eventapi.reference.components import (
    Schemas,
    inlined,
    is_enumeration,
    singular,
    with_default_in_words,
)
from eventapi.reference.responses import returns_record
from eventapi.resources import custom_fields
from eventapi.validation.schema_files import document, query_schema
from eventapi.web.routes import Options, Route

LARGEST = 2**63 - 1  # the largest integer that SQLite can store


def of_path(route: Route) -> Iterator[dict]:
    """Yield the parameters in the path of a route."""
    for name in re.findall(r"<(\w+)", route.path):
        schema = {"type": "integer", "minimum": 1} if name.endswith("id") else {"type": "string"}
        noun = _noun(route, name)
        text = (
            f"Number of the {noun}, counted from 1."
            if noun.endswith("revision")
            else f"Id of the {noun}."
        )
        if name in IN_PATH:
            text, more = IN_PATH[name]
            schema = {**schema, **more}
        yield {"name": name, "in": "path", "required": True, "description": text, "schema": schema}


# Parameters of paths that are not an id: name -> description, further keywords
IN_PATH = {
    "entity_type": ("Kind of the record.", {"enum": list(custom_fields.RECORDS)}),
    "customer_number": (
        "Customer number on the invoices of the customer.",
        {"maxLength": 50, "examples": ["C-00001"]},
    ),
    "month": (
        "Month such as `2026-05`.",
        {"pattern": "^[0-9]{4}-[0-9]{2}$", "examples": ["2026-05"]},
    ),
    "event_key": ("Key of the event.", {"examples": ["garden-fair-2027"]}),
    "plan_key": ("Key of the plan.", {"examples": ["hall-7"]}),
    "exhibitor": ("Id of the exhibitor, which is a participant.", {"examples": ["1"]}),
    "token": ("The secret part of the address.", {}),
    "code": ("Problem code.", {}),
    "name": ("Name of the page, such as `billing`.", {"examples": ["billing"]}),
}


def _noun(route, name):
    """Return what a parameter of the path is the id of: `participant` for
    /participants/<id>/invoice.
    """
    segment = route.path.partition(f"/<{name}")[0].rpartition("/")[2]
    own, word = route.options.singular, singular(segment.replace("-", "_"))
    if segment.startswith("<"):  # the kind of the record is a parameter itself
        return "record"
    noun = word if segment.endswith("s") and not own.endswith(word) else own
    return noun.replace("_", " ")


def of_query(options: Options, schemas: Schemas) -> Iterator[dict]:
    """Yield the parameters of the query string of a route. Public routes have none by default."""
    if options.public and not options.query:
        return
    name, schema = options.query, query_schema(options.query, listing=options.listing)
    for field, sub in schema["properties"].items():
        # generated clients would always send a default
        sub = with_default_in_words(inlined(sub, name))
        parameter = {
            "name": field,
            "in": "query",
            "description": sub.pop("description", ""),
            "schema": shared(sub, field, name, schemas),
        }
        if field in schema["required"]:
            parameter["required"] = True
        if sub.get("type") == "array":
            sub.setdefault("minItems", 1)
            # separated by commas; repeating is allowed too
            parameter.update(style="form", explode=False)
        if field == "after":
            parameter["allowEmptyValue"] = True
            sub["format"] = "cursor"
        for part in (sub, sub.get("items", {})):
            if part.get("type") == "integer":
                part.setdefault("maximum", LARGEST)
        yield {key: value for key, value in parameter.items() if value != ""}
    if schema["x-custom-fields"]:
        yield {
            "name": "cf",
            "in": "query",
            "style": "form",
            "explode": True,
            "description": "`cf.KEY=value` returns only records whose custom field KEY has this value, in any case. "
            "For a multiselect, it must be one of the values. The field must be searchable.",
            "schema": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "propertyNames": {"pattern": r"^cf\.[a-z][a-z0-9_]{0,63}$"},
            },
        }


def shared(sub: dict, field: str, name: str | None, schemas: Schemas) -> dict:
    """Return the schema of a parameter.

    An enumeration that a field of the record has too is a reference to it.
    """
    if field == "order":
        return schemas.ready("sort_order", {"type": "string", "enum": sub["enum"]})
    if "items" in sub:
        sub["items"] = (
            {"type": "string", **sub["items"]} if "enum" in sub["items"] else sub["items"]
        )
    resource = (name or "").partition(".")[0]
    own = document(resource)["properties"].get(field, {}) if resource else {}
    if is_enumeration(own) and sub.get("enum") == [
        word for word in own["enum"] if word is not None
    ]:
        return schemas.enumeration(own, f"{resource}.{field}")
    return sub


def of_headers(route: Route, possible: set[str]) -> Iterator[dict]:
    """Yield the request headers of a route. `possible` are the codes of its problems."""
    if route.options.public:
        return
    if route.method == "POST" and not route.options.reads:
        yield _field(
            "Idempotency-Key",
            "1 to 255 visible characters. A repeated request with the same key returns the "
            "first response for 24 hours, with `null` in place of a secret that is shown only once.",
            pattern="^[!-~]{1,255}$",
        )
    if "precondition_failed" in possible:
        yield _field(
            "If-Match",
            "ETag of the record as you read it. The response is 412 if the record has changed "
            "since.",
        )
    if route.options.ranges:
        yield _field(
            "Range",
            "`bytes=0-999` returns only this part of the file with status 206 (RFC 9110). A request "
            "for several parts returns the whole file.",
            examples=["bytes=0-999"],
        )
        yield _field(
            "If-Range",
            "ETag of the file as you have it: `Range` counts only if the file is still the same.",
        )
    if route.method == "GET" and not route.options.listing:
        yield _field(
            "If-None-Match",
            "ETag of the response that you have. The response is 304 if nothing has changed.",
        )
    if returns_record(route):
        yield _field(
            "Prefer",
            "`return=minimal` returns only the id and times of the record, and what only this "
            "response shows, such as a secret (schema Minimal). Other preferences are ignored (RFC 7240).",
            examples=["return=minimal"],
        )


def _field(name, description, **schema):
    """Return a request header as a parameter."""
    return {
        "name": name,
        "in": "header",
        "description": description,
        "schema": {"type": "string", **schema},
    }
