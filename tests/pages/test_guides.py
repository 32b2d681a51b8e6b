"""/docs/guides: the pages of docs/ as HTML. Each is compared with its Markdown."""

import re
from html import unescape
from urllib.parse import urljoin

import pytest

from eventapi.pages import guides, markdown
from tests.docs.markdown import anchors, blocks, links
from tests.pages.test_docs import Page
from tests.support.processes import ROOT

FILES = {guides._name(path): ROOT / "docs" / path for path in guides._files().values()}
ADDRESSES = {name: "/docs/guides" if name == "README" else f"/docs/guides/{name}" for name in FILES}
FILES["changelog"], ADDRESSES["changelog"] = ROOT / "CHANGELOG.md", "/docs/changelog"


@pytest.fixture(scope="module")
def ids():
    return {}


def test_the_tutorial_every_guide_and_fundamental_has_a_page_of_its_own():
    written = [
        ROOT / "docs/tutorial.md",
        *(ROOT / "docs/guides").iterdir(),
        *(ROOT / "docs/fundamentals").iterdir(),
    ]
    assert set(written) <= set(FILES.values()) and len(FILES) == len(set(ADDRESSES.values()))


@pytest.mark.parametrize("name", FILES)
def test_a_page_shows_all_of_its_source(app, name):
    text = app.get(ADDRESSES[name], status=200).text
    page = Page(text)  # checks that all tags are closed
    source = FILES[name].read_text(encoding="utf-8")
    assert anchors(FILES[name]) <= set(page.ids) and len(page.ids) == len(set(page.ids))
    shown = [unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", text, re.S)]
    assert shown == [block.text.rstrip("\n") for block in blocks(FILES[name])]
    prose = re.sub(r"<(pre|code|style)\b.*?</\1>", "", text, flags=re.S)
    assert not re.search(r"```|\]\(|\*\*|<!-- |^\||&lt;!--", prose, re.M), (
        "something was not rendered"
    )
    cells = sum(
        line.count(" | ") + 1
        for line in re.findall(r"^\| .*\|$", source, re.M)
        if not set(line) <= set("| -")
    )
    assert text.count("<td>") + text.count("<th>") >= cells

    def letters(text):
        return re.sub(r"[\W_]+", "", text)

    body = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<head>.*?</head>", "", text, flags=re.S)))
    source = re.sub(r"^ *<!-- [a-z ]+:.*-->\n|^ *```\S*$|^( *)\d+\. ", r"\1", source, flags=re.M)
    pictures = re.findall(r"!\[([^\]]+)\]\(([^)\s]+)\)", source)
    shown = re.findall(r'<img src="[^"]+" alt="([^"]+)"', text)
    assert [unescape(alt) for alt in shown] == [alt for alt, _ in pictures]
    source = re.sub(r"!\[[^\]]+\]\([^)\s]+\)", "", source)
    wanted = letters(re.sub(r"\]\([^)\s]+\)", "]", source))
    assert letters(body).endswith(wanted), "a word is missing"


@pytest.mark.parametrize("name", FILES)
def test_every_link_of_a_page_leads_to_a_page_or_a_heading(app, name):
    page = Page(app.get(ADDRESSES[name], status=200).text)
    for link in page.links:
        path, _, anchor = urljoin(ADDRESSES[name], link).partition("#")
        if "://" not in path:
            found = app.get(path, status=200)
            assert not anchor or re.search(rf'\bid="{re.escape(anchor)}"', found.text), (
                f"{name}: {link}"
            )
    for source in re.findall(r'<img src="([^"]+)"', app.get(ADDRESSES[name]).text):
        assert app.get(urljoin(ADDRESSES[name], source), status=200).body.startswith(b"\x89PNG")
    between = [
        link
        for link in links(FILES[name])
        if re.fullmatch(r"(\.\./)?((guides|fundamentals)/)?[a-z-]+\.md", link)
    ]
    kept_back = ("architecture.md", "changes.md", "performance.md", "releases.md")
    served = [link for link in between if not link.endswith(kept_back)]
    assert len([link for link in page.links if "docs/guides/" in link]) >= len(served)


def test_the_changelog_has_its_releases_and_is_linked(app):
    text = app.get("/docs/changelog", status=200).text
    assert "<title>Changelog" in text
    for id, heading in (("unreleased", "Unreleased"), ("1.0.0", "1.0.0 - 2026-11-22")):
        assert re.search(rf'id="{re.escape(id)}">(</span>)?{heading}</h2>', text), id
    for other in ("/docs", "/docs/guides", "/docs/guides/versioning"):
        addresses = [urljoin(other, link) for link in Page(app.get(other).text).links]
        assert "/docs/changelog" in addresses, other
    addresses = [urljoin("/docs/changelog", link) for link in Page(text).links]
    assert {"/docs", "/docs/guides", "/docs/guides/upgrading#unreleased"} <= set(addresses)


def test_the_headers_are_those_of_the_reference(app):
    reference, guide = app.get("/docs"), app.get("/docs/guides/dunning", status=200)
    for name in ("Cache-Control", "Referrer-Policy", "X-Content-Type-Options", "Vary"):
        assert guide.headers[name] == reference.headers[name]
    policy = guide.headers["Content-Security-Policy"]
    assert (
        "default-src 'none'" in policy
        and "script-src" not in policy
        and "frame-ancestors 'none'" in policy
    )
    app.get("/docs/guides/dunning", headers={"If-None-Match": guide.headers["ETag"]}, status=304)
    for name in ("nothing", "README", "architecture", "..%2FREADME"):
        app.get(f"/docs/guides/{name}", status=404)


def test_the_reference_lists_each_guide_with_its_parts(app):
    text = app.get("/docs").text
    assert '<section id="guides">' in text and 'href="docs/guides/tutorial"' in text
    entrance = re.search(r'<div id="guide-entrance">.*?</div>', text)[0]
    assert 'href="docs/guides/entrance"' in entrance and "scanner" in entrance.lower()


@pytest.mark.parametrize(
    "source, html",
    [
        (
            "# A `b` & c\n\n# A `b` & c",
            '<h1 id="a-b--c">A <code>b</code> &amp; c</h1>\n'
            '<h1 id="a-b--c-1">A <code>b</code> &amp; c</h1>',
        ),
        (
            "1. one\n   two\n\n   ```sh\n   <x>\n     y\n   ```\n2. three\n   - four",
            "<ol><li>one\ntwo\n<pre><code>&lt;x&gt;\n  y</code></pre></li><li>three\n<ul><li>four</li></ul></li></ol>",
        ),
        (
            "| a | b |\n| --- | --- |\n| `x` | **y** |",
            "<table><tr><th>a</th><th>b</th></tr><tr><td><code>x</code></td><td><strong>y</strong></td></tr></table>",
        ),
        ("[`a`](b.md) [c](none)", '<p><a href="to/b.md"><code>a</code></a> c</p>'),
    ],
)
def test_the_markdown_of_the_documentation(source, html):
    assert (
        markdown.render(source, lambda target: None if target == "none" else f"to/{target}") == html
    )
