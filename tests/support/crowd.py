"""Many clients at once, over real connections, for tests of what only one of them may get."""
import http.client
import json
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

ROUNDS = int(os.environ.get("RACE_ROUNDS", "1"))             # make race asks for 20


def ask(port, key, method, path, body=None, **headers):
    """(status, document) of one request on a connection of its own; OSError or HTTPException when it breaks."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, f"/api/v1{path}", text, {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    finally:
        connection.close()


def at_once(port, key, requests):
    """The answers to requests (method, path, body) that start at the same moment, each from a client of its own, in their order."""
    start = Barrier(len(requests))

    def client(request):
        start.wait(30)
        return ask(port, key, *request)
    with ThreadPoolExecutor(len(requests)) as clients:
        return list(clients.map(client, requests))
