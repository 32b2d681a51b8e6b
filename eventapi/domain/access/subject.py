"""Access: what it adds to what the service does with all records."""

from eventapi.domain.access import (
    attempts,
    desk_batches,
    invitations,
    links,
    mails,
    notices,
    office_mails,
    reach,
    sessions,
    signing_in,
)
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql = statements("links")
batches = statements("desk_batches")

ACCESS = Subject(
    name="access",
    mails=(
        Mail(kind=reach.NOTICE, contents=mails.notice),
        Mail(
            kind=invitations.KIND,
            contents=office_mails.sign_in,
            prepare=office_mails.with_secret,
        ),
        Mail(kind=notices.NOTICE, contents=office_mails.notice),
        Mail(kind=notices.TEST, contents=office_mails.test),
    ),
    forgets=(
        links.delete_old,
        sessions.delete_old,
        attempts.delete_old,
        signing_in.delete_old,
        reach.forget_former_addresses,
        desk_batches.delete_old,
    ),
    erases=(
        batches.blank_fields,
        batches.blank_trials,
        sql.drop_mails_of_contact,
        sql.drop_of_contact,
    ),
    merges_participants=(links.hand_over,),
)
