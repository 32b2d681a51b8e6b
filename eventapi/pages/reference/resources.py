"""One resource of the OpenAPI document as HTML: its record, states and operations."""

from html import escape

from eventapi.pages.reference import diagrams, fields
from eventapi.pages.reference.operations import Resource, operation_html
from eventapi.pages.reference.schemas import body_of, record
from eventapi.pages.reference.texts import in_words, paragraphs

METHODS = ("get", "post", "put", "patch", "delete")


def resource(openapi, tag, operations):
    """Return the section of a resource. `operations` are tuples of (path, method, operation)."""
    operations = sorted(
        operations,
        key=lambda entry: (entry[0].count("/") + entry[0].count("{"), METHODS.index(entry[1])),
    )
    main = record(openapi, operations)
    creation = next(
        (
            operation
            for path, method, operation in operations
            if method == "post"
            and "{" not in path
            and body_of(openapi, operation).get("properties")
        ),
        None,
    )
    shared = Resource(tag["name"], main, creation)
    return (
        f'<section id="{tag["name"]}"><h2>{escape(title_of(tag))}</h2>{paragraphs(tag["description"])}'
        f"{_object(openapi, shared)}{_states(tag)}"
        f"{''.join(operation_html(openapi, shared, *entry) for entry in operations)}</section>\n"
    )


def title_of(tag):
    """Return the name of a resource for readers."""
    return tag.get("x-displayName") or tag["name"].replace("-", " ").capitalize()


def place_of(schema):
    """Return the first part of the ids of a record's fields, such as `field-credit_note`."""
    return f"field-{in_words(schema['title']).replace(' ', '_')}"


def _object(openapi, shared):
    """Return the fields of the record, with those that only a request has.

    Creation says which are required.
    """
    if not shared.record:
        return ""
    create = body_of(openapi, shared.creation) if shared.creation else {}
    properties = {**create.get("properties", {}), **shared.record["properties"]}
    order = [
        *shared.record["properties"],
        *(name for name in properties if name not in shared.record["properties"]),
    ]
    schema = {
        "required": create.get("required", ()),
        "properties": {name: properties[name] for name in order},
    }
    return (
        f'<details class="box"><summary><h3>The object: {escape(in_words(shared.record["title"]))}</h3></summary>'
        f'<div id="object-{shared.name}">{fields.listed(schema, openapi, place_of(shared.record))}</div></details>'
    )


def _states(tag):
    """Return each state table of a resource as a picture and as a table."""
    return "".join(
        _machine(f"states-{tag['name']}-{noun}".replace(" ", "-"), noun.replace("_", " "), table)
        for noun, table in tag.get("x-transitions", {}).items()
    )


def _machine(id, noun, table):
    return (
        f'<details class="box" open><summary><h3>States of the {escape(noun)}</h3></summary><div id="{id}">'
        f"{diagrams.diagram(id, noun, table)}{_table(noun, table)}</div></details>"
    )


def _table(noun, table):
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(action)}</code></th>'
        f"<td>{escape(', '.join(move['from']) or 'never')}</td>"
        f"<td>{escape(move['to'] or 'unchanged')}</td></tr>"
        for action, move in table.items()
    )
    return (
        f"<details><summary>As a table</summary><table><caption>Actions of the {escape(noun)}</caption>"
        '<thead><tr><th scope="col">action</th><th scope="col">from</th><th scope="col">to</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></details>"
    )
