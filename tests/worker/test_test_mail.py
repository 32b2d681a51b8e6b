"""`eventapi mail test`: the reply of the mail server, and a way out for each kind of failure."""

import socket
import ssl
import threading

import pytest

from eventapi.worker.mail import smtp, trial
from tests.support.mail_server import SMTP, Inbox, Server
from tests.support.processes import free_port
from tests.worker.test_mail import certificate, configure, inbox, post  # noqa: F401  fixtures

TO = "office@example.org"


def failure(settings, address=TO):
    with pytest.raises(trial.Failed) as failed:
        trial.send(settings, address)
    wrong, _, remedy = str(failed.value).partition("; ")
    return wrong, remedy


def test_the_reply_of_the_mail_server_is_returned(settings, post, inbox):  # noqa: F811
    inbox.data_answer = "250 2.0.0 Ok: queued as 4711"
    assert trial.send(settings, TO) == "250 2.0.0 Ok: queued as 4711"
    [message] = inbox.messages
    assert (message["Subject"], message["To"], message["Auto-Submitted"]) == (
        "Testmail",
        TO,
        "auto-generated",
    )
    assert message["From"].addresses[0].addr_spec == "office@messe.test"
    assert "Der Mailserver ist richtig eingerichtet." in message.get_body(("plain",)).get_content()
    settings.language = "en"
    trial.send(settings, "jürgen@müller.example")
    assert (
        inbox.messages[1]["Subject"] == "Test mail"
        and inbox.recipients[1] == "jürgen@xn--mller-kva.example"
    )


def test_a_missing_option_is_named(settings):
    settings.smtp_host = settings.smtp_sender = ""
    assert "smtp_host and smtp_sender are not set" in failure(settings)[0]
    settings.smtp_host = "mail.example.org"
    assert "smtp_sender is not set" in failure(settings)[0]
    settings.smtp_sender = "office@messe.test"
    settings.smtp_user = "box"
    settings.smtp_password = ""
    wrong, remedy = failure(settings)
    assert (
        "smtp_password is not" in wrong
        and "systemd-run" in remedy
        and "LoadCredential=smtp_password:" in remedy
    )


def test_a_refused_login(settings, certificate, monkeypatch):  # noqa: F811
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    server = Server(Inbox(), tls=context, user=("box", "right")).start()
    try:
        configure(settings, server, "starttls")
        settings.smtp_user, settings.smtp_password = "box", "wrong"
        wrong, remedy = failure(settings)
    finally:
        server.stop()
    assert ": 535 " in wrong and "smtp_user and smtp_password" in remedy and "wrong" not in wrong


def test_a_server_without_login(settings):
    class NoLogin(Server):
        def factory(self):
            return SMTP(self.handler, auth_require_tls=True)

    server = NoLogin(Inbox()).start()
    try:
        configure(settings, server)
        settings.smtp_user, settings.smtp_password = "box", "word"
        wrong, remedy = failure(settings)
    finally:
        server.stop()
    assert "AUTH" in wrong and "leave smtp_user empty" in remedy


def test_a_server_without_starttls(settings, post):  # noqa: F811
    settings.smtp_security = "starttls"
    wrong, remedy = failure(settings)
    assert "STARTTLS" in wrong and "smtp_port = 465" in remedy


def test_tls_to_a_port_without_tls(settings, post):  # noqa: F811
    settings.smtp_security = "tls"
    assert "starttls with smtp_port = 587" in failure(settings)[1]


def test_a_certificate_that_nobody_trusts(settings, certificate):  # noqa: F811
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = Server(Inbox(), tls=context).start()
    try:
        configure(settings, server, "starttls")
        wrong, remedy = failure(settings)
    finally:
        server.stop()
    assert "certificate verify failed" in wrong and "name in the certificate" in remedy


def test_a_host_that_does_not_exist(settings, monkeypatch):
    settings.smtp_host, settings.smtp_sender = "mail.invalid", "office@messe.test"

    def unknown(*_args, **_more):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    wrong, remedy = failure(settings)
    assert "mail.invalid:587" in wrong and "not known" in wrong and "correct smtp_host" in remedy


def test_a_port_where_nothing_listens(settings):
    settings.smtp_host = "127.0.0.1"
    settings.smtp_port = free_port()
    settings.smtp_sender = "office@messe.test"
    wrong, remedy = failure(settings)
    assert "refused" in wrong and "check smtp_host and smtp_port" in remedy


def test_a_server_that_says_nothing_as_on_port_465_without_tls(settings, monkeypatch):
    monkeypatch.setattr(smtp, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.smtp_host, settings.smtp_port = silent.getsockname()
        settings.smtp_sender, settings.smtp_security = "office@messe.test", "starttls"
        wrong, remedy = failure(settings)
    assert "timed out" in wrong and "firewall" in remedy and "tls with smtp_port = 465" in remedy


def test_a_server_that_hangs_up(settings):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: listener.accept()[0].close())
        thread.start()
        settings.smtp_host, settings.smtp_port = listener.getsockname()
        settings.smtp_sender, settings.smtp_security = "office@messe.test", "none"
        assert "check smtp_port" in failure(settings)[1]
        thread.join()


@pytest.mark.parametrize(
    "answer, remedy",
    [
        ("550 5.1.1 no such mailbox", "check the address"),
        ("451 4.7.1 greylisted", "try again in some minutes"),
    ],
)
def test_a_refused_recipient(settings, post, inbox, answer, remedy):  # noqa: F811
    inbox.refusals[TO] = answer
    found = failure(settings)
    assert answer in found[0] and remedy in found[1] and inbox.envelopes == []


def test_a_refused_sender(settings, post, inbox, monkeypatch):  # noqa: F811
    async def refuse(server, session, envelope, address, options):
        return "553 5.7.1 sender rejected"

    inbox.handle_MAIL = refuse
    wrong, remedy = failure(settings)
    assert "553 5.7.1 sender rejected" in wrong and "set smtp_sender" in remedy


def test_a_refused_content(settings, post, inbox):  # noqa: F811
    inbox.data_answer = "554 5.7.1 message rejected"
    assert "554 5.7.1 message rejected" in failure(settings)[0]


def test_an_address_that_no_mail_can_have(settings, post):  # noqa: F811
    for address in ("nobody", f"a@{'x' * 64}.example", "a@b.example\r\nRCPT TO:<c@d.example>"):
        assert "is no email address" in failure(settings, address)[0]
