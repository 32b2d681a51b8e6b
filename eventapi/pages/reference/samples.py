"""Samples of requests in curl and Python, made from the examples of the OpenAPI document.

They need the environment variables EVENTAPI_URL and EVENTAPI_KEY. A test runs every one of them.
"""

import json
import re
import shlex
from urllib.parse import urlencode

from eventapi.pages.reference.schemas import data_of, example_of, is_list, resolved, success
from eventapi.pages.reference.texts import as_json
from eventapi.validation import examples

ROOT = "/api/v1"
WIDTH = 60  # the longest line; longer ones are broken
# Values of path parameters. A secret TOKEN comes from a response or a mail. Every other parameter
# is the number 1.
VALUES = {
    "entity_type": "contact",
    "code": "in_use",
    "token": "TOKEN",
    "customer_number": "C-00001",
    "month": "2026-05",
    "name": "billing",
    "event_key": "garden-fair-2027",
    "plan_key": "hall-7",
}
# (method, path below ROOT) -> query, where one of several parameters is required.
OF_EVENT = {"event_key": "garden-fair-2027"}
QUERIES = {
    ("get", "/invoices/print"): {"invoices": 1},
    ("get", "/participants/badges"): OF_EVENT,
    ("get", "/schedules"): OF_EVENT,
    ("get", "/check-ins/stats"): OF_EVENT,
    ("get", "/check-ins/roster"): OF_EVENT,
    ("post", "/submissions/files"): {"type_id": 1},
    ("delete", "/newsletter"): {"email": "anna@rosen.example"},
}
# Media type of a file -> the end of its name.
ENDINGS = {
    "application/pdf": "pdf",
    "application/zip": "zip",
    "image/svg+xml": "svg",
    "text/csv": "csv",
    "text/calendar": "ics",
    "image/png": "png",
    "application/xml": "xml",
    "application/octet-stream": "pdf",
}


def is_below_root(path):
    """Return whether the operation needs a key, and can be requested with our client."""
    return path.startswith(f"{ROOT}/")


def address(path):
    """Return the path with values for its parameters."""
    return re.sub(r"{(\w+)}", lambda found: VALUES.get(found[1], "1"), path)


def query(openapi, path, method, operation):
    """Return the query of a sample: the required parameters, and those of QUERIES."""
    required = {
        parameter["name"]: examples.sample(resolved(parameter["schema"], openapi), openapi)
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query" and parameter.get("required")
    }
    return {**required, **QUERIES.get((method, path.removeprefix(ROOT)), {})}


def file_sent(path, operation):
    """Return (name, media type) of the file that a request sends, None if it sends none."""
    types = operation.get("requestBody", {}).get("content", {})
    if not types or "application/json" in types:
        return None
    media = next(form for form in ("image/png", *types) if form in types)
    return _file_name(path, operation, media), media


def file_received(path, operation):
    """Return the name for the file that a response contains, None if it is JSON, text or a web
    page.
    """
    types = list(success(operation)[1].get("content", {}))
    known = [form for form in (*types[:1], "application/pdf") if form in types and form in ENDINGS]
    return _file_name(path, operation, known[0]) if known and is_below_root(path) else None


def _file_name(path, operation, media):
    last = path.rpartition("/")[2]
    if "{" in last or last in ("content", "file", "files", "pdf", "svg", "xml"):
        last = operation["tags"][0].rstrip("s")
    return f"{last}.{ENDINGS[media]}"


# curl


def curl(openapi, path, method, operation):
    """Return the request as a shell command."""
    values, body = query(openapi, path, method, operation), example_of(operation)
    has_body = body is not None or file_sent(path, operation)
    method_is_implied = method == "get" or (method == "post" and has_body)
    url = f"$EVENTAPI_URL{address(path)}{'?' if values else ''}{urlencode(values)}"
    words = ["curl" if method_is_implied else f"curl -X {method.upper()}", f'"{url}"']
    if operation.get("security") != []:
        words.append('-H "Authorization: Bearer $EVENTAPI_KEY"')
    words += _curl_body(path, operation, body)
    if received := file_received(path, operation):
        words.append(f"-o {received}")
    line = " ".join(words)
    return (
        line
        if len(line) <= WIDTH and "\n" not in line
        else " \\\n  ".join([" ".join(words[:2]), *words[2:]])
    )


