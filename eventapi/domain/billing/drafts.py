"""Drafts of invoices and credit notes: creating, changing and deleting them. `issuing` sends them.

Every function that writes is called inside a write transaction. Rows hold amounts in minor units
and lines as `lines` describes them; API objects (see `invoices.represent`) hold major units.
"""

from decimal import Decimal

from eventapi import journal, money, times, working_days
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import changed_lines, claims, deposits, invoices, tax_terms, treatments
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.books import bookings, taxes
from eventapi.domain.records import anonymity, entities, numbering, references
from eventapi.errors import Faults, Problem, quoted
from eventapi.storage.statements import statements

sql = statements("invoicing")

# fields that are stored as they are
PLAIN = (
    "service_date",
    "service_date_to",
    "due_date",
    "buyer_reference",
    "language",
    "text",
    "notes",
)
# fields that a sent invoice accepts
OPEN_WHEN_LOCKED = (
    "notes",
    "due_date",
    "exchange_rate",
    "status",
)
PARTICIPANT = ("event_participant_id", "participant_id")
CONTACT = ("contact_id", "customer_number")
# fields that bear on the tax, beside the items and the treatment
TAXED_BY = (
    *PARTICIPANT,
    *CONTACT,
    "currency",
    "invoice_number",
    "service_date",
    "service_date_to",
)
ALIASES = {"participant_id": "event_participant_id"}
NOT_DEDUCTING = {"deposit_id": None}  # of lines, but those that sending a final invoice adds


def create(db, body, *, invoice_type="invoice", related_invoice_id=None):
    """Create a draft and return it as an API object. Call this inside a write transaction.

    `body` holds the fields of a request; the items of a credit note have negative quantities. Raise
    422 for what is wrong with them, and 409 `anonymized`.
    """
    draft, lines = compose(db, {"invoice_number": None, **body}, invoice_type)
    new = invoices.get(db, store(db, {**draft, "related_invoice_id": related_invoice_id}, lines))
    journal.created(db, entities.INVOICE, new)
    return new


def change(db, row, body):
    """Change an invoice or credit note and return its row. `body` holds the changed fields.

    Raise 422 for faults of a draft; 409 `invoice_locked`, `anonymized` or `duplicate`.
    """
    old = invoices.represent(row)
    if old["is_locked"]:
        return change_locked(db, row, old, body)
    return change_draft(db, row, old, body)


def change_locked(db, row, old, body):
    """Change a sent invoice and return its row.

    Raise 409 `invoice_locked`, or `period_closed` for an exchange rate.
    """
    locked = [
        name
        for name, value in body.items()
        if name not in OPEN_WHEN_LOCKED and not same(value, old[ALIASES.get(name, name)])
    ]
    sent_rate = body.get("exchange_rate", old["exchange_rate"])
    if row["exchange_rate"] and not same(sent_rate, old["exchange_rate"]):
        locked.append("exchange_rate")  # it can be added later, once: it is in the document
    if locked:
        raise Problem(
            "invoice_locked",
            f"{quoted(locked)} cannot change because "
            f"{old['invoice_number']} was sent. {correction(row)}",
            members=locked,
        )

    faults = Faults()
    rate = row["exchange_rate"] or exchange_rate(db, body, row["currency"], faults)
    if body.get("due_date", row["due_date"]) != row["due_date"]:
        check_due_date({**row, "due_date": body["due_date"]}, faults)
    faults.raise_any()
    anonymity.refuse_text(db, entities.INVOICE, row, body)
    if rate != row["exchange_rate"]:
        bookings.refuse_rate(db, row, rate)

    changes = {name: body.get(name, row[name]) for name in ("notes", "due_date")}
    changes["exchange_rate"] = rate
    if all(changes[name] == row[name] for name in changes):
        return row
    overdue_from = row["overdue_from"]
    due_date = changes["due_date"]
    if due_date != row["due_date"]:
        db.run(sql.keep_due_date, id=row["id"], due_date=row["due_date"], now=db.now)
        overdue_from = None
        if due_date:
            overdue_from = working_days.overdue_from(due_date, db.config.public_holidays)
    db.run(sql.change_locked, id=row["id"], **changes, overdue_from=overdue_from, now=db.now)
    if rate != row["exchange_rate"]:
        taxes.update(db, row["related_invoice_id"] or row["id"])
    return journal_change(db, row, "updated")


