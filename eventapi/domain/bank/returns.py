"""Transfers that the bank has taken back: which earlier credit a debit reverses.

The original has the same account and amount, is not later, and has the same end-to-end id or came
from the same account of the customer. Its payments are then refunded. If it was not assigned yet,
neither of the two is money to assign. Several credits may be alike, and one of them may be ignored,
refunded before, or not imported at all. So only a credit with the same end-to-end id is surely the
original, if no other has it. Where the bank knows no such id, it is the only credit from the
account, if the reversal repeats its text.
"""

from collections import defaultdict

from eventapi.storage.database import as_json
from eventapi.storage.folding import letters
from eventapi.storage.statements import statements

sql = statements("bank_statements")

MOST = 20  # originals of a debit


def originals(db, transactions):
    """Return {id of a debit: [row of a credit]}, also of credits that are ignored or were refunded
    before.

    Each row has `payments`, what is left to refund of its payments, and `left`, their sum.
    """
    debits = [
        {
            "id": row["id"],
            "account": row["account"],
            "currency": row["currency"],
            "amount": -row["amount"],
            "booked_on": row["booked_on"],
            "iban": row["iban"],
            "end_to_end_id": row["end_to_end_id"],
        }
        for row in transactions
        if row["amount"] < 0 and not row["assigned_amount"]
    ]
    found, paid = defaultdict(list), defaultdict(list)
    rows = db.all(sql.originals, debits=as_json(debits), most=MOST) if debits else []
    ids = sorted({row["id"] for row in rows})
    for payment in db.all(sql.payments_of_originals, ids=as_json(ids)) if ids else []:
        paid[payment["bank_transaction_id"]].append(payment)
    for row in rows:
        left = sum(payment["rest"] for payment in paid[row["id"]])
        found[row["debit_id"]].append({**row, "payments": paid[row["id"]], "left": left})
    return found


def proposals(row, known):
    """Return the proposals to undo what the original of a debit has settled."""
    originals = [one for one in known.originals.get(row["id"], ()) if not _contradicts(row, one)]
    named = [original for original in originals if original["has_end_to_end_id"]]
    is_sure = _is_same(row, named) if named else _is_repeated(row, originals)
    found = [
        original for original in named or originals if original["left"] or _is_untouched(original)
    ]
    return [proposal for original in found for proposal in _undone(original, is_sure)]


def _contradicts(row, original):
    """Return whether a reversal and a credit have two end-to-end ids.

    A bank repeats that of the original.
    """
    ids = row["end_to_end_id"], original["end_to_end_id"]
    return bool(row["is_reversal"] and all(ids) and not original["has_end_to_end_id"])


def has_named(row, known):
    """Return whether an earlier credit has the end-to-end id of a debit."""
    return any(original["has_end_to_end_id"] for original in known.originals.get(row["id"], ()))


def _is_same(row, named):
    """Return whether a debit takes back the only credit with its end-to-end id.

    Without the mark of a reversal, it may be any money that the organiser sends, so the account
    must be the same.
    """
    is_other = row["iban"] and named[0]["iban"] and not named[0]["has_iban"]
    return len(named) == 1 and bool(named[0]["has_iban"] or (row["is_reversal"] and not is_other))


def _is_repeated(row, originals):
    """Return whether a reversal without end-to-end id takes back the only credit from its account."""
    if (
        len(originals) != 1
        or not row["is_reversal"]
        or row["end_to_end_id"]
        or originals[0]["end_to_end_id"]
    ):
        return False
    repeated = letters(originals[0]["text"])
    return bool(originals[0]["has_iban"] and repeated and repeated in (letters(row["text"]) or ""))


def _is_untouched(original):
    """Return whether nothing of a credit was assigned, so that it can be ignored together with the
    debit.
    """
    return original["status"] == "open" and not original["assigned_amount"]


def _undone(original, is_sure):
    """Return the proposals for one original: a refund for each of its payments, or `offset` if it
    has none.
    """
    reasons = ["reversal", "amount"]
    reasons += ["end_to_end_id"] if original["has_end_to_end_id"] else []
    reasons += ["iban"] if original["has_iban"] else []
    is_whole = original["left"] in (0, original["amount"])
    objections = [] if is_sure and is_whole else ["uncertain" if not is_sure else "amount_differs"]
    common = {
        "bank_transaction_id": original["id"],
        "claim_amount": 0,
        "invoice_amount": None,
        "reasons": reasons,
        "objections": objections,
        "is_exact": not objections,
    }
    if not original["payments"]:
        return [
            {
                "invoice_id": None,
                "invoice_number": None,
                "payment_id": None,
                "action": "offset",
                "amount": original["amount"],
                **common,
            }
        ]
    return [
        {
            "invoice_id": payment["invoice_id"],
            "invoice_number": payment["invoice_number"],
            "payment_id": payment["payment_id"],
            "action": "refund",
            "amount": payment["rest"],
            **common,
        }
        for payment in original["payments"]
    ]
