"""GET /problems and /problems/{code}: the pages that the `type` of a problem document links to."""

from html import escape

from eventapi.errors import CODES, not_found
from eventapi.pages.reference.texts import prose
from eventapi.web.pages import cached, page
from eventapi.web.routes import Routes

routes = Routes("problems", root="", public=True)


@routes.get("/problems", forms=("text/html",))
def list_problems():
    """Return a page that lists all problem codes."""
    entries = "".join(
        f'<dt><a href="problems/{code}"><code>{code}</code></a> {status}</dt><dd>{prose(text)}</dd>'
        for code, (status, _, text) in sorted(
            CODES.items(), key=lambda entry: (entry[1][0], entry[0])
        )
    )
    return cached(
        *page(
            "Errors",
            "<main><h1>Errors</h1>"
            "<p>Every error is a problem document (RFC 9457) with one of these "
            f'codes. <a href="docs">API reference</a></p><dl>{entries}</dl></main>',
        )
    )


@routes.get("/problems/<code>", forms=("text/html",))
def get_problem(code):
    """Return the page of one problem code: its meaning and its remedy."""
    if code not in CODES:
        raise not_found("error code", code)
    status, title, text = CODES[code]
    body = (
        f"<main><h1>{escape(title)}</h1><p><code>{code}</code>, status {status}</p><p>{prose(text)}</p>"
        '<p><a href="../problems">All errors</a> · <a href="../docs">API reference</a></p></main>'
    )
    return cached(*page(title, body))