def correction(row):
    """Return the sentence that says how a sent invoice or credit note can be corrected."""
    if row["invoice_type"] == "credit_note" or row["status"] == "cancelled":
        return "Issue a new invoice."
    return "Correct it with a credit note."


def check_due_date(invoice, faults):
    """Add a fault for a due date before the issue date, and for a sent invoice without a due date."""
    due_date = invoice["due_date"]
    issue_date = invoice["issue_date"]
    is_sent_invoice = invoice.get("locked_at") and invoice["invoice_type"] == "invoice"
    if due_date is None and issue_date and is_sent_invoice:
        faults.add("/due_date", "required", "is required once the invoice is sent")
    elif due_date and issue_date and due_date < issue_date:
        faults.add(
            "/due_date",
            "before_start",
            f"is {due_date}, and must not be before the issue date, {issue_date}",
        )


def check_dates(draft, faults):
    """Add a fault for each date of a draft that lies before the date that must come first."""
    check_due_date(draft, faults)
    first = draft["service_date"]
    last = draft["service_date_to"]
    if last and not first:
        faults.add("/service_date", "required", "is required together with `service_date_to`")
    elif last and last < first:
        faults.add("/service_date_to", "before_start", "must not be before `service_date`")


def exchange_rate(db, wanted, currency, faults):
    """Return the exchange rate of a body as its column, or None. Add faults to `faults`."""
    rate = wanted.get("exchange_rate")
    if rate is None:
        return None
    units = money.scaled(Decimal(str(rate)), money.RATE_PLACES)
    if currency == db.config.currency:
        faults.add(
            "/exchange_rate",
            "disagrees",
            f"must be null for an invoice in {currency}, the server's currency",
        )
    elif units is None:
        faults.add(
            "/exchange_rate",
            "decimals",
            f"must have at most {money.RATE_PLACES} decimals, but is {rate}",
        )
    return units


def same(sent, stored):
    """Return whether a value of a request equals the stored one.

    Objects are compared by the fields that were sent, numbers by value: 1 equals 1.0.
    """
    if isinstance(sent, list):
        return len(sent) == len(stored) and all(map(same, sent, stored))
    if isinstance(sent, dict):
        return all(same(value, stored.get(name)) for name, value in sent.items())
    if isinstance(stored, (int, float)) and sent is not None and not isinstance(sent, bool):
        return Decimal(str(sent)) == Decimal(str(stored))
    return sent == stored


def change_draft(db, row, old, body):
    """Change a draft and return its row.

    If the change bears on the tax, the rule decides it anew, unless the office has decided it. If
    another treatment is chosen, each line gets its usual tax first.
    """
    wanted = {**old, **body, **party_fields(old, body)}
    for name in ("tax_treatment", "is_reverse_charge"):
        wanted[name] = body.get(name)
    lines_before = db.all(sql.stored_lines, id=row["id"])
    if "items" in body:
        wanted["items"] = changed_lines.completed(body["items"], lines_before)
    matches = changed_lines.matching(wanted["items"], lines_before)
    wanted["items"] = changed_lines.with_usual_tax(
        wanted["items"], matches, is_credit_note=row["invoice_type"] == "credit_note"
    )

    if body.get("currency", old["currency"]) != old["currency"]:
        # the old one was that of another currency
        wanted["exchange_rate"] = body.get("exchange_rate")

    kept_lines = None if _bears_on_tax(body, row, old) else lines_before
    draft, lines = compose(db, wanted, row["invoice_type"], row, kept_lines)
    is_same = changed_lines.are_same(lines, lines_before)
    if is_same and all(row[name] == value for name, value in draft.items()):
        return row
    changed_lines.carry_over(lines, matches)
    db.run(sql.change, id=row["id"], **draft, now=db.now)
    deposits.store(db, row["id"], draft["deposit_ids"])
    store_parts(db, row["id"], lines, invoice_lines.taxes(lines))
    return journal_change(db, row, "updated")


