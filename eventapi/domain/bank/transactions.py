"""Bank transactions as the work list shows them, and imported statements with what is missing
between them.
"""

from eventapi import journal, money, times
from eventapi.domain.bank import matching
from eventapi.domain.bank.known import rest
from eventapi.domain.records import entities
from eventapi.states import Transitions
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("bank_statements")

PAGE = 200  # transactions that are matched at once
MOST_MISSING = 100  # numbers of missing statements that are named
BALANCES = ("opening_balance", "closing_balance", "total")
TRANSITIONS = Transitions(
    "bank transaction",
    {
        "assign": (("open",), "assigned"),
        "ignore": (("open",), "ignored"),
        "reopen": (("ignored",), "open"),
    },
)


def row(db, id):
    """Return the row of a transaction, or None."""
    return db.one(sql.get, id=id)


def represent(row):
    """Return the API object of a row, without proposals and assignments."""
    left = abs(rest(row)) if row["status"] == "open" else 0
    shown = {**row, "is_reversal": bool(row["is_reversal"]), "open_amount": left}
    del shown["cut_at"]
    money.convert_to_major(shown, ("amount", "assigned_amount", "open_amount"), row["currency"])
    shown["sent_amount"] = money.major(row["sent_amount"], row["sent_currency"])
    return shown


def stored(row):
    """Return a row of another statement with its amount in major units."""
    return {**row, "amount": money.major(row["amount"], row["currency"])}


def blank_transfers(db, contact_id):
    """Erase the names of those who have paid invoices of a contact.

    Call this inside a write transaction.
    """
    db.run(sql.blank_transfers, id=contact_id, now=db.now)


def complete(db, rows):
    """Return the API objects of these rows, with proposals and assignments, by a fixed number of
    statements.
    """
    found = [represent(row) for row in rows]
    attach_assignments(db, found)
    judged = matching.judged(db, rows)
    for record in found:
        proposals, omitted = judged.get(record["id"], ((), 0))
        record["proposals"] = [_shown(proposal, record) for proposal in proposals]
        record["proposals_omitted"] = omitted
    return found


def attach(db, rows):
    """Turn the rows of a list into API objects, in place."""
    for row, record in zip(rows, complete(db, rows), strict=True):
        row.clear()
        row.update(record)


def attach_assignments(db, records):
    """Add `assignments` to API objects: the payments and refunds that have settled the transaction."""
    found = {record["id"]: [] for record in records}
    for row in db.all(sql.assignments, ids=as_json(list(found))):
        currency, id = row.pop("currency"), row.pop("bank_transaction_id")
        found[id].append({**row, "amount": money.major(row["amount"], currency)})
    for record in records:
        record["assignments"] = found[record["id"]]


def paid_invoices(db):
    """Return the ids of invoices that open transactions pay without doubt, so that only their
    booking is missing.

    More than the open amount counts as well, also if it is not enough for the costs and interest of
    letters. This takes about a millisecond for each open transaction: call it outside of write
    transactions.
    """
    ids, found = db.values(sql.open_credits), set()
    for start in range(0, len(ids), PAGE):
        rows = db.all(sql.of_ids, ids=as_json(ids[start : start + PAGE]))
        found |= {
            proposal["invoice_id"]
            for proposals in matching.proposals(db, rows).values()
            for proposal in proposals
            if set(proposal["objections"]) <= {"overpaid", "claim_underpaid"}
        }
    return found


def _shown(proposal, transaction):
    """Return the API object of a proposal.

    What an invoice in another currency gets is what the payer has sent.
    """
    own = {
        name: money.major(proposal[name], transaction["currency"])
        for name in ("amount", "claim_amount")
    }
    return {
        **proposal,
        **own,
        "invoice_amount": money.major(proposal["invoice_amount"], transaction["sent_currency"]),
    }


def erase_old(db, size):
    """Erase names, accounts and texts of at most `size` transactions that need to be kept no longer,
    in a transaction.

    As for invoices, that is `retention_years` after the end of the year. Return their number.
    """
    with db.write():
        year = int(times.today(db.config.timezone, db.now)[:4]) - db.config.retention_years
        return db.run(sql.erase_old, before=f"{year:04}-01-01", size=size, now=db.now)


# Gaps between statements


