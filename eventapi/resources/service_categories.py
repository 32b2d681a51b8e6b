"""Service categories: the headings of the services sold."""

from eventapi.domain.orders import service_categories
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("service-categories", "service_category", scope="services", flag="services")
sql = statements("service_categories")


@routes.list("/services/categories", query="service_category.query")
def list_service_categories(db, query):
    return page(db, sql.list, query)


@routes.post("/services/categories", schema="service_category")
def create_service_category(db, body):
    return created(service_categories.create(db, body), "/services/categories")


@routes.get("/services/categories/<id>")
def get_service_category(db, id):
    return get(db, id)


@routes.update("/services/categories/<id>", schema="service_category")
def update_service_category(db, id, body):
    return service_categories.update(db, require_match(get(db, id)), body)


@routes.delete("/services/categories/<id>")
def delete_service_category(db, id):
    service_categories.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(service_categories.get(db, id), "service_category", id)
