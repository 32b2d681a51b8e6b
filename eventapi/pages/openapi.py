"""GET /openapi.json: the OpenAPI document.

GET /openapi-3.0.json: the same in OpenAPI 3.0, for generators of clients that read only that.

GET /generator.yaml: the options of openapi-python-client for it.
"""

import json
from functools import lru_cache
from importlib.resources import files

from eventapi.reference.document import addressed, document
from eventapi.reference.older import older
from eventapi.web.pages import Beginning, Page
from eventapi.web.rest import base_url
from eventapi.web.routes import Routes

routes = Routes("openapi", root="", public=True)


@routes.get("/openapi.json", forms=("application/json",), response="openapi_document")
def get_openapi(config):
    """Return the OpenAPI document."""
    return _completed(_beginning(config.base_url))


@routes.get("/openapi-3.0.json", forms=("application/json",), response="openapi_document")
def get_older_openapi(config):
    """Return the OpenAPI document in OpenAPI 3.0.3, which has no webhooks."""
    return _completed(_beginning_3_0(config.base_url))


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
def _beginning(configured):
    """Return the document without its addresses. `configured` is the option base_url."""
    return _without_addresses(document(configured))


@lru_cache(maxsize=4)
def _beginning_3_0(configured):
    return _without_addresses(older(document(configured)))


def _without_addresses(whole):
    parts = {name: part for name, part in whole.items() if name not in addressed("")}
    text = json.dumps(parts, ensure_ascii=False).removesuffix("}")
    return Beginning(text, {"Content-Type": "application/json"})


def _completed(beginning):
    """Return the response: the document, which ends with the address that the client used."""
    end = json.dumps(addressed(base_url()), ensure_ascii=False)
    return beginning.completed(f", {end.removeprefix('{')}").response()