def attach_gaps(db, rows):
    """Turn rows of statements into API objects, in place.

    `missing` needs the statements before them.
    """
    ids = sorted({row["previous_id"] for row in rows if row["previous_id"]})
    before = {row["id"]: row for row in db.all(sql.statements_by_id, ids=as_json(ids))}
    for row in rows:
        row["missing"] = missing(row, before.get(row.pop("previous_id")))
        for name in BALANCES:
            row[name] = money.major(row[name], row["currency"])


def missing(row, previous):
    """Return what is missing between two rows of statements, or None.

    Numbers may begin again with the year.
    """
    if previous is None:
        return None
    first = (previous["sequence"] or 0) + 1
    if (
        row["to_date"][:4] != previous["to_date"][:4]
        and row["sequence"]
        and row["sequence"] < first
    ):
        first = 1
    has_both = row["sequence"] and previous["sequence"]
    numbers = list(range(first, min(row["sequence"], first + MOST_MISSING))) if has_both else []
    amount = 0
    if row["opening_balance"] is not None and previous["closing_balance"] is not None:
        amount = row["opening_balance"] - previous["closing_balance"]
    if not numbers and not amount:
        return None
    return {
        "previous_id": previous["id"],
        "sequences": numbers,
        "amount": money.major(amount, row["currency"]),
    }


def gap_warnings(db, id):
    """Return the warnings about the place of a stored statement among those of its account."""
    row = db.one(sql.statement_and_previous, id=id)
    previous = (
        row["previous_id"] and db.all(sql.statements_by_id, ids=as_json([row["previous_id"]]))[0]
    )
    gap, found = missing(row, previous or None), []
    if gap and gap["sequences"]:
        numbers = ", ".join(map(str, gap["sequences"]))
        found.append(
            {
                "code": "missing_sequence",
                "detail": f"Account {row['account']}: the statements with the "
                f"numbers {numbers} are missing. Import them as well.",
            }
        )
    elif gap:
        found.append(
            {
                "code": "balance_gap",
                "detail": f"Account {row['account']}: the opening balance differs from "
                f"the closing balance of {previous['to_date']} by {gap['amount']} {row['currency']}. Import the "
                "statements between them.",
            }
        )
    return found


# Changing the state without money


def ignore(db, row, reason):
    """Take a transaction off the work list and return its row.

    Raise 409 `invalid_transition` if it is assigned.
    """
    if TRANSITIONS.move("ignore", row["status"]) is None:
        return row
    return set_status(db, row, "ignored", reason)


def reopen(db, row):
    """Put an ignored transaction back on the work list and return its row.

    Raise 409 `invalid_transition`.
    """
    return (
        row
        if TRANSITIONS.move("reopen", row["status"]) is None
        else set_status(db, row, "open", None)
    )


def set_status(db, old, status, reason, rule_id=None):
    """Store and journal a status that no payment causes. Return the row.

    `rule_id` is the bank rule that has ignored it.
    """
    db.run(sql.set_status, id=old["id"], status=status, ignored_reason=reason, rule_id=rule_id)
    new = row(db, old["id"])
    journal_change(db, old, new)
    return new


def journal_change(db, old, new):
    """Write the audit entry of a changed status or assigned amount. It has no data about the payer."""
    action = (
        new["status"]
        if new["status"] != "open"
        else "reopened"
        if old["status"] == "ignored"
        else "assigned"
    )
    journal.administered(
        db, entities.BANK_TRANSACTION, action, new["id"], old=_state(old), new=_state(new)
    )


def _state(row):
    shown = represent(row)
    return {name: shown[name] for name in ("status", "assigned_amount", "rule_id", "currency")}


# Checks of `eventapi check`


def check(db):
    """Yield a sentence for each transaction or statement whose sums are wrong.

    All amounts are minor units.
    """
    for wrong in db.all(sql.wrong_sums):
        yield (
            f"bank transaction {wrong['id']}: {wrong['stored']} of {wrong['amount']} is assigned, but its payments "
            f"and refunds add up to {wrong['computed']} (minor units), or differ from it in currency or direction"
        )
    for wrong in db.all(sql.wrong_statements):
        yield (
            f"bank statement {wrong['id']}: {wrong['imported']} transactions were imported with it, and "
            f"{wrong['stored']} are stored; the balances are {wrong['opening_balance']} and "
            f"{wrong['closing_balance']}, and its entries add up to {wrong['total']} (minor units)"
        )
