"""Look for damage of the database once a day, in a thread, so that a large database delays no other job."""
import logging
from threading import Thread

from eventapi.storage import schema
from eventapi.storage.database import Database
from eventapi.storage.errors import StorageError, mark_damaged

EVERY = 24 * 3600
ON_CHANGE = False
log = logging.getLogger("eventapi.worker.damage_check")
running = {}                 # database -> the thread that checks it
failed = set()               # databases whose last check did not end


def run(db, stopping):
    """Start the check, unless it is running."""
    thread = running.get(db.path)
    if not (thread and thread.is_alive()):
        failed.discard(db.path)
        running[db.path] = Thread(target=check, args=(db.config, stopping), daemon=True, name="damage")
        running[db.path].start()


def finish(patience=None):
    """Wait until the checks have ended, at most `patience` seconds."""
    for thread in list(running.values()):
        thread.join(patience)


def check(config, stopping):
    """Check the structure of the whole file, and mark the database if it is damaged.

    Writers are not blocked. Stop early if the worker has to stop.
    """
    db = Database(config)
    try:
        faults = schema.integrity_faults(db.connection, stopping, most=1)
    except StorageError as error:
        failed.add(db.path)
        log.error("the database could not be checked for damage: %s", error)
        return
    finally:
        db.close()
    if faults:
        mark_damaged(config.database, faults[0])
        log.error("the database is damaged: %s. Restore a backup", faults[0])
