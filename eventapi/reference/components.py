"""The components of the OpenAPI document: the schemas of schemas/ for readers, and schemas that all responses share."""
import re

from eventapi.errors import CODES, Problem
from eventapi.storage.database import as_json
from eventapi.validation.formats import FORMATS
from eventapi.validation.schema_files import body_schema, definition, document, response_schema

SUFFIX = {"POST": "create", "PUT": "replace", "PATCH": "change"}


class Schemas:
    """The component schemas. A reference to one adds it, with all schemas that it refers to."""

    def __init__(self):
        self.all, self.origins = {}, {}

    def body(self, name, method):
        """Return a reference to the schema of a body: its writable fields.

        The schema for clients has no `default`, since generators would make such fields required, and none of the
        alternatives of required fields, since generators would split the class. Both are in the descriptions.
        """
        schema = {key: value for key, value in body_schema(name, method).items() if key not in ("$defs", "default")}
        if "." in name:
            fields = _with_defaults_in_words(schema.get("properties", {}))
            return self.ref(name, {**schema, "properties": fields}, is_body=True)
        fields = {field: sub for field, sub in document(name)["properties"].items() if not sub.get("readOnly")}
        if method == "POST":
            fields = _with_defaults_in_words(fields)
        else:                                         # what is not sent stays as it was
            fields = {field: {key: value for key, value in sub.items() if key != "default"}
                      for field, sub in fields.items()}
        alternatives = [part for part in (schema, *schema.pop("allOf", [])) if "anyOf" in part]
        texts = [OF_BODIES[method], *(_alternatives_in_words(part) for part in alternatives)]
        return self.ref(f"{name}.{SUFFIX[method]}", {
            **{key: value for key, value in schema.items() if key != "anyOf"}, "properties": fields,
            "description": " ".join(texts)}, is_body=True)

    def response(self, name, listing):
        if "." in name:
            return self.ref(name, definition(name))
        single, listed = response_schema(name), response_schema(name, listing=True)
        return self.ref(f"{name}.list_item", listed) if listing and listed != single else self.ref(name, single)

    def ref(self, name, schema, *, is_body=False):
        """Return a reference to the component. Add the component first if it is missing.

        The parts of a body have only writable fields: `invoice.item` becomes the component InvoiceItemInput there.
        """
        title = camel(name)
        if self.origins.setdefault(title, name) != name:
            raise ValueError(f"both {name} and {self.origins[title]} would be called {title}: rename one of these "
                             "entries in schemas/")
        if title not in self.all:
            self.all[title] = None                    # a schema may refer to itself
            typed = {"type": "object", **schema} if "properties" in schema else schema
            self.all[title] = self.public({**typed, "title": title}, name.partition(".")[0], is_body)
        return {"$ref": f"#/components/schemas/{title}"}

    def public(self, schema, resource, is_body):
        """Return a schema for readers: without `x-…`, with references to components, and with formats in words."""
        if isinstance(schema, list):
            return [self.public(part, resource, is_body) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return {**described(rest), **self.part(f"{resource}.{schema['$ref'].rpartition('/')[2]}", is_body)}
        clean = described(schema)
        for key in clean.keys() - {"default", "examples", "enum", "const"}:
            if key == "properties":
                clean[key] = {field: self.public(sub, resource, is_body) for field, sub in clean[key].items()}
            else:
                clean[key] = self.public(clean[key], resource, is_body)
        return clean

    def part(self, name, is_body):
        """Return a reference to a shared part of a record. In a body, it has no read-only fields."""
        schema = definition(name)
        writable = {field: sub for field, sub in schema.get("properties", {}).items() if not sub.get("readOnly")}
        if not is_body or writable == schema.get("properties", {}):
            return self.ref(name, schema)
        kept = {key: value for key, value in schema.items() if key != "examples"}
        return self.ref(f"{name}.input", {**kept, "properties": _with_defaults_in_words(writable)}, is_body=True)


# Refusals of the server itself, before it knows the route. They have no problem document behind some proxies.
TOO_LONG = {"too_long.414": {"description": "The request line is longer than 8,190 bytes."},
            "too_long.431": {"description": "A header is longer than 8,190 bytes, or there are more than 100."}}
OF_BODIES = {"POST": "The writable fields. Fields of a response that are not here may be sent and are ignored.",
             "PUT": "The writable fields. A field that is not sent stays as it was, and read-only fields are ignored.",
             "PATCH": "The fields to change, at least one. Read-only fields are ignored."}


def _with_defaults_in_words(fields):
    return {field: with_default_in_words(sub) for field, sub in fields.items()}


def with_default_in_words(sub: dict) -> dict:
    """Return a field or parameter without `default`. The description names the default unless it is null."""
    rest = {key: value for key, value in sub.items() if key != "default"}
    if sub.get("default") is None or "default" in sub.get("description", "").lower():
        return rest
    words = f"Default: `{as_json(sub['default'])}`."
    return {**rest, "description": f"{sub['description']} {words}" if sub.get("description") else words}


def _alternatives_in_words(schema):
    """Return the text of a schema that requires at least one of several fields."""
    return "Required: at least one of " + ", ".join(f"`{part['required'][0]}`" for part in schema["anyOf"]) + "."


def described(schema):
    """Return the schema without `x-…` and `$defs`. Their meaning, and that of formats, is in its description."""
    clean = {key: value for key, value in schema.items() if not key.startswith("x-") and key != "$defs"}
    hints = [schema.get("description"), FORMAT_HINTS.get(schema.get("format")),
             INCLUDE_HINTS.get(schema.get("x-include"))]
    if any(hints):
        clean["description"] = " ".join(filter(None, hints))
    return clean


FORMAT_HINTS = {form: f"{says.removeprefix('must be ')}.".capitalize()[:1] + f"{says.removeprefix('must be ')}."[1:]
                for form, (_, says) in FORMATS.items()}
INCLUDE_HINTS = {"always": "Returned only on request.", "lists": "On lists, returned only with `include`."}


def inlined(sub, name):
    """Return the schema of a parameter without references."""
    while "$ref" in sub:
        part = sub["$ref"].rpartition("/")[2]
        own = {key: value for key, value in sub.items() if key != "$ref"}
        sub = {**definition(f"{name.partition('.')[0]}.{part}"), **own}
    return described(sub)


def camel(name):
    """Return a name in camel case: `note.pin` becomes `NotePin`."""
    return "".join(word.capitalize() for word in re.split(r"[._-]", name))


# Schemas and headers that all responses share

def _object(description, required, **properties):
    return {"type": "object", "description": description, "properties": properties, "required": required}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
ERROR = _object("An error in the input.", ["code", "detail"],
                pointer={**TEXT, "description": "Place in the body as a JSON pointer (RFC 6901)."},
                parameter={**TEXT, "description": "Name of the query parameter or header."},
                index={**NUMBER, "description": "Index of the record of a bulk import, counted from 0."},
                field={"type": ["string", "null"], "description": "Field of that record."},
                code={**TEXT, "description": "Code for programs. It does not change."},
                detail={**TEXT, "description": "Explanation for people."})
ERASED = {**_object("What is left of a record whose data had to be erased.", ["id"], id=NUMBER),
          "additionalProperties": False}
SECRET = {"type": "string",
          "description": "Only where the whole record has it as a secret that is shown once. A response that is "
                         "repeated for the same `Idempotency-Key` does not have it."}
# Fields of `meta` that only some actions return.
OF_ACTIONS = {
    "mail": {**_object("What happened to the mail of an invoice: `queued`, or `skipped` with a `reason`.", ["status"],
                       status={**TEXT, "enum": ["queued", "skipped"]}, reason=TEXT)},
    "credit_notes": {"type": "array", "items": NUMBER,
                     "description": "Ids of the draft credit notes that billing a participation has created."},
    "open": _object("What the cancellation of a participation left as it was.", ["service_order_ids"],
                    service_order_ids={"type": "array", "items": NUMBER,
                                       "description": "Ids of confirmed service orders."}),
    "skipped": {"type": "array", "description": "Custom fields that an approval could not carry over.",
                "items": _object("A field that was left out.", ["target", "id", "field_key", "code"],
                                 target={**TEXT, "enum": ["contact", "event_participant"]}, id=NUMBER,
                                 field_key=TEXT, code=TEXT)}}
COMMON = {
    "Meta": _object("Information about the response.", ["request_id"], request_id=TEXT, **OF_ACTIONS),
    "Minimal": {"type": "object",
                "description": "Response to a write with `Prefer: return=minimal`: the id, such as `note_id`, Unix "
                               "times, and a secret that only this response shows.",
                "properties": {"created_at": NUMBER, "updated_at": NUMBER, "secret": SECRET, "url": SECRET},
                "patternProperties": {"^[a-z_]+_id$": NUMBER}, "additionalProperties": False},
    "PageMeta": _object(
        "Information about a page of a list.", ["request_id", "page", "per_page", "total", "total_pages"],
        request_id=TEXT, page=NUMBER, per_page=NUMBER, total=NUMBER, total_pages=NUMBER),
    "CursorMeta": _object(
        "Information about a piece of a list that is read with `after`.", ["request_id", "per_page", "next"],
        request_id=TEXT, per_page=NUMBER,
        next={"type": ["string", "null"], "description": "Cursor to send as `after`. `null` at the end."}),
    "Problem": _object(
        "A problem document (RFC 9457).", ["type", "title", "status", "detail", "code", "meta"],
        type={**TEXT, "format": "uri-reference", "description": "Address of a page that explains the code."},
        title=TEXT, status=NUMBER, detail={**TEXT, "description": "What is wrong with this request."},
        code={**TEXT, "enum": list(CODES), "description": "Code for programs. Its meaning does not change."},
        errors={"type": "array", "items": ERROR, "description": "All errors in the input."},
        meta={"$ref": "#/components/schemas/Meta"}),
}
HEADERS = {name: {"description": description, "schema": TEXT} for name, description in {
    "X-Request-ID": "Id of the request, which is also in the request log. A client may send its own: 1 to 64 letters "
                    "(A-Z, a-z), digits, `.`, `_` or `-`.",
    "Location": "Address of the new record.",
    "Link": "Addresses of the first, previous, next and last page (RFC 8288).",
    "ETag": "State of the record (RFC 9110), for `If-Match` and `If-None-Match`.",
    "Vary": "`Accept`: the response depends on this header of the request."}.items()}


def problem_response(codes: list[str], base_url: str | None) -> dict:
    """Return the response of one status: the meaning of its codes, and an example of each."""
    problems = {code: Problem(code, CODES[code][2]).document(base_url, "req_0a1b2c3d4e5f6071") for code in codes}
    return {"description": " ".join(f"`{code}`: {CODES[code][2]}" for code in codes), "x-codes": codes,
            "content": {"application/problem+json": {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {code: {"value": problem} for code, problem in problems.items()}}}}
