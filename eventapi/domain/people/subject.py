"""People: what it adds to what the service does with all records."""

from eventapi.domain.people import contacts, participants
from eventapi.domain.records.subject import Subject

PEOPLE = Subject(
    name="people",
    checks={"contacts": contacts.check, "participants": participants.check},
)
