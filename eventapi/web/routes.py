"""Routes as data: method, path, handler, and the options that the plugins and the API reference
read.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from email.utils import formatdate
from functools import partial

from eventapi import times
from eventapi.states import Transitions

JSON, CSV = "application/json", "text/csv"


@dataclass(frozen=True, kw_only=True)
class Deprecation:
    """When a route became deprecated, and from when on it may be missing.

    Both are dates; each begins at 00:00 UTC.
    """

    since: str
    sunset: str

    link: str
    """Address of a page that names the replacement."""

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers of RFC 9745 and RFC 8594 as (name, value)."""
        since, sunset = (times.unix(times.start(day, "UTC")) for day in (self.since, self.sunset))
        return [
            ("Deprecation", f"@{since}"),
            ("Sunset", formatdate(sunset, usegmt=True)),
            ("Link", f'<{self.link}>; rel="deprecation"'),
        ]


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What the desk does with a route: it has a button, an action for the ticked records of a list,
    or both.

    A route without it is none of these, whatever its scope.
    """

    fields: tuple[str, ...] | None = None
    """Fields of the body that the form of the button has, in their order. Default: all that can be
    written.
    """

    fixed: tuple[str, ...] = ()
    """Hidden fields that the page of the button fills in, such as the record that a note is about."""

    is_final: bool = False
    """The change cannot be taken back, so a page of its own asks before."""

    word: str | None = None
    """Word in `allowed_actions` of the record. Default: the end of the path."""

    unless: tuple[str, ...] = ()
    """States of the record in which the API allows the action, and the desk does not offer it."""

    batch: tuple[str, ...] | None = None
    """Fields of the form of the batch action. Without it, the action is for one record only."""

    undo: str | None = None
    """Handler that takes the batch action back, called with the id of the record."""

    undo_new: str | None = None
    """Handler that takes the batch action back, called with the id of each record that it has made."""

    undo_body: dict | None = None
    """Body of the call that takes back. Default: an empty one, if its route has a body."""

    is_button: bool = True
    """False for an action that the desk offers only for ticked records."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a route declares.

    `Routes(...)` sets defaults for all routes of a resource; a decorator adds to them or replaces
    them.
    """

    resource: str
    """Name of the resource, as in the catalogue.

    The reference groups operations by it; it names the file of a CSV list.
    """

    singular: str
    """Name of one record, and of its schema in schemas/.

    Used for `note_id` in minimal responses and for the columns of CSV.
    """

    scope: str | None = None
    """Scope that the key must have, read by the access plugin: `name` to write, `name` or `name:read` to read. Three
    values leave the check to the handler: `by_entity_type` (the scope depends on the record), `all` (several
    scopes), `any` (every key). With `none` every key is enough, whatever the plan tier."""

    narrow_scopes: tuple[str, ...] = ()
    """Scopes for a few routes only, such as `applications:create`, that allow this route as well as
    `scope` does.
    """

    further_scopes: tuple[str, ...] = ()
    """Scopes that the key must have as well as `scope`, to read or to write as the request does."""

    flag: str | None = None
    """Feature that must be enabled, or the access plugin responds with 403 `feature_disabled`."""

    public: bool = False
    """No key is required. The plugins authentication, access and validation leave the route alone."""

    schema: str | None = None
    """Schema of the JSON body, checked by the validation plugin: `note` (the record) or `note.pin` (an entry of its
    `$defs`). Without it, a body may only be empty. A POST of a record responds with 201."""

    query: str | None = None
    """Schema of the query string, checked by the validation plugin: `note.query`. Without it, only the list parameters
    are known."""

    listing: bool = False
    """The response is a list: the query has `page`, `per_page`, `sort` and the like, and CSV is
    offered.

    Set by `Routes.list`.
    """

    forms: tuple[str, ...] = ()
    """Media types of the response, best first, from which the validation plugin chooses by
    `Accept`.

    The handler gets the choice as `form`. Empty: JSON, and CSV for a list.
    """

    raw_body: tuple[str, ...] = ()
    """Media types of a body that the validation plugin does not parse.

    The handler gets what `receive` yields as `upload`.
    """

    receive: Callable | None = None
    """Context manager `(environ, config, query)` that reads a raw body before any transaction
    begins.

    Default: `uploads.received`.
    """

    prepare: Callable | None = None
    """Function `(body, config)` that returns further faults of a valid body.

    The validation plugin calls it before any transaction, because it may wait for the network.
    """

    before: Callable | None = None
    """Function for work that is too slow for a write transaction: `(db, id)`, `(db, id, upload)`
    with `raw_body`, or `(db)` on a route without id.

    An example is drawing a PDF.

    The database plugin calls it with the reading connection before the transaction begins. The
    handler gets its result as `before`, and must check that the record has not changed since.
    """

    reads: bool = False
    """A POST that changes nothing: it gets the reading connection and no transaction. `Idempotency-Key` has no effect,
    because such a request can be repeated."""

    dry_run: bool = False
    """A request whose body has `dry_run` true only reads, as with `reads`. Others write."""

    rolls_back: bool = False
    """A request whose body has `dry_run` true runs like any other, and is rolled back: see web/dry_runs.py. The field
    `dry_run` must be in its schema. The handler does not get it."""

    record: Callable | None = None
    """Function that returns the route which reads one record of the resource. Set by `Routes`."""

    in_pieces: Callable | None = None
    """Function `(write, db, values)` for a change that would hold the write lock for too long.

    The database plugin calls it before the transaction of the request. `write()` opens a
    transaction of its own, as a context manager that yields the writing connection; `db` reads;
    `values` are the arguments of the handler, by name. The handler gets its result as `before` if
    it takes it. Repeating the request must do no harm, because it may stop between two
    transactions.
    """

    batch: bool = False
    """One action for many records: POST /NAME/batch, see calls/batches.py.

    The handler opens the transactions.
    """

    response: str | None = None
    """Schema of `data` in the response, where it is not the record: `invoice.numbering`.

    Read by the reference.
    """

    status: int | None = None
    """Status of a successful response for the reference.

    Default: 201 for a POST of a record, 204 for DELETE, otherwise 200.
    """

    again: int | None = None
    """Second status of success, for the reference: a POST that finds the record there already, or that leaves work for
    later."""

    ranges: bool = False
    """The handler accepts `Range`, so the reference documents 206."""

    page: bool = False
    """A page for people, or a file that belongs to one. It is not in the reference."""

    session: str | None = None
    """Kind of the link whose session the page needs: `participant`, `application`, `door` or `admin`.

    The plugin sessions finds it by the cookie of the ref in the address. The handler gets it as `request`. A POST with
    HTML is a form that needs the token of the session, and `schema` describes its fields."""

    right: str | None = None
    """Right that the link needs. Without it, the page is 404."""

    shows: Callable | None = None
    """GET handler `(db, request, ...)` that shows the page again with what was typed, if the form is refused with 409,
    412 or 422."""

    shows_missing_scopes: bool = False
    """The page is also shown again after 403 `insufficient_scope`, and says which scopes are missing."""

    file: Callable | None = None
    """Function `(config)` that returns the largest size in bytes of the file which is the last field of the form.

    The handler gets it as `upload`."""

    typed: Callable | None = None
    """Function `(db, link, language, fields)` that returns (label, text) of what was typed into a form.

    The page that says that the session has ended shows it. Default: by the labels `field_NAME` of the pages."""

    signs_in: bool = True
    """A form of the desk that is sent after the end of its session asks for address and password, and is saved with
    them. False for a batch, and never for a file: they ask to sign in in another tab."""

    desk: Desk | None = None
    """What the desk does with the route. Without it, neither a button nor a batch of the desk can
    call the route.
    """

    lost_page: bool = False
    """The 404 of this route is an HTML page, not a problem document. Read by the reference."""

    deprecated: Deprecation | None = None
    """The route will be removed.

    The request plugin announces it in every response, the reference marks it.
    """

    states: tuple[Transitions, ...] = ()
    """State tables of the resource. The reference lists their actions."""

    @property
    def offered(self) -> tuple[str, ...]:
        """Return the media types of the response: `forms`, or their default."""
        return self.forms or ((JSON, CSV) if self.listing else (JSON,))


KNOWN = frozenset(field.name for field in fields(Options))


@dataclass(frozen=True)
class Route:
    """One method of one path. `path` is Bottle's: `<id>` is a parameter."""

    method: str
    path: str
    handler: Callable
    options: Options


