"""Draw and store the PDFs of sent invoices (see domain/billing/pdf.py)."""
import logging
import time

from eventapi.domain.billing import pdf
from eventapi.errors import Problem
from eventapi.storage.errors import StorageError

EVERY = 60
ON_CHANGE = True
MAX_PER_ROUND = 100          # PDFs that are stored in one round; the other jobs wait meanwhile
PAUSE = 3600                 # seconds until a PDF that needs a missing package is tried again
log = logging.getLogger("eventapi.worker.invoice_pdfs")
postponed = {}               # (database, invoice id) -> when its PDF is tried again, on the monotonic clock


def run(db, stopping):
    """Draw PDFs that are due. If one cannot be drawn, the others still are; then the last error is raised.

    Return whether more are due.
    """
    failure, stored = None, 0
    for id in pdf.due(db):
        if stopping() or stored == MAX_PER_ROUND:
            return True
        if postponed.get((db.path, id), 0) > time.monotonic():
            continue
        try:
            pdf.store(db, id)
            stored += 1
        except StorageError:
            raise
        except Exception as error:
            if is_missing_package(error):
                postpone(db, id, error)
            else:
                log.error("the PDF of invoice %s cannot be drawn: %s", id, error)
                failure = error
    if failure:
        raise failure
    return False


def postpone(db, id, error):
    """Try the PDF again after PAUSE. Log the missing package once per invoice."""
    if (db.path, id) not in postponed:
        log.warning("the PDF of invoice %s is not drawn yet: %s", id, error.detail)
    postponed[db.path, id] = time.monotonic() + PAUSE


def is_missing_package(error):
    """Return whether the error says that an optional package is not installed."""
    return isinstance(error, Problem) and error.code == "not_installed"
