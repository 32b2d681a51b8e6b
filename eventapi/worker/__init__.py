"""The worker: a loop that runs the jobs in the background. Each job is a module of this package.

A job has these names:

- `EVERY`: the seconds between two rounds.
- `ON_CHANGE`: whether a change of the database starts a round at once.
- `run(db, stopping)`: one round. It does what is due in transactions of bounded size, calls `stopping()` between them,
  and can be killed at any point. It returns true if it left work for the next round, which then starts at once.
- `finish(patience)`, `failed`: only of a job with threads of its own, which are used for the network and for long
  work. `finish` waits for the threads, at most `patience` seconds; `failed` is the set of databases for which a thread
  failed.

A job that finds the database busy runs again in its next round. A job that fails is logged, and
runs again after AFTER_FAILURE seconds. The other jobs are not affected.
"""

import logging
import os
import signal
import threading
import time

from eventapi.domain.upkeep import housekeeping as upkeep
from eventapi.storage.database import Database
from eventapi.storage.disk import mark_full
from eventapi.storage.errors import (
    Busy,
    Damaged,
    Full,
    Outdated,
    StorageError,
    damage,
    mark_damaged,
    storage_error,
)
from eventapi.worker import bulk_import, daily, expiry, housekeeping, invoice_pdfs
from eventapi.worker.mail import job as mail
from eventapi.worker.webhooks import job as webhooks

JOBS = (webhooks, invoice_pdfs, mail, bulk_import, expiry, housekeeping, daily)

NAP = 0.5  # seconds between two checks for changes of the database: one PRAGMA each
SIGN_EVERY = 10  # seconds between two heartbeats
TO_FINISH = 5  # seconds that threads get to end when the worker is stopped
AFTER_FAILURE = 60  # seconds until a job that failed runs again
log = logging.getLogger("eventapi.worker")


def name_of(job):
    """Return the name of a job for the log: `mail` for eventapi.worker.mail.job."""
    return job.__name__.removeprefix("eventapi.worker.").removesuffix(".job")


class Worker:
    """One worker. Two may run at once, since each job checks and acts in one transaction.

    Attributes:
        parent: process id of the server that started the worker; the worker ends with it. None for a worker of its
            own.
        report: called whenever the main thread makes progress: between two rounds, and between two transactions of a
            job.
        due: time of the next round of each job, on the monotonic clock.
        failed: the jobs whose last round failed. A change of the database does not start them.
        signed: time of the last heartbeat, on the monotonic clock.
        seen: the data_version at the last check for changes.
    """

    def __init__(self, config, jobs=JOBS, parent=None, report=lambda: None):
        self.config, self.jobs, self.parent, self.report = config, jobs, parent, report
        self.stopped = False
        self.due = {job: 0.0 for job in jobs}
        self.failed = set()
        self.signed = float("-inf")
        self.seen = None

    def loop(self):
        """Run jobs until the process is told to stop by SIGTERM or SIGINT, or the server is gone."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        db = Database(self.config)
        try:
            while not self.stopping():
                self.round(db)
                time.sleep(NAP)
        finally:
            self.finish(TO_FINISH)
            db.close()

    def once(self):
        """Run the jobs until nothing is due. Return those that failed, also in a thread."""
        db = Database(self.config)
        try:
            db.follow()
            failed = {job for job in self.jobs if not self.exhaust(job, db)}
            self.finish()
            # A thread that was ending has not seen what came up then.
            for job in self.jobs:
                if hasattr(job, "finish") and job not in failed and not self.has_failed(job):
                    if not self.exhaust(job, db):
                        failed.add(job)
        finally:
            self.finish()
            db.close()
        return [job for job in self.jobs if job in failed or self.has_failed(job)]

    def has_failed(self, job):
        """Return whether a thread of the job has ended with an unexpected error."""
        return self.config.database in getattr(job, "failed", ())

    def finish(self, patience=None):
        """Wait for the threads of the jobs, at most `patience` seconds for each job."""
        for job in self.jobs:
            if hasattr(job, "finish"):
                job.finish(patience)

    def stop(self, *_):
        self.stopped = True

    def stopping(self):
        """Return whether the worker has to stop. Threads of jobs ask, too, and report no progress."""
        if threading.current_thread() is threading.main_thread():
            self.report()
        return self.stopped or (self.parent is not None and os.getppid() != self.parent)

    def round(self, db):
        """Run each job that is due, and write the heartbeat.

        Do nothing while the database is marked as damaged.

        Raise Outdated, which ends the worker, if a newer version has upgraded the database: a job
        might delete what it does not know.
        """
        if damage(self.config.database):
            return
        db.require_current()
        version = db.data_version()
        changed, self.seen = version != self.seen, version
        if changed:
            db.follow()
        for job in self.jobs:
            if self.stopping():
                return
            if self.is_due(job, changed):
                self.attempt(job, db)
        if time.monotonic() >= self.signed + SIGN_EVERY:
            self.sign(db)

    def is_due(self, job, changed):
        return time.monotonic() >= self.due[job] or (
            changed and job.ON_CHANGE and job not in self.failed
        )

    def exhaust(self, job, db):
        """Run rounds of a job until nothing is due. Return false if one failed."""
        while self.attempt(job, db):
            if not self.is_due(job, changed=False):
                return True
        return False

    def attempt(self, job, db):
        """Run one round of a job and return whether it succeeded.

        No failure keeps the other jobs from their rounds.

        Every error but Busy is a fault of the program, also a Problem: a rule of the domain refused
        what the job tried to do. Raise Outdated: no job can run any more.
        """
        try:
            is_more = job.run(db, self.stopping)
        except Busy as busy:
            log.warning("%s is postponed to its next round: %s", name_of(job), busy)
            self.due[job] = time.monotonic() + job.EVERY
            return False
        except Outdated:
            raise
        except Exception as error:
            if isinstance(error, Damaged):
                mark_damaged(self.config.database, str(error))
            if isinstance(storage_error(error), Full):
                mark_full(self.config.database)
            log.exception("%s failed, next attempt in %d s", name_of(job), AFTER_FAILURE)
            self.failed.add(job)
            self.due[job] = time.monotonic() + AFTER_FAILURE
            return False
        self.failed.discard(job)
        self.due[job] = time.monotonic() + (0 if is_more else job.EVERY)
        return True

    def sign(self, db):
        """Write the heartbeat, which /healthz reports."""
        self.signed = time.monotonic()
        try:
            upkeep.record_heartbeat(db)
        except StorageError as error:
            log.warning("the heartbeat could not be written: %s", error)
