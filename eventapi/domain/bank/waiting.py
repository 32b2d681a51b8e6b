"""Statements that wait at the desk until the admin who sent them has said how to read them.

They are files beside those of the store: no record names them, no backup contains them, and
housekeeping deletes them after a day.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from eventapi.storage import files

if TYPE_CHECKING:
    from eventapi.config import Config

LONGEST = 24 * 3600  # seconds that a file waits
MOST_IDS = 10**15


def keep(config: "Config", admin_id: int, upload: files.Upload) -> int:
    """Let a received file wait for its admin, in place of an earlier one, and return its id."""
    for path in _paths(config, admin_id).values():
        path.unlink(missing_ok=True)
    id = secrets.randbelow(MOST_IDS) + 1
    files.set_aside(config, upload, f"{_prefix(admin_id)}{id}")
    return id


@contextmanager
def opened(config: "Config", admin_id: int, id: int) -> Iterator[BinaryIO | None]:
    """Yield the file of this admin with this id, open for reading, or None if none is waiting."""
    path = _paths(config, admin_id).get(id)
    try:
        file = files.opened(path) if path and _is_fresh(path) else None
    except FileNotFoundError:  # another request has just read or replaced it
        file = None
    if file is None:
        yield None
        return
    with file:
        yield file


def current(config: "Config", admin_id: int) -> int | None:
    """Return the id of the file that waits for this admin, or None."""
    paths = _paths(config, admin_id)
    return next((id for id, path in paths.items() if _is_fresh(path)), None)


def discard(config: "Config", admin_id: int, id: int) -> None:
    """Delete the file of this admin with this id, if it is there."""
    if path := _paths(config, admin_id).get(id):
        path.unlink(missing_ok=True)


def _paths(config, admin_id):
    """Return {id: path} of the files of this admin."""
    prefix = _prefix(admin_id)
    found = files.set_aside_as(config, prefix)
    return {int(name.removeprefix(prefix)): path for name, path in found.items()}


def _prefix(admin_id):
    return f"statement-{admin_id}-"


def _is_fresh(path):
    try:
        return path.lstat().st_mtime > time.time() - LONGEST
    except FileNotFoundError:
        return False
