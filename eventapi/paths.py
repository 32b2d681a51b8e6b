"""The folders `sql`, `schemas`, `conf` and `docs`: beside the package in a checkout, inside it once
it is installed.

And what is asked of single files: whether they have content, and to open those in directories that
are not trusted.
"""

import errno
import os
import stat
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def folder(name):
    """Return the path of the folder `sql`, `schemas`, `conf` or `docs`."""
    installed = PACKAGE / name
    return installed if installed.is_dir() else PACKAGE.parent / name


def has_content(path):
    """Return whether a file exists and is not empty. An empty file is no database."""
    return path.exists() and path.stat().st_size > 0


class NotRegular(OSError):
    """A file is not a regular one, but a link, a pipe, a device or a folder."""

    def __init__(self, path):
        super().__init__(
            errno.ELOOP,
            "this is a link, a pipe, a device or a folder, and not a regular file. Find out "
            "who put it there, and remove it",
            str(path),
        )


def open_regular(path, flags, mode=0o640):
    """Open a regular file and return its descriptor. An opener for `open` and FileIO.

    Raise NotRegular for anything else, and touch nothing then: somebody who may write to the
    directory could have put it there, so that this process reads or writes another file.
    """
    try:
        # O_NONBLOCK: a pipe is not waited for. It has no effect on a regular file.
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise NotRegular(path) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegular(path)
    return handle
