"""Document categories: the categories of documents, each with the template that its documents are
made from.
"""

from eventapi.domain.attachments import document_categories
from eventapi.domain.records import references
from eventapi.domain.records.references import DEFAULT_TEMPLATE
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("document-categories", "document_category", scope="documents", flag="documents")
sql = statements("document_categories")


@routes.list("/documents/categories", query="document_category.query")
def list_document_categories(db, query):
    return page(db, sql.list, references.filters(db, query, DEFAULT_TEMPLATE))


@routes.post("/documents/categories", schema="document_category")
def create_document_category(db, body):
    return created(document_categories.create(db, body), "/documents/categories")


@routes.get("/documents/categories/<id>")
def get_document_category(db, id):
    return get(db, id)


@routes.update("/documents/categories/<id>", schema="document_category")
def update_document_category(db, id, body):
    return document_categories.update(db, require_match(get(db, id)), body)


@routes.delete("/documents/categories/<id>")
def delete_document_category(db, id):
    document_categories.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(document_categories.get(db, id), "document_category", id)
