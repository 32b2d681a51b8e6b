"""The test mail of `eventapi mail test`: sent without the queue, with a remedy for each kind of
failure.
"""

import smtplib
import socket
import ssl
from email.utils import make_msgid

from eventapi.config import user
from eventapi.domain.mail.contents import Contents, Gone
from eventapi.errors import listed
from eventapi.validation.formats import EMAIL
from eventapi.worker.mail import message, smtp

# language -> subject and Contents of the test mail
TEST_MAIL = {
    "en": (
        "Test mail",
        Contents(
            language="en",
            paragraphs=[
                "Hello,",
                "this is a test mail of eventapi. Its mail server is configured correctly.",
            ],
        ),
    ),
    "de": (
        "Testmail",
        Contents(
            language="de",
            paragraphs=[
                "Guten Tag,",
                "dies ist eine Testmail von eventapi. Der Mailserver ist richtig eingerichtet.",
            ],
        ),
    ),
}


class Failed(Exception):
    """The test mail was not accepted. The text is `what is wrong; remedy`."""


def send(config, address):
    """Send a test mail. Return the reply of the mail server, or raise Failed."""
    if missing := [name for name in ("smtp_host", "smtp_sender") if not getattr(config, name)]:
        raise Failed(
            f"no mail can be sent, because {listed(missing)} {'is' if len(missing) == 1 else 'are'} not set; "
            f"set {'it' if len(missing) == 1 else 'them'} in {config.file or 'the configuration file'}"
        )
    if config.smtp_user and not config.smtp_password:
        raise Failed(
            "smtp_user is set, and smtp_password is not; set it too. If it is a credential of the worker, run "
            f"systemd-run --pipe --wait --uid={user()} "
            f"-p LoadCredential=smtp_password:/etc/eventapi/smtp_password eventapi mail test {address}"
        )
    if not EMAIL.fullmatch(address):
        raise Failed(f"{address!r} is no email address; use an address such as office@example.org")
    try:
        recipient = message.envelope_address(address)
        message_id = make_msgid(domain=config.smtp_sender.rpartition("@")[2])
        subject, contents = TEST_MAIL[config.language]
        data = message.compose(config, recipient, message_id, subject, contents)
        with smtp.connected(config) as server:
            outcome = smtp.hand_over(server, config.smtp_sender, recipient, data)
    except Gone as gone:
        raise Failed(f"{gone}; correct it") from None
    except smtp.Unreachable as error:
        raise Failed(f"{error}; {_way_out(error.__cause__, config)}") from None
    if outcome.state != "sent":
        raise Failed(
            f"{config.smtp_host}:{config.smtp_port}: {outcome.error}; {_after_refusal(outcome)}"
        )
    return outcome.reply


def _way_out(cause, config):
    """Return what to do about a connection that failed.

    `cause` is the exception of smtplib, ssl or socket.
    """
    if isinstance(cause, smtplib.SMTPAuthenticationError):
        return "correct smtp_user and smtp_password. Some providers require a password of its own for programs"
    if isinstance(cause, smtplib.SMTPNotSupportedError):
        if "AUTH" in str(cause):
            return "the mail server offers no login on this connection: check smtp_port, or leave smtp_user empty"
        return "the mail server offers no STARTTLS on this port: use smtp_port = 465 with smtp_security = tls"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            "set smtp_host to the name in the certificate; if a private authority has signed it, add the authority "
            "with update-ca-certificates"
        )
    if isinstance(cause, ssl.SSLError):
        return "smtp_security does not fit the port: use tls with smtp_port = 465, or starttls with smtp_port = 587"
    if isinstance(cause, (socket.gaierror, UnicodeError)):
        return "correct smtp_host, or check the name server of this machine"
    if isinstance(cause, ConnectionRefusedError):
        return "nothing listens there: check smtp_host and smtp_port"
    if isinstance(cause, smtplib.SMTPServerDisconnected | TimeoutError):
        other = (
            "tls with smtp_port = 465"
            if config.smtp_security != "tls"
            else "starttls with smtp_port = 587"
        )
        return f"check smtp_port and the firewall, or use smtp_security = {other}"
    return "check smtp_host, smtp_port and the network"


def _after_refusal(outcome):
    """Return what to do about a mail that was not accepted."""
    if outcome.error.startswith("the sender"):
        return "set smtp_sender to an address that smtp_user may send from"
    if outcome.state == "uncertain":
        return "look into the mailbox and into the log of the mail server whether it was sent"
    if outcome.state == "queued":
        return "this may pass: try again in some minutes. The worker repeats such mails by itself"
    return "check the address. Some mail servers send to other domains only after a login with smtp_user"
