"""Write-offs: what is open of an invoice, and is no longer expected to be paid.

A write-off is a movement with a day of its own: it reduces what the customer owes on that day. The
tax follows it by section 17 (2) no. 1 UStG. Rows hold minor units, API objects major units. Call
`create` and `delete` inside a write transaction.
"""

from eventapi import journal, money, times
from eventapi.domain.billing import balance, invoices, issuing, recoveries
from eventapi.domain.books import periods, taxes
from eventapi.domain.records import amounts, entities
from eventapi.errors import Faults, Problem
from eventapi.languages import formats
from eventapi.storage.database import as_json
from eventapi.storage.statements import statements

sql = statements("write_offs")


def of_invoices(db, ids):
    """Return {invoice id: [write-off as API object, …]} for these ids of invoices."""
    found = {}
    for row in db.all(sql.of_invoices, ids=as_json(ids)):
        currency = row.pop("currency")
        found.setdefault(row.pop("invoice_id"), []).append(
            invoices.represent_write_off(row, currency)
        )
    return found


def create(db, row, fields):
    """Write off what is open of an invoice, or a part of it, and return its row.

    `fields` is a body of the action. Raise 422 for too many decimals, or a day before the issue
    date or in the future; 409 `invalid_transition`, `exceeds_invoice` or `period_closed`. The
    reason is not kept if the buyer was anonymised.
    """
    faults, today = Faults(), times.today(db.config.timezone, db.now)
    units = fields["amount"] and amounts.of_currency(fields["amount"], row["currency"], faults)
    day = fields["written_off_at"] or today
    if day > today:
        faults.add(
            "/written_off_at",
            "future",
            f"must not be in the future, but is {day}; today is {today}",
        )
    elif day < (row["issue_date"] or day):
        faults.add(
            "/written_off_at",
            "before_issue",
            f"must not be before the issue date, {row['issue_date']}, but is {day}",
        )
    faults.raise_any()
    issuing.check_action(row, "write_off")
    left, wanted = row["open_amount"], row["open_amount"] if units is None else units
    if wanted > left or left <= 0:
        left = money.major(max(left, 0), row["currency"])
        raise Problem(
            "exceeds_invoice",
            f"The write-off exceeds what is open of {row['invoice_number']}. Write off at "
            f"most {formats.money(left, row['currency'], 'en')}.",
            left_total=left,
        )
    periods.refuse_closed(
        db,
        day,
        "written_off_at",
        "Send a later `written_off_at`, or none: then the write-off is dated today.",
    )
    is_anonymized = balance.by_number(db, row["invoice_number"])["anonymized_at"]
    recoveries.add(
        db, row, "write_off", wanted, day, reason=None if is_anonymized else fields["reason"]
    )
    return _changed(db, row, wanted, "written_off")


def delete(db, row, write_off):
    """Take back a write-off of `row`, an invoice, and return the row.

    What payments recovered of it is taken back too.

    Raise 409 `invalid_transition` for one that a payment has brought about, and `period_closed`.
    """
    if write_off["payment_id"]:
        state = invoices.public_status(row)
        raise Problem(
            "invalid_transition",
            f"Write-off {write_off['id']} belongs to payment "
            f"{write_off['payment_id']}. Delete the payment.",
            state=state,
            allowed_from=[],
            allowed_actions=issuing.table(row).actions(state),
        )
    _remove(db, write_off)
    left = row["written_off"] - write_off["amount"]
    for recovery in db.all(sql.recoveries_of_invoice, invoice_id=row["id"]):
        if left < 0:
            _remove(db, recovery)
            left -= recovery["amount"]
            if left > 0:  # a part of the recovery remains
                recoveries.add(
                    db,
                    row,
                    "recovery",
                    -left,
                    recovery["written_off_at"],
                    payment_id=recovery["payment_id"],
                )
                left = 0
    return _changed(db, row, left - row["written_off"], "write_off_deleted")


def add_tolerance(db, payment, amount):
    """Write off the small amount that a transfer lacks, on the day of its payment, which is an API
    object.
    """
    row = invoices.row(db, payment["invoice_id"])
    recoveries.add(
        db,
        row,
        "tolerance",
        amount,
        times.local_date(payment["payment_date"], db.config.timezone),
        reason=f"Payment {payment['id']} lacks it, which the option payment_tolerance allows",
        payment_id=payment["id"],
    )
    _changed(db, row, amount, "written_off")


def _remove(db, write_off):
    month = periods.closed_month(db, write_off["written_off_at"])
    if month:
        raise periods.closed(
            db,
            month,
            "written_off_at",
            f"Write-off {write_off['id']} cannot be deleted because it is dated "
            f"{write_off['written_off_at']}, and {month} is closed.",
            "If the customer pays after all, record the "
            "payment: it adds a recovery of its own date.",
        )
    db.run(sql.remove, id=write_off["id"])


def _changed(db, row, amount, action):
    """Add `amount` to the sum of the write-offs, journal the invoice, and return its new row."""
    balance.adjust(db, balance.by_id(db, row["id"]), written_off=amount, before=row, action=action)
    taxes.update(db, row["id"])
    new = invoices.row(db, row["id"])
    if new["status"] == "paid" != row["status"]:
        journal.announced(db, entities.INVOICE, "paid", invoices.represent(new))
    return new
