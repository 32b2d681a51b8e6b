"""One operation as HTML: what it does, its parameters, body, response and errors, and samples of
it.
"""

from html import escape

from eventapi.errors import CODES
from eventapi.pages.reference import fields, samples
from eventapi.pages.reference.schemas import body_of, data_of, is_list, resolved, success
from eventapi.pages.reference.texts import as_json, paragraphs, permalink, prose, sample

# Parameters that start.html explains, since many operations accept them: in each list, and in
# headers.
OF_LISTS = {"page", "per_page", "order", "after", "updated_since", "ids"}
HEADERS = {"Idempotency-Key", "If-Match", "If-None-Match", "Prefer"}
# Codes that many operations share -> when. The section of errors explains them once.
GENERAL = {
    "every request": (
        "malformed_request",
        "missing_credentials",
        "invalid_api_key",
        "insufficient_scope",
        "plan_required",
        "not_acceptable",
        "validation_failed",
        "rate_limited",
        "internal_error",
        "unhealthy",
    ),
    "a path with an id or key, and deletions": ("not_found",),
    "resources with a flag": ("feature_disabled",),
    "requests with a body": (
        "malformed_json",
        "body_too_large",
        "unsupported_media_type",
        "unavailable",
    ),
    "writes": ("database_busy", "insufficient_storage"),
    "`If-Match`": ("precondition_failed",),
    "`Idempotency-Key`": ("idempotency_key_reused",),
}
SHARED = {code for codes in GENERAL.values() for code in codes}


class Resource:
    """What the operations of one resource share.

    Attributes:
        name: name of the tag.
        record: schema of its record, {} if it has none.
        creation: the operation that creates the record, None if there is none.
    """

    def __init__(self, name, record, creation):
        self.name, self.record, self.creation = name, record, creation


def operation_html(openapi, resource, path, method, operation):
    """Return one operation, closed.

    Its permalink is inside, so that browsers open it without the script.
    """
    name = operation["operationId"]
    prefix = f'<span class="root">{samples.ROOT}</span>' if samples.is_below_root(path) else ""
    shown = escape(path.removeprefix(samples.ROOT) if prefix else path)
    deprecated = '<span class="mark">deprecated</span> ' if operation.get("deprecated") else ""
    about = [
        f'<p class="opid">{permalink(name, name)}</p>',
        paragraphs(operation.get("description", "")),
        _parameters(openapi, operation),
        _body(openapi, resource, method, operation),
        _response(openapi, resource, operation),
        _problems(openapi, operation),
    ]
    return (
        f'<details class="op" data-method="{method}" data-path="{escape(path)}"><summary><h3>'
        f'<span class="verb {method}">{method.upper()}</span> <code>{prefix}{shown}</code> {deprecated}'
        f'<span class="title">{prose(operation["summary"])}</span></h3></summary>'
        f'<div class="in" id="{name}"><div class="about">{"".join(about)}</div>'
        f'<div class="samples">{_samples(openapi, path, method, operation)}</div></div></details>'
    )


def _parameters(openapi, operation):
    """Return the parameters. Those that many operations accept are only named."""
    entries = operation.get("parameters", ())
    common = HEADERS | (OF_LISTS if is_list(operation) else set())
    shown = [
        entry
        for entry in entries
        if entry["name"] not in common and (entry["in"] != "path" or entry.get("description"))
    ]
    listed = fields.parameters(openapi, shown, f"param-{operation['operationId']}")
    return (
        (f"<h4>Parameters</h4>{listed}" if listed else "")
        + _named(
            "parameters of lists",
            "lists",
            [entry for entry in entries if entry["name"] in common - HEADERS],
        )
        + _named("headers", "headers", [entry for entry in entries if entry["name"] in HEADERS])
    )


def _named(what, place, entries):
    """Return a sentence that names parameters, with a link to the section that explains them."""
    names = ", ".join(f"<code>{entry['name']}</code>" for entry in entries)
    return (
        f'<p class="quiet">Accepts the <a href="#{place}">{what}</a> {names}.</p>' if names else ""
    )


def _body(openapi, resource, method, operation):
    """Return the request body. The fields that creating the record has, too, are described there."""
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return ""
    schema = body_of(openapi, operation)
    if not schema:
        return f"<h4>Body</h4><p>The content of the file, as {escape(' or '.join(content))}.</p>"
    created = body_of(openapi, resource.creation).get("properties", {}) if resource.creation else {}
    also = "" if len(content) == 1 else f"<p>Also as {escape(' or '.join(list(content)[1:]))}.</p>"
    about = paragraphs(schema.get("description", ""))
    if (
        method != "post"
        and schema.get("properties")
        and schema["properties"].keys() <= created.keys()
    ):
        listed = fields.names(schema, f"field-{resource.creation['operationId']}")
    else:
        listed = fields.listed(schema, openapi, f"field-{operation['operationId']}")
    return f"<h4>Body</h4>{about}{also}{listed}"


def _response(openapi, resource, operation):
    """Return the response. Its fields are listed only if they differ from those of the record."""
    status, response = success(operation)
    others = [
        f"<code>{escape(form)}</code>"
        for form in response.get("content", {})
        if form != "application/json"
    ]
    forms = f" Also available with <code>Accept</code>: {', '.join(others)}." if others else ""
    data = data_of(openapi, operation)
    title = data.get("title", "").removesuffix("ListItem").removesuffix("List item")
    if data and title == resource.record.get("title", ""):
        what = "each record is" if is_list(operation) else "<code>data</code> is"
        listed = f'<p>{what[0].upper()}{what[1:]} <a href="#object-{resource.name}">{escape(title)}</a>.</p>'
        listed = listed.replace("<p>Each record", "<p>In <code>data</code>, each record")
    else:
        listed = fields.listed(
            data, openapi, f"field-{operation['operationId']}-data", is_sent=False
        )
    return f"<h4>Response {status}</h4><p>{prose(response['description'])}{forms}</p>{listed}"


def _problems(openapi, operation):
    """Return the problem codes that are specific to an operation."""
    codes = [
        code
        for response in operation["responses"].values()
        for code in resolved_response(openapi, response).get("x-codes", ())
        if code not in SHARED
    ]
    listed = ", ".join(f"{CODES[code][0]} {permalink(f'problem-{code}', code)}" for code in codes)
    return f"<h4>Errors</h4><p>{listed}</p>" if codes else ""


def resolved_response(openapi, response):
    """Return the response that a `$ref` refers to."""
    return (
        openapi["components"]["responses"][response["$ref"].rpartition("/")[2]]
        if "$ref" in response
        else response
    )


def _samples(openapi, path, method, operation):
    """Return the request in curl and Python, and the response."""
    status, response = success(operation)
    example = (
        resolved(response, openapi).get("content", {}).get("application/json", {}).get("example")
    )
    return (
        sample("curl", samples.curl(openapi, path, method, operation), "curl")
        + sample("Python", samples.python(openapi, path, method, operation), "python")
        + ("" if example is None else sample(f"Response {status}", as_json(example)))
    )
