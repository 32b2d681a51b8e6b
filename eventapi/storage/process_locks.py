"""Locks between the processes that use a data directory.

Servers and workers share the lock of DATA_DIR/eventapi.running, and a restore holds it alone. The worker that sends
mails holds the lock of DATA_DIR/eventapi.mailing. The kernel releases a lock (flock) when its process ends; forked
processes share it.
"""
import fcntl
import os
from typing import IO, TYPE_CHECKING

from eventapi.paths import open_regular

if TYPE_CHECKING:
    from eventapi.config import Config


class InUse(Exception):
    """Another process holds the lock. The text says what to do."""


def together(config: "Config") -> IO:
    """Acquire the shared lock of the data until the returned file is closed. Raise InUse if a restore is running."""
    return _hold(config, "running", fcntl.LOCK_SH, "a restore is running; wait until it is done")


def alone(config: "Config") -> IO:
    """Acquire the exclusive lock of the data until the returned file is closed.

    Raise InUse if a server or worker is running.
    """
    return _hold(config, "running", fcntl.LOCK_EX, "a server or worker is running; stop it first")


def mailing(config: "Config") -> IO:
    """Acquire the lock of sending mails until the returned file is closed.

    Raise InUse if another worker sends mails.
    """
    return _hold(config, "mailing", fcntl.LOCK_EX, "another worker is sending mails; wait until it is done, or stop "
                                                   "it first")


def _hold(config, what, kind, refusal):
    # Opened for reading, so that processes of another user can lock a file that they may not write.
    file = os.fdopen(open_regular(config.data_dir / f"eventapi.{what}", os.O_RDONLY | os.O_CREAT))
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InUse(refusal) from None
    return file
