"""GET /openapi.json: the OpenAPI document.

GET /generator.yaml: the options of openapi-python-client for it.
"""

import json
from functools import lru_cache
from importlib.resources import files

from eventapi.reference.document import document
from eventapi.web.pages import Page
from eventapi.web.routes import Routes

routes = Routes("openapi", root="", public=True)


@routes.get("/openapi.json", forms=("application/json",), response="openapi_document")
def get_openapi(config):
    """Return the OpenAPI document."""
    return _page(config.base_url).response()


@routes.get("/generator.yaml", forms=("text/plain",))
def get_generator_options():
    """Return the options of openapi-python-client, without which it leaves out operations that
    return files.
    """
    return _generator_options().response()


@lru_cache(maxsize=1)
def _generator_options():
    text = files("eventapi.reference").joinpath("generator.yaml").read_text(encoding="utf-8")
    return Page(text, {"Content-Type": "text/plain; charset=utf-8"})


@lru_cache(maxsize=4)
def _page(base_url):
    text = json.dumps(document(base_url), ensure_ascii=False)
    return Page(text, {"Content-Type": "application/json"}).compressed()
