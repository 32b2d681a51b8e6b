"""Draw and store the PDFs of sent invoices (see domain/billing/pdf.py)."""
import logging

from eventapi.domain.billing import pdf
from eventapi.errors import Problem
from eventapi.storage.errors import StorageError

EVERY = 60
ON_CHANGE = True
log = logging.getLogger("eventapi.worker.invoice_pdfs")
reported = set()             # (database, invoice id) of PDFs that need a missing package: each is logged once


def run(db, stopping):
    """Draw all PDFs that are due. If one cannot be drawn, the others still are; then the last error is raised."""
    failure = None
    for id in pdf.due(db):
        if stopping():
            return
        try:
            pdf.store(db, id)
        except StorageError:
            raise
        except Exception as error:
            if not is_missing_package(error):
                log.error("the PDF of invoice %s cannot be drawn: %s", id, error)
                failure = error
            elif (db.path, id) not in reported:
                reported.add((db.path, id))
                log.warning("the PDF of invoice %s is not drawn yet: %s", id, error.detail)
    if failure:
        raise failure


def is_missing_package(error):
    """Return whether the error says that an optional package is not installed."""
    return isinstance(error, Problem) and error.code == "not_installed"
