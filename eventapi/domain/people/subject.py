"""People: what it adds to what the service does with all records."""

from eventapi.domain.people import contacts, decisions, mails, participants
from eventapi.domain.records.subject import Mail, Subject

PEOPLE = Subject(
    name="people",
    checks={"contacts": contacts.check, "participants": participants.check},
    mails=(
        Mail(kind=decisions.DECISION, contents=mails.decision, prepare=mails.with_secret),
        Mail(kind=decisions.BADGE, contents=mails.badge, prepare=mails.with_secret),
    ),
)
