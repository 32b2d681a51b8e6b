"""A service of an organiser who has set nothing yet, and the mails that it sends."""

import re
from contextlib import contextmanager

from eventapi import config as configuration
from eventapi.domain.access import invitations, people
from eventapi.worker.mail import job
from tests.support.client import write_empty_config
from tests.support.mail_server import Server
from tests.support.served import served
from tests.worker.test_mail import configure


def empty_settings(folder, template):
    """Return the settings of an organiser who has set nothing. `template` is an empty database."""
    (folder / "eventapi.db").write_bytes(template)
    file = str(write_empty_config(folder))
    return configuration.load(environ={"EVENTAPI_DATA_DIR": str(folder), "EVENTAPI_CONFIG": file})


@contextmanager
def mailing(app, settings, inbox):
    """Yield the address of a server with the app, whose mails arrive in an Inbox."""
    post = Server(inbox).start()
    configure(settings, post)
    with served(app, []) as url:
        settings.base_url = url
        names = (
            "base_url",
            "smtp_host",
            "smtp_port",
            "smtp_security",
            "smtp_sender",
            "mails_per_minute",
        )
        settings.live.values |= {name: getattr(settings, name) for name in names}
        yield url
    post.stop()


def invite(db, language):
    """Invite the first person, Carla Weiß, as `eventapi admin invite` does: a mail has the link."""
    with db.write():
        id = people.invite(db, "Carla Weiß", "carla@fair.example", "owner", language=language)
        invitations.invite_by_mail(db, id)
    work(db)


def work(db):
    """Send the mails that wait."""
    job.run(db, lambda: False)
    job.finish()


def links_in(messages):
    """Return the addresses of the links in mails, in their order."""
    texts = [each.get_body(("plain",)).get_content() for each in messages]
    return re.findall(r"http\S+/link/evl_\S+", " ".join(texts))


def link_in(inbox):
    """Return the address of the link in the last mail that has one."""
    return links_in(inbox.messages)[-1]
