"""People: what it adds to what the service does with all records."""

from eventapi.domain.people import (
    applications,
    contacts,
    decisions,
    mails,
    participants,
    vat_checks,
)
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql_of_contacts = statements("contacts")
sql_of_applications = statements("applications")
sql_of_participants = statements("participants")
sql_of_vat_checks = statements("vat_checks")

PEOPLE = Subject(
    name="people",
    checks={"contacts": contacts.check, "participants": participants.check},
    mails=(
        Mail(
            kind=decisions.DECISION,
            contents=mails.decision,
            link_of=mails.link_of,
        ),
        Mail(
            kind=decisions.BADGE,
            contents=mails.badge,
            link_of=mails.link_of,
        ),
    ),
    previews={name: mails.preview for name in (*decisions.TEXTS.values(), decisions.BADGE)},
    erases=(
        sql_of_contacts.clear_tags,
        sql_of_applications.blank,
        sql_of_participants.blank,
        sql_of_vat_checks.erase,
    ),
    merges_contacts=(applications.hand_over, vat_checks.hand_over),
    merges_participants=(participants.hand_over_hosted,),
)
