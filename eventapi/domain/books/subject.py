"""Books: what it adds to what the service does with all records."""

from eventapi.domain.books import files, periods, taxes
from eventapi.domain.records.subject import Subject

BOOKS = Subject(
    name="books",
    checks={"taxes": taxes.check, "periods": periods.check},
    forgets=(files.delete_ended,),
)
