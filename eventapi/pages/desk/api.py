"""What the pages of the desk read and do: the API's own routes, by the name of their handler."""

from functools import cache
from importlib import import_module
from urllib.parse import urlencode

from eventapi import resources
from eventapi.calls import desk
from eventapi.errors import Problem
from eventapi.plugins import access
from eventapi.storage.database import as_json
from eventapi.web.rest import etag

PER_PAGE = 50
ROOT = "/api/v1/"  # what the paths of the routes of the API begin with


@cache
def routes():
    """Return name of a handler -> its route. Of PUT and PATCH, that is PATCH."""
    found = {}
    for name in resources.CATALOGUE:
        for route in import_module(f"eventapi.{name}").routes.routes:
            if found.get(route.handler.__name__) is None or route.method == "PATCH":
                found[route.handler.__name__] = route
    return found


@cache
def names():
    """Return (method, path) -> name of the handler."""
    return {(route.method, route.path): name for name, route in routes().items()}


def read(name, *, form=None, include=(), query=None, **ids):
    """Return the response of a GET route.

    `query` are its parameters; those that are None or empty are left out.
    """
    asked = {key: value for key, value in (query or {}).items() if value not in (None, "")}
    if include:
        asked["include"] = ",".join(include)
    return desk.call(
        routes()[name], ids, query=urlencode(asked), **({"form": form} if form else {})
    )


def record(name, id, *, include=()):
    """Return a record with its ETag in the field `tag`, and with what `include` names. Raise 404."""
    plain = read(name, id=id).data
    more = read(name, id=id, include=include).data if include else plain
    return {**more, "tag": etag(as_json(plain))}


def check(name, **ids):
    """Return the data of a POST route that changes nothing."""
    return desk.call(routes()[name], ids, body={}).data


def tried(name, body, **ids):
    """Return the response of a dry run of a route with the option `rolls_back`."""
    return desk.call(routes()[name], ids, body={**body, "dry_run": True})


def rows(name, *, include=(), **query):
    """Return (records, number of all of them) of a list, the first page unless `page` is given."""
    response = read(name, include=include, query={"per_page": PER_PAGE, **query})
    return response.data, response.meta["total"]


def pages(name, size, *, include=(), query=None):
    """Yield the records of each page of a list, `size` at a time, to the last one."""
    asked = {key: value for key, value in (query or {}).items() if value not in (None, "")}
    asked |= {"per_page": size, "after": ""}
    if include:
        asked["include"] = ",".join(include)
    while asked["after"] is not None:
        response = desk.call(routes()[name], {}, query=urlencode(asked))
        yield response.data
        asked["after"] = response.meta["next"]


def everything(name, *, include=(), **query):
    """Return all records of a list that a form offers for choice, at most 500."""
    found = []
    for number in range(1, 6):
        response = read(name, include=include, query={"per_page": 100, "page": number, **query})
        found += response.data
        if len(found) >= response.meta["total"]:
            break
    return found


@cache
def features():
    """Return scope -> feature without which its records do not exist: the one flag of all its routes."""
    flags = {}
    for route in routes().values():
        flags.setdefault(route.options.scope, set()).add(route.options.flag)
    return {scope: found.pop() for scope, found in flags.items() if len(found) == 1}


def may(request, scope, *, writes=False):
    """Return whether the person may read the records of a scope, or write them, and their feature is
    enabled.
    """
    if features().get(scope) in request.who.disabled_flags:
        return False
    return scope in request.who.scopes or (not writes and access.may_read(request.who, scope))


def require(request, scope):
    """Raise 403 unless the person may read the records of a scope, and their feature is enabled."""
    access.require_flag(request.who, features().get(scope))
    access.require_scope(request.who, scope, writes=False)


def may_call(request, name):
    """Return whether the scopes of the person and the features of the tenant allow a route."""
    try:
        require_call(request, name)
    except Problem:
        return False
    return True


def require_call(request, name):
    """Raise 403 unless the scopes of the person and the features of the tenant allow a route.

    What depends on the record is checked by the route itself.
    """
    route = routes()[name]
    access.require_flag(request.who, route.options.flag)
    scopes = [
        scope
        for scope in (route.options.scope, *route.options.further_scopes)
        if scope not in ("any", "all", "by_entity_type")
    ]
    access.require_scopes(request.who, scopes, writes=access.writes(route.method, route.options))
