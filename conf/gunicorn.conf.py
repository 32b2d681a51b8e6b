"""How gunicorn serves eventapi. What most want to change (bind, workers, threads) stands in eventapi.conf.

A setting that a version of gunicorn lacks is ignored in this file: it serves 20.1 as well as the newest.
"""
import os
import sys

from eventapi import config as configuration
from eventapi.storage import process_locks
from eventapi.worker.beside import Beside

settings = configuration.load()

bind = settings.bind
workers = settings.workers
threads = settings.threads
worker_class = "eventapi.server.worker.Worker"
preload_app = False                      # each process opens its own database, and a reload takes new code

timeout = 60
graceful_timeout = 30
keepalive = 75                           # longer than nginx keeps its idle connections
worker_tmp_dir = "/dev/shm"              # the heartbeat must not wait for a disk
umask = 0o027
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190

loglevel = settings.log_level
accesslog = None                         # eventapi writes one line a request, with its request id
control_socket_disable = True            # gunicorn 25 and newer would open a socket in the home directory


def on_starting(server):
    """Holds the data, so that nothing is restored under a running server."""
    try:
        server.hold = process_locks.together(settings)
    except process_locks.InUse as refusal:
        sys.exit(f"eventapi: {refusal}")


def when_ready(server):
    """With eventapi serve --with-worker: the worker beside the server."""
    server.beside = Beside() if os.environ.get("EVENTAPI_WITH_WORKER") else None


def on_reload(server):
    if server.beside:
        server.beside.renew()


def on_exit(server):
    if getattr(server, "beside", None):
        server.beside.end()
