"""Documents: pages made from templates, and files.

Every function that writes is called inside a write transaction and journals the change. Functions
take and return rows; see `document_rows`. `contracts` has the rules of signing.
"""

from eventapi import markup, times
from eventapi.domain.attachments import cascade, contracts, document_rows, placeholders
from eventapi.domain.records import anonymity, entities, numbering, references
from eventapi.domain.records.references import DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE
from eventapi.errors import Faults, Problem, invalid_at, invalid_parameter, listed
from eventapi.languages import choice
from eventapi.storage.statements import statements

sql = statements("documents")

FIXED = ("entity_type", "entity_id", "template_id", "is_contract")  # these never change
LOCKED = ("title", "metadata", "content")  # the signed page shows these
RELEASE = {
    "submissions": "Delete the submissions, or send another document with them, first.",  # user -> remedy
    "an event whose picture it is": "Use PUT or DELETE /events/{id}/image instead.",
    "a profile whose logo it is": "Use PUT or DELETE /participants/{id}/profile/logo instead.",
}
LATER = {"content": None, "esign_status": "pending"}  # a new document has these values


def create(db, fields):
    """Create a document and return its row. `fields` is a complete validated body.

    With `filename` the document is a file, which `set_content` stores. Otherwise its content is
    made from the template, or from the default template of the category, in `language`, else the
    contact's language. Raise 422 for unknown records, a missing template, and fields that cannot be
    set yet; 409 `anonymized` if the record is one of an anonymised contact.
    """
    faults = Faults()
    entities.check(db, fields, faults)
    fields = {
        **fields,
        **references.named(db, fields, faults, DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE),
    }
    for name, allowed in LATER.items():
        if fields[name] not in (None, allowed):
            faults.add(
                f"/{name}",
                "later",
                "cannot be set when a document is created. Set it in a later change",
            )
    template = None if fields["filename"] else _template_of(db, fields, faults)
    if fields["filename"] and fields["template_id"]:
        faults.add(
            "/template_id",
            "disagrees",
            "must not be sent with `filename`: a document is either made from a template or a file",
        )
    faults.raise_any()
    anonymity.refuse(db, fields["entity_type"], fields["entity_id"])
    return _generate(db, fields, template) if template else _add_file(db, fields)


def update(db, old, fields):
    """Change a document and return its row.

    `fields` holds the changed fields; another `esign_status` requests an action. Raise 422 for
    unknown records and fields that cannot change; 409 `document_locked`, `anonymized`,
    `no_contract` or `invalid_transition`.
    """
    merged = _merged(db, old, fields)
    if merged["filename"] != old["filename"]:
        _refuse_submitted(db, old)
    contracts.refuse_locked(old, [name for name in LOCKED if merged[name] != old[name]])
    if merged != old:
        anonymity.refuse(db, "document", old["id"])
    new = document_rows.change(db, old, merged)
    return contracts.set_esign_status(db, new, fields.get("esign_status") or old["esign_status"])


def set_content(db, row, upload, e_invoice, *, is_certain):
    """Store the bytes of a file, or the signed file of a contract, and return the row.

    `e_invoice` is what `e_invoices.recognise` has found in the bytes, or None. If that is not
    certain, what is known of the same bytes stays. A contract is no e-invoice.

    Raise 409 `in_use` for the picture of an event, `locked` for a signed contract,
    `document_locked` if the content must stay for another reason, such as a received e-invoice, or
    `anonymized`.
    """
    _refuse_in_use(db, row, "an event whose picture it is", "a profile whose logo it is")
    if upload.sha256 != row["sha256"]:
        _refuse_submitted(db, row)
        _refuse_kept(db, row)
    anonymity.refuse(db, "document", row["id"])
    contracts.refuse_content(row)
    if row["is_contract"] or (not is_certain and upload.sha256 == row["sha256"]):
        e_invoice = row["e_invoice"]
    return document_rows.store_content(db, row, upload, e_invoice)


def check_language(row, language):
    """Raise 422 if the request asks for another language than that of the document.

    `language` may be None.
    """
    if language and choice.available(language) != choice.available(row["language"]):
        raise invalid_parameter(
            "language",
            "not_available",
            f"must be {row['language']}, the language of the document"
            if row["language"]
            else "must not be sent: the document has no known language",
        )


def delete(db, row):
    """Delete a document with its tasks.

    Raise 409 `in_use` while it is used, for a contract that is not a draft, and for an e-invoice
    that must be kept.
    """
    _refuse_in_use(db, row)
    document_rows.refuse_signed(row)
    document_rows.refuse_kept(db, row)
    document_rows.remove(db, row)
    cascade.delete_with(db, "document", row["id"])


