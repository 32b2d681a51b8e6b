"""What must hold wherever the file is used: no other module, no key in any text, types that check."""

import ast
import copy
import importlib.util
import logging
import os
import pickle
import shutil
import subprocess
import sys
import traceback
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import eventapi
from eventapi import client
from eventapi.client import Client, NoResponse, Problem
from tests.client.middle import Middle, says, unheard
from tests.support.processes import ROOT

KEY = "evk_hush-hush-hush"


def run(folder, *code):
    """Run Python without site-packages and environment, and return what it prints."""
    program = f"import sys; sys.path.insert(0, {str(folder)!r}); {'; '.join(code)}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.processes
def test_the_module_needs_no_package_but_the_standard_library():
    loaded = run(ROOT, "import eventapi.client", "print(*sys.modules)").split()
    assert {name for name in loaded if name.startswith("eventapi")} == {
        "eventapi",
        "eventapi.client",
    }
    assert {name.partition(".")[0] for name in loaded} <= {
        *sys.stdlib_module_names,
        "eventapi",
        "__main__",
    }


@pytest.mark.processes
def test_a_copy_of_the_file_works(tmp_path):
    shutil.copy(client.__file__, tmp_path / "copied.py")
    assert (
        run(tmp_path, "import copied", "print(copied.Client('http://127.0.0.1:1', 'key'))")
        == "Client('http://127.0.0.1:1')\n"
    )


