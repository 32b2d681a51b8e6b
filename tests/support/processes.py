"""Processes for tests: servers, workers and commands.

Each test ends the processes that it started, by pid.
"""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The server that the tests start: own or gthread. `make processes SERVERS='own gthread'` runs them
# with each.
SERVER = os.environ.get("EVENTAPI_SERVER", "own")

# The Python that runs the tested processes. `make servers` runs them with other versions of
# gunicorn.
PYTHON = os.environ.get("EVENTAPI_PYTHON", sys.executable)


def environment(folder, **more):
    """Return the environment of a process on the data in `folder`, with an empty configuration file
    and `more`.
    """
    file = Path(folder) / "eventapi.conf"
    if not file.exists():
        file.write_text("[eventapi]\n")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EVENTAPI_")}
    return {
        **clean,
        "EVENTAPI_CONFIG": str(file),
        "EVENTAPI_DATA_DIR": str(folder),
        "EVENTAPI_SERVER": SERVER,
        "PYTHONPATH": str(ROOT),
        **more,
    }


def eventapi(folder, *words, **more):
    """Run a command of eventapi to its end.

    Return a CompletedProcess with returncode, stdout and stderr (text).
    """
    return subprocess.run(
        [PYTHON, "-m", "eventapi", *words],
        env=environment(folder, **more),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )


def start(folder, *words, log=None, **more):
    """Start a command of eventapi and return its Popen.

    Its output goes to the open file `log`, or nowhere.
    """
    return subprocess.Popen(
        [PYTHON, "-m", "eventapi", *words],
        env=environment(folder, **more),
        cwd=ROOT,
        stdout=log or subprocess.DEVNULL,
        stderr=subprocess.STDOUT if log else subprocess.DEVNULL,
    )


def free_port():
    """Return a free port below those that the kernel gives to connections: none of them takes it
    meanwhile.
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def children(pid):
    """Return pid -> command line of the child processes of `pid`."""
    try:
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {
            int(child): Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            for child in pids
        }
    except (FileNotFoundError, ProcessLookupError):  # the process has ended meanwhile
        return {}


def alive(pid):
    """Return whether the process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the process has ended meanwhile
        return False


def until(wanted, timeout=15):
    """Wait until `wanted()` is true and return its value.

    Raise AssertionError after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        got = wanted()
        if got:
            return got
        time.sleep(0.05)
    raise AssertionError(f"no result within {timeout} s")


def get(url):
    """GET a URL. Return (status, text), or (None, "") if there is no response."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return None, ""


class Server:
    """The command `eventapi serve` on a free port of this machine. `with` stops it at the end."""

    def __init__(self, folder, *words, port=None, log=None, **more):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = start(
            folder, "serve", "--bind", f"127.0.0.1:{self.port}", *words, log=log, **more
        )
        until(lambda: self.process.poll() is not None or get(f"{self.url}/healthz")[0], timeout=60)
        assert self.process.poll() is None, "the server did not start"

    def worker(self):
        """Return the pid of the worker that the server started, or None."""
        return next(
            (pid for pid, line in children(self.process.pid).items() if "eventapi worker" in line),
            None,
        )

    def stop(self, number=signal.SIGTERM):
        """Send the signal, wait for the end and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
