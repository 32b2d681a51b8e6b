"""What templates write: texts only, and every template is among the pages that are looked at.

tests/pages/conftest.py looks at each page that a test of pages opens. The tests here open those of
exhibitors and of the desk.
"""

import ast
import re
from importlib.resources import files

import pytest

from eventapi.pages.desk import actions, kinds
from eventapi.plugins import sessions
from eventapi.web.html import shell
from tests.pages.conftest import python_in
from tests.pages.desk.conftest import busy_fair, desk, fair, office  # noqa: F401
from tests.pages.desk.test_scopes import PAGES
from tests.pages.my.conftest import My, clock, new_site, site  # noqa: F401
from tests.pages.my.test_pages import PAGES as MINE
from tests.support.processes import ROOT

# Templates that only a refusal, a broken record or a mail server shows, or that are kept. Their own
# tests open them.
ELSEWHERE = {
    "my": "check.html confirm.html contract.html mailed.html unmailed.html person.html programme.html free.html",
    "desk": "batch.html lack.html link.html door_list.html hall_list.html warnings.html "
    "statement.html statement_entries.html",
}


@pytest.fixture
def rendered(monkeypatch):
    """Return the set of (package, name) of the templates that are rendered."""
    found, template = set(), shell.template
    monkeypatch.setattr(
        shell,
        "template",
        lambda package, name: found.add((package, name)) or template(package, name),
    )
    monkeypatch.setattr(sessions, "PER_MINUTE", 100_000)
    return found


def continues(package):
    """Return the package that continues the pages of a package, and has its templates too."""
    return next((part for part, base in shell.CONTINUES.items() if base == package), None)


def missing(rendered, part):
    package = f"eventapi.pages.{part}"
    known = {file.name for file in files(package).iterdir() if file.name.endswith(".html")}
    return (
        known
        - {f"{name}.html" for where, name in rendered if where in (package, continues(package))}
        - set(ELSEWHERE[part].split())
    )


def test_the_judge_finds_what_python_writes():
    page = '<a type="{&#039;id&#039;: 14}" class="a" rows="[&#x27;x&#x27;]" value="None" name="a{b}" alt="None of it">'
    assert [name for name, _ in python_in(page)] == ["type", "rows", "value"]


def test_no_page_of_an_exhibitor_writes_a_value_of_python(site, rendered):  # noqa: F811
    link, visitor = site.visitor()
    my = My(link, visitor)
    contract = site.contract()
    for page in (
        *MINE,
        "submissions/textarea",
        "submissions/url",
        "submissions/checkbox",
        f"contract/{contract['id']}",
    ):
        assert python_in(my.get(page).text) == [], page
    assert missing(rendered, "my") == set()


def test_no_page_of_the_desk_writes_a_value_of_python(office, busy_fair, rendered):  # noqa: F811
    forms = [f"edit/{kind}{id}" for kind in kinds.KINDS for id in ("", "/1")]
    steps = [f"do/{name}{id}" for name in actions.buttons() for id in ("", "/1")]
    for page in (*PAGES, *forms, *steps):
        assert python_in(office.get(f"/desk/{page}", "*").text) == [], page
    assert missing(rendered, "desk") == set()


@pytest.mark.parametrize("part", ["my", "desk", "office", "show", "link", "applicant"])
def test_a_parameter_of_a_piece_is_no_value_of_a_page(part):
    """`get("name")` in a piece would find the value of the page, where the piece was called without
    it.
    """
    folder = ROOT / "eventapi" / "pages" / part
    templates = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.html")}
    given = {}
    for text in templates.values():
        for name, more in re.findall(
            r'piece\("(\w+)"((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)\)', text
        ):
            given.setdefault(name, set()).update(re.findall(r"(\w+)=", more))
    optional = {
        (name, parameter)
        for name, text in templates.items()
        for parameter in re.findall(r'\bget\("(\w+)"', text)
        if parameter in given.get(name, ())
    }
    of_pages = {
        keyword.arg
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", ""))
        in ("message_page", "render_html", "render_page")
        for keyword in node.keywords
    }
    assert {(name, parameter) for name, parameter in optional if parameter in of_pages} == set()
