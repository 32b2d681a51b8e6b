"""The bill of materials of the package, and the check of its dependencies for known
vulnerabilities.
"""

import hashlib
import importlib.util
import json
import re
import sys

import pytest

from tests.support.processes import ROOT

QR = {
    "decode.js": "00e209820dcb11d624e9a03d6383e580766792b57d1651318f0a29e4e1ff0fe8",
    "index.js": "a0de370051f94bd74f218f74401fdf197585e3f9ef0143164f87ea941a3fdd6f",
}
CONTROL = (ROOT / "packaging" / "debian" / "control").read_text(encoding="utf-8")


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The bill of materials


@pytest.fixture(scope="module")
def bill(tmp_path_factory):
    file = tmp_path_factory.mktemp("bill") / "bill.json"
    script("sbom").main(file, "1.2.3", "1795000000")
    return file.read_text(encoding="utf-8")


def test_the_bill_names_the_package_and_what_it_depends_on(bill):
    found = json.loads(bill)
    assert found["metadata"]["component"]["purl"] == "pkg:deb/debian/eventapi@1.2.3?arch=all"
    assert found["metadata"]["timestamp"] == "2026-11-18T11:06:40Z"
    parts = {part["name"]: part for part in found["components"]}
    assert {name for name, part in parts.items() if part["scope"] == "required"} == {
        "gunicorn",
        "python3",
        "python3-bottle",
        "python3-jsonschema",
        "python3-stdnum",
        "tzdata",
    }
    assert {name for name, part in parts.items() if part["scope"] == "optional"} == {
        "fonts-dejavu-core",
        "fonts-liberation",
        "nginx",
        "python3-pypdf",
        "python3-reportlab",
    }
    facts = {fact["name"]: fact["value"] for fact in parts["python3-bottle"]["properties"]}
    assert facts == {"eventapi:debian-constraint": ">= 0.12.23", "eventapi:pypi": "pkg:pypi/bottle"}


def test_the_bill_names_the_code_of_others_that_the_package_contains(bill):
    """npm publishes the integrity of qr 0.7.0; these are the hashes of the two files in its
    archive.
    """
    [contained] = json.loads(bill)["metadata"]["component"]["components"]
    assert contained["purl"] == "pkg:npm/qr@0.7.0" and contained["licenses"] == [
        {"expression": "MIT OR Apache-2.0"}
    ]
    folder = ROOT / "eventapi" / "pages" / "door" / "qr"
    assert {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.glob("*.js")
    } == QR
    copyright = (ROOT / "packaging" / "debian" / "copyright").read_text(encoding="utf-8")
    assert "Files: eventapi/pages/door/qr/*" in copyright and "qr 0.7.0" in copyright
    assert "Copyright (c) 2023 Paul Miller" in (folder / "LICENSE-MIT").read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_bill(bill, tmp_path):
    script("sbom").main(tmp_path / "again.json", "1.2.3", "1795000000")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == bill


def test_the_bill_is_valid_cyclonedx(bill):
    pytest.importorskip("cyclonedx")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(bill) is None
    assert validator.validate_str(bill.replace('"application"', '"nonsense"')) is not None


def test_the_package_and_the_build_contain_the_bill():
    assert "sbom.cdx.json" in (ROOT / "packaging" / "debian" / "rules").read_text(encoding="utf-8")
    assert ".cdx.json" in (ROOT / "packaging" / "build").read_text(encoding="utf-8")


# Known vulnerabilities

PROGRAM = """#!{python}
import json, sys
listed = [line.strip() for line in open(sys.argv[2])]
assert sys.argv[1] == "--requirement"
result = json.loads({result!r})
debian = any("==" in line for line in listed)
answer = result["debian" if debian else "newest"]
if answer is None:
    sys.exit("ConnectionError: Failed to resolve 'pypi.org'")
print(json.dumps({{"dependencies": answer, "fixes": []}}))
sys.exit(any(part.get("vulns") for part in answer))
"""
CLEAN = [{"name": "bottle", "version": "0.13.4", "vulns": []}]
FAULTY = [
    {
        "name": "bottle",
        "version": "0.13.4",
        "vulns": [{"id": "CVE-2030-1", "fix_versions": ["0.13.5"]}],
    }
]
SKIPPED = [
    {
        "name": "bottle",
        "skip_reason": "Dependency not found on PyPI and could not be audited: bottle",
    }
]
OLD = [
    {
        "name": "gunicorn",
        "version": "20.1.0",
        "vulns": [{"id": "CVE-2024-1135", "fix_versions": ["22.0.0"]}],
    }
]


@pytest.mark.parametrize(
    "debian, newest, code, said",
    [
        (OLD, CLEAN, 0, "no known vulnerabilities in the newest versions"),
        (OLD, FAULTY, 1, "PyPI: bottle 0.13.4: CVE-2030-1, fixed in 0.13.5"),
        (
            OLD,
            CLEAN,
            0,
            "Debian 12: gunicorn 20.1.0: CVE-2024-1135, fixed in 22.0.0. See whether Debian has fixed it",
        ),
        (SKIPPED, CLEAN, 3, "not determined: Dependency not found on PyPI"),
        (OLD, SKIPPED, 3, "not determined"),
        (OLD, [], 3, "not determined"),
        (CLEAN, CLEAN, 3, "knows no advisory"),
        (None, CLEAN, 3, "not determined: pip-audit failed: ConnectionError"),
        (OLD, None, 3, "Failed to resolve"),
    ],
)
def test_the_audit_tells_safe_vulnerable_and_unknown_apart(
    tmp_path, capsys, debian, newest, code, said
):
    program = tmp_path / "pip-audit"
    program.write_text(
        PROGRAM.format(
            python=sys.executable, result=json.dumps({"debian": debian, "newest": newest})
        )
    )
    program.chmod(0o755)
    assert script("audit").main(str(program)) == code
    output = capsys.readouterr()
    assert said in output.out + output.err and ("not determined" in output.err) == (code == 3)


def test_the_audit_covers_every_dependency_of_the_package():
    audit = script("audit")
    names = {re.split(r"[<>=!~ ]", line)[0] for line in audit.requirements()}
    assert names == audit.DEBIAN_12.keys() == audit.SOURCES.keys()
    assert names == set(script("sbom").ON_PYPI.values())