def _curl_body(path, operation, body):
    """Return the words of curl for the body of a request."""
    if body is not None:
        return ['-H "Content-Type: application/json"', f"-d {shlex.quote(as_json(body))}"]
    if sent := file_sent(path, operation):
        name, media = sent
        return [f'-H "Content-Type: {media}"', f"--data-binary @{name}"]
    return []


# Python


def python(openapi, path, method, operation):
    """Return the request as a Python program.

    It uses our client, and for public pages the standard library.
    """
    if not is_below_root(path):
        return _with_urllib(path, method)
    return f"from eventapi.client import Client\n\napi = Client()\n{_with_client(openapi, path, method, operation)}"


def _with_urllib(path, method):
    data = ', data=b""' if method == "post" else ""
    return (
        "import os\nfrom urllib.request import urlopen\n\n"
        f'with urlopen(os.environ["EVENTAPI_URL"] + "{address(path)}"{data}) as response:\n'
        "    print(response.read().decode())"
    )


def _with_client(openapi, path, method, operation):
    """Return the lines of a request with our client."""
    body = example_of(operation)
    arguments = [f'"{address(path).removeprefix(ROOT)}"']
    if body is not None:
        arguments.append(literal(body))
    sent, received = file_sent(path, operation), file_received(path, operation)
    arguments += [f'"{name}"' for name in ((sent or [None])[0], received) if name]
    arguments += [
        f"{name}={value!r}" for name, value in query(openapi, path, method, operation).items()
    ]
    arguments += ['method="POST"'] if sent and method == "post" else []
    verb = _verb(openapi, method, operation, sent, received)
    call = f"api.{verb}({', '.join(arguments)})"
    if received or method == "delete":
        return call
    return _printed(openapi, operation, call, verb)


def _verb(openapi, method, operation, sent, received):
    """Return the method of our client that sends the request."""
    if sent or received:
        return "upload" if sent else "download"
    if method != "get":
        return method
    if is_list(operation):
        return "list"
    media = success(operation)[1].get("content", {}).get("application/json", {})
    data = resolved(media.get("schema", {}), openapi).get("properties", {}).get("data", {})
    return "page" if resolved(data, openapi).get("type") == "array" else "get"


def _printed(openapi, operation, call, verb):
    """Return the call with a line that prints its result, or each record of it."""
    schema = data_of(openapi, operation)
    name = variable(schema, operation)
    text = f'{name}["id"]' if "id" in schema.get("properties", {}) else name
    if verb in ("list", "page"):
        return f"for {name} in {call}:\n    print({text})"
    return f"{name} = {call}\nprint({text})"


def variable(schema, operation):
    """Return a name for the record of a response: that of its schema, or `result`."""
    title = schema.get("title", "").removesuffix("ListItem") if schema.get("properties") else ""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", title.replace(" ", "")).lower() or "result"


def literal(value):
    """Return a value as a Python literal, with short arrays and objects on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # a string of JSON is one of Python, too
    if not isinstance(value, (dict, list)):
        return repr(value)
    inner = (
        [literal(part) for part in value]
        if isinstance(value, list)
        else [f"{literal(name)}: {literal(part)}" for name, part in value.items()]
    )
    ends = "[]" if isinstance(value, list) else "{}"
    flat = f"{ends[0]}{', '.join(inner)}{ends[1]}"
    if len(flat) <= 60 and "\n" not in flat:
        return flat
    lines = ",\n".join(inner).replace("\n", "\n    ")
    return f"{ends[0]}\n    {lines},\n{ends[1]}"
