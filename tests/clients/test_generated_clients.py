"""Clients generated from /openapi.json: no warning, types that check, and a journey with each on a
real server.

`make clients` installs the generators into .clients and runs these tests.
"""

import json
import os
import re
import shutil
import subprocess

import pytest

from tests.support.processes import ROOT, Server, eventapi

TOOLS = ROOT / ".clients"
PYTHON, NODE = TOOLS / "bin", TOOLS / "node_modules"
HERE = ROOT / "tests" / "clients"
# Complaints of the linters that stay, with the reason.
ACCEPTED = {
    "no-ambiguous-paths": "`{id}` is a number, so /documents/{id}/content never means /documents/templates/{id}",
    "operation-2xx-response": "GET / leads to /docs",
    "no-unused-components": "Minimal is the body of any write with `Prefer: return=minimal`",
    "oas3-unused-component": "Minimal is the body of any write with `Prefer: return=minimal`",
    "oas3-valid-schema-example": "the linter takes the field `example` of a webhook event for a keyword",
}
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(
        not (NODE.exists() and (PYTHON / "openapi-python-client").exists()),
        reason="`make clients` installs the generators",
    ),
]
ORGANISER = {
    "EVENTAPI_ORGANISER_NAME": "Messe Test GmbH",
    "EVENTAPI_ORGANISER_STREET": "Am Markt 1",
    "EVENTAPI_ORGANISER_CITY": "Leipzig",
    "EVENTAPI_ORGANISER_VAT_ID": "DE136695976",
}


def run(folder, *words):
    """Run a command in the folder and return its output. Raise AssertionError if it fails."""
    path = f"{PYTHON}:{NODE / '.bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the OpenAPI document."""
    folder = tmp_path_factory.mktemp("clients")
    document = eventapi(folder, "openapi", EVENTAPI_BASE_URL="https://shows.example.org").stdout
    (folder / "openapi.json").write_text(document)
    (folder / "node_modules").symlink_to(NODE)
    return folder


@pytest.fixture(scope="module")
def service(folder):
    """Return (URL, key) of a server with an empty database."""
    eventapi(folder, "migrate")
    key = eventapi(
        folder, "key", "create", "--name", "client", "--all-scopes", "--quiet"
    ).stdout.strip()
    with Server(folder, **ORGANISER) as server:
        yield server.url, key


def test_a_generated_python_client_completes_the_journey(folder, service):
    said = run(
        folder,
        "openapi-python-client",
        "generate",
        "--path",
        "openapi.json",
        "--output-path",
        "python",
        "--meta",
        "none",
        "--config",
        ROOT / "eventapi" / "reference" / "generator.yaml",
    )
    assert "warning" not in said.lower(), said
    (folder / "python").rename(folder / "eventapi_client")
    shutil.copy(HERE / "python_journey.py", folder)
    run(folder, "mypy", "--no-incremental", "--follow-imports=silent", "python_journey.py")
    assert "journey done" in run(folder, PYTHON / "python", "python_journey.py", *service)


def test_the_classes_of_the_python_client_have_names_and_types(folder, service):
    """No class is named after its place in a union, and only a response without a body has no type."""
    if not (folder / "eventapi_client").exists():
        pytest.skip("the client was not generated")
    document = json.loads((folder / "openapi.json").read_text(encoding="utf-8"))
    names = [file.stem for file in (folder / "eventapi_client" / "models").glob("*.py")]
    assert len(names) > 500 and not [
        name for name in names if re.search(r"type_\d|response_\d|input_input", name)
    ]
    assert not [
        name
        for name in names
        if "list[Any]"
        in (folder / "eventapi_client" / "models" / f"{name}.py").read_text(encoding="utf-8")
    ]
    for item in document["paths"].values():
        for operation in item.values():
            tag, name = operation["tags"][0].replace("-", "_"), operation["operationId"]
            code = (folder / "eventapi_client" / "api" / tag / f"{name}.py").read_text(
                encoding="utf-8"
            )
            has_empty = any(
                status[0] in "23" and "content" not in response
                for status, response in operation["responses"].items()
            )
            assert has_empty or "-> Any |" not in code, name


def test_a_generated_typescript_client_completes_the_journey(folder, service):
    said = run(folder, "openapi-typescript", "openapi.json", "-o", "api.d.ts")
    assert "warn" not in said.lower(), said
    types = (folder / "api.d.ts").read_text(encoding="utf-8")
    # `$defs`, which is empty
    assert "unknown[]" not in types and types.count("Record<string, never>") <= 1
    shutil.copy(HERE / "journey.ts", folder)
    run(
        folder,
        "tsc",
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--moduleResolution",
        "nodenext",
        "--types",
        "node",
        "journey.ts",
    )
    assert "journey done" in run(folder, "node", "journey.js", *service)


def test_the_document_is_valid_openapi(folder):
    """`make test` checks its schemas and references only, because this takes six seconds of CPU."""
    openapi_spec_validator = pytest.importorskip("openapi_spec_validator")
    openapi_spec_validator.validate(
        json.loads((folder / "openapi.json").read_text(encoding="utf-8"))
    )


def test_the_linters_report_nothing_but_the_accepted_complaints(folder):
    (folder / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
    path = f"{NODE / '.bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    spectral = subprocess.run(
        ["spectral", "lint", "openapi.json", "-r", "rules.yaml", "-f", "json", "-q"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
    )
    # For OpenAPI, the message of a webhook is a request, in which redocly refuses read-only fields.
    document = json.loads(
        (folder / "openapi.json").read_text(encoding="utf-8"),
        object_hook=lambda part: {name: part[name] for name in part if name != "readOnly"},
    )
    (folder / "writable.json").write_text(json.dumps(document), encoding="utf-8")
    redocly = subprocess.run(
        ["redocly", "lint", "writable.json", "--format=json", "--max-problems=1000"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
    )
    found = {part["code"] for part in json.loads(spectral.stdout)}
    found |= {part["ruleId"] for part in json.loads(redocly.stdout)["problems"]}
    assert found <= ACCEPTED.keys(), found - ACCEPTED.keys()
