"""The version: one line of eventapi/__init__.py, and everything that repeats it."""

import configparser
import itertools
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from hashlib import sha256

import pytest

from eventapi import __version__, cli, client
from eventapi.storage.versions import migration_files
from tests.support.processes import ROOT

RELEASE = re.compile(r"\d+\.\d+\.\d+")
# version -> number of its last migration, and `cat` of all migrations up to it `| sha256sum`
MIGRATIONS = {"1.0.0": (26, "4ccba9d13dc2db1ac570bbed4b04c36f5f50de4e062861fac20fa13e78ef0c14")}
HEADINGS = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)


def package(folder, version):
    """Return the version of the Debian package that packaging/source makes from a tree with this
    version.
    """
    (folder / "packaging" / "debian").mkdir(parents=True)
    (folder / "eventapi").mkdir()
    (folder / "eventapi" / "__init__.py").write_text(
        f'"""A docstring."""\n__version__ = "{version}"\n'
    )
    subprocess.run(
        [ROOT / "packaging" / "source", folder],
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1795000000"},
    )
    return re.match(
        r"eventapi \((\S+)\) unstable; ", (folder / "debian" / "changelog").read_text()
    )[1]


def released():
    """Return (version, date) of each release in the changelog, the newest first."""
    return [tuple(heading.split(" - ")) for heading in HEADINGS[1:]]


def test_the_changelog_has_unreleased_changes_and_then_each_release_with_its_date():
    assert HEADINGS[0] == "Unreleased"
    versions = [tuple(map(int, version.split("."))) for version, _ in released()]
    dates = [date.fromisoformat(day) for _, day in released()]
    assert versions == sorted(set(versions), reverse=True) and dates == sorted(dates, reverse=True)


def test_the_version_of_the_program_is_the_newest_release_or_prepares_the_next():
    newest = released()[0][0]
    if RELEASE.fullmatch(__version__):
        assert __version__ == newest
    else:  # such as 1.1.0.dev0, a version between two releases
        numbers = RELEASE.match(__version__)[0]
        assert tuple(map(int, numbers.split("."))) > tuple(map(int, newest.split(".")))


def test_every_release_has_a_section_in_the_upgrade_notes():
    notes = re.findall(
        r"^## (\d.*)$", (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8"), re.M
    )
    assert notes == [version for version, _ in released()]


def test_no_migration_of_a_release_was_edited():
    """An edited one would never run where the release is installed."""
    assert list(MIGRATIONS) == [version for version, _ in reversed(released())]
    for version, (last, digest) in MIGRATIONS.items():
        files = [file for number, file in migration_files() if number <= last]
        found = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        assert found == digest, f"restore the migrations of {version} and write a new one"


def test_everything_that_names_the_version_names_that_of_the_program(app, capsys):
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["metadata"]["version"] == "attr: eventapi.__version__"
    assert app.get("/openapi.json").json["info"]["version"] == __version__
    assert f'eventapi_info{{version="{__version__}"}} 1' in app.get("/metrics").text
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"eventapi {__version__}\n"
    assert RELEASE.match(__version__)[0] == client.VERSION


@pytest.mark.processes
def test_the_version_is_printed_without_loading_the_commands():
    program = (
        "import sys; sys.argv[1:] = ['--version']; from eventapi.__main__ import main; "
        "assert main() == 0 and not {'argparse', 'sqlite3', 'jsonschema'} & sys.modules.keys()"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT
        ).stdout
        == f"eventapi {__version__}\n"
    )


def test_the_package_has_the_version_of_the_program(tmp_path):
    expected = re.sub(r"\.?(dev|rc)", r"~\1", __version__)
    assert package(tmp_path, __version__) == expected


@pytest.mark.skipif(not shutil.which("dpkg"), reason="dpkg is not installed")
def test_dpkg_upgrades_from_each_version_to_the_next(tmp_path):
    order = ["1.0.0.dev0", "1.0.0rc1", "1.0.0", "1.0.1", "1.1.0.dev0", "1.1.0", "1.10.0", "2.0.0"]
    made = [package(tmp_path / version, version) for version in order]
    for older, newer in itertools.pairwise(made):
        assert subprocess.run(["dpkg", "--compare-versions", older, "lt", newer]).returncode == 0, (
            older,
            newer,
        )