def test_the_syntax_is_that_of_python_3_9():
    ast.parse(Path(client.__file__).read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.processes
@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13", "3.14"])
def test_it_runs_on_other_versions_of_python(version, tmp_path):
    shutil.copy(client.__file__, tmp_path / "copied.py")
    python = shutil.which(f"python{version}")
    if not python or subprocess.run([python, "-c", "1"], capture_output=True).returncode:
        pytest.skip(f"python{version} is not installed")
    program = "import copied; print(copied.as_json({'a': [copied.Client('http://127.0.0.1:1', 'key').url]}))"
    done = subprocess.run(
        [python, "-W", "error", "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == '{"a":["http://127.0.0.1:1"]}\n', done.stderr


def test_the_version_is_that_of_eventapi():
    """The file has a version of its own, because a copy cannot read another.

    Change both for a release.
    """
    assert client.VERSION == eventapi.__version__


def test_it_introduces_itself(service_of_none):
    with Client(service_of_none.url, KEY) as api:
        api.get("/contacts/1")
    headers = service_of_none.got[0][2]
    assert (
        headers["User-Agent"] == f"eventapi-client/{client.VERSION}"
        and headers["Authorization"] == f"Bearer {KEY}"
    )


@pytest.fixture
def service_of_none():
    """Return a server that responds to the first request with an empty record."""
    with Middle() as middle:
        middle.faults.append(says(200, '{"data": {}, "meta": {}}'))
        yield middle


# Settings


@pytest.fixture
def unset(monkeypatch):
    monkeypatch.delenv("EVENTAPI_URL", raising=False)
    monkeypatch.delenv("EVENTAPI_KEY", raising=False)


def test_a_missing_variable_is_named(unset, monkeypatch):
    with pytest.raises(ValueError, match="EVENTAPI_URL"):
        Client()
    monkeypatch.setenv("EVENTAPI_URL", "http://127.0.0.1:8080")
    with pytest.raises(ValueError, match="EVENTAPI_KEY"):
        Client()
    monkeypatch.setenv("EVENTAPI_KEY", f" {KEY}\n")
    assert repr(Client()) == "Client('http://127.0.0.1:8080')"


@pytest.mark.parametrize(
    "url",
    [
        "shows.example.org",
        "ftp://shows.example.org",
        "https://",
        "https://a:b@c.example",
        "https://shows.example.org?x=1",
        "http://shows.example.org:port",
    ],
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ValueError):
        Client(url, KEY)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("{}", "/api/v1/contacts/1"),
        ("{}/", "/api/v1/contacts/1"),
        ("{}/shows", "/shows/api/v1/contacts/1"),
        ("{}/api/v1/", "/api/v1/contacts/1"),
    ],
)
def test_the_server_may_be_below_a_path(url, path, service_of_none):
    with Client(url.format(service_of_none.url), KEY) as api:
        api.get("/contacts/1")
    assert service_of_none.got[0][1] == path


def test_paths_and_parameters_are_encoded(service_of_none):
    with Client(service_of_none.url, KEY) as api:
        api.get("/contacts/ü 1?include=tags", search="a&b=ü", day=date(2027, 5, 1))
    assert (
        service_of_none.got[0][1]
        == "/api/v1/contacts/%C3%BC%201?include=tags&search=a%26b%3D%C3%BC&day=2027-05-01"
    )


@pytest.mark.parametrize("errors", ['{"a": ["b"]}', '["text"]', "null", "7"])
def test_errors_of_another_form_do_no_harm(errors):
    """They come from a proxy or from another service."""
    with Middle() as middle, Client(middle.url, KEY) as api:
        middle.faults.append(says(400, '{"detail": "no", "errors": ' + errors + "}"))
        with pytest.raises(Problem, match="400 : no"):
            api.get("/contacts/1")


def test_a_path_without_a_slash_is_refused():
    with pytest.raises(ValueError, match="slash"):
        Client("http://127.0.0.1:1", KEY).get("contacts/1")


# The key stays secret


def test_no_text_contains_the_key(waits, caplog):
    caplog.set_level(logging.DEBUG)
    texts = []
    with Middle() as middle, Client(middle.url, KEY, tries=2) as api:
        middle.faults += [
            unheard,
            unheard,
            says(401, '{"code": "invalid_api_key"}'),
            says(200, "<html>"),
            says(503),
        ]
        for error in (NoResponse, Problem, Problem):
            with pytest.raises(error) as caught:
                api.post("/contacts", {})
            report = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
            texts += [str(caught.value), repr(caught.value), "".join(report.format())]
        texts += [repr(api), str(api)]
    for url, key in (("http://127.0.0.1:1", f"{KEY}\r\nX: y"), ("http://127.0.0.1:1", f"{KEY}ü")):
        with pytest.raises(ValueError) as caught:
            Client(url, key)
        texts.append(str(caught.value))
    texts.append(caplog.text)
    assert "attempt 2" in caplog.text
    assert [text for text in texts if "hush" in text] == []


def test_a_problem_can_be_pickled():
    """Process pools send exceptions from one process to another."""
    problem = Problem(
        422, client.Message(), {"code": "validation_failed", "errors": [{"pointer": "/a"}]}, True
    )
    for same in (pickle.loads(pickle.dumps(problem)), copy.copy(problem)):
        assert (same.status, same.code, same.errors, same.repeated) == (
            422,
            "validation_failed",
            [{"pointer": "/a"}],
            True,
        )


# JSON


def test_numbers_are_written_as_they_are():
    given = {
        "a": [Decimal("0.10"), Decimal("1E+2"), 1.5, 7, True, None, 'ü"\n'],
        "b": ({"c": Decimal("-0.01")},),
    }
    assert (
        client.as_json(given)
        == '{"a":[0.10,100,1.5,7,true,null,"\\u00fc\\"\\n"],"b":[{"c":-0.01}]}'
    )
    for number in (Decimal("NaN"), Decimal("Infinity"), float("nan"), float("inf")):
        with pytest.raises((ValueError, TypeError)):
            client.as_json(number)


# Types

PROGRAM = """
from eventapi.client import Client, Page, Problem, Record, verify_webhook

def main(api: Client) -> None:
    contact: Record = api.post("/contacts", {"company_name": "Rosen KG"})
    tag: str = contact.etag
    api.patch("/contacts/7", {"city": "Bonn"}, if_match=tag)
    names: list[str] = [one["company_name"] for one in api.list("/contacts", search="rosen")]
    page: Page = api.page("/contacts")
    try:
        api.upload("/documents/5/content", "plan.pdf")
        with open("invoice.pdf", "wb") as file:
            api.download("/invoices/3/pdf", file)
    except Problem as problem:
        print(problem.status, problem.errors[0]["detail"], names, page.meta["total"])
    for event in api.feed(state="feed.cursor"):
        print(event["type"])
    print(verify_webhook("whsec_", {"webhook-id": "1"}, b"")["data"])
"""


@pytest.mark.processes
def test_mypy_finds_no_fault_in_the_client_and_in_a_program_that_uses_it(tmp_path):
    own = ROOT / ".clients" / "bin" / "mypy"
    mypy = [sys.executable, "-m", "mypy"] if importlib.util.find_spec("mypy") else [str(own)]
    if mypy == [str(own)] and not own.exists():
        pytest.skip("mypy is not installed; `make test` and `make clients` install it")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [
            *mypy,
            "--strict",
            "--cache-dir",
            str(tmp_path / "cache"),
            "--follow-imports",
            "silent",
            client.__file__,
            "program.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
