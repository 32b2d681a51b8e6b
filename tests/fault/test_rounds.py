"""Rounds of kill -9: a random process of the service, or a command, is killed while clients write
records of all kinds.

`make fault ROUNDS=200` runs many rounds. Twenty-five rounds work on the same data. After each, the
ledger of the clients is compared with the database, `eventapi check` finds no fault, and the audit
log is intact.
"""

import os
import random
import signal
import time

import pytest

from tests.fault.ledger import Ledger, differences
from tests.fault.load import OPTIONS, Load, Show
from tests.support import processes

pytestmark = pytest.mark.processes

ROUNDS = int(os.environ.get("ROUNDS", "3"))
OF_A_SHOW = 25  # rounds that work on the same data
SEED = int(os.environ.get("SEED", "0")) or random.randrange(10**6)
KILLS = 3  # kills of a round
COMMANDS = (
    ("backup",),
    ("check",),
    ("worker", "--once"),
    ("key", "create", "--name", "x", "--scope", "notes"),
    ("migrate",),
)


class Victims:
    """The service, and one method for each kind of process that can be killed."""

    def __init__(self, show, chance):
        self.show, self.chance, self.backups = show, chance, 0
        self.server = self.started()

    def started(self, port=None):
        return processes.Server(
            self.show.data, "--workers", "2", "--with-worker", port=port, **OPTIONS
        )

    def kill(self):
        """Kill something at random. Return what."""
        victim = self.chance.choice(
            (
                self.server_process,
                self.server_process,
                self.worker,
                self.worker,
                self.arbiter,
                self.everything,
                self.command,
                self.command,
            )
        )
        victim()
        return victim.__name__

    def server_process(self):
        pids = [
            pid
            for pid in processes.children(self.server.process.pid)
            if pid != self.server.worker()
        ]
        if pids:
            ended(self.chance.choice(pids))

    def worker(self):
        ended(processes.until(self.server.worker, 60))

    def arbiter(self):
        """Kill the first process only: the others notice it, and end by themselves."""
        others = list(processes.children(self.server.process.pid))
        self.server.stop(signal.SIGKILL)
        processes.until(lambda: not any(map(processes.alive, others)), 60)
        self.server = self.started(self.server.port)

    def everything(self):
        """Kill all processes at the same time."""
        pids = [self.server.process.pid, *processes.children(self.server.process.pid)]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.server.process.wait()
        processes.until(lambda: not any(map(processes.alive, pids)))
        self.server = self.started(self.server.port)

    def command(self):
        """Start a command and kill it in the middle."""
        words = self.chance.choice(COMMANDS)
        if words == ("backup",):
            self.backups += 1
            words = ("backup", str(self.show.data / f"killed-{self.backups}.tar"))
        process = processes.start(self.show.data, *words, **OPTIONS)
        time.sleep(self.chance.uniform(0.2, 1.2))
        process.kill()
        process.wait()


def ended(pid):
    """Kill a process, and wait for its end."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:  # it was just ending by itself
        return
    processes.until(lambda: not processes.alive(pid))


def is_sound(show):
    """Check the data with the commands of the service."""
    checked = processes.eventapi(show.data, "check", **OPTIONS)
    assert (checked.returncode, checked.stdout) == (0, "ok\n"), checked.stdout + checked.stderr
    verified = processes.eventapi(show.data, "audit", "verify", **OPTIONS)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize("first", range(0, ROUNDS, OF_A_SHOW))
def test_no_acknowledged_write_is_lost_by_random_kills(tmp_path, first):
    print(f"SEED={SEED}")
    show, chance, ledger = Show(tmp_path), random.Random(SEED + first), Ledger()
    victims, killed = Victims(show, chance), []
    try:
        for number in range(first, min(ROUNDS, first + OF_A_SHOW)):
            load = Load(show, victims.server.port, seed=chance.random(), ledger=ledger)
            for _ in range(KILLS):
                time.sleep(chance.uniform(0.05, 0.8))
                killed.append(victims.kill())
            load.finish()
            print(f"round {number}: {killed[-KILLS:]}; {ledger.counts()}", flush=True)
            assert load.faults == [], f"round {number}, killed {killed[-KILLS:]}"
            assert differences(ledger, show.data) == [], f"round {number}, killed {killed[-KILLS:]}"
            is_sound(show)
        complete_backups(show)
    finally:
        victims.server.__exit__()
    print(f"{len(killed)} kills of {sorted(set(killed))}: {ledger.counts()}")
    assert ledger.statuses["cut"] > 0, "no request was cut off: this run proves nothing"


def complete_backups(show):
    """Each backup whose command was killed either does not exist under its name, or can be
    restored.

    One that was not killed is restored in any case.
    """
    whole = processes.eventapi(show.data, "backup", str(show.data / "killed-0.tar"), **OPTIONS)
    assert whole.returncode == 0, whole.stderr
    for number, file in enumerate(sorted(show.data.glob("killed-*.tar"))):
        target = show.data / f"restored-{number}"
        target.mkdir()
        restored = processes.eventapi(target, "restore", str(file), **OPTIONS)
        assert restored.returncode == 0, restored.stderr
        assert processes.eventapi(target, "check", **OPTIONS).stdout == "ok\n"
