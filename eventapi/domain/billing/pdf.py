"""The PDF of an invoice: kept as it was sent, and drawn anew for a draft."""
import re

from eventapi.domain.billing import invoices
from eventapi.errors import Problem
from eventapi.pictures import invoice as picture
from eventapi.pictures.words import WORDS
from eventapi.storage import files
from eventapi.storage.statements import statements

sql = statements("invoicing")


def draw(row, seller, buyer):
    """The PDF as bytes, in the buyer's language where we speak it; 501 where reportlab or a font is missing."""
    language = (buyer.get("language") or "")[:2].lower()
    return picture.draw(invoices.represent(row), seller, buyer, language if language in WORDS else "en")


def keep(db, row):
    """Draws and stores a sent invoice, in its transaction; gives the sha256, or None where it cannot be drawn yet."""
    shown = invoices.represent(row)
    try:
        data = draw(row, shown["seller"], invoices.buyer_as_sent(shown))
    except Problem as problem:
        if problem.code != "not_installed":
            raise
        return None
    sha256 = files.store(db.config, data)
    db.run(sql.keep_pdf, id=row["id"], sha256=sha256)
    return sha256


def file_name(invoice):
    """The number as the name of a file."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", invoice["invoice_number"]) + ".pdf"
