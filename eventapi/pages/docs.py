"""GET /docs: the API reference as one HTML page, generated from the OpenAPI document. GET / redirects to it."""
import json
from functools import lru_cache
from html import escape

from eventapi.errors import CODES
from eventapi.pages import Page, page, policy, reference
from eventapi.reference.document import document
from eventapi.web.rest import Response, base_url
from eventapi.web.routes import Routes

routes = Routes("docs", root="", public=True)
ADDRESS = "https://YOUR-SERVER"         # without the option base_url


@routes.get("/", forms=("text/html",), status=302)
def get_root():
    """Redirect to the reference."""
    headers = {"Location": f"{base_url()}/docs", "Content-Security-Policy": policy("")}
    return Response(status=302, headers=headers, body=b"")


@routes.get("/docs", forms=("text/html",))
def get_docs(config):
    """Return the reference: every endpoint, field and error."""
    return _page(config.base_url).response()


@lru_cache(maxsize=4)
def _page(base_url):
    """Return the Page. It does not depend on the request, so that it is made once."""
    openapi = document(base_url)
    sections = [(tag, operations_of(openapi, tag["name"])) for tag in openapi["tags"]]
    links = "".join(f'<li><a href="#{tag["name"]}">{tag["name"]}</a></li>' for tag, _ in sections)
    parts = "".join(reference.resource(openapi, tag, found) for tag, found in sections)
    body = (f'<nav><a href="#start"><b>{escape(openapi["info"]["title"])}</b></a> '
            f'<span class="quiet">{openapi["info"]["version"]}</span>'
            f'<div id="search"></div><ul>{links}<li><a href="#event-types">events of webhooks</a></li>'
            '<li><a href="#errors">errors</a></li></ul>'
            '<p><a href="openapi.json">openapi.json</a></p></nav>\n'
            f'<main>{start(base_url or ADDRESS)}{parts}{reference.events(openapi)}{errors()}</main>')
    return Page(*page("eventapi API reference", body, style=STYLE, script=SCRIPT)).compressed()


def operations_of(openapi, tag):
    """Return (path, method, operation) for each operation of one resource."""
    return [(path, method, operation) for path, methods in openapi["paths"].items()
            for method, operation in methods.items() if tag in operation["tags"]]


def start(address):
    """Return the introduction as HTML. `address` is the base address of the service."""
    problem = {"type": f"{address}/problems/validation_failed", "title": "Validation failed", "status": 422,
               "detail": "The request has one fault; see `errors`.", "code": "validation_failed",
               "errors": [{"pointer": "/title", "code": "required", "detail": "is required"}],
               "meta": {"request_id": "req_…"}}
    return START.format(address=escape(address), problem=escape(json.dumps(problem, indent=2, ensure_ascii=False)))


def errors():
    """Return the table of all problem codes as HTML."""
    rows = "".join(f'<tr><td><code>{code}</code></td><td>{status}</td><td>{reference.prose(text)}</td></tr>'
                   for code, (status, _, text) in sorted(CODES.items(), key=lambda entry: (entry[1][0], entry[0])))
    return f'<section id="errors"><h2>Errors</h2><div class="wide"><table>{rows}</table></div></section>'


