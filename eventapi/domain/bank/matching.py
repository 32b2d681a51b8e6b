"""Matching of bank transactions with invoices: what is known about a page of transactions, and the
proposals.

A proposal is {invoice_id, invoice_number, payment_id, action, amount, claim_amount, invoice_amount,
bank_transaction_id, reasons, objections, is_exact}, with the amounts in minor units;
`invoice_amount` is in the currency of the invoice if that is another one, else None. `claim_amount`
is the part of the amount that pays costs and interest of dunning letters. `action` is `pay` (record
a payment), `refund` (refund a payment of the invoice), `return` (the invoice takes no money: send
it back) or `offset` (see returns.py). A proposal is exact if nothing speaks against it. Only exact
ones are booked without being accepted by a person.
"""

from collections import defaultdict
from types import SimpleNamespace

from eventapi.domain.bank import references, returns
from eventapi.domain.bank.entries import may_be_cut
from eventapi.domain.billing import recoveries
from eventapi.domain.billing.invoices import PAYABLE
from eventapi.names import full_name
from eventapi.storage.database import as_json
from eventapi.storage.folding import letters
from eventapi.storage.statements import statements

sql = statements("bank_statements")

MOST_ALIKE = (
    5  # invoices that have the amount and nothing else in common: of more, any choice is a guess
)
MOST_READ = (
    2000  # open invoices of one amount, or of one payer, among which the right one is searched
)
MOST_PAID = 20  # earlier transfers from an account that say whose it is
MOST = 10  # proposals of a transaction, apart from exact ones
LONGEST_ID = 30  # characters of an end-to-end id that is surely complete; it has at most 35
NAMED = {"number", "creditor_reference", "end_to_end_id", "reversal"}
PLACE = ("id", "statement_id", "format", "account", "currency", "booked_on")
# of two hits of an invoice, the first counts
ORDER = (
    "creditor_reference",
    "number",
    "end_to_end_id",
)


def proposals(db, transactions, taken=None):
    """Return {id: [proposal, …]} for these rows of transactions, the best proposals first.

    `taken`: invoice id -> (minor units that a dry run has already used of its open amount, and of
    its claims).
    """
    return {id: found for id, (found, _) in judged(db, transactions, taken).items()}


def judged(db, transactions, taken=None):
    """Return {id: (proposals, number of candidates that were left out)}, see `proposals`."""
    waiting = [row for row in transactions if row["status"] == "open"]
    known = facts(db, waiting, taken or {})
    return {row["id"]: _of(row, known) for row in waiting}


def facts(db, transactions, taken):
    """Return what is known about the transactions, with a fixed number of statements.

    Attributes: hits (transaction id -> [Hit]), keys (transaction id -> keys of the candidates in
    its text), amounts ((currency, amount) -> ids of invoices), payers (IBAN -> ids of contacts),
    open_of (contact id -> ids of open invoices), invoices (id of an invoice or credit note -> row),
    names (transaction id -> names of the payer as `letters`), marks (see `_marks`), originals
    (transaction id -> rows of credits that it may take back), doubled (ids of transactions that may
    be stored twice, from statements in two formats), config.
    """
    prefixes = references.prefixes(
        db.config.invoice_number_format, db.config.credit_note_number_format
    )
    texts = {row["id"]: _texts(row, prefixes) for row in transactions}
    known = SimpleNamespace(hits=_hits(db, texts), marks={}, config=db.config)
    known.keys = {
        id: {candidate.key for reason, candidate in found if reason == "number"}
        for id, (found, _) in texts.items()
    }
    known.amounts = defaultdict(list)
    wanted = {(row["currency"], rest(row)) for row in transactions}
    for row in db.all(sql.open_with_amount, amounts=as_json(sorted(wanted)), most=MOST_READ):
        known.amounts[row["currency"], row["amount"]].append(row["id"])
    known.payers, known.open_of = defaultdict(list), defaultdict(list)
    ibans = sorted({row["iban"] for row in transactions if row["iban"]})
    for row in db.all(sql.payers, ibans=as_json(ibans), most=MOST_PAID):
        known.payers[row["iban"]].append(row["contact_id"])
    contacts = {contact for found in known.payers.values() for contact in found}
    for row in db.all(sql.open_of_contacts, ids=as_json(sorted(contacts)), most=MOST_READ):
        known.open_of[row["contact_id"]].append(row["id"])
    ids = {hit.invoice_id for hits in known.hits.values() for hit in hits}
    ids |= {
        id for group in (known.amounts, known.open_of) for found in group.values() for id in found
    }
    known.invoices = {
        row["found_id"]: _less(row, taken) for row in db.all(sql.invoices, ids=as_json(sorted(ids)))
    }
    known.names = {
        row["id"]: [letters(name) for name in (row["party"], row["ultimate_party"]) if name]
        for row in transactions
    }
    known.originals = returns.originals(db, transactions)
    places = [{name: row.get(name) for name in PLACE} for row in transactions]
    known.doubled = set(db.values(sql.in_other_format, transactions=as_json(places)))
    return known


