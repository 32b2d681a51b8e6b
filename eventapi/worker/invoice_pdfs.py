"""Draw and store the PDFs of sent invoices (see domain/billing/pdf.py)."""

import logging
import time

from eventapi.domain.billing import pdf
from eventapi.errors import Problem
from eventapi.storage.errors import StorageError

EVERY = 60
ON_CHANGE = True
MAX_PER_ROUND = 100  # PDFs that are stored in one round; the other jobs wait meanwhile
PAUSE = 3600  # seconds until a PDF that needs a missing package is tried again
log = logging.getLogger("eventapi.worker.invoice_pdfs")
# (database, invoice id) -> (when its PDF is tried again, on the monotonic clock; what was installed
# when it failed)
postponed = {}
logged = set()  # (database, text) of the missing packages that were logged


def run(db, stopping):
    """Draw PDFs that are due.

    If one cannot be drawn, the others still are; then the last error is raised.

    Return whether more are due.
    """
    failure, stored, installed = None, 0, pdf.installed()
    for id in pdf.due(db):
        if stopping() or stored == MAX_PER_ROUND:
            return True
        if is_postponed(db, id, installed):
            continue
        try:
            pdf.store(db, id)
            stored += 1
        except StorageError:
            raise
        except Exception as error:
            if is_missing_package(error):
                postpone(db, id, error, installed)
            else:
                log.error("the PDF of invoice %s cannot be drawn: %s", id, error)
                failure = error
    if failure:
        raise failure
    return False


def is_postponed(db, id, installed):
    """Return whether the PDF must wait.

    It need not if a package was installed since the last attempt.
    """
    until, before = postponed.get((db.path, id), (0, None))
    return until > time.monotonic() and before == installed


def postpone(db, id, error, installed):
    """Try the PDF again after PAUSE, or once a package is installed. Log each missing package once."""
    if (db.path, error.detail) not in logged:
        log.warning(
            "the PDF of invoice %s, and perhaps others, is not drawn yet: %s", id, error.detail
        )
    logged.add((db.path, error.detail))
    postponed[db.path, id] = time.monotonic() + PAUSE, installed


def is_missing_package(error):
    """Return whether the error says that an optional package or font is not installed."""
    return isinstance(error, Problem) and error.code in ("not_installed", "fonts_missing")
