"""Document templates: texts in a subset of HTML, with placeholders, that documents are made from."""

from eventapi.domain.attachments import document_templates, placeholders
from eventapi.domain.attachments.document_templates import represent
from eventapi.domain.records import references
from eventapi.domain.records.references import DOCUMENT_CATEGORY
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import Response, created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("document-templates", "document_template", scope="documents", flag="documents")
sql = statements("document_templates")


@routes.list("/documents/templates", query="document_template.query")
def list_document_templates(db, query):
    return page(db, sql.list, references.filters(db, query, DOCUMENT_CATEGORY), represent)


@routes.get("/documents/templates/placeholders", response="document_template.placeholders")
def list_document_placeholders(db):
    """List the placeholders that templates may contain.

    Write them as `{{contact.company_name}}`. An unknown placeholder is an error.
    """
    return Response(
        {"placeholders": placeholders.listed(), "gap": placeholders.GAP}, has_etag=False
    )


@routes.post("/documents/templates", schema="document_template")
def create_document_template(db, body):
    return created(document_templates.create(db, body), "/documents/templates")


@routes.get("/documents/templates/<id>")
def get_document_template(db, id):
    return get(db, id)


@routes.update("/documents/templates/<id>", schema="document_template")
def update_document_template(db, id, body):
    return document_templates.update(db, require_match(get(db, id)), body)


@routes.delete("/documents/templates/<id>")
def delete_document_template(db, id):
    document_templates.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(document_templates.get(db, id), "document_template", id)
