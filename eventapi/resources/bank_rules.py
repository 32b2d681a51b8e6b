"""Bank rules: which bank transactions an import ignores, because they belong to no invoice."""

from eventapi.domain.bank import rules
from eventapi.storage.statements import statements
from eventapi.web.lists import page
from eventapi.web.rest import created, found, require_match
from eventapi.web.routes import Routes

routes = Routes("bank-rules", "bank_rule", scope="payments", flag="invoices")
sql = statements("bank_rules")


@routes.list("/payments/import/rules", query="bank_rule.query")
def list_bank_rules(db, query):
    return page(db, sql.list, query)


@routes.post("/payments/import/rules", schema="bank_rule")
def create_bank_rule(db, body):
    """Create a bank rule.

    POST /payments/import ignores each new transaction that fits it, with its `reason` and its id in
    `rule_id`. Those that were imported before stay as they are. No rule ignores a transaction that
    names an invoice, that brings exactly the amount of an open one, that comes from or goes to a
    customer with open invoices, credit or claims, or that takes another transaction back.
    """
    return created(rules.create(db, body), "/payments/import/rules")


@routes.get("/payments/import/rules/<id>")
def get_bank_rule(db, id):
    return get(db, id)


@routes.update("/payments/import/rules/<id>", schema="bank_rule")
def update_bank_rule(db, id, body):
    """Change a bank rule. Transactions that it has ignored stay as they are."""
    return rules.update(db, require_match(get(db, id)), body)


@routes.delete("/payments/import/rules/<id>")
def delete_bank_rule(db, id):
    """Delete a bank rule. Transactions that it has ignored stay so, and keep its id."""
    rules.delete(db, require_match(get(db, id)))


def get(db, id):
    return found(rules.get(db, id), "bank rule", id)
