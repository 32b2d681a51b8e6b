"""The samples of the reference are run against a server over HTTP, in a database that was prepared
for each.

Operations take turns: the sample of one is run in curl, that of the next in Python. With ALL_TESTS=1,
each is run in both. `make test` runs every sixth of them, `make processes` the others.
"""

import ast
import contextlib
import html
import importlib.util
import io
import json
import os
import shutil
import subprocess

import pytest

from eventapi.pages.reference import samples
from eventapi.pages.reference.schemas import success
from eventapi.reference import document as openapi
from tests.support import sample_records
from tests.support.all_tests import ALL_TESTS
from tests.support.served import served
from tests.support.shared_app import SharedApp

DOCUMENT = openapi.document(None)
LANGUAGES = {"curl": samples.curl, "python": samples.python}
OPERATIONS = [(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]
OFTEN = (0, 7)  # of twelve operations: one whose turn is curl, one whose turn is Python


def of_operations():
    """Yield (path, method, language) of each sample, as parameters of a test."""
    for number, (path, method) in enumerate(OPERATIONS):
        marks = [] if number % 12 in OFTEN else [pytest.mark.processes]
        for turn, language in enumerate(LANGUAGES):
            if number % 2 == turn or ALL_TESTS:
                yield pytest.param(path, method, language, marks=marks)


def run_curl(text):
    done = subprocess.run(
        ["sh", "-ec", text.replace("curl", "curl --silent --show-error --fail-with-body", 1)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run_python(text):
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.ExitStack() as stack:
        stack.callback(lambda: names["api"].close() if "api" in names else None)
        exec(compile(text, "sample.py", "exec"), names)


@pytest.mark.parametrize(("path", "method", "language"), list(of_operations()))
def test_the_sample_of_an_operation_gets_its_documented_response(
    tmp_path, template, monkeypatch, path, method, language
):
    operation, requests = DOCUMENT["paths"][path][method], []
    if language == "curl" and not shutil.which("curl"):
        pytest.skip("needs curl")
    if "501" in operation["responses"] and importlib.util.find_spec("reportlab") is None:
        pytest.skip("needs reportlab")
    folder, data = tmp_path / "work", tmp_path / "data"
    folder.mkdir()
    data.mkdir()
    with SharedApp(data, template) as app:
        changes = sample_records.prepare(app, path, method)
        text = LANGUAGES[language](DOCUMENT, path, method, operation)
        for old, new in changes.items():
            assert old in text, f"{old} is not in the sample"
            text = text.replace(old, new)
        sample_records.write_files(folder)
        monkeypatch.chdir(folder)
        with served(app.app.app, requests) as url:
            monkeypatch.setenv("EVENTAPI_URL", url)
            monkeypatch.setenv("EVENTAPI_KEY", app.organiser.key)
            monkeypatch.setitem(os.environ, "HOME", str(folder))
            {"curl": run_curl, "python": run_python}[language](text)
        of_sample = [status for way, _, status in requests if way == method.upper()]
        assert of_sample[:1] == [int(success(operation)[0])], (requests, text)
        if received := samples.file_received(path, operation):
            assert (folder / received).stat().st_size


def test_the_reference_shows_the_samples_that_were_run(app):
    page = html.unescape(app.get("/docs", status=200).text)
    for path, method in OPERATIONS:
        for sample in LANGUAGES.values():
            assert (
                f"<code>{sample(DOCUMENT, path, method, DOCUMENT['paths'][path][method])}</code>"
                in page
            )


def test_a_sample_quotes_what_the_shell_and_python_would_read_otherwise():
    text = 'It\'s "5 €" \\ $HOME\n`date`'
    body = {"text": text, "is_new": True, "no": None}
    operation = {
        "requestBody": {"content": {"application/json": {"example": body}}},
        "responses": {"201": {}},
        "tags": ["notes"],
    }
    command = samples.curl({}, "/api/v1/notes", "post", operation).replace(
        "curl", "printf '%s\\n'", 1
    )
    said = subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout
    assert json.loads(said.partition("\n-d\n")[2]) == body
    program = samples.python({}, "/api/v1/notes", "post", operation)
    assert ast.literal_eval(program[program.index("{") : program.rindex("}") + 1]) == body
