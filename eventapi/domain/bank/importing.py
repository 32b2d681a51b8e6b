"""Import of bank statements: stores their transactions once, and books those that match exactly.

An import runs in several short transactions, so that it never holds the write lock for long. A
transaction is known by its identity (entries.py), so an import that was interrupted, or runs twice
at once, continues where it stopped.
"""

import hashlib
import time
from collections import Counter, defaultdict

from eventapi import journal, money, times
from eventapi.domain.bank import (
    formats,
    import_warnings,
    matching,
    putting_aside,
    settling,
    transactions,
)
from eventapi.domain.bank.csv_banks import normal
from eventapi.domain.bank.csv_forms import name_of, names_columns
from eventapi.domain.bank.csv_states import booked_of
from eventapi.domain.records import entities
from eventapi.errors import Problem, invalid_at, invalid_parameter, listed
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements
from eventapi.validation.identifiers import accounts

sql = statements("bank_statements")

STORED = (100, 250)  # entries that one write stores, at first and at most
BOOKED = (10, 40)  # transactions that one write books
PAGE = 200  # transactions that are matched at once without booking
SECONDS = 0.03  # intended duration of a write
BOOKED_AHEAD = 10  # days


def own_accounts(config):
    """Return the IBANs of the organiser without spaces, each once."""
    texts = (config.organiser_iban, *config.bank_accounts)
    return list(dict.fromkeys(accounts.compact(text) for text in texts if text))


def refuse_foreign(config, found):
    """Raise 422 if one of these Statements is of an account that is not the organiser's, or of an
    unknown currency.
    """
    own = own_accounts(config)
    if not own:
        raise invalid_at(
            "",
            "no_account",
            "cannot be imported because the organiser has no account. Set "
            "organiser_iban in eventapi.conf",
        )
    for statement in found:
        if statement.account is None:
            raise account_required(own)
        if statement.account not in own:
            raise invalid_at(
                "",
                "foreign_account",
                f"has a statement of the account {statement.account}, but the "
                f"accounts of the organiser are {listed(own)}. If it is one of yours, add its IBAN to "
                "bank_accounts in eventapi.conf, or this number if it has no IBAN",
            )
        if statement.currency not in money.CURRENCIES:
            raise invalid_at(
                "",
                "unknown_currency",
                f"has a statement in {statement.currency}, which is not a currency of ISO "
                "4217. Download it again from the bank",
            )


def account_required(own):
    """Return the 422 for a file that does not name its account. `own` are those of the organiser."""
    return invalid_parameter(
        "account",
        "account_required",
        "is required because the file does not name its account by an IBAN or by a number "
        f"inside one of yours. Send the IBAN of the account, one of {listed(own)}",
    )


def refuse_future(config, found):
    """Raise 422 if one of these Statements has a transaction that is booked more than BOOKED_AHEAD
    days from now.

    Banks book transfers for the next working day, and around holidays for a day of the next week.
    """
    last = times.add_days(times.today(config.timezone), BOOKED_AHEAD)
    for statement in found:
        late = max((entry.booked_on for entry in statement.entries), default=last)
        if late > last:
            raise invalid_at(
                "",
                "future_booking",
                f"has a transaction of the account {statement.account} that is booked on "
                f"{late}. Download it again from the bank",
            )


def source(sha256, own):
    """Return the SHA-256 that identifies a file of this SHA-256, read with these columns
    (csv_forms.forms_of) or None.

    The same file that is read with other columns is another source: its transactions are not the
    same. With another column of states, there are more of them, or fewer.
    """
    if not own:
        return sha256
    named = f"{sha256} {name_of(own)}" if names_columns(own) else sha256
    for name in ("thousands", "dates"):
        if name in own:
            named += f", {name}={own[name]}"
    if "state" in own:
        named += f", state={normal(own['state'])}, states={sorted(set(booked_of(own)))}"
    return hashlib.sha256(named.encode()).hexdigest()


# Importing


def run(write, db, found, sources, named, books):
    """Store the transactions of these Statements and book the exact ones if `books` is true.

    Return the result. `sources` has the `source` of each Statement. `named` are the parameters that
    name columns (formats.named_in), which are remembered.

    `write()` opens a write transaction as a context manager and yields its connection; `db` reads.
    The result is the `data` of the response: {statements, imported, known, skipped_pending, put_aside,
    booked, proposed, unmatched, warnings}.
    """
    standing = putting_aside.Standing(found)
    kept = [
        _store(write, statement, (position, sha256), named, standing)
        for position, (statement, sha256) in enumerate(zip(found, sources, strict=True))
    ]
    waiting = _open(db, found)
    outcomes = (
        _booked(write, list(waiting))
        if books
        else _proposed(db, [id for id in waiting if waiting[id]])
    )
    totals = Counter(
        outcome for id, outcome in outcomes.items() if outcome == "booked" or waiting[id]
    )
    totals["put_aside"] = sum(entry["put_aside"] for entry in kept)
    return _result(found, kept, totals, is_dry=False)


