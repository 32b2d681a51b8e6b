"""Requests to a seeded database, answered by the application in this process.

What a server costs is left out.
"""

import io
import json
import os
import sqlite3
import sys
import time
from pathlib import Path

os.environ.setdefault("EVENTAPI_LOG_LEVEL", "error")

from eventapi import config as configuration
from eventapi.app import App

CONFIGURATION = Path(__file__).with_name("load.conf")


class Refused(Exception):
    """A response that is not a success. The text has the request, the status and the body."""


class Client:
    """The application with the database in a folder that seed.py has filled.

    Attributes:
        took: CPU milliseconds that the last request took, until the last byte of its response.
        beside: another connection, for what the measurements need to know or to change.
    """

    def __init__(self, folder):
        self.config = configuration.load(CONFIGURATION, data_dir=str(folder))
        self.app = App(self.config)
        self.keys = json.loads(Path(folder, "keys.json").read_text(encoding="utf-8"))
        self.beside = sqlite3.connect(self.config.database, isolation_level=None)
        self.beside.execute("PRAGMA synchronous = OFF")
        self.took = 0

    def __call__(self, method, path, body=None, *, accept="*/*", rows=None, root="/api/v1"):
        """Return the body of the response as bytes; with `rows`, only until so many lines have
        arrived.
        """
        environ, status, pieces, lines = self._environ(method, root + path, body, accept), [], [], 0
        began = time.process_time()
        response = self.app(environ, lambda line, headers, exc_info=None: status.append(line))
        for piece in response:
            pieces.append(piece)
            lines += piece.count(b"\n") if rows else 0
            if rows and lines >= rows:
                break
        text = b"".join(pieces)
        getattr(response, "close", lambda: None)()
        self.took = (time.process_time() - began) * 1000
        if not status[0].startswith("2"):
            raise Refused(f"{method} {path}: {status[0]} {text[:300].decode(errors='replace')}")
        return text

    def _environ(self, method, address, body, accept):
        path, _, query = address.partition("?")
        raw = b"" if body is None else json.dumps(body).encode()
        return {
            "REQUEST_METHOD": method,
            "PATH_INFO": path.encode().decode("latin-1"),
            "QUERY_STRING": query.encode().decode("latin-1"),
            "SERVER_NAME": "x",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(raw),
            "wsgi.errors": sys.stderr,
            "CONTENT_LENGTH": str(len(raw)),
            "CONTENT_TYPE": "application/json",
            "HTTP_AUTHORIZATION": f"Bearer {self.keys['key']}",
            "HTTP_ACCEPT": accept,
            "REMOTE_ADDR": "127.0.0.1",
        }

    def get(self, path, **options):
        """Return the parsed JSON of a GET request."""
        return json.loads(self("GET", path, **options))

    def send(self, method, path, body=None):
        """Return `data` of a response, or None if it has no body."""
        return json.loads(self(method, path, body) or b"{}").get("data")

    def one(self, text, *values):
        """Return the first column of the first row of a statement."""
        return self.beside.execute(text, values).fetchone()[0]

    def commit_elsewhere(self):
        """Let another connection commit, so that the application counts every total again."""
        self.beside.execute("UPDATE api_keys SET name = ? WHERE id = 2", (str(time.time()),))

    def close(self):
        self.app.connections.close()
        self.beside.close()
