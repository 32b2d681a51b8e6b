"""The fixture of the command line: commands in this process."""

import os

import pytest

from eventapi.cli import main


@pytest.fixture
def run(settings, tmp_path, monkeypatch, capsys):
    """Return a function that runs a command on the test's data and returns (exit code, lines of
    stdout, stderr).
    """
    monkeypatch.setenv("EVENTAPI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("EVENTAPI_CONFIG", str(tmp_path / "eventapi.conf"))
    mask = os.umask(0o022)

    def command(*words):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return code, said.out.splitlines(), said.err

    yield command
    os.umask(mask)
