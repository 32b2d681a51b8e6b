"""Documents: pages made from templates, files, and contracts that are signed."""
from eventapi import money
from eventapi.domain.attachments import cascade, content_types, contracts, documents
from eventapi.domain.attachments import pages as document_pages
from eventapi.domain.attachments.contracts import CONTRACT, SIGNATURE
from eventapi.domain.attachments.documents import represent
from eventapi.domain.records import anonymity, entities, references
from eventapi.domain.records.references import DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE
from eventapi.errors import Faults, Problem, not_found
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.web import downloads
from eventapi.web.includes import allowed_actions
from eventapi.web.lists import one, page
from eventapi.web.rest import Response, created, deleted, etag, found, is_known, unchanged, unchanged_content
from eventapi.web.routes import Routes

routes = Routes("documents", "document", scope="documents", flag="documents", states=(CONTRACT, SIGNATURE))
sql = statements("documents")

FIXED = ("entity_type", "entity_id", "template_id", "is_contract")      # what a document is and is about
LOCKED = ("title", "metadata", "content")                               # part of what was sent to be signed
LINES_OF = {"invoice": "invoice_lines_of", "service_order": "order_lines_of"}


@routes.list("/documents", query="document.query")
def list_documents(db, query):
    return page(db, sql.list, references.filters(db, query, DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE), represent, INCLUDES)


@routes.post("/documents", schema="document")
def create_document(db, body):
    """Makes a document from a template, or begins one whose content is a file.

    With `filename` it is a file: send the bytes with PUT to /documents/{id}/content. Otherwise the template is the one named, or the
    default of the category; what the record lacks becomes a gap and is listed as `missing`.
    """
    faults = Faults()
    entities.check(db, body, faults)
    body = {**body, **named(db, body, faults)}
    for member, allowed in (("content", None), ("esign_status", "pending")):
        if body[member] not in (None, allowed):
            faults.add(f"/{member}", "later", "is not set when a document is made, but afterwards")
    template = None if body["filename"] else template_of(db, body, faults)
    if body["filename"] and body["template_id"]:
        faults.add("/template_id", "disagrees", "goes without filename: a document is made from a template, or it is a file")
    faults.raise_any()
    anonymity.refuse(db, body["entity_type"], body["entity_id"])
    new = represent(documents.generate(db, body, template) if template else begin_file(db, body))
    return created(new, f"/documents/{new['id']}")


@routes.get("/documents/<id>", query="document.one")
def get_document(db, id, query):
    return one(db, represent(get(db, id)), query, INCLUDES)


@routes.update("/documents/<id>", schema="document")
def update_document(db, id, body):
    old = get(db, id)
    unchanged(represent(old))
    merged = changed(db, old, body)
    if merged["filename"] != old["filename"]:
        refuse_handed_in(db, old)
    contracts.refuse_locked(old, [name for name in LOCKED if merged[name] != old[name]])
    if merged != old:
        anonymity.refuse(db, "document", id)
    changed_row = documents.change(db, old, merged)
    return represent(contracts.bring_to(db, changed_row, body.get("esign_status") or old["esign_status"]))


@routes.delete("/documents/<id>")
def delete_document(db, id):
    """Deletes a document that nothing hangs on; of contracts only drafts."""
    row = get(db, id)
    unchanged(represent(row))
    refuse_in_use(db, row)
    documents.refuse_signed(row)
    documents.remove(db, row)
    cascade.delete_with(db, "document", id)
    return deleted()


@routes.get("/documents/<id>/content", forms=(content_types.HTML, content_types.PDF, *content_types.OTHERS), ranges=True)
def get_document_content(db, id, form):
    """The file, or the page or (by Accept) the PDF of what was made from a template.

    Takes Range with one range. A browser is told to show nothing but PDF and pictures, and to run nothing.
    """
    row = get(db, id)
    if is_stored(row, form):
        return downloads.stored_file(db.config, row["sha256"], row["content_type"], name_of(row, row["content_type"]))
    if row["content"] is None:
        raise not_found("content of document", id)
    if form not in (content_types.HTML, content_types.PDF):
        raise Problem("not_acceptable", "The document comes as text/html or application/pdf.", offered=[content_types.HTML, content_types.PDF])
    data = (document_pages.pdf if form == content_types.PDF else document_pages.page)(db.config, row)
    headers = {**downloads.guarded(form, name_of(row, form)), "ETag": etag(f"{form}{data!r}")}
    if form == content_types.HTML:
        headers["Content-Security-Policy"] = document_pages.POLICY
    return Response(status=304, body=b"", headers=headers) if is_known(headers["ETag"]) else Response(body=data, headers=headers)


@routes.put("/documents/<id>/content", raw_body=("application/octet-stream",))
def set_document_content(db, id, upload):
    """Sends the bytes of a file, or the signed file of a contract. What it is, is judged by the bytes."""
    row = get(db, id)
    unchanged_content(row["sha256"])
    refuse_in_use(db, row, "an event whose picture it is")
    if upload.sha256 != row["sha256"]:
        refuse_handed_in(db, row)
    contracts.refuse_content(row)
    anonymity.refuse(db, "document", id)
    return represent(documents.hold(db, row, upload))


