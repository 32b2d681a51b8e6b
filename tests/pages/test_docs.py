"""The documents: everything they name exists. The HTML pages: links, content and headers."""

import configparser
import gzip
import json
import re
from html.parser import HTMLParser
from importlib import import_module

import pytest
import webob

from eventapi import config, working_days
from eventapi.app import routes
from eventapi.domain.access import api_keys
from eventapi.domain.attachments import placeholders
from eventapi.errors import CODES
from eventapi.pages import docs as docs_page
from eventapi.pages.reference import diagrams
from eventapi.pages.reference.operations import HEADERS, OF_LISTS
from eventapi.resources import CATALOGUE
from eventapi.web.pages import _hash
from tests.docs.markdown import MARKS, PAGES, RUN, anchors, blocks, links, name_of, prose
from tests.support.processes import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])
REFERENCE = "http://127.0.0.1:8080/docs"  # the address of the reference with `make run`
CHECKED = {"json", "ini", "text"}
ENDINGS = ("py", "sql", "json", "md", "conf", "cfg", "toml", "sh", "service", "timer", "yml", "txt")
PATH = re.compile(rf"[\w.@-]+(?:/[\w.@-]+)*(?:/|\.(?:{'|'.join(ENDINGS)}))")
# Files that a document names and that are not in this tree: created at run time, or examples.
ELSEWHERE = re.compile(
    r"widget|NNNN|NOUN|NAME|SUBJECT|@acme|<|eventapi\.db|openapi\.json|^files/|^mails/|^backups/|\.env$"
    r"|^local\.conf$|^manifest\.json$"
)
# Folders in which a shortened path may begin.
ROOTS = (
    "",
    "eventapi",
    "packaging",
    "packaging/systemd",
    "conf",
    "conf/monitoring",
    "tests",
    "docs",
)


@pytest.mark.parametrize("file", DOCUMENTS, ids=name_of)
def test_every_file_that_a_document_names_exists(file):
    text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.S)
    written = set(re.findall(r"<!-- file: (\S+)", text))  # by a sample of the page
    for quoted in re.findall(r"`([^`\n]+)`", text):
        if PATH.fullmatch(quoted) and not ELSEWHERE.search(quoted) and quoted not in written:
            assert any((ROOT / root / quoted).exists() for root in ROOTS), (
                f"{name_of(file)} names {quoted}"
            )


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_and_anchor_exists(page, app):
    reference = set(re.findall(r'\bid="?([\w.-]+)', app.get("/docs").text))
    for link in links(page):
        path, _, anchor = link.partition("#")
        if path == REFERENCE:
            assert not anchor or anchor in reference, (
                f"{name_of(page)}: {link} is not in the reference"
            )
        elif "://" not in path and not path.startswith("mailto:"):
            target = (page.parent / path) if path else page
            assert target.exists(), f"{name_of(page)}: {link} does not exist"
            assert not anchor or anchor in anchors(target), (
                f"{name_of(page)}: {link} names no heading"
            )


def test_the_table_of_contents_lists_every_page():
    contents = ROOT / "docs" / "README.md"
    listed = {
        (contents.parent / link.partition("#")[0]).resolve()
        for link in links(contents)
        if "://" not in link
    }
    assert sorted(map(name_of, {*(ROOT / "docs").rglob("*.md")} - listed - {contents})) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_sample_is_run_checked_or_marked(page):
    assert not re.search(r"^ *(```|~~~)", prose(page), re.M), (
        f"{name_of(page)}: a block of code is not closed by ```"
    )
    for block in blocks(page):
        place = f"{name_of(page)}, line {block.line}"
        assert block.marks.keys() <= MARKS, f"{place}: unknown mark {block.marks.keys() - MARKS}"
        assert block.language, (
            f"{place}: name the language of the block: sh, python, json, ini, text, …"
        )
        assert (
            block.language in {*RUN, *CHECKED}
            or block.is_output
            or {"not run", "file"} & block.marks.keys()
        ), f"{place}: nothing runs this sample. Add a line above it: <!-- not run: REASON -->"
        assert block.marks.get("not run", "reason"), f"{place}: say why this block is not run"
        if block.runs:
            outside = re.search(
                r"(?:>|\s-o|\bopen\()\s*[\"']?(?!/dev/null)(?:[/~]|\$HOME)", block.text
            )
            assert not outside, f"{place}: the sample writes outside its directory: {outside[0]}"


