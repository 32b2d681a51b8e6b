"""Run a parser in a fresh interpreter with limits of memory and time, at most two at a time in the
whole service.

A fork of the server would inherit its threads' locks. The turns are locks of files in the data
directory, because the service has several processes, and each parser may need as much memory as all
of them. A parser inherits the lock of its
turn: if its server is killed, the turn ends with the parser.
"""

import fcntl
import json
import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from eventapi.parsing.child import OUT_OF_MEMORY
from eventapi.paths import PACKAGE, open_regular

MEMORY = 256_000_000  # bytes of a parser
RUNNING = 2  # parsers at a time
WAIT = 5.0  # seconds for a turn
PAUSE = 0.02  # seconds between two attempts to get one
PATIENCE = 3  # times its CPU that a parser may take by the clock, on a busy machine
MAX_OUTPUT = 100_000_000  # bytes; those of 50,000 entries of bank statements are 25 MB
MAX_LINE = 2_000_000  # bytes of a value
PIECE = 65_536  # bytes
# Without `site`, whose start takes as long as that of the parser. The paths are those of this
# process.
START = "import sys; sys.path += sys.argv[5:]; from eventapi.parsing.child import main; main()"

log = logging.getLogger(__name__)


class Busy(Exception):
    """No turn became free in time."""


class Stopped(Exception):
    """The parser did not finish. The text says why, such as "takes more than 10 seconds"."""


def run(parser: str, argument: object, file: BinaryIO, folder: Path, seconds: int) -> Iterator:
    """Yield the values that a generator `module:name` yields for (file, argument).

    All of them are JSON. The argument goes by a file, because the kernel limits each argument of a
    command to 128 KiB.

    `seconds` of CPU and MEMORY are the limits. `folder` is the data directory. The file is an open
    one from its beginning. Raise ValueError if the parser does, Busy or Stopped.
    """
    with _turn(folder) as turn, TemporaryFile() as given:
        given.write(json.dumps(argument).encode())
        given.seek(0)
        command = [
            sys.executable,
            "-I",
            "-S",
            "-B",
            "-c",
            START,
            parser,
            str(given.fileno()),
            str(MEMORY),
            str(seconds),
            str(PACKAGE.parent),
            *filter(None, sys.path),
        ]
        environment = {name: os.environ[name] for name in ("TMPDIR",) if name in os.environ}
        process = subprocess.Popen(
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(turn, given.fileno()),
            cwd="/",
            env=environment,
        )
        try:
            yield from _values(process, seconds)
        finally:
            process.kill()
            process.stdout.close()
            process.wait()


@contextmanager
def _turn(folder: Path) -> Iterator[int]:
    """Hold the lock of a turn, and yield its descriptor. Raise Busy after WAIT seconds."""
    deadline = time.monotonic() + WAIT
    while (handle := _free_turn(folder)) is None:
        if time.monotonic() > deadline:
            raise Busy
        time.sleep(PAUSE)
    try:
        yield handle
    finally:
        os.close(handle)


def _free_turn(folder):
    """Return the descriptor of a locked turn, or None if none is free."""
    for number in range(RUNNING):
        handle = open_regular(folder / f"eventapi.parser-{number}.lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            os.close(handle)
    return None


def _values(process, seconds):
    """Yield the values that a parser writes. Raise ValueError or Stopped."""
    last = None
    try:
        for line in _lines(process.stdout.fileno(), time.monotonic() + seconds * PATIENCE):
            if last is not None:
                yield last
            last = json.loads(line)
    except TimeoutError:
        raise Stopped(f"takes more than {seconds} seconds") from None
    except ValueError:
        raise Stopped("ended unexpectedly") from None
    if not isinstance(last, dict) or not last.keys() & {"done", "error", "fault"}:
        raise Stopped(_reason(process, seconds))
    if "fault" in last:
        log.error("a parser failed: %s", last["fault"])
        raise Stopped("ended unexpectedly")
    if "error" in last:
        raise ValueError(last["error"])


def _lines(handle, deadline):
    """Yield the lines that a pipe brings until its end.

    Raise TimeoutError, and ValueError if they are too long.
    """
    poll, rest, size = select.poll(), b"", 0
    poll.register(handle, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        piece = os.read(handle, PIECE)
        size += len(piece)
        if size > MAX_OUTPUT:
            raise ValueError("the output is too long")
        if not piece:
            if rest:
                raise ValueError("the output is cut off")
            return
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > MAX_LINE:
            raise ValueError("a line is too long")
        yield from lines
    raise TimeoutError


def _reason(process, seconds):
    """Return why a parser has ended before it finished."""
    try:
        status = process.wait(timeout=1)
    except subprocess.TimeoutExpired:  # it has closed its output, and goes on
        return "ended unexpectedly"
    if status == OUT_OF_MEMORY:
        return f"needs more than {MEMORY // 1_000_000} MB of memory"
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"takes more than {seconds} seconds"
    return "ended unexpectedly"
