"""Effects of payments: what recording, changing or deleting a payment changes at its invoice.

A payment changes what is paid of the invoice and of the claims of its letters, and what it recovers
of write-offs (see `recoveries`). Amounts are minor units. Call these functions inside a write
transaction.
"""

from dataclasses import dataclass

from eventapi.domain.billing import balance, invoices, recoveries, refunds


@dataclass(slots=True)
class Effect:
    """What a change of a payment adds to the sums of one invoice.

    Attributes:
        payment: the row of the payment from now on, or None if the invoice has lost it.
        paid: what is added to `paid_amount`.
        claims: what is added to `claims_paid`.
        loses_refunds: whether the invoice loses refunds, on which its status may depend.
        recovers_otherwise: whether what the payment recovers has to be computed again.
        before: the row of the invoice before its write-offs changed, or None.
        written_off: what `recoveries.take_back` adds to `written_off`.
    """

    payment: dict | None
    paid: int
    claims: int
    loses_refunds: bool
    recovers_otherwise: bool
    before: dict | None = None
    written_off: int = 0

    @property
    def changes_invoice(self):
        """Return whether there is anything to apply."""
        return bool(self.paid or self.claims or self.loses_refunds or self.recovers_otherwise)


def of_change(old, new):
    """Return the Effect of a change of a payment on one invoice.

    `old` and `new` are rows of the payment: None if the invoice did not have it before, or no
    longer has it. The caller fills in what is taken back of write-offs.
    """
    paid_before, claims_before = _counted(old)
    paid_after, claims_after = _counted(new)
    return Effect(
        payment=new,
        paid=paid_after - paid_before,
        claims=claims_after - claims_before,
        loses_refunds=new is None and old["refunded_amount"] > 0,
        recovers_otherwise=recoveries.counts_otherwise(old, new),
    )


def _counted(payment):
    """Return what a row of a payment counts for `paid_amount` and for `claims_paid`."""
    if payment is None or payment["status"] != "completed":
        return 0, 0
    claim = refunds.left_of_claim(payment)
    return payment["amount"] - payment["refunded_amount"] - claim, claim


def apply(db, invoice, effect):
    """Adjust the sums and the status of an invoice. `invoice` is a row of `balance.by_id`.

    Raise 422 if the paid amount becomes too large.
    """
    before = effect.before
    written_off = effect.written_off
    if effect.recovers_otherwise and invoice["written_off"] + written_off > 0:
        if before is None:
            before = invoices.row(db, invoice["id"])
        with_payment = {
            **invoice,
            "paid_amount": invoice["paid_amount"] + effect.paid,
            "written_off": invoice["written_off"] + written_off,
        }
        written_off += recoveries.recover(db, with_payment, effect.payment)

    if effect.paid or effect.claims or effect.loses_refunds or written_off:
        balance.adjust(
            db,
            invoice,
            paid=effect.paid,
            claims=effect.claims,
            written_off=written_off,
            before=before,
        )


def apply_change(db, old, new, invoice=None):
    """Adjust the invoice of a changed payment; two of them if it moves from one to the other.

    `old` and `new` are its rows; `new` is stored already. `invoice`: its new invoice as a
    row of `balance.by_id`, if the caller has read it.
    """
    if new["invoice_id"] == old["invoice_id"]:
        effect = of_change(old, new)
        if effect.changes_invoice:
            invoice = invoice or balance.by_id(db, new["invoice_id"])
            if effect.recovers_otherwise:
                effect.before, effect.written_off = recoveries.take_back(db, old, new)
            apply(db, invoice, effect)
        return

    loss = of_change(old, None)
    loss.before, loss.written_off = recoveries.take_back(db, old, new)
    if loss.changes_invoice:
        apply(db, balance.by_id(db, old["invoice_id"]), loss)

    gain = of_change(None, new)
    if gain.changes_invoice:
        apply(db, invoice or balance.by_id(db, new["invoice_id"]), gain)
