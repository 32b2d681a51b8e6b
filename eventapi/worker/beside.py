"""The worker beside a server: started with it, started again when it dies, stopped with it."""
import os
import signal
import subprocess
import sys

LOOK_EVERY = 1.0             # seconds until a worker that died is noticed
PATIENCE = 10                # seconds to end by itself


class Beside:
    """Belongs to the server's first process. Should that be killed, the worker sees it and ends.

    A timer looks after it, and not a thread: gunicorn forks, and a fork would take over what a thread has half done.
    """

    def __init__(self):
        self.start()
        signal.signal(signal.SIGALRM, self.look)
        signal.setitimer(signal.ITIMER_REAL, LOOK_EVERY, LOOK_EVERY)

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-m", "eventapi", "worker", "--parent", str(os.getpid())])

    def look(self, *_):
        if self.process.poll() is not None:
            self.start()

    def renew(self):
        """Ends the worker, so that a new one with new code and settings follows."""
        self.process.terminate()

    def end(self):
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
