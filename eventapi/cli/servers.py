"""Commands that run the server and the worker."""

import argparse
import importlib.util
import ipaddress
import logging
import os
import socket
import sys
from functools import partial

from eventapi import config as configuration
from eventapi import logs, paths
from eventapi.cli.terminal import Refused, command, opened, refuse_damaged
from eventapi.validation.identifiers.organiser import doubtful_options, faulty_options, place

log = logging.getLogger("eventapi.serve")


def register(commands):
    server = command(
        commands,
        "serve",
        serve,
        "run the web server (gunicorn)",
        "eventapi serve --with-worker",
        "eventapi serve --bind 127.0.0.1:8090 --workers 4",
        "eventapi serve --check",
    )
    server.add_argument(
        "--bind",
        metavar="ADDR",
        help="address to listen on, HOST:PORT or unix:/path (default: option bind)",
    )
    server.add_argument(
        "--workers", metavar="N", help="number of server processes (default: option workers)"
    )
    server.add_argument(
        "--with-worker",
        action="store_true",
        help="also run the background worker, and stop it with the server",
    )
    server.add_argument(
        "--check",
        action="store_true",
        help="check whether the server starts with this configuration and responds to a request, "
        "then exit",
    )
    worker = command(
        commands,
        "worker",
        work,
        "run background jobs (mails, webhooks, imports, expiry) until stopped",
        "eventapi worker",
        "eventapi worker --once",
    )
    worker.add_argument("--once", action="store_true", help="run the jobs that are due, then exit")
    # the worker exits when this process is gone
    worker.add_argument("--parent", type=int, help=argparse.SUPPRESS)


def serve(args, config):
    """Replace this process with gunicorn.

    Options of the command line are passed on as environment variables.
    """
    from eventapi.storage.migrations import ready

    given = {
        name: getattr(args, name) for name in ("bind", "workers") if getattr(args, name) is not None
    }
    config = configuration.load(args.config, **given)
    ready(config, to_write=True)
    with opened(config) as db:
        _warn_of_identifiers(db.config)
    if importlib.util.find_spec("gunicorn") is None:
        raise Refused("gunicorn is not installed. On Debian: apt install gunicorn")
    if config.server == "gthread" and config.public_bind == "yes":
        raise Refused(
            "server = gthread cannot serve other machines directly: connections that send nothing stop it. "
            "Set server = own, or listen behind nginx and set public_bind = no"
        )
    if not os.environ.get("LISTEN_FDS"):  # otherwise systemd has opened the socket
        _refuse_public(config)
        if not args.check:
            _free(config.bind)
    os.environ.update({f"EVENTAPI_{name.upper()}": value for name, value in given.items()})
    if args.config:
        os.environ["EVENTAPI_CONFIG"] = os.path.abspath(args.config)
    # one arena per thread would cost several megabytes
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")
    os.environ["EVENTAPI_WITH_WORKER"] = "1" if args.with_worker else ""
    settings = paths.folder("conf") / "gunicorn.conf.py"
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", str(settings), "eventapi.wsgi:app"]
    _choose_server(config, gunicorn, args.check)
    if not args.check:
        os.execv(sys.executable, gunicorn)
    print(
        f"the server starts with {config.file or 'the default configuration'} and responds to a request"
    )


def _warn_of_identifiers(config):
    """Log each option whose identifier is wrong.

    The server starts all the same: only invoices need them.
    """
    wrong = faulty_options(config)
    doubtful = doubtful_options(config).get("organiser_vat_id")
    if wrong or doubtful:
        logs.start(config.log_level, config.log_format)
    for name, sentence in wrong.items():
        log.warning(
            "invoices cannot be sent: %s Correct it in %s, and restart the service",
            sentence,
            place(config, name),
        )
    if doubtful:
        log.warning("%s The option is in %s", doubtful, place(config, "organiser_vat_id"))


def _choose_server(config, gunicorn, always):
    """Send a request to the server, `always` or if its gunicorn is untested.

    Choose gthread if the own server fails.

    Raise Refused if gthread fails as well, or must not be chosen because other machines may connect
    directly.
    """
    from eventapi.cli import server_check

    if not always and (server_check.is_tested() or config.server != "own"):
        return
    reason = server_check.fault(gunicorn)
    if reason is None:
        return
    if (
        config.server != "own"
        or server_check.fault(gunicorn, EVENTAPI_SERVER="gthread") is not None
    ):
        raise Refused(f"the server does not respond to a request: {reason}")
    if config.public_bind == "yes":
        raise Refused(
            f"the own server does not work with this version of gunicorn ({reason}), and gthread cannot "
            "serve other machines directly. Install a tested version of gunicorn, or listen behind nginx "
            "and set public_bind = no"
        )
    logs.start(config.log_level, config.log_format)
    log.warning(
        "the own server does not work with this version of gunicorn, so gthread serves instead. Let other "
        "machines connect only through nginx or another buffering proxy: %s",
        reason,
    )
    os.environ["EVENTAPI_SERVER"] = "gthread"


def _refuse_public(config):
    """Raise Refused if other machines could reach the address, unless the option public_bind allows
    it.
    """
    if config.bind.startswith("unix:") or config.public_bind == "yes":
        return
    try:
        places = _places(config.bind)
    except (OSError, OverflowError) as error:
        raise _cannot_listen(config.bind, error) from None
    if not all(ipaddress.ip_address(place[0]).is_loopback for *_, place in places):
        raise Refused(
            f"other machines reach {config.bind}, and the connection is not encrypted. Listen on 127.0.0.1 "
            "or on unix:/path behind nginx, or set public_bind = yes"
        )


def _places(address):
    """Return what getaddrinfo returns for HOST:PORT."""
    host, _, port = address.rpartition(":")
    return socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)


def _cannot_listen(address, error):
    return Refused(f"cannot listen on {address}: {getattr(error, 'strerror', None) or error}")


def _free(address):
    """Raise Refused if nothing can listen on the address. gunicorn would report that only after
    five attempts.
    """
    try:
        if address.startswith("unix:"):
            with socket.socket(socket.AF_UNIX) as probe:
                taken = probe.connect_ex(address.removeprefix("unix:")) == 0
            if taken:
                raise Refused(
                    f"cannot listen on {address}: another process listens there; stop it, or choose another "
                    "address with --bind"
                )
            return
        family, kind, _, _, place = _places(address)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
    except (OSError, OverflowError) as error:
        raise _cannot_listen(address, error) from None


def work(args, config):
    """Run the background jobs until stopped, or once."""
    from eventapi.server import systemd
    from eventapi.storage import process_locks
    from eventapi.storage.migrations import ready
    from eventapi.worker import Worker, name_of

    logs.start(config.log_level, config.log_format)
    ready(config, to_write=True)
    with opened(config) as db:
        config = db.config
    hold = process_locks.together(config)
    worker = Worker(config, parent=args.parent, report=partial(systemd.report_alive, os.getpid()))
    if not args.once:
        worker.loop()
        hold.close()
        return
    try:
        refuse_damaged(config)
        failed = worker.once()
    finally:
        hold.close()
    refuse_damaged(config)
    if failed:
        names = ", ".join(map(name_of, failed))
        raise Refused(f"these jobs failed: {names}; the log has the details")
