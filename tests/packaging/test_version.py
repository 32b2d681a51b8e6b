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
RELEASE_OR_CANDIDATE = r"(\d+\.\d+\.\d+)(rc\d+)?"
# version -> number of its last migration, and `cat` of all migrations up to it `| sha256sum`
MIGRATIONS = {"1.0.0": (26, "4ccba9d13dc2db1ac570bbed4b04c36f5f50de4e062861fac20fa13e78ef0c14")}
HEADINGS = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)


SECONDS = 1795000000  # 2026-11-18, 11:06:40 UTC
COMMIT = "2ea4048f" + "0" * 32


def source(folder, version, *, time=SECONDS, names="HEAD -> main"):
    """Run packaging/source on a tree with this version, as `git archive` exports it.

    Return (version of the Debian package, version of the program in it).
    """
    (folder / "packaging" / "debian").mkdir(parents=True)
    (folder / "packaging" / "commit").write_text(f"time={time}\ncommit={COMMIT}\nnames={names}\n")
    (folder / "eventapi").mkdir()
    program = folder / "eventapi" / "__init__.py"
    program.write_text(f'"""A docstring."""\n__version__ = "{version}"\n')
    subprocess.run([ROOT / "packaging" / "source", folder], check=True)
    changelog = (folder / "debian" / "changelog").read_text()
    return (
        re.match(r"eventapi \((\S+)\) unstable; ", changelog)[1],
        re.search(r'(?m)^__version__ = "(.*)"$', program.read_text())[1],
    )


def is_older(older, newer):
    """Return whether dpkg sorts one version before the other."""
    compared = subprocess.run(["dpkg", "--compare-versions", older, "lt", newer])
    return compared.returncode == 0


def released():
    """Return (version, date) of each release in the changelog, the newest first."""
    return [tuple(heading.split(" - ")) for heading in HEADINGS[1:]]


def test_the_changelog_has_unreleased_changes_and_then_each_release_with_its_date():
    assert HEADINGS[0] == "Unreleased"
    versions = [tuple(map(int, version.split("."))) for version, _ in released()]
    dates = [date.fromisoformat(day) for _, day in released()]
    assert versions == sorted(set(versions), reverse=True) and dates == sorted(dates, reverse=True)


def test_the_version_of_the_program_is_the_next_release_while_there_are_unreleased_changes():
    """Otherwise packages of commits behind a release would have versions below it."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = changelog.partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    newest = tuple(map(int, released()[0][0].split(".")))
    ours = tuple(map(int, re.fullmatch(RELEASE_OR_CANDIDATE, __version__)[1].split(".")))
    assert ours > newest if "\n- " in unreleased else ours >= newest


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
    assert __version__ == client.VERSION


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


@pytest.mark.parametrize(
    "version, package, names",
    [
        ("1.1.0", "1.1.0", "HEAD -> main, tag: v1.1.0, origin/main"),
        ("1.1.0", "1.1.0", "tag: v1.1.0"),
        ("1.1.0rc1", "1.1.0~rc1", "HEAD, tag: v1.1.0rc1"),
    ],
)
def test_the_package_of_a_tagged_commit_has_the_version_of_the_program(
    version, package, names, tmp_path
):
    assert source(tmp_path, version, names=names) == (package, version)


@pytest.mark.parametrize(
    "names", ["", "HEAD -> main", "tag: v1.1.0rc1", "tag: v1.1.00", "tag: v101.0", "v1.1.0"]
)
def test_package_and_program_of_another_commit_name_its_time_and_its_hash(names, tmp_path):
    assert source(tmp_path, "1.1.0", names=names) == (
        "1.1.0~git202611181106.2ea4048f",
        "1.1.0.dev202611181106+g2ea4048f",
    )


def test_a_tree_that_does_not_name_its_commit_becomes_no_package(tmp_path):
    (tmp_path / "packaging").mkdir()
    shutil.copy(ROOT / "packaging" / "commit", tmp_path / "packaging")
    done = subprocess.run([ROOT / "packaging" / "source", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and "export it with 'git archive'" in done.stderr


@pytest.mark.skipif(not shutil.which("dpkg"), reason="dpkg is not installed")
def test_dpkg_upgrades_from_each_version_to_the_next(tmp_path):
    order = [
        ("1.0.0", "tag: v1.0.0", SECONDS),
        ("1.0.1", "", SECONDS),
        ("1.0.1", "tag: v1.0.1", SECONDS),
        ("1.1.0", "", SECONDS),
        ("1.1.0", "", SECONDS + 60),
        ("1.1.0rc1", "", SECONDS + 120),
        ("1.1.0rc1", "tag: v1.1.0rc1", SECONDS + 180),
        ("1.1.0", "tag: v1.1.0", SECONDS + 240),
        ("1.10.0", "tag: v1.10.0", SECONDS),
        ("2.0.0", "", SECONDS),
    ]
    made = [
        source(tmp_path / str(number), version, names=names, time=time)[0]
        for number, (version, names, time) in enumerate(order)
    ]
    for older, newer in itertools.pairwise(made):
        assert is_older(older, newer) and not is_older(newer, older), (older, newer)


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_git_archive_writes_the_commit_and_its_tags_into_the_tree(tmp_path):
    def git(*words):
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "GIT_COMMITTER_DATE": f"{SECONDS} +0200"},
        ).stdout.strip()

    (tmp_path / "packaging").mkdir()
    for file in (".gitattributes", "packaging/commit"):
        shutil.copy(ROOT / file, tmp_path / file)
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    git("tag", "-a", "v1.1.0", "-m", "1.1.0")
    exported = git("archive", "HEAD", "packaging/commit")
    lines = [f"time={SECONDS}", f"commit={git('rev-parse', 'HEAD')}"]
    lines.append("names=HEAD -> main, tag: v1.1.0")
    assert "\n".join(lines) in exported
