"""Documents: pages made from templates, files, and contracts that are signed."""

from contextlib import contextmanager

from eventapi import money
from eventapi.calls import batches
from eventapi.domain.attachments import (
    content_types,
    contracts,
    document_rows,
    documents,
    e_invoices,
    notes,
    pages,
)
from eventapi.domain.attachments.contracts import CONTRACT, SIGNATURE
from eventapi.domain.attachments.document_rows import represent
from eventapi.domain.portal import signing
from eventapi.domain.records import entities, references
from eventapi.domain.records.references import DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE
from eventapi.errors import Problem
from eventapi.plugins.access import require_scope
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web import downloads, uploads
from eventapi.web.includes import allowed_actions
from eventapi.web.lists import one, page
from eventapi.web.rest import (
    Response,
    created,
    etag,
    found,
    is_known,
    require_content_match,
    require_match,
)
from eventapi.web.routes import Desk, Routes

routes = Routes(
    "documents", "document", scope="documents", flag="documents", states=(CONTRACT, SIGNATURE)
)
sql = statements("documents")

LINES_OF = {"invoice": sql.invoice_lines_of, "service_order": sql.order_lines_of}


@routes.list("/documents", query="document.query")
def list_documents(db, query):
    query = references.filters(db, query, DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE)
    return page(db, sql.list, query, represent, INCLUDES)


@routes.post("/documents", schema="document")
def create_document(db, who, body):
    """Create a document from a template, or one whose content is a file.

    With `filename` the document is a file: send its bytes with PUT to /documents/{id}/content.
    Otherwise it is made from `template_id` or the default template of the category, which also
    needs the scope of the record that the document is about (`:read` is enough). So does a file
    about an invoice or a service order, because `include=line_items` shows its lines. `missing`
    lists the placeholders without a value.
    """
    if not body["filename"] or body["entity_type"] in LINES_OF:
        allow_reading(db, who, body)
    return created(represent(documents.create(db, body)), "/documents")


@routes.get("/documents/<id>", query="document.one")
def get_document(db, id, query):
    return one(db, represent(get(db, id)), query, INCLUDES)


@routes.update("/documents/<id>", schema="document")
def update_document(db, id, body):
    return represent(documents.update(db, require_match(get(db, id), represent), body))


@routes.delete("/documents/<id>")
def delete_document(db, id):
    """Delete a document. A contract can be deleted only as a draft.

    An e-invoice that was received must be kept for the years of the option `retention_years`.
    """
    documents.delete(db, require_match(get(db, id), represent))


@routes.get(
    "/documents/<id>/content",
    query="document.content",
    forms=(content_types.HTML, content_types.PDF, *content_types.OTHERS),
    ranges=True,
)
def get_document_content(db, id, query, form):
    """Get the file of a document, or the page or PDF made from its template.

    The header Accept selects page or PDF. A signed contract is returned as the signed copy, or as
    the file that was to be signed if none was uploaded; `version=sent` always returns the latter.
    The header Range may contain one range. Browsers display only PDF and pictures, and download all
    other files.
    """
    row = get(db, id)
    documents.check_language(row, query.get("language"))
    if query.get("version") == "sent":
        return sent_content(db, row)
    if is_stored(row, form):
        return downloads.stored_file(
            db.config, row["sha256"], row["content_type"], name_of(row, row["content_type"])
        )
    if row["content"] is None:
        raise Problem(
            "not_found",
            f"Document {id} has no content yet. Upload it with PUT /documents/{id}/content.",
        )
    if form not in (content_types.HTML, content_types.PDF):
        raise Problem(
            "not_acceptable",
            "The document is available as text/html or application/pdf only. Send one of these in Accept.",
            offered=[content_types.HTML, content_types.PDF],
        )
    data = (pages.pdf if form == content_types.PDF else pages.page)(
        db.config, row, pages.partner(db, row)
    )
    headers = {**downloads.guarded(form, name_of(row, form)), "ETag": etag(f"{form}{data!r}")}
    if form == content_types.HTML:
        headers["Content-Security-Policy"] = pages.POLICY
    if is_known(headers["ETag"]):
        return Response(status=304, body=b"", headers=headers)
    return Response(body=data, headers=headers)


@contextmanager
def receive(environ, config, _):
    """Yield (files.Upload, what it says as an e-invoice, warnings) of a request, as
    `uploads.received` does.

    Raise 503 if too many other files are being parsed: a document whose e-invoice was not looked
    for would stay so.
    """
    with uploads.received(environ, config) as upload:
        found, warnings = e_invoices.recognise(config.data_dir, upload, uploads.parsing(environ))
        yield upload, found, warnings


@routes.put("/documents/<id>/content", raw_body=("application/octet-stream",), receive=receive)
def set_document_content(db, id, upload):
    """Upload the file of a document, or the signed copy of a contract while its signature is
    requested.

    The bytes determine the content type. The ETag of the response is that of the content. If the
    file is an e-invoice (XML in CII or UBL, or a PDF that contains it), `e_invoice` has its terms,
    and the rules that it breaks. Another file does not replace an e-invoice that must be kept. The
    file is parsed with limits of memory and time; if it exceeds one, it is stored all the same, and
    `warnings` in meta has `recognition_stopped`. `received_before` warns of an e-invoice of the
    same supplier with the same number, `other_account` of another account than that of its last.
    `not_checked` says that the invoice is an extension of EN 16931, whose rules are not checked;
    `amounts_differ` names the amounts of such an invoice that do not add up.
    `no_e_invoice_in_germany` says that it has the profile MINIMUM or BASIC WL.
    `old_format` says that the file is an invoice of ZUGFeRD 1, which is not read.
    `own_invoice` says that the organiser is the seller, `other_buyer` that it is not the buyer, by
    VAT id, tax number or name.
    """
    row, (upload, e_invoice, warnings) = get(db, id), upload
    require_content_match(row["sha256"])
    is_certain = e_invoices.is_certain(warnings)
    document = represent(documents.set_content(db, row, upload, e_invoice, is_certain=is_certain))
    warnings = e_invoices.warnings_of(db, document, warnings)
    return Response(
        document,
        headers={"ETag": f'"{upload.sha256}"'},
        has_etag=False,
        meta={"warnings": warnings} if warnings else {},
    )