START = """\
<section id="start"><h1>API reference</h1>
<p>The base address is <code>{address}/api/v1</code>.</p>
<h3>Authentication</h3>
<p>Send an API key with every request. A key has scopes: <code>events</code> allows reading and writing,
<code>events:read</code> only reading. Some resources also require a feature that the organiser has enabled.</p>
<pre>curl -H "Authorization: Bearer $KEY" {address}/api/v1/events</pre>
<h3>Responses</h3>
<p>A response is <code>{{"data": …, "meta": {{"request_id": "…"}}}}</code>. <code>data</code> is an object, or an
array in a list. Status 201 has a <code>Location</code> header. Status 204 has no body. The server writes the value of
<code>X-Request-ID</code> to its log; send your own value to trace a request. With <code>Prefer:
return=minimal</code>, a write returns only the id and the timestamps.</p>
<h3>Request bodies</h3>
<p>Send JSON with <code>Content-Type: application/json</code>. POST creates a record. PUT requires the fields
that its schema marks as required, which are fewer than those of POST; PATCH requires any one field. Both leave fields
that you do not send unchanged. Read-only fields are ignored, so you can send a record back as you read it; a request
with only read-only fields changes nothing. Unknown fields are an error.</p>
<h3>Lists</h3>
<p>Use <code>page</code> and <code>per_page</code> (at most 100) for pages, <code>sort</code> and <code>order</code>
for the order. <code>meta</code> contains <code>total</code> and <code>total_pages</code>; the <code>Link</code>
header contains the neighbouring pages. To read a long list completely, send an empty <code>after=</code> first, then
the value of <code>meta.next</code> as <code>after</code>, until <code>meta.next</code> is null. A cursor belongs to
its list, sort and order, and is not combined with <code>page</code>. A parameter that is a list is separated by commas
(<code>include=a,b</code>) or repeated. Every list accepts
<code>updated_since</code> and <code>ids</code>. With <code>Accept: text/csv</code>, a list returns all its records as
a table. Parts of a record are columns such as <code>due_date.days</code>. The values of an array are joined with
<code>|</code>; a <code>|</code> or backslash inside a value has a backslash before it. An apostrophe before a text
keeps spreadsheet programs from running it as a formula. An import undoes both.</p>
<h3>Timestamps and amounts</h3>
<p>Timestamps are in UTC, such as <code>2026-11-20T17:30:00Z</code>; you may send any offset. Dates look like
<code>2026-05-01</code>. Amounts are numbers in the major unit of the currency, with as many decimals as the currency
has.</p>
<h3>Errors</h3>
<p>An error is a problem document (RFC 9457). The meaning of its <code>code</code> never changes. For invalid input,
<code>errors</code> lists all faults at once.</p>
<pre>{problem}</pre>
<h3>Repeated requests and concurrent changes</h3>
<p>Send <code>Idempotency-Key</code> with a POST to make it safe to retry for 24 hours: the server executes the
request once and returns the first response again. Secrets that are shown only once are left out of the repeated
response; rotate the secret if you did not receive it. A single record has an <code>ETag</code>, which POST, PUT and
PATCH return too, so that you can continue without reading the record again. Send it as
<code>If-None-Match</code> to receive 304 if the record has not changed. Send it as <code>If-Match</code> with PUT,
PATCH or DELETE to change the record only if it is still as you read it; otherwise the status is 412.</p></section>
"""

STYLE = """\
nav{padding:1rem;border-bottom:1px solid var(--line);background:var(--shade)}nav ul{list-style:none;margin:.6rem 0;
padding:0;display:flex;
flex-wrap:wrap;gap:.1rem .9rem}nav p{margin:.3rem 0}nav input{width:100%;font:inherit;padding:.4rem .6rem;
margin-top:.6rem;
border:1px solid var(--line);border-radius:6px;background:var(--paper);color:inherit}
@media(min-width:60rem){body{display:grid;grid-template-columns:15rem minmax(0,1fr)}nav{position:sticky;top:0;
height:100vh;overflow:auto;
border:0;border-right:1px solid var(--line)}nav ul{display:block}main{margin:0;padding-left:2.5rem}}
section{border-top:1px solid var(--line);padding-bottom:1rem}section:first-child{border:0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.4rem 0;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
td:first-child{white-space:nowrap}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:0 .7rem}
details[open]{padding-bottom:.7rem}
summary{cursor:pointer;padding:.4rem 0}summary code{font-weight:600}summary .quiet{margin-left:.5rem}
.get{color:var(--get)}.post{color:var(--post)}.put,.patch{color:var(--put)}.delete{color:var(--delete)}
.mark{font-size:.8rem;border:1px solid var(--line);border-radius:4px;padding:0 .3rem;margin-left:.3rem;
white-space:nowrap}
@media(max-width:40rem){.wide table,.wide tr,.wide td{display:block}.wide tr{border-bottom:1px solid var(--line);
padding:.3rem 0}
.wide td{border:0;padding:0}.wide th{display:none}}
[hidden]{display:none}
"""

# Hides sections and endpoints that do not contain all search words. Without JavaScript, the page shows everything.
SCRIPT = """\
const field = document.createElement("input");
field.type = "search"; field.placeholder = "Search"; field.setAttribute("aria-label", "Search");
document.getElementById("search").append(field);
const parts = [...document.querySelectorAll("section")].map(section => ({section,
  text: section.textContent.toLowerCase(),
  details: [...section.querySelectorAll("details")].map(part => [part, part.textContent.toLowerCase()])}));
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = text => words.every(word => text.includes(word));
  for (const {section, text, details} of parts) {
    section.hidden = !has(text);
    const some = details.some(([, text]) => has(text));
    for (const [part, text] of details) part.hidden = some && !has(text);
  }
});
"""
