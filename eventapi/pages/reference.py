"""One resource of the OpenAPI document as HTML: fields, states, endpoints with parameters, examples and errors."""
import json
import re
from html import escape

LIMITS = {"minLength": "at least {} characters", "maxLength": "at most {} characters",
          "minimum": "≥ {}", "exclusiveMinimum": "> {}", "maximum": "≤ {}", "exclusiveMaximum": "< {}",
          "minItems": "at least {} items", "maxItems": "at most {} items", "multipleOf": "a multiple of {}"}
METHODS = ("get", "post", "put", "patch", "delete")
HEADERS = {"Idempotency-Key", "If-Match", "If-None-Match", "Prefer"}       # explained once, in START


def resource(whole, tag, operations):
    needs = sorted({needed(operation) for _, _, operation in operations} - {""})
    operations = sorted(operations, key=lambda entry: (
        entry[0].count("/") + entry[0].count("{"), METHODS.index(entry[1])))
    main = record(whole, operations)
    return (f'<section id="{tag["name"]}"><h2>{escape(tag["name"])}</h2><p>{prose(tag["description"])}</p>'
            f'{"".join(f"<p class=quiet>{need}</p>" for need in needs[:1] if len(needs) == 1)}'
            f'{fields(whole, operations, main)}{transitions(tag)}'
            f'{"".join(endpoint(whole, main, *entry, alone=len(needs) > 1) for entry in operations)}</section>\n')


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


def record(whole, operations):
    """Return the schema of the resource's record: the response of reading one by id."""
    reads = sorted(("{" not in path, path, operation["operationId"], operation)
                   for path, method, operation in operations if method == "get")
    return next((schema for *_, operation in reads if (schema := data_schema(whole, operation)).get("properties")), {})


def fields(whole, operations, main):
    """Return the table of the record's fields. Fields that creation requires are marked."""
    create = next((schema for path, method, operation in operations if method == "post" and "{" not in path
                   if (schema := body_of(whole, operation))), {})
    properties = {**main.get("properties", {}), **create.get("properties", {})}
    return fields_table("Fields", {**create, "properties": properties}, whole)


def data_schema(whole, operation):
    """Return the schema of `data` in the response; for a list, that of one record."""
    content = next(iter(operation["responses"].values())).get("content", {}).get("application/json", {})
    data = content.get("schema", {}).get("properties", {}).get("data", {})
    return resolved(data.get("items", data), whole)


def body_of(whole, operation):
    """Return the schema of the JSON request body."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return resolved(content.get("schema", {}), whole)


def resolved(schema, whole):
    """Return the schema that a `$ref` refers to, with the other keywords beside it."""
    while "$ref" in schema:
        schema = {**whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]],
                  **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def fields_table(caption, schema, whole):
    rows = "".join(field_rows(schema, whole, "", 0))
    if not rows:
        return ""
    return f'<details><summary><b>{caption}</b></summary><div class="wide"><table>{rows}</table></div></details>'


def field_rows(schema, whole, prefix, depth):
    for name, sub in schema.get("properties", {}).items():
        sub = resolved(sub, whole)
        is_marked = {"required": name in schema.get("required", ()), "read-only": sub.get("readOnly"),
                     "write-only": sub.get("writeOnly")}
        marks = "".join(f"<span class=mark>{word}</span>" for word, is_set in is_marked.items() if is_set)
        yield (f"<tr><td><code>{escape(prefix + name)}</code>{marks}</td>"
               f'<td>{kind(sub, whole)}</td><td>{prose(sub.get("description", ""))}</td></tr>')
        items = resolved(sub.get("items", {}), whole)
        if depth < 3:
            yield from field_rows(sub, whole, f"{prefix}{name}.", depth + 1)
            yield from field_rows(items, whole, f"{prefix}{name}[].", depth + 1)


def kind(schema, whole):
    """Describe type, format, allowed values and limits of a value."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds and "items" in schema:
        items = resolved(schema["items"], whole)
        inner = "objects" if items.get("properties") else kind(items, whole)
        kinds = [f"array of {inner}" if word == "array" else word for word in kinds]
    said = [" or ".join(kinds)] if kinds else []
    if schema.get("format"):
        said.append(escape(schema["format"]))
    if "enum" in schema:
        said.append("one of " + ", ".join(f"<code>{escape(str(word))}</code>" for word in schema["enum"]
                                          if word is not None))
    said += [text.format(schema[key]) for key, text in LIMITS.items()
             if key in schema and (key, schema[key]) != ("minLength", 1)]
    if schema.get("minLength") == 1:
        said.append("not empty")
    if schema.get("default") is not None and schema["default"] != []:
        said.append(f'default <code>{escape(json.dumps(schema["default"], ensure_ascii=False))}</code>')
    return ", ".join(said)


