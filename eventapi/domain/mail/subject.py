"""Mail: what it adds to what the service does with all records."""

from eventapi.domain.mail import queue
from eventapi.domain.records.subject import Subject

MAIL = Subject(
    name="mail",
    checks={"mail": queue.check},
    forgets=(queue.delete_old,),
)
