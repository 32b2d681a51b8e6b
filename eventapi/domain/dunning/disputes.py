"""Disputes: an invoice that its buyer disputes gets no reminder and no dunning letter until the dispute is settled."""
from eventapi.domain.billing import drafts, issuing
from eventapi.domain.records import anonymity
from eventapi.storage.statements import statements

sql = statements("dunning")


def dispute(db, row, reason):
    """Record that the buyer disputes an invoice, or another reason. Return its row.

    Call this inside a write transaction. Raise 409 `invalid_transition` or `anonymized`.
    """
    issuing.check_action(row, "dispute")
    if row["disputed_at"] and row["dispute_reason"] == reason:
        return row
    anonymity.refuse(db, "contact", row["contact_id"])
    db.run(sql.dispute, id=row["id"], reason=reason, now=db.now)
    return drafts.journal_change(db, row, "disputed")


def settle(db, row):
    """Record that the dispute about an invoice is settled, and return its row. Change nothing without a dispute."""
    issuing.check_action(row, "settle")
    if not row["disputed_at"]:
        return row
    db.run(sql.settle, id=row["id"], now=db.now)
    return drafts.journal_change(db, row, "settled")
