"""Run the background worker as a child process of the server: start it, restart it if it ends, and stop it.

gunicorn's main process imports this module, so it imports nothing of eventapi: a reload would not renew that.
"""

import os
import signal
import subprocess
import sys

CHECK_EVERY = 1.0  # seconds between two checks whether the worker is running
PATIENCE = 10  # seconds that the worker gets to end by itself


class WorkerProcess:
    """The worker of gunicorn's main process. If that process is killed, the worker notices and ends.

    A timer signal checks the worker, not a thread: gunicorn forks, and a forked process would inherit the locks of a
    thread.
    """

    def __init__(self):
        self.start()
        signal.signal(signal.SIGALRM, self.check)
        signal.setitimer(signal.ITIMER_REAL, CHECK_EVERY, CHECK_EVERY)

    def start(self) -> None:
        """Start the worker."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "eventapi", "worker", "--parent", str(os.getpid())]
        )

    def check(self, *_: object) -> None:
        """Start the worker again if it has ended."""
        if self.process.poll() is not None:
            self.start()

    def restart(self) -> None:
        """Stop the worker, so that `check` starts a new one with the new options."""
        self.process.terminate()

    def stop(self) -> None:
        """Stop the worker for good. Kill it if it does not end in time."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