def test_every_path_of_the_api_that_the_readme_names_exists():
    known = [re.compile(re.sub(r"<\w+>", r"[\\w{}$.:-]+", route.path)) for route in routes()]
    for file in DOCUMENTS:
        text = re.sub(r"widgets?", "events", file.read_text(encoding="utf-8"))
        for path in re.findall(r"(/api/v1/[\w/{}$.-]*[\w}])", text):
            assert any(pattern.fullmatch(path) for pattern in known), (
                f"{name_of(file)} names {path}"
            )


def test_the_configuration_file_shows_every_option_at_its_default():
    parser = configparser.ConfigParser(interpolation=None)
    text = (ROOT / "conf" / "eventapi.conf").read_text(encoding="utf-8")
    parser.read_string(re.sub(r"^#(?=[a-z_]+ =)", "", text, flags=re.M))
    assert parser.sections() == ["eventapi"]
    assert dict(parser["eventapi"]) == {option.name: option.default for option in config.OPTIONS}
    assert list(parser["eventapi"]) == [option.name for option in config.OPTIONS], (
        "in another order"
    )
    for option in config.OPTIONS:
        assert f"# {option.description}" in text, f"{option.name} is not explained as in config/"


def test_the_shipped_configuration_file_sets_only_defaults():
    shipped = config.load(ROOT / "conf" / "eventapi.conf", environ={})
    plain = {option.name: option.parse(option.default) for option in config.OPTIONS}
    # These are empty in the file: they are those of organiser_country.
    of_country = {
        "language": "de",
        "tax_rate": 1900,
        "is_tax_rate_known": True,
        "public_holidays": working_days.of_country("DE"),
    }
    found = vars(shipped)
    assert (found.pop("revision"), found.pop("live").current) == (0, shipped)
    assert found.pop("set_by") == dict.fromkeys(plain, "default")
    assert found == {**plain, "file": ROOT / "conf" / "eventapi.conf", **of_country}


def test_the_changelog_begins_with_the_unreleased_changes():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n\n## Unreleased\n")
    long = [line for line in text.partition("\n## 1.0.0 ")[2].split("\n") if len(line) > 120]
    assert not long, (
        f"a merge has changed a release: take CHANGELOG.md of main and add your line to it ({long[0]})"
    )


# The pages


