"""Balances: the sums of a participant's account."""
from eventapi import money
from eventapi.domain.accounts import bills
from eventapi.domain.billing import claims, issuing
from eventapi.domain.billing import lines as invoice_lines
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("billing")


def balance(db, participant):
    """Return the account of a participant: what was ordered, billed and paid, with tax, in the tenant's currency.

    Amounts are in major units.
    """
    with db.snapshot():
        found = claims.claims(db, participant["id"])
        sums = db.one(sql.sums, id=participant["id"], currency=db.config.currency)
        unclaimed = db.all(sql.unclaimed, id=participant["id"])
        to_credit = sum(-issuing.totals_of_credit(db, id, lines)["total"]
                        for id, currency, lines in bills.credits_due(db, unclaimed) if currency == db.config.currency)
    unbilled = [claim for claim in found if not claim["is_billed"]]
    amounts = {"ordered": gross(db, found), "unbilled": gross(db, unbilled), "to_credit": to_credit, **sums}
    return {"currency": db.config.currency,
            **{name: money.major(amount, db.config.currency) for name, amount in amounts.items()}}


def gross(db, owed):
    """Return the total of one invoice for the claims `owed`, with tax, in minor units."""
    items = [claims.item(db, claim, db.config.language) for claim in owed]
    lines = invoice_lines.lines(items, db.config.currency, db.config.tax_rate, Faults())
    return invoice_lines.totals(invoice_lines.taxes(lines))["total"]
