"""Imports: what it adds to what the service does with all records."""

from eventapi.domain.imports import runs
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("bulk_import")

IMPORTS = Subject(
    name="imports",
    checks={"bulk imports": runs.check},
    forgets=(runs.delete_old_rejected_records,),
    erases_first=(sql.drop_rejected_records,),
)
