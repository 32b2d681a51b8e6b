"""Portal: what it adds to what the service does with all records."""

from eventapi.domain.access import links
from eventapi.domain.portal import booth_mails, cancelling, mails, sending
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql = statements("binding_steps")

PORTAL = Subject(
    name="portal",
    mails=(
        Mail(
            kind=links.KIND,
            contents=mails.link,
            link_of=mails.link_of,
        ),
        Mail(
            kind=links.TODOS,
            contents=mails.todos,
            link_of=mails.link_of,
        ),
        Mail(
            kind=links.OFFER,
            contents=mails.todos,
            link_of=mails.link_of,
        ),
        Mail(
            kind=sending.KIND,
            contents=sending.contents,
            link_of=sending.link_of,
        ),
        Mail(
            kind=booth_mails.KIND,
            contents=booth_mails.contents,
            link_of=booth_mails.link_of,
        ),
        Mail(kind=cancelling.KIND, contents=cancelling.contents),
    ),
    previews={
        **dict.fromkeys((links.KIND, links.TODOS, links.OFFER), mails.preview),
        sending.KIND: sending.preview,
        booth_mails.KIND: booth_mails.preview,
    },
    erases=(sql.blank,),
)
