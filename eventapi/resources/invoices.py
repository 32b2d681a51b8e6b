"""Invoices and credit notes."""

import hashlib

from eventapi import money, times
from eventapi.calls import batches
from eventapi.domain.billing import (
    deposits,
    drafts,
    invoices,
    issuing,
    payments,
    sending,
    treatments,
    write_offs,
)
from eventapi.domain.billing import pdf as invoice_pdf
from eventapi.domain.billing.invoices import represent
from eventapi.domain.billing.issuing import OF_CREDIT_NOTES, TRANSITIONS
from eventapi.domain.dunning import sending as dunning_letters
from eventapi.domain.einvoices_sent import transfers
from eventapi.domain.mail import deliveries
from eventapi.domain.receivables import offsets
from eventapi.domain.records import numbering, references
from eventapi.domain.records.references import CONTACT, EVENT, PARTICIPANT
from eventapi.errors import invalid_parameter
from eventapi.plugins.access import require_scope
from eventapi.storage import files, folding
from eventapi.storage.statements import statements
from eventapi.web.includes import ids_of, include_found
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, found, is_known, picture, require_match
from eventapi.web.routes import Desk, Routes

routes = Routes(
    "invoices", "invoice", scope="invoices", flag="invoices", states=(TRANSITIONS, OF_CREDIT_NOTES)
)
sql = statements("invoices")
PDF, XML = "application/pdf", "application/xml"


@routes.list("/invoices", query="invoice.query")
def list_invoices(db, query):
    if "invoice_number" in query:
        if "number" in query:
            raise invalid_parameter(
                "invoice_number", "excluded", "is another name of `number`. Send one of them"
            )
        query["number"] = query.pop("invoice_number")
    if "search" in query:
        query["search"] = folding.expression(query["search"])
    query = {
        **references.filters(db, query, CONTACT, EVENT, PARTICIPANT),
        "today": times.today(db.config.timezone),
    }
    if query.get("status") == "overdue":
        del query["status"]
        query["overdue"] = 1
    elif query.get("status") in invoices.OPEN:
        query["not_overdue"] = 1

    def totals(rows):
        return money.by_currency(rows(sql.totals), ("invoiced", "open"), db.config.currency)

    return page(db, sql.list, deliveries.lines(query), represent, INCLUDES, totals)


@routes.post("/invoices", schema="invoice", rolls_back=True)
def create_invoice(db, body):
    return created(drafts.create(db, body), "/invoices")


@routes.get("/invoices/numbering", response="invoice.numbering")
def list_invoice_series(db):
    """List the number series, and the numbers that are missing from them.

    Numbers have no gaps unless invoices were lost, so `gaps` should be empty.
    """
    return numbering.series(db)


@routes.get("/invoices/<id>", query="invoice.one")
def get_invoice(db, id, query):
    return one(db, represent(get(db, id)), query, INCLUDES)


@routes.update("/invoices/<id>", schema="invoice", rolls_back=True)
def update_invoice(db, id, body):
    return response(*issuing.update(db, require_match(get(db, id), represent), body))


@routes.delete("/invoices/<id>", desk=Desk(is_final=True))
def delete_invoice(db, id):
    """Delete a draft."""
    drafts.delete(db, require_match(represent(get(db, id))))


