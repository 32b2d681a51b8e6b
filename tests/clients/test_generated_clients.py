"""Clients generated from /openapi.json and /openapi-3.0.json: no warning, types that check, and a
journey with each on a real server.

`make clients` installs the generators into .clients and runs these tests.
"""

import json
import os
import re
import shutil
import subprocess

import pytest

from tests.support.all_tests import only_in_all
from tests.support.processes import ROOT, Server, eventapi

TOOLS = ROOT / ".clients"
PYTHON, NODE = TOOLS / "bin", TOOLS / "node_modules"
HERE = ROOT / "tests" / "clients"
# Complaints of the linters that stay, with the reason.
ACCEPTED = {
    "no-ambiguous-paths": "`{id}` is a number, so /documents/{id}/content never means /documents/templates/{id}",
    "operation-2xx-response": "GET / leads to /docs",
    "no-unused-components": "Minimal is the body of any write with `Prefer: return=minimal`",
    "oas3-unused-component": "as before; in 3.0, messages of webhooks as well",
    "oas3-valid-schema-example": "Spectral takes an event of a webhook, which has fields `type` and `example`, for "
    "a schema",
}
# The warnings of OpenAPI Generator that stay, with the reason.
ACCEPTED_OF_GENERATOR = {
    "Failed to get the schema name: null": "an alternative that only null fits has no name",
    "(reserved word) cannot be used as model name": "`date` and `from` are filters of reports",
    "Ignoring complex example on request body": "it is left out of a comment",
}
# The generator itself, whose classes are the libraries of the Java client: Maven Central, which has
# them, cannot be reached.
JAR = next(
    TOOLS.glob("lib/python*/site-packages/openapi_generator_cli/openapi-generator.jar"), None
)
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(
        not (JAR and (NODE / "@hey-api").exists()),
        reason="`make clients` installs the generators; if there is an older .clients, remove it",
    ),
]
ORGANISER = {
    "EVENTAPI_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
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
    """Return a folder with the OpenAPI documents, whose addresses are complete without `base_url`."""
    folder = tmp_path_factory.mktemp("clients")
    for name, *words in (("openapi",), ("openapi-3.0", "--version", "3.0")):
        (folder / f"{name}.json").write_text(eventapi(folder, "openapi", *words).stdout)
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


def compile_typescript(folder, file, module, resolution):
    """Check the types of a file and compile it. Raise AssertionError for an error."""
    how = ["--target", "es2022", "--module", module, "--moduleResolution", resolution]
    run(folder, "tsc", "--strict", "--skipLibCheck", *how, "--types", "node", file)


def test_a_generated_typescript_client_completes_the_journey(folder, service):
    said = run(folder, "openapi-typescript", "openapi.json", "-o", "api.d.ts")
    assert "warn" not in said.lower(), said
    types = (folder / "api.d.ts").read_text(encoding="utf-8")
    # `$defs`, which is empty
    assert "unknown[]" not in types and types.count("Record<string, never>") <= 1
    shutil.copy(HERE / "journey.ts", folder)
    compile_typescript(folder, "journey.ts", module="nodenext", resolution="nodenext")
    assert "journey done" in run(folder, "node", "journey.js", *service)


def test_a_client_of_hey_api_completes_the_journey(folder, service):
    said = run(folder, "openapi-ts", "-i", "openapi.json", "-o", "hey")
    assert "warn" not in said.lower(), said
    shutil.copy(HERE / "hey_journey.ts", folder)
    compile_typescript(folder, "hey_journey.ts", module="commonjs", resolution="node10")
    assert "journey done" in run(folder, "node", "hey_journey.js", *service)


def generate(folder, language, output, *options):
    """Generate a client of OpenAPI Generator from /openapi-3.0.json.

    Raise AssertionError for a warning that is not accepted.
    """
    without = "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
    words = ["generate", "-g", language, "-i", "openapi-3.0.json", "-o", output, *options]
    said = run(folder, "openapi-generator-cli", *words, "--global-property", without)
    assert "FILEPATH_COLLISION" not in said
    lines = [line for line in said.splitlines() if re.search(r"\b(WARN|ERROR)\b", line)]
    others = [line for line in lines if not any(text in line for text in ACCEPTED_OF_GENERATOR)]
    assert not others, others[:5]


def test_a_python_client_of_openapi_generator_completes_the_journey(folder, service):
    generate(folder, "python", "generator")
    (folder / "generator" / "openapi_client").rename(folder / "openapi_client")
    shutil.copy(HERE / "generator_journey.py", folder)
    run(folder, PYTHON / "python", "-m", "compileall", "-q", "openapi_client")
    run(folder, "mypy", "--no-incremental", "--follow-imports=silent", "generator_journey.py")
    assert "journey done" in run(folder, PYTHON / "python", "generator_journey.py", *service)


def test_a_java_client_of_openapi_generator_completes_the_journey(folder, service):
    """It has no nulls of its own (openApiNullable), because their library is not in the generator."""
    if not (shutil.which("javac") and shutil.which("java")):
        pytest.skip("javac is missing; on Debian: apt install default-jdk-headless")
    generate(
        folder,
        "java",
        "java",
        "--library",
        "native",
        "--additional-properties",
        "openApiNullable=false",
    )
    sources = [*(folder / "java/src/main").rglob("*.java"), *(HERE / "java").rglob("*.java")]
    (folder / "sources").write_text("\n".join(map(str, sources)))
    run(folder, "javac", "-nowarn", "-d", "classes", "-cp", JAR, "@sources")
    path = f"{folder / 'classes'}:{JAR}"
    assert "journey done" in run(folder, "java", "-cp", path, "Journey", *service)


@pytest.mark.parametrize("name", ["openapi.json", "openapi-3.0.json"])
def test_the_document_is_valid_openapi(folder, name):
    """`make test` checks its schemas and references only, because this takes six seconds of CPU."""
    openapi_spec_validator = pytest.importorskip("openapi_spec_validator")
    openapi_spec_validator.validate(json.loads((folder / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "name", ["openapi.json", pytest.param("openapi-3.0.json", marks=only_in_all)]
)
def test_spectral_reports_no_error_but_the_two_that_it_is_wrong_about(folder, name):
    (folder / "rules.yaml").write_text('extends: ["spectral:oas"]\n')
    found = lint(folder, "spectral", "lint", name, "-r", "rules.yaml", "-f", "json", "-q")
    errors = {"/".join(part["path"]) for part in found if part["severity"] == 0}
    example = "examples/0" if name == "openapi.json" else "example"
    assert errors == {
        "paths//api/v1/webhooks/events/get/responses/200/content/application/json/example/data/0/example",
        f"components/schemas/WebhookEvents/{example}/0/example",
    }
    codes = {part["code"] for part in found}
    assert codes <= ACCEPTED.keys(), codes - ACCEPTED.keys()


def test_redocly_reports_nothing_but_the_accepted_complaints(folder):
    # For OpenAPI, the message of a webhook is a request, in which redocly refuses read-only fields.
    document = json.loads(
        (folder / "openapi.json").read_text(encoding="utf-8"),
        object_hook=lambda part: {name: part[name] for name in part if name != "readOnly"},
    )
    (folder / "writable.json").write_text(json.dumps(document), encoding="utf-8")
    found = lint(
        folder, "redocly", "lint", "writable.json", "--format=json", "--max-problems=1000"
    )["problems"]
    codes = {part["ruleId"] for part in found}
    assert codes <= ACCEPTED.keys(), codes - ACCEPTED.keys()


def lint(folder, *words):
    """Run a linter, which exits with 1 if it finds anything, and return what it prints as JSON."""
    path = f"{NODE / '.bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return json.loads(done.stdout)
