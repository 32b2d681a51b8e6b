"""Locks between the processes that use a data directory or a folder of backups.

Servers, workers and commands that write share the lock of DATA_DIR/eventapi.running; a restore, and
an upgrade of the database, hold it alone. Upgrades wait for each other at
DATA_DIR/eventapi.migrating. The worker that sends mails holds the lock of
DATA_DIR/eventapi.mailing. A scratch folder is locked while its process uses it. The kernel releases
a lock (flock) when its process ends; forked processes share it.
"""

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, TYPE_CHECKING

from eventapi.paths import has_content, open_regular
from eventapi.storage import holders

if TYPE_CHECKING:
    from eventapi.config import Config


# prefixes of scratch folders
RESTORE = ".restore-"
COPY = ".eventapi-backup-"
TRIAL = ".eventapi-check-"
LONGEST_UPGRADE = 600  # seconds


class InUse(Exception):
    """Another process holds the lock. The text says what to do."""


def together(config: "Config") -> IO:
    """Acquire the shared lock of the data until the returned file is closed.

    Raise InUse if an upgrade of the database or a restore is running.
    """
    return _hold(
        config,
        "running",
        fcntl.LOCK_SH,
        lambda file: "an upgrade or a restore is running; wait until it is done",
    )


def alone(config: "Config") -> IO:
    """Acquire the exclusive lock of the data until the returned file is closed.

    Raise InUse if a server, a worker or a command that writes is running.
    """
    return _hold(config, "running", fcntl.LOCK_EX, holders.refusal)


def alone_if_used(config: "Config") -> IO:
    """Acquire the exclusive lock like `alone`, unless neither a database nor the file of the lock
    exists.

    Nothing can start then, and the file would be a sign of a lost database. Return another file in
    that case.
    """
    if (config.data_dir / "eventapi.running").exists() or has_content(config.database):
        return alone(config)
    return open(os.devnull, "rb")


def migrating(config: "Config", tell: Callable[[str], None]) -> IO:
    """Acquire the lock of upgrades until the returned file is closed.

    Wait for another upgrade, and `tell` that.

    Raise InUse if it takes longer than LONGEST_UPGRADE.
    """
    file, ends, is_told = _opened(config, "migrating"), time.monotonic() + LONGEST_UPGRADE, False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > ends:
                with file:
                    raise InUse(
                        "another upgrade of this database has run for ten minutes; wait until it is done, or "
                        "look at what it does"
                    ) from None
        if not is_told:
            tell("another upgrade of this database is running; waiting until it is done")
            is_told = True
        time.sleep(0.2)


def mailing(config: "Config") -> IO:
    """Acquire the lock of sending mails until the returned file is closed.

    Raise InUse if another worker sends mails.
    """
    return _hold(
        config,
        "mailing",
        fcntl.LOCK_EX,
        lambda file: "another worker is sending mails; wait until it is done, or stop it first",
    )


def _hold(config, what, kind, refusal):
    file = _opened(config, what)
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        with file:
            raise InUse(refusal(file)) from None
    return file


def _opened(config, what):
    """Return the file of a lock, open for reading, so that processes of another user can lock what
    they cannot write.

    If root creates it, it gets the owner of the folder, since the service must be able to open it.
    A systemd unit that runs as root may deny that.
    """
    path = config.data_dir / f"eventapi.{what}"
    with suppress(FileNotFoundError):
        return os.fdopen(open_regular(path, os.O_RDONLY))
    try:
        file = os.fdopen(open_regular(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:  # another process has just created it, or a link leads nowhere
        return os.fdopen(open_regular(path, os.O_RDONLY))
    if os.geteuid() == 0:
        folder = os.stat(config.data_dir)
        with suppress(PermissionError):
            os.fchown(file.fileno(), folder.st_uid, folder.st_gid)
    return file


@contextmanager
def scratch(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder in `parent` whose name begins with `prefix`. Delete it after the block.

    Delete the folders that killed processes have left first, because each may be as large as all
    data.
    """
    with _folder_lock(parent):
        _remove_unused(parent, prefix)
        folder = Path(mkdtemp(prefix=prefix, dir=parent))
        lock = _lock(folder, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
        os.close(lock)


def remove_scratch(config: "Config") -> None:
    """Delete the scratch folders in the folders of the data, files and backups that no process uses
    any more.
    """
    for parent, prefixes in (
        (config.data_dir, (RESTORE, COPY)),
        (config.files.resolve(), (RESTORE,)),
        (config.backups, (COPY, TRIAL)),
    ):
        if parent.is_dir() and any(entry.name.startswith(prefixes) for entry in parent.iterdir()):
            with _folder_lock(parent):
                for prefix in prefixes:
                    _remove_unused(parent, prefix)


def _remove_unused(parent, prefix):
    for folder in parent.glob(f"{prefix}*"):
        # a running process uses it; it is no folder
        with suppress(BlockingIOError, NotADirectoryError):
            lock = _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                shutil.rmtree(folder)
            finally:
                os.close(lock)


@contextmanager
def _folder_lock(folder):
    lock = _lock(folder, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


def _lock(folder, kind):
    """Return a descriptor of the folder that holds its lock."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, kind)
    except BaseException:
        os.close(handle)
        raise
    return handle
