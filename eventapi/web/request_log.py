"""One line a request on stderr, written in batches: a write for each line makes the threads of a process queue up for it."""
import atexit
import os
import threading
import time
from collections import deque

PAUSE = 0.2                 # seconds that lines are gathered; a killed process loses that much of its log, and nothing else

_lines = deque()
_waiting = threading.Event()
_start = threading.Lock()
_writer = None


def tell(line):
    """Hands a line over; costs no system call."""
    _lines.append(line)
    if not _waiting.is_set():
        _wake()


def flush():
    gathered = []
    while _lines:
        gathered.append(_lines.popleft())
    if gathered:
        os.write(2, ("\n".join(gathered) + "\n").encode("utf-8", "replace"))


def _wake():
    global _writer
    with _start:
        if _writer is None:
            _writer = threading.Thread(target=_write, name="request log", daemon=True)
            _writer.start()
            atexit.register(flush)
    _waiting.set()


def _write():
    while True:
        _waiting.wait()
        time.sleep(PAUSE)
        _waiting.clear()
        flush()
