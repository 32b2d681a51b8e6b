"""GET /openapi.json: the OpenAPI document."""
import json
from functools import lru_cache

from eventapi.reference.document import document
from eventapi.web.pages import Page
from eventapi.web.routes import Routes

routes = Routes("openapi", root="", public=True)


@routes.get("/openapi.json", forms=("application/json",), response="openapi_document")
def get_openapi(config):
    """Return the OpenAPI document."""
    return _page(config.base_url).response()


@lru_cache(maxsize=4)
def _page(base_url):
    text = json.dumps(document(base_url), ensure_ascii=False)
    return Page(text, {"Content-Type": "application/json"}).compressed()
