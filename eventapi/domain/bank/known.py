"""What the matching knows about a page of transactions. It is read with a fixed number of statements."""

from collections import defaultdict
from dataclasses import dataclass

from eventapi.config import Config
from eventapi.domain.bank import hits, references, returns
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.folding import letters
from eventapi.storage.statements import statements

sql = statements("bank_statements")

# open invoices of one amount, or of one payer, among which the right one is searched
MOST_READ = 2000
MOST_PAID = 20  # earlier transfers from an account that say whose it is
PLACE = ("id", "statement_id", "format", "account", "currency", "booked_on")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about a page of transactions.

    hits: transaction id -> [Hit].
    keys: transaction id -> keys of the candidates in its text.
    names: transaction id -> names of the payer as `letters`.
    amounts: (currency, amount) -> ids of invoices.
    payers: IBAN -> ids of contacts that have paid from this account.
    open_of: contact id -> ids of open invoices.
    invoices: id of an invoice or credit note -> row of the invoice.
    originals: transaction id -> rows of credits that it may take back, see returns.
    doubled: ids of transactions that may be stored twice, from statements in two formats.
    marks: invoice id -> (ends of its number, names of its customer), filled while judging.
    """

    config: Config
    hits: dict
    keys: dict
    names: dict
    amounts: dict
    payers: dict
    open_of: dict
    invoices: dict
    originals: dict
    doubled: set
    marks: dict

    def has_paid_from(self, iban, invoice):
        """Return whether earlier payments of the customer came from this account."""
        return invoice["contact_id"] in self.payers.get(iban, ())


def read_known(db, transactions, taken):
    """Return what is Known about these rows of transactions. `taken`: see matching.proposals."""
    prefixes = references.prefixes(
        db.config.invoice_number_format, db.config.credit_note_number_format
    )
    texts = {row["id"]: hits.texts_of(row, prefixes) for row in transactions}
    hits_of = hits.find(db, texts)

    pairs = {(row["currency"], rest(row)) for row in transactions}
    amounts = defaultdict(list)
    for row in db.all(sql.open_with_amount, amounts=as_json(sorted(pairs)), most=MOST_READ):
        amounts[row["currency"], row["amount"]].append(row["id"])

    ibans = {row["iban"] for row in transactions if row["iban"]}
    payers = defaultdict(list)
    for row in db.all(sql.payers, ibans=as_json(sorted(ibans)), most=MOST_PAID):
        payers[row["iban"]].append(row["contact_id"])

    contacts = {contact for group in payers.values() for contact in group}
    open_of = defaultdict(list)
    for row in db.all(sql.open_of_contacts, ids=as_json(sorted(contacts)), most=MOST_READ):
        open_of[row["contact_id"]].append(row["id"])

    ids = {hit.invoice_id for group in hits_of.values() for hit in group}
    ids.update(*amounts.values(), *open_of.values())
    invoices = {}
    for row in db.all(sql.invoices, ids=as_json(sorted(ids))):
        invoices[row["found_id"]] = _without_taken(row, taken)

    originals = returns.originals(db, transactions)
    places = [{name: row.get(name) for name in PLACE} for row in transactions]
    doubled = set(db.values(sql.in_other_format, transactions=as_json(places)))
    return Known(
        config=db.config,
        hits=hits_of,
        keys={id: _keys(one) for id, one in texts.items()},
        names={row["id"]: _names(row["party"], row["ultimate_party"]) for row in transactions},
        amounts=amounts,
        payers=payers,
        open_of=open_of,
        invoices=invoices,
        originals=originals,
        doubled=doubled,
        marks={},
    )


def rest(row):
    """Return the part of a transaction that is not assigned, with its sign."""
    if row["amount"] > 0:
        return row["amount"] - row["assigned_amount"]
    return row["amount"] + row["assigned_amount"]


def customer_names(invoice):
    """Return the names of the customer of an invoice as `letters`."""
    return _names(invoice["company_name"], full_name(invoice))


def _names(*names):
    return [letters(name) for name in names if name]


def _keys(texts):
    return {candidate.key for reason, candidate in texts.candidates if reason == "number"}


def _without_taken(invoice, taken):
    """Return the invoice without what a dry run has already used of it."""
    paid, claims = taken.get(invoice["id"], (0, 0))
    return {
        **invoice,
        "open_amount": invoice["open_amount"] - paid,
        "claims_open": invoice["claims_open"] - claims,
    }
