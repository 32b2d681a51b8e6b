"""The files for DATEV of a closed month: kept when it is closed, and then the only ones that are
handed out.

The month is kept as four files: the bookings, the same with the documents of the column Beleglink,
the debtors, and the summaries of both with the list of documents. PDFs are stored already.
"""

import io
import json

from eventapi.domain.books import files
from eventapi.domain.datev import documents, export
from eventapi.storage.database import as_json

BOOKINGS, LINKED, DEBTORS, SUMS = (
    "datev_bookings",
    "datev_linked_bookings",
    "datev_debtors",
    "datev_sums",
)
NAMES = (BOOKINGS, LINKED, DEBTORS, SUMS)


# What is kept


def write(db, month):
    """Return the files of a month as {name: bytes}. The bookings are locked.

    Raise 409 `datev_incomplete`.
    """
    year, number = int(month[:4]), int(month[5:])
    listed = documents.listed(db, year, number)
    links = _links(listed)
    bookings = export.batch(db, year, number, is_kept=True)
    linked = export.batch(db, year, number, links, is_kept=True)
    debtors = export.debtor_file(db, year, number)
    sums = {"bookings": bookings.summary, "debtors": debtors.summary, "documents": listed}
    return {
        BOOKINGS: b"".join(bookings.pieces()),
        LINKED: b"".join(linked.pieces()),
        DEBTORS: b"".join(debtors.pieces()),
        SUMS: as_json(sums).encode(),
    }


# What is handed out


def batch(db, year, month=None):
    """Return the File of the bookings of a month or year: of a closed month, the one that was kept.

    Raise as `export.batch`.
    """
    with db.snapshot():
        return _kept(db, BOOKINGS, "bookings", year, month) or export.batch(db, year, month)


def debtor_file(db, year=None, month=None):
    """Return the File of the debtors: of a closed month, the one that was kept.

    Raise as `export.debtor_file`.
    """
    with db.snapshot():
        kept = _kept(db, DEBTORS, "debtors", year, month)
        return kept or export.debtor_file(db, year, month)


def archive(db, year, month=None):
    """Return the File of a month with its documents. Its bookings are those that were kept.

    Raise as `documents.archive`.
    """
    with db.snapshot():
        kept = _kept(db, LINKED, "bookings", year, month)
        links = _links(_sums(db, year, month)["documents"]) if kept else None
        return documents.archive(db, year, month, kept, links)


def _links(listed):
    """Return {invoice id: GUID of its document}."""
    return {document["invoice_id"]: document["guid"] for document in listed}


def _kept(db, name, summary, year, month):
    """Return a kept File, or None if there is none. `summary` names its part of the sums."""
    body = month and year and files.content(db, f"{year:04}-{month:02}", name)
    if not body:
        return None
    shown = _sums(db, year, month)[summary]
    return export.File(shown["file"], len(body), io.BytesIO(body), shown)


def _sums(db, year, month):
    """Return the summaries that were kept, and the list of documents."""
    return json.loads(files.content(db, f"{year:04}-{month:02}", SUMS))
