"""Putting aside the new transactions of an import that a bank rule fits: they are ignored.

What a rule fits stays open if a person has to look at it: it names an invoice, it is money in of the
amount of an open one, it comes from or goes to a customer with open items, or it takes another
transaction back. A transaction that is stored
already is never put aside, so one that was reopened stays open.
"""

from eventapi.domain.bank import returns, transactions
from eventapi.domain.bank.customers import Customers
from eventapi.domain.bank.fitting import Rules
from eventapi.domain.bank.known import read_known, rest
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bank_rules")
stored = statements("bank_statements")


def put_aside(db, rows, standing):
    """Ignore those of these new transactions that a rule fits. Return their number.

    `rows` are their columns, of one account. Call this inside the write transaction that has stored
    them: the next import knows them already.
    """
    rules = standing.fitting(db, rows, "identity")
    if not rules:
        return 0
    added = db.all(
        stored.of_identities, account=rows[0]["account"], identities=as_json(list(rules))
    )
    kept_open = standing.kept_open(db, added)
    aside = [row for row in added if row["id"] not in kept_open]
    for row in aside:
        rule = rules[row["identity"]]
        transactions.set_status(db, row, "ignored", rule.reason, rule.id)
    return len(aside)


class Standing:
    """The bank rules for an import of these Statements, and what keeps transactions open that they fit.

    Rules and customers are read once, when the import needs them first.
    """

    def __init__(self, found):
        self.rules = None
        self.customers = None
        self.credits = _credits(found)

    def chosen(self, db, rows):
        """Return {id: Rule} of those of these rows that are put aside."""
        rules = self.fitting(db, rows, "id")
        fitting = [row for row in rows if row["id"] in rules]
        kept_open = self.kept_open(db, fitting) if fitting else set()
        return {id: rule for id, rule in rules.items() if id not in kept_open}

    def fitting(self, db, rows, key):
        """Return {value of this key: Rule} of the rows that a rule fits."""
        if self.rules is None:
            self.rules = Rules(db.all(sql.all))
        found = {row[key]: self.rules.first(row) for row in rows}
        return {value: rule for value, rule in found.items() if rule}

    def kept_open(self, db, rows):
        """Return the ids of those of these rows that a person has to look at."""
        if self.customers is None:
            self.customers = Customers(db.all(sql.customers))
        known = read_known(db, rows, {})
        return {
            row["id"]
            for row in rows
            if known.hits[row["id"]]
            or _is_amount_due(row, known)
            or self._takes_back(row, known)
            or self.customers.have(row, known)
        }

    def _takes_back(self, row, known):
        """Return whether a transaction may take back another one, of the same file or an earlier one."""
        if row["is_reversal"] or row["return_reason"]:
            return True
        if row["amount"] > 0:
            return False
        for mark in (row["iban"], row["end_to_end_id"]):
            if (row["account"], -row["amount"], mark) in self.credits:
                return True
        return bool(returns.proposals(row, known))


def _is_amount_due(row, known):
    """Return whether a transaction is money in of exactly the amount of an open invoice."""
    return row["amount"] > 0 and (row["currency"], rest(row)) in known.amounts


def _credits(found):
    """Return what a debit has in common with the credit that it takes back, for all credits of a
    file: (account, amount, IBAN or end-to-end id).
    """
    return {
        (statement.account, entry.amount, mark)
        for statement in found
        for entry in statement.entries
        if entry.amount > 0
        for mark in (entry.party_iban, entry.end_to_end_id)
        if mark
    }
