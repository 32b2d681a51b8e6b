"""The components of the OpenAPI document: the schemas of schemas/ for readers, and schemas that all responses share."""
import re

from eventapi.errors import CODES, Problem
from eventapi.validation.formats import FORMATS
from eventapi.validation.schema_files import body_schema, definition, document, response_schema

SUFFIX = {"POST": "create", "PUT": "replace", "PATCH": "change"}


class Schemas:
    """The component schemas. A reference to one adds it, with all schemas that it refers to."""

    def __init__(self):
        self.all, self.origins = {}, {}

    def body(self, name, method):
        schema = {key: value for key, value in body_schema(name, method).items() if key != "$defs"}
        if "." in name:
            return self.ref(name, schema)
        fields = document(name)["properties"]
        if method != "POST":                          # what is not sent stays as it was
            fields = {field: {key: value for key, value in sub.items() if key != "default"}
                      for field, sub in fields.items()}
        return self.ref(f"{name}.{SUFFIX[method]}", {**schema, "title": f"{camel(name)}{SUFFIX[method].capitalize()}",
                                                     "properties": fields})

    def response(self, name, listing):
        if "." in name:
            return self.ref(name, definition(name))
        single, listed = response_schema(name), response_schema(name, listing=True)
        return self.ref(f"{name}.list_item", listed) if listing and listed != single else self.ref(name, single)

    def ref(self, name, schema):
        """Return a reference to the component. Add the component first if it is missing."""
        title = camel(name)
        if self.origins.setdefault(title, name) != name:
            raise ValueError(f"both {name} and {self.origins[title]} would be called {title}: rename one of these "
                             "entries in schemas/")
        if title not in self.all:
            self.all[title] = None                    # a schema may refer to itself
            self.all[title] = self.public(schema, name.partition(".")[0])
        return {"$ref": f"#/components/schemas/{title}"}

    def public(self, schema, resource):
        """Return a schema for readers: without `x-…`, with references to components, and with formats in words."""
        if isinstance(schema, list):
            return [self.public(part, resource) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            part = schema["$ref"].rpartition("/")[2]
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return {**described(rest), **self.ref(f"{resource}.{part}", definition(f"{resource}.{part}"))}
        clean = described(schema)
        for key in clean.keys() - {"default", "examples", "enum", "const"}:
            if key == "properties":
                clean[key] = {field: self.public(sub, resource) for field, sub in clean[key].items()}
            else:
                clean[key] = self.public(clean[key], resource)
        return clean


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
SECRET = {"type": "string",
          "description": "Only where the whole record has it as a secret that is shown once. A response that is "
                         "repeated for the same `Idempotency-Key` does not have it."}
COMMON = {
    "Meta": _object("Information about the response.", ["request_id"], request_id=TEXT),
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
        type={**TEXT, "format": "uri", "description": "Address of a page that explains the code."},
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
