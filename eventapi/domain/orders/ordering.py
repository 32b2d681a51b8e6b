"""Ordering: creating, submitting, confirming and cancelling service orders, and completing their
items.

Every function that writes is called inside a write transaction, journals the change, and takes and
returns rows of orders (see `orders`).
"""

from eventapi import journal, times
from eventapi.domain.attachments import cascade
from eventapi.domain.billing import lines as invoice_lines
from eventapi.domain.billing.drafts import same
from eventapi.domain.orders import lines as order_lines
from eventapi.domain.orders import offers, orders
from eventapi.domain.records import anonymity, entities, numbering, references
from eventapi.domain.records.references import PARTICIPANT
from eventapi.errors import Faults, Problem, listed, quoted
from eventapi.states import Transitions
from eventapi.storage.statements import statements

sql = statements("ordering")

TRANSITIONS = Transitions(
    "service order",
    {
        "submit": (("draft",), "submitted"),
        "confirm": (("submitted",), "confirmed"),
        "cancel": (("draft", "submitted", "confirmed"), "cancelled"),
    },
)
OF_ITEMS = Transitions(
    "item",
    {
        "start": (("pending",), "in_progress"),
        "complete": (("in_progress",), "completed"),
        "cancel": (("pending", "in_progress"), "cancelled"),
    },
)
# action on an item -> statuses of the order that allow it
ORDER_STATUSES = {
    "start": ("confirmed",),
    "complete": ("confirmed",),
    "cancel": ("submitted", "confirmed"),
}
INITIAL = ("draft", "submitted", "confirmed")
ALWAYS_OPEN = ("notes", "status")  # fields that can change in every status
ALIASES = {"participant_id": "event_participant_id"}


# Drafts


def create(db, fields):
    """Create an order and return its row. `fields` is a complete validated body.

    If its status is submitted, submit the order; if it is confirmed, confirm it, too.

    Raise 422 for unknown records and faults of items; 409 `participant_cancelled`, `anonymized`,
    `deadline_passed` or `out_of_stock`.
    """
    faults = Faults()
    if fields["status"] not in INITIAL:
        faults.add(
            "/status",
            "enum",
            f"must be {listed(INITIAL, 'or')} at first, but is {fields['status']}",
        )
    draft, lines = compose(db, fields, faults)
    id = db.insert(sql.add, **draft, notes=fields["notes"], now=db.now)
    store_items(db, id, lines)
    new = orders.row(db, id)
    journal.created(db, entities.SERVICE_ORDER, orders.represent(new))
    if fields["status"] == "confirmed":
        new = submit(db, new)
    return apply_status(db, new, fields["status"])


def update(db, row, fields):
    """Change an order and return its row. `fields` holds the changed fields.

    A new `status` runs the action that leads there. Raise 422 and 409 as `create` does, 409
    `order_locked` for other fields than `notes` once it is submitted, and 409 `invalid_transition`.
    """
    anonymity.refuse_text(db, entities.SERVICE_ORDER, row, fields)
    return apply_status(db, change(db, row, fields), fields.get("status", row["status"]))


def compose(db, wanted, faults):
    """Return the columns and the lines of a draft. `wanted` holds its participant and its items.

    Raise 422 and 409 as `create` does.
    """
    participant_id = references.resolve(db, wanted, PARTICIPANT, faults)
    participant = participant_id and db.one(sql.participant, id=participant_id)
    lines = order_lines.lines(db, participant, wanted["items"], faults) if participant else []
    faults.raise_any()
    anonymity.refuse_gone(participant)
    order_lines.refuse_late_and_short(lines)
    draft = {
        "event_id": participant["event_id"],
        "event_participant_id": participant_id,
        "currency": db.config.currency,
        **totals(db, participant_id, lines),
    }
    return draft, lines


def change(db, row, body):
    """Change an order without its status and return its row.

    Raise 409 `order_locked`, and as `compose` does.
    """
    old = orders.represent(row)
    sent = {
        ALIASES.get(name, name): value for name, value in body.items() if name not in ALWAYS_OPEN
    }
    changed = [name for name, value in sent.items() if not same(value, old[name])]
    if row["status"] != "draft" and changed:
        raise Problem(
            "order_locked",
            f"{quoted(changed)} cannot change because the order "
            f"is {row['status']}. Cancel an item or the order instead.",
            members=changed,
        )
    draft, lines = row, row["items"]
    if row["status"] == "draft" and sent:
        draft, lines = compose(db, draft_fields(old, body), Faults())
    return store(db, row, {**row, **draft, "notes": body.get("notes", row["notes"])}, lines)


def draft_fields(old, body):
    """Return the participant and the items of a draft after a change: those in `body`, else those
    of `old`.
    """
    participant = {
        name: body[name] for name in ("event_participant_id", "participant_id") if name in body
    }
    if not participant:
        participant = {"event_participant_id": old["event_participant_id"]}
    return {"items": body.get("items", old["items"]), **participant}


def store(db, row, draft, lines):
    """Store and journal the columns and lines of a changed order, and return its row."""
    other_lines = [order_lines.stored(line) for line in lines] != [
        order_lines.stored(item) for item in row["items"]
    ]
    if not other_lines and all(row[name] == value for name, value in draft.items()):
        return row
    db.run(sql.change, **draft, now=db.now)
    if other_lines:
        db.run(sql.clear_items, id=row["id"])
        store_items(db, row["id"], lines)
    return journal_change(db, row, "updated")


def store_items(db, id, lines):
    """Insert the lines of an order."""
    db.run_many(
        sql.add_item, [{**order_lines.stored(line), "service_order_id": id} for line in lines]
    )


