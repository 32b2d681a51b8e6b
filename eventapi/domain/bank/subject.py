"""Bank: what it adds to what the service does with all records."""

from eventapi.domain.bank import transactions
from eventapi.domain.records.subject import Subject
from eventapi.storage.statements import statements

sql = statements("bank_statements")

BANK = Subject(
    name="bank",
    checks={"bank": transactions.check},
    forgets=(transactions.erase_old,),
    erases=(sql.blank_transfers,),
)
