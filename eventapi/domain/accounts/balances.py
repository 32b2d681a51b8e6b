"""Balances: the sums of a participant's account, by currency."""
from collections import Counter
from decimal import Decimal

from eventapi import money
from eventapi.domain.accounts import bills
from eventapi.domain.billing import claims, ledger
from eventapi.domain.billing import lines as invoice_lines
from eventapi.errors import Faults
from eventapi.storage.statements import statements

sql = statements("billing")

NOTHING = {"invoiced": 0, "paid": 0, "open": 0}


def balance(db, participant):
    """Return the account of a participant: what was ordered, billed and paid, with tax.

    The fields are those of the tenant's currency; `balances` has the same fields for each currency, that of the tenant
    first. Amounts are in major units.
    """
    with db.snapshot():
        found = claims.in_all_currencies(db, participant["id"])
        sums = {row.pop("currency"): row for row in db.all(sql.sums, id=participant["id"])}
        to_credit = _to_credit(db, db.all(sql.unclaimed, id=participant["id"]))
    own = db.config.currency
    others = {claim["currency"] for claim in found} | sums.keys() | to_credit.keys()
    balances = [_in_currency(db, currency, found, to_credit[currency], sums.get(currency, NOTHING))
                for currency in (own, *sorted(others - {own}))]
    return {**balances[0], "balances": balances}


def _in_currency(db, currency, found, to_credit, sums):
    """Return the balance in one currency. `found`: all claims. `to_credit` and `sums` are in minor units."""
    owed = [claim for claim in found if claim["currency"] == currency]
    unbilled = [claim for claim in owed if not claim["is_billed"]]
    amounts = {"ordered": gross(db, owed, currency), "unbilled": gross(db, unbilled, currency),
               "to_credit": to_credit, **sums}
    return {"currency": currency, **{name: money.major(amount, currency) for name, amount in amounts.items()}}


def _to_credit(db, unclaimed):
    """Return {currency: minor units to credit}. `unclaimed`: rows of what is billed and no longer owed."""
    sums = Counter()
    for id, currency, lines in bills.credits_due(db, unclaimed):
        sums[currency] -= ledger.totals_of_credit(db, id, lines, currency)["total"]
    return sums


def gross(db, owed, currency):
    """Return the total of one invoice for the claims `owed`, with tax, in minor units of their currency."""
    items = [{"quantity": claim["quantity"],
              "unit_price": Decimal(claim["unit_price"]).scaleb(-money.decimals(currency)),
              "tax_rate": Decimal(db.config.tax_rate if claim["tax_rate"] is None else claim["tax_rate"]).scaleb(-2)}
             for claim in owed]
    lines = invoice_lines.lines(items, currency, db.config.tax_rate, Faults())
    return invoice_lines.totals(invoice_lines.taxes(lines))["total"]
