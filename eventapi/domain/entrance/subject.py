"""Entrance: what it adds to what the service does with all records."""

from eventapi.domain.entrance import admission
from eventapi.domain.records.subject import Subject

ENTRANCE = Subject(
    name="entrance",
    checks={"check-ins": admission.check},
)
