"""Web pages for people: plain HTML that works without JavaScript and on small screens."""

import base64
import gzip
import zlib
from hashlib import sha256
from html import escape

from bottle import request

from eventapi.languages import choice
from eventapi.web import client
from eventapi.web.compression import GZIP_FORMAT
from eventapi.web.rest import Response, accepts_gzip, base_url, etag, is_known

STYLE = """\
:root{color-scheme:light dark;--ink:#1b2330;--quiet:#5b6675;--paper:#fff;--shade:#f3f5f8;--line:#d9dfe7;
--edge:#7d8898;--mark:#fff3bf;--link:#0b57b0;
--get:#0b6b4f;--post:#0b57b0;--put:#8a5a00;--delete:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e5e9ef;--quiet:#a0abba;--paper:#12161c;--shade:#1b212a;--line:#303946;
--edge:#76839a;--mark:#4a3f12;--link:#86b7ff;
--get:#5fd3ae;--post:#86b7ff;--put:#e6b45a;--delete:#ff9a92}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:break-word}
a{color:var(--link)}h1,h2,h3{line-height:1.25}h1{font-size:1.7rem;margin:.2rem 0 1rem}h2{margin:2.5rem 0 .5rem;
font-size:1.35rem}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}code,pre{font:.9em/1.5 ui-monospace,monospace}p{margin:.5rem 0}
pre{background:var(--shade);border:1px solid var(--line);border-radius:6px;padding:.7rem;overflow-x:auto;
margin:.5rem 0}
main{max-width:62rem;margin:0 auto;padding:1.2rem 1rem 4rem}.quiet{color:var(--quiet)}
"""

NOT_FOUND = {
    "en": (
        "Page not found",
        "There is no page at this address. Check it for typing errors. If you followed a link, it "
        "may no longer be valid: ask its sender for a new one.",
        "API reference",
    ),
    "de": (
        "Seite nicht gefunden",
        "Unter dieser Adresse gibt es keine Seite. Bitte prüfen Sie sie auf Tippfehler. "
        "Wenn Sie einem Link gefolgt sind, gilt er vielleicht nicht mehr: Bitten Sie den "
        "Absender um einen neuen.",
        "API-Referenz",
    ),
}


def page(
    title: str,
    body: str,
    *,
    style: str = "",
    script: str = "",
    language: str = "en",
    connects: bool = False,
    pictures: bool = False,
) -> tuple[str, dict[str, str]]:
    """Return (text, headers) of an HTML page.

    The Content-Security-Policy allows only this style and script, by their hashes. `connects`: the
    script may send requests to this server, and the page has no form. `pictures`: the page may show
    those of this server.
    """
    style = STYLE + style
    text = (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{style}</style></head>\n'
        f"<body>{body}{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )
    return text, {
        "Content-Type": "text/html; charset=utf-8",
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": policy(style, script, connects=connects, pictures=pictures),
    }


def policy(style: str, script: str = "", *, connects: bool = False, pictures: bool = False) -> str:
    """Return a Content-Security-Policy that allows only this style and script, and what `page`
    says.
    """
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    images = "img-src 'self'; " if pictures else ""
    target = "connect-src 'self'; form-action 'none'" if connects else "form-action 'self'"
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; {images}{scripts}base-uri 'none'; {target}; "
        "frame-ancestors 'none'"
    )


def _hash(text):
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def wants_page() -> bool:
    """Return whether the client of this request is a browser that opens an address outside of the
    API.
    """
    environ = request.environ
    return "text/html" in environ.get("HTTP_ACCEPT", "") and not environ["PATH_INFO"].startswith(
        "/api/"
    )


def not_found() -> Response:
    """Return the 404 page for a browser, in its language."""
    language = choice.choose(request.environ["eventapi.config"], *client.languages())
    title, text, reference = NOT_FOUND[language]
    html, headers = page(
        title,
        f'<main><h1>{title}</h1><p>{text}</p><p><a href="{base_url()}/docs">{reference}</a></p>'
        "</main>",
        language=language,
    )
    return Response(
        status=404,
        body=html.encode(),
        headers={
            **headers,
            "Cache-Control": "no-store",
            "Content-Language": language,
            "Vary": "Accept, Accept-Language",
        },
    )


def cached(text: str, headers: dict[str, str]) -> Response:
    """Return a response that browsers cache and revalidate by its ETag."""
    return Page(text, headers).response()


class Page:
    """A public page or file: its bytes, also compressed, and its ETags, kept for all requests.

    Only pages without secrets are compressed, since the length of compressed bytes reveals what
    they contain.
    """

    def __init__(self, text: str | bytes, headers: dict[str, str], tag: str | None = None):
        """`headers` are those of every response. `tag` is the ETag, by default that of the bytes."""
        self.raw, self.zipped = text if isinstance(text, bytes) else text.encode(), b""
        self.headers = {"Cache-Control": "public, no-cache", **headers}
        self.tag = tag or etag(text.hex() if isinstance(text, bytes) else text)

    def __len__(self) -> int:
        return len(self.raw) + len(self.zipped)

    def compressed(self) -> "Page":
        """Compress the page, and return it."""
        self.zipped = gzip.compress(self.raw, 6, mtime=0)
        return self

    def response(self) -> Response:
        """Return the response in the encoding that the client accepts, or 304 if it has the page."""
        headers, body = {**self.headers, "ETag": self.tag}, self.raw
        if self.zipped:
            headers["Vary"] = ", ".join(filter(None, (headers.get("Vary"), "Accept-Encoding")))
            if accepts_gzip():
                headers.update({"Content-Encoding": "gzip", "ETag": f'{self.tag[:-1]}-gzip"'})
                body = self.zipped
        if is_known(headers["ETag"]):
            headers.pop("Content-Encoding", None)
            return Response(status=304, headers=headers, body=b"")
        return Response(headers=headers, body=body)


class Beginning:
    """The beginning of a public text, kept for all requests as it is and compressed.

    Each response completes it by an end of its own. So a long text may contain the address that its
    client used: it is compressed once, and what a client has sent is not kept.
    """

    def __init__(self, text: str, headers: dict[str, str]):
        """`headers` are those of every response."""
        self.raw, self.headers, self.tag = text.encode(), headers, etag(text)
        self.compressor = zlib.compressobj(6, wbits=GZIP_FORMAT)
        self.zipped = self.compressor.compress(self.raw) + self.compressor.flush(zlib.Z_SYNC_FLUSH)

    def completed(self, end: str) -> Page:
        """Return the page: this beginning and `end`."""
        rest = end.encode()
        page = Page(self.raw + rest, self.headers, etag(self.tag + end))
        compressor = self.compressor.copy()
        page.zipped = self.zipped + compressor.compress(rest) + compressor.flush()
        return page
