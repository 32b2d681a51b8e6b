"""Document templates: texts in a subset of HTML, with placeholders, that documents are made from."""

from eventapi.domain.attachments import document_templates, pages, placeholders
from eventapi.domain.attachments.content_types import HTML, PDF
from eventapi.domain.attachments.document_templates import represent
from eventapi.domain.records import references
from eventapi.domain.records.references import DOCUMENT_CATEGORY
from eventapi.plugins.access import require_scopes
from eventapi.storage.statements import statements
from eventapi.web import downloads
from eventapi.web.lists import page
from eventapi.web.rest import Response, created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("document-templates", "document_template", scope="documents", flag="documents")
sql = statements("document_templates")

PREVIEW_NAMES = {HTML: "preview.html", PDF: "preview.pdf"}


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


@routes.post(
    "/documents/templates/preview",
    schema="document_template.preview",
    forms=(HTML, PDF),
    reads=True,
)
def preview_document_template(db, who, body, form):
    """Show what a document made from a body would look like, as a page or PDF. Nothing is stored.

    The header Accept selects page or PDF. With `participant_id` the key needs the scopes
    `participants:read` and `contacts:read` as well.
    """
    if body["participant_id"] is not None:
        require_scopes(who, ("participants", "contacts"), writes=False)
    with db.snapshot():
        document, party = document_templates.preview(db, body)
    headers = downloads.guarded(form, PREVIEW_NAMES[form])
    if form == PDF:
        return Response(body=pages.pdf(db.config, document, party), headers=headers)
    headers["Content-Security-Policy"] = pages.POLICY
    return Response(body=pages.page(db.config, document, party), headers=headers)


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