def _less(invoice, taken):
    paid, claims = taken.get(invoice["id"], (0, 0))
    return {
        **invoice,
        "open_amount": invoice["open_amount"] - paid,
        "claims_open": invoice["claims_open"] - claims,
    }


def rest(row):
    """Return the part of a transaction that is not assigned, with its sign."""
    return (
        row["amount"] - row["assigned_amount"]
        if row["amount"] > 0
        else row["amount"] + row["assigned_amount"]
    )


# Numbers in the texts


def _hits(db, texts):
    """Return {transaction id: [Hit]}: the invoices and credit notes whose number is in these texts,
    see `_texts`.

    A Hit has invoice_id, reason, start and end (its place in the text), is_one_word and is_verbatim
    (see references), fits (it has the form of the number and is whole), is_named (it means the
    number, but may be cut off), and is_clear (it is complete).
    """
    keys, written = set(), set()
    for found, structured in texts.values():
        keys |= {candidate.key for _, candidate in found}
        written |= {candidate.letters for _, candidate in found} | set(structured)
    numbers = {"key": defaultdict(list), "letters": defaultdict(list)}
    for row in db.all(sql.numbers, keys=as_json(sorted(keys)), letters=as_json(sorted(written))):
        numbers[row["form"]][row["found"]].append(row)
    return {id: _without_parts(_found(*sent, numbers)) for id, sent in texts.items()}


def _texts(row, known):
    """Return ([(reason, Candidate)], [letters and digits of an RF reference]) of a transaction."""
    text, cut_at = row["text"], row["cut_at"]
    if not text and row["description"]:  # some banks write the text of the payer there only
        text = row["description"]
        cut_at = len(row["description"]) if may_be_cut(row["description"]) else None
    found = [("number", candidate) for candidate in references.candidates(text, known, cut_at)]
    id = row["end_to_end_id"] or ""
    cut_at = len(id) if len(id) > LONGEST_ID else None
    found += [
        ("end_to_end_id", candidate) for candidate in references.candidates(id, known, cut_at)
    ]
    structured = references.creditor_references(row["creditor_reference"])
    return found, structured or references.creditor_references(text)


def _found(found, structured, numbers):
    """Yield a Hit for each invoice that the candidates or RF references of a transaction name."""
    for word in structured:
        rows = numbers["letters"].get(word, ())
        for row in rows:
            yield SimpleNamespace(
                invoice_id=row["id"],
                reason="creditor_reference",
                start=-1,
                end=-1,
                fits=True,
                is_verbatim=True,
                is_one_word=True,
                is_named=True,
                is_clear=len(rows) == 1,
            )
    for reason, candidate in found:
        rows = [
            *numbers["key"].get(candidate.key, ()),
            *numbers["letters"].get(candidate.letters, ()),
        ]
        for row in {row["id"]: row for row in rows}.values():
            yield _hit(row, reason, candidate)


