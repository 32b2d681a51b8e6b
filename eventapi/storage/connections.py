"""The database connections of an application: one per thread for reading, one per process for
writing.
"""

import threading
from typing import TYPE_CHECKING

from eventapi.storage.database import Database
from eventapi.storage.group_commit import Writer

if TYPE_CHECKING:
    from eventapi.config import Config

# kB of the page cache of each reading connection; the kernel caches the rest of the file
READER_CACHE = 300


class Connections:
    """Opens each connection when it is first used.

    A reading connection is closed when its thread ends.

    Invariant: a process has one Writer per database, since the write lock keeps one open
    transaction.
    """

    def __init__(self, config: "Config"):
        self._config = config
        self._thread, self._writer, self._opening_writer = threading.local(), None, threading.Lock()

    def reader(self) -> Database:
        """Return the reading connection of the calling thread.

        Handlers of GET requests use it without a lock.
        """
        db = getattr(self._thread, "db", None)
        if db is None:
            db = self._thread.db = Database(self._config)
            db.connection.execute(f"PRAGMA cache_size = -{READER_CACHE}")
        return db

    def writer(self) -> Writer:
        """Return the writing connection of the process.

        Use it only inside its `write()`, which holds the write lock.

        Raise ReadOnly if the database cannot be written.
        """
        with self._opening_writer:
            if self._writer is None:
                self._writer = Writer(self._config)
            return self._writer

    def close(self) -> None:
        """Close the writing connection and the reading connection of the calling thread."""
        with self._opening_writer:
            if self._writer is not None:
                self._writer.close()
                self._writer = None
        db = getattr(self._thread, "db", None)
        if db is not None:
            db.close()
            del self._thread.db