def _bears_on_tax(body, row, old):
    """Return whether a change bears on the tax of a draft: its lines, its parties, its days, or what
    it says of the tax.
    """
    if treatments.asked(body, row, Faults()) is not None:
        return True
    if "items" in body and body["items"] != old["items"]:
        return True
    return any(
        not same(body[name], old[ALIASES.get(name, name)]) for name in TAXED_BY if name in body
    )


def refresh(db, row):
    """Rebuild the generated lines of a draft from what is owed now, keep the others, and let the rule
    decide its tax, unless the office has. Return the row, and the ids of further drafts.

    Lines that are not subject to VAT need an invoice of their own: the others go into another draft.
    Raise 409 `nothing_to_bill` if no line is left.
    """
    stored = db.all(sql.stored_lines, id=row["id"])
    lines = claims.refreshed(db, row, stored)
    changed = dict(row)
    if row["invoice_type"] == "invoice":
        lines = _treated_again(db, changed, lines)
    if lines == stored and changed == row:
        return row, []

    faults = Faults()
    others = []
    if row["taken_over"]:  # the other system has sent one document
        invoice_lines.check_mixed(lines, faults)
    else:
        lines, others = treatments.parts(lines)
    obstacle = _obstacle(row, lines, others)
    if obstacle:
        raise Problem(
            "nothing_to_bill",
            f"{row['invoice_number']} cannot be refreshed because {obstacle}. Change or "
            "delete the draft.",
        )
    changed.update(invoice_lines.totals(invoice_lines.taxes(lines)))
    check_total(changed, faults)
    faults.raise_any()

    db.run(sql.change, **changed, now=db.now)
    store_parts(db, row["id"], lines, invoice_lines.taxes(lines))
    further = [_draft_beside(db, changed, others)] if others else []
    return journal_change(db, row, "updated"), further


def _obstacle(row, lines, others):
    """Return why a draft cannot have these lines, and a further draft the `others`, or None."""
    if not lines:
        return "nothing of it is left"
    if row["invoice_type"] == "credit_note":
        return None
    if _total(lines) < 0:
        return "what is left of it would total less than 0"
    has_only_discounts = any(
        all(line["is_discount"] for line in part) for part in (lines, others) if part
    )
    if others and (_total(others) < 0 or has_only_discounts):
        return (
            "lines of category O (not subject to VAT) need an invoice of their own, and one of the two "
            "would total less than 0 or consist of discounts"
        )
    return None


def _total(lines):
    return invoice_lines.totals(invoice_lines.taxes(lines))["total"]


def _treated_again(db, draft, lines):
    """Return the lines of a draft with the tax of its treatment, and set the columns of the treatment
    in `draft`.
    """
    wanted = (
        treatments.AUTO if draft["tax_decided_by"] == treatments.RULE else draft["tax_treatment"]
    )
    columns, treated = treatments.decided_again(tax_terms.of_draft(db, draft), lines, wanted)
    draft.update(columns)
    return [
        line if new["tax_category"] == line["tax_category"] else new
        for line, new in zip(lines, treated, strict=True)
    ]


def _draft_beside(db, draft, lines):
    """Store these lines in a draft of their own with the terms of `draft`, and return its id."""
    columns, lines = treatments.decided_again(tax_terms.of_draft(db, draft), lines)
    columns = {
        **draft,
        **columns,
        **invoice_lines.totals(invoice_lines.taxes(lines)),
        "invoice_number": None,
        "deposit_ids": "[]",
    }
    id = store(db, columns, [{**line, "position": place} for place, line in enumerate(lines, 1)])
    journal.created(db, entities.INVOICE, invoices.get(db, id))
    return id


