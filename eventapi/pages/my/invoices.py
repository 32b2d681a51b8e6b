"""Invoices: the balance, what is open and paid, each as it was sent, and the code for a transfer."""

from eventapi.domain.billing import invoices, sending
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.einvoices_sent import transfers
from eventapi.domain.portal import reading
from eventapi.pages.my import page
from eventapi.storage import files
from eventapi.web import downloads
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("my-invoices", root="/my/<ref>", **page.PAGE)
RIGHT = "invoices"
PDF, XML, SVG = "application/pdf", "application/xml", "image/svg+xml"


@routes.get("/invoices")
def get_my_invoices(db, request):
    """Return the balance, and the invoices with what is open. Credit notes stand beside their invoice."""
    exhibitor = page.open_page(db, request, RIGHT)
    rows = reading.invoices_of(db, exhibitor.participant)
    owed = reading.owed(rows)
    notes = {}
    for row in rows:
        if row["invoice_type"] == "credit_note":
            notes.setdefault(row["related_invoice_id"], []).append(row)
    own = [
        {
            **row,
            "status": invoices.public_status(row),
            "notes": notes.get(row["id"], []),
            **payment(row, owed),
        }
        for row in rows
        if row["invoice_type"] == "invoice"
    ]
    return page.render_page(
        db,
        request,
        exhibitor,
        "invoices",
        invoices=own,
        balances=balances(own),
    )


def payment(row, owed):
    """Return how an invoice is paid: its seller as it was sent, the reference, and whether it has a GiroCode.

    The options may name another account meanwhile; its PDF and its GiroCode do not. `owed`: see reading.owed.
    """
    invoice = invoices.represent(row)
    # the code transfers what is open of the invoice, and credit may leave less to pay
    is_whole = owed.get(row["id"]) == row["open_amount"]
    return {
        "seller": invoice["seller"],
        "reference": invoice["payment_reference"],
        "has_giro": is_whole and bool(transfers.girocode_if_possible(invoice)),
    }


def balances(rows):
    """Return {currency, open, credit, balance} for each currency in which the exhibitor owes or is owed something."""
    found = {}
    for row in rows:
        currency = row["currency"]
        sums = found.setdefault(currency, {"currency": currency, "open": 0, "credit": 0})
        sums["open"] += max(row["open_amount"], 0)
        sums["credit"] += max(-row["open_amount"], 0)
    return [
        {**sums, "balance": sums["open"] - sums["credit"]}
        for sums in found.values()
        if sums["open"] or sums["credit"]
    ]


@routes.get("/invoices/<id:int>/pdf", forms=(PDF,))
def get_my_invoice_pdf(db, request, id):
    """Return the PDF of an invoice as it was sent."""
    row = asked(db, request, id)
    body = (
        files.read(db.config, row["pdf_sha256"])
        if row["pdf_sha256"]
        else invoice_pdf.draw_sent(db, invoice_pdf.source(db, row))
    )
    return file(PDF, invoice_pdf.file_name(row), body)


@routes.get("/invoices/<id:int>/xml", forms=(XML,))
def get_my_invoice_xml(db, request, id):
    """Return the e-invoice of an invoice as it was sent."""
    row = asked(db, request, id)
    page.found(row["xml_sha256"], "e-invoice", id)
    with db.snapshot():
        body = sending.xml(db, row, "en16931", "cii")
    return file(XML, invoice_pdf.file_name(row, extension="xml", words=[]), body)


@routes.get("/invoices/<id:int>/girocode", forms=(SVG,))
def get_my_girocode(db, request, id):
    """Return the code with which a banking app transfers what is open."""
    invoice = invoices.represent(asked(db, request, id))
    code = page.found(transfers.girocode_if_possible(invoice), "GiroCode", id)
    return page.attachment(
        Response(body=transfers.draw(invoice, code, SVG), headers={"Content-Type": SVG})
    )


def asked(db, request, id):
    exhibitor = page.open_page(db, request, RIGHT)
    return page.found(reading.invoice(db, exhibitor.participant, id), "invoice", id)


def file(kind, name, body):
    return page.attachment(
        Response(
            body=body,
            headers={
                "Content-Type": kind,
                "Content-Disposition": downloads.disposition("attachment", name),
            },
        )
    )
