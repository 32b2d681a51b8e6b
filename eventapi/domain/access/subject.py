"""Access: what it adds to what the service does with all records."""

from eventapi.domain.access import links, mails, reach, sessions
from eventapi.domain.records.subject import Mail, Subject

ACCESS = Subject(
    name="access",
    mails=(Mail(kind=reach.NOTICE, contents=mails.notice),),
    forgets=(links.delete_old, sessions.delete_old, reach.forget_former_addresses),
)
