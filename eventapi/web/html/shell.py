"""The shell of all pages: templates (*.html), texts (words/*.json), headers, the choice of the
language, the cache.
"""

import json
import re
from collections.abc import Callable, Iterable
from datetime import date as day
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from bottle import SimpleTemplate, request

from eventapi.config import Config
from eventapi.errors import invalid_parameter
from eventapi.languages import choice, formats
from eventapi.web import client
from eventapi.web.html.page_cache import FileCache, PageCache
from eventapi.web.pages import Page
from eventapi.web.rest import Response

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": "camera=()",
    "Referrer-Policy": "same-origin",
}
FRESH, LASTING = "public, max-age=60", "public, max-age=31536000, immutable"
# package -> package whose pages it continues: it has its layout, pieces and words, too
CONTINUES = {"eventapi.pages.office": "eventapi.pages.desk"}
FORMS = "eventapi.pages.forms"  # package of the pieces and words that the forms of all parts share
# name of a stylesheet -> package that has it
SHEETS = {"style": "eventapi.pages", "desk": "eventapi.pages.desk"}
# name of a script -> package that has it
SCRIPTS = {"pages": "eventapi.pages", "form_editor": "eventapi.pages.desk"}
LARGEST = 8_000_000  # bytes of rendered pages, and of drawings within them, that a process keeps
# bytes of files: PDF and SVG of 27 halls of 600 booths, in two languages
LARGEST_FILES = 16_000_000
LONGEST = 100  # characters of a query parameter
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # what a line of text has not
LINK = re.compile(r"(https?://[^\s<>\"']+)")
# to a page of a show, without a query
OWN_LINK = re.compile(r'(<a [^<>]*?href="(?:\.\./)+e/[^"?#<>]*)(?=["#])')


# Texts and templates


@lru_cache
def words(package: str, language: str) -> dict[str, str]:
    """Return the texts of a part of the pages, by name."""
    return json.loads(files(package).joinpath(f"words/{language}.json").read_text(encoding="utf-8"))


@lru_cache
def template(package: str, name: str) -> SimpleTemplate:
    """Return a template of a package, of the one whose pages it continues, or of FORMS. Every value
    in it is escaped, except for those that its `{{!…}}` name.
    """
    for place in (package, CONTINUES.get(package, package), FORMS):
        file = files(place).joinpath(f"{name}.html")
        if file.is_file():
            break
    return SimpleTemplate(file.read_text(encoding="utf-8"))


def linked(text: str) -> str:
    """Return a text as HTML: a paragraph for each part between blank lines, and links for its web
    addresses.
    """
    parts = [part for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip()) if part]
    return "".join(f"<p>{''.join(map(_piece, LINK.split(part)))}</p>" for part in parts)


def _piece(text):
    if LINK.fullmatch(text):
        return f'<a href="{escape(text)}" rel="nofollow noopener">{escape(text)}</a>'
    return escape(text).replace("\n", "<br>")


def render_html(
    package: str, name: str, language: str, texts: dict[str, str], **values: object
) -> str:
    """Return the page of a template within the layout of its part, or of the package `layout`.

    `texts` are its words.
    """
    layout = values.pop("layout", package)
    known = known_of(package, name, language, texts, values)
    text = template(layout, "layout").render(body=template(package, name).render(**known), **known)
    # Public pages set no cookie, so their links keep the language that somebody has chosen.
    chosen = chosen_language()
    return OWN_LINK.sub(rf"\1?language={chosen}", text) if chosen else text


def fragment(
    package: str, name: str, language: str, texts: dict[str, str], **values: object
) -> str:
    """Return a template as HTML, without the layout of a page around it."""
    return template(package, name).render(**known_of(package, name, language, texts, values))


def known_of(
    package: str, name: str, language: str, texts: dict[str, str], values: dict[str, object]
) -> dict[str, object]:
    """Return what a template has: `values`, and what all templates have."""
    chosen = chosen_language()
    kept = {
        **values["asked"],
        **({"embed": 1} if values["embed"] else {}),
        **({"language": chosen} if chosen else {}),
    }

    def query(**changed: object) -> str:
        """Return `?…` with what this page was asked, and what changes."""
        pairs = {name: value for name, value in {**kept, **changed}.items() if value is not None}
        return f"?{urlencode(pairs)}" if pairs else ""

    def say(word: str, **parts: object) -> str:
        return texts[word].format(**parts)

    known = {
        "w": say,
        "linked": linked,
        "language": language,
        "up": up(),
        "chosen": chosen,
        "style": style_address(),
        "sheet": style_address,
        "script": script_address,
        "long_day": lambda date: long_day(date, say, language),
        "formats": formats,
        "other": "de" if language == "en" else "en",
        "part": name,
        "query": query,
        **values,
    }
    known["piece"] = lambda other, **more: template(package, other).render(**{**known, **more})
    return known


def long_day(date: str, say: Callable, language: str) -> str:
    """Return a date with its weekday: `Saturday, 1 May 2027`."""
    return f"{say('weekdays').split()[day.fromisoformat(date).weekday()]}, {formats.day(date, language)}"


# The request


