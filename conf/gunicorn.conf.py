"""gunicorn configuration of eventapi.

The options bind, workers, threads and server are set in eventapi.conf.

gunicorn ignores settings that it does not know, so this file works with gunicorn 20.1 and newer.
"""

import os
import signal
import sys
from functools import partial

from gunicorn import glogging

from eventapi import config as configuration
from eventapi import logs
from eventapi.server.watchdog import ignore_clock
from eventapi.server.worker_process import WorkerProcess
from eventapi.storage import process_locks

settings = configuration.load()

bind = settings.bind
workers = settings.workers
threads = settings.threads
worker_class = {
    "own": "eventapi.server.worker.Worker",
    "gthread": "eventapi.server.gthread.Worker",
}[settings.server]
preload_app = False  # each process opens its own database connections

timeout = 60
graceful_timeout = 30
worker_connections = 900  # of each process, which may have 1,024 open files
keepalive = 75  # seconds; longer than nginx keeps idle connections
worker_tmp_dir = "/dev/shm"  # the heartbeat file must not wait for a disk
umask = 0o027
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190

# gunicorn itself believes no header of a proxy: eventapi does, from the option trusted_proxies and
# on a unix socket.
forwarded_allow_ips = ""
secure_scheme_headers = {}
forwarder_headers = ""

# At debug, gunicorn's own worker class logs each request line, which may contain a secret.
loglevel = (
    "info" if settings.server == "gthread" and settings.log_level == "debug" else settings.log_level
)
accesslog = None  # eventapi itself logs one line per request, with the request id
control_socket_disable = True  # gunicorn 25 and newer would create a socket in the home directory


# SIGALRM starts the worker again (WorkerProcess), which would inherit that the others are held
# back.
HELD_BACK = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGALRM)


class Logger(glogging.Logger):
    """gunicorn's log, in the form of the option log_format."""

    def setup(self, cfg):
        """Set the level and the form. gunicorn calls this at the start, and `on_reload` later."""
        super().setup(cfg)
        logs.set_form(configuration.load().log_format)
        for handler in self.error_log.handlers:
            handler.setFormatter(logs.Formatter())


logger_class = Logger


def pre_fork(server, worker):
    """Hold back signals until the new process can handle them.

    Before, it has the handlers of gunicorn's first process, which would drop a SIGTERM: a server
    that is stopped while it starts a process would take `graceful_timeout` to end.
    """
    # gunicorn 20.1 would end all processes when the clock is set forward
    ignore_clock(server, worker)
    signal.pthread_sigmask(signal.SIG_BLOCK, HELD_BACK)


def post_worker_init(worker):
    """Let the signals through in a new process, which has its own handlers now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_BACK)


def on_starting(server):
    """Lock the data directory, so that no backup is restored and no upgrade made while the server
    runs.
    """
    os.register_at_fork(
        after_in_parent=partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, HELD_BACK)
    )
    try:
        server.hold = process_locks.together(settings)
    except process_locks.InUse as refusal:
        sys.exit(f"eventapi: {refusal}")


def when_ready(server):
    """Start the worker if the server was started with --with-worker."""
    server.worker_process = WorkerProcess() if os.environ.get("EVENTAPI_WITH_WORKER") else None


def on_reload(server):
    """Log as the new configuration says. Restart the worker, so that it reads it as well."""
    server.log.setup(server.cfg)
    if server.worker_process:
        server.worker_process.restart()


def on_exit(server):
    """Stop the worker together with the server."""
    if getattr(server, "worker_process", None):
        server.worker_process.stop()