def delete(db, row):
    """Delete a draft with its documents, notes and tasks.

    Raise 409 `order_locked` for another order.
    """
    if row["status"] != "draft":
        raise Problem(
            "order_locked",
            f"The order cannot be deleted because it is {row['status']}. Cancel it instead.",
        )
    cascade.delete_with(db, "service_order", row["id"])
    db.run(sql.remove, id=row["id"])
    journal.deleted(db, entities.SERVICE_ORDER, orders.represent(row))


# States


def apply_status(db, row, status):
    """Run the action that leads to `status` and return the row.

    Raise 409 `invalid_transition` if there is none.
    """
    if status == row["status"]:
        return row
    action = TRANSITIONS.action_to(row["status"], status)
    return {"submit": submit, "confirm": confirm, "cancel": cancel}[action](db, row)


def submit(db, row):
    """Submit a draft and return its row.

    Check it again, take its items from stock, assign its number and freeze its prices. Raise 422
    and 409 as `create` does, and 409 `invalid_transition`.
    """
    if TRANSITIONS.move("submit", row["status"]) is None:
        return row
    draft, lines = compose(db, row, Faults())
    offers.take(db, row["event_id"], order_lines.quantities(lines))
    db.run_many(
        sql.freeze_item,
        [{**order_lines.stored(line), "service_order_id": row["id"]} for line in lines],
    )
    db.run(sql.submit, **{**row, **draft, "order_number": number(db)}, now=db.now)
    return journal_change(db, row, "submitted")


def number(db):
    """Return the next order number of the current year in the tenant's time zone."""
    year = times.today(db.config.timezone, db.now)[:4]
    return f"SO-{year}-{numbering.take(db, f'service_order-{year}'):05}"


def confirm(db, row):
    """Confirm a submitted order and return its row.

    Raise 409 `invalid_transition`, `participant_cancelled` or `anonymized`.
    """
    if TRANSITIONS.move("confirm", row["status"]) is None:
        return row
    anonymity.refuse_gone(db.one(sql.participant, id=row["event_participant_id"]))
    db.run(sql.confirm, id=row["id"], now=db.now)
    return journal_change(db, row, "confirmed")


def cancel(db, row, reason=None):
    """Cancel an order with all its items, return them to stock, and return the row.

    Raise 409 `invalid_transition`, or `anonymized` if `reason` is given for an anonymised contact.
    """
    if reason:
        anonymity.refuse(db, "service_order", row["id"])
    if TRANSITIONS.move("cancel", row["status"]) is None:
        return row
    return _cancel(db, row, reason)


def release(db, participant_id, reason):
    """Cancel the draft and submitted orders of a participant.

    Confirmed ones need a decision of the organiser.
    """
    for id in db.values(sql.unconfirmed, event_participant_id=participant_id):
        _cancel(db, orders.row(db, id), reason)


def _cancel(db, row, reason):
    if row["status"] != "draft":
        offers.return_to_stock(
            db, row["event_id"], order_lines.quantities(order_lines.uncancelled(row["items"]))
        )
    db.run(sql.cancel_items, id=row["id"], now=db.now)
    store_status(db, row, "cancelled", [], reason)
    return journal_change(db, row, "cancelled")


def move_item(db, row, item, action):
    """Start, complete or cancel an item, update the status of the order, and return the row of the
    order.

    Raise 409 `invalid_transition` if the status of the item or of the order does not allow it.
    """
    status = OF_ITEMS.move(action, item["status"])
    if status is None:
        return row
    if row["status"] not in ORDER_STATUSES[action]:
        allowed = ORDER_STATUSES[action]
        raise TRANSITIONS.refused(
            f"`{action}` is not possible: the status of the service order is {row['status']}, "
            f"and must be {listed(allowed, 'or')}.",
            row["status"],
            allowed,
        )
    db.run(sql.move_item, id=item["id"], status=status, now=db.now)
    if action == "cancel":
        offers.return_to_stock(db, row["event_id"], order_lines.quantities([item]))
    return update_status(db, row)


def update_status(db, row):
    """Set the status of an order after a change of an item, and return its row.

    The order is completed if all items that are not cancelled are completed. It is cancelled if all
    are cancelled.
    """
    items = order_lines.uncancelled(orders.row(db, row["id"])["items"])
    status = row["status"]
    if not items:
        status = "cancelled"
    elif all(item["status"] == "completed" for item in items):
        status = "completed"
    store_status(db, row, status, items)
    return journal_change(db, row, status if status != row["status"] else "updated")


def store_status(db, row, status, items, reason=None):
    """Store the status of an order, and its totals over `items`, those that are not cancelled."""
    db.run(
        sql.store_status,
        id=row["id"],
        status=status,
        **totals(db, row["event_participant_id"], items),
        cancellation_reason=reason,
        now=db.now,
    )


def hand_over(db, kept_id, other_id):
    """Move the orders of the participant `other_id` to `kept_id`, with which it is merged."""
    for id in db.values(sql.to_hand_over, id=other_id):
        old = orders.row(db, id)
        db.run(sql.hand_over, id=id, participant_id=kept_id, now=db.now)
        journal_change(db, old, "updated")


def totals(db, participant_id, lines):
    """Return subtotal, tax_total and total of a participant's order in minor units."""
    return invoice_lines.totals(order_lines.taxes(db, participant_id, lines))


def journal_change(db, old, action):
    """Journal the change of an order since it was read as the row `old`, and return its new row."""
    new = orders.row(db, old["id"])
    journal.updated(
        db, entities.SERVICE_ORDER, orders.represent(old), orders.represent(new), action=action
    )
    return new
