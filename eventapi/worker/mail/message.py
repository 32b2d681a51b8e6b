"""The message of a mail: its contents, which the subjects know, with headers and attachments."""

import re
from datetime import datetime, timezone
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime

from eventapi.domain.access import links
from eventapi.domain.mail.bodies import rendered
from eventapi.domain.mail.contents import ENCODED, Gone, one_line
from eventapi.domain.subjects import MAILS
from eventapi.worker.retry import retry_while_busy


class Policy(EmailPolicy):
    """Write List-Unsubscribe unencoded.

    The library would encode long URLs, and mail programs would not find the link.
    """

    def fold_binary(self, name, value):
        if name == "List-Unsubscribe":
            return f"{name}: {value}\r\n".encode("ascii")
        return super().fold_binary(name, value)


ASCII = Policy(linesep=SMTP.linesep, cte_type="7bit")
UTF8 = ASCII.clone(utf8=True)


def build(db, mail):
    """Return (recipient, message as bytes).

    The domain of the recipient is in its ASCII form. Raise Gone if there is nothing to send.
    """
    recipient = envelope_address(mail["recipient"])
    kind = MAILS[mail["kind"]]
    if kind.prepare:
        mail = retry_while_busy(kind.prepare, db, mail)
    elif kind.link_of:
        mail = retry_while_busy(links.with_secret, db, mail, kind.link_of)
    with db.snapshot():
        contents = kind.contents(db, mail)
    return recipient, compose(db.config, recipient, mail["message_id"], mail["subject"], contents)


def compose(config, recipient, message_id, subject, contents):
    """Return a message in bytes. `contents` are a Contents."""
    body = rendered(subject, contents)
    message = EmailMessage(policy=ASCII if recipient.isascii() else UTF8)
    message["Message-ID"] = message_id
    message["Date"] = format_datetime(datetime.now(timezone.utc))
    message["From"] = address(config.organiser_name, config.smtp_sender)
    message["To"] = address(contents.name, recipient)
    message["Subject"] = body["subject"]
    message["Auto-Submitted"] = "auto-generated"
    for header, value in contents.headers.items():
        message[header] = value
    message.set_content(body["text"], cte="quoted-printable")
    message.add_alternative(body["html"], subtype="html", cte="quoted-printable")
    for filename, data in contents.attachments:
        message.add_attachment(
            data, maintype="application", subtype=filename.rpartition(".")[2], filename=filename
        )
    # last: adding content removes headers of this kind
    message["Content-Language"] = body["language"]
    return message.as_bytes()


def envelope_address(email):
    """Return the address with its domain in ASCII form. Raise Gone if it is not valid."""
    local, _, domain = email.rpartition("@")
    try:
        domain = domain.encode("idna").decode()
    except UnicodeError:
        raise Gone(f"the domain of the address {email!r} is not valid") from None
    if not local.isprintable() or ENCODED in local or re.search(r"[\s<>]", local):
        raise Gone(
            f"the part of the address {email!r} before the @ contains a character that is not allowed"
        )
    return f"{local}@{domain}"


def address(name, email):
    """Return the address of a header, with the name on one line. `name` may be None."""
    local, _, domain = email.rpartition("@")
    return Address(one_line(name or ""), local, domain)