def delete(db, invoice):
    """Delete a draft with its documents, notes and tasks.

    Raise 409 `invoice_locked` for an invoice that was sent.
    """
    if invoice["is_locked"]:
        remedy = correction(invoice)
        if invoice["invoice_type"] == "invoice" and invoice["status"] in ("sent", "overdue"):
            remedy = "Cancel it instead."
        raise Problem(
            "invoice_locked",
            f"{invoice['invoice_number']} cannot be deleted because it was sent. "
            f"Only drafts can be deleted. {remedy}",
        )
    cascade.delete_with(db, "invoice", invoice["id"])
    db.run(sql.remove, id=invoice["id"])
    journal.deleted(db, entities.INVOICE, invoice)


def compose(db, wanted, invoice_type, old=None, kept_lines=None):
    """Return the columns and the lines of a draft.

    `wanted` holds its fields, `old` is the row of a changed draft, `kept_lines` are its stored lines
    if they and their tax stay.

    Raise 422 with every fault found; 409 `anonymized`, `deposit_open`, or `duplicate` for another
    invoice's number.
    """
    faults = Faults()
    currency = wanted.get("currency") or db.config.currency
    is_invoice = invoice_type == "invoice"
    draft = {name: wanted.get(name) for name in PLAIN}
    draft["invoice_type"] = invoice_type
    draft["currency"] = currency
    draft["exchange_rate"] = exchange_rate(db, wanted, currency, faults)
    draft["is_deposit"] = int(bool(wanted.get("is_deposit")))
    draft.update(parties(db, wanted, faults))
    draft.update(number_columns(db, wanted, old, faults))
    if kept_lines:
        lines = kept_lines
        draft.update(treatments.kept(old))
    else:
        lines = _taxed_lines(db, draft, wanted, old, faults)
    draft.update(invoice_lines.totals(invoice_lines.taxes(lines)))

    check_total(draft, faults)
    check_dates(draft, faults)
    invoice_lines.check_discounts(lines, faults, is_credit_note=not is_invoice)
    invoice_lines.check_billed_records(db, lines, draft["event_participant_id"], faults, old)
    if wanted.get("status", "draft") != "draft" and old is None:
        faults.add("/status", "enum", "must be draft; send the invoice after you have created it")
    draft["deposit_ids"] = deposits.check(db, wanted, draft, lines, faults, old)
    faults.raise_any()

    if is_invoice:  # an anonymised buyer can still receive a credit note
        anonymity.refuse(db, "contact", draft["contact_id"])
    if draft["taken_over"]:
        _refuse_duplicate(db, draft["invoice_number"], old)
    return draft, lines


def _taxed_lines(db, draft, wanted, old, faults):
    """Return the lines of a draft with their tax, and set the treatment in `draft`.

    Add what is wrong to `faults`.
    """
    asked = treatments.asked(wanted, old, faults)
    is_invoice = draft["invoice_type"] == "invoice"
    items = treatments.prepared(wanted["items"], asked, old, is_invoice=is_invoice)
    lines = invoice_lines.lines(items, draft["currency"], db.config.tax_rate, faults)
    columns, lines = treatments.treat(db, draft, lines, asked, old, faults)
    lines = changed_lines.explained(lines, items)
    invoice_lines.check_mixed(lines, faults)
    draft.update(columns)
    return lines


def _refuse_duplicate(db, number, old):
    """Raise 409 `duplicate` if an invoice other than `old` has this number."""
    taken = db.value(sql.number_taken, invoice_number=number)
    if taken and (old is None or taken != old["id"]):
        raise Problem(
            "duplicate",
            f"Invoice {taken} already has the number {number}. Send another `invoice_number`.",
            member="invoice_number",
            invoice_id=taken,
        )


def check_total(draft, faults):
    """Add a fault for a negative or too large total of an invoice.

    The total of a credit note must be negative or 0.
    """
    if draft["invoice_type"] == "credit_note" and draft["total"] > 0:
        faults.add(
            "/items",
            "positive_total",
            "must not total more than 0: the lines of a credit note have negative quantities",
        )
    elif draft["invoice_type"] == "invoice" and draft["total"] < 0:
        faults.add(
            "/items",
            "negative_total",
            "must not total less than 0; to give money back, credit an invoice",
        )
    if abs(draft["total"]) >= money.LIMIT * 10 ** money.decimals(draft["currency"]):
        faults.add("/items", "maximum", "must total less than 10^12")


