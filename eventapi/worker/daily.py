"""Once a day, in a thread, so that a large database delays no other job: look for damage, gather
statistics, and keep the files of months that were closed by an earlier version.
"""

import logging
import os
import time
from threading import Thread

from eventapi.domain.books import keeping
from eventapi.storage import maintenance, schema
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError, mark_damaged

EVERY = 3600  # seconds between two looks at whether a day has passed
ON_CHANGE = False
DAY = 24 * 3600
log = logging.getLogger("eventapi.worker.daily")
running = {}  # database -> the thread that works on it
failed = set()  # databases for which the last thread did not finish its work


def run(db, stopping):
    """Start the thread, unless it is running, or the work was done less than a day ago, perhaps by
    another worker.
    """
    thread = running.get(db.path)
    if not (thread and thread.is_alive()) and is_due(db.path):
        failed.discard(db.path)
        running[db.path] = Thread(
            target=work, args=(db.config, stopping), daemon=True, name="daily"
        )
        running[db.path].start()


def finish(patience=None):
    """Wait until the threads have ended, at most `patience` seconds."""
    for thread in list(running.values()):
        thread.join(patience)


def is_due(database):
    """Return whether the work was not done within a day on this file.

    A restored database is another file.
    """
    try:
        inode, done_at = _record(database).read_text(encoding="utf-8").split()
    except (FileNotFoundError, ValueError):
        return True
    return inode != str(os.stat(database).st_ino) or not 0 <= time.time() - int(done_at) < DAY


def work(config, stopping):
    """Check the structure of the whole file, and mark the database if it is damaged.

    Else gather its statistics, and keep the recapitulative statements of months that were closed by
    an earlier version.

    Writers wait only for the short transactions of the statistics. Stop early if the worker has to
    stop.
    """
    db = Database(config)
    try:
        faults = schema.integrity_faults(db.connection, stopping, most=1)
        if faults:
            mark_damaged(config.database, faults[0])
            log.error("the database is damaged: %s. Restore a backup", faults[0])
        elif not stopping():
            maintenance.analyze(db)
            keeping.keep_missing(db, stopping)
            record = f"{os.stat(config.database).st_ino} {int(time.time())}\n"
            _record(config.database).write_text(record, encoding="utf-8")
    except (StorageError, OSError) as error:
        failed.add(db.path)
        log.error("the database could not be checked for damage: %s", error)
    finally:
        db.close()


def _record(database):
    return database.with_name(f"{database.name}.checked")
