"""Bulk imports: what waits is run in a thread of its own, so that no other job waits for it; one import after the other."""
import logging
from threading import Thread

from eventapi.domain.imports import runs as import_runs
from eventapi.storage.database import Database

EVERY = 5
ON_CHANGE = True
log = logging.getLogger("eventapi.worker.bulk_import")
running = {}                 # database -> its thread


def run(db, stopping):
    thread = running.get(db.path)
    if (thread is None or not thread.is_alive()) and import_runs.waiting(db):
        running[db.path] = Thread(target=work, args=(db.config, stopping), daemon=True, name="bulk import")
        running[db.path].start()


def finish(patience=None):
    """Waits for the piece that is being written: so many seconds, or to the end."""
    for thread in list(running.values()):
        thread.join(patience)


def work(config, stopping):
    db = Database(config)
    try:
        for id in import_runs.waiting(db):
            attempt(db, id, stopping)
    finally:
        db.close()


def attempt(db, id, stopping):
    """An import that fails does not hold up those that follow; unless its file cannot be read, it goes on in a later round."""
    try:
        import_runs.carry_on(db, id, stopping)
    except Exception:
        log.exception("bulk import %s failed", id)
