"""Sections of the reference about no single resource: events, placeholders, formats, scopes, and
errors.
"""

import json
from html import escape

from eventapi.app import routes
from eventapi.domain.access.api_keys import NARROW_SCOPES
from eventapi.domain.attachments import placeholders
from eventapi.errors import CODES
from eventapi.pages.reference import fields
from eventapi.pages.reference.operations import GENERAL, SHARED
from eventapi.pages.reference.schemas import resolved
from eventapi.pages.reference.texts import as_json, paragraphs, permalink, prose, sample
from eventapi.reference.components import FORMAT_HINTS

# Values of x-scope that name no scope -> what the key needs.
ANY_OF = {
    "by_entity_type": "the scope of the record's kind",
    "any": "any scope",
    "none": "no scope",
    "all": "all scopes but links and settings, for reading",
}


# Events


def events(openapi, objects):
    """Return the section of the events that webhooks receive, those of one kind with the same
    message together.

    `objects` maps the title of each record to the name of its resource.
    """
    groups = {}
    for name, item in openapi["webhooks"].items():
        media = item["post"]["requestBody"]["content"]["application/json"]
        key = (
            name.partition(".")[0],
            json.dumps(resolved(media["schema"], openapi)["properties"]["data"]),
        )
        groups.setdefault(key, []).append((name, item["post"], media))
    return (
        f'<section id="event-types"><h2>Events of webhooks</h2>{EVENTS}'
        f"{''.join(_event_group(openapi, objects, entries) for entries in groups.values())}</section>\n"
    )


def _event_group(openapi, objects, entries):
    """Return events with the same message.

    `entries` are tuples of (type, operation, media type object).
    """
    first, operation, media = entries[0]
    names = " ".join(f"<code>{escape(entry[0])}</code>" for entry in entries)
    links = "".join(
        f'<li id="event-{name}">{permalink(f"event-{name}", name)}</li>' for name, *_ in entries
    )
    data = resolved(resolved(media["schema"], openapi)["properties"]["data"], openapi)
    if data["title"] in objects:
        about = f'<p>Those of <a href="#object-{objects[data["title"]]}">{escape(data["title"])}</a>.</p>'
    else:
        about = fields.listed(data, openapi, f"message-{first}", is_sent=False)
    return (
        f'<details class="op event"><summary><h3>{names}</h3></summary><div class="in"><div class="about">'
        f'<ul class="names">{links}</ul>{paragraphs(operation["description"])}'
        f"<h4>Fields of <code>data</code></h4>{about}</div>"
        f'<div class="samples">{sample("Body", as_json(media["example"]))}</div></div></details>'
    )


EVENTS = """\
<p>A webhook receives each event as a POST request with the body <code>{"type", "timestamp", "data"}</code>.
<a href="#create_webhook">Create a webhook</a> describes headers and signatures. <code>data</code> is null once the
record was anonymised. The same messages are in <code>webhooks</code> of <a href="openapi.json">openapi.json</a>.</p>
"""


# Placeholders


def placeholder_list():
    """Return the section of the placeholders that templates of documents may contain."""
    entries = [
        (entry["placeholder"].strip("{}"), entry["description"]) for entry in placeholders.listed()
    ]
    rows = [
        (f'<code id="placeholder-{name}">{{{{{name}}}}}</code>', prose(text))
        for name, text in entries
    ]
    return (
        '<section id="placeholders"><h2>Placeholders of templates</h2><p>The <code>body</code> of a '
        '<a href="#document-templates">document template</a> may contain these names. A document that is made from '
        f"it contains the values of its record; <code>{placeholders.GAP}</code> replaces a missing one.</p>"
        f"{_table('Placeholders', ('placeholder', 'value'), rows)}</section>\n"
    )


# Formats


