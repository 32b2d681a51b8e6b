"""Shows: what it adds to what the service does with all records."""

from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("profiles")

SHOWS = Subject(
    name="shows",
    erases=(sql.drop_of_contact,),
)
