"""The mail job: one thread sends the mails that are due, many over one connection, at most
mails_per_minute.
"""

import logging
import secrets
import time
from threading import Thread

from eventapi.domain.access import invitations, links
from eventapi.domain.mail import queue as mails
from eventapi.domain.mail.contents import Gone
from eventapi.domain.public_forms import drafts
from eventapi.errors import Problem
from eventapi.storage import process_locks
from eventapi.storage.database import Database
from eventapi.worker.mail import delivery, message, smtp
from eventapi.worker.mail.delivery import Outcome
from eventapi.worker.retry import retry_while_busy

EVERY = 1
ON_CHANGE = True
MOST = 100  # mails per connection; many servers close the connection after about as many
NAP = 0.5
AFTER_FAILURE = 60  # seconds until the next attempt to reach the mail server
BREAKS = 6  # connections that break in a row until the mail server counts as unreachable
# as how many counts one that leaves a mail uncertain: somebody has to look after each
UNCERTAIN_BREAKS = 3
log = logging.getLogger("eventapi.worker.mail")
sending = {}  # database -> the thread that sends its mails
paused = {}  # database -> time of the next attempt to reach its mail server, on the monotonic clock
failed = set()  # databases whose thread ended with an unexpected error


def run(db, stopping):
    """Start the thread that sends mails, unless it runs, no mail is due, or the mail server was
    just unreachable.

    While it runs, mails that people wait for are queued all the same: the next one that it takes is
    one of them.
    """
    links.handle_requests(db, MOST)
    invitations.handle_requests(db, MOST)
    if mails.is_configured(db.config):
        drafts.release(db)
    thread = sending.get(db.path)
    if thread and thread.is_alive():
        return
    delivery.mark_cut_off(db)
    if not mails.is_configured(db.config) or time.monotonic() < paused.get(db.path, 0):
        return
    if delivery.seconds_until_next(db) == 0 and not stopping():
        failed.discard(db.path)
        sending[db.path] = Thread(
            target=deliver, args=(db.config, stopping), daemon=True, name="mail"
        )
        sending[db.path].start()


def finish(patience=None):
    """Wait for the sending threads, at most `patience` seconds.

    A mail that is being sent after that becomes uncertain.
    """
    deadline = None if patience is None else time.monotonic() + patience
    for thread in list(sending.values()):
        thread.join(None if deadline is None else max(0, deadline - time.monotonic()))


def deliver(config, stopping):
    """Send mails until none is due. Return at once if another worker is sending."""
    try:
        with process_locks.mailing(config):
            db = Database(config)
            try:
                breaks = 0
                while delivery.seconds_until_next(db) is not None and not stopping():
                    with smtp.connected(config) as server:
                        breaks = converse(db, server, stopping, breaks)
            finally:
                db.close()
    except process_locks.InUse as in_use:
        log.debug("this worker sends no mails: %s", in_use)
    except smtp.Unreachable as error:
        paused[config.database] = time.monotonic() + AFTER_FAILURE
        log.warning("no mail can be sent, next attempt in %d s: %s", AFTER_FAILURE, error)
    except Exception:
        failed.add(config.database)
        paused[config.database] = time.monotonic() + AFTER_FAILURE
        log.exception("sending mails failed, next attempt in %d s", AFTER_FAILURE)


def converse(db, server, stopping, breaks):
    """Send mails over one connection, waiting as mails_per_minute requires.

    Return how many broke in a row, or 0.

    `breaks` is this number before. A mail can break its connection, for instance because the server
    closes it on a recipient, and the next mail may leave over another one. Raise Unreachable if
    that happens BREAKS times without a mail that was answered, or if the connection breaks before
    the first mail has named a recipient.
    """
    lease, done, is_answered = secrets.token_hex(8), None, False
    for number in range(MOST + 1):
        mail = retry_while_busy(
            delivery.step, db, lease, done, more=number < MOST and not stopping()
        )
        done = None
        while mail is None and number < MOST and wait(db, stopping):
            mail = retry_while_busy(delivery.step, db, lease)
        if mail is None:
            return breaks
        outcome = attempt(db, server, mail)
        done = mail, outcome
        if not outcome.is_connected:
            retry_while_busy(delivery.step, db, lease, done, more=False)
            breaks += UNCERTAIN_BREAKS if outcome.state == "uncertain" else 1
            if breaks >= BREAKS or not (is_answered or outcome.has_named_recipient):
                raise smtp.Unreachable(outcome.error)
            return breaks
        if outcome.reply:  # a mail that could not be built proves nothing
            breaks, is_answered = 0, True


def attempt(db, server, mail):
    """Build and send one mail.

    Return the Outcome; a mail that cannot be built is tried again later.
    """
    try:
        recipient, data = message.build(db, mail)
    except Gone as gone:
        return Outcome("failed", str(gone))
    except Problem as problem:  # such as a letter that no font has
        log.warning("mail %s cannot be built: %s", mail["id"], problem.detail)
        return Outcome("queued", f"the mail cannot be built: {problem.detail}")
    except Exception as error:  # nothing was sent yet; continue with the other mails
        log.exception("mail %s cannot be built", mail["id"])
        return Outcome(
            "queued", f"the mail cannot be built ({type(error).__name__}); the log has the details"
        )
    return smtp.hand_over(server, db.config.smtp_sender, recipient, data)


def wait(db, stopping):
    """Wait until the next mail may be sent. Return false if no mail is due or the worker stops."""
    while not stopping():
        seconds = delivery.seconds_until_next(db)
        if not seconds:
            return seconds == 0
        time.sleep(min(seconds, NAP))
    return False
