"""Dunning: what it adds to what the service does with all records."""

from eventapi.domain.billing import mails as invoice_mails
from eventapi.domain.dunning import mails, sending
from eventapi.domain.records.subject import Mail, Subject
from eventapi.storage.statements import statements

sql = statements("dunning")

DUNNING = Subject(
    name="dunning",
    checks={"dunning": sending.check},
    mails=(Mail(kind="dunning", contents=mails.letter, prepare=invoice_mails.with_pdf),),
    erases=(sql.blank_withdrawals,),
    erases_at_end=(sql.blank_texts,),
)
