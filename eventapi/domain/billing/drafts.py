"""Invoicing: drafts are written and changed. What comes from sending on is in issuing.py."""
from decimal import Decimal

from eventapi import journal, money
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import invoices
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.records import anonymity, entities, numbering, references
from eventapi.errors import Faults, Problem
from eventapi.storage.statements import statements

sql = statements("invoicing")

PLAIN = ("service_date", "due_date", "buyer_reference", "text", "notes")        # members that are columns as they are
CHANGES_LOCKED = ("notes", "due_date", "status")
PARTICIPANT, CONTACT = ("event_participant_id", "participant_id"), ("contact_id", "customer_number")
STANDS_FOR = {"participant_id": "event_participant_id"}


def create(db, body, *, invoice_type="invoice", related_invoice_id=None):
    """Create a draft and return it as an API object. Call this inside a write transaction.

    `body` holds the fields of a request; the items of a credit note have negative quantities. Raise 422 for what is
    wrong with them, and 409 `anonymized`.
    """
    draft, lines = compose(db, {"invoice_number": None, **body}, invoice_type)
    new = invoices.get(db, store(db, {**draft, "related_invoice_id": related_invoice_id}, lines))
    journal.created(db, entities.INVOICE, new)
    return new


def change(db, row, body):
    """The row with other members; 409 for what is locked."""
    old = invoices.represent(row)
    return (change_locked if old["is_locked"] else change_draft)(db, row, old, body)


def change_locked(db, row, old, body):
    locked = [name for name, value in body.items() if name not in CHANGES_LOCKED and not same(value, old[STANDS_FOR.get(name, name)])]
    if locked:
        raise Problem("invoice_locked", f"{old['invoice_number']} was sent: {', '.join(locked)} cannot change any more. "
                      "Credit or cancel it.", members=locked)
    anonymity.refuse_text(db, entities.INVOICE, row, body)
    changes = {name: body.get(name, row[name]) for name in ("notes", "due_date")}
    if any(changes[name] != row[name] for name in changes):
        db.run(sql.change_locked, id=row["id"], **changes, now=db.now)
        return changed(db, row, "updated")
    return row


def same(given, stored):
    """Whether a value says what is stored; parts say it by the members they name, numbers by their value."""
    if isinstance(given, list):
        return len(given) == len(stored) and all(map(same, given, stored))
    if isinstance(given, dict):
        return all(same(value, stored.get(name)) for name, value in given.items())
    if isinstance(stored, (int, float)) and given is not None and not isinstance(given, bool):
        return Decimal(str(given)) == Decimal(str(stored))
    return given == stored


def change_draft(db, row, old, body):
    wanted = {**old, **body, **parties_wanted(old, body)}
    if old["is_reverse_charge"] and not wanted["is_reverse_charge"] and "items" not in body:
        wanted["items"] = [{**item, **dict.fromkeys(("tax_category", "tax_rate", "exemption_reason"))} for item in old["items"]]
    draft, lines = compose(db, wanted, row["invoice_type"], row)
    if lines == row["items"] and all(row[name] == value for name, value in draft.items()):
        return row
    db.run(sql.change, id=row["id"], **draft, now=db.now)
    store_parts(db, row["id"], lines, invoice_lines.taxes(lines), booths_billed(db, row["id"]))
    return changed(db, row, "updated")


def delete(db, invoice):
    """Delete a draft with its documents, notes and tasks. Raise 409 `invoice_locked` for an invoice that was sent."""
    if invoice["is_locked"]:
        raise Problem("invoice_locked", f"{invoice['invoice_number']} was sent; only drafts are deleted. Cancel it.")
    cascade.delete_with(db, "invoice", invoice["id"])
    db.run(sql.remove, id=invoice["id"])
    journal.deleted(db, entities.INVOICE, invoice)


