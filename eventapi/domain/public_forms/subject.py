"""Registration: what it adds to what the service does with all records."""

from eventapi.domain.public_forms import drafts
from eventapi.domain.records.subject import Subject

REGISTRATION = Subject(
    name="registration",
    forgets=(drafts.delete_old,),
)
