"""Refuse processes in tests without the marker `processes`."""

import os
import subprocess
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

# Programs that start slowly or keep running: Python (a server, a worker, a command) and nginx.
PROGRAMS = ("python", "eventapi", "gunicorn", "nginx")


class Guard:
    """Refuse to start one of PROGRAMS in a test without the marker `processes`.

    `make test` leaves the marked tests out: a forgotten marker would slow it down. Small tools such
    as bash or pdftotext need no marker. `with guard` checks subprocess.Popen and multiprocessing;
    `test` is the test that runs.
    """

    def __init__(self):
        self.test, self.patch = None, pytest.MonkeyPatch()

    def __enter__(self):
        popen, fork = subprocess.Popen.__init__, BaseProcess.start

        def checked_popen(process, args, *rest, **options):
            self.check([args] if isinstance(args, (str, os.PathLike)) else args)
            popen(process, args, *rest, **options)

        def checked_fork(process):
            self.check([sys.executable])
            fork(process)

        self.patch.setattr(subprocess.Popen, "__init__", checked_popen)
        self.patch.setattr(BaseProcess, "start", checked_fork)

    def __exit__(self, *_):
        self.patch.undo()

    def check(self, args):
        """Raise AssertionError if the command `args` needs the marker and the running test does not
        have it.
        """
        words = [os.fspath(word) for word in args]
        checked = Path(words[0]).name.startswith(PROGRAMS) or any(
            sys.executable in word for word in words
        )
        marked = self.test is None or self.test.get_closest_marker("processes")
        assert marked or not checked, (
            f"the test starts {words[0]}: mark it with @pytest.mark.processes"
        )


guard = Guard()
