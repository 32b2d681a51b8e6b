"""What the soak runs on: a filled database, the service behind the shipped nginx, a mail server and
a receiver.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from email import message_from_bytes, policy
from pathlib import Path

from tests.soak.client import Site
from tests.support import nginx_site, processes
from tests.support.mail_server import Inbox
from tests.support.mail_server import Server as MailServer
from tests.support.receiver import Receiver

LONGEST_COMMAND = 900  # seconds


class Show:
    """The running service with everything around it. `with` starts and stops it.

    Attributes:
        data: the data directory.
        site: its address behind nginx, with a key of all scopes.
        server: the first process of the service (Popen), nginx: that of nginx.
        mails: recipient or invoice number -> the times at which a mail for it arrived, of time.monotonic().
        calls: (path, id of the record) -> the times at which a webhook for it arrived.
    """

    def __init__(self, folder, *, size, seed=None):
        self.folder, self.data = Path(folder), Path(folder) / "data"
        self.mails, self.calls, self.over = {}, {}, threading.Event()
        self.seed(size, seed)
        self.inbox, self.receiver = Inbox(), Receiver()
        self.mail_server = MailServer(self.inbox).start()
        self.options = {
            "EVENTAPI_CONFIG": str(processes.ROOT / "conf" / "demo.conf"),
            "EVENTAPI_LOG_LEVEL": "info",
            "EVENTAPI_BASE_URL": "https://events.example.org",
            "EVENTAPI_SMTP_HOST": "127.0.0.1",
            "EVENTAPI_SMTP_PORT": str(self.mail_server.port),
            "EVENTAPI_SMTP_SECURITY": "none",
            "EVENTAPI_SMTP_SENDER": "office@messe.test",
            "EVENTAPI_MAILS_PER_MINUTE": "600",
            "EVENTAPI_WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        }

    def seed(self, size, seed):
        """Fill the database with a sample show, or copy a data directory that is filled already."""
        if seed:
            shutil.copytree(seed, self.data)
            return
        self.data.mkdir(parents=True)
        for words in (("migrate",), ("demo", "--size", size)):
            self.run(*words, EVENTAPI_CONFIG=str(processes.ROOT / "conf" / "demo.conf"))

    def run(self, *words, **options):
        """Run a command of eventapi to its end, and return its output.

        Raise CalledProcessError if it fails.
        """
        return subprocess.run(
            [sys.executable, "-m", "eventapi", *words],
            check=True,
            text=True,
            cwd=processes.ROOT,
            env=processes.environment(self.data, **(options or self.options)),
            capture_output=True,
            timeout=LONGEST_COMMAND,
        ).stdout

    def __enter__(self):
        key = self.run("key", "create", "--name", "soak", "--all-scopes", "--quiet").strip()
        socket, port, plain = self.folder / "web.sock", processes.free_port(), processes.free_port()
        nginx_site.write_site(self.folder, port, plain, f"unix:{socket}")
        self.log = open(self.folder / "server.log", "w", encoding="utf-8")
        self.server = processes.start(
            self.data,
            "serve",
            "--bind",
            f"unix:{socket}",
            "--workers",
            "2",
            "--with-worker",
            log=self.log,
            **self.options,
        )
        processes.until(socket.exists, 60)
        self.nginx = subprocess.Popen(
            [nginx_site.NGINX, "-c", self.folder / "nginx.conf"], stderr=subprocess.DEVNULL
        )
        self.site = Site(port, key)
        self.collector = threading.Thread(target=self.collect, daemon=True)
        self.collector.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.collector.join()
        for process in (self.nginx, self.server):
            process.terminate()
            process.wait(60)
        self.mail_server.stop()
        self.receiver.__exit__()
        self.log.close()

    def processes(self):
        """Return pid -> name of every process of the service and of nginx."""
        found = {self.server.pid: "arbiter", self.nginx.pid: "nginx"}
        for pid, line in processes.children(self.server.pid).items():
            found[pid] = "worker" if "eventapi worker" in line else "server"
        return found | dict.fromkeys(processes.children(self.nginx.pid), "nginx")

    def collect(self):
        """Note five times a second what has arrived, and forget its text: in a day it would fill
        the memory.
        """
        while not self.over.wait(0.2):
            now = time.monotonic()
            for _ in range(len(self.receiver.got)):
                path, _, body = self.receiver.got.pop(0)
                found = re.search(rb'"data":\s*\{"id":\s*(\d+)', body)
                self.calls.setdefault((path, int(found[1]) if found else None), []).append(now)
            for _ in range(len(self.inbox.envelopes)):
                _, recipient, content = self.inbox.envelopes.pop(0)
                subject = message_from_bytes(content, policy=policy.default)["Subject"]
                number = re.search(r"INV-\d+-\d+", subject)
                self.mails.setdefault(number[0] if number else recipient, []).append(now)

    @property
    def wal(self):
        """The size of the write-ahead log in bytes."""
        return _size(self.data / "eventapi.db-wal")

    @property
    def database(self):
        """The size of the database in bytes."""
        return _size(self.data / "eventapi.db")


def _size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
