"""Dunning: what it adds to what the service does with all records."""

from eventapi.domain.dunning import sending
from eventapi.domain.records.subject import Subject

DUNNING = Subject(
    name="dunning",
    checks={"dunning": sending.check},
)
