"""A client over a real connection, for tests with a real server."""

import http.client
import json
from urllib.parse import urlsplit


class HttpClient:
    """Send JSON over one persistent connection. `answer` is the last response."""

    def __init__(self, url, key, timeout=30):
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
        self.headers = {"Authorization": f"Bearer {key}"}

    def __call__(self, method, path, body=None, **headers):
        """Send a request. Return (status, body): JSON data, or bytes of any other body.

        `_` in a header name means `-`.
        """
        raw = None if body is None else json.dumps(body).encode()
        content = {"Content-Type": "application/json"} if raw is not None else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, f"/api/v1{path}", raw, {**self.headers, **content, **named})
        answer = self.connection.getresponse()
        text = answer.read()
        self.answer = answer
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(text) if text and is_json else text

    def data(self, method, path, body=None, *, status=200):
        """Return `data` of a response with the expected status."""
        got, answer = self(method, path, body)
        assert got == status, f"{method} {path}: {got} {answer}"
        return answer["data"]

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