def compose(db, wanted, invoice_type, old=None):
    """The columns and lines of a draft from its members; 422 for all that is wrong with them."""
    faults = Faults()
    currency, reverse_charge = wanted.get("currency") or db.config.currency, bool(wanted.get("is_reverse_charge"))
    lines = invoice_lines.lines(wanted["items"], currency, db.config.tax_rate, faults, reverse_charge=reverse_charge)
    draft = {"invoice_type": invoice_type, **{name: wanted.get(name) for name in PLAIN}, "currency": currency,
             "is_reverse_charge": int(reverse_charge), **parties(db, wanted, faults), **number_wanted(db, wanted, old, faults),
             **invoice_lines.totals(invoice_lines.taxes(lines))}
    refuse_total(draft, faults)
    invoice_lines.refuse_foreign(db, lines, draft["event_participant_id"], faults)
    if wanted.get("status", "draft") != "draft" and old is None:
        faults.add("/status", "enum", "must be draft; send it when it is there")
    faults.raise_any()
    if invoice_type == "invoice":                       # a credit note is for what was invoiced before
        anonymity.refuse(db, "contact", draft["contact_id"])
    taken = draft["taken_over"] and db.value(sql.number_taken, invoice_number=draft["invoice_number"])
    if taken and (old is None or taken != old["id"]):
        raise Problem("duplicate", f"There is an invoice {draft['invoice_number']}.", member="invoice_number", invoice_id=taken)
    return draft, lines


def refuse_total(draft, faults):
    sign = -1 if draft["invoice_type"] == "credit_note" else 1
    if draft["total"] * sign < 0:
        faults.add("/items", "negative_total", "must not come to less than 0; to give money back, credit an invoice")
    if abs(draft["total"]) >= money.LIMIT * 10 ** money.decimals(draft["currency"]):
        faults.add("/items", "maximum", "must come to less than 10^12")


def parties(db, wanted, faults):
    """The contact that pays, and the participation it is about."""
    participant_id = references.resolve(db, wanted, references.PARTICIPANT, faults)
    contact_id = references.resolve(db, wanted, references.CONTACT, faults)
    participant = participant_id and db.one(sql.participant, id=participant_id)
    if not participant:
        return {"event_participant_id": None, "event_id": None, "contact_id": contact_id}
    if contact_id not in (None, participant["contact_id"]):
        faults.add("/contact_id", "disagrees", "is not the contact of the participant")
    return {"event_participant_id": participant_id, **participant}


def parties_wanted(old, body):
    """Who a change is about: what it names, and what it leaves as it was. Another participant brings its own contact."""
    names_contact, names_participant = (any(name in body for name in names) for names in (CONTACT, PARTICIPANT))
    wanted = {name: body.get(name) for name in (*CONTACT, *PARTICIPANT)}
    if not names_participant:
        wanted["event_participant_id"] = old["event_participant_id"]
    if not names_contact and not (wanted["event_participant_id"] or wanted["participant_id"]):
        wanted["contact_id"] = old["contact_id"]
    return wanted


def number_wanted(db, wanted, old, faults):
    """A draft's number: none of its own yet, or that of an old invoice which is taken over."""
    given, known = wanted["invoice_number"], old["invoice_number"] if old else None
    if given != known and numbering.looks_running(db.config, given):
        faults.add("/invoice_number", "running_series", "looks like a number of the running series, which are given at send")
    taken_over = given != known or bool(old and old["taken_over"])
    return {"invoice_number": given, "taken_over": int(taken_over), "issue_date": wanted.get("issue_date") if taken_over else None}


def store(db, draft, lines):
    """Adds the rows of a draft; gives its id."""
    id = db.insert(sql.add, **draft, now=db.now)
    if draft["invoice_number"] is None:
        db.run(sql.name_draft, id=id)
    store_parts(db, id, lines, invoice_lines.taxes(lines))
    return id


def booths_billed(db, id):
    """What lines of a draft say about a reservation -> its booth then. A line that says the same still bills that one, though
    the reservation has moved: else the price of the old booth would pass for that of the new one."""
    return {says(line): line["booth_id"] for line in db.all(sql.booths_billed, id=id)}


def says(line):
    return tuple(line[name] for name in ("booth_reservation_id", "description", "quantity", "unit_price", "discount_percent"))


def store_parts(db, id, lines, taxes, booths=None):
    db.run(sql.clear_items, id=id)
    db.run_many(sql.add_item, [{**line, "invoice_id": id, "booth_id": (booths or {}).get(says(line))} for line in lines])
    store_taxes(db, id, taxes)


def store_taxes(db, id, taxes):
    db.run(sql.clear_taxes, id=id)
    db.run_many(sql.add_tax, [{**group, "invoice_id": id} for group in taxes])


def changed(db, old, action):
    """Journals what was done to an invoice; gives its new row."""
    new = invoices.row(db, old["id"])
    journal.updated(db, entities.INVOICE, invoices.represent(old), invoices.represent(new), action=action)
    return new