def asked(*names: str) -> dict[str, str]:
    """Return the query parameters of these names. Others are ignored.

    A page reads a control character, such as a pasted tab, as a space, and cuts a text that is longer
    than LONGEST characters. Data is for programs: raise 422.
    """
    query = request.environ.get("QUERY_STRING")
    if not query:
        return {}
    pairs = parse_qsl(query[:2000], errors="replace")
    if not is_json():
        texts = ((name, CONTROL.sub(" ", value).strip()[:LONGEST]) for name, value in pairs)
        return {name: text for name, text in texts if name in names and text}
    found = {name: value.strip() for name, value in pairs if name in names and value.strip()}
    for name in found:
        if len(found[name]) > LONGEST:
            raise invalid_parameter(name, "max_length", f"must have at most {LONGEST} characters")
    return found


def asked_all(name: str) -> list[str]:
    """Return all values of a query parameter that may be there several times."""
    pairs = parse_qsl(request.environ.get("QUERY_STRING", "")[:2000], errors="replace")
    return [value for each, value in pairs if each == name]


def chosen_language() -> str | None:
    """Return the language that `?language=` of the request names, or None."""
    return choice.available(asked("language").get("language"))


def language_of(config: Config, own: str | None) -> str:
    """Return the language of the response: that of `?language=`, of the browser, of the event, or
    the option.
    """
    return choice.choose(config, chosen_language(), *client.languages(), own)


def address() -> str:
    """Return the path of the request."""
    return request.environ["PATH_INFO"]


def up() -> str:
    """Return the relative address of the root, which may be below a path of a proxy."""
    return "../" * (address().count("/") - (0 if request.environ.get("eventapi.slash") else 1))


def redirection(target: str) -> Response:
    """Return 308 to the address at which a page is now."""
    return Response(
        status=308, headers={**HEADERS, "Location": target, "Cache-Control": "no-store"}, body=b""
    )


def with_slash() -> Response | None:
    """Return the redirection to this address with a slash at its end, or None if it has one."""
    if request.environ.get("eventapi.slash"):
        return None
    query = request.environ.get("QUERY_STRING")
    target = f"{address().rpartition('/')[2]}/{'?' if query else ''}{query or ''}"
    return redirection(target)


def moved(address: str) -> Response:
    """Return the redirection to the new address of a page, relative to this one, with its query."""
    query = request.environ.get("QUERY_STRING")
    return redirection(f"{address}?{query}" if query else address)


def elsewhere() -> Response | None:
    """Return the redirection to the same page below base_url, if the request names another host.

    None if it does not.

    Sessions belong to one host. Clients on this machine, such as a tunnel, may use any name.
    """
    config = request.environ["eventapi.config"]
    if not config.base_url or client.is_local():
        return None
    home = urlsplit(config.base_url)
    if request.environ.get("HTTP_HOST", "").lower() == home.netloc.lower():
        return None
    query = request.environ.get("QUERY_STRING")
    target = (
        f"{config.base_url}{quote(address())}{'/' if request.environ.get('eventapi.slash') else ''}"
    )
    return redirection(f"{target}?{query}" if query else target)


def is_json() -> bool:
    """Return whether the address ends in .json."""
    return address().endswith(".json")


# Responses


@lru_cache
def style(name: str = "style") -> tuple[str, Page]:
    """Return the file name of a stylesheet of SHEETS, which contains its hash, and the stylesheet."""
    text = files(SHEETS[name]).joinpath(f"{name}.css").read_text(encoding="utf-8")
    headers = {
        "Content-Type": "text/css; charset=utf-8",
        "Cache-Control": LASTING,
        "Content-Security-Policy": POLICY,
    }
    file = f"{name}-{sha256(text.encode()).hexdigest()[:12]}.css"
    return file, Page(text, headers).compressed()


@lru_cache
def script(name: str = "pages") -> tuple[str, Page]:
    """Return the file name of a script of SCRIPTS, which contains its hash, and the script."""
    text = files(SCRIPTS[name]).joinpath(f"{name}.js").read_text(encoding="utf-8")
    headers = {
        "Content-Type": "text/javascript; charset=utf-8",
        "Cache-Control": LASTING,
        "Content-Security-Policy": POLICY,
    }
    file = f"{name}-{sha256(text.encode()).hexdigest()[:12]}.js"
    return file, Page(text, headers).compressed()


def style_address(name: str = "style") -> str:
    """Return the address of a stylesheet of SHEETS, relative to the root."""
    return f"pages/{style(name)[0]}"


def script_address(name: str = "pages") -> str:
    """Return the address of a script of SCRIPTS, relative to the root."""
    return f"pages/{script(name)[0]}"


def html(text: str, language: str, *, is_indexed: bool = True, frames: Iterable[str] = ()) -> Page:
    """Return a public page in a language.

    `frames` are the origins of web sites that may show it in a frame.
    """
    policy = (
        POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(frames)}")
        if frames
        else POLICY
    )
    headers = {
        **HEADERS,
        "Content-Security-Policy": policy,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Language": language,
        "Cache-Control": FRESH,
        "Vary": "Accept-Language",
    }
    return Page(
        text, headers if is_indexed else {**headers, "X-Robots-Tag": "noindex"}
    ).compressed()


def private(text: str, language: str, status: int = 200, referrer: str = "same-origin") -> Response:
    """Return a page that nobody keeps: with a token, or with what somebody has typed."""
    return Response(
        status=status,
        body=text.encode(),
        headers={
            **HEADERS,
            "Referrer-Policy": referrer,
            "Content-Type": "text/html; charset=utf-8",
            "Content-Language": language,
            "Cache-Control": "no-store",
            "X-Robots-Tag": "noindex",
            "Content-Encoding": "identity",
            "Vary": "Accept-Language",
        },
    )


PAGES = PageCache(LARGEST)
FILES = FileCache(LARGEST_FILES)
