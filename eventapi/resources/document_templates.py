"""Document templates: what documents are made from, in a closed subset of HTML with placeholders."""
from eventapi import journal, markup
from eventapi.domain.attachments import placeholders
from eventapi.domain.records import entities, references, slugs
from eventapi.domain.records.references import DOCUMENT_CATEGORY
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements
from eventapi.web.rest import Response, created, deleted, found, page, unchanged
from eventapi.web.routes import Routes

routes = Routes("document_templates", "document_template", scope="documents", flag="documents")
sql = statements("document_templates")


@routes.list("/documents/templates", query="document_template.query")
def list_document_templates(db, query):
    return page(db, sql.list, references.filters(db, query, DOCUMENT_CATEGORY), represent)


@routes.get("/documents/templates/placeholders", response="document_template.placeholders")
def get_placeholders(db):
    """What a template may name, and what each stands for."""
    return Response({"placeholders": placeholders.listed(), "gap": placeholders.GAP}, has_etag=False)


@routes.post("/documents/templates", schema="document_template")
def create_document_template(db, body):
    values = columns(db, body)
    values["key"] = values["key"] or free_key(db, values["name"])
    claim_key(db, values["key"])
    template = get(db, db.insert(sql.add, **values, now=db.now))
    journal.created(db, entities.DOCUMENT_TEMPLATE, template)
    return created(template, f"/documents/templates/{template['id']}")


@routes.get("/documents/templates/<id>")
def get_document_template(db, id):
    return get(db, id)


@routes.update("/documents/templates/<id>", schema="document_template")
def update_document_template(db, id, body):
    old = unchanged(get(db, id))
    merged = columns(db, body, old)
    claim_key(db, merged["key"], but=id)
    if any(merged[name] != old[name] for name in old):
        db.run(sql.change, **merged, now=db.now)
    new = get(db, id)
    journal.updated(db, entities.DOCUMENT_TEMPLATE, old, new)
    return new


@routes.delete("/documents/templates/<id>")
def delete_document_template(db, id):
    template = unchanged(get(db, id))
    users = db.values(sql.users, id=id)
    if users:
        raise Problem("in_use", f"The template has {' and '.join(users)}; it cannot be deleted.", used_by=users)
    db.run(sql.remove, id=id)
    journal.deleted(db, entities.DOCUMENT_TEMPLATE, template)
    return deleted()


def get(db, id):
    return represent(found(db.one(sql.get, id=id), "document_template", id))


def represent(row):
    row["is_contract"] = bool(row["is_contract"])
    return row


def columns(db, body, old=None):
    """The template as columns, once the body is in order."""
    faults, merged = Faults(), {**(old or {}), **body}
    if any(member in body for member, _ in DOCUMENT_CATEGORY[1]):
        merged[DOCUMENT_CATEGORY[0]] = references.resolve(db, body, DOCUMENT_CATEGORY, faults)
    if "body" in body:
        markup.parse(body["body"], faults, "/body", placeholders.is_known)
    faults.raise_any()
    return merged


def claim_key(db, key, but=None):
    if db.value(sql.key_taken, key=key) not in (None, but):
        raise Problem("duplicate", f"There is a document template with the key {key}.", member="key")


def free_key(db, name):
    return slugs.free(slugs.slug(name), lambda key: db.value(sql.key_taken, key=key))