@routes.post(
    "/invoices/<id>/send",
    schema="invoice.send",
    desk=Desk(fields=("mail", "offset"), batch=("mail", "offset")),
)
def send_invoice(db, who, id, body):
    """Send a draft: assign its number and lock it.

    If `mail` is set, mail it with its PDF to the contact. `delivery` says what becomes of it: an
    invoice whose mail is skipped, or that is for the post, has to be printed. With `offset`,
    `offsets` in meta names the other invoices whose credit was counted, or which the credit of this
    one has paid, each with the amount.

    Unless `mail` is false or `post`, which is the default for an invoice that was taken over, `mail` in meta
    says whether the mail was `queued`, or `skipped` and for which `reason`: `no_address`,
    `smtp_not_configured`, `not_installed` (a package that draws the PDF), `fonts_missing` or
    `already_done`. `no_e_invoice` in meta says why the invoice has no e-invoice. `warnings` in meta
    names what is unusual: `export_within_eu`, `reverse_charge_at_home`, `low_tax_rate`,
    `service_date_far`, `name_without_letters`, `text_direction` (an invisible character turns the
    direction of a text), `no_postal_code`, `no_vat_id`, `missing_glyph` (a character that no font
    of the server has: the PDF shows □ in its place, and the e-invoice keeps it), `no_service_date`
    (the day of issue counts as the day of the supply), `service_dates_of_event` (days outside of
    those of the event), `no_bank_account` (something is to be paid, and `organiser_iban` is empty),
    `late_reverse_charge`, `zero_rate` (the organiser's country has none for a show), or a warning
    of the tax treatment: `standard_rate_abroad`, `vat_id_abroad`, `vat_id_home`,
    `no_vat_id_abroad`, `vat_id_invalid`, `business_unproven`, `vat_id_unchecked`,
    `treatment_differs`, `small_business_abroad` or `event_abroad`. `values` has the facts of the
    sentence.
    """
    if body["offset"]:
        require_scope(who, "payments", writes=True)
    draft = get(db, id)
    row, mail, offset = offsets.send(
        db, draft, body["mail"], body["payments"] or (), offset=body["offset"]
    )
    is_lacking = row["xml_sha256"] is None and not row["taken_over"]
    reason = {"no_e_invoice": sending.refusal(row).detail} if is_lacking else {}
    glyphs = () if invoice_pdf.obstacle(is_hybrid=False) else sending.unprintable(db, row)
    _, by_rule = treatments.judged(db, row)
    warnings = [
        {name: warning[name] for name in ("code", "field", "detail", "values") if name in warning}
        for warning in (*sending.doubts(db, row, draft, by_rule), *glyphs)
    ]
    more = {"offsets": offset} if body["offset"] else {}
    return Response(represent(row), meta={**meta(mail), **more, **reason, "warnings": warnings})


@routes.post("/invoices/<id>/check", schema="invoice.check", response="invoice.checked", reads=True)
def check_invoice(db, id, body):
    """Check the e-invoice of an invoice by the rules of its profile, without changing anything.

    Although this is a POST, a key with `invoices:read` may send it: nothing is written. A draft is
    checked as it would be sent now. `faults` prevent sending, or the buyer's software would refuse
    the e-invoice; `warnings` do neither. If EN 16931 cannot represent an invoice and nobody can
    correct that, it is sent without an e-invoice to a contact with the profile `en16931`;
    `has_e_invoice` and `warnings` say so. A warning also names a text with a character that no font
    of the server has (`missing_glyph`): the PDF shows □ in its place.
    """
    with db.snapshot():
        return sending.check(db, get(db, id), body["profile"])


@routes.post("/invoices/<id>/refresh", desk=Desk())
def refresh_invoice(db, id):
    """Rebuild the lines of a draft that POST /participants/{id}/invoice has written, from what is
    owed now, and decide its tax by the rule again, unless the office has decided it.

    Lines that were added or edited by hand stay as they are, and claims that the draft does not
    bill are not added. Lines that are not subject to VAT (category O) need an invoice of their own:
    `further_invoice_ids` in meta holds the ids of the drafts that the others went into.
    """
    row, further = issuing.refresh(db, get(db, id))
    return Response(represent(row), meta={"further_invoice_ids": further})


@routes.post(
    "/invoices/<id>/cancel",
    schema="invoice.cancel",
    desk=Desk(fields=("reason", "mail"), is_final=True),
)
def cancel_invoice(db, id, body):
    """Cancel an invoice by a credit note for all that is left of it.

    The credit note is mailed as an invoice is when it is sent.
    """
    return response(*issuing.cancel(db, get(db, id), body["reason"], body["mail"]))


