"""CPU time of the server per request: python -m tests.load.request_path [--requests 3000] [--rounds
3].

Starts the server with one process on a new database, sends each kind of request over one
connection, and prints the CPU time of the process (user and system, from /proc) per request, the
smallest of all rounds. Only figures of the same machine can be compared. Before and after a change:
run it in both checkouts by turns, a few times each.
"""

import argparse
import json
import os
import socket
import tempfile

from tests.support.processes import Server, children, eventapi

TICK = 1_000_000 / os.sysconf("SC_CLK_TCK")  # microseconds
EVENT = {
    "title": "Boat Show",
    "date_from": "2027-06-01",
    "date_to": "2027-06-03",
    "city": "Kiel",
    "country": "DE",
}
NOTE = {
    "entity_type": "event",
    "entity_id": 1,
    "note_text": "called the exhibitor",
    "note_type": "followup",
}
# name -> (method, path, body, key, expected status). `{key}` is the key of the server.
REQUESTS = {
    "one record": ("GET", "/api/v1/events/7", None, "{key}", 200),
    "a page of 20": ("GET", "/api/v1/events?sort=date_from&per_page=20", None, "{key}", 200),
    "a write": ("POST", "/api/v1/notes", NOTE, "{key}", 201),
    "no valid key (401)": ("GET", "/api/v1/events/7", None, "evk_unknown", 401),
    "three faults (422)": (
        "POST",
        "/api/v1/notes",
        {"entity_type": "x", "entity_id": 0, "note_text": ""},
        "{key}",
        422,
    ),
    "unknown path (404)": ("GET", "/wp-login.php", None, "{key}", 404),
}


def request(method, path, body, key):
    """Return the bytes of a request."""
    data = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
        f"Content-Length: {len(data)}",
        "",
        "",
    )
    return "\r\n".join(head).encode() + data


def response(client):
    """Read one response. Return its status."""
    received = b""
    while (end := received.find(b"\r\n\r\n") + 4) < 4:
        received += client.recv(65_536)
    length = int(received.lower().split(b"content-length:")[1].split()[0])
    while len(received) < end + length:
        received += client.recv(65_536)
    return int(received[9:12])


def cpu(pid):
    """Return the CPU time of a process in microseconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def cost(client, pid, sent, status, number):
    """Return the CPU time of the server per request. Raise AssertionError for another status."""
    before = cpu(pid)
    for _ in range(number):
        client.sendall(sent)
        assert response(client) == status
    return (cpu(pid) - before) / number


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--requests", type=int, default=3000, help="of each kind in a round")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        eventapi(folder, "migrate")
        key = eventapi(
            folder, "key", "create", "--name", "load", "--all-scopes", "--quiet"
        ).stdout.strip()
        sent = {
            name: (request(method, path, body, sender.format(key=key)), status)
            for name, (method, path, body, sender, status) in REQUESTS.items()
        }
        with (
            Server(folder, "--workers", "1") as server,
            socket.create_connection(("127.0.0.1", server.port)) as client,
        ):
            (pid,) = children(server.process.pid)
            cost(client, pid, request("POST", "/api/v1/events", EVENT, key), 201, 100)
            costs = [
                {name: cost(client, pid, *what, given.requests) for name, what in sent.items()}
                for _ in range(given.rounds)
            ]
    for name in REQUESTS:
        print(f"{name:20}{min(found[name] for found in costs):8.0f} µs")


if __name__ == "__main__":
    main()