@routes.post("/documents/<id>/request-signature", before=contracts.draw, desk=Desk())
def request_document_signature(db, who, id, before):
    """Freeze a contract so that it can be signed. Its content can no longer change.

    eventapi stores its PDF and sends it to nobody. Get it with `GET /documents/{id}/content`, send
    it by mail or with your service for signatures, and record what follows: `esign_status` viewed
    or expired, mark-signed, decline or void. The webhook `document.signature_requested` can start
    your service.
    """
    return represent(contracts.request_signature(db, get(db, id), who.admin_id, before))


@routes.post("/documents/<id>/mark-signed", schema="document.signed", desk=Desk())
def mark_document_signed(db, who, id, body):
    """Record that the contract was signed.

    Upload the signed copy before; afterwards the content is final.
    """
    return represent(
        contracts.mark_signed(db, get(db, id), who.admin_id, body["signer_name"], body["signed_at"])
    )


@routes.post("/documents/<id>/accept", schema="document.accepted")
def accept_document(db, id, body):
    """Record that the other party has accepted the contract as it was sent, by name and without a
    signature.

    Exhibitors do the same on their own pages. The time and the SHA-256 of the file that was
    accepted are kept as evidence.
    """
    return represent(signing.accept_for(db, get(db, id), body["signer_name"]))


@routes.post("/documents/<id>/decline", desk=Desk())
def decline_document(db, id):
    """Record that the contract will not be signed. It becomes a draft again."""
    return represent(contracts.return_to_draft(db, get(db, id), "decline"))


@routes.post("/documents/<id>/void", desk=Desk(is_final=True))
def void_document(db, id):
    """Withdraw a contract before it is signed. It becomes a draft again."""
    return represent(contracts.return_to_draft(db, get(db, id), "void"))


@routes.post("/documents/<id>/terminate", desk=Desk(is_final=True))
def terminate_document(db, who, id):
    """Terminate a signed contract."""
    return represent(contracts.terminate(db, get(db, id), who.admin_id))


@routes.batch()
def batch_documents(who, body):
    """Create many documents, or send many contracts for signature.

    Each entry succeeds or is refused by itself. `create` requires the header `Idempotency-Key`,
    because nothing else shows that a document was created before.
    """
    return batches.run(routes, who, body, needs_key=("create",))


def get(db, id):
    return found(document_rows.row(db, id), "document", id)


def is_stored(row, form):
    """Return whether the response is the stored file.

    It always is for a file, a signed copy and a signed contract. Before, the file that is to be
    signed is the response only if its content type is requested.
    """
    is_final = row["content"] is None or row["contract_status"] in contracts.SIGNED
    is_copy = row["sha256"] != row["signature_sha256"]
    return row["sha256"] and (is_final or is_copy or form == row["content_type"])


def sent_content(db, row):
    """Return the file that was to be signed. Raise 404 if there is none."""
    if row["signature_sha256"] is None:
        raise Problem(
            "not_found",
            f"Document {row['id']} has no file to sign yet. Leave out `version`, or "
            f"send POST /documents/{row['id']}/request-signature first.",
        )
    file = contracts.sent_file(db.config, row)
    return downloads.stored_file(
        db.config, file["sha256"], file["content_type"], name_of(row, file["content_type"])
    )


def allow_reading(db, who, body):
    """Raise 403 `insufficient_scope` unless the API key may read the record that a document is
    about.
    """
    kind = entities.KINDS[body["entity_type"]]
    note = notes.get(db, body["entity_id"]) if kind is entities.NOTE else None
    if kind is not entities.NOTE or note:  # for an unknown note, the rules raise 422
        require_scope(who, kind.scope_of(note), writes=False)


def name_of(row, kind):
    """Return the file name for a download of the document with the content type `kind`."""
    return (
        row["filename"]
        or f"{row['document_number'] or row['id']}{content_types.EXTENSIONS.get(kind, '')}"
    )


def include_line_items(db, records):
    """Add the lines of the invoice or order that each document is about."""
    for document in records:
        document["line_items"] = []
    for entity_type, statement in LINES_OF.items():
        about = {}
        for document in records:
            if document["entity_type"] == entity_type:
                about.setdefault(document["entity_id"], []).append(document)
        for line in db.all(statement, ids=as_json(list(about))) if about else ():
            for document in about[line["id"]]:
                document["line_items"].append(represent_line(line, entity_type))


def represent_line(line, entity_type):
    """Return the API object of a line: amounts in major units, tax rate in percent."""
    currency = line["currency"]
    price, quantity = money.major(line["unit_price"], currency), line["quantity"]
    if entity_type == "invoice":
        price, quantity = money.unscaled(line["unit_price"], 4), money.unscaled(quantity, 3)
    return {
        "position": line["position"],
        "description": line["description"],
        "quantity": quantity,
        "unit": line["unit"],
        "unit_price": price,
        "tax_rate": money.unscaled(line["tax_rate"], 2),
        "net": money.major(line["net"], currency),
    }


INCLUDES = {
    "line_items": include_line_items,
    "allowed_actions": allowed_actions(contracts.allowed_actions),
}
