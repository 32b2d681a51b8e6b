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
            prepare=mails.with_secret,
            previewed=mails.with_sample_secret,
        ),
        Mail(
            kind=links.TODOS,
            contents=mails.todos,
            prepare=mails.with_secret,
            previewed=mails.with_sample_secret,
        ),
        Mail(
            kind=links.OFFER,
            contents=mails.todos,
            prepare=mails.with_secret,
            previewed=mails.with_sample_secret,
        ),
        Mail(
            kind=sending.KIND,
            contents=sending.contents,
            prepare=sending.with_secret,
            previewed=sending.with_sample_secret,
        ),
        Mail(
            kind=booth_mails.KIND,
            contents=booth_mails.contents,
            prepare=booth_mails.with_secret,
            previewed=booth_mails.with_sample_secret,
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
