"""A mail server that is down: forms are taken, the desk shows what waits, and each mail arrives
once it is back.
"""

import re

import pytest

pytest.importorskip("aiosmtpd")
from eventapi.worker.mail import job
from tests.pages.desk.conftest import sign_in
from tests.pages.show.conftest import link_of
from tests.pages.show.test_apply import form, send  # noqa: F401
from tests.support.client import SCOPES, add_key
from tests.support.mail_server import Inbox, Server


@pytest.fixture
def work(db):
    """Return a function that runs one round of the worker, as a minute later."""

    def worked():
        job.paused.clear()
        job.run(db, lambda: False)
        job.finish()

    yield worked
    job.paused.clear()


def test_a_mail_server_that_is_down_loses_nothing_and_is_shown(
    register,
    pages,
    send,  # noqa: F811
    organiser,
    settings,
    db,
    work,
):
    inbox = Inbox()
    server = Server(inbox)
    settings.smtp_host = "127.0.0.1"
    settings.smtp_port = server.port
    settings.smtp_security = "none"
    visitor, page = register()
    assert (
        "Please look into your e-mail" in page.text
        and "Please look into your e-mail" in send().text
    )
    work()
    assert waiting(visitor, db) is None, "a mail may take some minutes"
    db.connection.execute(
        "UPDATE mails SET next_at = strftime('%Y-%m-%dT%H:%M:%SZ', next_at, '-6 minutes')"
    )
    assert waiting(visitor, db) == 2
    server.start()
    try:
        work()
        work()
    finally:
        server.stop()
    assert (
        sorted(inbox.recipients) == ["ada@rosen.example", "greta@mail.example"]
        and waiting(visitor, db) is None
    )
    for message in inbox.messages:  # the links work
        visitor.post(link_of(message.get_body(("plain",)).get_content()))
    assert {row["email"]: row["status"] for row in organiser.data("/applications")} == {
        "ada@rosen.example": "new",
        "greta@mail.example": "approved",
    }


def waiting(visitor, db):
    """Return the number of waiting mails on the first page of the desk, or None."""
    if visitor.get("/desk/", "*").status_int == 303:
        sign_in(visitor, add_key(db, SCOPES))
    found = re.search(r'data-figure="mails_waiting"[^>]*>(\d+)', visitor.get("/desk/").text)
    return found and int(found[1])