def _store(write, statement, place, named, standing):
    """Store a Statement, its entries, and the columns by which it was read. Put those entries aside
    that a bank rule fits.

    `place` is (position in the file, source of the file), see `source`. Return {id, imported,
    put_aside, warnings}.
    """
    position, sha256 = place
    with write() as db:
        is_new = (
            db.run(
                sql.add_statement,
                **_columns(db, statement),
                sha256=sha256,
                position=position,
                now=db.now,
            )
            > 0
        )
        kept = {
            **db.one(sql.statement, sha256=sha256, position=position),
            "put_aside": 0,
            "warnings": import_warnings.warnings_of_statement(db, statement),
        }
        kept["warnings"] += transactions.gap_warnings(db, kept["id"])
        if named and statement.header:
            formats.remember(db, statement.account, statement.header, named)
        elif statement.format_id:
            formats.use(db, statement.format_id)
        if is_new:
            journal.administered(
                db,
                entities.BANK_STATEMENT,
                "imported",
                kept["id"],
                new={
                    "account": statement.account,
                    "sequence": statement.number,
                    "entries": len(statement.entries),
                },
            )

    def add(db, entries):
        rows = [_row(entry, statement.account, kept["id"]) for entry in entries]
        new = [row for row in rows if db.run(sql.add_transaction, **row, now=db.now)]
        if new:
            db.run(sql.count_imported, id=kept["id"], imported=len(new))
            kept["put_aside"] += putting_aside.put_aside(db, new, standing)
        return len(new)

    kept["imported"] = sum(_in_pieces(write, statement.entries, STORED, add))
    return kept


def _in_pieces(write, items, sizes, change):
    """Yield `change(db, piece)` for pieces of the items, each in a write transaction of its own.

    The size of a piece, at first and at most `sizes`, follows the time that the one before took.
    """
    (size, most), start = sizes, 0
    while start < len(items):
        piece = items[start : start + size]
        with write() as db:
            started = time.monotonic()
            result = change(db, piece)
            took = max(time.monotonic() - started, 0.001)
        yield result
        start += len(piece)
        size = max(1, min(most, size * 2, int(len(piece) * SECONDS / took)))


def _columns(db, statement):
    total = sum(entry.amount for entry in statement.entries if entry.currency == statement.currency)
    return {
        "format": statement.form,
        "account": statement.account,
        "currency": statement.currency,
        "sequence": _sequence(statement),
        "from_date": statement.starts_on,
        "to_date": statement.ends_on,
        "opening_balance": statement.opening,
        "closing_balance": statement.closing,
        "total": total,
        "entries": len(statement.entries),
        "skipped_pending": statement.skipped,
        "admin_id": db.actor.admin_id,
        "admin_name": db.actor.admin_name,
    }


def _sequence(statement):
    """Return the number of a statement as an integer, or None if the bank gives none or another
    text.
    """
    number = statement.number or ""
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else None


def _row(entry, account, statement_id):
    """Return the columns of an Entry."""
    texts = (
        entry.party,
        entry.ultimate_party,
        entry.party_iban,
        entry.reference,
        entry.description,
        *entry.creditor_references,
        entry.end_to_end_id,
    )
    return {
        "statement_id": statement_id,
        "account": account,
        "currency": entry.currency,
        "identity": entry.key,
        "booked_on": entry.booked_on,
        "amount": entry.amount,
        "party": entry.party,
        "ultimate_party": entry.ultimate_party,
        "iban": entry.party_iban,
        "bic": entry.party_bic,
        "text": entry.reference,
        "cut_at": entry.cut_at,
        "description": entry.description,
        "creditor_reference": " ".join(entry.creditor_references) or None,
        "end_to_end_id": entry.end_to_end_id,
        "sent_amount": entry.sent_amount,
        "sent_currency": entry.sent_currency,
        "return_reason": entry.return_reason,
        "is_reversal": int(entry.is_reversal),
        "search_text": " ".join(text for text in texts if text),
    }


# Booking


def _open(db, found):
    """Return {id: whether it is of these Statements} of the transactions to book, in the order of
    booking.

    They are what is open of the Statements, and open debits of earlier files that may take back one
    of their credits.
    """
    own = defaultdict(set)
    for statement in found:
        own[statement.account].update(entry.key for entry in statement.entries)
    return {
        row["id"]: row["identity"] in keys
        for account, keys in own.items()
        for row in db.all(sql.open_of, account=account, identities=as_json(sorted(keys)))
    }


def _proposed(db, ids):
    """Return {id: `proposed` or `unmatched`} of open transactions. `db` reads."""
    outcomes = {}
    for page in _pages(ids):
        with db.snapshot():
            found = matching.proposals(db, db.all(sql.of_ids, ids=as_json(page)))
        outcomes |= {id: _outcome(proposals) for id, proposals in found.items()}
    return outcomes


def _pages(items):
    return [items[start : start + PAGE] for start in range(0, len(items), PAGE)]


def _outcome(proposals):
    return "proposed" if proposals else "unmatched"


def _booked(write, ids):
    """Book those of these transactions that match exactly.

    Return {id: `booked`, `proposed` or `unmatched`}.

    Matching happens in the transaction that books, so that an invoice is never paid twice.
    """
    outcomes = {}
    for found in _in_pieces(write, ids, BOOKED, _book):
        outcomes |= found
    return outcomes