def _hit(row, reason, candidate):
    """Return the Hit of a candidate and an invoice whose number has one of its forms."""
    fits = references.fits(row["invoice_number"], candidate) and candidate.is_whole
    is_named = fits and references.is_distinct(row["invoice_number"], candidate)
    return SimpleNamespace(
        invoice_id=row["id"],
        reason=reason,
        start=candidate.start,
        end=candidate.end,
        fits=fits,
        is_verbatim=references.is_verbatim(row["invoice_number"], candidate),
        is_one_word=candidate.is_one_word,
        is_named=is_named,
        is_clear=is_named and not candidate.is_cut,
    )


def _without_parts(hits):
    """Return one hit for each invoice, the clearest, without those that are a part of a longer one.

    A hit is not unique if another invoice has a hit at the same place: in INV-2026-1 2, the number
    may be that of INV-2026-00001 or, with a space inside, of INV-2026-00012. If all zeros are
    written, only the first is meant.
    """
    hits = list(hits)
    kept = [hit for hit in hits if not any(_swallows(other, hit) for other in hits)]
    for hit in kept:
        hit.is_unique = not any(
            other.invoice_id != hit.invoice_id
            and other.reason == hit.reason
            and other.start < hit.end
            and hit.start < other.end
            and (other.fits or not hit.is_verbatim)
            for other in kept
        )
    best = {}
    for hit in sorted(
        kept, key=lambda hit: (not hit.is_clear, not hit.is_unique, ORDER.index(hit.reason))
    ):
        best.setdefault(hit.invoice_id, hit)
    return list(best.values())


def _swallows(longer, hit):
    """Return whether a hit is only a part of a longer clear one: R-1 in R-1/2, but not in R-1 2."""
    return (
        longer.reason == hit.reason
        and longer.is_clear
        and longer.start <= hit.start
        and hit.end <= longer.end
        and longer.end - longer.start > hit.end - hit.start
        and (longer.is_one_word or not hit.fits)
    )


# Judging


def _of(row, known):
    """Return (proposals of one transaction, the best first, number of candidates that were left
    out).
    """
    found, omitted = returns.proposals(row, known) if row["amount"] < 0 else [], 0
    if not any(proposal["is_exact"] for proposal in found):
        named = _by_number(row, known)
        found = named if any(proposal["is_exact"] for proposal in named) else found + named
    if not any(proposal["is_exact"] for proposal in found):
        alike, omitted = _by_likeness(row, known, {proposal["invoice_id"] for proposal in found})
        found += alike
    if row["id"] in known.doubled:
        found = [
            {**one, "objections": [*one["objections"], "other_format"], "is_exact": False}
            for one in found
        ]
    kept = [
        one for place, one in enumerate(sorted(found, key=_rank)) if one["is_exact"] or place < MOST
    ]
    return kept, omitted + len(found) - len(kept)


def _rank(proposal):
    """Return the key by which proposals are sorted.

    Of equal ones, `_by_number` and `_by_likeness` know the best.
    """
    return (
        not proposal["is_exact"],
        not NAMED & set(proposal["reasons"]),
        len(proposal["objections"]),
        -len(proposal["reasons"]),
    )


def _by_number(row, known):
    """Return a proposal for each invoice that the transaction names."""
    named, others, several = {}, {}, set()
    for hit in known.hits[row["id"]]:
        invoice = known.invoices[hit.invoice_id]
        is_clear = hit.is_clear and hit.is_unique
        several |= {invoice["id"]} if hit.is_named else set()
        if invoice["currency"] == row["currency"] and (is_clear or invoice["id"] not in named):
            named[invoice["id"]] = (invoice, hit.reason, is_clear)
        elif (
            invoice["currency"] != row["currency"]
            and row["amount"] > 0
            and invoice["status"] in PAYABLE
        ):
            others[invoice["id"]] = _in_other_currency(row, invoice, hit.reason, known)
    owed = _adding_up(row, named.values(), known)
    if owed:
        return [
            _proposed(row, invoice, [reason, "sum"], [], known, amount)
            for amount, (invoice, reason, _) in zip(owed, named.values(), strict=True)
        ]
    return _alone(row, list(named.values()), known, ["several"] if len(several) > 1 else []) + list(
        others.values()
    )


