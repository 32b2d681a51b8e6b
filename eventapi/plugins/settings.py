"""The plugin that lets a request have the settings of the organiser as they are at its start.

Each request reads the number of their last change: with the API key (authentication), with the
session (sessions), and for other pages here.
"""

import inspect
import logging
from collections.abc import Callable
from contextlib import closing

from bottle import Route, request

from eventapi.config import Config, ConfigError
from eventapi.storage.database import Database

log = logging.getLogger("eventapi.settings")


def start(config: Config) -> None:
    """Read the settings before the first request: the process goes on with them if one becomes bad.

    If one is bad already, the process has replaced another one of a running server, and refuses
    requests until it is corrected.
    """
    with closing(Database(config, readonly=True)) as db:
        try:
            db.follow()
        except ConfigError as error:
            log.error("%s. Until then, each request is refused", error)


class Settings:
    """Lets a public page without a session read the settings, if it reads the database at all.

    /healthz and the reference work without a database.
    """

    name, api = "settings", 2

    def apply(self, callback: Callable, route: Route) -> Callable:
        """Return the handler, called with the settings of this moment. Other routes stay as they are."""
        options = route.config["options"]
        takes = inspect.signature(route.callback).parameters
        if not options.public or options.session or "db" not in takes:
            return callback

        def current(**values):
            db = request.environ["eventapi.connections"].reader()
            follow(db, None, values)
            return callback(**values)

        return current


def follow(db: Database, revision: int | None, values: dict) -> None:
    """Let the request have the settings of this revision, see Database.follow. `values` are the
    arguments of its handler.
    """
    db.follow(revision)
    request.environ["eventapi.config"] = db.config
    if "config" in values:
        values["config"] = db.config
