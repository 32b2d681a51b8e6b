"""GET /openapi.json: the OpenAPI document."""
import json

from eventapi.pages import cached
from eventapi.reference.document import document
from eventapi.web.routes import Routes

routes = Routes("openapi", root="", public=True)


@routes.get("/openapi.json", forms=("application/json",))
def get_openapi(config):
    """Return the OpenAPI document."""
    text = json.dumps(document(config.base_url), ensure_ascii=False)
    return cached(text, {"Content-Type": "application/json"})
