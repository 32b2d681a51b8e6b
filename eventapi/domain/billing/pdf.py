"""The PDF of an invoice: a draft is drawn on demand; a sent invoice is drawn as it was sent, once,
and stored.

The PDF of an invoice with a stored e-invoice is a hybrid that contains it. Drafts, and copies in
another language, are plain PDFs.

Drawing takes too long for a write transaction. The transaction that sends an invoice therefore only
stores the row in `pdf_source` (`freeze`). The worker draws the PDF from it, and replaces
`pdf_source` by `pdf_sha256` (`store`). A mail with the invoice does the same before it is sent.
Until then GET draws the PDF from `pdf_source` and stores nothing: the same source always results in
the same bytes. After a crash, `pdf_source` is still there, and the worker draws it again.
"""

import json
import re
from datetime import datetime
from importlib.util import find_spec

from eventapi import money
from eventapi.domain.billing import deposits, invoices
from eventapi.domain.einvoices_sent import composing, parties, transfers
from eventapi.domain.einvoices_sent import store as e_invoices
from eventapi.errors import Problem
from eventapi.languages import choice
from eventapi.pictures import fonts, style
from eventapi.pictures.invoice import hybrid
from eventapi.pictures.invoice import sheet as picture
from eventapi.storage import files
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("invoicing")

# Field of the buyer -> fields of the contact that it is made of, where the names differ
OF_CONTACT = {
    "name": "company_name or last_name",
    "contact_name": "first_name or last_name",
    "vat_id": "tax_id",
}


def draw(config, row, seller, buyer, language, is_copy=False, xml=None) -> bytes:
    """Return the PDF of an invoice, with the e-invoice `xml` in it unless that is None.

    Raise 501 `not_installed` if reportlab or, for an e-invoice, pypdf is missing; 409
    `fonts_missing` without the fonts that an e-invoice requires.
    """
    if xml is not None:
        hybrid.require()
    drawn = picture.draw(
        _shown(config, row, buyer), seller, buyer, language, is_copy, style.brand(config)
    )
    return (
        drawn if xml is None else hybrid.embed(drawn, xml, datetime.fromisoformat(row["locked_at"]))
    )


def _shown(config, row, buyer):
    """Return the API object of a row, with the GiroCode, the Leitweg-ID and the tax in the tenant's
    currency.
    """
    invoice = invoices.represent(row)
    return {
        **invoice,
        "girocode": transfers.girocode_if_possible(invoice),
        "tax_currency": config.currency,
        "tax_in_tax_currency": composing.home_tax(invoice, config.currency),
        "leitweg_id": _leitweg_id(invoice, buyer),
    }


def _leitweg_id(invoice, buyer):
    """Return the Leitweg-ID that is BT-10 of the e-invoice, or None if `buyer_reference` shows the
    same.
    """
    reference = composing.references(invoice, buyer)["buyer_reference"]
    is_shown = reference == (invoice["buyer_reference"] or "").strip()
    return None if is_shown or not parties.is_leitweg_id(reference or "") else reference


def draw_draft(db, row, seller, buyer, language=None) -> bytes:
    """Return the PDF of a draft. `language` is that of the request. Raise as `draw`."""
    chosen = choice.choose(db.config, language, row["language"], buyer.get("language"))
    return draw(
        db.config, {**deposits.deducted(db, row), **printed(db, row)}, seller, buyer, chosen
    )


def obstacle(is_hybrid) -> Problem | None:
    """Return the Problem of a package that the PDF of an invoice needs and this server lacks, or
    None.
    """
    return (
        hybrid.obstacle()
        if is_hybrid
        else None
        if find_spec("reportlab")
        else fonts.not_installed()
    )


def missing_glyphs(db, row):
    """Yield (field, Problem) of each text with a character that no font has.

    The PDF shows a box in its place.

    The row has both parties. reportlab must be installed. For Latin, Greek and Cyrillic letters
    nothing is imported.
    """
    for field, text, bold in _texts(invoices.represent({**row, **printed(db, row)})):
        if problem := fonts.obstacle(text or "", bold):
            yield field, problem


def _texts(invoice):
    """Yield (field, text, whether it is bold) of the texts on the PDF that somebody has written.

    `text` may be None.
    """
    yield "invoice_number", invoice["invoice_number"], True
    of_credit_note = ("related_invoice_number", "cancellation_reason")
    for name in ("buyer_reference", "text", "event_title", *of_credit_note):
        if invoice["invoice_type"] == "credit_note" or name not in of_credit_note:
            yield name, invoice[name], False
    yield (
        "items",
        " ".join(f"{item['description']} {item['unit'] or ''}" for item in invoice["items"]),
        False,
    )
    yield "items", " ".join(tax["reason"] or "" for tax in invoice["taxes"]), False
    for name in (
        "name",
        "street",
        "postal_code",
        "city",
        "contact",
        "phone",
        "email",
        "vat_id",
        "tax_number",
        "register_number",
        "register_court",
        "directors",
        "iban",
        "bic",
    ):
        yield f"organiser_{name}", invoice["seller"][name], name == "name"
    yield "organiser_footer", " ".join(invoice["seller"]["footer"] or ()), False
    for name in (
        "name",
        "contact_name",
        "address",
        "postal_code",
        "city",
        "state",
        "vat_id",
        "customer_number",
    ):
        yield f"contact.{OF_CONTACT.get(name, name)}", (invoice["buyer"] or {}).get(name), False


