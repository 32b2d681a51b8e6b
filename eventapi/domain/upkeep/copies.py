"""Copies of backups on another machine: `backup_copy_command` is run with each verified backup.

The result of the last run is in the file `copy.json` beside the backups, for `eventapi` and
/metrics.
"""

import json
import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from eventapi.storage.backups import BackupError

NAME = "copy.json"
TIMEOUT = 3600  # seconds
SAID = 2000  # bytes of the output that are read, at its end


def copy(config, file):
    """Run `backup_copy_command` with the path of a backup as last argument, without a shell.

    Record the result.

    Return whether there is such a command. Raise BackupError if it fails.
    """
    command = config.backup_copy_command
    if not command:
        return False
    error = _run([*command, str(file)])
    copied = Path(file).name if error is None else last(config)["copied"]
    _record(config, {"copied": copied, "error": error})
    if error:
        raise BackupError(
            f"{file} was written and verified, but not copied: {error}; correct the option "
            "backup_copy_command, or what it calls"
        )
    return True


def last(config):
    """Return the result of the last run: `copied`, the name of the last backup that was copied, and
    `error`.

    Both are None without a result, and if the option is empty.
    """
    if not config.backup_copy_command:
        return {"copied": None, "error": None}
    try:
        return json.loads((config.backups / NAME).read_text(encoding="utf-8"))
    except (FileNotFoundError, PermissionError, ValueError):
        return {"copied": None, "error": None}


def _run(command):
    """Run a command.

    Return None if it succeeds, otherwise what went wrong, with the end of its output.
    """
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
        try:
            status = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            return f"{command[0]} was ended, because it took longer than {TIMEOUT // 60} minutes"
        finally:
            with suppress(ProcessLookupError):  # also what it has started, such as ssh
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if status == 0:
            return None
        output.seek(max(0, output.seek(0, os.SEEK_END) - SAID))
        said = output.read().decode("utf-8", "replace").split("\n")
    end = next((line.strip() for line in reversed(said) if line.strip()), "it printed nothing")
    ended = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
    return f"{command[0]} {ended}: {end[:300]}"


def _record(config, result):
    """Write the result of a run, so that readers see the old or the new one."""
    new = config.backups / f"{NAME}.new"
    new.write_text(json.dumps(result), encoding="utf-8")
    new.replace(config.backups / NAME)
