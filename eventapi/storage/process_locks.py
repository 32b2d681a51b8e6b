"""Who works on the data: servers and workers hold DATA_DIR/eventapi.running together, restore holds it alone; who sends mails holds eventapi.mailing.

A lock (flock) goes with the process, however that ends, and is shared with processes forked from it.
"""
import fcntl
import os


class InUse(Exception):
    """Somebody holds the data; the text says what to do."""


def together(config):
    """Holds the data along with others for the life of this process, or raises InUse while a restore runs."""
    return _hold(config, "running", fcntl.LOCK_SH, "a restore is running; wait until it is done")


def alone(config):
    """Holds the data alone until the result is closed, or raises InUse while a server or worker runs."""
    return _hold(config, "running", fcntl.LOCK_EX, "a server or worker is running; stop it first")


def mailing(config):
    """Holds the sending of mails until the result is closed, or raises InUse while somebody else sends."""
    return _hold(config, "mailing", fcntl.LOCK_EX, "another worker is sending mails")


def _hold(config, what, kind, refusal):
    # Opened for reading, so that one user's file serves another's processes.
    file = os.fdopen(os.open(config.data_dir / f"eventapi.{what}", os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o640))
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise InUse(refusal) from None
    return file
