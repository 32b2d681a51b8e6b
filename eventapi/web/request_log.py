"""The log of requests: one line each on stderr, written in batches.

Threads would wait for each other if each line were written at once.
"""

import atexit
import os
import threading
import time
from collections import deque

PAUSE = 0.2  # seconds between two writes; a killed process loses the lines of this time

_lines = deque()
_waiting = threading.Event()
_start = threading.Lock()
_writer = None


def write(line: str) -> None:
    """Add a line to the next batch, without a system call."""
    _lines.append(line)
    if not _waiting.is_set():
        _wake()


def flush() -> None:
    """Write all lines that wait."""
    batch = []
    while _lines:
        batch.append(_lines.popleft())
    if batch:
        os.write(2, ("\n".join(batch) + "\n").encode("utf-8", "replace"))


def _wake():
    global _writer
    with _start:
        if _writer is None:
            _writer = threading.Thread(target=_write_batches, name="request log", daemon=True)
            _writer.start()
            atexit.register(flush)
    _waiting.set()


def _write_batches():
    while True:
        _waiting.wait()
        time.sleep(PAUSE)
        _waiting.clear()
        flush()