@routes.post("/invoices/<id>/credit", schema="invoice.credit", status=201, rolls_back=True)
def credit_invoice(db, id, body):
    """Create and send a credit note for a part of an invoice, or for all that is left of it.

    It is mailed as an invoice is when it is sent.
    """
    items = issuing.items_or_whole(body["items"], body["whole"])
    note, mail = issuing.credit(db, get(db, id), items, body["text"], body["mail"])
    return created(represent(note), "/invoices", meta=meta(mail))


@routes.post(
    "/invoices/<id>/offset",
    schema="invoice.offset",
    status=201,
    further_scopes=("payments",),
    desk=Desk(),
)
def offset_invoice(db, id, body):
    """Offset the credit of an invoice, whose `open_amount` is below 0, with an open invoice of the same contact.

    The credit is what was paid beyond what credit notes have left. It is stored as refunds of the payments of this
    invoice, the latest first, and as a payment of the other one, all with `gateway_key` offset and the same
    `offset_id`, dated today. Delete that payment to undo the offset.
    """
    return created(represent(offsets.create(db, get(db, id), body)), "/invoices")


@routes.post(
    "/invoices/<id>/write-offs",
    schema="invoice.write_off",
    status=201,
    desk=Desk(is_final=True, word="write_off"),
)
def create_invoice_write_off(db, id, body):
    """Write off what is open of an invoice, or a part of it, because nobody expects it to be paid.

    The ledger and the receivables count it on its day. A later payment that exceeds what is open
    recovers it.
    """
    return created(represent(write_offs.create(db, get(db, id), body)), "/invoices")


@routes.delete("/invoices/<id>/write-offs/<write_off_id>")
def delete_invoice_write_off(db, id, write_off_id):
    """Take back a write-off.

    What payments have recovered of it is taken back as well. Delete the payment to take back a
    write-off that has a `payment_id`.
    """
    row = require_match(get(db, id), represent)
    write_off = next((one for one in row["write_offs"] if one["id"] == write_off_id), None)
    write_offs.delete(db, row, found(write_off, "write-off", write_off_id))


@routes.post(
    "/invoices/<id>/remind",
    schema="invoice.remind",
    desk=Desk(fields=("mail", "force"), batch=("mail",)),
)
def remind_invoice(db, id, body):
    """Record a reminder of an invoice that is due.

    If `mail` is set, mail it with the PDF to the contact.
    """
    return response(*issuing.remind(db, get(db, id), body["mail"], body["force"]))


@routes.post("/invoices/<id>/dispute", schema="invoice.dispute", desk=Desk())
def dispute_invoice(db, id, body):
    """Record that the buyer disputes an open invoice.

    It gets no reminder and no dunning letter until it is settled.
    """
    return represent(dunning_letters.dispute(db, get(db, id), body["reason"]))


@routes.post("/invoices/<id>/settle", desk=Desk())
def settle_invoice(db, id):
    """Record that a dispute is settled, so that the invoice can be dunned again.

    Credit what you agree to first.
    """
    return represent(dunning_letters.settle(db, get(db, id)))


@routes.post("/invoices/<id>/mail", schema="invoice.mail", status=202, desk=Desk())
def mail_invoice(db, id, body):
    """Mail an invoice or credit note that was sent before, with its PDF. This can be repeated."""
    return response(
        *issuing.mail(db, get(db, id), body["to"], body["language"], body["text"]), status=202
    )


