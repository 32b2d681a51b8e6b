"""The processes that hold the lock of a file, for the sentence that refuses to wait for them.

The kernel lists them in /proc/locks. This user may not be allowed to see all of them, and one that
has ended may have left its lock to a process that it forked, so nothing depends on what is found
here.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PROC = Path("/proc")
UNIT = re.compile(r"/(eventapi[\w@.-]*\.service)$", re.M)


@dataclass(frozen=True, slots=True)
class Holder:
    """A process of eventapi that holds a lock.

    `unit` is the systemd unit that it belongs to, or None.
    """

    pid: int
    what: str
    unit: str | None


def refusal(file: IO) -> str:
    """Return which processes hold the lock of the file, and what to stop."""
    holders = _holders(file)
    if not holders:
        return "a server or worker is running, or a command that writes; stop it first"
    names = " and ".join(f"{holder.what} (process {holder.pid})" for holder in holders)
    verb, them = ("is", "it") if len(holders) == 1 else ("are", "them")
    units = sorted(
        {unit for holder in holders if holder.unit for unit in _with_socket(holder.unit)}
    )
    how = f" with 'systemctl stop {' '.join(units)}'" if units else ""
    return f"{names} {verb} running; stop {them} first{how}"


def _holders(file):
    """Return the Holders of the lock of the file, without those that one of them has started."""
    found = {}
    for pid in _pids(os.fstat(file.fileno()).st_ino):
        try:
            words = (
                (PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            )
            parent = int((PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
            unit = UNIT.search((PROC / str(pid) / "cgroup").read_text())
        except OSError:  # it has ended, or this user may not see it
            continue
        what = _what(words)
        if what:
            found[pid] = parent, Holder(pid, what, unit and unit[1])
    return [holder for parent, holder in found.values() if parent not in found]


def _pids(inode):
    """Return the ids of other processes that hold a flock of this inode, in order.

    The device is not compared: for some file systems, the kernel lists another one than stat(2).
    """
    try:
        lines = (PROC / "locks").read_text().splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines if " FLOCK " in line and "->" not in line]
    return sorted(
        {int(words[4]) for words in fields if words[5].endswith(f":{inode}")} - {os.getpid(), 0, -1}
    )


def _what(words):
    """Return what a command line runs, or None if it is not of eventapi: the id may be that of
    another process now.
    """
    line = " ".join(words)
    if "eventapi" not in line:
        return None
    if "gunicorn" in line or "serve" in words:
        return "a server"
    if "worker" in words:
        return "a worker"
    command = re.search(r"eventapi(?:/__main__\.py)? ((?:[a-z]+ ?){1,2})", line)
    return f"'eventapi {command[1].strip()}'" if command else "a program that uses eventapi"


def _with_socket(unit):
    """Return the units to stop for one that runs. The socket of the server would start it again."""
    socket = re.sub(r"^eventapi(@[^.]*)?\.service$", r"eventapi\1.socket", unit)
    return {unit, socket} if socket != unit else {unit}
