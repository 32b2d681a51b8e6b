"""Requests of many clients that start at the same time, each over its own connection."""

import http.client
import json
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

ROUNDS = int(os.environ.get("RACE_ROUNDS", "1"))  # `make race` sets 20


def send(port, key, method, path, body=None, **headers):
    """Send one request over a new connection. Return (status, JSON document).

    Raise OSError or HTTPException if the connection breaks.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        text = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
        connection.request(method, f"/api/v1{path}", text, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")
    finally:
        connection.close()


def send_at_once(port, key, requests):
    """Send requests (method, path, body) at the same time.

    Return a tuple (status, JSON document) for each, in their order.
    """
    start = Barrier(len(requests))

    def client(request):
        start.wait(30)
        return send(port, key, *request)

    with ThreadPoolExecutor(len(requests)) as clients:
        return list(clients.map(client, requests))