def _template_of(db, fields, faults):
    """Return the row of the template, or of the default template of the category, or None."""
    template_id = fields["template_id"] or db.value(sql.default_template, id=fields["category_id"])
    if template_id is None and fields["category_id"]:
        faults.add(
            "/category_id",
            "no_template",
            "has no default template. Send `template_id`, or `filename` for a file",
        )
    return template_id and db.one(sql.template, id=template_id)


def _add_file(db, document):
    """Add a document whose content is a file that is sent later, and return its row."""
    return document_rows.add(
        db,
        {
            **document,
            "document_number": _next_number(db),
            "is_contract": int(document["is_contract"] or False),
        },
    )


def _merged(db, old, fields):
    """Return the row `old` with the changed fields. Raise 422 for those that cannot change."""
    faults = Faults()
    sent = {**fields, **references.named(db, fields, faults, DOCUMENT_CATEGORY, DOCUMENT_TEMPLATE)}
    merged = {
        **old,
        **{name: value for name, value in sent.items() if name in old and name != "esign_status"},
    }
    for name in FIXED:
        if merged[name] != old[name] and (name in fields or name == "template_id"):
            faults.add(f"/{name}", "fixed", "cannot change. Create another document instead")
    if old["content"] is not None and merged["language"] != old["language"]:
        faults.add(
            "/language",
            "fixed",
            "cannot change, because the page was written in it. Create another document",
        )
    merged["content"] = _content(old, merged["content"], faults)
    if old["filename"] and old["content"] is None and merged["filename"] is None:
        faults.add("/filename", "required", "is required: the document is a file")
    faults.raise_any()
    return merged


def _content(old, content, faults):
    """Return the content to store. Add a fault if the document is a file, which has none."""
    if content == old["content"] or (old["content"] is None and not content):
        return old["content"]
    if old["content"] is None:
        faults.add(
            "/content",
            "file",
            f"must be empty: this document is a file. Use PUT /documents/{old['id']}/content instead",
        )
    return _written(content or "", faults)


def _generate(db, document, template):
    """Fill the template for the record of the document, add the document and return its row.

    Raise 422 if the content is too long.
    """
    document = {
        **document,
        "document_number": _next_number(db),
        "title": document["title"] or template["name"],
        "category_id": document["category_id"] or template["category_id"],
        "template_id": template["id"],
        "is_contract": template["is_contract"],
    }
    tree = markup.parse(template["body"], Faults(), "/body")
    document |= filled(db, tree, document)
    check_length(document["content"], "/template_id")
    return document_rows.add(db, document)


def filled(db, tree, document):
    """Return {content, language, missing} of a document: its HTML with the values of the placeholders
    in `tree`, the language that they are written in, and the names of those without a value.
    """
    values, language = placeholders.values(db, document)
    missing = {}

    def value_of(name):
        return values[name] if name in values else missing.setdefault(name, placeholders.GAP)

    content = markup.to_html(markup.fill(tree, value_of))
    return {"content": content, "language": language, "missing": list(missing)}


def check_length(content, pointer):
    """Raise 422 at a pointer if the content that a template results in is too long."""
    if len(content) > markup.MAX_LENGTH:
        raise invalid_at(
            pointer,
            "too_long",
            f"results in a document of {len(content)} characters. The limit is {markup.MAX_LENGTH}",
        )


def _written(content, faults):
    """Return the HTML of a body as it is stored. Add what it must not contain to `faults`."""
    return markup.to_html(markup.parse(content, faults, "/content"))


def _next_number(db):
    """Return the next document number of this year."""
    year = times.local_date(db.now, db.config.timezone)[:4]
    return f"DOC-{year}-{numbering.take(db, f'document-{year}'):05}"


def _refuse_in_use(db, row, *only):
    """Raise 409 `in_use` while other records refer to the document, or only those that `only`
    names.
    """
    users = [noun for noun in db.values(sql.users, id=row["id"]) if not only or noun in only]
    if users:
        raise Problem(
            "in_use",
            f"The document is used by {listed(users)}. {' '.join(map(RELEASE.get, users))}",
            used_by=users,
        )


def _refuse_submitted(db, row):
    """Raise 409 `document_locked` if the document belongs to a submission that is in review or
    approved.
    """
    status = db.value(sql.handed_in, id=row["id"])
    if status:
        remedy = (
            "Request a revision of the submission"
            if status == "submitted"
            else "Create another document instead"
        )
        raise Problem(
            "document_locked",
            f"The file cannot change, because it belongs to a submission that is {status}. {remedy}.",
        )


def _refuse_kept(db, row):
    """Raise 409 `document_locked` if the file is a received e-invoice that must be kept."""
    last = document_rows.kept_until(db, row)
    if last:
        raise Problem(
            "document_locked",
            f"The file cannot change, because it is an e-invoice that must be kept until "
            f"{last}. Upload another one to a document of its own.",
        )
