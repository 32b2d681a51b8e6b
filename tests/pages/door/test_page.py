"""The page at the door and its files: public, without data, small, and the same for a whole
version.
"""

import gzip
import json
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from eventapi.languages import names
from eventapi.pages.door import page

FOLDER = files("eventapi.pages.door")
DOCS = Path(__file__).resolve().parents[3] / "docs"
SCRIPTS = ("door.js", "rules.js", "queue.js")


def text(name):
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


def test_the_page_is_small_public_and_may_use_the_camera(app):
    answer = app.get("/door/", headers={"Accept-Language": "de"}, status=200)
    assert "Set-Cookie" not in answer.headers and answer.headers["Content-Language"] == "de"
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert {
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "media-src blob:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    } <= set(policy)
    assert answer.headers["Permissions-Policy"] == "camera=(self)"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    style = app.get("/" + re.search(r"pages/style-\w+\.css", answer.text)[0]).body
    parts = [
        answer.body,
        style,
        *(app.get(f"/door/{name}").body for name in (*SCRIPTS, "door.css", "sw.js")),
    ]
    assert sum(len(gzip.compress(part)) for part in parts) < 60_000
    decoder = [app.get(f"/door/qr/{name}").body for name in ("decode.js", "index.js")]
    assert sum(len(gzip.compress(part)) for part in decoder) < 50_000


def test_a_browser_fetches_a_file_again_only_when_it_has_changed(app):
    for path in (
        "/door/",
        "/door/door.js",
        "/door/qr/decode.js",
        "/door/sw.js",
        "/door/manifest.webmanifest",
    ):
        answer = app.get(path, status=200)
        assert answer.headers["Cache-Control"] == "no-cache"
        app.get(path, headers={"If-None-Match": answer.headers["ETag"]}, status=304)
    for path in (
        "/door/words/de.json",
        "/door/page.py",
        "/door/door.html",
        "/door/qr/LICENSE-MIT",
        "/door/none.js",
    ):
        app.get(path, status=404)


def test_the_service_worker_keeps_all_files_that_the_page_uses_and_its_version_is_their_hash(
    app, monkeypatch
):
    worker = app.get("/door/sw.js").text
    version, listed = (
        json.loads(found)
        for found in re.match(r'const VERSION = (".*?"), FILES = (\[.*?\]);', worker).groups()
    )
    html = app.get("/door/").text
    used = {
        *re.findall(r'(?:href|src)="([^"#]+)"', html),
        "./",
        *(
            found.removeprefix("./")
            for name in SCRIPTS
            for found in re.findall(r'(?:from |import\()"(\./[^"]+)"', text(name))
        ),
    } | {"qr/index.js"}
    assert used == set(listed)
    for path in listed:
        app.get(
            f"/door/{path}"
            if path != "./" and not path.startswith("../")
            else f"/{path.strip('./')}"
            if path != "./"
            else "/door/",
            status=200,
        )
    assert "./index.js" in app.get("/door/qr/decode.js").text
    page.worker.cache_clear()
    real = page._read
    monkeypatch.setattr(
        page, "_read", lambda name: real(name) + (b" " if name == "queue.js" else b"")
    )
    assert version not in app.get("/door/sw.js").text
    page.worker.cache_clear()


def test_all_texts_exist_in_both_languages_with_the_same_placeholders_and_all_are_used():
    words = {language: json.loads(text(f"words/{language}.json")) for language in page.LANGUAGES}
    assert list(words["de"]) == list(words["en"])
    for name in words["de"]:
        found = [set(re.findall(r"{(\w+)}", words[language][name])) for language in words]
        assert found[0] == found[1], name
    html, scripts = text("door.html"), "".join(map(text, SCRIPTS)) + text("../door/page.py")
    used = set(re.findall(r'(?:w\("|data-w="|data-label=")(\w+)"', html)) | set(
        re.findall(r'"(\w+)"', scripts)
    )
    for name in words["de"]:
        assert name.removesuffix("_detail").removesuffix("_one") in used, f"{name} is used nowhere"
    for name in re.findall(r'(?:say|counted)\("(\w+)"|word: "(\w+)"', scripts):
        assert {"".join(name)} <= set(words["de"]), name
    for name in re.findall(r'\["(?:amber|red)", "(\w+)"\]', scripts):
        assert name in words["de"]
    assert set(names.ROLES) == set(
        re.findall(r'"(\w+)"', re.search(r"ROLES = \[(.*)\]", text("rules.js"))[1])
    )


def test_a_text_cannot_end_the_element_that_holds_the_words(app, monkeypatch):
    monkeypatch.setitem(names.ROLES, "visitor", {"en": "</script><b>", "de": "</script>"})
    assert "</script>" not in page._words()
    assert json.loads(page._words())["en"]["role_visitor"] == "</script><b>"


def test_every_id_that_the_script_uses_is_in_the_page():
    used = set(re.findall(r'\$\("(\w+)"\)', text("door.js")))
    assert used <= set(re.findall(r' id="(\w+)"', text("door.html")))


def test_the_reader_of_qr_codes_is_the_version_that_the_docs_name():
    page_of_docs = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^\| `(\w+\.js)` \| `([0-9a-f]{64})` \|$", page_of_docs, re.M))
    kept = [file for file in FOLDER.joinpath("qr").iterdir() if file.name.endswith(".js")]
    assert named == {file.name: sha256(file.read_bytes()).hexdigest() for file in kept}


def test_the_address_without_a_slash_leads_to_the_page(app):
    """The addresses of its files are relative."""
    assert (
        app.get("/door?language=de", status=308).headers["Location"].endswith("door/?language=de")
    )
    assert app.get("/door", status=308).headers["Location"].endswith("door/")
