"""SMTP: connect to the mail server and send mails."""

import smtplib
import ssl
from contextlib import contextmanager, suppress

from eventapi.worker.mail.delivery import Outcome

TIMEOUT = 60  # seconds to wait for each reply of the server


class Unreachable(Exception):
    """The mail server cannot be reached, or not with the encryption that the configuration
    requires.

    Its `__cause__` is the exception of smtplib, ssl or socket.
    """


@contextmanager
def connected(config):
    """Open a connection with the configured encryption and login, and verify the certificate.

    Raise Unreachable on failure.
    """
    try:
        server = _connect(config)
    except (OSError, smtplib.SMTPException, UnicodeError) as error:
        raise Unreachable(f"{config.smtp_host}:{config.smtp_port}: {_said(error)}") from error
    try:
        yield server
    finally:
        with suppress(OSError, smtplib.SMTPException):  # the connection is already closed
            server.quit()
        server.close()


def _connect(config):
    if config.smtp_security == "tls":
        server = smtplib.SMTP_SSL(
            config.smtp_host,
            config.smtp_port,
            timeout=TIMEOUT,
            context=ssl.create_default_context(),
        )
    else:
        server = smtplib.SMTP(config.smtp_host, config.smtp_port, timeout=TIMEOUT)
    try:
        if config.smtp_security == "starttls":
            # raises an error if the server does not offer it
            server.starttls(context=ssl.create_default_context())
        server.ehlo_or_helo_if_needed()
        if config.smtp_user:
            server.login(config.smtp_user, config.smtp_password)
    except BaseException:
        server.close()
        raise
    return server


def _said(error):
    if isinstance(error, smtplib.SMTPResponseException):
        return _answer(error.smtp_code, error.smtp_error)
    return str(error)


def _answer(code, said):
    """Return the reply of the server in one line."""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())[:400]}"


def hand_over(server, sender, recipient, message):
    """Send one message (bytes) and return the outcome.

    If the connection breaks before the data is complete, it was not sent. From the command RCPT on,
    the mail itself may be the cause: some servers answer 421 to a recipient and close the
    connection, others do not answer at all.
    """
    options = ["body=8bitmime"] if server.has_extn("8bitmime") else []
    if not recipient.isascii():
        if not server.has_extn("smtputf8"):
            error = (
                "the mail server does not accept addresses with characters outside ASCII (SMTPUTF8)"
            )
            return Outcome("failed", error, refuses_recipient=True)
        options.append("SMTPUTF8")
    try:
        code, said = server.mail(sender, options)
    except (OSError, smtplib.SMTPException) as error:
        return Outcome(
            "queued",
            f"the connection broke: {error}",
            is_connected=False,
            has_named_recipient=False,
        )
    if code != 250:
        outcome = _refused(server, code, said, f"the sender {sender} was refused", lasting=False)
        outcome.has_named_recipient = False
        return outcome
    try:
        code, said = server.rcpt(recipient)
    except (OSError, smtplib.SMTPException) as error:
        return Outcome("queued", f"the connection broke: {error}", is_connected=False)
    if code not in (250, 251):
        return _refused(server, code, said, "refused", refuses_recipient=True)
    return _send_data(server, message)


def _send_data(server, message):
    try:
        code, said = server.data(message)
    except smtplib.SMTPDataError as error:  # the server refused the command DATA
        code, said = error.smtp_code, error.smtp_error
    except (OSError, smtplib.SMTPException) as error:
        return Outcome(
            "uncertain",
            f"the connection broke before the mail server confirmed the mail: {error}",
            is_connected=False,
        )
    return (
        Outcome("sent", reply=_answer(code, said))
        if code == 250
        else _refused(server, code, said, "refused")
    )


def _refused(server, code, said, words, *, lasting=True, refuses_recipient=False):
    """Return the outcome of a refusal.

    Status 5xx is permanent, unless `lasting` is false: an administrator can correct it.
    """
    for_good = lasting and code >= 500
    try:
        server.rset()
        is_connected = True
    except (OSError, smtplib.SMTPException):
        is_connected = False
    state = "failed" if for_good else "queued"
    reply = _answer(code, said)
    return Outcome(
        state, f"{words}: {reply}", for_good and refuses_recipient, is_connected, reply=reply
    )
