"""Mail: what it adds to what the service does with all records."""

from eventapi.domain.mail import queue
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("mails")

MAIL = Subject(
    name="mail",
    checks={"mail": queue.check},
    forgets=(queue.delete_old,),
    erases_first=(sql.drop_confirmations,),
    erases=(sql.drop_of_records,),
)
