"""`backup_copy_command`: run after each verified backup, without a shell, and ended when it takes
too long.
"""

import json
import os
import stat
import time
from pathlib import Path

import pytest

from eventapi.domain.upkeep import copies
from eventapi.storage.backups import BackupError
from eventapi.validation import options
from tests.cli.conftest import run  # noqa: F401  a fixture


def result(settings):
    return json.loads((settings.backups / "copy.json").read_text())


@pytest.fixture
def program(settings, tmp_path):
    """Return a function that writes a script, sets it as the command, and copies a backup with it."""
    settings.backups.mkdir(parents=True)
    file = settings.backups / "eventapi-20261120T023000Z.tar"
    file.write_bytes(b"backup")

    def copy(script, *words):
        path = tmp_path / "copy-backup"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        settings.backup_copy_command = (str(path), *words)
        return copies.copy(settings, file)

    return copy


def test_the_command_gets_its_words_and_the_file_without_a_shell(program, settings, tmp_path):
    assert program('printf "%s\\n" "$@" > ' + str(tmp_path / "words"), "a b", "$HOME;id")
    file = settings.backups / "eventapi-20261120T023000Z.tar"
    assert (tmp_path / "words").read_text().splitlines() == ["a b", "$HOME;id", str(file)]
    assert result(settings) == {"copied": file.name, "error": None}


@pytest.mark.parametrize(
    "script, said",
    [
        (
            "echo started; echo 'ssh: no route to host' >&2; echo; exit 255",
            "ended with status 255: ssh: no route to host",
        ),
        ("exit 3", "ended with status 3: it printed nothing"),
        ("kill -9 $$", "was ended by signal 9: it printed nothing"),
        ("head -c 9000000 /dev/zero | tr '\\0' x; exit 1", "ended with status 1: xxx"),
    ],
)
def test_a_failure_is_reported_and_recorded_until_the_next_success(program, settings, script, said):
    program("exit 0")
    with pytest.raises(BackupError, match="was written and verified, but not copied") as failed:
        program(script)
    assert said in str(failed.value) and len(str(failed.value)) < 1000
    assert (
        result(settings)["copied"] == "eventapi-20261120T023000Z.tar"
        and said in result(settings)["error"]
    )
    program("exit 0")
    assert result(settings)["error"] is None


def test_a_command_that_does_not_exist_is_named(program, settings):
    program("exit 0")
    settings.backup_copy_command = ("/nonexistent/rsync",)
    with pytest.raises(BackupError, match="/nonexistent/rsync: No such file or directory"):
        copies.copy(settings, "x.tar")


def test_a_command_that_takes_too_long_is_ended_with_what_it_has_started(
    program, settings, tmp_path, monkeypatch
):
    monkeypatch.setattr(copies, "TIMEOUT", 0.5)
    start = time.monotonic()
    with pytest.raises(BackupError, match="took longer than"):
        program(f"sleep 60 & echo $! > {tmp_path}/child; wait")
    assert time.monotonic() - start < 20
    state = Path("/proc", (tmp_path / "child").read_text().strip(), "stat")
    for _ in range(100):
        if not state.exists() or state.read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the program that the command had started still runs")


def test_the_backup_command_copies_the_verified_backup(
    run,  # noqa: F811
    organiser,
    settings,
    tmp_path,
    monkeypatch,
):
    organiser.make("/events", {"title": "Fair"})
    target = tmp_path / "elsewhere"
    target.mkdir()
    # The mark exists before the copy: only a verified backup is copied.
    script = tmp_path / "copy-backup"
    script.write_text('#!/bin/sh\n[ -e "$2.verified" ] && cp "$2" "$1"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EVENTAPI_BACKUP_COPY_COMMAND", f"{script} '{target}'")
    code, (file,), error = run("backup")
    assert (code, error) == (0, "")
    assert (target / os.path.basename(file)).read_bytes() == Path(file).read_bytes()
    monkeypatch.setenv("EVENTAPI_BACKUP_COPY_COMMAND", "/bin/false")
    time.sleep(1)  # another second, another name
    code, (file,), error = run("backup")
    assert code == 1 and os.path.exists(f"{file}.verified")
    assert (
        f"{file} was written and verified, but not copied: /bin/false ended with status 1" in error
    )
    assert "; correct the option backup_copy_command" in error
    monkeypatch.setenv("EVENTAPI_BACKUP_COPY_COMMAND", str(script))
    assert run("backup", str(tmp_path / "by-hand.tar"))[0] == 0 and result(settings)["error"], (
        "not copied: by hand"
    )


def test_quotes_of_the_option_are_read_as_in_a_shell():
    assert options.words("") == ()
    assert options.words('/usr/bin/copy -e "a b"') == ("/usr/bin/copy", "-e", "a b")
    with pytest.raises(ValueError, match="quotes"):
        options.words("/usr/bin/copy 'a")
