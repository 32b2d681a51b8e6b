"""GET /docs: the API reference as one HTML page, generated from the OpenAPI document.

GET / redirects to it.

GET /client.py: the Python client that its samples use.
"""

import json
from functools import lru_cache
from html import escape
from importlib.resources import files
from urllib.parse import quote

from eventapi.pages.guides import guides
from eventapi.pages.reference import sections
from eventapi.pages.reference.resources import resource, title_of
from eventapi.pages.reference.schemas import record
from eventapi.reference.document import UNKNOWN, document
from eventapi.web.pages import Page, page, policy
from eventapi.web.rest import Response, base_url
from eventapi.web.routes import Routes

routes = Routes("docs", root="", public=True)
TOPICS = {
    "start": "Introduction",
    "guides": "Guides",
    "authentication": "Authentication",
    "requests": "Requests",
    "lists": "Lists",
    "headers": "Headers",
    "formats": "Formats",
    "scopes": "Scopes and flags",
    "errors": "Errors",
    "event-types": "Events of webhooks",
    "placeholders": "Placeholders",
}


# start_page -> address of the page, where it is no show
OWN_PAGES = {"docs": "docs", "desk": "desk/"}


@routes.get("/", forms=("text/html",), status=302)
def get_root(db):
    """Redirect to the reference, to the desk, or to the show that the option `start_page` names."""
    start_page = db.config.start_page
    page = OWN_PAGES.get(start_page) or f"e/{quote(start_page)}"
    headers = {"Location": f"{base_url()}/{page}", "Content-Security-Policy": policy("")}
    return Response(status=302, headers=headers, body=b"")


@routes.get("/docs", forms=("text/html",))
def get_docs(config):
    """Return the reference: every endpoint, field and error."""
    return _page(config.base_url).response()


@routes.get("/client.py", forms=("text/plain",))
def get_client():
    """Return the Python client that the samples use: one file that needs only the standard library."""
    return _client().response()


@lru_cache(maxsize=1)
def _client():
    """Return the source of eventapi.client as a Page."""
    text = files("eventapi").joinpath("client.py").read_text(encoding="utf-8")
    return Page(text, {"Content-Type": "text/plain; charset=utf-8"}).compressed()


@lru_cache(maxsize=4)
def _page(base_url):
    """Return the Page. It does not depend on the request, so that it is made once."""
    openapi = document(base_url)
    operations = {tag["name"]: operations_of(openapi, tag["name"]) for tag in openapi["tags"]}
    # The messages of webhooks have a tag without paths: `sections.events` shows them.
    tags = {tag["name"]: tag for tag in openapi["tags"] if operations[tag["name"]]}
    objects = {record(openapi, operations[name]).get("title"): name for name in tags}
    groups = "".join(
        f'<h2 class="group">{escape(group["name"])}</h2>'
        + "".join(
            resource(openapi, tags[name], operations[name])
            for name in group["tags"]
            if name in tags
        )
        for group in openapi["x-tagGroups"]
    )
    parts = [
        start(base_url or UNKNOWN),
        guide_list(),
        sections.formats(),
        sections.access(openapi),
        groups,
        sections.events(openapi, objects),
        sections.placeholder_list(),
        sections.errors(),
    ]
    body = (
        f'<a class="skip" href="#main">Skip to the content</a>{navigation(openapi, tags)}\n'
        f'<main id="main" tabindex="-1">{"".join(parts)}</main>'
    )
    return Page(
        *page(
            "eventapi API reference",
            body,
            style=static("page.css"),
            script=static("page.js"),
            connects=True,
        )
    ).compressed()


def static(name):
    """Return the text of a file beside the package eventapi.pages.reference."""
    return files("eventapi.pages.reference").joinpath(name).read_text(encoding="utf-8")


def operations_of(openapi, tag):
    """Return (path, method, operation) for each operation of one resource."""
    return [
        (path, method, operation)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
        if tag in operation["tags"]
    ]


def navigation(openapi, tags):
    """Return the links to all topics and resources, grouped, and the choice of the language of
    samples.
    """
    groups = [
        ("Reference", TOPICS.items()),
        *(
            (
                group["name"],
                [(name, title_of(tags[name])) for name in group["tags"] if name in tags],
            )
            for group in openapi["x-tagGroups"]
        ),
    ]
    links = "".join(
        f"<h2>{escape(name)}</h2><ul>"
        + "".join(f'<li><a href="#{id}">{escape(title)}</a></li>' for id, title in entries)
        + "</ul>"
        for name, entries in groups
    )
    return (
        f'<header><p class="name"><a href="#start">{escape(openapi["info"]["title"])}</a> '
        f'<span class="quiet">{openapi["info"]["version"]} · <a href="openapi.json">openapi.json</a> · '
        '<a href="openapi-3.0.json">3.0</a> · <a href="docs/changelog">changelog</a></span></p>'
        f'<div id="search"></div>{LANGUAGES}'
        f'<details class="menu" open><summary>Contents</summary><nav aria-label="Contents">{links}</nav></details>'
        "</header>"
    )


# The style sheet hides the samples in the other language, so that the choice needs no script.
LANGUAGES = """\
<fieldset class="languages"><legend>Samples</legend>
<label><input type="radio" name="language" id="show-curl" checked> curl</label>
<label><input type="radio" name="language" id="show-python"> Python</label></fieldset>
"""


def guide_list():
    """Return the section of the guides. The search finds them by their titles, jobs and parts."""
    entries = "".join(
        f'<div id="guide-{guide.name}"><dt><a href="docs/guides/{guide.name}">{escape(guide.title)}</a></dt>'
        f'<dd>{escape(guide.job)}<br><span class="quiet">{escape(" · ".join(guide.parts))}</span></dd></div>'
        for guide in guides()
    )
    return f'<section id="guides"><h2>Guides</h2><dl class="fields">{entries}</dl></section>'


def start(address):
    """Return the introduction as HTML. `address` is the base address of the service."""
    problem = {
        "type": f"{address}/problems/validation_failed",
        "title": "Validation failed",
        "status": 422,
        "detail": "The request has one fault; see `errors`.",
        "code": "validation_failed",
        "errors": [{"pointer": "/title", "code": "required", "detail": "is required"}],
        "meta": {"request_id": "req_…"},
    }
    return (
        static("start.html")
        .replace("ADDRESS", escape(address))
        .replace("PROBLEM", escape(json.dumps(problem, indent=2, ensure_ascii=False), quote=False))
    )