def _book(db, ids):
    """Book the exact ones of these transactions, in their order. Return {id: outcome}.

    The proposals of a batch are read once. They are read again for a transaction that an earlier
    one may have changed: it names the same invoice, or is money that went out.
    """
    rows, outcomes, paid = db.all(sql.of_ids, ids=as_json(ids)), {}, set()
    for id, found in matching.proposals(
        db, rows
    ).items():  # without those that another import has settled
        row = next(row for row in rows if row["id"] == id)
        if paid and (row["amount"] < 0 or paid & {proposal["invoice_id"] for proposal in found}):
            row = db.one(sql.get, id=id)
            found = matching.proposals(db, [row])[id]
        exact = [proposal for proposal in found if proposal["is_exact"]]
        outcomes[id] = _outcome(found)
        if exact and _settled(db, row, exact):
            paid |= {proposal["invoice_id"] for proposal in exact}
            outcomes |= dict.fromkeys(_both(id, exact), "booked")
    return outcomes


def _both(id, exact):
    """Return the ids of a transaction and of the transfer that it takes back, if that is not
    assigned yet.
    """
    return [
        id,
        *(proposal["bank_transaction_id"] for proposal in exact if proposal["action"] == "offset"),
    ]


def _settled(db, row, exact):
    """Book exact proposals.

    Return false, and change nothing, if a rule of payments refuses one of them.
    """
    try:
        with db.savepoint():
            settling.settle(db, row, exact)
    except Problem:
        return False
    return True


# Dry run


def dry_run(db, found, books):
    """Return the result that an import would have, and change nothing. `db` reads.

    A reversal whose original is in the same file counts as unmatched, because the original is not
    stored.
    """
    kept, rows, outcomes, taken, known = [], [], {}, {}, set()
    standing = putting_aside.Standing(found)
    aside = {}
    with db.snapshot():
        for page in _pages([id for id, is_of_file in _open(db, found).items() if is_of_file]):
            outcomes |= _tried(db, db.all(sql.of_ids, ids=as_json(page)), books, taken)
        for statement in found:
            known |= set(
                db.values(
                    sql.known,
                    account=statement.account,
                    identities=as_json([entry.key for entry in statement.entries]),
                )
            )
            new = [entry for entry in statement.entries if entry.key not in known]
            known.update(entry.key for entry in new)
            rows += [
                {
                    **_row(entry, statement.account, None),
                    "id": -number,
                    "assigned_amount": 0,
                    "status": "open",
                    "format": statement.form,
                }
                for number, entry in enumerate(new, len(rows) + 1)
            ]
            kept.append(
                {
                    "id": None,
                    "imported": len(new),
                    "warnings": import_warnings.warnings_of_statement(db, statement),
                }
            )
        for page in _pages(rows):
            aside |= standing.chosen(db, page)
        for page in _pages([row for row in rows if row["id"] not in aside]):
            outcomes |= _tried(db, page, books, taken)
    totals = Counter(outcomes.values())
    totals["put_aside"] = len(aside)
    return _result(found, kept, totals, is_dry=True)


def _tried(db, rows, books, taken):
    """Return {id: outcome} that `_book` would have. Add what these rows would pay to `taken`."""
    outcomes, known = {}, matching.proposals(db, rows, taken)
    for row in rows:
        exact = [proposal for proposal in known[row["id"]] if proposal["is_exact"]]
        paid = [proposal for proposal in exact if books and proposal["invoice_id"] not in taken]
        for proposal in paid:
            if proposal["invoice_id"]:
                claim, side = proposal["claim_amount"], 1 if row["amount"] > 0 else -1
                taken[proposal["invoice_id"]] = side * (proposal["amount"] - claim), side * claim
        outcomes |= (
            dict.fromkeys(_both(row["id"], paid), "booked")
            if paid
            else {row["id"]: _outcome(known[row["id"]])}
        )
    return outcomes


# The result


def _result(found, kept, totals, is_dry):
    """Return the result of an import."""
    shown = []
    for statement, entry in zip(found, kept, strict=True):
        places = statement.currency
        shown.append(
            {
                "id": entry["id"],
                "account": statement.account,
                "currency": statement.currency,
                "format": statement.form,
                "format_id": statement.format_id,
                "sequence": _sequence(statement),
                "from_date": statement.starts_on,
                "to_date": statement.ends_on,
                "opening_balance": money.major(statement.opening, places),
                "closing_balance": money.major(statement.closing, places),
                "imported": entry["imported"],
                "known": len(statement.entries) - entry["imported"],
                "skipped_pending": statement.skipped,
            }
        )
    return {
        "dry_run": is_dry,
        "statements": shown,
        **{
            name: sum(entry[name] for entry in shown)
            for name in ("imported", "known", "skipped_pending")
        },
        **{name: totals[name] for name in ("put_aside", "booked", "proposed", "unmatched")},
        "warnings": [warning for entry in kept for warning in entry["warnings"]],
    }
