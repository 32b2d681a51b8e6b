"""The PDF of an invoice: a draft is drawn on demand; a sent invoice is drawn as it was sent, once, and stored.

Drawing takes too long for a write transaction. The transaction that sends an invoice therefore only stores the row in
`pdf_source` (`freeze`). The worker draws the PDF from it, and replaces `pdf_source` by `pdf_sha256` (`store`). A mail
with the invoice does the same before it is sent. Until then GET draws the PDF from `pdf_source` and stores nothing: the
same source always results in the same bytes. After a crash, `pdf_source` is still there, and the worker draws it again.
"""
import importlib.util
import json
import re

from eventapi.domain.billing import invoices
from eventapi.languages import choice
from eventapi.pictures.invoice import sheet as picture
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("invoicing")


def draw(config, row, seller, buyer, language, is_copy=False) -> bytes:
    """Return the PDF of an invoice. Raise 501 `not_installed` if reportlab or a font is missing."""
    return picture.draw(invoices.represent(row), seller, buyer, language, is_copy, config.organiser_logo)


def draw_draft(db, row, seller, buyer, language=None) -> bytes:
    """Return the PDF of a draft. `language` is that of the request. Raise 501 as `draw`."""
    chosen = choice.choose(db.config, language, row["language"], buyer.get("language"))
    return draw(db.config, {**row, **printed(db, row)}, seller, buyer, chosen)


def is_drawable() -> bool:
    """Return whether the package that draws a PDF is installed, without importing it: that would take too long in a
    write transaction. A font may still lack a letter.
    """
    return importlib.util.find_spec("reportlab") is not None


def freeze(db, row) -> None:
    """Store the row of an invoice that has just been sent as the source of its PDF. Internal notes are left out."""
    db.run(sql.freeze_pdf, id=row["id"], source=as_json({**row, **printed(db, row), "notes": None}))


def printed(db, row) -> dict:
    """Return what the PDF shows beside the fields of the invoice: `event_title` and `related_issue_date`."""
    return db.one(sql.printed, event_id=row["event_id"], related_invoice_id=row["related_invoice_id"])


def source(db, row) -> dict:
    """Return the row of a sent invoice as its PDF shows it. Read `row` in the same snapshot."""
    frozen = db.value(sql.pdf_source, id=row["id"])
    if frozen:
        return json.loads(frozen)
    row = {**as_sent(row), **(db.one(sql.due_date_as_sent, id=row["id"]) or {})}
    return {**row, **printed(db, row)}


def as_sent(row) -> dict:
    """Return the row of an invoice without its payments and credit notes, which the PDF as sent does not show."""
    if row["invoice_type"] == "credit_note":
        return row
    return {**row, "status": "sent", "paid_amount": 0, "credited": 0, "open_amount": row["total"],
            "related_invoice_id": None, "related_invoice_number": None}


def is_copy(row, language) -> bool:
    """Return whether the PDF of a sent invoice in this language is a copy: the invoice was sent in another one."""
    return language is not None and choice.available(language) != choice.available(row["language"])


def draw_sent(config, source, language=None) -> bytes:
    """Return the PDF of a sent invoice, drawn from its `source`, or a copy of it in another language.

    Raise 409 `anonymized`, or 501 as `draw`.
    """
    shown, chosen = invoices.represent(source), choice.available(language or source["language"])
    return draw(config, source, shown["seller"], invoices.buyer_as_sent(shown), chosen, is_copy(source, language))


def due(db) -> list[int]:
    """Return the ids of the sent invoices whose PDF must still be drawn."""
    return db.values(sql.pdfs_due)


def store(db, id: int) -> None:
    """Draw and store the PDF of a sent invoice, unless it is stored already or its buyer was anonymised.

    No transaction may be open. Two callers at once draw the same bytes, and the second changes nothing.
    """
    frozen = db.value(sql.pdf_source, id=id)
    if frozen is None:
        return
    sha256 = files.store(db.config, draw_sent(db.config, json.loads(frozen)))
    with db.write():
        db.run(sql.keep_pdf, id=id, sha256=sha256)


def file_name(invoice, copy_in=None) -> str:
    """Return the invoice number as the name of a file. `copy_in` is the language of a copy, or None."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", invoice["invoice_number"])
    return f"{name}-{choice.available(copy_in)}.pdf" if copy_in else f"{name}.pdf"
