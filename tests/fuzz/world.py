"""What the targets of the fuzzer work on: an application in this process with a database of its
own.
"""

import io
import logging
import sys

from eventapi.app import App
from eventapi.storage import migrations
from eventapi.storage.database import Database
from tests.support.client import SCOPES, add_key, make_settings


class World:
    """An application with an organiser's key and a folder for files. `close` ends it."""

    def __init__(self, folder):
        migrations.migrate(folder / "template.db")
        self.folder = folder
        self.config = make_settings(folder, (folder / "template.db").read_bytes())
        self.app = App(self.config)
        self.db = Database(self.config)
        self.key = add_key(self.db, SCOPES)
        self.errors = Errors()
        logging.getLogger("eventapi").addHandler(self.errors)

    def close(self):
        logging.getLogger("eventapi").removeHandler(self.errors)
        self.app.connections.close()
        self.db.close()

    def file(self, data):
        """Write bytes to a file and return its path. The next call overwrites it."""
        path = self.folder / "input"
        path.write_bytes(data)
        return path

    def request(self, method, path, query="", headers=None, body=b""):
        """Send a request and return (status, headers, body).

        Raise AssertionError for a fault of the server.

        path: bytes after percent-decoding, as Latin-1, which is how WSGI hands them over.
        """
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SCRIPT_NAME": "",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "192.0.2.1",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": "application/json",
            "HTTP_AUTHORIZATION": f"Bearer {self.key}",
            **(headers or {}),
        }
        seen = []
        self.errors.seen.clear()
        pieces = self.app(
            environ, lambda status, headers, exc_info=None: seen.append((status, headers))
        )
        try:
            content = b"".join(pieces)
        finally:
            getattr(pieces, "close", lambda: None)()
        status, headers = int(seen[0][0].split()[0]), dict(seen[0][1])
        assert not self.errors.seen, self.errors.seen
        assert status < 500 or status == 501, (status, content[:500])
        return status, headers, content


class Errors(logging.Handler):
    """Keeps the errors that the application logs, each with its traceback."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.seen = []

    def emit(self, record):
        self.seen.append(self.format(record))
