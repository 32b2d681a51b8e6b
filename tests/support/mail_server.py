"""A real SMTP server for tests, on a free port of this machine."""

from email import message_from_bytes, policy

import pytest

pytest.importorskip("aiosmtpd")
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

from tests.support.processes import free_port


class Inbox:
    """The mails that arrived, and the replies to send.

    `envelopes` holds (sender, recipient, content in bytes). `refusals`: recipient -> reply to RCPT;
    421 closes the connection. `data_answer` is the reply to DATA; only 250 accepts the mail.
    `on_mail(server)` is called at MAIL, `after_data(server)` before the reply to DATA.
    `connections` counts them.
    """

    def __init__(self):
        self.envelopes = []
        self.refusals = {}
        self.data_answer = "250 OK"
        self.connections = 0
        self.after_data = None
        self.on_mail = None

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.on_mail:
            self.on_mail(server)
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refusals:
            if self.refusals[address].startswith("421"):
                await server.push(self.refusals[address])
                server.transport.close()
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.data_answer.startswith("250"):
            self.envelopes.append(
                (envelope.mail_from, envelope.rcpt_tos[0], envelope.original_content)
            )
        if self.after_data:
            self.after_data(server)
        return self.data_answer

    @property
    def messages(self):
        return [parsed(content) for _, _, content in self.envelopes]

    def to(self, address):
        """Return the mails that arrived for a recipient."""
        return [parsed(content) for _, each, content in self.envelopes if each == address]

    @property
    def recipients(self):
        return [recipient for _, recipient, _ in self.envelopes]


def parsed(content):
    return message_from_bytes(content, policy=policy.default)


class Server(Controller):
    """An SMTP server.

    `tls` is a context for STARTTLS. `user` is (name, password) if it requires a login.
    """

    def __init__(self, inbox, *, tls=None, user=None):
        self.tls, self.user = tls, user
        super().__init__(inbox, hostname="127.0.0.1", port=free_port())

    def factory(self):
        def known(server, session, envelope, mechanism, data):
            return AuthResult(
                success=(data.login.decode(), data.password.decode()) == self.user, handled=False
            )

        return SMTP(
            self.handler,
            tls_context=self.tls,
            enable_SMTPUTF8=True,
            auth_required=bool(self.user),
            auth_require_tls=bool(self.tls),
            authenticator=known if self.user else None,
        )

    def start(self):
        super().start()
        return self
