"""One resource of the OpenAPI document as HTML: fields, states, endpoints with parameters, examples and errors.

`openapi` is the whole document as a dict, `operations` are tuples of (path, method, operation) of the resource, and
`main` is the schema of its record.
"""
import json
import re
from html import escape

LIMITS = {"minLength": "at least {} characters", "maxLength": "at most {} characters",
          "minimum": "≥ {}", "exclusiveMinimum": "> {}", "maximum": "≤ {}", "exclusiveMaximum": "< {}",
          "minItems": "at least {} items", "maxItems": "at most {} items", "multipleOf": "a multiple of {}"}
METHODS = ("get", "post", "put", "patch", "delete")
HEADERS = {"Idempotency-Key", "If-Match", "If-None-Match", "Prefer"}       # docs.START explains them


def resource(openapi, tag, operations):
    """Return the section of a resource."""
    needs = sorted({needed(operation) for _, _, operation in operations} - {""})
    operations = sorted(operations, key=lambda entry: (
        entry[0].count("/") + entry[0].count("{"), METHODS.index(entry[1])))
    main = record(openapi, operations)
    return (f'<section id="{tag["name"]}"><h2>{escape(tag["name"])}</h2><p>{prose(tag["description"])}</p>'
            f'{"".join(f"<p class=quiet>{need}</p>" for need in needs[:1] if len(needs) == 1)}'
            f'{fields(openapi, operations, main)}{transitions(tag)}'
            f'{"".join(endpoint(openapi, main, *entry, alone=len(needs) > 1) for entry in operations)}</section>\n')


def prose(text):
    """Return a description as HTML, with words between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def needed(operation):
    """Return a sentence about the scope and feature that an operation requires, or ""."""
    scope, flag = operation.get("x-scope"), operation.get("x-flag")
    if not scope:
        return ""
    text = {"by_entity_type": "Requires the scope of the record's type", "any": "Requires an API key with any scope",
            "all": "Requires every scope, at least for reading",
            }.get(scope, f"Requires the scope <code>{escape(scope)}</code>")
    return text + (f" and the feature <code>{escape(flag)}</code>." if flag else ".")


def record(openapi, operations):
    """Return the schema of the resource's record: the response of reading one by id."""
    reads = sorted(("{" not in path, path, operation["operationId"], operation)
                   for path, method, operation in operations if method == "get")
    schemas = (data_schema(openapi, operation) for *_, operation in reads)
    return next((schema for schema in schemas if schema.get("properties")), {})


def fields(openapi, operations, main):
    """Return the table of the record's fields. Fields that creation requires are marked."""
    create = next((schema for path, method, operation in operations if method == "post" and "{" not in path
                   if (schema := body_of(openapi, operation))), {})
    properties = {**main.get("properties", {}), **create.get("properties", {})}
    return fields_table("Fields", {**create, "properties": properties}, openapi)


def data_schema(openapi, operation):
    """Return the schema of `data` in the response; for a list, that of one record."""
    content = next(iter(operation["responses"].values())).get("content", {}).get("application/json", {})
    data = content.get("schema", {}).get("properties", {}).get("data", {})
    return resolved(data.get("items", data), openapi)


def body_of(openapi, operation):
    """Return the schema of the JSON request body."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return resolved(content.get("schema", {}), openapi)


def resolved(schema, openapi):
    """Return the schema that a `$ref` refers to, with the other keywords beside it."""
    while "$ref" in schema:
        schema = {**openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]],
                  **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def fields_table(caption, schema, openapi):
    """Return the fields of an object as an HTML table that can be opened, or "" if it has none."""
    rows = "".join(field_rows(schema, openapi, "", 0))
    if not rows:
        return ""
    return f'<details><summary><b>{caption}</b></summary><div class="wide"><table>{rows}</table></div></details>'


def field_rows(schema, openapi, prefix, depth):
    """Yield a table row for each field of an object and, up to three levels deep, of its parts."""
    for name, sub in schema.get("properties", {}).items():
        sub = resolved(sub, openapi)
        is_marked = {"required": name in schema.get("required", ()), "read-only": sub.get("readOnly"),
                     "write-only": sub.get("writeOnly")}
        marks = "".join(f"<span class=mark>{word}</span>" for word, is_set in is_marked.items() if is_set)
        yield (f"<tr><td><code>{escape(prefix + name)}</code>{marks}</td>"
               f'<td>{kind(sub, openapi)}</td><td>{prose(sub.get("description", ""))}</td></tr>')
        items = resolved(sub.get("items", {}), openapi)
        if depth < 3:
            yield from field_rows(sub, openapi, f"{prefix}{name}.", depth + 1)
            yield from field_rows(items, openapi, f"{prefix}{name}[].", depth + 1)


def kind(schema, openapi):
    """Describe type, format, allowed values and limits of a value."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds and "items" in schema:
        items = resolved(schema["items"], openapi)
        inner = "objects" if items.get("properties") else kind(items, openapi)
        kinds = [f"array of {inner}" if word == "array" else word for word in kinds]
    texts = [" or ".join(kinds)] if kinds else []
    if schema.get("format"):
        texts.append(escape(schema["format"]))
    if "enum" in schema:
        words = [f"<code>{escape(str(word))}</code>" for word in schema["enum"] if word is not None]
        texts.append("one of " + ", ".join(words))
    texts += [text.format(schema[key]) for key, text in LIMITS.items()
              if key in schema and (key, schema[key]) != ("minLength", 1)]
    if schema.get("minLength") == 1:
        texts.append("not empty")
    if schema.get("default") is not None and schema["default"] != []:
        texts.append(f'default <code>{escape(json.dumps(schema["default"], ensure_ascii=False))}</code>')
    return ", ".join(texts)


