"""Protection against a lost database: an empty one is created only where no other has been."""

import tarfile
import time

from eventapi.storage import backups
from eventapi.storage.migrations import SchemaError

# a younger lock file may be of another process that creates the database at the same time
SECONDS = 60


class Lost(SchemaError):
    """The database is missing where there was one. The text says what to do, in one line."""


def refuse_lost(config):
    """Raise Lost if the data directory or the backups show that a database was here."""
    found = list(_backups(config))
    traces = [*_traces(config), *found]
    if not traces:
        return
    complete = [file for file in found if file.suffix != ".partial"]
    backup = max(complete, key=lambda file: file.stat().st_mtime, default=None)
    remedy = (
        f"Restore the newest backup with 'eventapi restore {backup}'"
        if backup
        else "Restore a backup"
    )
    asides = [
        file
        for file in config.data_dir.glob("eventapi.db.before-restore-*")
        if not file.name.endswith("-wal")
    ]
    if asides:  # an earlier version could be killed after it had renamed the database
        remedy += f", or rename {max(asides)} and its file -wal back if a restore was interrupted"
    raise Lost(
        f"the database {config.database} is missing or empty, but {traces[0]} shows that there was one. Check "
        f"that the file system is mounted. {remedy}, or run 'eventapi migrate --new' to begin with an empty "
        "database"
    )


def _traces(config):
    """Yield the paths that only exist where there was a database: stored files, replaced data and
    locks.
    """
    folder = config.data_dir
    if config.files.is_dir() and any(file.name != "lost+found" for file in config.files.iterdir()):
        yield config.files
    yield from folder.glob("*.before-restore-*")
    yield from folder.glob("eventapi.running")
    yield from (
        lock
        for lock in folder.glob("eventapi.db.lock")
        if time.time() - lock.stat().st_mtime > SECONDS
    )


def _backups(config):
    """Yield the backups beside the database and in the directory for backups: `eventapi backup
    FILE` takes any name.
    """
    yield from (file for file in config.backups.glob("*.tar*") if file.suffix != ".verified")
    for file in (*config.backups.glob("*"), *config.data_dir.glob("*")):
        if file.is_file() and ".tar" not in file.name and is_backup(file):
            yield file


def is_backup(path):
    """Return whether a file begins as a backup does. An unfinished backup does as well."""
    try:
        with tarfile.open(path, mode="r:") as tar:
            first = tar.next()
            return first is not None and first.name == backups.DATABASE
    except (OSError, tarfile.TarError):
        return False
