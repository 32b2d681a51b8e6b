"""Printing and posting of invoices, credit notes and dunning letters."""

from eventapi.domain.receivables import delivery, printing
from eventapi.web.rest import Response
from eventapi.web.routes import Routes

routes = Routes("invoices", "invoice", scope="invoices", flag="invoices")
PDF = "application/pdf"


@routes.get("/invoices/print", query="invoice.print", forms=(PDF,))
def print_invoices(db, query):
    """Return one PDF of dunning letters, invoices and credit notes, at most 200 documents.

    They are in the order of the names of the customers. A letter is followed by a copy of its
    invoice. `GET /invoices?delivery=to_print` and `GET
    /invoices/dunning/letters?delivery=to_print&open=1` list what has to be printed.
    """
    body = printing.draw(
        db, query.get("letters", ()), query.get("invoices", ()), bool(query["duplex"])
    )
    headers = {"Content-Type": PDF, "Content-Disposition": 'attachment; filename="print.pdf"'}
    return Response(body=body, headers=headers)


@routes.post(
    "/invoices/posted", schema="invoice.posted", response="invoice.posted_result", status=200
)
def post_invoices(db, body):
    """Record that invoices, credit notes and dunning letters were posted: all of them, or none.

    Their `delivery` must be `to_print` or `failed`, and becomes `posted`. The next dunning level of
    an invoice waits until its last letter was mailed or posted.
    """
    return Response(delivery.post(db, body), has_etag=False)
