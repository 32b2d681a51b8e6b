"""Replay a day of a big show against the service behind nginx: `make soak`, or python3 -m
tests.soak --minutes 5.

The load comes at its own pace, whether the service keeps up or not: apps that read, an entrance
with a peak in the morning, tills, invoices by mail, sign-ups for the newsletter, webhooks, two
imports, two backups, reports, PDFs, slow phones and hostile clients. At the end, everything that
was acknowledged is compared with the database, and with the mails and webhooks that have arrived.
Exit with 1 if a mark is missed; the marks are in marks.py.
"""

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from threading import Lock

from tests.soak import marks
from tests.soak.activities import Activities
from tests.soak.gauges import Answers, Sampler
from tests.soak.ledger import Ledger
from tests.soak.site import Show

# Phases: name, share of the time, and how often a second each activity begins.
PHASES = (
    (
        "early",
        0.08,
        {
            "read_record": 3,
            "read_list": 2,
            "search": 0.3,
            "payment": 0.1,
            "note": 0.2,
            "invoice": 0.1,
            "newsletter": 0.1,
            "contact": 0.1,
            "report": 0.03,
            "badge_pdf": 0.05,
            "invoice_pdf": 0.03,
            "hostile": 0.02,
        },
    ),
    (
        "opening",
        1 / 6,
        {
            "scan": 30,
            "read_record": 5,
            "read_list": 3,
            "search": 0.5,
            "payment": 0.3,
            "note": 0.4,
            "invoice": 0.1,
            "newsletter": 0.2,
            "contact": 0.2,
            "report": 0.03,
            "badge_pdf": 0.1,
            "invoice_pdf": 0.05,
            "slow_upload": 0.02,
            "slow_reader": 0.01,
            "hostile": 0.05,
            "idle": 0.01,
        },
    ),
    (
        "day",
        0.5,
        {
            "scan": 5,
            "read_record": 6,
            "read_list": 4,
            "search": 0.5,
            "payment": 1,
            "note": 1,
            "invoice": 0.2,
            "newsletter": 0.4,
            "contact": 0.4,
            "booking": 0.2,
            "report": 0.04,
            "badge_pdf": 0.1,
            "invoice_pdf": 0.1,
            "slow_upload": 0.04,
            "slow_reader": 0.02,
            "hostile": 0.1,
            "idle": 0.01,
        },
    ),
    (
        "evening",
        0.16,
        {
            "scan": 2,
            "read_record": 4,
            "read_list": 3,
            "search": 0.5,
            "payment": 0.5,
            "note": 0.5,
            "invoice": 0.2,
            "newsletter": 0.3,
            "contact": 0.2,
            "booking": 0.1,
            "report": 0.1,
            "badge_pdf": 0.02,
            "invoice_pdf": 0.1,
            "slow_upload": 0.02,
            "slow_reader": 0.02,
            "hostile": 0.05,
        },
    ),
    (
        "night",
        0.0934,
        {
            "read_record": 1,
            "read_list": 1,
            "search": 0.05,
            "payment": 0.1,
            "note": 0.05,
            "newsletter": 0.05,
            "report": 0.02,
            "hostile": 0.02,
        },
    ),
)
# What happens once, by the share of the day that has passed.
ONCE = (
    (0.02, "backup"),
    (0.4, "import_json"),
    (0.55, "import_csv"),
    (0.92, "backup"),
    (0.94, "night_run"),
)
SLOW = ("slow_upload", "slow_reader", "idle", "hostile")
READING = ("read_record", "read_list", "search", "report", "badge_pdf", "invoice_pdf")
READERS, WRITERS, SLOW_CLIENTS = 16, 32, 16
REPORT_EVERY = 300  # seconds between two lines about the progress
LAST_ARRIVALS = 300  # seconds in which mails and webhooks may arrive after the end of the load


