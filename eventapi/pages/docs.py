"""GET /docs: the reference for people, made from the OpenAPI document on one page. GET / leads there."""
import json
from functools import lru_cache
from html import escape

from bottle import request

from eventapi.errors import CODES
from eventapi.openapi import document
from eventapi.pages import cached, page, policy, reference
from eventapi.rest import Answer, base_url
from eventapi.routes import Routes

routes = Routes("docs", root="", public=True)


@routes.get("/", forms=("text/html",), status=302)
def get_root():
    """Leads to the reference."""
    return Answer(status=302, headers={"Location": f"{base_url()}/docs", "Content-Security-Policy": policy("")}, body=b"")


@routes.get("/docs", forms=("text/html",))
def get_docs():
    """The reference: every endpoint, member and error."""
    return cached(*_page(request.environ["eventapi.config"].base_url, base_url()))


@lru_cache(maxsize=4)
def _page(configured, address):
    whole = document(request.environ["eventapi.config"])
    sections = [(tag, operations_of(whole, tag["name"])) for tag in whole["tags"]]
    links = "".join(f'<li><a href="#{tag["name"]}">{tag["name"]}</a></li>' for tag, _ in sections)
    body = (f'<nav><a href="#start"><b>{escape(whole["info"]["title"])}</b></a> <span class="quiet">{whole["info"]["version"]}</span>'
            f'<div id="search"></div><ul>{links}<li><a href="#errors">errors</a></li></ul><p><a href="openapi.json">openapi.json</a></p></nav>\n'
            f'<main>{start(address)}{"".join(reference.resource(whole, tag, found) for tag, found in sections)}{errors()}</main>')
    return page("eventapi reference", body, style=STYLE, script=SCRIPT)


def operations_of(whole, tag):
    """(path, method, operation) of one resource."""
    return [(path, method, operation) for path, methods in whole["paths"].items() for method, operation in methods.items()
            if tag in operation["tags"]]


def start(address):
    problem = {"type": f"{address}/problems/validation_failed", "title": "Validation failed", "status": 422,
               "detail": "The request has one fault; see errors.", "code": "validation_failed",
               "errors": [{"pointer": "/title", "code": "required", "detail": "is required"}], "meta": {"request_id": "req_…"}}
    return START.format(address=escape(address), problem=escape(json.dumps(problem, indent=2, ensure_ascii=False)))


def errors():
    rows = "".join(f'<tr><td><code>{code}</code></td><td>{status}</td><td>{escape(text)}</td></tr>'
                   for code, (status, _, text) in sorted(CODES.items(), key=lambda entry: (entry[1][0], entry[0])))
    return f'<section id="errors"><h2>Errors</h2><div class="wide"><table>{rows}</table></div></section>'


START = """\
<section id="start"><h1>Reference</h1>
<p>All addresses begin with <code>{address}/api/v1</code>.</p>
<h3>Who is asking</h3>
<p>Every request carries an API key. A key has scopes: <code>events</code> reads and writes, <code>events:read</code> only reads. Some
resources also need a feature that is switched on.</p>
<pre>curl -H "Authorization: Bearer $KEY" {address}/api/v1/events</pre>
<h3>Answers</h3>
<p><code>{{"data": …, "meta": {{"request_id": "…"}}}}</code>, where data is an object, or an array in a list. 201 has a
<code>Location</code>; 204 has no body. <code>X-Request-ID</code> stands in the server's log; send your own to follow a request.
<code>Prefer: return=minimal</code> on a write answers only id and times.</p>
<h3>Bodies</h3>
<p>JSON, sent as <code>Content-Type: application/json</code>. POST creates, PUT wants the required members, PATCH any one; a member that is
not sent stays as it was. What is read-only is ignored, so that a record can be sent back as it was read; what is unknown is an error.</p>
<h3>Lists</h3>
<p><code>page</code> and <code>per_page</code> (up to 100), <code>sort</code> and <code>order</code>; <code>meta</code> has total and
total_pages, <code>Link</code> the neighbours. To walk all of a large list, send <code>after=</code> and then <code>meta.next</code> as
<code>after</code> until it is null. <code>updated_since</code> and <code>ids</code> work on every list, and
<code>Accept: text/csv</code> gives all of it as a table.</p>
<h3>Times and money</h3>
<p>Moments are UTC, as <code>2026-11-20T17:30:00Z</code>; you may send any offset. Days are <code>2026-05-01</code>. Money is a number with
the decimals of its currency.</p>
<h3>Errors</h3>
<p>A problem document (RFC 9457) with a <code>code</code> that never changes its meaning. <code>errors</code> names every fault at once.</p>
<pre>{problem}</pre>
<h3>Sending twice, changing at once</h3>
<p>A POST with <code>Idempotency-Key</code> may be repeated for 24 hours: it happens once, and the repetition gets the first answer;
only a secret that is shown once is not shown twice: rotate it. A record read alone has an <code>ETag</code>: send it as
<code>If-None-Match</code> to save reading, as <code>If-Match</code> on PUT, PATCH or DELETE to change only what you have seen (else 412).</p></section>
"""

STYLE = """\
nav{padding:1rem;border-bottom:1px solid var(--line);background:var(--shade)}nav ul{list-style:none;margin:.6rem 0;padding:0;display:flex;
flex-wrap:wrap;gap:.1rem .9rem}nav p{margin:.3rem 0}nav input{width:100%;font:inherit;padding:.4rem .6rem;margin-top:.6rem;
border:1px solid var(--line);border-radius:6px;background:var(--paper);color:inherit}
@media(min-width:60rem){body{display:grid;grid-template-columns:15rem minmax(0,1fr)}nav{position:sticky;top:0;height:100vh;overflow:auto;
border:0;border-right:1px solid var(--line)}nav ul{display:block}main{margin:0;padding-left:2.5rem}}
section{border-top:1px solid var(--line);padding-bottom:1rem}section:first-child{border:0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.4rem 0;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}
td:first-child{white-space:nowrap}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:0 .7rem}details[open]{padding-bottom:.7rem}
summary{cursor:pointer;padding:.4rem 0}summary code{font-weight:600}summary .quiet{margin-left:.5rem}
.get{color:var(--get)}.post{color:var(--post)}.put,.patch{color:var(--put)}.delete{color:var(--delete)}
.mark{font-size:.8rem;border:1px solid var(--line);border-radius:4px;padding:0 .3rem;margin-left:.3rem;white-space:nowrap}
@media(max-width:40rem){.wide table,.wide tr,.wide td{display:block}.wide tr{border-bottom:1px solid var(--line);padding:.3rem 0}
.wide td{border:0;padding:0}.wide th{display:none}}
[hidden]{display:none}
"""

# Hides what does not hold all the words. The page is complete without it.
SCRIPT = """\
const field = document.createElement("input");
field.type = "search"; field.placeholder = "Search"; field.setAttribute("aria-label", "Search");
document.getElementById("search").append(field);
const parts = [...document.querySelectorAll("section")].map(section => ({section, text: section.textContent.toLowerCase(),
  details: [...section.querySelectorAll("details")].map(part => [part, part.textContent.toLowerCase()])}));
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean), has = text => words.every(word => text.includes(word));
  for (const {section, text, details} of parts) {
    section.hidden = !has(text);
    const some = details.some(([, text]) => has(text));
    for (const [part, text] of details) part.hidden = some && !has(text);
  }
});
"""