Decorator = Callable[[Callable], Callable]


class Routes:
    """The routes of one resource, below /api/v1 unless `root` says otherwise."""

    def __init__(
        self, name: str, singular: str | None = None, *, root: str = "/api/v1", **options: object
    ):
        self.name, self.root, self.routes = name, root, []
        self.defaults = {
            "resource": name,
            "singular": singular or name.rstrip("s"),
            "record": partial(self.single, "get"),
            **options,
        }

    def _add(self, methods, path, given):
        options = self._options(path, {**self.defaults, **given})

        def decorate(handler):
            for method in methods:
                self.routes.append(Route(method, self.root + path, handler, options))
            return handler

        return decorate

    def _options(self, path, given):
        """Raise TypeError for an option that does not exist, ValueError if neither `scope` nor
        `public` is given.
        """
        for name in given.keys() - KNOWN:
            raise TypeError(
                f"route {self.root}{path}: there is no option {name!r}; see eventapi.web.routes.Options"
            )
        options = Options(**given)
        if not (options.scope or options.public):
            raise ValueError(f"route {self.root}{path} has no scope=: set one, or public=True")
        return options

    def list(self, path: str, **options: object) -> Decorator:
        """Register a GET handler of a list, with the common parameters of lists."""
        return self._add(("GET",), path, {"listing": True, **options})

    def get(self, path: str, **options: object) -> Decorator:
        """Register a GET handler."""
        return self._add(("GET",), path, options)

    def post(self, path: str, **options: object) -> Decorator:
        """Register a POST handler."""
        return self._add(("POST",), path, options)

    def batch(self) -> Decorator:
        """Register the POST handler of /NAME/batch.

        `batch` in the $defs of its schema has the actions.
        """
        return self._add(
            ("POST",),
            f"/{self.name}/batch",
            {"batch": True, "schema": f"{self.defaults['singular']}.batch", "response": "batch"},
        )

    def single(self, action: str) -> Route:
        """Return the route of one record: `get` is GET /NAME/<id>, `create` POST /NAME, `delete`
        DELETE /NAME/<id>, and another action POST /NAME/<id>/ACTION.
        """
        of_all = f"{self.root}/{self.name}"
        usual = ("POST", f"{of_all}/<id>/{action}")
        searched = {
            "get": ("GET", f"{of_all}/<id>"),
            "create": ("POST", of_all),
            "delete": ("DELETE", f"{of_all}/<id>"),
        }.get(action, usual)
        return next(route for route in self.routes if (route.method, route.path) == searched)

    def update(self, path: str, **options: object) -> Decorator:
        """Register a handler of PUT and PATCH. They differ only in the fields that they require."""
        return self._add(("PUT", "PATCH"), path, options)

    def put(self, path: str, **options: object) -> Decorator:
        """Register a PUT handler."""
        return self._add(("PUT",), path, options)

    def patch(self, path: str, **options: object) -> Decorator:
        """Register a PATCH handler."""
        return self._add(("PATCH",), path, options)

    def delete(self, path: str, **options: object) -> Decorator:
        """Register a DELETE handler, which returns nothing: the response is 204."""
        return self._add(("DELETE",), path, options)


def called(handler: Callable, **given: object) -> object:
    """Return what a handler returns, which takes those of the arguments that it names."""
    takes = inspect.signature(handler).parameters
    return handler(**{name: value for name, value in given.items() if name in takes})
