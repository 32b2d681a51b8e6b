"""The progress of a long job: a line that is rewritten on a terminal, otherwise a log line every
half minute.

A job of less than two seconds shows nothing. A job may call `report(part, done, total)` any number
of times. Parts take different shares of the time, so each job lists its parts with their usual
seconds in a large database.
"""

import sys
import threading
import time

from eventapi import logs

QUIET = 2  # seconds until the first line on a terminal
REDRAW = 1  # seconds between two of them
LOG_EVERY = 30  # seconds between two log lines
WIDTH = 79  # columns that the line may have


class Progress:
    """The progress of one job. Use it as a context manager around the job.

    Attributes:
        name: the job, such as `backup`.
        parts: name of each part -> its usual seconds, in their order.
        now: (part, share of it that is done).
    """

    def __init__(self, name, parts):
        self.name, self.parts = name, parts
        self.now = (next(iter(parts)), 0.0)
        self._ended, self._began = threading.Event(), time.monotonic()
        self._is_shown = sys.stderr.isatty()
        self._thread = threading.Thread(target=self._show, daemon=True, name="progress")

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def report(self, part, done, total):
        """Record that `done` of `total` units of a part are done. It must be one of `parts`."""
        self.now = part, min(1.0, done / total) if total else 0.0

    def share(self):
        """Return the share of the whole job that is done, from 0 to 1."""
        part, share = self.now
        names = list(self.parts)
        before = sum(self.parts[name] for name in names[: names.index(part)])
        return (before + share * self.parts[part]) / sum(self.parts.values())

    def text(self):
        """Return the progress, such as `backup: copy the database, 12 %, about 1 min 5 s left`."""
        share, elapsed = self.share(), time.monotonic() - self._began
        left = f", about {duration(elapsed * (1 - share) / share)} left" if share > 0.01 else ""
        return f"{self.name}: {self.now[0]}, {int(share * 100)} %{left}"

    def _show(self):
        if not self._is_shown:
            while not self._ended.wait(LOG_EVERY):
                _write(logs.line("info", logger="eventapi.cli", msg=self.text()) + "\n")
            return
        drawn = False
        while not self._ended.wait(REDRAW if drawn else QUIET):
            _write(f"\r\x1b[K{self.text()[:WIDTH]}")
            drawn = True
        if drawn:
            _write("\r\x1b[K")


def _write(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def duration(seconds):
    """Return a duration such as `45 s`, `2 min 5 s` or `1 h 10 min`."""
    seconds = max(1, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"