def transitions(tag):
    """Return the state tables of a resource as HTML."""
    tables = tag.get("x-transitions", {})
    return "".join(
        f'<details><summary><b>States of the {escape(noun.replace("_", " "))}</b></summary><div class="wide"><table>'
        "<tr><th>action</th><th>from</th><th>to</th></tr>" + "".join(
            f'<tr><td>{escape(action)}</td><td>{escape(", ".join(move["from"]) or "none")}</td>'
            f'<td>{escape(move["to"] or "unchanged")}</td></tr>'
            for action, move in table.items()) + "</table></div></details>" for noun, table in tables.items())


def endpoint(openapi, main, path, method, operation, *, alone):
    """Return one endpoint as HTML. `alone`: show its scope, since the endpoints of the resource differ in it."""
    parts = [f'<p>{prose(operation.get("description", ""))}</p>' if operation.get("description") else "",
             f"<p class=quiet>{needed(operation)}</p>" if alone else "",
             parameters(operation, openapi), body(operation, openapi), responses(operation, openapi, main),
             problems(operation, openapi)]
    return (f'<details id="{operation["operationId"]}"><summary><code class="{method}">{method.upper()}</code> '
            f'<code>{escape(path)}</code>{"<span class=mark>deprecated</span>" if operation.get("deprecated") else ""}'
            f'<span class="quiet">{prose(operation["summary"])}</span></summary>'
            f'{"".join(parts)}</details>')


def parameters(operation, openapi):
    """Return the parameters of an operation as HTML. Headers that many operations accept are only listed."""
    rows = "".join(
        f'<tr><td><code>{escape(entry["name"])}</code>'
        f'{"<span class=mark>required</span>" if entry.get("required") else ""}</td>'
        f'<td>{kind(entry["schema"], openapi)}</td><td>{prose(entry.get("description", ""))}</td></tr>'
        for entry in operation.get("parameters", ()) if entry["name"] not in HEADERS and entry["in"] != "path")
    taken = [f'<code>{entry["name"]}</code>' for entry in operation.get("parameters", ()) if entry["name"] in HEADERS]
    return ((f'<h3>Parameters</h3><div class="wide"><table>{rows}</table></div>' if rows else "")
            + (f'<p class="quiet">Accepts the headers {", ".join(taken)}.</p>' if taken else ""))


def body(operation, openapi):
    """Return the request body of an operation as HTML."""
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return ""
    media = content.get("application/json")
    if media is None:
        return f'<h3>Request body</h3><p>The content of the file, as {escape(" or ".join(content))}.</p>'
    table = fields_table("Fields", resolved(media["schema"], openapi), openapi)
    return f'<h3>Request body</h3>{table}{shown(media.get("example"))}'


def responses(operation, openapi, main):
    """Return the response as HTML. Its fields are listed only if they differ from those of the record."""
    status, response = next(iter(operation["responses"].items()))
    content = response.get("content", {})
    others = [f"<code>{escape(form)}</code>" for form in content if form != "application/json"]
    data = data_schema(openapi, operation)
    is_record = data.get("title", data) == main.get("title", main)
    return (f'<h3>Response</h3><p>{status}: {prose(response["description"])}'
            f'{" Also available with <code>Accept</code>: " + ", ".join(others) + "." if others else ""}</p>'
            + ("" if is_record else fields_table("Response fields", data, openapi))
            + shown(content.get("application/json", {}).get("example")))


def events(openapi):
    """Return the section of the events that webhooks receive, those of one kind with the same message together."""
    groups = {}
    for name, item in openapi["webhooks"].items():
        media = item["post"]["requestBody"]["content"]["application/json"]
        key = name.partition(".")[0], json.dumps(media["schema"]["properties"]["data"])
        groups.setdefault(key, []).append((name, item["post"], media))
    return (f'<section id="event-types"><h2>events of webhooks</h2>{EVENTS}'
            f'{"".join(event_group(openapi, entries) for entries in groups.values())}</section>\n')


def event_group(openapi, entries):
    """Return events with the same message as HTML. `entries` are tuples of (type, operation, media type object)."""
    name, operation, media = entries[0]
    names = " ".join(f"<code>{escape(entry[0])}</code>" for entry in entries)
    data = resolved(media["schema"]["properties"]["data"]["anyOf"][0], openapi)
    return (f'<details id="event-{name}"><summary>{names}</summary><p>{prose(operation["description"])}</p>'
            f'{fields_table("Fields of data", data, openapi)}{shown(media["example"])}</details>')


EVENTS = """\
<p>A webhook receives each event as a POST request with the body <code>{"type", "timestamp", "data"}</code>.
<a href="#create_webhook">Create a webhook</a> describes headers and signatures. <code>data</code> is null once the
record was anonymised. The same messages are in <code>webhooks</code> of the OpenAPI document.</p>
"""


def shown(example):
    """Return an example as HTML."""
    return "" if example is None else f"<pre>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</pre>"


def problems(operation, openapi):
    """Return the problem codes of an operation as HTML."""
    codes = [code for response in operation["responses"].values() if "$ref" in response
             for code in openapi["components"]["responses"][response["$ref"].rpartition("/")[2]].get("x-codes", ())]
    listed = ", ".join(f'<a href="problems/{code}"><code>{code}</code></a>' for code in codes)
    return f'<h3>Errors</h3><p>{listed}</p>' if codes else ""
