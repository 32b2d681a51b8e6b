"""Sixth plugin: a database connection for each handler, and one transaction for each write."""

import inspect
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from functools import partial

from bottle import Route, request

from eventapi.errors import Problem, damaged
from eventapi.plugins import idempotency
from eventapi.storage.database import Nobody
from eventapi.storage.errors import damage
from eventapi.storage.group_commit import Writer
from eventapi.web import dry_runs
from eventapi.web.dry_runs import DRY_RUN, DryRun
from eventapi.web.rest import Response
from eventapi.web.routes import Options, called

READS = ("GET", "OPTIONS")


class DatabasePlugin:
    """Passes `db` and `who` to the handlers that take them.

    A GET handler, a POST with the option `reads`, and a dry run of a route with the option `dry_run`
    get the reading connection of their thread. Any other handler runs inside a write transaction of
    the Writer, and returns after its commit (storage/group_commit.py); a dry run of a route with
    `rolls_back` is rolled back. A Problem that the handler raises rolls the write back, unless the
    Problem has `keeps`: then the write is committed, and the Problem is the response all the same.
    """

    name, api = "database", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler, called with a connection, and inside a transaction if it writes."""
        takes, options = inspect.signature(route.callback).parameters, route.config["options"]
        handler = with_caller(callback, takes)
        if options.batch:  # it opens a transaction for each part of its entries
            return handler
        read = reading(handler, takes)
        if options.reads or route.method in READS:
            return read
        if options.rolls_back:
            return tried_or_not(handler, takes, options)
        write = writing(handler, takes, options)
        return dry_or_not(read, write) if options.dry_run else write


def dry_or_not(read: Callable, write: Callable) -> Callable:
    """Return the handler that calls `read` for a body whose `dry_run` is true, and otherwise
    `write`.
    """

    def handle(**values):
        return (read if values["body"]["dry_run"] else write)(**values)

    return handle


def tried_or_not(callback: Callable, takes: Container[str], options: Options) -> Callable:
    """Return the handler, called inside a write transaction that is rolled back if `dry_run` in the
    body is true.

    The handler gets the body without `dry_run`.
    """
    write = writing(callback, takes, options)
    attempt = writing(rolled_back(callback, options), takes, options, keeps=False)

    def handle(**values):
        body = dict(values["body"])
        is_dry_run = body.pop("dry_run", False)
        request.environ[DRY_RUN] = is_dry_run
        values["body"] = body
        if not is_dry_run:
            return write(**values)
        try:
            return attempt(**values)
        except DryRun as done:
            return done.response

    return handle


def rolled_back(callback: Callable, options: Options) -> Callable:
    """Return the handler, called so that its transaction ends with the DryRun that has its response."""

    def attempt(**values):
        before = None
        if "id" in values:
            reader = options.record().handler
            who = request.environ.get("eventapi.who")
            before = called(reader, **{"who": who, **values, "query": {}})
        result = callback(**values)
        is_new = isinstance(result, Response) and result.status == 201
        known = None if is_new else before
        if "id" not in values:
            known = values["body"]
        raise DryRun(dry_runs.response_to(result, options.singular, known))

    return attempt


def with_caller(callback: Callable, takes: Container[str]) -> Callable:
    """Return the handler, called with the `who` of the request if it takes one."""
    if "who" not in takes:
        return callback

    def handle(**values):
        return callback(**values, who=request.environ.get("eventapi.who"))

    return handle


def reading(callback: Callable, takes: Container[str]) -> Callable:
    """Return the handler, called with the reading connection if it takes `db`. /healthz works
    without a database.
    """
    if "db" not in takes:
        return callback

    def read(**values):
        return callback(**values, db=request.environ["eventapi.connections"].reader())

    return read


def writing(
    callback: Callable, takes: Container[str], options: Options, *, keeps: bool = True
) -> Callable:
    """Return the handler, called inside a write transaction, unless the database is damaged.

    `options` are those of the route (web/routes.py). Without `keeps`, every Problem rolls back.
    """
    takes_db, takes_before = "db" in takes, "before" in takes

    def write(**values):
        environ = request.environ
        db = environ["eventapi.connections"].writer()
        if damage(db.path):
            raise damaged()
        if options.before:
            given = [values[name] for name in ("id", "upload") if name in values]
            values["before"] = options.before(environ["eventapi.connections"].reader(), *given)
        if options.in_pieces:
            result = in_pieces(options.in_pieces, environ, db, values)
            if takes_before:
                values["before"] = result
        if takes_db:
            values["db"] = db
        with db.write():
            db.actor = environ.get("eventapi.who") or Nobody
            if "config" in values:
                values["config"] = db.config
            try:
                return callback(**values)
            except Problem as problem:
                if not (keeps and problem.keeps):
                    raise
                refusal = problem
        raise refusal

    return write


def in_pieces(change: Callable, environ: dict, db: Writer, values: dict) -> object:
    """Return the result of the option `in_pieces`, or None if an earlier response to the request is
    kept.
    """
    reader = environ["eventapi.connections"].reader()
    if environ["REQUEST_METHOD"] == "POST" and idempotency.is_repeated(environ, reader):
        return None
    return change(partial(piece, db, environ), reader, values)


@contextmanager
def piece(db: Writer, environ: dict) -> Iterator[Writer]:
    """Open a transaction for a part of a request, with the caller as its actor.

    It is committed at the end.
    """
    with db.write():
        db.actor = environ.get("eventapi.who") or Nobody
        yield db
