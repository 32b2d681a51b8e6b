"""GET /docs/guides/{name}: the tutorial, the guides and the other pages of docs/, rendered from the
same Markdown.

GET /docs/guides: their table of contents, docs/README.md.

GET /docs/changelog: CHANGELOG.md.
"""

import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache

from eventapi import paths
from eventapi.errors import not_found
from eventapi.pages import markdown
from eventapi.web.pages import Page, page
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("docs", root="", public=True, forms=("text/html",))
CONTENTS = "README.md"
CHANGELOG = "../CHANGELOG.md"  # from docs/
PICTURES = "*.png"
FILES = (
    CONTENTS,
    "tutorial.md",
    "operations.md",
    "upgrading.md",
    "threat-model.md",
    "guides/*.md",
    "fundamentals/*.md",
)
REFERENCE = "http://127.0.0.1:8080/docs"  # in a link of docs/, the reference on this server
ROW = re.compile(r"^\| \[([^\]]+)\]\(([\w/-]+\.md)\) \| (.+?) \|", re.M)
# A release gets the address #1.0.0 besides that of its heading, which contains the date.
VERSION = re.compile(r'(<h2 id="[^"]*">)(\d+\.\d+\.\d+)')
STYLE = """\
main{max-width:50rem}table{border-collapse:collapse;width:100%;margin:.6rem 0;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}
li{margin:.25rem 0}img{max-width:100%;border:1px solid var(--line);border-radius:8px}
h2{font-size:1.25rem;margin:2rem 0 .5rem}
"""


@dataclass(frozen=True)
class Guide:
    """A page in the table of contents: its name in the address, its title, its job, and the titles
    of its parts.
    """

    name: str
    title: str
    job: str
    parts: list


@routes.get("/docs/guides")
def list_guides():
    """Return the table of contents of the guides."""
    return _page(CONTENTS).response()


@routes.get("/docs/guides/<name>")
def get_guide(name):
    """Return the tutorial, a guide or another page of the documentation."""
    if name in _pictures():
        return Response(
            body=_pictures()[name].read_bytes(),
            headers={"Content-Type": "image/png", "Cache-Control": "public, max-age=3600"},
        )
    if name not in _files() or _files()[name] == CONTENTS:
        raise not_found("guide", name)
    return _page(_files()[name]).response()


@routes.get("/docs/changelog")
def get_changelog():
    """Return what has changed, by version."""
    return _page(CHANGELOG).response()


@lru_cache(maxsize=1)
def guides():
    """Return the Guides of the table of contents, in its order, the tutorial first."""
    rows = [
        (
            "tutorial",
            "tutorial.md",
            "from an empty database to a paid invoice, a printed badge and a scan",
        ),
        *ROW.findall(_text(CONTENTS)),
    ]
    return [
        Guide(_name(path), markdown.plain(title), markdown.plain(job), _parts(path))
        for title, path, job in rows
        if path in _files().values()
    ]


@lru_cache(maxsize=1)
def _files():
    """Return {name: path below docs/} of the pages."""
    root = paths.folder("docs")
    found = [
        file.relative_to(root).as_posix()
        for pattern in FILES
        for file in sorted(root.glob(pattern))
    ]
    return {_name(path): path for path in found}


@lru_cache(maxsize=1)
def _pictures():
    """Return {name: path} of the pictures in the pages."""
    return {file.name: file for file in paths.folder("docs").glob(PICTURES)}


def _name(path):
    return posixpath.basename(path).removesuffix(".md")


def _text(path):
    file = paths.folder("docs") / path
    if path == CHANGELOG and not file.exists():
        file = paths.folder("docs") / "CHANGELOG.md"  # once installed: setup.py puts it there
    return file.read_text(encoding="utf-8")


def _parts(path):
    """Return the titles of the parts of a page."""
    without_code = re.sub(r"^ *```.*?^ *```$", "", _text(path), flags=re.M | re.S)
    return [markdown.plain(title) for title in re.findall(r"^##+ (.+)$", without_code, re.M)]


@lru_cache(maxsize=64)
def _page(path):
    """Return one page.

    All its links are relative, so that it does not depend on the address of the server.
    """
    text, root = _text(path), "../" if path in (CONTENTS, CHANGELOG) else "../../"
    title = markdown.plain(re.search(r"^# (.+)$", text, re.M)[1])
    way = f'<a href="{root}docs">API reference</a>'
    if path != CONTENTS:
        way = f'<a href="{root}docs/guides">Guides</a> · {way}'
    body = markdown.render(text, lambda target: _address(path, root, target))
    if path == CHANGELOG:
        body = VERSION.sub(r'\1<span id="\2"></span>\2', body)
    text = f'<main><p class="quiet">{way}</p>\n{body}</main>'
    return Page(*page(title, text, style=STYLE, pictures=True)).compressed()


def _address(path, root, target):
    """Return the address of a link of a page, or None for one to a file that is only in the source
    tree.
    """
    if target.startswith(REFERENCE):
        return f"{root}docs{target.removeprefix(REFERENCE)}"
    if "://" in target or target.startswith(("#", "mailto:")):
        return target
    file, _, anchor = target.partition("#")
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    wanted = wanted.removeprefix("../docs/")  # of CHANGELOG.md
    if wanted in _pictures():
        return f"{root}docs/guides/{wanted}"
    if wanted == CHANGELOG:
        return f"{root}docs/changelog"
    if wanted not in _files().values():
        return GENERATED.get(wanted) and f"{root}{GENERATED[wanted]}"
    place = f"{root}docs/guides" if wanted == CONTENTS else f"{root}docs/guides/{_name(wanted)}"
    return f"{place}#{anchor}" if anchor else place


# Files of the source tree that the server has at an address of its own.
GENERATED = {
    "../eventapi/client.py": "client.py",
    "../eventapi/reference/generator.yaml": "generator.yaml",
}