def _adding_up(row, named, known):
    """Return what each of the named invoices gets if they are what the transaction pays, else None.

    It is what is open of them, or what is open with the claims of their letters. `named`: (invoice,
    reason, is_clear).
    """
    side = 1 if row["amount"] > 0 else -1
    is_clear = not _takes_back(row, known) and all(
        clear and one["status"] in PAYABLE for one, _, clear in named
    )
    if len(named) < 2 or not is_clear:
        return None
    owed = [side * invoice["open_amount"] for invoice, *_ in named]
    with_claims = [_amounts(invoice)[1] for invoice, *_ in named]
    found = (
        sums
        for sums in ([owed, with_claims] if side > 0 else [owed])
        if min(sums) > 0 and sum(sums) == abs(rest(row))
    )
    return next(found, None)


def _in_other_currency(row, invoice, reason, known):
    """Return the proposal to pay an invoice in another currency, with what the payer has sent if
    the bank says it.
    """
    is_known = row.get("sent_currency") == invoice["currency"] and not row["assigned_amount"]
    proposal = _proposed(row, invoice, [reason], ["other_currency"], known, rest(row))
    names = {*proposal["reasons"]} - {"amount", "tolerance"}
    return {
        **proposal,
        "amount": rest(row),
        "claim_amount": 0,
        "invoice_amount": row["sent_amount"] if is_known else None,
        "objections": ["other_currency"],
        "reasons": [name for name in proposal["reasons"] if name in names],
        "is_exact": False,
    }


def _alone(row, named, known, several):
    """Return the proposals for invoices of which one alone, or none, is what the transaction pays.

    `several`: the objection to clear ones if the text names several, also if the bank may have cut
    off one of them.
    """
    return [
        _proposed(
            row, invoice, [reason], several if is_clear else ["uncertain"], known, abs(rest(row))
        )
        for invoice, reason, is_clear in named
    ]


def _by_likeness(row, known, left_out):
    """Return (proposals, number of candidates that were left out) for invoices that the transaction
    does not name.

    Candidates are the open invoices of the same amount, and those of a customer who has paid from
    the same account. At a show with booths of one size, hundreds have one amount: a part of the
    number and the name of the payer decide.
    """
    ids = list(known.amounts.get((row["currency"], rest(row)), ()))
    contacts = known.payers.get(row["iban"], ())
    ids += (
        [id for contact in contacts for id in known.open_of.get(contact, ())]
        if row["amount"] > 0
        else []
    )
    alike = [known.invoices[id] for id in dict.fromkeys(ids)]
    alike = [
        one for one in alike if one["id"] not in left_out and one["currency"] == row["currency"]
    ]
    marks = {one["id"]: _marks(row, one, known) for one in alike}
    chosen = [one for one in alike if any(marks[one["id"]])]
    if len(alike) - len(chosen) <= MOST_ALIKE:
        chosen = alike
    chosen = sorted(chosen, key=lambda one: _likelihood(row, one, marks[one["id"]]), reverse=True)[
        :MOST
    ]
    return [
        _proposed(
            row,
            invoice,
            ["number_part"] if marks[invoice["id"]][0] else [],
            ["no_number"],
            known,
            abs(rest(row)),
        )
        for invoice in chosen
    ], len(alike) - len(chosen)


def _marks(row, invoice, known):
    """Return what besides the amount speaks for an invoice.

    It is (characters of the longest end of its number in the text, whether the payer has the name
    of the customer, whether earlier payments of the customer came from the account). `known.marks`
    keeps what is known of the invoice.
    """
    if invoice["id"] not in known.marks:
        known.marks[invoice["id"]] = references.ends(invoice["invoice_number"]), _names_of(invoice)
    ends, names = known.marks[invoice["id"]]
    keys = known.keys[row["id"]]
    part = next((len(end) for end in ends if end in keys), 0)
    return (
        part,
        _is_named(known.names[row["id"]], names),
        invoice["contact_id"] in known.payers.get(row["iban"], ()),
    )


def _likelihood(row, invoice, marks):
    """Return the key by which candidates are sorted: how much speaks for an invoice, then the part
    of its number.
    """
    has_amount = rest(row) in _amounts(invoice)
    return sum(map(bool, (has_amount, *marks))), marks[0], -invoice["id"]


