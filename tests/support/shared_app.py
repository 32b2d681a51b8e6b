"""An app with its database and clients, for tests that share one."""

import shutil
from functools import cached_property

import webtest

from eventapi.app import App
from eventapi.reference import document as openapi
from eventapi.storage.database import Database
from tests.support.client import SCOPES, Client, add_key, make_settings


class SharedApp:
    """An app with a database of its own. `with` removes its folder at the end.

    Share it where tests only read, or only add records that no other test of the module counts.
    """

    def __init__(self, folder, template):
        self.config = make_settings(folder, template)
        self.app = webtest.TestApp(App(self.config))
        self.db = Database(self.config)
        self.clients = {}
        self.organiser, self.anonymous = self.person(SCOPES), Client(self.app, None)
        self.organiser.get("/events", status=200)  # the first use of a key writes its date

    @cached_property
    def document(self):
        """The OpenAPI document of the app."""
        return openapi.document(self.config.base_url)

    def person(self, scopes, **values):
        """Return the client whose key has these scopes, such as "events payments:read", and these
        values of `add_key`.
        """
        wanted = (scopes, *sorted(values.items()))
        if wanted not in self.clients:
            self.clients[wanted] = Client(self.app, add_key(self.db, scopes, **values))
        return self.clients[wanted]

    def version(self):
        """Return a number that changes as soon as a request writes anything (SQLite's
        data_version).
        """
        return self.db.connection.execute("PRAGMA data_version").fetchone()[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.app.app.connections.close()
        self.db.close()
        shutil.rmtree(self.config.data_dir)