class Day:
    """One day: begins each activity at its time, and records how it ended."""

    def __init__(self, show, seconds):
        self.show, self.seconds, self.ledger, self.answers = show, seconds, Ledger(), Answers()
        self.activities = Activities(show, self.ledger)
        # Clients that read do not wait for those that write.
        self.readers = ThreadPoolExecutor(READERS, "reader")
        self.writers = ThreadPoolExecutor(WRITERS, "writer")
        self.slow = ThreadPoolExecutor(SLOW_CLIENTS, "slow")
        self.once = ThreadPoolExecutor(4, "once")
        self.began, self.told, self.jobs = time.monotonic(), 0.0, list(ONCE)
        self.running, self.most_running, self.counting = 0, 0, Lock()

    def play(self):
        end = self.began = time.monotonic()
        for phase, share, rates in PHASES:
            end += share * self.seconds
            due = {
                name: time.monotonic() + random.expovariate(rate) for name, rate in rates.items()
            }
            while (now := time.monotonic()) < end:
                self.begin_due(phase, rates, due, now)
                self.tell(phase, now - self.began)
                time.sleep(min(0.2, max(0.001, min(due.values()) - time.monotonic())))
        for pool in (self.readers, self.writers, self.slow, self.once):
            pool.shutdown()

    def begin_due(self, phase, rates, due, now):
        """Begin what is due. `due`: activity -> its next time, on the monotonic clock."""
        while self.jobs and now > self.began + self.jobs[0][0] * self.seconds:
            self.once.submit(self.act, phase, self.jobs.pop(0)[1], now)
        for name, at in due.items():
            while at <= now:
                pool = (
                    self.slow if name in SLOW else self.readers if name in READING else self.writers
                )
                pool.submit(self.act, phase, name, at)
                at += random.expovariate(rates[name])
            due[name] = at

    def act(self, phase, name, due):
        """Do an activity.

        Its time counts from the moment at which it was due, not from that at which it began.
        """
        self.count(1)
        try:
            status, allowed = getattr(self.activities, name)()
        except Exception as error:
            output = getattr(error, "stderr", "") or ""
            self.answers.fail(phase, name, f"{type(error).__name__}: {error} {output}")
            return
        finally:
            self.count(-1)
        self.answers.add(phase, name, (time.monotonic() - due) * 1000)
        if status not in allowed:
            self.answers.fail(phase, name, f"{status}, expected {sorted(map(str, allowed))}")

    def count(self, change):
        with self.counting:
            self.running += change
            self.most_running = max(self.most_running, self.running)

    def tell(self, phase, seconds):
        if seconds >= self.told:
            self.told = seconds + REPORT_EVERY
            print(
                f"{time.strftime('%H:%M:%S')} {phase}: {self.answers.many} requests, {len(self.answers.failures)} "
                f"failures, {len(self.ledger)} acknowledged, WAL {self.show.wal >> 20} MiB",
                flush=True,
            )


def arguments():
    parser = argparse.ArgumentParser(
        prog="python3 -m tests.soak", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--hours", type=float, default=2, help="length of the compressed day (default: 2)"
    )
    parser.add_argument("--minutes", type=float, help="the same in minutes")
    parser.add_argument(
        "--size", choices=("small", "fair", "messe"), default="fair", help="size of the show"
    )
    parser.add_argument(
        "--seed", metavar="FOLDER", help="copy this data directory instead of creating a show"
    )
    parser.add_argument(
        "--folder", help="keep the data and the log of the server in this new folder"
    )
    return parser.parse_args()


def main(asked):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    with (
        nullcontext(asked.folder)
        if asked.folder
        else tempfile.TemporaryDirectory(prefix="soak-") as folder
    ):
        os.makedirs(folder, exist_ok=True)
        with Show(folder, size=asked.size, seed=asked.seed) as show:
            day = Day(show, asked.minutes * 60 if asked.minutes else asked.hours * 3600)
            sampler = Sampler(show)
            make_webhooks(day)
            sampler.start()
            day.play()
            sampler.stop()
            faults = marks.judge(show, day, sampler, LAST_ARRIVALS)
        print(
            "\n".join(
                ["", *faults, f"{len(faults)} marks missed" if faults else "every mark is met"]
            )
        )
        sys.exit(1 if faults else 0)


def make_webhooks(day):
    """Create two webhooks: one for the accounting, one for everything."""
    for path, events in (("/money", ["payment.*", "invoice.*"]), ("/all", ["*"])):
        status, answer = day.activities.ask(
            "POST",
            "/webhooks",
            {"name": path, "url": day.show.receiver.url(path), "events": events},
        )
        assert status == 201, answer


if __name__ == "__main__":
    main(arguments())
