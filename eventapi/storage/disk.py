"""Room on the disk of the data: how much is free, and whether the last write of any process found
none.

The mark is the empty file eventapi.full beside the database. An empty file needs no block of the
disk, so it can be created although no byte is free. Where not even that is possible, no file can be
created at all, and the figures of the file system say so.
"""

import logging
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from eventapi.paths import open_regular
from eventapi.storage.errors import Full

if TYPE_CHECKING:
    from eventapi.config import Config

LOW = 32_000_000  # bytes
NONE_LEFT = 1_000_000  # bytes; the changed pages of one request may need as much
log = logging.getLogger("eventapi.storage")


@dataclass(frozen=True, slots=True)
class Room:
    """The free space of a file system, in bytes, and `state`: ok, low, or full if writes are
    refused.
    """

    free: int
    state: str


class Watching:
    """Context manager of a write: set the mark if it fails because the disk is full."""

    __slots__ = ("database",)

    def __init__(self, database: Path):
        self.database = database

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Full):
            mark_full(self.database)


def mark_full(database: Path) -> None:
    """Record that a write found no space, for all processes."""
    try:
        os.close(open_regular(_mark(database), os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        log.warning("the full disk cannot be recorded: %s", error)


def forget_full(database: Path) -> None:
    """Remove the mark, after a write has succeeded.

    It fails no write: the system may refuse to remove a file, too.
    """
    try:
        os.unlink(_mark(database))
    except FileNotFoundError:
        pass
    except OSError as error:
        log.warning(
            "%s cannot be removed, so that the disk is shown as full: %s. Remove it",
            _mark(database),
            error.strerror,
        )


def room(config: "Config") -> Room:
    """Return the free space for the user of this process on the disk of the data, and its state."""
    facts = os.statvfs(config.data_dir)
    free = facts.f_bavail * facts.f_frsize
    has_no_entry = facts.f_files > 0 and facts.f_favail == 0  # no further file can be created
    if free < NONE_LEFT or has_no_entry or os.path.exists(_mark(config.database)):
        return Room(free, "full")
    return Room(free, "low" if free < LOW else "ok")


def mount_of(folder: Path) -> Path:
    """Return the path where the file system of the folder is mounted."""
    place = folder.resolve()
    while not os.path.ismount(place):
        place = place.parent
    return place


@cache  # every write asks
def _mark(database):
    return os.path.join(os.path.dirname(database), "eventapi.full")
