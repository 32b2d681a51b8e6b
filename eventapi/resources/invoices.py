"""Invoices and credit notes."""
import hashlib

from eventapi import times
from eventapi.domain.billing import drafts, invoices, issuing, payments
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.billing.invoices import represent
from eventapi.domain.billing.issuing import OF_CREDIT_NOTES, TRANSITIONS
from eventapi.domain.records import numbering, references
from eventapi.domain.records.references import CONTACT, EVENT, PARTICIPANT
from eventapi.storage import files
from eventapi.storage.statements import statements
from eventapi.web.includes import ids_of
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, deleted, found, is_known, unchanged
from eventapi.web.routes import Routes

routes = Routes("invoices", "invoice", scope="invoices", flag="invoices", states=(TRANSITIONS, OF_CREDIT_NOTES))
sql = statements("invoices")
PDF = "application/pdf"


@routes.list("/invoices", query="invoice.query")
def list_invoices(db, query):
    query = {**references.filters(db, query, CONTACT, EVENT, PARTICIPANT), "today": times.today(db.config.timezone)}
    if query.get("status") == "overdue":
        del query["status"]
        query["overdue"] = 1
    elif query.get("status") in invoices.OPEN:
        query["not_overdue"] = 1
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/invoices", schema="invoice")
def create_invoice(db, body):
    invoice = drafts.create(db, body)
    return created(invoice, f"/invoices/{invoice['id']}")


@routes.get("/invoices/numbering", response="invoice.numbering")
def list_invoice_series(db):
    """List the number series, and the numbers that are missing from them.

    Numbers have no gaps unless invoices were lost, so `gaps` should be empty.
    """
    return numbering.series(db)


@routes.get("/invoices/<id>", query="invoice.one")
def get_invoice(db, id, query):
    return one(db, represent(get(db, id)), query, INCLUDES)


@routes.update("/invoices/<id>", schema="invoice")
def update_invoice(db, id, body):
    row = get(db, id)
    unchanged(represent(row))
    return response(*issuing.update(db, row, body))


@routes.delete("/invoices/<id>")
def delete_invoice(db, id):
    """Delete a draft."""
    drafts.delete(db, unchanged(represent(get(db, id))))
    return deleted()


@routes.post("/invoices/<id>/send", schema="invoice.send")
def send_invoice(db, id, body):
    """Send a draft: assign its number and lock it. If `mail` is set, mail it with its PDF to the contact.

    Unless `mail` is false, which is the default for an invoice that was taken over, `mail` in meta says whether the
    mail was `queued`, or `skipped` and for which `reason`: `no_address`, `smtp_not_configured`, `not_installed` (the
    package that draws the PDF) or `already_done`.
    """
    return response(*issuing.send(db, get(db, id), body["mail"]))


@routes.post("/invoices/<id>/refresh")
def refresh_invoice(db, id):
    """Rebuild the lines of a draft that POST /participants/{id}/invoice has written, from what is owed now.

    Lines that were added or edited by hand stay as they are, and claims that the draft does not bill are not added.
    """
    return represent(issuing.refresh(db, get(db, id)))


@routes.post("/invoices/<id>/cancel", schema="invoice.cancel")
def cancel_invoice(db, id, body):
    """Cancel an invoice by a credit note for all that is left of it.

    The credit note is mailed as an invoice is when it is sent.
    """
    return response(*issuing.cancel(db, get(db, id), body["reason"], body["mail"]))


@routes.post("/invoices/<id>/credit", schema="invoice.credit", status=201)
def credit_invoice(db, id, body):
    """Create and send a credit note for a part of an invoice. It is mailed as an invoice is when it is sent."""
    note, mail = issuing.credit(db, get(db, id), body["items"], body["text"], body["mail"])
    return created(represent(note), f"/invoices/{note['id']}", meta=meta(mail))


@routes.post("/invoices/<id>/remind", schema="invoice.remind")
def remind_invoice(db, id, body):
    """Record a reminder of an invoice that is due. If `mail` is set, mail it with the PDF to the contact."""
    return response(*issuing.remind(db, get(db, id), body["mail"], body["force"]))


@routes.post("/invoices/<id>/mail", schema="invoice.mail", status=202)
def mail_invoice(db, id, body):
    """Mail an invoice or credit note that was sent before, with its PDF. This can be repeated."""
    return response(*issuing.mail(db, get(db, id), body["to"], body["language"], body["text"]), status=202)


@routes.get("/invoices/<id>/pdf", query="invoice.pdf", forms=(PDF,))
def get_invoice_pdf(db, id, query):
    """Return the PDF of an invoice as it was sent, or of a draft as it would be sent.

    In another language than that of a sent invoice, the PDF is marked as a copy.
    """
    language = query.get("language")
    with db.snapshot():
        row = get(db, id)
        source = invoice_pdf.source(db, row)
    headers = {"Content-Type": PDF, "Content-Disposition": f'attachment; filename="{invoice_pdf.file_name(row)}"'}
    if not row["locked_at"]:
        return Response(body=invoice_pdf.draw_draft(db, row, *invoices.parties(db, row), language), headers=headers)
    if invoice_pdf.is_copy(row, language):
        headers["Content-Disposition"] = f'attachment; filename="{invoice_pdf.file_name(row, language)}"'
        return Response(body=invoice_pdf.draw_sent(db.config, source, language), headers=headers)
    body = None if row["pdf_sha256"] else invoice_pdf.draw_sent(db.config, source)
    sha256 = row["pdf_sha256"] or hashlib.sha256(body).hexdigest()
    headers["ETag"] = f'"{sha256}"'
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers={"ETag": headers["ETag"]})
    return Response(body=body or files.read(db.config, sha256), headers=headers)


def response(row, mail, **more):
    """Return the response to an action that may have mailed an invoice."""
    return Response(represent(row), meta=meta(mail), **more)


def meta(mail):
    """Return the meta of such a response. `mail` is the outcome of the mail, or None."""
    return {"mail": mail} if mail else {}


def get(db, id):
    return found(invoices.row(db, id), "invoice", id)


def include_items(db, records):
    parts = {row["id"]: row for row in db.all(sql.parts_of, ids=ids_of(records))}
    for invoice in records:
        invoice.update(invoices.represent_parts(parts[invoice["id"]], invoice["currency"]))


def include_payments(db, records):
    known = payments.of_invoices(db, ids_of(records))
    for invoice in records:
        invoice["payments"] = known.get(invoice["id"], [])


def include_contact(db, records):
    rows = db.all(sql.contacts_of, ids=ids_of(records, "contact_id"))
    contacts = {contact["id"]: contact for contact in rows}
    for invoice in records:
        invoice["contact"] = contacts[invoice["contact_id"]]


def include_allowed_actions(db, records):
    today = times.today(db.config.timezone)
    for invoice in records:
        invoice["allowed_actions"] = issuing.allowed_actions(invoice, today)


INCLUDES = {"items": include_items, "payments": include_payments, "contact": include_contact,
            "allowed_actions": include_allowed_actions}
