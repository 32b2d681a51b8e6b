"""The page at the door and its files.

They contain no data: those come from the routes with a session.
"""

import json
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from eventapi.errors import not_found
from eventapi.languages import names
from eventapi.pages.door import PACKAGE
from eventapi.storage.database import as_json
from eventapi.web.html import shell
from eventapi.web.pages import Page
from eventapi.web.routes import Routes

routes = Routes("door-page", root="", public=True, page=True)

SCRIPT = "text/javascript; charset=utf-8"
FILES = {
    "door.js": SCRIPT,
    "rules.js": SCRIPT,
    "queue.js": SCRIPT,
    "qr/decode.js": SCRIPT,
    "qr/index.js": SCRIPT,
    "door.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "icon.png": "image/png",
}
LANGUAGES = ("de", "en")
POLICY = f"{shell.POLICY}; media-src blob:; worker-src 'self'; manifest-src 'self'"
# Browsers ask each time whether a file has changed. Offline, the service worker has all files of
# one version.
HEADERS = {
    **shell.HEADERS,
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": "camera=(self)",
    "Cache-Control": "no-cache",
    "X-Robots-Tag": "noindex",
}


@routes.get("/door", forms=("text/html",))
def get_door(db):
    """Return the page, without data.

    It asks for the link of a door, or for the event of its session.
    """
    return shell.with_slash() or shell_page(shell.language_of(db.config, None)).response()


@routes.get("/door/sw.js", forms=("text/javascript",))
def get_door_worker():
    """Return the service worker: the names of the files, a version that is their hash, and the
    script.
    """
    return worker().response()


@routes.get("/door/manifest.webmanifest", forms=("application/manifest+json",))
def get_door_manifest(db):
    """Return how a phone shows the page on its home screen."""
    language = shell.language_of(db.config, None)
    return manifest(language).response()


@routes.get("/door/<name>", forms=("text/javascript",))
@routes.get("/door/<folder>/<name>", forms=("text/javascript",))
def get_door_file(name, folder=None):
    """Return a script, the stylesheet or the icon of the page."""
    path = f"{folder}/{name}" if folder else name
    if path not in FILES:
        raise not_found("file", path)
    return file(path).response()


@lru_cache
def file(path):
    """Return a file of the page."""
    return Page(_read(path), {**HEADERS, "Content-Type": FILES[path]}).compressed()


@lru_cache
def shell_page(language):
    """Return the page in a language.

    It contains the texts in all languages, so that it can change offline.
    """
    words = shell.words(PACKAGE, language)
    html = shell.template(PACKAGE, "door").render(
        w=lambda word: words[word], language=language, style=shell.style_address(), json=_words()
    )
    return Page(
        html,
        {
            **HEADERS,
            "Content-Type": "text/html; charset=utf-8",
            "Content-Language": language,
            "Vary": "Accept-Language",
        },
    ).compressed()


def _words():
    """Return the texts in all languages as JSON that can stand within a script element."""
    every = {
        language: {
            **shell.words(PACKAGE, language),
            **{f"role_{role}": names.role(role, language) for role in names.ROLES},
        }
        for language in LANGUAGES
    }
    return as_json(every).replace("<", "\\u003c")


@lru_cache
def manifest(language):
    """Return the manifest of the page in a language."""
    title = shell.words(PACKAGE, language)["app"]
    found = {
        "name": title,
        "short_name": title,
        "lang": language,
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#f5f6f3",
        "theme_color": "#23694a",
        "icons": [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
    }
    return Page(
        json.dumps(found),
        {**HEADERS, "Content-Type": "application/manifest+json", "Vary": "Accept-Language"},
    )


@lru_cache
def worker():
    """Return the service worker.

    Its text changes with every file, which makes browsers fetch them again.
    """
    listed = ["./", f"../{shell.style_address()}", "manifest.webmanifest", *FILES]
    parts = [
        _words().encode(),
        shell.style()[0].encode(),
        *map(_read, ["sw.js", "door.html", *FILES]),
    ]
    version = f"door-{sha256(b''.join(parts)).hexdigest()[:12]}"
    head = f"const VERSION = {json.dumps(version)}, FILES = {json.dumps(listed)};\n"
    return Page(head + _read("sw.js").decode(), {**HEADERS, "Content-Type": SCRIPT})


def _read(path):
    return files(PACKAGE).joinpath(path).read_bytes()