class Page(HTMLParser):
    """A parser that collects the parts of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids = []
        self.links = []
        self.scripts = []
        self.styles = []
        self.tags = []
        self.open = []
        self.text = []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        if tag not in ("meta", "br", "input", "hr", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"closes {tag}"

    def handle_data(self, data):
        {"script": self.scripts, "style": self.styles}.get(
            self.open[-1] if self.open else "", self.text
        ).append(data)


def docs(app):
    answer = app.get("/docs", status=200)
    assert answer.content_type == "text/html" and answer.charset.lower() == "utf-8"
    return answer, Page(answer.text)


def test_the_reference_shows_every_endpoint_field_and_error(app):
    _, page = docs(app)
    text = " ".join(" ".join(page.text).split())
    for route in routes():
        if route.path.startswith("/api"):
            assert re.sub(r"<(\w+)>", r"{\1}", route.path.removeprefix("/api/v1")) in text
    document = app.get("/openapi.json").json
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["operationId"] in page.ids
    for schema in document["components"]["schemas"].values():
        for member in schema.get("properties", {}):
            assert member in text, member
    assert all(code in text for code in CODES)
    assert len(set(page.ids)) == len(page.ids), "an id twice"
    for word in (
        "Idempotency-Key",
        "ETag",
        "If-Match",
        "Bearer",
        "per_page",
        "after",
        "text/csv",
        "request_id",
        "problem document",
    ):
        assert word in text
    for name in CATALOGUE:
        for route in import_module(f"eventapi.{name}").routes.routes:
            assert route.options.resource in page.ids, f"{name}: {route.path}"


def test_the_reference_shows_text_in_backticks_as_code(app):
    text = app.get("/docs", status=200).text
    assert "<code>amount</code> minus <code>gateway_fee</code>." in text
    assert not re.search(r"`\w+`", re.sub(r"<(pre|script)>.*?</\1>", "", text, flags=re.S))


def test_every_link_of_the_pages_resolves(app):
    _, page = docs(app)
    for link in set(page.links):
        assert not link.startswith("http"), "nothing is loaded or linked from elsewhere"
        if link.startswith("#"):
            assert link[1:] in page.ids, link
        else:
            app.get(f"/{link}", status=200)


def test_the_pages_allow_nothing_but_their_own_style_and_script(app):
    for path in ("/docs", "/problems", "/problems/in_use"):
        answer = app.get(path, status=200)
        page, policy = Page(answer.text), answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert (
            "default-src 'none'" in policy
            and "frame-ancestors 'none'" in policy
            and "unsafe" not in policy
        )
        assert f"style-src '{_hash(page.styles[0])}'" in policy and len(page.styles) == 1
        assert [f"'{_hash(script)}'" for script in page.scripts] == re.findall(
            r"script-src (\S+);", policy
        )
        for tag, attributes in page.tags:
            assert tag not in ("iframe", "object", "img", "link", "form", "base"), (
                f"{path} has a {tag}"
            )
            assert not {"style", "src"} & attributes.keys()
            assert not [name for name in attributes if name.startswith("on")]


def test_the_pages_fit_a_phone_and_work_without_javascript(app):
    _, page = docs(app)
    assert (
        "meta",
        {"name": "viewport", "content": "width=device-width,initial-scale=1"},
    ) in page.tags
    assert not [attributes for _, attributes in page.tags if "hidden" in attributes], (
        "nothing waits for a script to show it"
    )
    assert ("html", {"lang": "en"}) in page.tags


def test_the_reference_weighs_less_than_380_kb(app):
    response = webob.Request.blank("/docs", headers={"Accept-Encoding": "gzip"}).get_response(
        app.app
    )
    assert len(response.body) < 380_000


def test_every_field_of_a_record_has_a_permalink_inside_the_part_that_it_opens(app):
    _, page = docs(app)
    for id in (
        "field-contact-email",
        "field-invoice-items[].unit_price",
        "field-create_contact-email",
        "param-list_contacts-sort",
        "event-payment.created",
        "problem-in_use",
        "scope-contacts",
        "placeholder-contact.name",
        "create_contact",
        "object-contacts",
        "states-invoices-credit-note",
    ):
        assert id in page.ids, id
        assert ("details", id) not in [(tag, attributes.get("id")) for tag, attributes in page.tags]


def test_an_operation_lists_only_errors_of_its_own(app):
    text = app.get("/docs", status=200).text
    create = re.search(r'id="create_payment">.*?<div class="samples">', text, re.S)[0]
    codes = re.findall(r'href="#problem-(\w+)"', create)
    assert "invoice_not_payable" in codes and not {
        "missing_credentials",
        "not_found",
        "database_busy",
    } & set(codes)


def test_parameters_that_operations_only_name_are_explained_in_one_place(app):
    text = app.get("/docs", status=200).text
    for place, names in (("lists", OF_LISTS), ("headers", HEADERS)):
        section = re.search(rf'<section id="{place}">.*?</section>', text, re.S)[0]
        assert not [name for name in names if name not in section], place


def test_scopes_flags_and_placeholders_are_listed(app):
    text = app.get("/docs", status=200).text
    for scope in (*api_keys.SCOPES, *api_keys.NARROW_SCOPES):
        assert f'id="scope-{scope}"' in text, scope
    table = re.search(r"<caption>Scopes and flags</caption>.*?</table>", text, re.S)[0]
    assert {flag for flag in api_keys.FLAGS if f"<td><code>{flag}</code></td>" in table} == set(
        api_keys.FLAGS
    )
    for entry in placeholders.listed():
        assert f"{entry['placeholder']}</code>" in text


def test_only_the_reference_may_connect_and_only_to_this_server(app):
    policies = {
        path: app.get(path).headers["Content-Security-Policy"] for path in ("/docs", "/problems")
    }
    assert "connect-src 'self';" in policies["/docs"] and "form-action 'none'" in policies["/docs"]
    assert "connect-src" not in policies["/problems"]


def test_a_problem_page_explains_its_code(app, anonymous):
    for code, (status, title, text) in CODES.items():
        page = Page(app.get(f"/problems/{code}", status=200).text)
        shown = "".join(page.text)
        assert (
            title in shown
            and str(status) in shown
            and text.replace("`", "") in shown
            and code in shown
        )
    unknown = app.get("/problems/nonsense", status=404)
    assert (
        unknown.content_type == "application/problem+json" and unknown.json["code"] == "not_found"
    )
    assert app.get("/problems/%3Cscript%3E", status=404).content_type == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/nothing", "/problems/nonsense", "/feeds/unknown.ics", "/docs/guides/nothing"]
)
def test_a_browser_gets_a_page_for_an_unknown_address(app, path):
    browser = {
        "Accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "Accept-Language": "de-AT,de;q=0.9",
    }
    answer = app.get(path, headers=browser, status=404)
    assert (answer.content_type, answer.headers["Content-Language"]) == ("text/html", "de")
    page = Page(answer.text)
    assert ("html", {"lang": "de"}) in page.tags and "Seite nicht gefunden" in page.text
    assert all(app.get(link, status=200) for link in page.links) and page.links
    assert f"style-src '{_hash(page.styles[0])}'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Request-ID"] and answer.headers["X-Content-Type-Options"] == "nosniff"
    english = app.get(path, headers={**browser, "Accept-Language": "en"}, status=404)
    assert "Page not found" in Page(english.text).text
    for accept in ("*/*", "application/json", ""):
        assert app.get(path, headers={"Accept": accept}, status=404).json["code"] == "not_found"


def test_an_unknown_address_of_the_api_is_a_problem_document_for_a_browser_too(app, anonymous):
    for path in ("/api/v1/nothing", "/api/v2/events"):
        assert (
            app.get(path, headers={"Accept": "text/html"}, status=404).json["code"] == "not_found"
        )


def test_the_type_of_a_problem_is_the_url_of_its_page(app, anonymous):
    address = anonymous.get("/events", status=401).json["type"]
    assert "Missing credentials" in app.get(address).text


def test_the_root_redirects_to_the_reference(app):
    answer = app.get("/", status=302)
    assert (
        answer.headers["Location"].endswith("/docs")
        and answer.follow(status=200).content_type == "text/html"
    )


def test_the_pages_are_cached_and_revalidated(app):
    for path in ("/docs", "/openapi.json", "/problems"):
        first = app.get(path, status=200)
        again = app.get(path, headers={"If-None-Match": first.headers["ETag"]}, status=304)
        assert again.body == b"" and again.headers["ETag"] == first.headers["ETag"]
        head = app.head(path, status=200)
        assert head.body == b"" and head.headers["ETag"] == first.headers["ETag"]


def test_every_state_table_is_shown_as_text(app):
    """Some actions do not change the state, and some are never allowed."""
    tables = re.findall(
        r"<h3>States of the ([\w ]+)</h3>(.*?)</table>", app.get("/docs", status=200).text, re.S
    )
    assert {"invoice", "credit note", "payment"} <= {noun for noun, _ in tables}
    assert not [noun for noun, table in tables if "None" in table or "<td></td>" in table]


def test_the_reference_is_made_once_for_all_hosts_and_compressed(app, monkeypatch):
    def get(**headers):  # webtest would decompress the response
        return webob.Request.blank(
            "/docs", headers={name.replace("_", "-"): value for name, value in headers.items()}
        ).get_response(app.app)

    whole = get()
    monkeypatch.setattr(json, "dumps", None)  # nothing is generated any more
    monkeypatch.setattr(docs_page, "resource", None)
    for host in ("a.example", "b.example", "c.example"):
        found = get(Host=host, Accept_Encoding="br, gzip;q=0.8", If_None_Match='"x"')
        assert (
            found.headers["Content-Encoding"] == "gzip"
            and found.headers["Vary"] == "Accept-Encoding"
        )
        assert gzip.decompress(found.body) == whole.body and len(found.body) < len(whole.body) / 5
        known = get(Host=host, Accept_Encoding="gzip", If_None_Match=found.headers["ETag"])
        assert (known.status_int, known.body, "Content-Encoding" in known.headers) == (
            304,
            b"",
            False,
        )
        assert known.headers["ETag"] == found.headers["ETag"] != whole.headers["ETag"]
    for accepted in ("", "gzip;q=0", "gzip;q=0.0, br", "identity", "x-gzip"):
        plain = get(Accept_Encoding=accepted)
        assert "Content-Encoding" not in plain.headers and plain.body == whole.body
        assert (
            plain.headers["ETag"] == whole.headers["ETag"]
            and plain.headers["Vary"] == "Accept-Encoding"
        )


def test_a_picture_of_states_shows_each_change_and_names_the_other_actions():
    picture = diagrams.diagram(
        "x",
        "parcel",
        {
            "send": {"from": ["packed", "lost"], "to": "sent"},
            "lose": {"from": ["sent"], "to": "lost"},
            "weigh": {"from": ["packed"], "to": None},
            "eat": {"from": [], "to": "eaten"},
        },
    )
    assert re.findall(r"<text[^>]*>([^<]+)<", picture) == [
        "packed",
        "sent",
        "lost",
        "send",
        "lose",
        "sent",
        "lost",
    ]
    # arrows where actions end
    assert picture.count("<path") == 3 + 2 and picture.count("L") == 2 * 2
    assert "send leads from packed, lost to sent. lose leads from sent to lost.</desc>" in picture
    assert "<code>weigh</code> in packed." in picture and "eat" not in picture


def test_the_client_of_the_samples_can_be_downloaded_without_a_key(app):
    answer = app.get("/client.py", status=200)
    assert (answer.content_type, answer.text) == (
        "text/plain",
        (ROOT / "eventapi/client.py").read_text("utf-8"),
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "public, no-cache"