@routes.post("/documents/<id>/request-signature", before=contracts.draw)
def request_signature(db, who, id, before):
    """Freezes a contract: what is sent to be signed is kept as it is now."""
    return represent(contracts.request_signature(db, get(db, id), who.admin_id, before))


@routes.post("/documents/<id>/mark-signed", schema="document.signed")
def mark_signed(db, who, id, body):
    """Tells that the contract was signed, by whom and when; the signed file may follow with PUT content."""
    return represent(contracts.mark_signed(db, get(db, id), who.admin_id, body["signer_name"], body["signed_at"]))


@routes.post("/documents/<id>/decline")
def decline_document(db, id):
    """Tells that the contract will not be signed; it is a draft again."""
    return represent(contracts.take_back(db, get(db, id), "decline"))


@routes.post("/documents/<id>/void")
def void_document(db, id):
    """Takes a contract back before it is signed; it is a draft again."""
    return represent(contracts.take_back(db, get(db, id), "void"))


@routes.post("/documents/<id>/terminate")
def terminate_document(db, who, id):
    """Ends a signed contract."""
    return represent(contracts.terminate(db, get(db, id), who.admin_id))


def get(db, id):
    return found(documents.row(db, id), "document", id)


def named(db, body, faults):
    """The ids of category and template that a body names."""
    return {reference[0]: references.resolve(db, body, reference, faults) for reference in (DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE)
            if any(member in body for member, _ in reference[1])}


def template_of(db, body, faults):
    """The template named, or the default one of the category."""
    template_id = body["template_id"] or db.value(sql.default_template, id=body["category_id"])
    if template_id is None and body["category_id"]:
        faults.add("/category_id", "no_template", "has no default template; name a template, or a filename for a file")
    return template_id and db.one(sql.template, id=template_id)


def begin_file(db, body):
    return documents.add(db, {**body, "document_number": documents.next_number(db), "is_contract": int(body["is_contract"] or False)})


def changed(db, old, body):
    """The stored document with what the body changes; 422 where it cannot."""
    faults = Faults()
    merged = {**old, **{name: value for name, value in {**body, **named(db, body, faults)}.items() if name in old and name != "esign_status"}}
    for name in FIXED:
        if merged[name] != old[name] and (name in body or name == "template_id"):
            faults.add(f"/{name}", "fixed", "does not change: make another document")
    merged["content"] = checked_content(old, merged["content"], faults)
    if old["filename"] and old["content"] is None and merged["filename"] is None:
        faults.add("/filename", "required", "is required: the document is a file")
    faults.raise_any()
    return merged


def checked_content(old, content, faults):
    """Content as it is stored; a file has none besides its bytes."""
    if content == old["content"] or old["content"] is None and not content:
        return old["content"]
    if old["content"] is None:
        faults.add("/content", "file", "belongs to documents made from a template; this one is a file")
    return documents.written(content or "", faults)


def is_stored(row, form):
    """Whether the stored bytes are to be answered: a file always, what was frozen in its own form, the signed one in any."""
    return row["sha256"] and (row["content"] is None or row["sha256"] != row["signature_sha256"] or form == row["content_type"])


def name_of(row, kind):
    return row["filename"] or f"{row['document_number'] or row['id']}{content_types.EXTENSIONS.get(kind, '')}"


def refuse_in_use(db, row, *only):
    users = [noun for noun in db.values(sql.users, id=row["id"]) if not only or noun in only]
    if users:
        raise Problem("in_use", f"The document is used by {' and '.join(users)}.", used_by=users)


def refuse_handed_in(db, row):
    """409 where a submission shows the file that was, or is to be, approved."""
    status = db.value(sql.handed_in, id=row["id"])
    if status:
        raise Problem("document_locked", f"The file belongs to a submission that is {status}: ask for a revision, or hand in another document.")


def include_line_items(db, records):
    """The lines of the invoice or order that a document is about; none of others."""
    for document in records:
        document["line_items"] = []
    for entity_type, name in LINES_OF.items():
        about = {}
        for document in records:
            if document["entity_type"] == entity_type:
                about.setdefault(document["entity_id"], []).append(document)
        for line in db.all(getattr(sql, name), ids=as_json(list(about))) if about else ():
            for document in about[line["id"]]:
                document["line_items"].append(represent_line(line, entity_type))


def represent_line(line, entity_type):
    currency = line["currency"]
    price, quantity = money.major(line["unit_price"], currency), line["quantity"]
    if entity_type == "invoice":
        price, quantity = money.unscaled(line["unit_price"], 4), money.unscaled(quantity, 3)
    return {"position": line["position"], "description": line["description"], "quantity": quantity, "unit": line["unit"],
            "unit_price": price, "tax_rate": money.unscaled(line["tax_rate"], 2), "net": money.major(line["net"], currency)}


INCLUDES = {"line_items": include_line_items, "allowed_actions": allowed_actions(contracts.allowed_actions)}