@routes.get("/invoices/<id>/pdf", query="invoice.pdf", forms=(PDF,))
def get_invoice_pdf(db, id, query):
    """Return the PDF of an invoice as it was sent, or of a draft as it would be sent.

    That of a sent invoice is a hybrid (PDF/A-3, Factur-X, ZUGFeRD 2): the e-invoice is embedded as
    `factur-x.xml`. In another language than that of a sent invoice, the PDF is marked as a copy,
    and contains no e-invoice. Drafts, and invoices that were taken over or sent by version 1.0,
    have none either.
    """
    language = query.get("language")
    with db.snapshot():
        row = get(db, id)
        source = invoice_pdf.source(db, row)
    headers = {
        "Content-Type": PDF,
        "Content-Disposition": f'attachment; filename="{invoice_pdf.file_name(row)}"',
    }
    if not row["locked_at"]:
        return Response(
            body=invoice_pdf.draw_draft(db, row, *invoices.parties(db, row), language),
            headers=headers,
        )
    if invoice_pdf.is_copy(row, language):
        headers["Content-Disposition"] = (
            f'attachment; filename="{invoice_pdf.file_name(row, language)}"'
        )
        return Response(body=invoice_pdf.draw_sent(db, source, language), headers=headers)
    body = None if row["pdf_sha256"] else invoice_pdf.draw_sent(db, source)
    sha256 = row["pdf_sha256"] or hashlib.sha256(body).hexdigest()
    headers["ETag"] = f'"{sha256}"'
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers={"ETag": headers["ETag"]})
    return Response(body=body or files.read(db.config, sha256), headers=headers)


@routes.get("/invoices/<id>/xml", query="invoice.xml", forms=(XML,))
def get_invoice_xml(db, id, query):
    """Return the e-invoice of an invoice that was sent: XML by EN 16931.

    Without parameters this is the original, as it was stored when the invoice was sent. The same
    invoice in another profile or syntax differs only in the form of the XML, in the identifiers of
    the profile (BT-23, BT-24), and over Peppol in the seller's electronic address if it is an
    e-mail address.
    """
    with db.snapshot():
        row = get(db, id)
        body = sending.xml(db, row, query["profile"], query["syntax"])
    headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()}"'}
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    name = invoice_pdf.file_name(
        row,
        extension="xml",
        words=[
            word for word in (query["profile"], query["syntax"]) if word not in ("en16931", "cii")
        ],
    )
    return Response(
        body=body,
        headers={
            **headers,
            "Content-Type": XML,
            "Content-Disposition": f'attachment; filename="{name}"',
        },
    )


@routes.get("/invoices/<id>/girocode", forms=transfers.FORMS)
def get_invoice_girocode(db, id, form):
    """Draw the GiroCode of an invoice: a QR code with which a banking app transfers the amount that
    is open now.

    It is an SVG, or a PNG if `Accept` prefers it. An invoice that is a draft, is not in euros or
    has no open amount has none.
    """
    invoice = represent(get(db, id))
    code = transfers.girocode(invoice)
    return picture(code, form, lambda: transfers.draw(invoice, code, form))


@routes.batch()
def batch_invoices(who, body):
    """Send, remind of or mail many invoices.

    Each entry succeeds or is refused by itself. A refused invoice uses no number.
    """
    return batches.run(routes, who, body)


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


def include_contact(db, records):
    rows = db.all(sql.contacts_of, ids=ids_of(records, "contact_id"))
    contacts = {contact["id"]: contact for contact in rows}
    for invoice in records:
        invoice["contact"] = contacts[invoice["contact_id"]]


def include_allowed_actions(db, records):
    today = times.today(db.config.timezone)
    deducted = deposits.deducted_ones(db, [record["id"] for record in records])
    for invoice in records:
        invoice["allowed_actions"] = issuing.allowed_actions(
            invoice, today, is_deducted=invoice["id"] in deducted
        )


INCLUDES = {
    "items": include_items,
    "write_offs": include_found("write_offs", write_offs.of_invoices),
    "payments": include_found("payments", payments.of_invoices),
    "contact": include_contact,
    "dunning": include_found("dunning", dunning_letters.history),
    "allowed_actions": include_allowed_actions,
}
