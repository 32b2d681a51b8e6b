"""Imports: what it adds to what the service does with all records."""

from eventapi.domain.imports import runs
from eventapi.domain.records.subject import Subject

IMPORTS = Subject(
    name="imports",
    checks={"bulk imports": runs.check},
    forgets=(runs.delete_old_rejected_records,),
)