def _proposed(row, invoice, reasons, objections, known, amount):
    """Return the proposal to settle an invoice with `amount` of the transaction, in positive minor
    units.
    """
    if row["amount"] > 0:
        action, usable, claim, more = _incoming(amount, invoice)
        owed = _amounts(invoice)
        if {"underpaid", "claim_underpaid"} & set(more) and NAMED & set(reasons):
            for one in owed:
                if 0 < one - amount < owed[0] and recoveries.is_tolerated(
                    known.config, invoice, one - amount
                ):
                    claim, reasons, more = one - owed[0], [*reasons, "tolerance"], []
    else:
        owed = (_owed_to_customer(invoice),)
        action, usable, more = _outgoing(amount, owed[0], invoice)
        claim = 0
    reasons = [*reasons, *(["amount"] if amount in owed else ())]
    reasons += (
        ["iban"]
        if row["iban"] and invoice["contact_id"] in known.payers.get(row["iban"], ())
        else []
    )
    reasons += ["name"] if _is_named(known.names[row["id"]], _names_of(invoice)) else []
    objections = [*objections, *more, *(["reversal"] if _takes_back(row, known) else ())]
    return {
        "invoice_id": invoice["id"],
        "invoice_number": invoice["invoice_number"],
        "payment_id": None,
        "action": action,
        "amount": usable,
        "claim_amount": claim,
        "invoice_amount": None,
        "bank_transaction_id": None,
        "reasons": reasons,
        "objections": objections,
        "is_exact": not objections,
    }


def _amounts(invoice):
    """Return the amounts that pay an invoice: alone, and with the claims of its letters."""
    return invoice["open_amount"], invoice["open_amount"] + max(invoice["claims_open"], 0)


def _takes_back(row, known):
    """Return whether an earlier transaction is taken back: that one decides, and not the number in
    the text.
    """
    return bool(row["is_reversal"]) or returns.has_named(row, known)


def _incoming(amount, invoice):
    """Return (action, amount, claim_amount, objections) of money that came in for an invoice.

    The open amount pays the invoice, and the open amount with the claims of letters pays both. Any
    other amount is divided by § 367 (1) BGB: into costs and interest first, then the invoice.
    """
    owed, claims = invoice["open_amount"], max(invoice["claims_open"], 0)
    if invoice["status"] not in PAYABLE:
        return "return", amount, 0, ["cancelled"]
    if amount == owed:
        return "pay", amount, 0, []
    whole = max(owed, 0) + claims
    if not whole:
        return "pay", amount, 0, ["duplicate"]
    if amount < whole:
        return (
            "pay",
            amount,
            min(amount, claims),
            ["underpaid" if amount < owed else "claim_underpaid"],
        )
    return "pay", whole, claims, ["overpaid"] if amount > whole else []


def _owed_to_customer(invoice):
    """Return what a customer is owed: what was overpaid, and what was paid of a letter that was
    withdrawn.
    """
    return -invoice["open_amount"] - min(invoice["claims_open"], 0)


def _outgoing(amount, owed, invoice):
    """Return (action, amount, objections) of money that went out to a customer.

    `owed`: what the customer is owed.
    """
    if invoice["paid_amount"] <= 0:
        return "return", amount, ["not_paid"]
    if owed <= 0:
        return "refund", min(amount, invoice["paid_amount"]), ["not_owed"]
    # What was paid in another way, such as by card, is sent back in that way.
    other = ["uncertain"] if amount > invoice["paid_by_transfer"] else []
    return "refund", min(amount, owed), [*other, *(["amount_differs"] if amount != owed else [])]


def _names_of(invoice):
    """Return the names of the customer of an invoice as `letters`."""
    person = full_name(invoice)
    return [letters(name) for name in (invoice["company_name"], person) if name]


def _is_named(found, known):
    """Return whether one of the names in a transaction is one of a customer, as banks write names."""
    return any(
        min(len(name), len(other)) > 3 and (name in other or other in name)
        for name in known
        for other in found
    )
