"""Ordering: service orders are written, submitted, confirmed, cancelled, and their items done one by one."""
from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing.drafts import same
from eventapi.domain.orders import lines as order_lines
from eventapi.domain.orders import offers, orders
from eventapi.domain.records import anonymity, entities, numbering, references
from eventapi.domain.records.references import PARTICIPANT
from eventapi.errors import Faults, Problem
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("ordering")

TRANSITIONS = Transitions("service order", {
    "submit": (("draft",), "submitted"),
    "confirm": (("submitted",), "confirmed"),
    "cancel": (("draft", "submitted", "confirmed"), "cancelled"),
})
OF_ITEMS = Transitions("item", {
    "start": (("pending",), "in_progress"),
    "complete": (("in_progress",), "completed"),
    "cancel": (("pending", "in_progress"), "cancelled"),
})
WHILE = {"start": ("confirmed",), "complete": ("confirmed",), "cancel": ("submitted", "confirmed")}    # states of the order
BEGINNINGS = ("draft", "submitted")
ALWAYS_OPEN = ("notes", "status")
STANDS_FOR = {"participant_id": "event_participant_id"}


# Drafts

def create(db, fields):
    """Create an order and return its row. `fields` is a complete validated body; with the status submitted, submit it.

    Raise 422 for unknown records and faults of items; 409 `participant_cancelled`, `anonymized`, `deadline_passed` or
    `out_of_stock`.
    """
    faults = Faults()
    if fields["status"] not in BEGINNINGS:
        faults.add("/status", "enum", "must be one of: " + ", ".join(BEGINNINGS))
    draft, lines = compose(db, fields, faults)
    id = db.insert(sql.add, **draft, notes=fields["notes"], now=db.now)
    store_items(db, id, lines)
    new = orders.row(db, id)
    journal.created(db, entities.SERVICE_ORDER, orders.represent(new))
    return bring_to(db, new, fields["status"])


def update(db, row, fields):
    """Change an order and return its row. `fields` holds the changed fields; a new `status` stands for an action.

    Raise 422 and 409 as `create` does, 409 `order_locked` for other fields than `notes` once it is submitted, and
    409 `invalid_transition`.
    """
    anonymity.refuse_text(db, entities.SERVICE_ORDER, row, fields)
    return bring_to(db, change(db, row, fields), fields.get("status", row["status"]))


def compose(db, wanted, faults):
    """The columns and lines of a draft from its participant and items; 422 and 409 for all that is wrong with them."""
    participant_id = references.resolve(db, wanted, PARTICIPANT, faults)
    participant = participant_id and db.one(sql.participant, id=participant_id)
    lines = order_lines.lines(db, participant, wanted["items"], faults) if participant else []
    faults.raise_any()
    anonymity.refuse_gone(participant)
    order_lines.refuse_late_and_short(lines)
    draft = {"event_id": participant["event_id"], "event_participant_id": participant_id, "currency": db.config.currency,
             **totals(lines)}
    return draft, lines


def change(db, row, body):
    """The row with other members; once it is submitted, only its notes change."""
    old = orders.represent(row)
    given = {STANDS_FOR.get(name, name): value for name, value in body.items() if name not in ALWAYS_OPEN}
    differs = [name for name, value in given.items() if not same(value, old[name])]
    if row["status"] != "draft" and differs:
        raise Problem("order_locked", f"The order is {row['status']}: {', '.join(differs)} cannot change any more. Cancel an item, "
                      "or the order.", members=differs)
    draft, lines = row, row["items"]
    if row["status"] == "draft" and given:
        draft, lines = compose(db, wanted_of(old, body), Faults())
    return write(db, row, {**row, **draft, "notes": body.get("notes", row["notes"])}, lines)


def wanted_of(old, body):
    """Participant and items of a change: what it names, and what it leaves as it was."""
    wanted = {name: body[name] for name in ("event_participant_id", "participant_id") if name in body}
    return {"items": body.get("items", old["items"]), **(wanted or {"event_participant_id": old["event_participant_id"]})}


def write(db, row, draft, lines):
    other_lines = [order_lines.stored(line) for line in lines] != [order_lines.stored(item) for item in row["items"]]
    if not other_lines and all(row[name] == value for name, value in draft.items()):
        return row
    db.run(sql.change, **draft, now=db.now)
    if other_lines:
        db.run(sql.clear_items, id=row["id"])
        store_items(db, row["id"], lines)
    return changed(db, row, "updated")