def transitions(tag):
    """Return the state tables of a resource as HTML."""
    tables = tag.get("x-transitions", {})
    return "".join(
        f'<details><summary><b>States of the {escape(noun.replace("_", " "))}</b></summary><div class="wide"><table>'
        "<tr><th>action</th><th>from</th><th>to</th></tr>" + "".join(
            f'<tr><td>{escape(action)}</td><td>{escape(", ".join(move["from"]) or "none")}</td>'
            f'<td>{escape(move["to"] or "unchanged")}</td></tr>'
            for action, move in table.items()) + "</table></div></details>" for noun, table in tables.items())


def endpoint(whole, main, path, method, operation, *, alone):
    """Return one endpoint as HTML. `alone`: show its scope, since the endpoints of the resource differ in it."""
    parts = [f'<p>{prose(operation.get("description", ""))}</p>' if operation.get("description") else "",
             f"<p class=quiet>{needed(operation)}</p>" if alone else "",
             parameters(operation, whole), body(operation, whole), responses(operation, whole, main),
             problems(operation, whole)]
    return (f'<details id="{operation["operationId"]}"><summary><code class="{method}">{method.upper()}</code> '
            f'<code>{escape(path)}</code><span class="quiet">{prose(operation["summary"])}</span></summary>'
            f'{"".join(parts)}</details>')


def parameters(operation, whole):
    """Return the parameters of an operation as HTML. Headers that many operations accept are only listed."""
    rows = "".join(
        f'<tr><td><code>{escape(entry["name"])}</code>'
        f'{"<span class=mark>required</span>" if entry.get("required") else ""}</td>'
        f'<td>{kind(entry["schema"], whole)}</td><td>{prose(entry.get("description", ""))}</td></tr>'
        for entry in operation.get("parameters", ()) if entry["name"] not in HEADERS and entry["in"] != "path")
    taken = [f'<code>{entry["name"]}</code>' for entry in operation.get("parameters", ()) if entry["name"] in HEADERS]
    return ((f'<h3>Parameters</h3><div class="wide"><table>{rows}</table></div>' if rows else "")
            + (f'<p class="quiet">Accepts the headers {", ".join(taken)}.</p>' if taken else ""))


def body(operation, whole):
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return ""
    media = content.get("application/json")
    if media is None:
        return f'<h3>Request body</h3><p>The content of the file, as {escape(" or ".join(content))}.</p>'
    table = fields_table("Fields", resolved(media["schema"], whole), whole)
    return f'<h3>Request body</h3>{table}{shown(media.get("example"))}'


def responses(operation, whole, main):
    """Return the response as HTML. Its fields are listed only if they differ from those of the record."""
    status, response = next(iter(operation["responses"].items()))
    content = response.get("content", {})
    others = [f"<code>{escape(form)}</code>" for form in content if form != "application/json"]
    data = data_schema(whole, operation)
    is_record = data.get("title", data) == main.get("title", main)
    return (f'<h3>Response</h3><p>{status}: {prose(response["description"])}'
            f'{" Also available with <code>Accept</code>: " + ", ".join(others) + "." if others else ""}</p>'
            + ("" if is_record else fields_table("Response fields", data, whole))
            + shown(content.get("application/json", {}).get("example")))


def shown(example):
    return "" if example is None else f"<pre>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</pre>"


def problems(operation, whole):
    codes = [code for response in operation["responses"].values() if "$ref" in response
             for code in whole["components"]["responses"][response["$ref"].rpartition("/")[2]]["x-codes"]]
    listed = ", ".join(f'<a href="problems/{code}"><code>{code}</code></a>' for code in codes)
    return f'<h3>Errors</h3><p>{listed}</p>' if codes else ""