def formats():
    """Return the list of the formats that fields and parameters have."""
    entries = "".join(
        f'<div id="format-{name}"><dt>{permalink(f"format-{name}", name)}</dt><dd>{prose(text)}</dd></div>'
        for name, text in sorted(FORMAT_HINTS.items())
    )
    return f'<section id="formats"><h2>Formats</h2><dl class="fields">{entries}</dl></section>\n'


# Scopes and flags

# Flags of pages that no operation of the API belongs to -> these pages
OF_PAGES = {
    "door": "the pages of an entrance, at <code>/door</code>",
    "desk": "the pages of the office, at <code>/desk</code>",
}


def access(openapi):
    """Return the table of all scopes and flags."""
    found = {}
    for path, operations in openapi["paths"].items():
        for operation in operations.values():
            if operation.get("x-scope"):
                key = operation["x-scope"], operation.get("x-flag")
                found.setdefault(key, {})[operation["tags"][0]] = path
    order = sorted(found, key=lambda key: (key[0] in ANY_OF, list(found).index(key)))
    first = {scope: flag for scope, flag in reversed(order)}
    rows = [
        (
            _scope(scope, first[scope] == flag),
            ", ".join(f'<a href="#{tag}">{tag}</a>' for tag in found[scope, flag]),
            f"<code>{escape(flag)}</code>" if flag else "",
        )
        for scope, flag in order
    ]
    rows += [
        (f'<code id="scope-{scope}">{scope}</code>', ", ".join(_narrow(scope)), "")
        for scope in NARROW_SCOPES
    ]
    rows += [("none", text, f"<code>{flag}</code>") for flag, text in OF_PAGES.items()]
    return (
        '<section id="scopes"><h2>Scopes and flags</h2><p>A key with the scope <code>events</code> reads and '
        "writes, one with <code>events:read</code> only reads. A flag is a feature that the organiser can disable "
        "with <code>eventapi flag disable NAME</code>; its requests return 403 "
        f"{permalink('problem-feature_disabled', 'feature_disabled')} then.</p>"
        f"{_table('Scopes and flags', ('scope', 'resources', 'flag'), rows)}</section>\n"
    )


def _scope(scope, is_first):
    if scope in ANY_OF:
        return ANY_OF[scope]
    place = f' id="scope-{scope}"' if is_first else ""
    return f"<code{place}>{scope}</code>, <code>{scope}:read</code>"


def _narrow(scope):
    """Yield a link to each operation that a key with a narrow scope may request."""
    for route in routes():
        if scope in route.options.narrow_scopes:
            yield permalink(route.handler.__name__, f"{route.method} {route.path}")


# Errors


def errors():
    """Return the section of all problem codes: the general ones, and those that operations list
    themselves.
    """
    general = "".join(
        f"<h3>{prose(when[0].upper() + when[1:])}</h3>{_codes(codes)}"
        for when, codes in GENERAL.items()
    )
    return (
        f'<section id="errors"><h2>Errors</h2>{ERRORS}{general}<h3>Errors that operations list</h3>'
        f"{_codes(code for code in CODES if code not in SHARED)}</section>\n"
    )


def _codes(codes):
    return (
        '<dl class="fields">'
        + "".join(
            f'<div id="problem-{code}"><dt>{permalink(f"problem-{code}", code)} <span class="kind">{CODES[code][0]} '
            f"{escape(CODES[code][1])}</span></dt><dd>{prose(CODES[code][2])}</dd></div>"
            for code in sorted(codes, key=lambda code: (CODES[code][0], code))
        )
        + "</dl>"
    )


ERRORS = """\
<p>The <code>type</code> of a problem document leads to the page of its code, such as
<a href="problems/in_use">/problems/in_use</a>. Operations list only the errors of their own; the others apply to many.
A request whose address or headers are too long gets 414 or 431 from the server, without a problem document.</p>
"""


def _table(caption, heads, rows):
    """Return a table. `rows` are tuples of HTML; the first cell names the row."""
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    columns = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return f"<table><caption>{caption}</caption><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