def parties(db, wanted, faults):
    """Return the columns of the contact that pays, of the participant and of its event.

    Add faults to `faults`.
    """
    participant_id = references.resolve(db, wanted, references.PARTICIPANT, faults)
    contact_id = references.resolve(db, wanted, references.CONTACT, faults)
    participant = None
    if participant_id:
        participant = db.one(sql.participant, id=participant_id)
    if not participant:
        return {"event_participant_id": None, "event_id": None, "contact_id": contact_id}
    if contact_id not in (None, participant["contact_id"]):
        faults.add("/contact_id", "disagrees", "must be the contact of the participant")
    return {"event_participant_id": participant_id, **participant}


def party_fields(old, body):
    """Return the fields of contact and participant after a change: those in `body`, else those of
    `old`.

    The contact of a new participant replaces the old contact, unless the body contains one.
    """
    names_contact = any(name in body for name in CONTACT)
    names_participant = any(name in body for name in PARTICIPANT)
    wanted = {name: body.get(name) for name in (*CONTACT, *PARTICIPANT)}
    if not names_participant:
        wanted["event_participant_id"] = old["event_participant_id"]
    if not names_contact and not (wanted["event_participant_id"] or wanted["participant_id"]):
        wanted["contact_id"] = old["contact_id"]
    return wanted


def number_columns(db, wanted, old, faults):
    """Return the columns of the number and the issue date.

    A draft has none of its own. A number in the request is that of an invoice taken over from
    another system. Add a fault if it could be one of the number series, and for an issue date in
    the future.
    """
    number = wanted["invoice_number"]
    known = old["invoice_number"] if old else None
    if number != known and numbering.looks_running(db.config, number):
        faults.add(
            "/invoice_number",
            "running_series",
            "must not look like a number of the running series, which is assigned when the invoice is sent",
        )

    taken_over = number != known
    if old and old["taken_over"]:
        taken_over = True
    sent = wanted.get("issue_date")
    issue_date = sent if taken_over else None
    if sent and not taken_over:
        faults.add(
            "/issue_date",
            "not_allowed",
            "is the day on which the invoice is sent. Leave it out, or send the "
            "`invoice_number` of the other system with it",
        )
    if issue_date and issue_date > times.today(db.config.timezone, db.now):
        faults.add(
            "/issue_date",
            "future",
            "must not be in the future: it is the day on which the other system issued the invoice",
        )
    return {"invoice_number": number, "taken_over": int(taken_over), "issue_date": issue_date}


def store(db, draft, lines):
    """Insert the rows of a draft and return its id."""
    columns = {"cancellation_reason": None, "is_deposit": 0, **draft}
    id = db.insert(sql.add, **columns, now=db.now)
    if draft["invoice_number"] is None:
        db.run(sql.name_draft, id=id)
    deposits.store(db, id, draft.get("deposit_ids", "[]"))
    store_parts(db, id, lines, invoice_lines.taxes(lines))
    return id


def store_parts(db, id, lines, taxes):
    """Replace the lines and taxes of a draft."""
    db.run(sql.clear_items, id=id)
    rows = [{**invoice_lines.NEW, **NOT_DEDUCTING, **line, "invoice_id": id} for line in lines]
    db.run_many(sql.add_item, rows)
    store_taxes(db, id, taxes)


def store_taxes(db, id, taxes):
    """Replace the taxes of a draft."""
    db.run(sql.clear_taxes, id=id)
    db.run_many(sql.add_tax, [{**group, "invoice_id": id} for group in taxes])


def journal_change(db, old, action):
    """Journal the change of an invoice since it was read as the row `old`, and return its new row."""
    new = invoices.row(db, old["id"])
    journal.updated(
        db, entities.INVOICE, invoices.represent(old), invoices.represent(new), action=action
    )
    return new
