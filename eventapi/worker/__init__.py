"""The worker: does what is due in the background. A loop here, and one module per kind of job.

A job is a module with `EVERY`, the seconds between two rounds, `ON_CHANGE`, whether it also wants a round as soon as
somebody changed the database, and `run(db, stopping)`, which does what is due in transactions of bounded size, asks
`stopping()` between them, and may be killed anywhere; it gives true when it left more for the next round. What takes the network it
hands to threads of its own, and has `finish(patience)`, which waits for them. A job that fails is logged and tried again later, one that
finds the database busy in its next round; the others go on.
"""
import logging
import os
import signal
import time

from eventapi.domain.upkeep import housekeeping as signs
from eventapi.storage.database import Database
from eventapi.storage.errors import Busy, StorageError
from eventapi.worker import bulk_import, expiry, housekeeping, invoice_pdfs
from eventapi.worker.mail import job as mail
from eventapi.worker.webhooks import job as webhooks

JOBS = (webhooks, invoice_pdfs, mail, bulk_import, expiry, housekeeping)

NAP = 0.5                    # seconds between two looks at the database: one PRAGMA each
SIGN_EVERY = 10
TO_FINISH = 5                # seconds that threads have to end when the worker is stopped
AFTER_FAILURE = 60           # seconds until a job that failed is tried again
log = logging.getLogger("eventapi.worker")


def name_of(job):
    """Return the name of a job as it stands in the log: `mail` for eventapi.worker.mail.job."""
    return job.__name__.removeprefix("eventapi.worker.").removesuffix(".job")


class Worker:
    """One worker; two at once do no harm, since each job looks and acts in one transaction.

    `parent` is the server it belongs to: the worker ends when that is gone.
    """

    def __init__(self, config, jobs=JOBS, parent=None):
        self.config, self.jobs, self.parent = config, jobs, parent
        self.stopped = False
        self.due = {job: 0.0 for job in jobs}            # a job's next round, on the monotonic clock
        self.failed = set()
        self.signed = float("-inf")
        self.seen = None

    def loop(self):
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
        """Does what is due and ends; gives the jobs that failed."""
        db = Database(self.config)
        try:
            return [job for job in self.jobs if not self.exhaust(job, db)]
        finally:
            self.finish()
            db.close()

    def finish(self, patience=None):
        """Waits for what the jobs have begun: so many seconds, or to the end."""
        for job in self.jobs:
            if hasattr(job, "finish"):
                job.finish(patience)

    def stop(self, *_):
        self.stopped = True

    def stopping(self):
        return self.stopped or (self.parent is not None and os.getppid() != self.parent)

    def round(self, db):
        version = db.data_version()
        changed, self.seen = version != self.seen, version
        for job in self.jobs:
            if self.stopping():
                return
            if self.wants(job, changed):
                self.attempt(job, db)
        if time.monotonic() >= self.signed + SIGN_EVERY:
            self.sign(db)

    def wants(self, job, changed):
        return time.monotonic() >= self.due[job] or (changed and job.ON_CHANGE and job not in self.failed)

    def exhaust(self, job, db):
        """Rounds of a job until nothing is left to be done; False when it failed."""
        while self.attempt(job, db):
            if not self.wants(job, changed=False):
                return True
        return False

    def attempt(self, job, db):
        """Run one round of a job and return whether it succeeded. No failure keeps the other jobs from their rounds.

        A busy database postpones the job to its next round. Every other error, also a refusal by a rule of the domain, is a fault of
        the program: it is logged, and the job pauses for AFTER_FAILURE seconds.
        """
        try:
            is_more = job.run(db, self.stopping)
        except Busy as busy:
            log.warning("%s is postponed to its next round: %s", name_of(job), busy)
            self.due[job] = time.monotonic() + job.EVERY
            return False
        except Exception:
            log.exception("%s failed, next attempt in %d s", name_of(job), AFTER_FAILURE)
            self.failed.add(job)
            self.due[job] = time.monotonic() + AFTER_FAILURE
            return False
        self.failed.discard(job)
        self.due[job] = time.monotonic() + (0 if is_more else job.EVERY)
        return True

    def sign(self, db):
        self.signed = time.monotonic()
        try:
            signs.sign(db)
        except StorageError as error:
            log.warning("the heartbeat could not be written: %s", error)