def installed() -> tuple:
    """Return which of the packages that PDFs require are installed, to compare it later."""
    return (
        *(find_spec(name) is not None for name in ("reportlab", "pypdf")),
        *(fonts.installed(package) is not None for package in fonts.FILES),
    )


def freeze(db, row) -> None:
    """Store the row of an invoice that has just been sent as the source of its PDF. Internal notes
    are left out.
    """
    db.run(
        sql.freeze_pdf,
        id=row["id"],
        source=as_json({**as_sent(row), **printed(db, row), "notes": None}),
    )


def printed(db, row) -> dict:
    """Return what the PDF shows beside the fields of the invoice: event, its place, `related_issue_date`,
    and `counted_credits`.
    """
    found = db.one(
        sql.printed,
        id=row["id"],
        event_id=row["event_id"],
        related_invoice_id=row["related_invoice_id"],
    )
    counted = json.loads(found["counted_credits"] or "[]")
    found["counted_credits"] = [
        {"invoice_number": number, "amount": money.major(units, row["currency"])}
        for number, units in counted
    ]
    return found


def source(db, row) -> dict:
    """Return the row of a sent invoice as its PDF shows it. Read `row` in the same snapshot."""
    frozen = db.value(sql.pdf_source, id=row["id"])
    if frozen:
        return thawed(frozen)
    row = {**as_sent(row), **(db.one(sql.due_date_as_sent, id=row["id"]) or {})}
    return {**row, **printed(db, row)}


def thawed(frozen) -> dict:
    """Return the row in a source.

    One of an earlier version lacks the columns that were added later.
    """
    frozen = json.loads(frozen)
    row = {
        "tax_treatment": "reverse_charge" if frozen["is_reverse_charge"] else "standard",
        "prepaid_amount": 0,
        "exchange_rate": None,
        "xml_sha256": None,
        "overdue_from": None,
        "tax_date": None,
        "tax_basis": None,
        "interest_notice": 0,
        "is_deposit": 0,
        "deposit_ids": "[]",
        "claims_total": 0,
        "claims_open": 0,
        "written_off": 0,
        "counted_credits": [],
        **frozen,
    }
    new = {"is_discount": 0, "exemption_code": None, "deposit_id": None}
    return {**row, "items": [{**new, **item} for item in row["items"]]}


def as_sent(row) -> dict:
    """Return the row of an invoice without what came later: payments, credit notes and write-offs."""
    if row["invoice_type"] == "credit_note":
        return row
    return {
        **row,
        "status": "sent",
        "paid_amount": row["prepaid_amount"],
        "credited": 0,
        "written_off": 0,
        "write_offs": [],
        "open_amount": row["total"] - row["prepaid_amount"],
        "claims_total": 0,
        "claims_open": 0,
        "related_invoice_id": None,
        "related_invoice_number": None,
    }


def is_copy(row, language) -> bool:
    """Return whether the PDF of a sent invoice in this language is a copy: the invoice was sent in
    another one.
    """
    return language is not None and choice.available(language) != choice.available(row["language"])


def draw_sent(db, source, language=None) -> bytes:
    """Return the PDF of a sent invoice, drawn from its `source`, or a copy of it in another
    language.

    Raise 409 `anonymized`, or as `draw`.
    """
    shown, chosen = invoices.represent(source), choice.available(language or source["language"])
    buyer, is_other = invoices.buyer_as_sent(shown), is_copy(source, language)
    xml = _original(db, source) if source.get("xml_sha256") and not is_other else None
    return draw(db.config, source, shown["seller"], buyer, chosen, is_other, xml)


def _original(db, source):
    """Return the stored e-invoice.

    A PDF without it would look complete, so that nobody would notice the damage.
    """
    xml = e_invoices.get(db, source["id"])
    if xml is None:
        raise LookupError(
            f"the e-invoice of {source['invoice_number']} is missing; see `eventapi check`"
        )
    return xml


def due(db) -> list[int]:
    """Return the ids of the sent invoices whose PDF must still be drawn."""
    return db.values(sql.pdfs_due)


def store(db, id: int) -> None:
    """Draw and store the PDF of a sent invoice, unless it is stored already or its buyer was
    anonymised.

    No transaction may be open. Two callers at once draw the same bytes, and the second changes
    nothing.
    """
    frozen = db.value(sql.pdf_source, id=id)
    if frozen is None:
        return
    sha256 = files.store(db.config, draw_sent(db, thawed(frozen)))
    with db.write():
        db.run(sql.keep_pdf, id=id, sha256=sha256)


def file_name(invoice, copy_in=None, extension="pdf", words=()) -> str:
    """Return the invoice number as the name of a file.

    `copy_in` is the language of a copy, or None; `words` are further parts of the name, without
    those that are None.
    """
    number = re.sub(r"[^A-Za-z0-9._-]", "_", invoice["invoice_number"])
    parts = (number, copy_in and choice.available(copy_in), *words)
    return f"{'-'.join(part for part in parts if part)}.{extension}"
