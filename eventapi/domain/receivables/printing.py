"""One PDF of many documents, to be printed: dunning letters with a copy of their invoice, invoices
and credit notes.

pypdf, which is optional, joins the PDFs, and keeps what it joins in memory. So at most MOST
documents are joined, and a process joins one PDF at a time: 200 letters with their invoices, 22 MB
of PDF, take 110 MB meanwhile.
"""

from importlib.util import find_spec
from io import BytesIO
from threading import Lock

from eventapi.domain.billing import invoices, pdf
from eventapi.domain.dunning import letters as dunning_letters
from eventapi.domain.receivables import documents
from eventapi.errors import Problem, invalid_parameter, not_found
from eventapi.storage import files, folding

MOST = 200
one_at_a_time = Lock()


def draw(db, letter_ids, invoice_ids, is_duplex) -> bytes:
    """Return one PDF of letters and invoices, by the name of the customer.

    A letter is followed by its invoice. `is_duplex` adds an empty page to each PDF with an odd
    number of pages, so that none begins on the back of another.

    No transaction may be open. Raise 422 for more than MOST documents, 404 for an unknown id, 409
    `invalid_transition` for a draft, 501 `not_installed` without pypdf, and what drawing a letter
    or an invoice raises.
    """
    letter_ids, invoice_ids = dict.fromkeys(letter_ids), dict.fromkeys(invoice_ids)
    count = len(letter_ids) + len(invoice_ids)
    if count > MOST:
        raise invalid_parameter(
            "invoices",
            "max_items",
            f"and `letters` must name at most {MOST} documents, but name {count}. Send several requests",
        )
    _require_pypdf()
    with db.snapshot():
        found = [
            *_found(documents.letters(db, letter_ids), letter_ids, "dunning letter"),
            *_found(documents.sent_invoices(db, invoice_ids), invoice_ids, "invoice"),
        ]
        _refuse_drafts(found)
        sources = [_invoice(db, document.row) for document in found]
    pairs = sorted(zip(found, sources, strict=True), key=lambda pair: _place(pair[0]))
    with one_at_a_time:
        return _joined(_drawn(db, pairs), is_duplex)


def _found(known, ids, noun):
    """Return the documents in the order of their ids. Raise 404 for the first that is unknown."""
    for id in ids:
        if id not in known:
            raise not_found(noun, id)
    return [known[id] for id in ids]


def _refuse_drafts(found):
    """Raise 409 `invalid_transition` for a draft."""
    for document in found:
        if not document.row["locked_at"]:
            raise Problem(
                "invalid_transition",
                f"{document.name} is a draft, which has no number yet. Send it with POST "
                "/invoices/{id}/send, then print it.",
                state="draft",
                allowed_from=["sent"],
                allowed_actions=["send"],
            )


def _require_pypdf():
    """Raise 501 `not_installed` without pypdf."""
    if find_spec("pypdf") is None:
        raise Problem(
            "not_installed",
            "One PDF of many documents requires pypdf. Install python3-pypdf (or 'pip install "
            "pypdf') on the server. Meanwhile, GET /invoices/{id}/pdf and GET "
            "/invoices/{id}/dunning/{item_id}/pdf return the documents one by one.",
        )


def _invoice(db, row):
    """Return the SHA-256 of the stored PDF of an invoice, or what it is drawn from."""
    return row["pdf_sha256"] or pdf.source(db, row)


def _place(document):
    """Return the place of a document: the documents of a customer follow each other."""
    row = document.row
    name = invoices.buyer_as_sent(invoices.represent(row))["name"] or ""
    return folding.fold(name), row["contact_id"], document.letter is None, row["id"]


def _drawn(db, pairs):
    """Yield the PDFs of the documents, each once it is needed."""
    for document, source in pairs:
        if document.letter:
            yield dunning_letters.draw(db, invoices.represent(document.row), document.letter)
        is_stored = isinstance(source, str)
        yield files.read(db.config, source) if is_stored else pdf.draw_sent(db, source)


def _joined(pdfs, is_duplex):
    """Return one PDF with the pages of all."""
    import pypdf

    writer = pypdf.PdfWriter()
    for each in pdfs:
        pages = pypdf.PdfReader(BytesIO(each)).pages
        for page in pages:
            writer.add_page(page)
        if is_duplex and len(pages) % 2:
            writer.add_blank_page()
    file = BytesIO()
    writer.write(file)
    return file.getvalue()
