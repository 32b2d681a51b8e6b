"""The commands that run: server and worker."""
import argparse
import importlib.util
import os
import socket
import sys

from eventapi import config as configuration
from eventapi import paths
from eventapi.cli.terminal import Refused, command


def register(commands):
    server = command(commands, "serve", serve, "runs the server (gunicorn)")
    server.add_argument("--bind", metavar="ADDR", help="HOST:PORT or unix:/path")
    server.add_argument("--workers", metavar="N", help="processes")
    server.add_argument("--with-worker", action="store_true", help="runs the worker too, and stops it with the server")
    server.add_argument("--check", action="store_true", help="only says whether it would start with this configuration")
    worker = command(commands, "worker", work, "does what is due in the background, until it is stopped")
    worker.add_argument("--once", action="store_true", help="does what is due now and ends")
    worker.add_argument("--parent", type=int, help=argparse.SUPPRESS)       # ends when this process is gone


def serve(args, config):
    """Becomes gunicorn; what was given here reaches it as environment."""
    from eventapi.app import ready
    given = {name: getattr(args, name) for name in ("bind", "workers") if getattr(args, name) is not None}
    config = configuration.load(args.config, **given)
    ready(config, to_write=True)
    if importlib.util.find_spec("gunicorn") is None:
        raise Refused("gunicorn is not installed (Debian: apt install gunicorn)")
    if args.check:
        return
    if not os.environ.get("LISTEN_FDS"):              # else systemd holds the socket
        _free(config.bind)
    os.environ.update({f"EVENTAPI_{name.upper()}": value for name, value in given.items()})
    if args.config:
        os.environ["EVENTAPI_CONFIG"] = os.path.abspath(args.config)
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")    # an arena for each thread would cost some megabytes
    os.environ["EVENTAPI_WITH_WORKER"] = "1" if args.with_worker else ""
    settings = paths.folder("conf") / "gunicorn.conf.py"
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "-c", str(settings), "eventapi.wsgi:app"])


def _free(address):
    """Says at once what gunicorn would only say after five tries."""
    try:
        if address.startswith("unix:"):
            with socket.socket(socket.AF_UNIX) as probe:
                taken = probe.connect_ex(address.removeprefix("unix:")) == 0
            if taken:
                raise Refused(f"{address} is taken: another server listens there")
            return
        host, _, port = address.rpartition(":")
        family, kind, _, _, place = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except (OSError, OverflowError) as error:
        raise Refused(f"cannot listen on {address}: {getattr(error, 'strerror', None) or error}") from None


def work(args, config):
    from eventapi import running
    from eventapi.app import ready
    from eventapi.worker import Worker
    configuration.start_logging(config)
    ready(config, to_write=True)
    hold = running.together(config)
    worker = Worker(config, parent=args.parent)
    if not args.once:
        worker.loop()
        hold.close()
        return
    failed = worker.once()
    hold.close()
    if failed:
        raise Refused("failed: " + ", ".join(job.__name__.rpartition(".")[2] for job in failed) + "; the log says why")
