"""Fifth plugin: a database connection for each handler, and one transaction for each write."""
import inspect
from collections.abc import Callable, Container
from pathlib import Path

from bottle import Route, request

from eventapi.config import Config
from eventapi.errors import Problem, damaged
from eventapi.storage.database import Nobody
from eventapi.storage.errors import damage
from eventapi.storage.group_commit import deferred_commit

READS = ("GET", "OPTIONS")


class DatabasePlugin:
    """Passes `db` and `who` to the handlers that take them.

    A GET handler gets the reading connection of its thread. Any other handler runs inside a write transaction of the
    Writer (storage/group_commit.py, which says when it commits). A Problem that the handler raises rolls the write
    back, unless the Problem has `keeps`: then the write is committed, and the Problem is the response all the same.
    """
    name, api = "database", 2

    def __init__(self, config: Config):
        self.database = config.database

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler, called with a connection, and inside a transaction if it writes."""
        takes = inspect.signature(route.callback).parameters
        if route.method not in READS:
            return writing(with_caller(callback, takes), takes, route.config["options"].before, self.database)
        return reading(with_caller(callback, takes), takes)


def with_caller(callback: Callable, takes: Container[str]) -> Callable:
    """Return the handler, called with the `who` of the request if it takes one."""
    if "who" not in takes:
        return callback

    def handle(**values):
        return callback(**values, who=request.environ.get("eventapi.who"))
    return handle


def reading(callback: Callable, takes: Container[str]) -> Callable:
    """Return the handler, called with the reading connection if it takes `db`. /healthz works without a database."""
    if "db" not in takes:
        return callback

    def read(**values):
        return callback(**values, db=request.environ["eventapi.connections"].reader())
    return read


def writing(callback: Callable, takes: Container[str], before: Callable | None, database: Path) -> Callable:
    """Return the handler, called inside a write transaction, unless the database is damaged.

    `before` is the option of the route (web/routes.py).
    """
    takes_db = "db" in takes

    def write(**values):
        environ = request.environ
        if damage(database):
            raise damaged()
        db = environ["eventapi.connections"].writer()
        if before:
            deferred_commit(environ).leave_queue()
            values["before"] = before(environ["eventapi.connections"].reader(), values["id"])
        if takes_db:
            values["db"] = db
        with db.write(deferred=deferred_commit(environ)):
            db.actor = environ.get("eventapi.who") or Nobody
            try:
                return callback(**values)
            except Problem as problem:
                if not problem.keeps:
                    raise
                refusal = problem
        raise refusal
    return write