def store_items(db, id, lines):
    db.run_many(sql.add_item, [{**order_lines.stored(line), "service_order_id": id} for line in lines])


def delete(db, row):
    """Delete a draft with its documents, notes and tasks. Raise 409 `order_locked` for another order."""
    if row["status"] != "draft":
        raise Problem("order_locked", f"The order is {row['status']}; only drafts are deleted. Cancel it.")
    cascade.delete_with(db, "service_order", row["id"])
    db.run(sql.remove, id=row["id"])
    journal.deleted(db, entities.SERVICE_ORDER, orders.represent(row))


# States

def bring_to(db, row, status):
    """The row in the state that a body asks for, by the action that leads there."""
    if status == row["status"]:
        return row
    action = TRANSITIONS.action_to(row["status"], status)
    return {"submit": submit, "confirm": confirm, "cancel": cancel}[action](db, row)


def submit(db, row):
    """Checks everything again, takes from stock, gives the number and freezes prices; gives the row."""
    if TRANSITIONS.move("submit", row["status"]) is None:
        return row
    draft, lines = compose(db, row, Faults())
    offers.take(db, row["event_id"], order_lines.quantities(lines))
    db.run_many(sql.freeze_item, [{**order_lines.stored(line), "service_order_id": row["id"]} for line in lines])
    db.run(sql.submit, **{**row, **draft, "order_number": number(db)}, now=db.now)
    return changed(db, row, "submitted")


def number(db):
    """The next number of the tenant's year."""
    year = times.today(db.config.timezone, db.now)[:4]
    return f"SO-{year}-{numbering.take(db, f'service_order-{year}'):05}"


def confirm(db, row):
    if TRANSITIONS.move("confirm", row["status"]) is None:
        return row
    anonymity.refuse_gone(db.one(sql.participant, id=row["event_participant_id"]))
    db.run(sql.confirm, id=row["id"], now=db.now)
    return changed(db, row, "confirmed")


def cancel(db, row, reason=None):
    """Cancel an order with all its items, return them to stock, and return the row.

    Raise 409 `invalid_transition`, or `anonymized` if `reason` is given for an anonymised contact.
    """
    if reason:
        anonymity.refuse(db, "service_order", row["id"])
    if TRANSITIONS.move("cancel", row["status"]) is None:
        return row
    if row["status"] != "draft":
        offers.give_back(db, row["event_id"], order_lines.quantities(order_lines.live(row["items"])))
    db.run(sql.cancel_items, id=row["id"], now=db.now)
    settle(db, row["id"], "cancelled", [], reason)
    return changed(db, row, "cancelled")


def move_item(db, row, item, action):
    """One item does a step; the order follows when it was the last one to do. Gives the order's row."""
    status = OF_ITEMS.move(action, item["status"])
    if status is None:
        return row
    if row["status"] not in WHILE[action]:
        raise Problem("invalid_transition", f"{action} is not allowed while the service order is {row['status']}; it is allowed "
                      f"from: {', '.join(WHILE[action])}.", state=row["status"], allowed_from=list(WHILE[action]),
                      allowed_actions=TRANSITIONS.actions(row["status"]))
    db.run(sql.move_item, id=item["id"], status=status, now=db.now)
    if action == "cancel":
        offers.give_back(db, row["event_id"], order_lines.quantities([item]))
    return follow(db, row)


def follow(db, row):
    """The order is completed with the last item that is not cancelled, and cancelled with the last of all."""
    live = order_lines.live(orders.row(db, row["id"])["items"])
    status = row["status"]
    if not live:
        status = "cancelled"
    elif all(item["status"] == "completed" for item in live):
        status = "completed"
    settle(db, row["id"], status, live)
    return changed(db, row, status if status != row["status"] else "updated")


def settle(db, id, status, live, reason=None):
    db.run(sql.settle, id=id, status=status, **totals(live), cancellation_reason=reason, now=db.now)


def totals(lines):
    return invoice_lines.totals(invoice_lines.taxes([order_lines.taxed(line) for line in lines]))


def changed(db, old, action):
    """Journals what was done to an order; gives its new row."""
    new = orders.row(db, old["id"])
    journal.updated(db, entities.SERVICE_ORDER, orders.represent(old), orders.represent(new), action=action)
    return new
