"""GET /openapi.json: the OpenAPI document.

GET /generator.yaml: the options of openapi-python-client for it.
"""

import json
from functools import lru_cache
from importlib.resources import files

from eventapi.reference.document import addressed, document
from eventapi.web.pages import Beginning, Page
from eventapi.web.rest import base_url
from eventapi.web.routes import Routes

routes = Routes("openapi", root="", public=True)


@routes.get("/openapi.json", forms=("application/json",), response="openapi_document")
def get_openapi(config):
    """Return the OpenAPI document."""
    return _completed(_beginning(config.base_url))


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
    text = json.dumps(_without_addresses(document(configured)), ensure_ascii=False)
    return Beginning(text.removesuffix("}"), {"Content-Type": "application/json"})


def _without_addresses(whole):
    return {name: part for name, part in whole.items() if name not in addressed("")}


def _completed(beginning):
    """Return the response: the document, which ends with the address that the client used."""
    end = json.dumps(addressed(base_url()), ensure_ascii=False)
    return beginning.completed(f", {end.removeprefix('{')}").response()
