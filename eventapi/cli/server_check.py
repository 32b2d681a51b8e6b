"""Try the server: start it on a temporary socket with the given options, send one request, and stop
it.

This takes about two seconds. So `eventapi serve` does it only with `--check`, or with a gunicorn
that is newer than the ones that eventapi was tested with, whose internals the own server may not
fit any more.
"""

import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import gunicorn

NEWEST_TESTED = 27  # major version of gunicorn; setup.cfg allows no newer one
PATIENCE = 30  # seconds until the response; the machine may be busy
AGAIN = 2  # seconds after which the request is sent again
TO_STOP = 10  # seconds
OF_SYSTEMD = (
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "LISTEN_FDS",
    "LISTEN_PID",
    "LISTEN_FDNAMES",
)
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def is_tested() -> bool:
    """Return whether eventapi was tested with this gunicorn."""
    return gunicorn.version_info[0] <= NEWEST_TESTED


def fault(command: list[str], **options: str) -> str | None:
    """Return why the server that `command` starts does not respond to a request, or None if it
    does.

    `options` are environment variables. The command inherits all others but those of systemd, which
    would take the messages of the trial for those of the service.
    """
    with tempfile.TemporaryDirectory(prefix="eventapi-") as folder:
        place, log = Path(folder) / "web.sock", Path(folder) / "log"
        environ = {name: value for name, value in os.environ.items() if name not in OF_SYSTEMD}
        environ.update(
            EVENTAPI_BIND=f"unix:{place}", EVENTAPI_WORKERS="1", EVENTAPI_WITH_WORKER="", **options
        )
        with open(log, "wb") as output:
            server = subprocess.Popen(command, env=environ, stdout=output, stderr=output)
        try:
            answer = _answer(server, place, log)
        finally:
            _stop(server)
        return (
            None
            if answer.startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 503 "))
            else _reason(answer, log)
        )


def _answer(server, place, log):
    """Return the response, as far as it arrives in time. Stop waiting after an error of the server."""
    deadline = time.monotonic() + PATIENCE
    while (
        server.poll() is None
        and time.monotonic() < deadline
        and b"Traceback" not in log.read_bytes()
    ):
        with socket.socket(socket.AF_UNIX) as client:
            if client.connect_ex(str(place)):
                time.sleep(0.05)
                continue
            client.settimeout(AGAIN)
            try:
                client.sendall(REQUEST)
                return client.recv(4096)
            except OSError:  # reset, or no response yet
                continue
    return b""


def _stop(server):
    server.terminate()
    try:
        server.wait(TO_STOP)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _reason(answer, log):
    """Return the status line, or else the last error in the log of the server."""
    if answer:
        return answer.partition(b"\r\n")[0].decode("latin-1")[:200]
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.partition(":")[0].endswith(("Error", "Exception"))]
    return (errors or lines or ["no response"])[-1][:200]
