"""The worker is killed repeatedly while it sends 2,000 mails: none arrives twice, and each is sent
or listed as uncertain.
"""

import os
import signal
from collections import Counter
from types import SimpleNamespace

import pytest

from eventapi.domain.mail import queue as mails
from eventapi.domain.newsletter import subscriptions as newsletter
from eventapi.domain.upkeep import checks
from eventapi.storage.database import Nobody
from tests.support import processes
from tests.support.client import add_key
from tests.support.mail_server import Inbox, Server

pytestmark = pytest.mark.processes

MAILS = 2000
KILLS = 5


def subscribe(db, settings):
    settings.smtp_host, settings.smtp_sender = "127.0.0.1", "office@messe.test"
    add_key(db, "newsletter")
    with db.write():
        db.actor = SimpleNamespace(
            **{**{name: None for name in vars(Nobody) if not name.startswith("_")}, "admin_id": 1}
        )
        for number in range(MAILS):
            newsletter.subscribe(
                db,
                {
                    "email": f"{number}@example.org",
                    "name": None,
                    "language": None,
                    "send_confirmation": True,
                    "consent": None,
                },
                "https://events.example.org",
            )


def killed(folder, inbox, count, options):
    """Run a worker until the given number of mails has arrived, and kill it."""
    worker = processes.start(folder, "worker", **options)
    try:
        processes.until(lambda: len(inbox.envelopes) >= count, timeout=120)
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()


def test_no_mail_is_sent_twice_or_lost(tmp_path, settings, db):
    subscribe(db, settings)
    inbox = Inbox()
    server = Server(inbox).start()
    options = {
        "EVENTAPI_SMTP_HOST": "127.0.0.1",
        "EVENTAPI_SMTP_PORT": str(server.port),
        "EVENTAPI_SMTP_SECURITY": "none",
        "EVENTAPI_SMTP_SENDER": "office@messe.test",
        "EVENTAPI_MAILS_PER_MINUTE": "100000",
    }
    try:
        for number in range(KILLS):
            killed(tmp_path, inbox, (number + 1) * MAILS // (KILLS + 2), options)
            left = mails.backlog(db)["states"]
            assert left["sending"] <= 1 and left["uncertain"] <= number, (
                "the next worker reports it at once"
            )
            assert sum(left.values()) == MAILS
        done = processes.eventapi(tmp_path, "worker", "--once", **options)
        assert done.returncode == 0, done.stderr
    finally:
        server.stop()
    states = mails.backlog(db)["states"]
    arrived = Counter(inbox.recipients)
    uncertain = {mail["recipient"] for mail in mails.by_state(db, "uncertain")}
    assert max(arrived.values()) == 1, "sent twice"
    assert states["sent"] + states["uncertain"] == MAILS and states["uncertain"] <= KILLS, states
    assert {mail["recipient"] for mail in mails.by_state(db, "sent")} <= arrived.keys()
    assert arrived.keys() | uncertain == {f"{number}@example.org" for number in range(MAILS)}
    assert len(checks.findings(db)) == states["uncertain"]
