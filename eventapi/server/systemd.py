"""Tell systemd that a process works (sd_notify(3), WatchdogSec= in systemd.service(5))."""

import logging
import os
import socket

log = logging.getLogger("eventapi.systemd")


def report_alive(main: int) -> None:
    """Send WATCHDOG=1 if systemd expects it from the service whose main process is `main`.

    A process that the service starts beside its own, such as the worker of `serve --with-worker`, sends nothing: it
    must not hide that the service hangs.
    """
    address = os.environ.get("NOTIFY_SOCKET")
    if (
        not address
        or not os.environ.get("WATCHDOG_USEC")
        or os.environ.get("WATCHDOG_PID", str(main)) != str(main)
    ):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(b"WATCHDOG=1", "\0" + address[1:] if address[0] == "@" else address)
    except OSError as error:
        log.warning("systemd cannot be told that this process works: %s", error)
