"""The worker beside a server: started with it, started again when it dies, stopped with it."""
import os
import subprocess
import sys
import threading

PAUSE = 1.0                  # seconds before a worker that died is started again
PATIENCE = 10                # seconds to end by itself


class Beside:
    """Belongs to the server's first process. Should that be killed, the worker sees it and ends."""

    def __init__(self):
        self.ending = threading.Event()
        self.process = None
        self.keeper = threading.Thread(target=self._keep, name="worker", daemon=True)
        self.keeper.start()

    def _keep(self):
        while not self.ending.is_set():
            self.process = subprocess.Popen([sys.executable, "-m", "eventapi", "worker", "--parent", str(os.getpid())])
            self.process.wait()
            self.ending.wait(PAUSE)

    def renew(self):
        """Ends the worker, so that a new one with new code and settings follows."""
        if self.process:
            self.process.terminate()

    def end(self):
        self.ending.set()
        for _ in range(PATIENCE * 10):
            self.renew()                                 # again and again: it may just be starting
            self.keeper.join(0.1)
            if not self.keeper.is_alive():
                return
        self.process.kill()
