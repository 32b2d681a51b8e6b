"""Bulk imports: those that wait run one after the other in a thread of their own, so that they
delay no other job.
"""

import logging
import time
from threading import Thread

from eventapi.domain.imports import job, runs
from eventapi.storage import maintenance
from eventapi.storage.database import Database
from eventapi.storage.errors import Busy, storage_error

EVERY = 5
ON_CHANGE = True
AFTER_FAILURE = 60  # seconds until the next attempt after an import failed
# of one import by a fault of the program: the next attempt would fail in the same way
MAX_FAILURES = 10
log = logging.getLogger("eventapi.worker.bulk_import")
running = {}  # database -> the thread that runs its imports
paused = {}  # database -> time of the next attempt, on the monotonic clock
failed = set()  # databases with an import that failed since its thread was started
failures = {}  # (database, id) -> how often the import has failed by a fault of the program


def run(db, stopping):
    """Start the thread, unless it is running or nothing waits."""
    thread = running.get(db.path)
    if (
        (thread and thread.is_alive())
        or time.monotonic() < paused.get(db.path, 0)
        or not runs.waiting(db)
    ):
        return
    failed.discard(db.path)
    running[db.path] = Thread(
        target=work, args=(db.config, stopping), daemon=True, name="bulk import"
    )
    running[db.path].start()


def finish(patience=None):
    """Wait until the threads have written their current batch, at most `patience` seconds."""
    for thread in list(running.values()):
        thread.join(patience)


def work(config, stopping):
    """Run all imports that wait. Then gather the statistics of the tables, which have grown."""
    db = Database(config)
    try:
        for id in runs.waiting(db):
            attempt(db, id, stopping)
        if not stopping():
            maintenance.analyze(db)
    finally:
        db.close()


def attempt(db, id, stopping):
    """Run an import.

    If it fails, the next ones still run, and it continues in a later round unless its file cannot
    be read. After MAX_FAILURES failures, it is ended. Faults of the storage, such as a full disk,
    do not count: they may pass.
    """
    try:
        if failures.get((db.path, id), 0) < MAX_FAILURES:
            job.run(db, id, stopping)
        else:
            job.give_up(db, id, MAX_FAILURES)
    except Busy as busy:
        log.warning("bulk import %s is postponed to the next round: %s", id, busy)
    except Exception as error:
        failed.add(db.path)
        paused[db.path] = time.monotonic() + AFTER_FAILURE
        if storage_error(error) is None:
            failures[db.path, id] = failures.get((db.path, id), 0) + 1
        log.exception("bulk import %s failed, next attempt in %d s", id, AFTER_FAILURE)
